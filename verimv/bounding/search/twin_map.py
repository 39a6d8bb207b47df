"""Which neurons of two networks correspond to each other: those whose arguments are nearly multiples of each other.

Arguments are compared at sample points, whatever layers they are in: so a neuron is found again if layers are inserted,
if neurons are moved, multiplied, or split into ρ(t − τ) − ρ(τ − t) + τ, whose halves are twins with the factor −1. Any
map of twins is sound, so floats suffice to choose one.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from verimv.bounding.guess.floats import FloatNetwork, Floats, act, product
from verimv.bounding.prove.twin_layers import Twin
from verimv.exact import Number, Rational
from verimv.networks.network import Activation, Network

#: Sample points, half of them corners of the cube.
_SAMPLES = 128
#: A neuron at another place must be closer by this factor to be preferred to the one at the same place.
_CLEARLY = 4.0
#: Distances of arguments, relative to how much they vary: up to the first, one is almost a multiple of the other; up to
#: the second, neurons of two networks may be twins, if their signs agree.
_CLOSE, _FAR = 1e-3, 0.5
#: Neurons at the same place are twins if they are as close as this, whichever others are closer by rounding errors.
_EXACT = 1e-9
#: The same holds if their weights are as close as this, relatively: a factor that fits sample points better, on a small
#: box, does not fit the weights.
_SAME = 0.3
#: Factors are rounded to fractions with denominators up to the first number, if these are as close as the second.
_SIMPLE, _NEAR = 1000, 1e-6
#: In networks with more pairs of neurons, only neurons of corresponding layers are compared.
_MOST_PAIRS = 10_000_000


def are_comparable(a: Network, b: Network) -> bool:
    """Return whether two networks are rational; their layers may differ."""
    return all(side.number_kind != "algebraic" for side in (a, b))


@dataclass(frozen=True)
class _Sampled:
    """A layer: the number of its first variable, and its arguments at sample points, one row per neuron."""

    start: int
    activation: Activation
    values: Floats
    #: weights and biases
    weights: Floats
    bias: Floats


@dataclass(frozen=True)
class _Match:
    """A neuron, the factor with which another is compared to it, and how far apart they are then."""

    variable: int
    factor: float
    distance: float

    @property
    def twin(self) -> Twin:
        return Twin(self.variable, _short(self.factor))


_NO_MATCH = _Match(-1, 1.0, math.inf)


def twins_of(a: Network, b: Network) -> dict[int, Twin]:
    """Return twins of neurons that bend, both by variable: in the first network, or a multiple of an earlier neuron."""
    sides = _sampled(a, b)
    kinds = [[layer.activation for layer in side] for side in sides]
    is_large = sum(len(layer.values) for side in sides for layer in side) ** 2 > _MOST_PAIRS
    result: dict[int, Twin] = {}
    for side, layers in enumerate(sides):
        for depth, layer in enumerate(layers):
            if layer.activation == "identity":
                continue
            same = sides[0][depth] if side == 1 and kinds[0] == kinds[1] else None
            others = sides[0] if side == 1 else []
            if is_large:
                others = [] if same is None else [same]
            result.update(_twins(layer, same, others))
    return result


def _sampled(a: Network, b: Network) -> list[list[_Sampled]]:
    """Return the arguments of both networks at the same points."""
    points = np.random.default_rng(0).random((_SAMPLES, len(a.inputs)))
    points[::2] = np.round(points[::2])
    sides: list[list[_Sampled]] = []
    start = len(a.inputs)
    for network in (a, b):
        values = points
        sides.append([])
        for layer in FloatNetwork(network, {}).layers:
            arguments = product(values, layer.weights.T) + layer.bias
            sides[-1].append(_Sampled(start, layer.activation, arguments.T.copy(), layer.weights, layer.bias))
            values, start = act(layer.activation, arguments), start + len(layer.bias)
    return sides


def _twins(layer: _Sampled, same: _Sampled | None, others: Sequence[_Sampled]) -> dict[int, Twin]:
    """Return the twins of a layer: in layers of the other network, or earlier in the layer itself.

    `same` is the layer of the other network at the same place, if there is one.
    """
    other, other_reversed = _closest(layer, others, 1), _closest(layer, others, -1)
    inside = _Inside(layer)
    result: dict[int, Twin] = {}
    for i, values in enumerate(layer.values):
        size = _norm(values - values.mean())
        if not 0 < size < math.inf:
            continue
        place = _NO_MATCH
        if same is not None and i < len(same.values):
            place = _Match(same.start + i, 1.0, _norm(values - same.values[i]))
        found = other[i]
        if found.distance > _CLOSE * size:
            for match in (inside.closest(i, size), other_reversed[i]):
                if match.distance <= _CLOSE * size < found.distance:
                    found = match
        is_same = same is not None and found.distance > _EXACT * size and _have_same_weights(layer, same, i)
        close = max(_CLEARLY * found.distance, _EXACT * size)
        if is_same or place.distance <= close or found.distance > _FAR * size:
            found = place
        if found.variable >= 0:
            result[layer.start + i] = found.twin
            if found.variable >= layer.start:
                inside.exclude(i)
    return result


def _have_same_weights(layer: _Sampled, other: _Sampled, i: int) -> bool:
    """Return whether two neurons at the same place have nearly the same weights and biases."""
    if i >= len(other.weights) or layer.weights.shape[1] != other.weights.shape[1]:
        return False
    own, others = (np.append(side.weights[i], side.bias[i]) for side in (layer, other))
    return _norm(own - others) <= _SAME * min(_norm(own), _norm(others))


def _norm(values: Floats) -> float:
    return math.sqrt(float((values * values).sum()))


def _distances(own: Floats, other: Floats, is_scaled: bool, sign: int) -> tuple[Floats, Floats]:
    """Return for all rows of two matrices the factor of a sign, and the distance: of a row and a multiple of another.

    The factor fits all columns but the first best, if rows may be scaled. Otherwise it is ±1, and rows are compared as
    they are: for the sign −1, `other` is reversed already.
    """
    products = product(own[:, 1:], other[:, 1:].T.copy())
    sizes, norms = (other[:, 1:] ** 2).sum(axis=1), (own[:, 1:] ** 2).sum(axis=1)[:, None]
    factors = products / np.maximum(sizes, 1e-300) if is_scaled else np.ones_like(products)
    means = own[:, :1] - factors * other[:, 0]
    squares = np.maximum(norms - 2 * factors * products + factors**2 * sizes, 0.0) + means**2
    if not is_scaled:
        factors = factors * sign
    return factors, np.where(np.isfinite(squares) & (factors * sign > 0), np.sqrt(squares), math.inf)


def _at_points(layer: _Sampled, is_reversed: bool) -> Floats:
    """Return arguments at sample points, or 1 minus them: their means, and the deviations from these."""
    values = 1 - layer.values if is_reversed else layer.values
    means = values.mean(axis=1, keepdims=True)
    return np.hstack([means * math.sqrt(_SAMPLES), values - means])


def _as_rows(layer: _Sampled, is_reversed: bool) -> Floats:
    """Return biases and weights, of arguments or of 1 minus arguments."""
    rows = np.hstack([layer.bias[:, None], layer.weights])
    if is_reversed:
        rows = -rows
        rows[:, 0] += 1
    return rows


def _closest(layer: _Sampled, others: Sequence[_Sampled], sign: int) -> list[_Match]:
    """Return for each neuron the closest one in other layers, for factors of a sign."""
    result = [_NO_MATCH] * len(layer.values)
    for other in others:
        if other.activation != layer.activation or not len(other.values):
            continue
        is_scaled = layer.activation == "relu"
        is_reversed = sign < 0 and not is_scaled
        factors, distances = _distances(_at_points(layer, False), _at_points(other, is_reversed), is_scaled, sign)
        for i, j in enumerate(np.argmin(distances, axis=1).tolist()):
            if distances[i, j] < result[i].distance:
                result[i] = _Match(other.start + j, float(factors[i, j]), float(distances[i, j]))
    return result


class _Inside:
    """Neurons of one layer, each compared with those before it that have no twin in the layer: by their weights.

    At sample points, all neurons of a layer may happen to vary together.
    """

    def __init__(self, layer: _Sampled) -> None:
        self._start = layer.start
        is_scaled = layer.activation == "relu"
        rows = _as_rows(layer, False)
        self._found = []
        for sign in (1, -1):
            self._found.append(_distances(rows, _as_rows(layer, sign < 0 and not is_scaled), is_scaled, sign))
        self._sizes = np.maximum(np.sqrt((layer.weights**2).sum(axis=1)), 1e-300)

    def exclude(self, i: int) -> None:
        """Take note of a neuron that has a twin in the layer."""
        for _, distances in self._found:
            distances[:, i] = math.inf

    def closest(self, i: int, size: float) -> _Match:
        """Return the closest one; the distance is relative to the neuron's weights, times a size."""
        result = _NO_MATCH
        for factors, distances in self._found:
            j = int(np.argmin(distances[i, :i])) if i else 0
            if i and distances[i, j] < result.distance:
                result = _Match(self._start + j, float(factors[i, j]), float(distances[i, j]))
        return replace(result, distance=result.distance / float(self._sizes[i]) * size)


def _short(factor: float) -> Number:
    """Return a fraction near a factor, a simple one if possible."""
    simple = Fraction(factor).limit_denominator(_SIMPLE)
    if simple and abs(float(simple) - factor) <= _NEAR * abs(factor):
        return Rational(simple.numerator, simple.denominator)
    mantissa, exponent = math.frexp(factor)
    return Rational(round(mantissa * 2**20)) * Rational(2) ** (exponent - 20)
