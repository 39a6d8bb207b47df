"""Linear relaxation of two networks of one shape and the differences of their neurons, in one situation.

Every neuron is a convex combination of the vertices of its graph: of (z, act(z)) over the range of z, and of (z, d, δ)
over the polygon of (z, d). So the program has the tightest relaxation of each neuron on its own, and the duals of the
rows that link the vertices to arguments are the multipliers of a leaf.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import Floats, act
from verimv.bounding.guess.linear_program import INFINITY, LinearProgram
from verimv.bounding.guess.pair_floats import AlikeNetworks, change_of
from verimv.networks.network import Activation


@dataclass(frozen=True)
class TwinMultipliers:
    """Per hidden layer: slopes λ on z for act(z), μ on d and ν on z for δ; 0 where a neuron does not bend."""

    value: list[Floats]
    change: list[Floats]
    argument: list[Floats]


@dataclass(frozen=True)
class TwinRelaxed:
    """The optimum: an upper bound, a point, multipliers; how far each act(z) and δ is from its true value."""

    status: str
    upper: float = 0.0
    point: Any = None
    multipliers: TwinMultipliers | None = None
    gaps: tuple[list[Floats], list[Floats]] | None = None
    work: int = 0


def vertices(activation: Activation, z: Any, y: Any, d: Any) -> list[tuple[float, float]]:
    """Return where edges of the polygon {z, d, z + d in their ranges} and kinks meet, as (z, d)."""
    kinks = {"relu": [0.0], "crelu": [0.0, 1.0], "identity": []}[activation]
    of_z, of_y = [*z, *kinks], [*y, *kinks]
    found = [(a, b) for a in of_z for b in d]
    found += [(a, b - a) for a in of_z for b in of_y] + [(b - a, a) for a in d for b in of_y]
    room = 1e-11 * (1 + max(map(abs, (*z, *d))))
    inside = {
        (min(max(a, z[0]), z[1]), min(max(b, d[0]), d[1]))
        for a, b in found
        if z[0] - room <= a <= z[1] + room and d[0] - room <= b <= d[1] + room and y[0] - room <= a + b <= y[1] + room
    }
    return sorted(inside)


class _Columns:
    """Columns and rows of a linear program while they are made."""

    def __init__(self, inputs: int) -> None:
        self.count = inputs
        self.rows: list[dict[int, float]] = []
        self.low: list[float] = []
        self.high: list[float] = []

    def column(self) -> int:
        self.count += 1
        return self.count - 1

    def row(self, entries: dict[int, float], value: float) -> int:
        """Add entries·x = value."""
        self.rows.append(entries)
        self.low.append(value)
        return len(self.rows) - 1


class TwinRelaxation:
    """The program of one situation, given by its box and the ranges of its layers."""

    def __init__(self, pair: AlikeNetworks, low: Floats, high: Floats, ranges: Sequence[Any]) -> None:
        """Set up the program; `ranges` has for each hidden layer the ends of z, y and d."""
        self.pair, self.inputs, self.ranges = pair, pair.inputs, ranges
        made = _Columns(self.inputs)
        self.free: list[int] = []
        #: (layer, index, rows of the links, vertices) of neurons that bend
        self.values: list[tuple[int, int, int, list[int], list[float]]] = []
        self.changes: list[tuple[int, int, tuple[int, int], list[int], list[tuple[float, float]]]] = []
        value: list[tuple[dict[int, float], float]] = [({j: 1.0}, 0.0) for j in range(self.inputs)]
        change: list[tuple[dict[int, float], float]] = [({}, 0.0)] * self.inputs
        for depth, layer in enumerate(pair.layers):
            base, other = layer.second, layer.first
            z = [
                _sum([(w, v) for w, v in zip(row, value, strict=True)], b)
                for row, b in zip(base.weights, base.bias, strict=True)
            ]
            d = [
                _sum([*zip(row, change, strict=True), *zip(moved, value, strict=True)], b)
                for row, moved, b in zip(other.weights, layer.weights, layer.bias, strict=True)
            ]
            if depth == len(pair.layers) - 1:
                self.differences = d
                break
            value, change = [], []
            for i, (of_z, of_d) in enumerate(zip(z, d, strict=True)):
                found = ranges[depth]
                ends = [(float(found[which][0][i]), float(found[which][1][i])) for which in ("z", "y", "d")]
                argument = self._named(made, of_z)
                value.append(self._value(made, depth, i, base.activation, argument, ends[0]))
                change.append(self._change(made, depth, i, base.activation, argument, self._named(made, of_d), ends))
        self.count = made.count
        matrix = np.zeros((len(made.rows), made.count))
        for r, entries in enumerate(made.rows):
            for j, w in entries.items():
                matrix[r, j] = w
        lower, upper = np.zeros(made.count), np.full(made.count, INFINITY)
        lower[: self.inputs], upper[: self.inputs] = low, high
        lower[self.free] = -INFINITY
        self.program = LinearProgram(lower, upper, matrix, made.low, made.low)

    def _named(self, made: _Columns, form: tuple[dict[int, float], float]) -> tuple[dict[int, float], float]:
        """Return a column that equals a form."""
        column = made.column()
        self.free.append(column)
        made.row({column: 1.0, **{j: -w for j, w in form[0].items()}}, form[1])
        return {column: 1.0}, 0.0

    def _value(
        self, made: _Columns, depth: int, i: int, activation: Activation, z: tuple[dict[int, float], float], ends: Any
    ) -> tuple[dict[int, float], float]:
        """Return act(z) as a form."""
        kinks = [k for k in ({"relu": [0.0], "crelu": [0.0, 1.0], "identity": []}[activation]) if ends[0] < k < ends[1]]
        at = [ends[0], *kinks, ends[1]]
        shares = [made.column() for _ in at]
        made.row(dict.fromkeys(shares, 1.0), 1.0)
        link = made.row({**z[0], **{s: -a for s, a in zip(shares, at, strict=True)}}, 0.0)
        self.values.append((depth, i, link, shares, at))
        heights = act(activation, np.array(at)).tolist()
        return {s: h for s, h in zip(shares, heights, strict=True) if h}, 0.0

    def _change(self, made: _Columns, depth: int, i: int, activation: Activation, z: Any, d: Any, ends: Any) -> Any:
        """Return δ as a form."""
        at = vertices(activation, ends[0], ends[1], ends[2]) or [(ends[0][0], ends[2][0])]
        shares = [made.column() for _ in at]
        made.row(dict.fromkeys(shares, 1.0), 1.0)
        of_z = made.row({**z[0], **{s: -a for s, (a, _) in zip(shares, at, strict=True)}}, 0.0)
        of_d = made.row({**d[0], **{s: -b for s, (_, b) in zip(shares, at, strict=True)}}, 0.0)
        self.changes.append((depth, i, (of_z, of_d), shares, at))
        corners = np.array(at)
        heights = change_of(activation, corners[:, 0], corners[:, 1]).tolist()
        return {s: h for s, h in zip(shares, heights, strict=True) if h}, 0.0

    def maximise(self, output: int, sign: int) -> TwinRelaxed:
        """Return an upper bound of sign·(difference of the pair) of one output."""
        form, constant = self.differences[output]
        cost = np.zeros(self.count)
        for j, w in form.items():
            cost[j] = sign * w
        answer = self.program.maximise(cost)
        if answer.status != "optimal":
            return TwinRelaxed(answer.status, multipliers=self._multipliers(answer.duals), work=answer.work)
        upper = answer.value + sign * constant
        return TwinRelaxed(
            "optimal",
            upper,
            answer.point[: self.inputs],
            self._multipliers(answer.duals),
            self._gaps(answer.point),
            answer.work,
        )

    def _multipliers(self, duals: Any) -> TwinMultipliers | None:
        if duals is None or not np.isfinite(duals).all():
            return None
        widths = [len(layer.bias) for layer in self.pair.layers[:-1]]
        found = TwinMultipliers(*([np.zeros(n) for n in widths] for _ in range(3)))
        for depth, i, link, _, _ in self.values:
            found.value[depth][i] = -duals[link]
        for depth, i, (of_z, of_d), _, _ in self.changes:
            found.argument[depth][i], found.change[depth][i] = -duals[of_z], -duals[of_d]
        return found

    def _gaps(self, point: Floats) -> tuple[list[Floats], list[Floats]]:
        widths = [len(layer.bias) for layer in self.pair.layers[:-1]]
        of_value, of_change = ([np.zeros(n) for n in widths] for _ in range(2))
        for depth, i, _, shares, at in self.values:
            activation, weights = self.pair.layers[depth].first.activation, point[shares]
            z = float(weights @ np.array(at))
            of_value[depth][i] = abs(
                float(weights @ act(activation, np.array(at))) - float(act(activation, np.array(z)))
            )
        for depth, i, _, shares, corners in self.changes:
            activation, weights = self.pair.layers[depth].first.activation, point[shares]
            of_z, of_d = np.array([a for a, _ in corners]), np.array([b for _, b in corners])
            own = change_of(activation, np.array(weights @ of_z), np.array(weights @ of_d))
            of_change[depth][i] = abs(float(weights @ change_of(activation, of_z, of_d)) - float(own))
        return of_value, of_change


def _sum(
    parts: Sequence[tuple[float, tuple[dict[int, float], float]]], constant: float
) -> tuple[dict[int, float], float]:
    total: dict[int, float] = {}
    shift = float(constant)
    for w, (form, c) in parts:
        if w:
            shift += w * c
            for j, x in form.items():
                total[j] = total.get(j, 0.0) + w * x
    return total, shift
