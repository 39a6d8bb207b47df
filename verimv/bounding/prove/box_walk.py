"""Exact bounds on a box by default slopes, for many neurons at once: the numbers that the kernel computes.

Ranges are intervals, cut by the bounds that lemmas give. A row is bounded layer by layer down to the box, as in
:mod:`verimv.bounding.prove.walk`, without any multipliers: slopes are those of proofs/FORMAT.md, §8.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.prove.integer_matrix import IntegerMatrix
from verimv.bounding.prove.twin_ranges import activated
from verimv.bounding.prove.walk import ExactLayer, Integers, KnownEnds, over
from verimv.bounding.situation import Ends
from verimv.core.errors import InternalError
from verimv.exact import Number, Rational
from verimv.networks.network import Activation, Box, Network

#: Bits of default slopes after the binary point.
_SLOPE_BITS = 16
_UNIT = 1 << _SLOPE_BITS


@dataclass(frozen=True)
class BoxLayerRange:
    """Ranges of the arguments of a layer over one denominator."""

    low: Integers
    high: Integers
    denominator: int

    def ends(self, i: int) -> tuple[Number, Number]:
        """Return the range of one neuron."""
        return Rational(int(self.low[i]), self.denominator), Rational(int(self.high[i]), self.denominator)


class _ExactLines:
    """Slopes of a line above each activation and of one below it, and their peaks, all times _UNIT."""

    def __init__(self, activation: Activation, found: BoxLayerRange) -> None:
        low, high, one = found.low, found.high, found.denominator
        self.denominator = one
        passes = np.ones(len(low), dtype=bool)
        bends = np.zeros(len(low), dtype=bool)
        if activation != "identity":
            passes = (low >= 0).astype(bool)
            bends |= ((low < 0) & (high > 0)).astype(bool)
        if activation == "crelu":
            passes &= (high <= one).astype(bool)
            bends |= ((low < one) & (high > one)).astype(bool)
        rise = activated(activation, high, one) - activated(activation, low, one)
        chord = rise * _UNIT // np.where(high > low, high - low, 1)
        known = np.where(passes, _UNIT, 0).astype(object)
        side = np.where(low + high > 0, _UNIT, 0).astype(object)
        self.above = np.where(bends, chord, known)
        self.below = np.where(bends, side if activation == "relu" else chord, known)
        points = [low, high]
        if activation != "identity":
            points.append(np.minimum(np.maximum(low, 0), high))
        if activation == "crelu":
            points.append(np.minimum(np.maximum(low, one), high))
        values = [(z, activated(activation, z, one) * _UNIT) for z in points]
        self.peak = np.maximum.reduce([value - self.above * z for z, value in values])
        self.dip = np.maximum.reduce([self.below * z - value for z, value in values])


class BoxWalk:
    """A network with rational weights on a part of the unit cube: goes up from layer to layer, and bounds neurons."""

    def __init__(self, network: Network) -> None:
        self.layers = [ExactLayer(layer) for layer in network.layers]
        self.matrices = [IntegerMatrix(layer.weights) for layer in self.layers]

    def start(self, box: Box) -> BoxAscent:
        """Return the way up for one box."""
        return BoxAscent(self, box)


class BoxAscent:
    """What is known of a network on one box: the ranges of the layers that were passed."""

    def __init__(self, walk: BoxWalk, box: Box) -> None:
        self.walk, self.box = walk, box
        count = len(box)
        ends, self._one = over([low for low, _ in box] + [high for _, high in box])
        self._values = ends[:count], ends[count:]
        self._box_ends, self._box_one = self._values, self._one
        self._lines: list[_ExactLines] = []

    @property
    def depth(self) -> int:
        """The number of layers that were passed."""
        return len(self._lines)

    def ranges(self, lemmas: Mapping[int, Ends]) -> BoxLayerRange | None:
        """Return the ranges of the next layer where bounds of some of its neurons hold; None if one is empty."""
        layer = self.walk.layers[self.depth]
        low, high = self._values
        centre = layer.weights @ (low + high) + 2 * self._one * layer.bias
        spread = layer.size @ (high - low)
        lowest, highest, one = (centre - spread) // 2, (centre + spread) // 2, self._one * layer.denominator
        lowest, highest, one = KnownEnds(list(lemmas.items())).cut(lowest, highest, one)
        return None if (lowest > highest).any() else BoxLayerRange(lowest, highest, one)

    def known_ranges(self, lemmas: Mapping[int, Ends] | None = None) -> BoxLayerRange:
        """Return the ranges of the next layer of a box that is known to have points."""
        found = self.ranges(lemmas or {})
        if found is None:
            raise InternalError("a box has no point")
        return found

    def go_on(self, found: BoxLayerRange) -> None:
        """Pass the next layer, with ranges of its arguments."""
        activation = self.walk.layers[self.depth].activation
        self._lines.append(_ExactLines(activation, found))
        self._one = found.denominator
        self._values = activated(activation, found.low, self._one), activated(activation, found.high, self._one)

    def bounds(self, wanted: Sequence[tuple[int, int]]) -> list[Number]:
        """Return upper bounds of way·argument for neurons (index, way) of the next layer."""
        if not wanted:
            return []
        layer, at = self.walk.layers[self.depth], [i for i, _ in wanted]
        ways = np.array([way for _, way in wanted], dtype=object)
        c, scale = layer.weights[at] * ways[:, None], layer.denominator
        totals: list[Number] = [Rational(int(x), scale) for x in layer.bias[at] * ways]
        for depth in range(self.depth - 1, -1, -1):
            line, layer = self._lines[depth], self.walk.layers[depth]
            rising = np.maximum(c, 0)
            falling = c - rising
            peaks = rising @ line.peak - falling @ line.dip
            slopes = rising * line.above + falling * line.below
            shifts = slopes @ layer.bias
            c, scale = self.walk.matrices[depth].times(slopes), scale * _UNIT
            for t, (peak, shift) in enumerate(zip(peaks, shifts, strict=True)):
                totals[t] += Rational(int(peak), scale * line.denominator)
                totals[t] += Rational(int(shift), scale * layer.denominator)
            c, scale = _shortened(c, scale * layer.denominator)
        low, high = self._box_ends
        highest = np.where(c > 0, c * high, c * low).sum(axis=1)
        return [total + Rational(int(x), scale * self._box_one) for total, x in zip(totals, highest, strict=True)]


def _shortened(c: Any, scale: int) -> tuple[Any, int]:
    """Divide by a power of 2 that all have in common."""
    bits = int(np.bitwise_or.reduce(np.abs(c), axis=None))
    zeros = min((x & -x).bit_length() - 1 for x in (bits or scale, scale))
    return c >> zeros, scale >> zeros
