"""Why a row over variables is never positive, as a tree of cases that a checker follows in exact arithmetic.

Variables come one after the other: free ones in [0,1], and act(z) for an argument z that is affine in earlier ones. The
neurons of a network are such variables, and so are the nodes of a formula. A case is a set of splits, each of which
puts an argument (or a free variable) on one side of a point. A leaf is proved by *multipliers*: for any number λ, with
c the coefficient of act(z) in the row,

    c·act(z) ≤ λ·z + max over the ends and kinks of the range of z of (c·act(z) − λ·z),

so that the row is bounded variable by variable down to the free ones. `search.branch` finds
them, guided by floats. Where floats are no guide, z3 solves a linear program for them, exactly; where there are none,
the case is split at a kink. When no variable has a kink inside its range, duality says that there are some.
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
Facts = Mapping[tuple[int, str], Number]

#: For the linear program of one leaf, on numbers of about so many bits; and the work of a leaf besides.
_PROGRAM, _BITS = 2 * SECOND, 32
_LEAF = 1000


@dataclass(frozen=True)
class DerivedVariable:
    """act(row), the row over the numbers of earlier variables."""

    activation: Activation
    row: Affine


def prove_by_z3(
    variables: Sequence[DerivedVariable | None], goal: Affine, facts: Facts, meter: Meter
) -> list[Case] | None:
    """Multipliers of each case from z3's linear programs, on exact numbers of any kind."""
    cases: list[Case] = []
    pending: list[dict[tuple[int, str], Number]] = [{}]
    while pending:
        if meter.is_used_up:
            return None
        splits = pending.pop()
        ranges = _ranges(variables, {**facts, **splits})
        multipliers = [] if ranges is None else _Walk(variables, splits, ranges, meter).multipliers(goal)
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


def _ranges(variables: Sequence[DerivedVariable | None], facts: Facts) -> list[tuple[Number, Number]] | None:
    """Of all arguments, by intervals; None if the facts contradict each other."""
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


class _Walk:
    """From a goal down to the free variables: the bound that multipliers give, and multipliers that give a good one."""

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
        """Those with which the walk from `goal` ends at 0 or below; None if none are found."""
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
        """Whether a multiplier may be chosen: where there is no kink, it is the slope."""
        variable = self.variables[k]
        return variable is not None and (k in self.split or bool(_inner_kinks(variable, self.ranges[k])))

    def _walk(self, goal: Affine, free: Callable[[Any, list[tuple[Number, Number]]], tuple[Any, Any]]) -> Any:
        """The total, with (multiplier, peak) from `free` wherever they may be chosen, last variable first."""
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
        """The slopes of activations, which is all it takes where splits leave no kink."""
        slopes: list[Number] = []

        def free(c: Number, points: list[tuple[Number, Number]]) -> tuple[Number, Number]:
            slopes.append(c if all(z == value for z, value in points) else ZERO)
            return slopes[-1], max(c * value - slopes[-1] * z for z, value in points)

        self._walk(goal, free)
        return slopes

    def _total(self, goal: Affine, multipliers: Sequence[Number]) -> Number:
        """Exactly."""
        following = iter(multipliers)

        def free(c: Number, points: list[tuple[Number, Number]]) -> tuple[Number, Number]:
            slope = next(following)
            return slope, max(c * value - slope * z for z, value in points)

        total, coefficients = self._walk(goal, free)
        exact: Number = Affine.of(coefficients, total).range_over(self.ranges)[1]
        return exact

    def _solution(self, goal: Affine) -> list[Number] | None:
        """Multipliers from the linear program (of nearby rational numbers, where there are square roots)."""
        context = z3.Context()  # of its own: z3 remembers what it was asked before
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
    return [z for z in map(Rational, KINKS[variable.activation]) if ends[0] < z < ends[1]]


def _times(a: Any, number: Number) -> Any:
    if isinstance(a, z3.ExprRef):
        return a * _z3(number, a.ctx) if number else ZERO
    return a * number


def _plus(a: Any, b: Any) -> Any:
    for side in (a, b):
        if isinstance(side, z3.ExprRef):
            return _z3(a, side.ctx) + _z3(b, side.ctx)
    return a + b


def _z3(number: Any, context: z3.Context) -> Any:
    if isinstance(number, z3.ExprRef):
        return number
    return z3.RealVal(str(number.enclosure(64)[0] if isinstance(number, Algebraic) else number), context)


def _rational(value: Any) -> Number:
    fraction = value.as_fraction()
    return Rational(fraction.numerator, fraction.denominator)


def _split(
    variables: Sequence[DerivedVariable | None], ranges: list[tuple[Number, Number]]
) -> tuple[int, Number] | None:
    """A kink well inside its range, of a variable over such as have none; with one free variable, the point there."""
    forms: list[Affine | None] = []  # over free variables, as far as there is no kink
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
        if ranges[free][0] < point < ranges[free][1]:  # the range of the argument may be wider than it need be
            return free, point
    return k, z


def _substituted(row: Affine, forms: Sequence[Affine | None]) -> Affine | None:
    total = Affine((), row.constant)
    for j, w in row.terms:
        form = forms[j]
        if form is None:
            return None
        total = total + form.scaled(w)
    return total


def _piece(activation: str, argument: Affine, low: Number, high: Number) -> Affine:
    """An activation where it has no kink."""
    if activation == "identity" or (low >= 0 and (activation == "relu" or high <= 1)):
        return argument
    return Affine((), clip(low) if activation == "crelu" else ZERO)
