"""A network in floating point: ranges and backward linear bounds of many boxes at once. Nothing here is a proof."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.situation import Ends, Place, Situation
from verimv.exact import Number, Rational
from verimv.networks.network import Activation, Network

Floats = Any  # arrays of floats; the first axis counts boxes
#: Per layer, the lowest and highest arguments.
FloatRanges = list[tuple[Floats, Floats]]


@dataclass(frozen=True)
class FloatLayer:
    """The nearest floats of a layer's weights and biases."""

    weights: Floats
    bias: Floats
    activation: Activation


@dataclass(frozen=True)
class Guess:
    """Upper bounds of way·argument on boxes, and the multipliers that give them, per layer below."""

    upper: Floats
    multipliers: list[Floats]
    coefficients: list[Floats]  # of the values of each layer below; of the inputs first


def product(a: Floats, b: Floats) -> Floats:
    """Return a @ b, with all sums in an order that is always the same.

    The operator @ calls BLAS, whose order depends on the processor and the number of threads; and numbers rounded from
    its results would end up in certificates. Without `optimize`, einsum has loops of its own.
    """
    return np.einsum("...j,j->..." if b.ndim == 1 else "...j,jk->...k", a, b)


class FloatNetwork:
    """The nearest floats of a network's weights, and of bounds proved before."""

    def __init__(self, network: Network, known: Mapping[Place, Ends]) -> None:
        self.layers = []
        for layer in network.layers:
            weights = np.array([[as_float(w) for w in row.dense(layer.width_in)] for row in layer.rows])
            bias = np.array([as_float(row.constant) for row in layer.rows])
            self.layers.append(FloatLayer(weights, bias, layer.activation))
        self.known = [(np.full(len(layer.bias), -np.inf), np.full(len(layer.bias), np.inf)) for layer in self.layers]
        for (depth, i), (low, high) in known.items():
            if low is not None:
                self.known[depth - 1][0][i] = _guide(low, -1)
            if high is not None:
                self.known[depth - 1][1][i] = _guide(high, 1)

    @property
    def is_usable(self) -> bool:
        """Whether all arguments stay within the range of floats, so that these are a guide."""
        inputs = self.layers[0].weights.shape[1]
        if not all(np.isfinite(x).all() for layer in self.layers for x in (layer.weights, layer.bias)):
            return False
        with np.errstate(all="ignore"):
            ranges = self.ranges(np.zeros((1, inputs)), np.ones((1, inputs)), len(self.layers) + 1)
            return all(bool((np.abs(end) < _HUGE).all()) for ends in ranges for end in ends)

    def ranges(self, low: Floats, high: Floats, layer: int, cuts: FloatRanges | None = None) -> FloatRanges:
        """Return ranges of the arguments below a layer (from 1), over boxes given by their corners."""
        result = []
        for depth, current in enumerate(self.layers[: layer - 1]):
            positive, negative = np.maximum(current.weights, 0).T, np.minimum(current.weights, 0).T
            lowest = product(low, positive) + product(high, negative) + current.bias
            highest = product(high, positive) + product(low, negative) + current.bias
            for lower, upper in (self.known[depth], *([cuts[depth]] if cuts else [])):
                lowest, highest = np.maximum(lowest, lower), np.minimum(highest, upper)
            result.append((lowest, highest))
            low, high = act(current.activation, lowest), act(current.activation, highest)
        return result

    def cuts(self, situations: Sequence[Situation], layer: int) -> FloatRanges | None:
        """Return the phases of situations as arrays; None if there are none."""
        if not any(situation.phases for situation in situations):
            return None
        shapes = [(len(situations), len(current.bias)) for current in self.layers[: layer - 1]]
        result = [(np.full(shape, -np.inf), np.full(shape, np.inf)) for shape in shapes]
        for position, situation in enumerate(situations):
            for (depth, i), (low, high) in situation.phases.items():
                result[depth - 1][0][position, i] = -np.inf if low is None else float(low)
                result[depth - 1][1][position, i] = np.inf if high is None else float(high)
        return result

    def linear(self, layer: int, index: int, way: int, low: Floats, high: Floats, ranges: FloatRanges) -> Guess:
        """Return backward linear bounds of way·argument of one neuron on boxes."""
        top = self.layers[layer - 1]
        c = np.broadcast_to(way * top.weights[index], (len(low), top.weights.shape[1]))
        total = np.full(len(low), way * top.bias[index])
        multipliers: list[Floats] = []
        coefficients = [c]
        for depth in range(layer - 2, -1, -1):
            current, (lowest, highest) = self.layers[depth], ranges[depth]
            slope, peak = best_slopes(current.activation, c, lowest, highest)
            total = total + peak.sum(axis=1) + product(slope, current.bias)
            c = product(slope, current.weights)
            multipliers.insert(0, slope)
            coefficients.insert(0, c)
        return Guess(total + np.where(c > 0, c * high, c * low).sum(axis=1), multipliers, coefficients)

    def values(self, points: Floats, layer: int) -> Floats:
        """Return the arguments of a layer at points, one per row."""
        values = points
        for current in self.layers[: layer - 1]:
            values = act(current.activation, product(values, current.weights.T) + current.bias)
        top = self.layers[layer - 1]
        return product(values, top.weights.T) + top.bias

    def open_kinks(self, ranges: FloatRanges) -> list[Floats]:
        """Return, per layer, which neurons have a kink strictly inside their range."""
        result = []
        for current, (low, high) in zip(self.layers, ranges, strict=False):
            inside = np.zeros(low.shape, dtype=bool)
            if current.activation != "identity":
                inside |= (low < 0) & (high > 0)
            if current.activation == "crelu":
                inside |= (low < 1) & (high > 1)
            result.append(inside)
        return result


