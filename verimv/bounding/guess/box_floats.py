"""Bounds of all neurons on many boxes at a time, in floats: about what a `sweep` would prove there.

In every box each neuron is bounded by a backward pass with the default slopes of proofs/FORMAT.md, §8, over the ranges
of the layers below.

Nothing here is a proof. But it steers a search whose result must be the same on every machine: factors are rounded to
so few bits that every sum of products is exact, and so it does not matter in which order a processor adds.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import FloatLayer, Floats, act
from verimv.networks.network import Activation

#: Bits of one factor of a product; those of the other are what is left for exact sums.
_LONG_FACTOR, _FLOAT_BITS = 24, 53
#: Default slopes are multiples of 1 / _SLOPE_UNIT.
_SLOPE_UNIT = 1 << 16
#: Bounds are loosened by this share of what was added up: more than rounding can change.
_LOOSENED = 2.0**-18
#: Rounding matters less to what biases add.
_OF_BIAS = 2.0**-2

#: For each hidden layer, the least and the largest arguments, a row for each box; or one for all boxes.
KnownRanges = Sequence[tuple[Floats, Floats]]


@dataclass(frozen=True)
class BoxGuess:
    """For each box: upper bounds of rows, their linear forms over the inputs, and the ranges of all hidden layers."""

    upper: Floats
    form: Floats
    ranges: list[tuple[Floats, Floats]]
    #: of the row with the least upper bound, layer by layer
    coefficients: list[Floats]

    @property
    def least(self) -> Any:
        """The row with the least upper bound, for each box."""
        return self.upper.argmin(axis=1)


class _BoxLines:
    """For each box and neuron: slopes of a line above act and of one below it, and how far they are away from 0."""

    def __init__(self, activation: Activation, low: Floats, high: Floats) -> None:
        self.peak: Floats | None = None
        self.dip: Floats | None = None
        if activation == "identity":
            self.above = self.below = np.ones_like(low)
            return
        is_relu = activation == "relu"
        width = high - low
        rise = act(activation, high) - act(activation, low)
        share = np.divide(rise, width, out=np.zeros_like(width), where=width > 0)
        chord = np.floor(share * _SLOPE_UNIT) / _SLOPE_UNIT
        passes = ((low >= 0) & ((high <= 1) | is_relu)).astype(float)
        bent = bends(activation, low, high)
        self.above = np.where(bent, chord, passes)
        self.below = np.where(bent, (low + high > 0).astype(float) if is_relu else chord, passes)
        points = [low, high, *(np.clip(kink, low, high) for kink in ([0.0] if is_relu else [0.0, 1.0]))]
        self.peak = np.maximum.reduce([act(activation, z) - self.above * z for z in points])
        if not is_relu:
            self.dip = np.maximum.reduce([self.below * z - act(activation, z) for z in points])


class BoxFloats:
    """Hidden layers of a network on the unit cube, over which rows are bounded on boxes."""

    def __init__(self, layers: Sequence[FloatLayer], known: KnownRanges) -> None:
        self.activations = [layer.activation for layer in layers]
        self.weights = [_rounded(layer.weights, _LONG_FACTOR, None) for layer in layers]
        self.biases = [layer.bias for layer in layers]
        self.known = known
        #: weights, and the bias as the sum of two more columns, to be multiplied from the left
        self._joined = [np.column_stack([w, *_two(b)]) for w, b in zip(self.weights, self.biases, strict=True)]
        sizes = [w.size for w in self.weights]
        #: multiplications for one box, at most
        self.products = sum(2 * len(b) * sum(sizes[:k]) for k, b in enumerate(self.biases)) + sum(sizes)

    def guess(self, rows: Floats, constants: Floats, low: Floats, high: Floats) -> BoxGuess:
        """Bound rows·(values of the last hidden layer) + constants on boxes given by their corners."""
        ranges: list[tuple[Floats, Floats]] = []
        lines: list[_BoxLines] = []
        values = low, high
        for depth, activation in enumerate(self.activations):
            found = self._layer(depth, (low, high), values, lines)
            ranges.append(found)
            lines.append(_BoxLines(activation, *found))
            values = act(activation, found[0]), act(activation, found[1])
        coefficients: list[Floats] = []
        upper, form = self._backward(rows, constants, lines, (low, high), coefficients)
        each, least = np.arange(len(low)), upper.argmin(axis=1)
        return BoxGuess(upper, form, ranges, [c[each, least] for c in coefficients[::-1]])

    def _layer(
        self, depth: int, box: tuple[Floats, Floats], values: tuple[Floats, Floats], lines: Sequence[_BoxLines]
    ) -> tuple[Floats, Floats]:
        """Return the ranges of a layer: intervals, what is known, and backward bounds where a neuron bends."""
        weights, bias = self.weights[depth], self.biases[depth]
        middle = _product((values[0] + values[1]) / 2, weights.T) + bias
        spread = _product((values[1] - values[0]) / 2, np.abs(weights).T)
        least = np.maximum(middle - spread, self.known[depth][0])
        most = np.maximum(least, np.minimum(middle + spread, self.known[depth][1]))  # rounding
        bent = bends(self.activations[depth], least, most)
        at = np.flatnonzero(bent.any(axis=0))
        if depth and len(at):
            rows, constants = np.concatenate([weights[at], -weights[at]]), np.concatenate([bias[at], -bias[at]])
            ends, _ = self._backward(rows, constants, lines, box)
            low, high = np.maximum(least[:, at], -ends[:, len(at) :]), np.minimum(most[:, at], ends[:, : len(at)])
            least[:, at] = np.where(bent[:, at], np.minimum(low, high), least[:, at])
            most[:, at] = np.where(bent[:, at], np.maximum(low, high), most[:, at])
        return least, most

    def _backward(
        self, rows: Floats, constants: Floats, lines: Sequence[_BoxLines], box: tuple[Floats, Floats],
        coefficients: list[Floats] | None = None,
    ) -> tuple[Floats, Floats]:  # fmt: skip
        """Return upper bounds of rows over the last of `lines`, for each box and row; and their forms over inputs."""
        low, high = box
        c = np.broadcast_to(rows, (len(low), *rows.shape))
        total = np.broadcast_to(constants, (len(low), len(rows)))
        mass: Any = 0.0
        for depth in range(len(lines) - 1, -1, -1):
            line, width = lines[depth], c.shape[-1]
            if coefficients is not None:
                coefficients.append(c)
            c = _rounded(c, _short_factor(width))
            rising = np.maximum(c, 0)
            falling = c - rising
            for part, heights in ((rising, line.peak), (-falling, line.dip)):
                if heights is not None:
                    added = np.matmul(part, _rounded(heights, _LONG_FACTOR)[:, :, None])[..., 0]
                    total, mass = total + added, mass + np.abs(added)
            slopes = rising * line.above[:, None] + falling * line.below[:, None]
            joined = _rounded(slopes, _short_factor(width)) @ self._joined[depth]
            added = joined[..., -2] + joined[..., -1]
            c, total, mass = joined[..., :-2], total + added, mass + _OF_BIAS * np.abs(added)
        centre, radius = (low + high) / 2, (high - low) / 2
        spread = (np.abs(c) * radius[:, None]).sum(axis=-1)
        total = total + (c * centre[:, None]).sum(axis=-1) + spread
        return total + _LOOSENED * (mass + spread), c

    def values(self, points: Floats, rows: Floats, constants: Floats) -> Floats:
        """Return the rows at points, about: a row for each point."""
        values = points
        for weights, bias, activation in zip(self.weights, self.biases, self.activations, strict=True):
            values = act(activation, _product(values, weights.T) + bias)
        return _product(values, rows.T) + constants

    def risen(self, points: Floats, rows: Floats, constants: Floats, steps: int) -> Floats:
        """Return points of the cube where the least of the rows is larger, about: a climb from each point."""
        points, rows = points.copy(), _rounded(rows, _LONG_FACTOR, None)
        best, most = points.copy(), np.full(len(points), -np.inf)
        for step in range(steps):
            values, slopes = points, []
            for weights, bias, activation in zip(self.weights, self.biases, self.activations, strict=True):
                arguments = _product(values, weights.T) + bias
                values = act(activation, arguments)
                slopes.append(
                    (arguments > 0) & ((arguments < 1) | (activation != "crelu")) | (activation == "identity")
                )
            found = _product(values, rows.T) + constants
            least = found.min(axis=1)
            better = least > most
            best, most = np.where(better[:, None], points, best), np.where(better, least, most)
            c = rows[found.argmin(axis=1)]
            for weights, slope in zip(reversed(self.weights), reversed(slopes), strict=True):
                c = _product(c * slope, weights)
            points = np.clip(points + np.sign(c) * _FIRST_STEP * 2.0 ** (-step // 4), 0, 1)
        return best[np.argsort(-most, kind="stable")]


#: The first steps of a climb; they get smaller.
_FIRST_STEP = 2.0**-3


def bends(activation: Activation, low: Floats, high: Floats) -> Any:
    """Return which neurons have a kink strictly inside their range."""
    if activation == "identity":
        return np.zeros(low.shape, dtype=bool)
    inside = (low < 0) & (high > 0)
    return inside if activation == "relu" else inside | ((low < 1) & (high > 1))


def _short_factor(terms: int) -> int:
    """Return the bits of a factor such that sums of so many products with a long factor are exact."""
    return _FLOAT_BITS - _LONG_FACTOR - math.ceil(math.log2(max(terms, 2)))


def _rounded(values: Floats, bits: int, axis: int | None = -1) -> Floats:
    """Round to multiples of a power of 2, so that the largest value along an axis has so many bits."""
    if not values.size:
        return values
    _, exponent = np.frexp(np.abs(values).max(axis=axis, keepdims=True))
    unit = np.ldexp(1.0, exponent - bits)
    return np.rint(values / unit) * unit


def _two(values: Floats) -> tuple[Floats, Floats]:
    """Return long factors of which values are the sum, nearly."""
    first = _rounded(values, _LONG_FACTOR, None)
    return first, _rounded(values - first, _LONG_FACTOR, None)


def _product(values: Floats, matrix: Floats) -> Floats:
    """Return values @ matrix, whose entries are long factors, with values rounded so that all sums are exact."""
    return _rounded(values, _short_factor(len(matrix))) @ matrix
