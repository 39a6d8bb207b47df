"""All neurons of a layer at once: bounds of arguments and their differences by default slopes, for large networks.

The same numbers as :class:`verimv.bounding.prove.twin_walk.TwinWalk` gives, row by row. Matrices of integers are
multiplied in floating point, in pieces of so few bits that every sum is exact: so no order of additions matters, and a
product of 256 × 256 × 784 integers of a hundred bits takes less than a second.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.prove.twin_walk import TwinPlace, Which
from verimv.bounding.prove.walk import common_denominator, integers, numerator_over
from verimv.bounding.situation import KINKS, Ends, lemma
from verimv.core.effort import Deadline
from verimv.exact import Number, Rational
from verimv.networks.network import Activation, Layer, Network

Integers = Any  # an object array of integers
IntegerEnds = tuple[Integers, Integers]

#: Bits of a piece of an integer. Sums of fewer than 2^10 products of two pieces are exact in floats.
_PIECE, _MOST_TERMS = 21, 1 << 10
#: Bits of default slopes after the binary point.
_DEFAULT_BITS = 16


def _pieces(a: Integers) -> list[Any]:
    """Return floats whose sum, each times its power of 2^_PIECE, is the array."""
    sizes, signs = np.abs(a), np.where(a < 0, -1.0, 1.0)
    mask, result = (1 << _PIECE) - 1, []
    while True:
        result.append((sizes & mask).astype(np.float64) * signs)
        sizes = sizes >> _PIECE
        if not sizes.any():
            return result


class IntegerMatrix:
    """A matrix of integers that is multiplied from the left."""

    def __init__(self, entries: Integers) -> None:
        self.entries = entries
        self._pieces = _pieces(entries)

    def times(self, rows: Integers) -> Integers:
        """Return rows @ matrix, exactly."""
        total: Any = np.zeros((len(rows), self.entries.shape[1]), dtype=object)
        for start in range(0, self.entries.shape[0], _MOST_TERMS):
            part = slice(start, start + _MOST_TERMS)
            sums: dict[int, Any] = {}
            for i, left in enumerate(_pieces(rows[:, part])):
                for j, right in enumerate(self._pieces):
                    sums.setdefault(i + j, []).append(left @ right[part])
            for power, products in sums.items():
                for product in products:
                    total = total + (product.astype(np.int64).astype(object) << (_PIECE * power))
        return total


class _RowLayer:
    """Corresponding layers as integers over one denominator."""

    def __init__(self, a: Layer, b: Layer) -> None:
        width = a.width_in
        rows = [[[*row.dense(width), row.constant] for row in layer.rows] for layer in (a, b)]
        self.activation: Activation = a.activation
        self.denominator = common_denominator(x for side in rows for row in side for x in row)
        both = [
            np.array([[numerator_over(x, self.denominator) for x in row] for row in side], dtype=object)
            for side in rows
        ]
        change = both[1] - both[0]
        self.first, self.second, self.change = (IntegerMatrix(side[:, :-1]) for side in (*both, change))
        self.first_bias, self.second_bias, self.change_bias = (side[:, -1] for side in (*both, change))


@dataclass(frozen=True)
class RowRange:
    """Ranges of z, y and d of a layer, and of act(z) and δ, as integers over `denominator`."""

    z: IntegerEnds
    y: IntegerEnds
    d: IntegerEnds
    denominator: int


class TwinRows:
    """Two networks of one shape with rational weights on the unit cube; bounds of all layers, from the first on."""

    def __init__(self, first: Network, second: Network, deadline: Deadline) -> None:
        self.inputs = len(first.inputs)
        self.layers = [_RowLayer(a, b) for a, b in zip(first.layers, second.layers, strict=True)]
        self.deadline = deadline
        self.ranges: list[RowRange] = []
        #: bounds that are better than intervals
        self.known: dict[TwinPlace, Ends] = {}

    def bound_outputs(self) -> list[tuple[Number, Number]]:
        """Return a range of second − first for each output."""
        for depth in range(len(self.layers) - 1):
            self._learn(depth)
        last = len(self.layers) - 1
        return list(zip(*self._ends("d", last), strict=True))

    def _ends(self, which: Which, depth: int) -> tuple[list[Number], list[Number]]:
        """Return low and high of z or d for all neurons of a layer."""
        layer = self.layers[depth]
        values, bias = (layer.first, layer.first_bias) if which == "z" else (layer.change, layer.change_bias)
        changes = layer.second.entries * (0 if which == "z" or depth == 0 else 1)
        ends = [self._bounds(depth, values.entries * way, changes * way, bias * way) for way in (-1, 1)]
        return [-x for x in ends[0]], ends[1]

    def _learn(self, depth: int) -> None:
        """Bound the arguments of a hidden layer, and keep their ranges."""
        layer = self.layers[depth]
        z, d, y, scale = self._intervals(depth)
        found: dict[Which, Any] = {"z": z, "d": d}
        exact: dict[Which, Any] = {
            which: [[Rational(int(x), scale) for x in end] for end in ends] for which, ends in found.items()
        }
        if depth > 0:
            for which in found:
                for side, ends in enumerate(self._ends(which, depth)):
                    way = 1 if side else -1
                    for i, value in enumerate(ends):
                        short = way * lemma(way * value, 1)
                        if way * short < way * exact[which][side][i]:
                            exact[which][side][i] = short
                            low, high = self.known.get((which, depth, i), (None, None))
                            self.known[which, depth, i] = (low, short) if side else (short, high)
        own = [[Rational(int(x), scale) for x in end] for end in y]
        count = len(layer.first_bias)
        least = [max(own[0][i], exact["z"][0][i] + exact["d"][0][i]) for i in range(count)]
        most = [min(own[1][i], exact["z"][1][i] + exact["d"][1][i]) for i in range(count)]
        columns: list[Any] = [*exact["z"], *exact["d"], least, most]
        common = common_denominator(x for column in columns for x in column)
        arrays = [integers(numerator_over(x, common) for x in column) for column in columns]
        self.ranges.append(RowRange((arrays[0], arrays[1]), (arrays[4], arrays[5]), (arrays[2], arrays[3]), common))

    def _intervals(self, depth: int) -> tuple[IntegerEnds, IntegerEnds, IntegerEnds, int]:
        """Return intervals of z, d and y over those of the layer below, and their denominator."""
        layer = self.layers[depth]
        if depth == 0:
            none, one = integers([0] * self.inputs), integers([1] * self.inputs)
            values, changes, scale = (none, one), (none, none), 1
        else:
            below, scale = self.ranges[depth - 1], self.ranges[depth - 1].denominator
            activation = self.layers[depth - 1].activation
            values = _activated(activation, below.z[0], scale), _activated(activation, below.z[1], scale)
            ones = below.z[0] * 0 + 1
            changes = (
                -_change_peaks(activation, below, -ones[None], 0 * ones[None], 0 * ones[None])[0],
                _change_peaks(activation, below, ones[None], 0 * ones[None], 0 * ones[None])[0],
            )
        result = []
        for weights, bias, with_changes in (
            (layer.first, layer.first_bias, False),
            (layer.change, layer.change_bias, True),
            (layer.second, layer.second_bias, True),
        ):
            parts = [(weights.entries, values)] + ([(layer.second.entries, changes)] if with_changes else [])
            low = high = bias * scale
            for matrix, (least, most) in parts:
                rising, falling = np.maximum(matrix, 0), np.minimum(matrix, 0)
                low = low + rising @ least + falling @ most
                high = high + rising @ most + falling @ least
            result.append((low, high))
        return result[0], result[1], result[2], scale * layer.denominator

    def _bounds(self, depth: int, values: Integers, changes: Integers, constants: Integers) -> list[Number]:
        """Return upper bounds of rows over act(z) and δ of the layer below, over the denominator of the layer."""
        scale = self.layers[depth].denominator
        totals: list[Number] = [Rational(int(x), scale) for x in constants]
        for below in range(depth - 1, -1, -1):
            self.deadline.check()
            layer, found = self.layers[below], self.ranges[below]
            of_z = values * _value_shares(layer.activation, values, found)
            values, scale = values << _DEFAULT_BITS, scale << _DEFAULT_BITS
            peaks = _value_peaks(layer.activation, values, of_z, found).sum(axis=1)
            of_d: Any = None
            if changes.any():
                shares, twin_shares = _change_shares(layer.activation, changes, found)
                of_d, more = changes * shares, changes * twin_shares
                peaks = peaks + _change_peaks(layer.activation, found, changes << _DEFAULT_BITS, of_d, more).sum(axis=1)
                of_z = of_z + more
            shifts = of_z @ layer.first_bias
            values = layer.first.times(of_z)
            if of_d is None:
                changes = np.zeros((len(values), 1), dtype=object)
            else:
                shifts = shifts + of_d @ layer.change_bias
                values = values + layer.change.times(of_d)
                changes = layer.second.times(of_d) if below else np.zeros((len(values), 1), dtype=object)
            for t, (peak, shift) in enumerate(zip(peaks, shifts, strict=True)):
                totals[t] += Rational(int(peak), scale * found.denominator)
                totals[t] += Rational(int(shift), scale * layer.denominator)
            scale *= layer.denominator
            values, changes, scale = _shortened(values, changes, scale)
        return [
            total + Rational(int(x), scale) for total, x in zip(totals, np.maximum(values, 0).sum(axis=1), strict=True)
        ]


def _shortened(values: Integers, changes: Integers, scale: int) -> tuple[Integers, Integers, int]:
    """Divide by a power of 2 that all have in common."""
    bits = int(np.bitwise_or.reduce(np.abs(values), axis=None)) | int(np.bitwise_or.reduce(np.abs(changes), axis=None))
    zeros = min((x & -x).bit_length() - 1 for x in (bits or scale, scale))
    return values >> zeros, changes >> zeros, scale >> zeros


def _activated(activation: Activation, values: Integers, one: int) -> Integers:
    if activation == "identity":
        return values
    values = np.maximum(values, 0)
    return np.minimum(values, one) if activation == "crelu" else values


def _bends(activation: Activation, ends: IntegerEnds, one: int) -> Any:
    result = np.zeros(len(ends[0]), dtype=bool)
    for kink in KINKS[activation]:
        result |= ((ends[0] < kink * one) & (ends[1] > kink * one)).astype(bool)
    return result


def _slopes(activation: Activation, ends: IntegerEnds, one: int) -> Integers:
    """Return the slope, 0 or 1, of an activation where it does not bend."""
    if activation == "identity":
        return ends[0] * 0 + 1
    passes = (ends[0] >= 0) & ((activation == "relu") | (ends[1] <= one))
    return np.where(passes, 1, 0).astype(object)


def _value_shares(activation: Activation, c: Integers, found: RowRange) -> Integers:
    """Return the default slopes of act(z) divided by c, times 2^_DEFAULT_BITS."""
    (low, high), one, unit = found.z, found.denominator, 1 << _DEFAULT_BITS
    rise = _activated(activation, high, one) - _activated(activation, low, one)
    chord = rise * unit // np.where(high > low, high - low, 1)
    side = np.where(low + high > 0, unit, 0).astype(object)
    bent = np.where((c > 0) | (activation != "relu"), chord, side)
    return np.where(_bends(activation, found.z, one), bent, _slopes(activation, found.z, one) * unit)


def _value_peaks(activation: Activation, c: Integers, slope: Integers, found: RowRange) -> Integers:
    (low, high), one = found.z, found.denominator
    points = [low, high, *(np.minimum(np.maximum(low, kink * one), high) for kink in KINKS[activation])]
    best: Any = None
    for z in points:
        height = c * _activated(activation, z, one) - slope * z
        best = height if best is None else np.maximum(best, height)
    return best


def _change_shares(activation: Activation, c: Integers, found: RowRange) -> tuple[Integers, Integers]:
    """Return the default slopes of δ in d and in z divided by c, times 2^_DEFAULT_BITS."""
    (low, high), one, unit = found.d, found.denominator, 1 << _DEFAULT_BITS
    width = np.where(high > low, high - low, one)
    rising, falling = (np.minimum(np.maximum(end * unit // width, 0), unit) for end in (high, -low))
    twin, own = _slopes(activation, found.y, one) * unit, _slopes(activation, found.z, one) * unit
    bends = _bends(activation, found.z, one) | _bends(activation, found.y, one)
    none = np.zeros(c.shape, dtype=object)
    return np.where(bends, np.where(c > 0, rising, falling), twin), np.where(bends, none, twin - own)


def _parts(activation: Activation, ends: IntegerEnds, one: int) -> list[tuple[IntegerEnds, int, int]]:
    """Return the parts of ranges between kinks, with slope and shift of the activation there."""
    kinks = [kink * one for kink in KINKS[activation]]
    result = []
    for number in range(len(kinks) + 1):
        low = np.maximum(ends[0], kinks[number - 1]) if number else ends[0]
        high = np.minimum(ends[1], kinks[number]) if number < len(kinks) else ends[1]
        result.append(((low, high), int(number == (1 if kinks else 0)), one if number == 2 else 0))
    return result


def _change_peaks(activation: Activation, found: RowRange, c: Integers, p: Integers, q: Integers) -> Integers:
    """Return the largest c·δ − p·d − q·z, as in :mod:`verimv.bounding.prove.twin_walk`."""

    def largest(factor: Integers, ends: IntegerEnds) -> Integers:
        return np.where(factor > 0, factor * ends[1], factor * ends[0])

    best: Any = None
    seen: Any = np.zeros(c.shape[1], dtype=bool)
    d = found.d
    for z, slope, shift in _parts(activation, found.z, found.denominator):
        for y, twin, twin_shift in _parts(activation, found.y, found.denominator):
            exists = (z[0] <= z[1]) & (y[0] <= y[1]) & (z[0] + d[0] <= y[1]) & (y[0] <= z[1] + d[1])
            if not exists.any():
                continue
            of_z, of_d = c * (twin - slope) - q, c * twin - p
            height = np.minimum(largest(of_z, z) + largest(of_d, d), largest(of_z - of_d, z) + largest(of_d, y))
            height = np.minimum(height, largest(of_z, y) + largest(of_d - of_z, d)) + c * (twin_shift - shift)
            best = height if best is None else np.where(exists & (~seen | (height > best)), height, best)
            seen = seen | exists.astype(bool)
    return best
