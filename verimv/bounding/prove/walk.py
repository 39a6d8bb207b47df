"""Exact evaluation of evidence: ranges in a situation, and the bound that multipliers give.

For any number λ, with c the coefficient of act(z) and z in [low, high],

    c·act(z) ≤ λ·z + max over the ends and kinks of the range of (c·act(z) − λ·z),

and z is affine in the layer below. So a target is bounded layer by layer down to the box, whatever the multipliers.
Numbers are integers over one denominator per layer, which avoids greatest common divisors.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.situation import Ends, Place, Situation
from verimv.core.errors import InternalError
from verimv.exact import Algebraic, Number, Rational
from verimv.networks.network import Activation, Layer, Network, activate

#: Bits of default slopes after the binary point.
_DEFAULT_BITS = 16

Integers = Any  # an object array of integers
#: For the free neurons of a layer, in order: integers over a denominator.
Multipliers = tuple[Integers, int]


class ExactLayer:
    """Weights and biases of a layer as integers over `denominator`."""

    def __init__(self, layer: Layer) -> None:
        rows = layer.rows
        numbers = [w for row in rows for w in (row.constant, *(w for _, w in row.terms))]
        self.activation: Activation = layer.activation
        self.denominator = common_denominator(numbers)
        self.weights = np.zeros((len(rows), layer.width_in), dtype=object)
        for i, row in enumerate(rows):
            for j, w in row.terms:
                self.weights[i, j] = numerator_over(w, self.denominator)
        self.bias = integers(numerator_over(row.constant, self.denominator) for row in rows)
        self.size = np.abs(self.weights)


def common_denominator(numbers: Iterable[Number]) -> int:
    """Return the least common denominator of rationals; networks with irrational weights are not for this module."""
    result = 1
    for x in numbers:
        if isinstance(x, Algebraic):
            raise InternalError("an irrational number where rationals are expected")
        result = math.lcm(result, int(x.denominator))
    return result


def numerator_over(x: Number, denominator: int) -> int:
    """Return the numerator of a rational over a multiple of its denominator."""
    if isinstance(x, Algebraic):
        raise InternalError("an irrational number where rationals are expected")
    return int(x.numerator) * (denominator // int(x.denominator))


def integers(numbers: Iterable[int]) -> Integers:
    """Return integers of any size as an array."""
    found = list(numbers)
    result = np.empty(len(found), dtype=object)
    result[:] = found
    return result


def over(numbers: Sequence[Number]) -> tuple[Integers, int]:
    """Return rationals as integers over their common denominator."""
    denominator = common_denominator(numbers)
    return integers(numerator_over(x, denominator) for x in numbers), denominator


@dataclass(frozen=True)
class LayerRange:
    """Ranges [low, high] of the arguments of a layer over one denominator; `free` neurons have a multiplier."""

    low: Integers
    high: Integers
    denominator: int
    free: Any

    def ends(self, i: int) -> tuple[Number, Number]:
        """Return the range of one neuron."""
        return Rational(self.low[i], self.denominator), Rational(self.high[i], self.denominator)


class KnownEnds:
    """Known bounds of some neurons of a layer: their indices, and the ends over one denominator."""

    def __init__(self, bounds: Sequence[tuple[int, Ends]]) -> None:
        sides = [[(i, ends[side]) for i, ends in bounds] for side in (0, 1)]
        self.places, self.ends = [], []
        self.denominator = common_denominator(end for side in sides for _, end in side if end is not None)
        for side in sides:
            found = [(i, numerator_over(end, self.denominator)) for i, end in side if end is not None]
            self.places.append([i for i, _ in found])
            self.ends.append(integers(end for _, end in found))

    def cut(self, low: Integers, high: Integers, scale: int) -> tuple[Integers, Integers, int]:
        """Return ranges intersected with the bounds."""
        factor = math.lcm(scale, self.denominator) // scale
        if factor > 1:
            low, high, scale = low * factor, high * factor, scale * factor
        (lows, highs), own = self.places, scale // self.denominator
        low[lows] = np.maximum(low[lows], self.ends[0] * own)
        high[highs] = np.minimum(high[highs], self.ends[1] * own)
        return low, high, scale


class Walk:
    """A network with rational weights on the unit cube, with bounds proved before; evaluates evidence about it."""

    def __init__(self, network: Network, known: Mapping[Place, Ends]) -> None:
        self.network = network
        self.layers = [ExactLayer(layer) for layer in network.layers]
        self._known = [
            KnownEnds([(i, ends) for (d, i), ends in known.items() if d == depth])
            for depth in range(1, len(self.layers) + 1)
        ]

    def ranges(self, situation: Situation, layer: int) -> list[LayerRange] | None:
        """Return ranges of all arguments below a layer (from 1); None if the situation is empty."""
        inputs = len(situation.box)
        ends, scale = over([low for low, _ in situation.box] + [high for _, high in situation.box])
        low, high = ends[:inputs], ends[inputs:]
        phases: list[list[tuple[int, Ends]]] = [[] for _ in range(layer - 1)]
        for (depth, i), phase in situation.phases.items():
            phases[depth - 1].append((i, phase))
        result = []
        for depth, current in enumerate(self.layers[: layer - 1]):
            centre = current.weights @ (low + high) + 2 * scale * current.bias
            spread = current.size @ (high - low)
            lowest, highest = (centre - spread) // 2, (centre + spread) // 2  # without remainder
            scale *= current.denominator
            lowest, highest, scale = self._known[depth].cut(lowest, highest, scale)
            if phases[depth]:
                lowest, highest, scale = KnownEnds(phases[depth]).cut(lowest, highest, scale)
            if (lowest > highest).any():
                return None
            split = [i for i, _ in phases[depth]]
            result.append(LayerRange(lowest, highest, scale, _free(current.activation, lowest, highest, scale, split)))
            low, high = (_activated(current.activation, end, scale) for end in (lowest, highest))
        return result

    def bound(
        self, layer: int, index: int, way: int, box: Sequence[tuple[Number, Number]], ranges: Sequence[LayerRange],
        multipliers: Sequence[Multipliers] | None = None,
    ) -> Number:  # fmt: skip
        """Return the upper bound of way·argument that multipliers for the free neurons of each layer below give.

        For None, they are the default slopes of proofs/FORMAT.md, §8.
        """
        top = self.layers[layer - 1]
        total: Number = Rational(int(top.bias[index]) * way, top.denominator)
        coefficients, scale = top.weights[index] * way, top.denominator
        for depth in range(layer - 1, 0, -1):
            current, found = self.layers[depth - 1], ranges[depth - 1]
            if multipliers is None:
                slopes, common = _default(current.activation, found, coefficients), scale << _DEFAULT_BITS
            else:
                slopes, common = multipliers[depth - 1]
            factor = math.lcm(scale, common) // scale
            coefficients, scale = coefficients * factor, scale * factor
            slope = np.where(_is_identity(current.activation, found), coefficients, 0)
            slope[found.free] = slopes * (scale // common)
            peaks = _peaks(current.activation, found, coefficients, slope)
            total += Rational(int(peaks.sum()), scale * found.denominator)
            total += Rational(int(slope @ current.bias), scale * current.denominator)
            coefficients, scale = slope @ current.weights, scale * current.denominator
        for c, (low, high) in zip(coefficients, box, strict=True):
            total += Rational(int(c), scale) * (high if c > 0 else low)
        return total


def _default(activation: Activation, found: LayerRange, coefficients: Integers) -> Integers:
    """Return the default multipliers of the free neurons, times 2^_DEFAULT_BITS.

    Each is the coefficient times the chord's slope, rounded down; or, where the coefficient of a relu is not positive
    or the range is a point, times the slope of one side.
    """
    low, high, c = found.low[found.free], found.high[found.free], coefficients[found.free]
    one = found.denominator
    rise = _activated(activation, high, one) - _activated(activation, low, one)
    width = high - low
    chord = rise * (1 << _DEFAULT_BITS) // np.where(width > 0, width, 1)
    side = np.where(low + high > 0, 1 << _DEFAULT_BITS, 0)
    has_chord = (width > 0) & ((c > 0) | (activation != "relu"))
    return c * np.where(has_chord, chord, side)


def in_order(multipliers: Sequence[Multipliers]) -> list[Number]:
    """Return multipliers as a certificate lists them: from the last neuron to the first."""
    return [Rational(m, common) for slopes, common in reversed(multipliers) for m in reversed(slopes.tolist())]


def _free(activation: Activation, low: Integers, high: Integers, one: int, split: Sequence[int]) -> Any:
    """Return which neurons have a multiplier: those with a kink strictly inside the range or a phase that is split."""
    free = np.zeros(len(low), dtype=bool)
    if activation != "identity":
        free |= (low < 0) & (high > 0)
    if activation == "crelu":
        free |= (low < one) & (high > one)
    free[list(split)] = True
    return free


def _is_identity(activation: Activation, found: LayerRange) -> Any:
    """Return for which neurons the activation changes neither end."""
    if activation == "identity":
        return np.ones(len(found.low), dtype=bool)
    result = (found.low >= 0) & (found.high >= 0)
    return result & (found.high <= found.denominator) if activation == "crelu" else result


def _activated(activation: Activation, values: Integers, one: int) -> Integers:
    """Apply an activation to integers over the denominator `one`."""
    if activation == "identity":
        return values
    values = np.maximum(values, 0)
    return np.minimum(values, one) if activation == "crelu" else values


def _peaks(activation: Activation, found: LayerRange, c: Integers, slope: Integers) -> Integers:
    """Return max (c·act(z) − slope·z) over ends and kinks; a kink outside the range is moved to the next end."""
    one = found.denominator
    points = [found.low, found.high]
    if activation != "identity":
        points.append(np.minimum(np.maximum(found.low, 0), found.high))
    if activation == "crelu":
        points.append(np.minimum(np.maximum(found.low, one), found.high))
    values = [c * _activated(activation, z, one) - slope * z for z in points]
    best = values[0]
    for value in values[1:]:
        best = np.maximum(best, value)
    return best


def value_at(network: Network, layer: int, index: int, point: Sequence[Number]) -> Number:
    """Return the exact argument of a neuron at a point."""
    values: list[Any] = list(point)
    for current in network.layers[: layer - 1]:
        arguments = [row(values) for row in current.rows]
        values = [activate(current.activation, t) for t in arguments]
    result: Number = network.layers[layer - 1].rows[index](values)
    return result
