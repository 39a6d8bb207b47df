"""Why a bound of a neuron holds, as a tree of cases that a checker follows in exact arithmetic.

A case is a box of inputs and phases of neurons (an argument on one side of a point). A leaf is proved by *multipliers*:
for any numbers λ, with c the coefficient of act(z) in the target,

    c·act(z) ≤ λ·z + max over the ends and kinks of the range of z of (c·act(z) − λ·z),

and z is affine in the layer below, so that the target is bounded layer by layer down to the box. Multipliers that prove
a leaf solve a linear program, which z3 does exactly; where there are none, a neuron's phase is split, or, with one
input, the box at the neuron's kink. When no neuron has a kink inside its range, duality says that there are some.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import z3

from verimv.exact import ONE, ZERO, Number, Rational, clip, format_number
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Network, activate
from verimv.smt.limited import Deadline

#: One line of a tree, in the words of proofs/FORMAT.md.
Case = tuple[int | str, ...]
Place = tuple[int, int]
Ends = tuple[Number | None, Number | None]

#: For the linear program of one leaf.
_LEAF_MILLISECONDS = 2_000

_KINKS = {"relu": (ZERO,), "crelu": (ZERO, ONE), "identity": ()}


@dataclass(frozen=True)
class Target:
    """To prove: the argument of a neuron (layers from 1) is at most (`way` 1) or at least (`way` −1) `value`."""

    layer: int
    index: int
    way: int
    value: Number


@dataclass(frozen=True)
class _Situation:
    box: Box
    phases: Mapping[Place, Ends]


def prove_bound(network: Network, target: Target, known: Mapping[Place, Ends], seconds: float) -> list[Case] | None:
    """The cases that prove a bound on the unit cube, or None when time runs out. `known` are bounds proved before."""
    deadline = Deadline(seconds)
    row = network.layers[target.layer - 1].rows[target.index]
    goal = row.shifted(-target.value).scaled(Rational(target.way))  # to be proved ≤ 0
    cases: list[Case] = []
    pending = [_Situation(network.box, {})]
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
    network: Network, layer: int, situation: _Situation, known: Mapping[Place, Ends]
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
    situation: _Situation,
    ranges: list[list[tuple[Number, Number]]] | None,
) -> Case | None:
    if ranges is None:
        return ("leaf",)
    walk = _Walk(network, layer, situation, ranges)
    multipliers = walk.multipliers(goal)
    return None if multipliers is None else ("leaf", *map(format_number, multipliers))


class _Walk:
    """The bound that multipliers give, as a linear program in them."""

    def __init__(
        self, network: Network, layer: int, situation: _Situation, ranges: list[list[tuple[Number, Number]]]
    ) -> None:
        self.network = network
        self.layer = layer
        self.situation = situation
        self.ranges = ranges
        self.is_algebraic = network.number_kind == "algebraic"

    def multipliers(self, goal: Affine) -> list[Number] | None:
        """Those with which the walk from `goal` ends at 0 or below; None if there are none."""
        intervals = self._walk(goal, solving=False)  # multipliers 0, which is interval arithmetic
        if intervals is not None or self.is_algebraic:  # z3 has no square roots in linear arithmetic
            return intervals
        return self._walk(goal, solving=True)

    def _walk(self, goal: Affine, solving: bool) -> list[Number] | None:
        unknowns: list[Any] = []
        conditions: list[Any] = []
        coefficients: dict[int, Any] = dict(goal.terms)
        total: Any = goal.constant
        for depth in range(self.layer - 1, 0, -1):
            layer = self.network.layers[depth - 1]
            below: dict[int, Any] = {}
            for i, row in enumerate(layer.rows):
                c, (low, high) = coefficients.get(i, ZERO), self.ranges[depth - 1][i]
                kinks = [z for z in _KINKS[layer.activation] if low < z < high]
                values = {z: activate(layer.activation, z) for z in (low, high, *kinks)}
                if kinks or (depth, i) in self.situation.phases:
                    slope = z3.Real(f"m{len(unknowns)}") if solving else ZERO
                    unknowns.append(slope)
                    if solving:
                        peak = z3.Real(f"p{len(conditions)}")
                        conditions += [peak >= _times(c, v) - _times(slope, z) for z, v in values.items()]
                    else:
                        peak = max(c * v for v in values.values())
                else:
                    steepness = (values[high] - values[low]) / (high - low) if high > low else ZERO
                    slope = _times(c, steepness)
                    peak = _times(c, values[low] - steepness * low)
                total = _plus(total, _plus(peak, _times(slope, row.constant)))
                for j, w in row.terms:
                    below[j] = _plus(below.get(j, ZERO), _times(slope, w))
            coefficients = below
        return self._solved(unknowns, conditions, coefficients, total)

    def _solved(
        self, unknowns: list[Any], conditions: list[Any], coefficients: dict[int, Any], total: Any
    ) -> list[Number] | None:
        for j, c in coefficients.items():
            low, high = self.situation.box[j]
            if isinstance(c, z3.ExprRef):
                peak = z3.Real(f"x{j}")
                conditions += [peak >= _times(c, low), peak >= _times(c, high)]
            else:
                peak = max(c * low, c * high)
            total = _plus(total, peak)
        if not conditions:
            return unknowns if total <= 0 else None
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
    if isinstance(a, z3.ExprRef):
        return a if not isinstance(b, z3.ExprRef) and not b else a + (b if isinstance(b, z3.ExprRef) else _z3(b))
    if isinstance(b, z3.ExprRef):
        return _plus(b, a)
    return a + b


def _z3(number: Number) -> Any:
    return z3.RealVal(str(number))


def _rational(value: Any) -> Number:
    fraction = value.as_fraction()
    return Rational(fraction.numerator, fraction.denominator)


def _split(
    network: Network, situation: _Situation, ranges: list[list[tuple[Number, Number]]] | None
) -> tuple[Case, list[_Situation]] | None:
    """The lowest neuron with a kink inside its range, and both sides of it."""
    forms = [Affine.variable(j) for j in range(len(network.inputs))]
    for depth, layer_ranges in enumerate(ranges or [], start=1):
        layer = network.layers[depth - 1]
        arguments = [row.substitute(forms) for row in layer.rows]
        open_kinks = [
            (min(z - low, high - z), i, z)
            for i, (low, high) in enumerate(layer_ranges)
            for z in _KINKS[layer.activation]
            if low < z < high
        ]
        if open_kinks:
            _, i, z = max(open_kinks, key=lambda kink: kink[0])
            return _split_at(situation, depth, i, z, arguments[i])
        forms = [_piece(layer.activation, a, *r) for a, r in zip(arguments, layer_ranges, strict=True)]
    return None


def _piece(activation: str, argument: Affine, low: Number, high: Number) -> Affine:
    """An activation where it has no kink."""
    if activation == "identity" or (low >= 0 and (activation == "relu" or high <= 1)):
        return argument
    return Affine((), clip(low) if activation == "crelu" else ZERO)


def _split_at(situation: _Situation, depth: int, i: int, z: Number, argument: Affine) -> tuple[Case, list[_Situation]]:
    if len(situation.box) == 1 and argument.terms:
        point = (z - argument.constant) / argument.terms[0][1]
        low, high = situation.box[0]
        halves = [_Situation(((point, high),), situation.phases), _Situation(((low, point),), situation.phases)]
        return ("input", 0, format_number(point)), halves
    low_end, high_end = situation.phases.get((depth, i), (None, None))
    halves = [
        _Situation(situation.box, {**situation.phases, (depth, i): ends}) for ends in ((z, high_end), (low_end, z))
    ]
    return ("neuron", depth, i, format_number(z)), halves
