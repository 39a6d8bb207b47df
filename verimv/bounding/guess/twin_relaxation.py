"""Linear relaxation of two networks with twins, in one situation: the best that a leaf of a certificate can prove.

Its quantities are v = act(z), and e = act(y) − p·act(z) for neurons of the second network with a twin; without a twin,
p = 0. A neuron that bends is a convex combination of the vertices of its graph: of (z, act(z)) over the range of z, and
of (p·z, d, e) over the polygon of (p·z, d). So the program has the tightest relaxation of each neuron on its own, and
the duals of the rows that link the vertices to arguments are the multipliers.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import Floats, act
from verimv.bounding.guess.linear_program import INFINITY, LinearProgram
from verimv.bounding.guess.pair_floats import change_of
from verimv.bounding.situation import KINKS
from verimv.networks.network import Activation

#: An affine function of columns of a program.
Form = tuple[dict[int, float], float]


@dataclass(frozen=True)
class FloatTwinLayer:
    """z = own·v + own_bias and d = inner·e + outer·v + bias, where d = y − p·z; p = 0 without a twin."""

    activation: Activation
    own: Floats
    own_bias: Floats
    inner: Floats
    outer: Floats
    bias: Floats
    twins: Any
    factors: Floats
    is_used: Any


@dataclass(frozen=True)
class FloatTwinRange:
    """Ranges in a situation. A row of `compared` has the ends of p·z, y and d of a neuron."""

    z: Floats
    y: Floats
    z_bends: Any
    y_bends: Any
    #: for neurons that are compared and need multipliers: the ends of p·z, y and d
    polygons: dict[int, list[tuple[float, float]]]
    #: for neurons that are compared and have one cell only: slopes in d and p·z, and a constant
    cells: dict[int, tuple[float, float, float]]


def values_at(layers: Sequence[FloatTwinLayer], point: Floats) -> Floats:
    """Return the differences at a point, computed from differences of neurons."""
    first, second = point, np.zeros(0)
    for layer in layers:
        z, d = layer.own @ first + layer.own_bias, layer.inner @ second + layer.outer @ first + layer.bias
        scaled = np.where(layer.factors > 0, layer.factors * z[layer.twins], 0.0) if len(z) else 0 * d
        first, second = act(layer.activation, z), change_of(layer.activation, scaled, d)
    return second


@dataclass(frozen=True)
class TwinMultipliers:
    """Of one layer: slopes for act(z), act(y), and μ and ν for neurons that are compared; 0 where none is needed."""

    of_z: Floats
    of_y: Floats
    mu: Floats
    nu: Floats


@dataclass(frozen=True)
class TwinRelaxed:
    """The optimum: an upper bound, a point, multipliers; what the relaxation of each z and y costs."""

    status: str
    upper: float = 0.0
    point: Any = None
    multipliers: Sequence[TwinMultipliers] | None = None
    costs: Sequence[tuple[Floats, Floats]] = ()
    work: int = 0


@dataclass(frozen=True)
class _Bend:
    """A neuron that is relaxed: the rows of its links, and its vertices with their shares and heights."""

    depth: int
    i: int
    kind: str  # "z", "y" or "d"
    links: list[int]
    shares: list[int]
    at: Floats
    heights: Floats


class TwinRelaxation:
    """The program of one situation, given by the ranges of its layers; the last layer has the differences."""

    def __init__(self, layers: Sequence[FloatTwinLayer], ranges: Sequence[FloatTwinRange]) -> None:
        self.layers, self.ranges = layers, ranges
        self.inputs = int(layers[0].own.shape[1])
        self.count = self.inputs
        self._rows: list[dict[int, float]] = []
        self._sides: list[float] = []
        self._free: list[int] = []
        self._bends: list[_Bend] = []
        first: list[Form] = [({j: 1.0}, 0.0) for j in range(self.inputs)]
        second: list[Form] = []
        for depth, (layer, found) in enumerate(zip(layers, ranges, strict=False)):
            z = [self._named(form) for form in _sums(layer.own, first, layer.own_bias)]
            d = [self._named(form) for form in self._changes(layer, first, second)]
            first = [self._first(depth, i, layer, found, form) for i, form in enumerate(z)]
            second = [self._second(depth, i, layer, found, z, first, form) for i, form in enumerate(d)]
        self.differences = self._changes(layers[-1], first, second)
        matrix = np.zeros((len(self._rows), self.count))
        for r, entries in enumerate(self._rows):
            for j, w in entries.items():
                matrix[r, j] = w
        lower, upper = np.zeros(self.count), np.full(self.count, INFINITY)
        upper[: self.inputs] = 1.0
        lower[self._free] = -INFINITY
        self.program = LinearProgram(lower, upper, matrix, self._sides, self._sides)

    @staticmethod
    def _changes(layer: FloatTwinLayer, first: list[Form], second: list[Form]) -> list[Form]:
        return _sums(np.hstack([layer.outer, layer.inner]), [*first, *second], layer.bias)

    def _column(self) -> int:
        self.count += 1
        return self.count - 1

    def _row(self, entries: dict[int, float], value: float) -> int:
        """Add entries·x = value."""
        self._rows.append(entries)
        self._sides.append(value)
        return len(self._rows) - 1

    def _named(self, form: Form) -> Form:
        """Return a column that equals a form."""
        column = self._column()
        self._free.append(column)
        self._row({column: 1.0, **{j: -w for j, w in form[0].items()}}, form[1])
        return {column: 1.0}, 0.0

    def _relaxed(self, depth: int, i: int, kind: str, arguments: list[Form], at: Any, heights: Any) -> Form:
        """Return the value of a neuron as a combination of vertices, whose coordinates are columns of `at`."""
        shares = [self._column() for _ in at]
        self._row(dict.fromkeys(shares, 1.0), 1.0)
        links = []
        for k, (form, shift) in enumerate(arguments):
            links.append(self._row({**form, **{s: -float(x[k]) for s, x in zip(shares, at, strict=True)}}, -shift))
        self._bends.append(_Bend(depth, i, kind, links, shares, np.array(at), np.array(heights)))
        return {s: float(h) for s, h in zip(shares, heights, strict=True) if h}, 0.0

    def _alone(self, depth: int, i: int, kind: str, activation: Activation, argument: Form, ends: Any) -> Form:
        """Return act(argument), relaxed on its own."""
        at = np.array([ends[0], *(k for k in KINKS[activation] if ends[0] < k < ends[1]), ends[1]])
        return self._relaxed(depth, i, kind, [argument], at[:, None], act(activation, at))

    def _first(self, depth: int, i: int, layer: FloatTwinLayer, found: FloatTwinRange, z: Form) -> Form:
        """Return act(z)."""
        ends = found.z[:, i]
        if found.z_bends[i]:
            return self._alone(depth, i, "z", layer.activation, z, ends)
        return z if _passes(layer.activation, ends) else ({}, float(act(layer.activation, ends[0])))

    def _second(
        self, depth: int, i: int, layer: FloatTwinLayer, found: FloatTwinRange, z: list[Form], first: list[Form],
        d: Form,
    ) -> Form:  # fmt: skip
        """Return e = act(y) − p·act(z)."""
        if not layer.is_used[i]:
            return {}, 0.0
        p, activation, ends = float(layer.factors[i]), layer.activation, found.y[:, i]
        twin, value = (z[layer.twins[i]], first[layer.twins[i]]) if p else (({}, 0.0), ({}, 0.0))
        if found.y_bends[i]:
            return self._alone(depth, i, "y", activation, d, ends)
        if i in found.cells:
            slope, of_z, shift = found.cells[i]
            return _combined([(slope, d), (of_z * p, twin)], shift)
        if i in found.polygons:
            at = vertices(activation, *found.polygons[i])
            of_z, of_d = np.array(at).T
            scaled = _combined([(p, twin)], 0.0)
            return self._relaxed(depth, i, "d", [scaled, d], at, change_of(activation, of_z, of_d))
        if _passes(activation, ends):
            return _combined([(1.0, d), (p, twin), (-p, value)], 0.0)
        return _combined([(-p, value)], float(act(activation, ends[0])))

    def maximise(self, output: int, sign: int) -> TwinRelaxed:
        """Return an upper bound of sign·(difference) of one output."""
        form, constant = self.differences[output]
        cost = np.zeros(self.count)
        for j, w in form.items():
            cost[j] = sign * w
        answer = self.program.maximise(cost)
        found = self._multipliers(answer.duals)
        if answer.status != "optimal" or found is None:
            return TwinRelaxed("failed" if found is None else answer.status, multipliers=found, work=answer.work)
        upper, point = answer.value + sign * constant, answer.point[: self.inputs]
        return TwinRelaxed("optimal", upper, point, found, self._costs(answer.point, found, output), answer.work)

    def _multipliers(self, duals: Any) -> list[TwinMultipliers] | None:
        if duals is None or not np.isfinite(duals).all():
            return None
        result = []
        for layer in self.layers[: len(self.ranges)]:
            own, others = len(layer.own_bias), len(layer.bias)
            result.append(TwinMultipliers(np.zeros(own), *(np.zeros(others) for _ in range(3))))
        for bend in self._bends:
            found, slopes = result[bend.depth], [-float(duals[link]) for link in bend.links]
            if bend.kind == "z":
                found.of_z[bend.i] = slopes[0]
            elif bend.kind == "y":
                found.of_y[bend.i] = slopes[0]
            else:
                found.nu[bend.i], found.mu[bend.i] = slopes
        return result

    def _costs(self, point: Floats, slopes: list[TwinMultipliers], output: int) -> list[tuple[Floats, Floats]]:
        """Return for each z and y how far its value is from the true one, times its coefficient."""
        gaps = [(np.zeros(len(layer.own_bias)), np.zeros(len(layer.bias))) for layer in self.layers]
        for bend in self._bends:
            activation, shares = self.layers[bend.depth].activation, point[bend.shares]
            at = shares @ bend.at
            true = change_of(activation, at[0], at[1]) if bend.kind == "d" else act(activation, at[0])
            gaps[bend.depth][bend.kind != "z"][bend.i] = abs(float(shares @ bend.heights - true))
        coefficients = _coefficients(self.layers, self.ranges, slopes, output)
        return [
            (np.abs(first) * of_z, np.abs(second) * of_y)
            for (first, second), (of_z, of_y) in zip(coefficients, gaps, strict=False)
        ]


def vertices(activation: Activation, z: Any, y: Any, d: Any) -> list[tuple[float, float]]:
    """Return where edges of the polygon {z, d, z + d in their ranges} and kinks meet, as (z, d)."""
    kinks = [float(k) for k in KINKS[activation]]
    of_z, of_y = [*z, *kinks], [*y, *kinks]
    found = [(a, b) for a in of_z for b in d]
    found += [(a, b - a) for a in of_z for b in of_y] + [(b - a, a) for a in d for b in of_y]
    room = 1e-11 * (1 + max(map(abs, (*z, *d))))
    inside = {
        (min(max(a, z[0]), z[1]), min(max(b, d[0]), d[1]))
        for a, b in found
        if z[0] - room <= a <= z[1] + room and d[0] - room <= b <= d[1] + room and y[0] - room <= a + b <= y[1] + room
    }
    return sorted(inside) or [(z[0], d[0])]


def _passes(activation: Activation, ends: Any) -> bool:
    return activation == "identity" or bool(ends[0] >= 0 and (activation == "relu" or ends[1] <= 1))


def _coefficients(
    layers: Sequence[FloatTwinLayer], ranges: Sequence[FloatTwinRange], slopes: Sequence[TwinMultipliers], output: int
) -> list[tuple[Floats, Floats]]:
    """Return the coefficients of v and e of each layer that the multipliers of the layers above give."""
    first, second = layers[-1].outer[output], layers[-1].inner[output]
    result = []
    for layer, found, given in reversed(list(zip(layers, ranges, slopes, strict=False))):
        of_d, of_scaled = given.mu + given.of_y, given.nu.copy()
        first = first.copy()
        for i, p in enumerate(layer.factors):
            if i in found.cells:
                of_d[i], of_scaled[i] = second[i] * found.cells[i][0], second[i] * found.cells[i][1]
            elif i not in found.polygons and not found.y_bends[i] and layer.is_used[i]:
                if _passes(layer.activation, found.y[:, i]):
                    of_d[i] = of_scaled[i] = second[i]
                first[layer.twins[i]] -= p * second[i]
        result.append((first, second))
        passes = np.array([_passes(layer.activation, ends) for ends in found.z.T], dtype=bool)
        of_z = np.where(found.z_bends, given.of_z, np.where(passes, first, 0.0))
        np.add.at(of_z, layer.twins, layer.factors * of_scaled)
        first, second = of_z @ layer.own + of_d @ layer.outer, of_d @ layer.inner
    return result[::-1]


def _sums(weights: Floats, forms: list[Form], constants: Floats) -> list[Form]:
    return [
        _combined(zip(row, forms, strict=True), float(b)) for row, b in zip(weights.tolist(), constants, strict=True)
    ]


def _combined(parts: Any, constant: float) -> Form:
    """Return constant + Σ factor·form."""
    total: dict[int, float] = {}
    for w, (form, c) in parts:
        if w:
            constant += w * c
            for j, x in form.items():
                total[j] = total.get(j, 0.0) + w * x
    return total, constant
