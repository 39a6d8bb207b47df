"""Proofs that a row over variables is never positive, as a tree of cases that the kernel checks in exact arithmetic.

Variables are ordered: free ones in [0,1], and act(z) for an argument z that is affine in earlier ones. The neurons of a
network are such variables, and so are the nodes of a formula. A case is a set of splits, each of which puts an argument
(or a free variable) on one side of a point. A leaf is proved by *multipliers*: for any number λ, with c the coefficient
of act(z) in the row,

    c·act(z) ≤ λ·z + max over the ends and kinks of the range of z of (c·act(z) − λ·z),

so that the row is bounded variable by variable down to the free ones. Here z3 finds multipliers by exact linear
programs; where there are none, the case is split at a kink. When no variable has a kink inside its range, duality says
that there are some. (Where floats are a guide, `search.branch` is much faster.)
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from verimv.bounding.situation import KINKS, Case, LeafCase, SplitCase
from verimv.core.effort import SECOND, Meter
from verimv.exact import ONE, ZERO, Algebraic, Number, Rational, clip
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, activate
from verimv.solvers.engines import z3_limits, z3_work

#: (variable, "low" or "high") → a bound of its argument
SideBounds = Mapping[tuple[int, str], Number]

#: Work for the linear program of one leaf, on numbers of about so many bits; and for the leaf besides.
_PROGRAM, _BITS = 2 * SECOND, 32
_LEAF = 1000


@dataclass(frozen=True)
class DerivedVariable:
    """The variable act(row), the row over the numbers of earlier variables."""

    activation: Activation
    row: Affine


def prove_by_z3(
    variables: Sequence[DerivedVariable | None], goal: Affine, facts: SideBounds, meter: Meter
) -> list[Case] | None:
    """Return cases that prove a row over variables (None: a free one) to be ≤ 0, or None when the work is used up.

    Multipliers come from linear programs of z3, so numbers may be large, small or irrational.
    """
    cases: list[Case] = []
    pending: list[dict[tuple[int, str], Number]] = [{}]
    while pending:
        if meter.is_used_up:
            return None
        splits = pending.pop()
        ranges = _ranges(variables, {**facts, **splits})
        multipliers = [] if ranges is None else _Leaf(variables, splits, ranges, meter).multipliers(goal)
        if ranges is None or multipliers is not None:
            cases.append(LeafCase(tuple(multipliers or ())))
            continue
        split = _split(variables, ranges)
        if split is None:
            return None
        k, point = split
        cases.append(SplitCase(k, point))
        pending += [{**splits, (k, side): point} for side in ("low", "high")]
    return cases


def _ranges(variables: Sequence[DerivedVariable | None], facts: SideBounds) -> list[tuple[Number, Number]] | None:
    """Return ranges of all arguments, by intervals; None if the facts contradict each other."""
    ranges: list[tuple[Number, Number]] = []
    values: list[tuple[Number, Number]] = []
    for k, variable in enumerate(variables):
        low, high = (ZERO, ONE) if variable is None else variable.row.range_over(values)
        low, high = max(low, facts.get((k, "low"), low)), min(high, facts.get((k, "high"), high))
        if low > high:
            return None
        ranges.append((low, high))
        act: Activation = "identity" if variable is None else variable.activation
        values.append((activate(act, low), activate(act, high)))
    return ranges


class _Leaf:
    """One case: the bound that multipliers give, from the goal down to free variables, and good multipliers."""

    def __init__(
        self,
        variables: Sequence[DerivedVariable | None],
        splits: Mapping[tuple[int, str], Number],
        ranges: list[tuple[Number, Number]],
        meter: Meter,
    ) -> None:
        self.variables = variables
        self.meter = meter
        self.ranges = ranges
        self.split = {k for k, _ in splits}

    def multipliers(self, goal: Affine) -> list[Number] | None:
        """Return multipliers that bound the goal by 0; None if none are found."""
        self.meter.spend(_LEAF + sum(len(variable.row.terms) for variable in self.variables if variable is not None))
        free = sum(self._is_free(k) for k in range(len(self.variables)))
        zeros: list[Number] = [ZERO] * free  # that is interval arithmetic
        if self._total(goal, zeros) <= 0:
            return zeros
        slopes = self._slopes(goal)
        if self._total(goal, slopes) <= 0:
            return slopes
        found = self._solution(goal) if free else None
        return found if found is not None and self._total(goal, found) <= 0 else None

    def _is_free(self, k: int) -> bool:
        """Return whether a multiplier may be chosen; without a kink, it is the slope."""
        variable = self.variables[k]
        return variable is not None and (k in self.split or bool(_inner_kinks(variable, self.ranges[k])))

    def _walk(self, goal: Affine, free: Callable[[Any, list[tuple[Number, Number]]], tuple[Any, Any]]) -> Any:
        """Return the row over free variables that is left; `free` chooses (multiplier, peak), last variable first."""
        coefficients: dict[int, Any] = dict(goal.terms)
        total: Any = goal.constant
        for k in range(len(self.variables) - 1, -1, -1):
            variable = self.variables[k]
            if variable is None:
                continue
            c = coefficients.pop(k, ZERO)
            arguments = [*self.ranges[k], *_inner_kinks(variable, self.ranges[k])]
            points = [(z, activate(variable.activation, z)) for z in arguments]
            if self._is_free(k):
                slope, peak = free(c, points)
            else:
                (low, value), (high, other) = points
                steepness = ONE if (value, other) == (low, high) else ZERO
                slope, peak = _times(c, steepness), _times(c, value - steepness * low)
            total = _plus(total, _plus(peak, _times(slope, variable.row.constant)))
            for j, w in variable.row.terms:
                coefficients[j] = _plus(coefficients.get(j, ZERO), _times(slope, w))
        return total, coefficients

    def _slopes(self, goal: Affine) -> list[Number]:
        """Return the slopes of activations as multipliers, which are enough where splits leave no kink."""
        slopes: list[Number] = []

        def free(c: Number, points: list[tuple[Number, Number]]) -> tuple[Number, Number]:
            slopes.append(c if all(z == value for z, value in points) else ZERO)
            return slopes[-1], max(c * value - slopes[-1] * z for z, value in points)

        self._walk(goal, free)
        return slopes

    def _total(self, goal: Affine, multipliers: Sequence[Number]) -> Number:
        """Return the exact bound that multipliers give."""
        following = iter(multipliers)

        def free(c: Number, points: list[tuple[Number, Number]]) -> tuple[Number, Number]:
            slope = next(following)
            return slope, max(c * value - slope * z for z, value in points)

        total, coefficients = self._walk(goal, free)
        exact: Number = Affine.of(coefficients, total).range_over(self.ranges)[1]
        return exact

    def _solution(self, goal: Affine) -> list[Number] | None:
        """Return multipliers from the linear program; square roots are replaced by rationals near them."""
        context = z3.Context()  # a new one: z3's answers depend on what a context was asked before
        unknowns: list[Any] = []
        conditions: list[Any] = []

        def bounded(name: str, values: Sequence[Any]) -> Any:
            variable = z3.Real(name, context)
            conditions.extend(variable >= _z3(value, context) for value in values)
            return variable

        def free(c: Any, points: list[tuple[Number, Number]]) -> tuple[Any, Any]:
            slope = z3.Real(f"m{len(unknowns)}", context)
            peak = bounded(
                f"p{len(unknowns)}", [_plus(_times(c, value), -_z3(_times(slope, z), context)) for z, value in points]
            )
            unknowns.append(slope)
            return slope, peak

        total, coefficients = self._walk(goal, free)
        for j, c in coefficients.items():
            total = _plus(total, bounded(f"x{j}", [_times(c, end) for end in self.ranges[j]]))
        solver = z3.SolverFor("QF_LRA", context)
        z3_limits(solver, self.meter.deadline.left, _PROGRAM, _BITS)
        solver.add(*conditions, total <= 0)
        status = solver.check()
        self.meter.spend(z3_work(solver, _BITS))
        if status != z3.sat:
            return None
        model = solver.model()
        return [_rational(model.eval(unknown, model_completion=True)) for unknown in unknowns]


def _inner_kinks(variable: DerivedVariable, ends: tuple[Number, Number]) -> list[Number]:
    """Return the kinks strictly inside a range."""
    return [z for z in map(Rational, KINKS[variable.activation]) if ends[0] < z < ends[1]]


def _times(a: Any, number: Number) -> Any:
    """Return a·number, where a is a number or a term of z3."""
    if isinstance(a, z3.ExprRef):
        return a * _z3(number, a.ctx) if number else ZERO
    return a * number


def _plus(a: Any, b: Any) -> Any:
    """Return a + b, each a number or a term of z3."""
    for side in (a, b):
        if isinstance(side, z3.ExprRef):
            return _z3(a, side.ctx) + _z3(b, side.ctx)
    return a + b


def _z3(number: Any, context: z3.Context) -> Any:
    """Return a number as a term of z3, a square root as a rational near it."""
    if isinstance(number, z3.ExprRef):
        return number
    return z3.RealVal(str(number.enclosure(64)[0] if isinstance(number, Algebraic) else number), context)


def _rational(value: Any) -> Number:
    fraction = value.as_fraction()
    return Rational(fraction.numerator, fraction.denominator)


def _split(
    variables: Sequence[DerivedVariable | None], ranges: list[tuple[Number, Number]]
) -> tuple[int, Number] | None:
    """Return where to split: the kink furthest inside its range, of a variable whose argument has no kinks below it.

    With one free variable, this one is split, at the point where the kink is.
    """
    forms: list[Affine | None] = []  # over free variables; None where there is a kink
    kinks: list[tuple[Number, int, Number, Affine]] = []
    for k, (variable, (low, high)) in enumerate(zip(variables, ranges, strict=True)):
        argument = Affine.variable(k) if variable is None else _substituted(variable.row, forms)
        inner = [] if variable is None else _inner_kinks(variable, (low, high))
        if argument is not None:
            kinks += [(min(z - low, high - z), k, z, argument) for z in inner]
        is_piece = argument is not None and not inner
        act = "identity" if variable is None else variable.activation
        forms.append(_piece(act, argument, low, high) if argument is not None and is_piece else None)
    if not kinks:
        return None
    _, k, z, argument = max(kinks, key=lambda kink: kink[0])
    if variables.count(None) == 1 and argument.terms:
        ((free, slope),) = argument.terms
        point = (z - argument.constant) / slope
        if ranges[free][0] < point < ranges[free][1]:  # the range of the argument may be too wide
            return free, point
    return k, z


def _substituted(row: Affine, forms: Sequence[Affine | None]) -> Affine | None:
    """Return a row with forms for its variables; None if one of them has none."""
    total = Affine((), row.constant)
    for j, w in row.terms:
        form = forms[j]
        if form is None:
            return None
        total = total + form.scaled(w)
    return total


def _piece(activation: str, argument: Affine, low: Number, high: Number) -> Affine:
    """Return an activation of an argument on a range without a kink."""
    if activation == "identity" or (low >= 0 and (activation == "relu" or high <= 1)):
        return argument
    return Affine((), clip(low) if activation == "crelu" else ZERO)
