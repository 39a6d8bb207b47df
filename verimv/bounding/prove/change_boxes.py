"""Proved bounds of the differences of two networks on many boxes at a time, by differences of corresponding neurons.

Both networks have the same widths. A neuron of the first one is a = ρ(z), the one at the same place of the second one
ρ(y); d = y − z is the *change* of the argument, and δ = ρ(y) − ρ(z) that of the value. With W and b for weights and
biases, and Δ for differences of these,

    z = W·a + b,    d = (W + ΔW)·δ + ΔW·a + Δb    over the layer below,

and δ and a lie between lines over z and d. So what is linear in δ and a of one layer is bounded by what is linear in
those of the layer below, down to the inputs (docs/design/differences.md).

The numbers are floats, and the bounds are proofs: every operation is exact, or rounded to the safe side. Factors of a
matrix product are integers, times a power of 2, of so few bits that all sums are below 2^53. What rounding a factor
changes is at most one unit times the largest value of what it multiplies; this is added to the bound. Sums that are
rounded are moved up by one float. So results are the same on every machine. Nothing overflows, because `are_paired`
excludes large numbers, and nothing underflows, because units are not too small.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.core.errors import InternalError
from verimv.exact import Number, Rational, ceil, floor
from verimv.networks.network import Layer, Network

Floats = Any  # arrays of floats; the first axis counts boxes
#: Bits of a float, and of weights and peaks, whose products with coefficients or values are added up.
_FLOAT, _WEIGHT = 53, 25
#: Layers have fewer neurons than this, and no value or coefficient reaches the second number.
_MOST_NEURONS, _LARGE = 2**12, 2**400
#: Ends of ranges are integers of so many bits, and slopes are multiples of 2^−14: their products are exact.
_RANGE, _SLOPE = 34, 2.0**14
#: Units are at least 2^−200, so that their products are floats, too.
_LEAST = -200
#: Rounding to a multiple changes a number by at most half a unit. If the number was itself a rounded sum, that adds
#: less than 2^−25 of a unit.
_ROUNDED = 0.75
#: A sum of fewer than 2^12 nonnegative floats is at most this much larger than what floats add up.
_SAFE = 1 + 2.0**-40


def are_paired(a: Network, b: Network) -> bool:
    """Return whether two networks have one shape, ReLUs in all hidden layers, and rational weights, not too large."""
    shapes = [[(len(layer.rows), layer.width_in) for layer in side.layers] for side in (a, b)]
    return (
        shapes[0] == shapes[1]
        and all(layer.activation == "relu" for side in (a, b) for layer in side.layers[:-1])
        and all(side.layers[-1].activation == "identity" for side in (a, b))
        and all(side.number_kind != "algebraic" for side in (a, b))
        and max(max(shape) for shape in shapes[0]) < _MOST_NEURONS
        and math.prod(map(_growth, a.layers, b.layers)) < _LARGE
    )


def _growth(first: Layer, second: Layer) -> int:
    """Return a factor by which one layer can enlarge values, coefficients and their changes, at most."""
    rows = [*first.rows, *second.rows]
    largest = max(abs(x) for row in rows for x in (row.constant, *(weight for _, weight in row.terms)))
    return 4 * (1 + max(len(first.rows), first.width_in)) * (1 + ceil(largest))


def up(x: Floats) -> Floats:
    """Return a float above the exact result of an operation that was rounded to x."""
    return np.nextafter(x, np.inf)


def down(x: Floats) -> Floats:
    """Return a float below the exact result of an operation that was rounded to x."""
    return np.nextafter(x, -np.inf)


def _unit(x: Floats, bits: int) -> Floats:
    """Return, for each list, the power of 2 such that its numbers, as multiples of it, have at most so many bits."""
    return np.ldexp(1.0, _exponent(np.abs(x).max(axis=-1, keepdims=True), bits))


def _exponent(largest: Floats, bits: int) -> Floats:
    """Return the exponent of that power of 2, for the largest absolute values."""
    _, exponent = np.frexp(largest)
    return np.where(largest > 0, np.maximum(exponent - bits, _LEAST), _LEAST)


def _total(x: Floats) -> Floats:
    """Return an upper bound of the sum of numbers that are not negative."""
    return x.sum(axis=-1) * _SAFE


def _room(terms: int) -> int:
    """Return the bits of a factor such that sums of so many products with weights are exact."""
    return _FLOAT - _WEIGHT - math.ceil(math.log2(terms + 1))


class _Matrix:
    """Weights and biases, rounded to a few bits; and how much that changes each of them, at most."""

    def __init__(self, rows: Sequence[Sequence[Number]]) -> None:
        largest = max(abs(float(x)) for row in rows for x in row)
        unit = Rational(2) ** int(_exponent(largest, _WEIGHT))
        rounded = [[floor(x / unit + Rational(1, 2)) for x in row] for row in rows]
        self.error = float(unit) / 2
        #: biases are in the last column
        self.joined = np.array(rounded, dtype=float) * float(unit)
        self.weights, self.bias = self.joined[:, :-1], self.joined[:, -1]
        self._rising, self._falling = np.maximum(self.weights, 0).T, np.minimum(self.weights, 0).T

    def interval(self, low: Floats, high: Floats) -> tuple[Floats, Floats]:
        """Return the ranges of the arguments where values, which are not negative, lie in these ranges."""
        unit = _unit(high, _room(2 * high.shape[-1]))
        low, high = np.floor(low / unit) * unit, np.ceil(high / unit) * unit
        loose = self.error * (1 + _total(high))[:, None] * _SAFE
        least, most = low @ self._rising + high @ self._falling, high @ self._rising + low @ self._falling
        return down(down(least + self.bias) - loose), up(up(most + self.bias) + loose)


@dataclass(frozen=True)
class _SafeLine:
    """Of each neuron: of_change·d + of_argument·z + peak, a bound of ±a or of ±δ."""

    of_change: Floats | None
    of_argument: Floats
    peak: Floats


class _SafeLines:
    """Lines above what coefficients c > 0 multiply, and above its negative, for c < 0: c·v = −c·(−v).

    Peaks are rounded up to few bits.
    """

    def __init__(self, above: _SafeLine, below: _SafeLine) -> None:
        self._slopes = [
            (rising[:, None], -falling[:, None])
            for rising, falling in ((above.of_argument, below.of_argument), (above.of_change, below.of_change))
            if rising is not None and falling is not None
        ]
        unit = _unit(np.maximum(np.abs(above.peak), np.abs(below.peak)), _WEIGHT)
        self._peaks = [np.ceil(line.peak / unit)[:, None] * unit[:, None] for line in (above, below)]
        self._peaks[1] *= -1

    def replace(self, c: Floats) -> tuple[Floats, list[Floats]]:
        """Return the sums of peaks, and what coefficients of values become: of z, and of d if lines have it."""
        rising = c > 0
        peaks = np.einsum("nrw,nrw->nr", c, np.where(rising, *self._peaks))
        return peaks, [c * np.where(rising, *slopes) for slopes in self._slopes]


class PairedLayer:
    """A hidden layer of both networks on boxes: ranges of z, y and d, and lines that bound a, −a, δ and −δ.

    Neurons that are off in both networks, on all boxes, are left out; `kept` are the others. `rows` are the weights of
    their arguments z, y and d, over what the layer below keeps; biases are in the last column.
    """

    def __init__(
        self, kept: Floats, rows: Sequence[Floats], z: tuple[Floats, Floats], y: tuple[Floats, Floats],
        d: tuple[Floats, Floats],
    ) -> None:  # fmt: skip
        self.kept, self.rows = kept, rows
        z, y, d = self.z, self.y, self.d = [(low[:, kept], high[:, kept]) for low, high in (z, y, d)]
        self.is_off = (z[1] <= 0) & (y[1] <= 0)
        #: neurons with a kink inside one of their ranges, or between them
        self.is_bent = ~self.is_off & ((z[0] < 0) | (y[0] < 0))
        self.values = [_SafeLines(_of_value(1, *ends), _of_value(-1, *ends)) for ends in (z, y)]
        self.changes = _SafeLines(self._of_change(1), self._of_change(-1))
        #: the largest values of each network, arguments, and changes, added up; |δ| ≤ |d|, so that one number is for
        #: both. Where a neuron is off in both networks, all its slopes are 0, and nothing of it is rounded.
        self.sizes_of_values = [_total(np.maximum(high, 0))[:, None] for _, high in (z, y)]
        self.sizes_of_arguments = [_total(_size(ends) * ~self.is_off)[:, None] for ends in (z, y)]
        self.size_of_changes = _total(_size(d) * ~self.is_off)[:, None]

    def _of_change(self, sign: int) -> _SafeLine:
        """Return lines above sign·δ."""
        p, q = self._slopes(sign)
        peak = np.full_like(p, -np.inf)
        for z_slope, z, has_z in _pieces(*self.z):
            for y_slope, y, has_y in _pieces(*self.y):
                is_cell = has_z & has_y & (z[0] + self.d[0] <= y[1]) & (y[0] <= z[1] + self.d[1])
                # sign·(δ − p·d − q·z) = A·z + B·d on the cell; and y = z + d
                a, b = sign * (y_slope - z_slope - q), sign * (y_slope - p)
                height = _largest(a, z) + _largest(b, self.d)
                height = np.minimum(height, _largest(a - b, z) + _largest(b, y))
                height = np.minimum(height, _largest(a, y) + _largest(b - a, self.d))
                peak = np.where(is_cell, np.maximum(peak, height), peak)
        peak = np.where(peak == -np.inf, 0, peak)  # there is no such point
        return _SafeLine(sign * p, sign * q, peak)

    def _slopes(self, sign: int) -> tuple[Floats, Floats]:
        """Return p and q such that p·d + q·z + (a constant) is a good bound of δ.

        Any choice is sound, but both must be 0 if neither neuron is ever on (see the sizes above).
        """
        (z_low, z_high), (y_low, y_high), (d_low, d_high) = self.z, self.y, self.d
        width = np.where(d_high > d_low, d_high - d_low, 1)
        share = np.clip(_grid((d_high if sign > 0 else -d_low) / width), 0, 1)
        p, q = share, np.zeros_like(share)
        line = _chord if sign > 0 else _side
        other = _side if sign > 0 else _chord
        of_y, of_z = line(y_low, y_high), other(z_low, z_high)
        f_on, f_off, g_on, g_off = z_low >= 0, z_high <= 0, y_low >= 0, y_high <= 0
        for where, change, argument in (
            (f_on, of_y, of_y - 1),  # δ = ρ(y) − z
            (f_off, of_y, of_y),  # δ = ρ(y)
            (g_on & ~f_on & ~f_off, 1, 1 - of_z),  # δ = y − ρ(z)
            (g_off & ~f_on & ~f_off, 0, -of_z),  # δ = −ρ(z)
        ):
            p, q = np.where(where, change, p), np.where(where, argument, q)
        return p * ~self.is_off, q * ~self.is_off


def _of_value(sign: int, low: Floats, high: Floats) -> _SafeLine:
    """Return lines above sign·ρ: the peaks are at an end or at the kink."""
    slope = _chord(low, high) if sign > 0 else _side(low, high)
    points = low, high, np.clip(0.0, low, high)
    peak = np.maximum.reduce([sign * (np.maximum(z, 0) - slope * z) for z in points])
    return _SafeLine(None, sign * slope, peak)


def _size(ends: tuple[Floats, Floats]) -> Floats:
    return np.maximum(np.abs(ends[0]), np.abs(ends[1]))


def _grid(slope: Floats) -> Floats:
    """Return slopes rounded down."""
    return np.floor(slope * _SLOPE) / _SLOPE


def _chord(low: Floats, high: Floats) -> Floats:
    """Return the slope of the chord of ρ, or its slope on a range without a kink."""
    width = np.where(high > low, high - low, 1)
    return np.where((low < 0) & (high > 0), _grid(high / width), (high > 0).astype(float))


def _side(low: Floats, high: Floats) -> Floats:
    """Return the slope of the side of ρ that has more of a range, or its slope on a range without a kink."""
    return ((high > 0) & (low + high > 0)).astype(float)


def _pieces(low: Floats, high: Floats) -> Iterator[tuple[int, tuple[Floats, Floats], Floats]]:
    """Yield the slope of ρ below and above 0, this part of the range, and whether there is one."""
    yield 0, (low, np.minimum(high, 0)), (low < 0) | (high <= 0)
    yield 1, (np.maximum(low, 0), high), high > 0


def _largest(c: Floats, ends: tuple[Floats, Floats]) -> Floats:
    """Return the largest c·x for x between two ends."""
    return np.where(c > 0, c * ends[1], c * ends[0])


@dataclass(frozen=True)
class BoxChanges:
    """Of each box: upper bounds of rows of differences of outputs, and what is known of the hidden layers."""

    layers: list[PairedLayer]
    upper: Floats
    #: coefficients in each row: of the inputs, and of δ in each hidden layer, from the last to the first
    of_inputs: Floats
    of_changes: list[Floats]


class ChangeBoxes:
    """Two networks on the unit cube; bounds of way·(second − first), for all outputs, first with way 1, then −1."""

    def __init__(self, a: Network, b: Network) -> None:
        if not are_paired(a, b):
            raise InternalError("expected two networks of one shape")
        sides = [
            [[[*row.dense(layer.width_in), row.constant] for row in layer.rows] for layer in side.layers]
            for side in (a, b)
        ]
        self.first, self.second = ([_Matrix(layer) for layer in side] for side in sides)
        self.change = [
            _Matrix([[y - x for x, y in zip(*rows, strict=True)] for rows in zip(*layers, strict=True)])
            for layers in zip(*sides, strict=True)
        ]
        sizes = [matrix.weights.size for matrix in self.first]
        #: multiplications for one box, at most
        self.products = sum(8 * len(matrix.bias) * sum(sizes[:k]) for k, matrix in enumerate(self.first))

    def bound(self, low: Floats, high: Floats) -> BoxChanges:
        """Return bounds on boxes given by their corners, which are multiples of 2^−20 in [0,1]."""
        layers: list[PairedLayer] = []
        box = low, high
        values = [box, box]
        for depth in range(len(self.first) - 1):
            sides = self.first[depth], self.second[depth]
            z, y = (matrix.interval(*ends) for matrix, ends in zip(sides, values, strict=True))
            unit = _unit(2 * np.maximum(_size(z), _size(y)), _RANGE)  # changes may be twice as large
            z, y = _outwards(z, unit), _outwards(y, unit)
            at = _bent(z, y)
            if depth and len(at):
                z, y = (
                    _improved(ends, at, self._walk(layers, _Start.of(self, layers, at, side), box)[0], unit)
                    for side, ends in enumerate((z, y))
                )
                at = _bent(z, y)
            d = y[0] - z[1], y[1] - z[0]
            if len(at):
                d = _improved(d, at, self._walk(layers, _Start.of(self, layers, at, None), box)[0], unit)
                z, y = (
                    (np.maximum(z[0], y[0] - d[1]), np.minimum(z[1], y[1] - d[0])),
                    (np.maximum(y[0], z[0] + d[0]), np.minimum(y[1], z[1] + d[1])),
                )
                d = np.maximum(d[0], y[0] - z[1]), np.minimum(d[1], y[1] - z[0])
            kept = np.flatnonzero(~((z[1] <= 0) & (y[1] <= 0)).all(axis=0))
            kept = kept if len(kept) else np.arange(1)  # a layer has at least one neuron
            rows = [_rows(matrix, kept, layers) for matrix in (*sides, self.change[depth])]
            layers.append(PairedLayer(kept, rows, z, y, d))
            values = [(np.maximum(ends[0], 0), np.maximum(ends[1], 0)) for ends in (z, y)]
        outputs = np.arange(len(self.first[-1].bias))
        found = BoxChanges(layers, *self._walk(layers, _Start.of(self, layers, outputs, None), box))
        if not np.isfinite(found.upper).all():
            raise InternalError("a bound beyond the range of floats")
        return found

    def _walk(
        self, layers: Sequence[PairedLayer], start: _Start, box: tuple[Floats, Floats]
    ) -> tuple[Floats, Floats, list[Floats]]:
        """Return upper bounds of rows over the last of the layers; their coefficients of inputs, and of all δ."""
        count, side = len(box[0]), start.side
        matrices = self.second if side else self.first
        total = np.broadcast_to(start.values[:, -1], (count, len(start.values)))
        c_values = np.broadcast_to(start.values[:, :-1], (count, len(start.values), start.values.shape[1] - 1))
        c_changes = None if start.changes is None else np.broadcast_to(start.changes, (count, *start.changes.shape))
        # of each coefficient, and of the constant, by errors of weights and biases
        error_of_values: Floats = start.error_of_values
        error_of_changes: Floats = start.error_of_changes
        of_changes: list[Floats] = []
        for depth in range(len(layers) - 1, -1, -1):
            layer, bits = layers[depth], _room(c_values.shape[-1])
            size_of_values, size_of_arguments = layer.sizes_of_values[side], layer.sizes_of_arguments[side]
            c_values, unit = _short(c_values, bits)
            charge = error_of_values * (1 + size_of_values) + _ROUNDED * unit * size_of_values
            peaks, (mu,) = layer.values[side].replace(c_values)
            total = up(total + peaks)
            mu_of_change: Floats | None = None
            if c_changes is not None:
                c_changes, unit = _short(c_changes, bits)
                of_changes.append(c_changes)
                charge = charge + (error_of_changes + _ROUNDED * unit) * layer.size_of_changes
                peaks, (more, mu_of_change) = layer.changes.replace(c_changes)
                mu, total = mu + more, up(total + peaks)
                mu_of_change, unit = _short(mu_of_change, bits)
                charge = charge + _ROUNDED * unit * layer.size_of_changes
            mu, unit = _short(mu, bits)
            charge = charge + _ROUNDED * unit * size_of_arguments
            total = up(total + charge * _SAFE)
            joined = mu @ layer.rows[side]
            error_of_values = _total(np.abs(mu)) * matrices[depth].error
            c_values, total = joined[..., :-1], up(total + joined[..., -1])
            c_changes = None
            if mu_of_change is not None:
                joined, size = mu_of_change @ layer.rows[2], _total(np.abs(mu_of_change))
                error_of_values = error_of_values + size * self.change[depth].error
                c_values, total = c_values + joined[..., :-1], up(total + joined[..., -1])
                if depth:
                    c_changes = mu_of_change @ layer.rows[1][:, :-1]
                    error_of_changes = size * self.second[depth].error
        inputs = c_values.shape[-1]
        c_inputs, unit = _short(c_values, _room(inputs))
        charge = error_of_values * (1 + inputs) + _ROUNDED * unit * inputs
        rising = np.maximum(c_inputs, 0)
        highest = (rising @ box[1][:, :, None] + (c_inputs - rising) @ box[0][:, :, None])[..., 0]
        return up(up(total + highest) + charge * _SAFE), c_inputs, of_changes


@dataclass(frozen=True)
class _Start:
    """Some arguments or changes of a layer, then their negatives, over δ (if any) and values of the layer below."""

    #: the network of the arguments; of changes, that of the values
    side: int
    changes: Floats | None
    #: the last column is the constant
    values: Floats
    error_of_changes: float
    error_of_values: float

    @staticmethod
    def of(boxes: ChangeBoxes, layers: Sequence[PairedLayer], at: Floats, side: int | None) -> _Start:
        """Return arguments of the layer above those that are known, of one network; or, with None, changes."""
        depth = len(layers)
        second = boxes.second[depth]
        matrix = boxes.change[depth] if side is None else second if side else boxes.first[depth]
        rows = _rows(matrix, at, layers)
        values = np.concatenate([rows, -rows])
        if side is not None or not depth:
            return _Start(side or 0, None, values, 0.0, matrix.error)
        rows = _rows(second, at, layers)[:, :-1]
        return _Start(0, np.concatenate([rows, -rows]), values, second.error, matrix.error)


def _rows(matrix: _Matrix, at: Floats, layers: Sequence[PairedLayer]) -> Floats:
    """Return rows of weights and biases over what the layer below keeps."""
    return matrix.joined[np.ix_(at, np.append(layers[-1].kept, -1))] if layers else matrix.joined[at]


def _bent(z: tuple[Floats, Floats], y: tuple[Floats, Floats]) -> Floats:
    """Return the neurons that are neither off in both networks nor on in both, on some box."""
    return np.flatnonzero(((np.minimum(z[0], y[0]) < 0) & (np.maximum(z[1], y[1]) > 0)).any(axis=0))


def _outwards(ends: tuple[Floats, Floats], unit: Floats) -> tuple[Floats, Floats]:
    """Return ranges rounded outwards to multiples of a unit."""
    return np.floor(ends[0] / unit) * unit, np.ceil(ends[1] / unit) * unit


def _improved(ends: tuple[Floats, Floats], at: Floats, upper: Floats, unit: Floats) -> tuple[Floats, Floats]:
    """Return ranges with upper bounds of some arguments, and of their negatives."""
    low, high = ends[0].copy(), ends[1].copy()
    least, most = _outwards((-upper[:, len(at) :], upper[:, : len(at)]), unit)
    low[:, at], high[:, at] = np.maximum(low[:, at], least), np.minimum(high[:, at], most)
    return low, high


def _short(x: Floats, bits: int) -> tuple[Floats, Floats]:
    """Return coefficients rounded to so many bits, and the unit of each row."""
    exponent = _exponent(np.maximum(x.max(axis=-1, keepdims=True), -x.min(axis=-1, keepdims=True)), bits)
    large = np.ldexp(1.5, exponent + _FLOAT - 1)  # floats of this size are multiples of the unit
    rounded = x + large
    rounded -= large
    return rounded, np.ldexp(1.0, exponent)[..., 0]
