"""Linear relaxation of two networks with twins, in one situation: the best that a leaf of a certificate can prove.

Its quantities are u = act(y) − act(x) for neurons with a twin, which are compared by way of x; u = act(y) for others. A
neuron that bends is a convex combination of the vertices of its graph: of (y, act(y)) over the range of y, and of (x,
d, u) over the polygon of (x, d), where d = y − x. So the program has the tightest relaxation of each neuron on its own,
and the duals of the rows that link the vertices to arguments are the multipliers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import Floats, act, product
from verimv.bounding.guess.linear_program import INFINITY, LinearProgram
from verimv.bounding.guess.pair_floats import change_of
from verimv.bounding.situation import KINKS
from verimv.networks.network import Activation

#: An affine function of columns of a program.
Form = tuple[dict[int, float], float]
NO_FORM: Form = ({}, 0.0)


@dataclass(frozen=True)
class FloatTwins:
    """d = weights·u + constants, where u are the inputs, then all neurons; d = y − x, or y without a twin.

    A row of `identities` has what x and act(x) are: p, q, r, s with x = p·z + q and act(x) = r·act(z) + s·z + q.
    The last neurons are the outputs, whose d is what is to be bounded.
    """

    inputs: int
    outputs: int
    activations: Sequence[Activation]
    weights: Floats
    constants: Floats
    #: the number of the twin's variable, inputs included, or −1
    twins: Any
    identities: Floats
    is_used: Any

    @property
    def count(self) -> int:
        """The number of neurons below the outputs."""
        return len(self.activations) - self.outputs

    def twin(self, k: int) -> int | None:
        """Return the index of a neuron's twin among the neurons."""
        return None if self.twins[k] < 0 else int(self.twins[k]) - self.inputs


@dataclass(frozen=True)
class FloatTwinRanges:
    """Ranges in a situation: low and high ends of y, and which neurons bend without being compared."""

    y: Floats
    bends: Any
    #: for neurons that are compared and need multipliers: the ends of x, y and d
    polygons: Mapping[int, list[tuple[float, float]]]
    #: for neurons that are compared and have one cell only: slopes in d and x, and a constant
    cells: Mapping[int, tuple[float, float, float]]


def values_at(twins: FloatTwins, point: Floats) -> Floats:
    """Return the differences at a point, computed from differences of neurons."""
    u = np.zeros(twins.weights.shape[1])
    u[: twins.inputs] = point
    arguments, values = np.zeros(len(twins.activations)), np.zeros(len(twins.activations))
    for k, activation in enumerate(twins.activations):
        stop = twins.inputs + k
        d = float(product(twins.weights[k, :stop], u[:stop])) + twins.constants[k]
        m = twins.twin(k)
        if m is None:
            arguments[k], values[k] = d, act(activation, d)
            u[stop] = values[k]
        else:
            p, q, r, s = twins.identities[k]
            x = p * arguments[m] + q
            u[stop] = change_of(activation, x, d)
            arguments[k], values[k] = x + d, u[stop] + r * values[m] + s * arguments[m] + q
    return arguments[twins.count :]


@dataclass(frozen=True)
class TwinMultipliers:
    """For each neuron: a slope for act(y), and μ and ν if it is compared; 0 where none is needed."""

    of_y: Floats
    mu: Floats
    nu: Floats


@dataclass(frozen=True)
class TwinRelaxed:
    """The optimum: an upper bound, a point, multipliers; what the relaxation of each neuron costs."""

    status: str
    upper: float = 0.0
    point: Any = None
    multipliers: TwinMultipliers | None = None
    costs: Any = None
    work: int = 0


@dataclass(frozen=True)
class _Bend:
    """A neuron that is relaxed: the rows of its links, and its vertices with their shares and heights."""

    k: int
    is_compared: bool
    links: list[int]
    shares: list[int]
    at: Floats
    heights: Floats


