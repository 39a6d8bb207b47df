"""Bounds of all neurons on many boxes at a time, in floats: what leaves without multipliers would prove there.

In every box each neuron is bounded by a backward pass with the default slopes of proofs/FORMAT.md, §8, over the ranges
of the layers below. A bound that is clearly better than what is known of the box around is kept, as a lemma would be.

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
#: Ends of lemmas are multiples of 2^−_GRID_BITS times the width of the range, about.
_GRID_BITS = 8

#: For each hidden layer, the least and the largest arguments, a row for each box.
KnownRanges = Sequence[tuple[Floats, Floats]]


@dataclass(frozen=True)
class BoxRanges:
    """Ranges of the arguments of one layer, a row for each box; and which ends are lemmas of this box.

    A gain is the distance by which such a lemma brings the line above a neuron closer to it, at most.
    """

    low: Floats
    high: Floats
    low_is_new: Any
    high_is_new: Any
    low_gain: Floats
    high_gain: Floats


@dataclass(frozen=True)
class BoxGuess:
    """Upper bounds of the target on boxes, its linear form over the inputs, and the ranges of all hidden layers."""

    upper: Floats
    form: Floats
    ranges: list[BoxRanges]
    #: coefficients of the target, layer by layer
    coefficients: list[Floats]


def grid_of(width: Floats) -> Floats:
    """Return the power of 2 of which the ends of a range of this width are multiples."""
    return np.ldexp(1.0, np.frexp(width)[1] - _GRID_BITS)


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
    """A network whose outputs are bounded on boxes inside the unit cube."""

    def __init__(self, layers: Sequence[FloatLayer]) -> None:
        self.activations = [layer.activation for layer in layers]
        self.weights = [_rounded(layer.weights, _LONG_FACTOR, None) for layer in layers]
        self.biases = [layer.bias for layer in layers]
        #: weights, and the bias as the sum of two more columns, to be multiplied from the left
        self._joined = [np.column_stack([w, *_two(b)]) for w, b in zip(self.weights, self.biases, strict=True)]
        self.inputs = self.weights[0].shape[1]
        sizes = [w.size for w in self.weights]
        #: multiplications for one box, at most
        self.products = sum(2 * len(b) * sum(sizes[:k]) for k, b in enumerate(self.biases[:-1])) + sum(sizes)

    def unknown(self) -> list[tuple[Floats, Floats]]:
        """Return ranges without ends for one box: nothing is known of any neuron below the last layer."""
        return [(np.full(len(bias), -np.inf), np.full(len(bias), np.inf)) for bias in self.biases[:-1]]

    def guess(
        self, row: Floats, constant: float, low: Floats, high: Floats, known: KnownRanges, worth: float,
        allowed: Sequence[tuple[Any, Any]] | None = None,
    ) -> BoxGuess:  # fmt: skip
        """Bound row·(values of the last hidden layer) + constant on boxes; `known` are ranges of the boxes around.

        A new end is kept if it makes the range smaller by the share `worth`, or shows in which piece a neuron is.
        `allowed` says for each layer which low ends, and which high ends, may be kept at all.
        """
        ranges: list[BoxRanges] = []
        lines: list[_BoxLines] = []
        values = low, high
        for depth, ends in enumerate(known):
            may = None if allowed is None else allowed[depth]
            found = self._layer(depth, (low, high), values, ends, lines, worth, may)
            ranges.append(found)
            lines.append(_BoxLines(self.activations[depth], found.low, found.high))
            values = act(self.activations[depth], found.low), act(self.activations[depth], found.high)
        coefficients: list[Floats] = []
        upper, form = self._backward(row[None], np.array([constant]), lines, (low, high), coefficients)
        return BoxGuess(upper[:, 0], form[:, 0], ranges, coefficients[::-1])

    def _layer(
        self, depth: int, box: tuple[Floats, Floats], values: tuple[Floats, Floats], known: tuple[Floats, Floats],
        lines: Sequence[_BoxLines], worth: float, allowed: tuple[Any, Any] | None,
    ) -> BoxRanges:  # fmt: skip
        """Return the ranges of a layer: intervals, what is known, and backward bounds where they are worth it."""
        weights, bias, activation = self.weights[depth], self.biases[depth], self.activations[depth]
        middle = _product((values[0] + values[1]) / 2, weights.T) + bias
        spread = _product((values[1] - values[0]) / 2, np.abs(weights).T)
        least, most = np.maximum(middle - spread, known[0]), np.minimum(middle + spread, known[1])
        most = np.maximum(least, most)  # rounding
        none, zero = np.zeros(least.shape, dtype=bool), np.zeros(least.shape)
        wanted = bends(activation, least, most)
        if allowed is not None:
            wanted &= allowed[0] | allowed[1]
        at = np.flatnonzero(wanted.any(axis=0))
        if depth == 0 or not len(at):
            return BoxRanges(least, most, none, none, zero, zero)
        rows, constants = np.concatenate([weights[at], -weights[at]]), np.concatenate([bias[at], -bias[at]])
        ends, _ = self._backward(rows, constants, lines, box)
        old, new = (least[:, at], most[:, at]), (-ends[:, len(at) :], ends[:, : len(at)])
        may = None if allowed is None else (allowed[0][:, at], allowed[1][:, at])
        own = _kept(activation, old, new, wanted[:, at], worth, may)
        parts = [least, most, none.copy(), none.copy(), zero.copy(), zero.copy()]
        for part, found in zip(parts, own, strict=True):
            part[:, at] = found
        return BoxRanges(*parts)

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
                coefficients.append(c[:, 0])
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

    def influence(self, guess: BoxGuess) -> list[Floats]:
        """Return how much the target depends on each neuron, roughly, also by way of lemmas about neurons above it."""
        result: list[Floats] = []
        for depth in range(len(guess.ranges) - 1, -1, -1):
            size = np.abs(guess.coefficients[depth])
            if result:
                above = guess.ranges[depth + 1]
                is_new = above.low_is_new | above.high_is_new
                shares = np.where(bends(self.activations[depth + 1], above.low, above.high), _OPEN, _SHOWN * is_new)
                size = size + _product(result[-1] * shares, np.abs(self.weights[depth + 1]))
            result.append(size)
        return result[::-1]

    def values(self, points: Floats, row: Floats, constant: float) -> Floats:
        """Return the target at points, about."""
        values = points
        for weights, bias, activation in zip(self.weights[:-1], self.biases, self.activations, strict=False):
            values = act(activation, _product(values, weights.T) + bias)
        return (values * row).sum(axis=-1) + constant


#: How much of the influence of a neuron goes to those below it: of one that bends, of one whose lemma shows a piece.
_OPEN, _SHOWN = 0.5, 0.05


def _kept(
    activation: Activation, old: tuple[Floats, Floats], new: tuple[Floats, Floats], wanted: Any, worth: float,
    allowed: tuple[Any, Any] | None,
) -> list[Any]:  # fmt: skip
    """Return the ends that are kept, low and high; which of them are new; and how much these gain."""
    (old_low, old_high), (low, high) = old, new
    grid = grid_of(old_high - old_low)
    low, high = np.floor(low / grid) * grid, np.ceil(high / grid) * grid
    step, last = worth * (old_high - old_low), 0.0 if activation == "relu" else 1.0
    is_off, is_on = (high <= 0) & wanted, (low >= last) & wanted
    low_is_new = wanted & ~is_off & (is_on | (low - old_low > step))
    high_is_new = wanted & ~is_on & (is_off | (old_high - high > step))
    if allowed is not None:
        low_is_new, high_is_new = low_is_new & allowed[0], high_is_new & allowed[1]
    low = np.where(low_is_new, np.where(is_on, last, low), old_low)
    high = np.where(high_is_new, np.where(is_off, 0.0, high), old_high)
    gap = _gap(activation, old_low, old_high)
    gains = [
        np.where(low_is_new, gap - _gap(activation, low, old_high), 0.0),
        np.where(high_is_new, gap - _gap(activation, old_low, high), 0.0),
    ]
    return [low, high, low_is_new, high_is_new, *gains]


def _gap(activation: Activation, low: Floats, high: Floats) -> Floats:
    """Return how far the chord of an activation is from it, at most."""
    if activation == "crelu":
        low, high = np.where(low >= 1, high, low), np.where(high <= 0, low, high)
        return np.where(bends(activation, low, high), np.minimum(high - low, 1.0), 0.0)
    width = high - low
    return np.divide(-low * high, width, out=np.zeros_like(width), where=bends(activation, low, high))


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
