"""Exact evaluation of evidence about the difference of two networks of one shape, with differences of neurons.

z is the argument of a neuron of the first network, y that of its twin in the second, d = y − z, δ = act(y) − act(z).
For any numbers μ and ν, with c the coefficient of δ,

    c·δ ≤ μ·d + ν·z + max of (c·δ − μ·d − ν·z) over all (z, d) with z, d and y = z + d in their ranges.

Kinks of z and of y cut these into cells, on which δ is affine. The largest A·z + B·d on a cell is the least of three
numbers, each of which is obviously not smaller:

    max A·z + max B·d,    max (A − B)·z + max B·y,    max A·y + max (B − A)·d.

(It is equal to one of them by duality: at a corner, two of the three ranges are tight.) Both z and d are affine in the
layer below. So a target is bounded layer by layer down to the box (docs/design/differences.md).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np

from verimv.bounding.situation import KINKS, Ends
from verimv.exact import ONE, ZERO, Number, Rational, floor
from verimv.networks.network import Activation, Box, Layer, Network

Exact = Any  # an object array of rationals
#: Low and high ends of a layer.
ExactEnds = tuple[Exact, Exact]
#: Which argument: z, of the first network; y, of its twin; d, their difference.
Which = Literal["z", "y", "d"]
#: An argument: which one, its layer and index, both from 0.
TwinPlace = tuple[Which, int, int]

_ZERO: Any = ZERO
_ONE: Any = ONE
#: Bits of default slopes after the binary point.
_DEFAULT_BITS = 16


@dataclass(frozen=True)
class TwinLayer:
    """Weights and biases of the first network, of the second, and second minus first."""

    activation: Activation
    first: tuple[Exact, Exact]
    second: tuple[Exact, Exact]
    change: tuple[Exact, Exact]

    @staticmethod
    def of(a: Layer, b: Layer) -> TwinLayer:
        both = [
            (_array([row.dense(a.width_in) for row in layer.rows]), _array([row.constant for row in layer.rows]))
            for layer in (a, b)
        ]
        (weights, bias), (others, other_bias) = both
        return TwinLayer(a.activation, both[0], both[1], (others - weights, other_bias - bias))


@dataclass(frozen=True)
class TwinCell:
    """Where z and y are in these ranges, act(z) = slope·z + shift, and so for y; `exists` says for which neurons."""

    z: ExactEnds
    y: ExactEnds
    of_z: tuple[Exact, Exact]
    of_y: tuple[Exact, Exact]
    exists: Any


@dataclass(frozen=True)
class ExactTwinRange:
    """Ranges of z, y and d, and the cells into which kinks cut them."""

    z: ExactEnds
    y: ExactEnds
    d: ExactEnds
    cells: Sequence[TwinCell]
    #: neurons whose act(z), or δ, needs multipliers
    value_bends: Any
    change_bends: Any


@dataclass(frozen=True)
class TwinSlopes:
    """Multipliers of a leaf, per layer: λ on z for act(z); μ on d and ν on z for δ. Only those that bend are used."""

    value: Sequence[Exact]
    change: Sequence[Exact]
    argument: Sequence[Exact]


class TwinWalk:
    """Two networks with rational weights on the unit cube, and bounds of z, y and d proved before."""

    def __init__(self, first: Network, second: Network) -> None:
        self.layers = [TwinLayer.of(a, b) for a, b in zip(first.layers, second.layers, strict=True)]
        self.known: dict[TwinPlace, Ends] = {}
        self._kept: tuple[Box, list[ExactEnds]] | None = None  # intervals of the first layer on a box

    def learn(self, place: TwinPlace, ends: Ends) -> None:
        """Take note of bounds that are proved on the whole cube."""
        self.known[place] = ends

    def ranges(self, box: Box, cuts: Mapping[TwinPlace, Ends], layer: int) -> list[ExactTwinRange] | None:
        """Return ranges of all layers below one (from 0); None if there is no such point."""
        low, high = (_array([ends[side] for ends in box]) for side in (0, 1))
        values, changes = (low, high), (low * 0, low * 0)
        result: list[ExactTwinRange] = []
        for depth, current in enumerate(self.layers[:layer]):
            z, d_ends, y = self._intervals(depth, box, values, changes)
            z, d_ends = self._cut("z", depth, z, cuts), self._cut("d", depth, d_ends, cuts)
            y = np.maximum(y[0], z[0] + d_ends[0]), np.minimum(y[1], z[1] + d_ends[1])
            y = self._cut("y", depth, y, cuts)
            if any((a > b).any() for a, b in (z, d_ends, y)):
                return None
            found = self._measured(depth, current.activation, z, y, d_ends, cuts)
            if found is None:
                return None
            result.append(found)
            values = _activated(current.activation, z[0]), _activated(current.activation, z[1])
            none = z[0] * 0
            changes = -_change_peaks(none - 1, none, none, found), _change_peaks(none + 1, none, none, found)
        return result

    def _intervals(self, depth: int, box: Box, values: ExactEnds, changes: ExactEnds) -> list[ExactEnds]:
        """Return the intervals of z, d and y over those of the layer below; the box is often the same."""
        if depth == 0 and self._kept is not None and self._kept[0] == box:
            return self._kept[1]
        current = self.layers[depth]
        found = [_interval([(current.first[0], values)], current.first[1])]
        for weights, bias in (current.change, current.second):
            found.append(_interval([(weights, values), (current.second[0], changes)], bias))
        if depth == 0:
            self._kept = (box, found)
        return found

    def _cut(self, which: Which, depth: int, ends: ExactEnds, cuts: Mapping[TwinPlace, Ends]) -> ExactEnds:
        low, high = ends[0].copy(), ends[1].copy()
        for i in range(len(low)):
            for known in (self.known.get((which, depth, i)), cuts.get((which, depth, i))):
                if known is not None and known[0] is not None:
                    low[i] = max(low[i], known[0])
                if known is not None and known[1] is not None:
                    high[i] = min(high[i], known[1])
        return low, high

    def _measured(
        self,
        depth: int,
        activation: Activation,
        z: ExactEnds,
        y: ExactEnds,
        d: ExactEnds,
        cuts: Mapping[TwinPlace, Ends],
    ) -> ExactTwinRange | None:
        cells = _cells(activation, z, y, d)
        if not np.any([cell.exists for cell in cells], axis=0).all():
            return None
        split = {which: [i for (w, layer, i) in cuts if w == which and layer == depth] for which in ("z", "y", "d")}
        value_bends = _bends(activation, z)
        change_bends = value_bends | _bends(activation, y)
        value_bends[split["z"]] = True
        change_bends[split["y"] + split["d"]] = True
        if activation == "identity":
            value_bends[:], change_bends[:] = False, False
        return ExactTwinRange(z, y, d, cells, value_bends, change_bends)

    def bound(
        self, layer: int, rows: tuple[Exact, Exact, Number], box: Box, ranges: Sequence[ExactTwinRange],
        slopes: TwinSlopes | None = None,
    ) -> Number:  # fmt: skip
        """Return the upper bound of a row over act(z) and δ of the layer below `layer` that multipliers give.

        `rows` are the coefficients of act(z), those of δ, and a constant. For None, slopes are the default ones.
        """
        values, changes, total = rows
        for depth in range(layer - 1, -1, -1):
            current, found = self.layers[depth], ranges[depth]
            affine, shift = _affine(current.activation, found.z)
            of_z = np.where(found.value_bends, _ZERO, values * affine)
            total += (np.where(found.value_bends, _ZERO, values * shift)).sum()
            twin, twin_shift = _affine(current.activation, found.y)
            of_d = np.where(found.change_bends, _ZERO, changes * twin)
            of_z = of_z + np.where(found.change_bends, _ZERO, changes * (twin - affine))
            total += np.where(found.change_bends, _ZERO, changes * (twin_shift - shift)).sum()
            if found.value_bends.any():
                slope = _default_value(current.activation, values, found.z) if slopes is None else slopes.value[depth]
                slope = np.where(found.value_bends, slope, _ZERO)
                peaks = _value_peaks(current.activation, values, slope, found.z)
                total += np.where(found.value_bends, peaks, _ZERO).sum()
                of_z = of_z + slope
            if found.change_bends.any():
                if slopes is None:
                    p, q = _default_change(current.activation, changes, found)
                else:
                    p, q = slopes.change[depth], slopes.argument[depth]
                p, q = (np.where(found.change_bends, x, _ZERO) for x in (p, q))
                peaks = _change_peaks(changes, p, q, found)
                total += np.where(found.change_bends, peaks, _ZERO).sum()
                of_d, of_z = of_d + p, of_z + q
            total += of_z @ current.first[1] + of_d @ current.change[1]
            values = of_z @ current.first[0] + of_d @ current.change[0]
            changes = of_d @ current.second[0]
        for c, (low, high) in zip(values, box, strict=True):
            total += c * (high if c > 0 else low)
        return total

    def row(self, which: Which, layer: int, index: int, way: int) -> tuple[Exact, Exact, Number]:
        """Return way·z, way·d or way·y of a neuron as a row over the layer below."""
        current = self.layers[layer]
        parts = {"z": current.first, "d": current.change, "y": current.second}[which]
        deltas = current.second[0][index] * (0 if which == "z" else way)
        if layer == 0:
            deltas = deltas * 0
        return parts[0][index] * way, deltas, parts[1][index] * way


def _array(numbers: Any) -> Exact:
    found = np.array(numbers, dtype=object)
    return found if found.size else found.astype(object)


def _interval(parts: Sequence[tuple[Exact, ExactEnds]], bias: Exact) -> ExactEnds:
    low, high = bias, bias
    for weights, (least, most) in parts:
        rising, falling = np.maximum(weights, 0), np.minimum(weights, 0)
        low = low + rising @ least + falling @ most
        high = high + rising @ most + falling @ least
    return low, high


def _activated(activation: Activation, values: Exact) -> Exact:
    if activation == "identity":
        return values
    values = np.maximum(values, _ZERO)
    return np.minimum(values, _ONE) if activation == "crelu" else values


def _bends(activation: Activation, ends: ExactEnds) -> Any:
    result = np.zeros(len(ends[0]), dtype=bool)
    for kink in KINKS[activation]:
        result |= ((ends[0] < kink) & (ends[1] > kink)).astype(bool)
    return result


def _affine(activation: Activation, ends: ExactEnds) -> tuple[Exact, Exact]:
    """Return slope and shift of an activation where it does not bend: 1 and 0, or 0 and its value."""
    if activation == "identity":
        return ends[0] * 0 + _ONE, ends[0] * 0
    passes = (ends[0] >= 0) & ((activation == "relu") | (ends[1] <= 1))
    return np.where(passes, _ONE, _ZERO), np.where(passes, _ZERO, _activated(activation, ends[0]))


def _pieces(activation: Activation, ends: ExactEnds) -> list[tuple[ExactEnds, tuple[Exact, Exact]]]:
    """Return the parts of ranges between kinks, with slope and shift of the activation there."""
    none, one = ends[0] * 0, ends[0] * 0 + _ONE
    kinks = KINKS[activation]
    result = []
    for number in range(len(kinks) + 1):
        low = np.maximum(ends[0], kinks[number - 1]) if number else ends[0]
        high = np.minimum(ends[1], kinks[number]) if number < len(kinks) else ends[1]
        passes = number == (1 if kinks else 0)
        result.append(((low, high), (one, none) if passes else (none, one if number == 2 else none)))
    return result


def _cells(activation: Activation, z: ExactEnds, y: ExactEnds, d: ExactEnds) -> list[TwinCell]:
    """Return the cells in which there is a point, for at least one neuron."""
    result = []
    for of_z, line in _pieces(activation, z):
        for of_y, twin in _pieces(activation, y):
            exists = (of_z[0] <= of_z[1]) & (of_y[0] <= of_y[1])
            exists = exists & (of_z[0] + d[0] <= of_y[1]) & (of_y[0] <= of_z[1] + d[1])
            if exists.any():
                result.append(TwinCell(of_z, of_y, line, twin, exists.astype(bool)))
    return result


def _largest(c: Exact, ends: ExactEnds) -> Exact:
    """Return the largest c·x over a range."""
    return np.where(c > 0, c * ends[1], c * ends[0])


def _value_peaks(activation: Activation, c: Exact, slope: Exact, ends: ExactEnds) -> Exact:
    points = [*ends, *(np.minimum(np.maximum(ends[0], kink), ends[1]) for kink in KINKS[activation])]
    heights = [c * _activated(activation, z) - slope * z for z in points]
    best = heights[0]
    for height in heights[1:]:
        best = np.maximum(best, height)
    return best


def _change_peaks(c: Exact, p: Exact, q: Exact, found: ExactTwinRange) -> Exact:
    """Return the largest c·δ − p·d − q·z."""
    best: Any = c * 0
    seen: Any = np.zeros(len(c), dtype=bool)
    for cell in found.cells:
        (slope, shift), (twin, twin_shift) = cell.of_z, cell.of_y
        of_z, of_d = c * (twin - slope) - q, c * twin - p
        height = _largest(of_z, cell.z) + _largest(of_d, found.d)
        height = np.minimum(height, _largest(of_z - of_d, cell.z) + _largest(of_d, cell.y))
        height = np.minimum(height, _largest(of_z, cell.y) + _largest(of_d - of_z, found.d))
        height = height + c * (twin_shift - shift)
        best = np.where(cell.exists & (~seen | (height > best)), height, best)
        seen = seen | cell.exists
    return best


def _rounded_down(x: Exact) -> Exact:
    unit = 1 << _DEFAULT_BITS
    return _array([Rational(floor(value * unit), unit) for value in x])


def _default_value(activation: Activation, c: Exact, ends: ExactEnds) -> Exact:
    """Return the default slopes of proofs/FORMAT.md, §8."""
    width = ends[1] - ends[0]
    rise = _activated(activation, ends[1]) - _activated(activation, ends[0])
    chord = _rounded_down(rise / np.where(width > 0, width, _ONE))
    side = np.where(ends[0] + ends[1] > 0, _ONE, _ZERO)
    return c * np.where((width > 0) & ((c > 0) | (activation != "relu")), chord, side)


def _default_change(activation: Activation, c: Exact, found: ExactTwinRange) -> tuple[Exact, Exact]:
    """Return the default slopes of δ: in d that of the line between 0 and d over its range, in z none."""
    low, high = found.d
    width = np.where(high > low, high - low, _ONE)
    share = np.where(c > 0, high, -low) / width
    share = _rounded_down(np.minimum(np.maximum(share, _ZERO), _ONE))
    return c * share, c * 0