class TwinRelaxation:
    """The program of one situation, given by the ranges of the neurons below the outputs."""

    def __init__(self, twins: FloatTwins, ranges: FloatTwinRanges) -> None:
        self.twins, self.ranges = twins, ranges
        self.inputs = self.count = twins.inputs
        self._rows: list[dict[int, float]] = []
        self._sides: list[float] = []
        self._free: list[int] = []
        self._bends: list[_Bend] = []
        #: u of inputs and neurons; arguments and values of neurons
        self._u: list[Form] = [({j: 1.0}, 0.0) for j in range(self.inputs)]
        self._arguments: list[Form] = []
        self._values: list[Form] = []
        for k in range(twins.count):
            self._add(k)
        self.differences = [self._change(twins.count + i) for i in range(twins.outputs)]
        matrix = np.zeros((len(self._rows), self.count))
        for r, entries in enumerate(self._rows):
            for j, w in entries.items():
                matrix[r, j] = w
        lower, upper = np.zeros(self.count), np.full(self.count, INFINITY)
        upper[: self.inputs] = 1.0
        lower[self._free] = -INFINITY
        self.program = LinearProgram(lower, upper, matrix, self._sides, self._sides)

    def _change(self, k: int) -> Form:
        row = self.twins.weights[k]
        at = np.flatnonzero(row).tolist()
        return _combined([(float(row[j]), self._u[j]) for j in at], float(self.twins.constants[k]))

    def _add(self, k: int) -> None:
        """Add a neuron."""
        d, m = self._named(self._change(k)), self.twins.twin(k)
        if m is None:
            u = self._neuron(k, d, NO_FORM, NO_FORM)
            argument, value = d, u
        else:
            p, q, r, s = (float(x) for x in self.twins.identities[k])
            x = _combined([(p, self._arguments[m])], q)
            of_x = _combined([(r, self._values[m]), (s, self._arguments[m])], q)
            u = self._neuron(k, d, x, of_x)
            argument, value = _combined([(1.0, d), (1.0, x)], 0.0), _combined([(1.0, u), (1.0, of_x)], 0.0)
        self._u.append(u)
        self._arguments.append(argument)
        self._values.append(value)

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

    def _relaxed(self, k: int, arguments: list[Form], at: Any, heights: Any) -> Form:
        """Return the value of a neuron as a combination of vertices, whose coordinates are columns of `at`."""
        shares = [self._column() for _ in at]
        self._row(dict.fromkeys(shares, 1.0), 1.0)
        links = []
        for n, (form, shift) in enumerate(arguments):
            links.append(self._row({**form, **{s: -float(x[n]) for s, x in zip(shares, at, strict=True)}}, -shift))
        self._bends.append(_Bend(k, len(arguments) == 2, links, shares, np.array(at), np.array(heights)))
        return {s: float(h) for s, h in zip(shares, heights, strict=True) if h}, 0.0

    def _neuron(self, k: int, d: Form, x: Form, of_x: Form) -> Form:
        """Return u = act(y) − act(x), or act(y) if x and act(x) are 0 because there is no twin."""
        activation, ends = self.twins.activations[k], self.ranges.y[:, k]
        if not self.twins.is_used[k]:
            return NO_FORM
        if self.ranges.bends[k]:
            at = np.array([ends[0], *(kink for kink in KINKS[activation] if ends[0] < kink < ends[1]), ends[1]])
            return self._relaxed(k, [d], at[:, None], act(activation, at))
        if k in self.ranges.cells:
            slope, slope_of_x, shift = self.ranges.cells[k]
            return _combined([(slope, d), (slope_of_x, x)], shift)
        if k in self.ranges.polygons:
            points = vertices(activation, *self.ranges.polygons[k])
            of_polygon, of_d = np.array(points).T
            return self._relaxed(k, [x, d], points, change_of(activation, of_polygon, of_d))
        if _passes(activation, ends):
            return _combined([(1.0, d), (1.0, x), (-1.0, of_x)], 0.0)
        return _combined([(-1.0, of_x)], float(act(activation, ends[0])))

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

    def _multipliers(self, duals: Any) -> TwinMultipliers | None:
        if duals is None or not np.isfinite(duals).all():
            return None
        result = TwinMultipliers(*(np.zeros(self.twins.count) for _ in range(3)))
        for bend in self._bends:
            slopes = [-float(duals[link]) for link in bend.links]
            if bend.is_compared:
                result.nu[bend.k], result.mu[bend.k] = slopes
            else:
                result.of_y[bend.k] = slopes[0]
        return result

    def _costs(self, point: Floats, slopes: TwinMultipliers, output: int) -> Floats:
        """Return for each neuron how far its value is from the true one, times its coefficient."""
        gaps = np.zeros(self.twins.count)
        for bend in self._bends:
            activation, shares = self.twins.activations[bend.k], point[bend.shares]
            at = product(shares, bend.at)
            true = change_of(activation, at[0], at[1]) if bend.is_compared else act(activation, at[0])
            gaps[bend.k] = abs(float(product(shares, bend.heights) - true))
        return np.abs(_coefficients(self.twins, self.ranges, slopes, output)) * gaps


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


def _coefficients(twins: FloatTwins, ranges: FloatTwinRanges, given: TwinMultipliers, output: int) -> Floats:
    """Return the coefficients of u that the multipliers of the neurons above give."""
    result = twins.weights[twins.count + output].copy()
    result[twins.inputs + twins.count :] = 0.0
    arguments, values = np.zeros(twins.count), np.zeros(twins.count)  # slopes that comparisons add
    for k in range(twins.count - 1, -1, -1):
        p, _, r, s = twins.identities[k]
        c = result[twins.inputs + k] = result[twins.inputs + k] + values[k]
        of_d, of_x, of_value = given.mu[k] + given.of_y[k], given.nu[k], values[k]  # of d, of x, of act(x)
        if k in ranges.cells:
            of_d, of_x = c * ranges.cells[k][0], c * ranges.cells[k][1]
        elif k not in ranges.polygons and not ranges.bends[k] and twins.is_used[k]:
            if _passes(twins.activations[k], ranges.y[:, k]):
                of_d = of_x = c
            of_value -= c
        of_d, of_x = of_d + arguments[k], of_x + arguments[k]
        m = twins.twin(k)
        if m is not None:
            values[m] += r * of_value
            arguments[m] += s * of_value + p * of_x
        if of_d:
            result += of_d * twins.weights[k]
    return result[twins.inputs : twins.inputs + twins.count]


def _combined(parts: Any, constant: float) -> Form:
    """Return constant + Σ factor·form."""
    total: dict[int, float] = {}
    for w, (form, c) in parts:
        if w:
            constant += w * c
            for j, x in form.items():
                total[j] = total.get(j, 0.0) + w * x
    return total, constant