#: Arguments up to this size leave room for products.
_HUGE = 1e200
#: Lemmas with longer numerators are rounded maxima, not exact ones; they are loosened by this share.
_SHORT = 30
_LOOSENED = 1e-7


def as_float(x: Number) -> float:
    """Return the nearest float, which may be infinite."""
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def _guide(end: Number, way: int) -> float:
    """Return the end of a range as linear programs use it.

    A rounded maximum is closer to the true one than their tolerance. Taken as it is, it would look attained, and the
    search would look for exact multipliers where there are none.
    """
    value = as_float(end)
    if isinstance(end, Rational) and end.numerator.bit_length() <= _SHORT:
        return value
    return value + way * _LOOSENED * abs(value)


def act(activation: Activation, values: Floats) -> Floats:
    """Apply an activation."""
    if activation == "identity":
        return values
    return np.maximum(values, 0) if activation == "relu" else np.clip(values, 0, 1)


def peaks(activation: Activation, c: Floats, slope: Floats, low: Floats, high: Floats) -> Floats:
    """Return max (c·act(z) − slope·z) over ends and kinks of the range."""
    points = [low, high]
    if activation != "identity":
        points.append(np.clip(0, low, high))
    if activation == "crelu":
        points.append(np.clip(1, low, high))
    best = c * act(activation, points[0]) - slope * points[0]
    for z in points[1:]:
        best = np.maximum(best, c * act(activation, z) - slope * z)
    return best


def slopes_of(activation: Activation, low: Any, high: Any) -> list[Any]:
    """Return the slopes of the lines that bound the graph of an activation on a range."""
    one = low * 0 + 1
    if activation == "identity":
        return [one]
    ends = [(low, high)]
    if activation == "crelu":
        ends += [(low, np.clip(one, low, high)), (np.clip(0 * one, low, high), high)]
    return [one * 0, one, *(_chord(activation, a, b) for a, b in ends)]


def _chord(activation: Activation, a: Floats, b: Floats) -> Floats:
    """Return the slope of the line through the graph at two arguments; 0 where they are equal."""
    width = b - a
    rise = act(activation, b) - act(activation, a)
    return np.divide(rise, width, out=np.zeros_like(width), where=width > 0)


def best_slopes(activation: Activation, c: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return the multipliers whose line is lowest in the middle of the range, with their peaks."""
    middle = (low + high) / 2
    best, best_peak, best_height = None, None, None
    for share in slopes_of(activation, low, high):
        slope = c * share
        peak = peaks(activation, c, slope, low, high)
        height = peak + slope * middle
        if best is None:
            best, best_peak, best_height = slope, peak, height
        else:
            better = height < best_height
            best, best_peak = np.where(better, slope, best), np.where(better, peak, best_peak)
            best_height = np.where(better, height, best_height)
    return best, best_peak


def box_arrays(situations: Sequence[Situation]) -> tuple[Floats, Floats]:
    """Return the corners of boxes as floats; dyadic corners are exact."""
    low = np.array([[float(a) for a, _ in s.box] for s in situations])
    return low, np.array([[float(b) for _, b in s.box] for s in situations])
