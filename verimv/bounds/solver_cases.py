"""Evidence for a bound by z3: slower than :mod:`verimv.bounds.branch`, but for irrational weights too.

Multipliers that prove a leaf solve a linear program, which z3 does exactly; where there are none, a neuron's phase is
split, or, with one input, the box at the neuron's kink. When no neuron has a kink inside its range, duality says that
there are some.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import z3

from verimv.bounds.situation import KINKS, Case, Ends, Numbering, Place, Situation, Target
from verimv.exact import ONE, ZERO, Algebraic, Number, Rational, clip, format_number
from verimv.networks.affine import Affine
from verimv.networks.network import Network, activate
from verimv.smt.limited import Deadline

#: For the linear program of one leaf.
_LEAF_MILLISECONDS = 2_000


def solver_cases(network: Network, target: Target, known: Mapping[Place, Ends], seconds: float) -> list[Case] | None:
    """The cases that prove a bound on the unit cube, or None when time runs out. `known` are bounds proved before."""
    deadline = Deadline(seconds)
    row = network.layers[target.layer - 1].rows[target.index]
    goal = row.shifted(-target.value).scaled(Rational(target.way))  # to be proved ≤ 0
    cases: list[Case] = []
    pending = [Situation(network.box, {})]
    while pending:
        if not deadline.left:
            return None
        situation = pending.pop()
        ranges = _ranges(network, target.layer, situation, known)
        leaf = _leaf(network, goal, target.layer, situation, ranges)
        if leaf is not None:
            cases.append(leaf)
            continue
        split = _split(network, situation, ranges)
        if split is None:
            return None
        case, halves = split
        cases.append(case)
        pending += halves
    return cases


def _ranges(
    network: Network, layer: int, situation: Situation, known: Mapping[Place, Ends]
) -> list[list[tuple[Number, Number]]] | None:
    """Of all arguments below a layer, by intervals; None if the situation contradicts itself."""
    below: Sequence[tuple[Number, Number]] = situation.box
    result = []
    for depth in range(1, layer):
        current = network.layers[depth - 1]
        ranges = []
        for i, row in enumerate(current.rows):
            low, high = row.range_over(below)
            for lower, upper in (known.get((depth, i), (None, None)), situation.phases.get((depth, i), (None, None))):
                low = low if lower is None else max(low, lower)
                high = high if upper is None else min(high, upper)
            if low > high:
                return None
            ranges.append((low, high))
        result.append(ranges)
        below = [(activate(current.activation, low), activate(current.activation, high)) for low, high in ranges]
    return result


def _leaf(
    network: Network,
    goal: Affine,
    layer: int,
    situation: Situation,
    ranges: list[list[tuple[Number, Number]]] | None,
) -> Case | None:
    if ranges is None:
        return ("leaf",)
    walk = _Walk(network, layer, situation, ranges)
    multipliers = walk.multipliers(goal)
    return None if multipliers is None else ("leaf", *map(format_number, multipliers))


class _Walk:
    """From a goal down to the inputs: the bound that multipliers give, and multipliers that give a good one."""

    def __init__(
        self, network: Network, layer: int, situation: Situation, ranges: list[list[tuple[Number, Number]]]
    ) -> None:
        self.network = network
        self.layer = layer
        self.situation = situation
        self.ranges = ranges
        self.order = Numbering(network).descending(layer)

    def multipliers(self, goal: Affine) -> list[Number] | None:
        """Those with which the walk from `goal` ends at 0 or below; None if none are found."""
        free = sum(self._is_free(*place) for place in self.order)
        zeros: list[Number] = [ZERO] * free  # that is interval arithmetic
        if self._total(goal, zeros) <= 0:
            return zeros
        found = self._solution(goal) if free else None
        return found if found is not None and self._total(goal, found) <= 0 else None

    def _points(self, depth: int, i: int) -> list[Number]:
        """Ends of the range of an argument, and kinks inside."""
        low, high = self.ranges[depth - 1][i]
        return [low, high, *(Rational(z) for z in KINKS[self.network.layers[depth - 1].activation] if low < z < high)]

    def _is_free(self, depth: int, i: int) -> bool:
        """Whether a multiplier may be chosen: where there is no kink, it is the slope."""
        return len(self._points(depth, i)) > 2 or (depth, i) in self.situation.phases

    def _walk(self, goal: Affine, free: Callable[[Any, list[tuple[Number, Number]]], tuple[Any, Any]]) -> Any:
        """The total, with (multiplier, peak) from `free` wherever they may be chosen."""
        coefficients: dict[int, Any] = dict(goal.terms)
        total: Any = goal.constant
        below: dict[int, Any] = {}
        for place in self.order:
            depth, i = place
            layer = self.network.layers[depth - 1]
            row, c = layer.rows[i], coefficients.get(i, ZERO)
            points = [(z, activate(layer.activation, z)) for z in self._points(depth, i)]
            if self._is_free(depth, i):
                slope, peak = free(c, points)
            else:
                (low, value), (high, other) = points
                steepness = ONE if (value, other) == (low, high) else ZERO
                slope, peak = _times(c, steepness), _times(c, value - steepness * low)
            total = _plus(total, _plus(peak, _times(slope, row.constant)))
            for j, w in row.terms:
                below[j] = _plus(below.get(j, ZERO), _times(slope, w))
            if i == 0:  # the last of its layer
                coefficients, below = below, {}
        return total, coefficients

    def _total(self, goal: Affine, multipliers: Sequence[Number]) -> Number:
        """Exactly."""
        following = iter(multipliers)

        def free(c: Number, points: list[tuple[Number, Number]]) -> tuple[Number, Number]:
            slope = next(following)
            return slope, max(c * value - slope * z for z, value in points)

        total, coefficients = self._walk(goal, free)
        exact: Number = Affine.of(coefficients, total).range_over(self.situation.box)[1]
        return exact

    def _solution(self, goal: Affine) -> list[Number] | None:
        """Multipliers from the linear program (of nearby rational numbers, where there are square roots)."""
        unknowns: list[Any] = []
        conditions: list[Any] = []

        def bounded(name: str, values: Sequence[Any]) -> Any:
            variable = z3.Real(name)
            conditions.extend(variable >= _z3(value) for value in values)
            return variable

        def free(c: Any, points: list[tuple[Number, Number]]) -> tuple[Any, Any]:
            slope = z3.Real(f"m{len(unknowns)}")
            peak = bounded(
                f"p{len(unknowns)}", [_plus(_times(c, value), -_z3(_times(slope, z))) for z, value in points]
            )
            unknowns.append(slope)
            return slope, peak

        total, coefficients = self._walk(goal, free)
        for j, c in coefficients.items():
            total = _plus(total, bounded(f"x{j}", [_times(c, end) for end in self.situation.box[j]]))
        solver = z3.SolverFor("QF_LRA")
        solver.set("timeout", _LEAF_MILLISECONDS)
        solver.add(*conditions, total <= 0)
        if solver.check() != z3.sat:
            return None
        model = solver.model()
        return [_rational(model.eval(unknown, model_completion=True)) for unknown in unknowns]


def _times(a: Any, number: Number) -> Any:
    if isinstance(a, z3.ExprRef):
        return a * _z3(number) if number else ZERO
    return a * number


def _plus(a: Any, b: Any) -> Any:
    if isinstance(a, z3.ExprRef) or isinstance(b, z3.ExprRef):
        return _z3(a) + _z3(b)
    return a + b


def _z3(number: Any) -> Any:
    if isinstance(number, z3.ExprRef):
        return number
    return z3.RealVal(str(number.enclosure(64)[0] if isinstance(number, Algebraic) else number))


def _rational(value: Any) -> Number:
    fraction = value.as_fraction()
    return Rational(fraction.numerator, fraction.denominator)


def _split(
    network: Network, situation: Situation, ranges: list[list[tuple[Number, Number]]] | None
) -> tuple[Case, list[Situation]] | None:
    """The lowest neuron with a kink inside its range, and both sides of it."""
    forms = [Affine.variable(j) for j in range(len(network.inputs))]
    for depth, layer_ranges in enumerate(ranges or [], start=1):
        layer = network.layers[depth - 1]
        arguments = [row.substitute(forms) for row in layer.rows]
        open_kinks = [
            (min(z - low, high - z), i, z)
            for i, (low, high) in enumerate(layer_ranges)
            for z in KINKS[layer.activation]
            if low < z < high
        ]
        if open_kinks:
            _, i, z = max(open_kinks, key=lambda kink: kink[0])
            return _split_at(network, situation, (depth, i), Rational(z), arguments[i])
        forms = [_piece(layer.activation, a, *r) for a, r in zip(arguments, layer_ranges, strict=True)]
    return None


def _piece(activation: str, argument: Affine, low: Number, high: Number) -> Affine:
    """An activation where it has no kink."""
    if activation == "identity" or (low >= 0 and (activation == "relu" or high <= 1)):
        return argument
    return Affine((), clip(low) if activation == "crelu" else ZERO)


def _split_at(
    network: Network, situation: Situation, place: Place, z: Number, argument: Affine
) -> tuple[Case, list[Situation]]:
    """One input is split where the neuron bends; otherwise the neuron itself. What is due first comes last."""
    variable: int | Place = place
    point = z
    if len(situation.box) == 1 and argument.terms:
        variable, point = 0, (z - argument.constant) / argument.terms[0][1]
    below, above = situation.split(variable, point)
    number = Numbering(network).variable(variable)
    return ("split", number, format_number(point)), [half for half in (above, below) if not half.is_empty]
