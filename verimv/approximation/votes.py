"""Models as votes: every neuron with values in [0,1], every weight a share of its neuron's vote.

A unit is σ(2^k·(Σ ±share_j·x_j + constant)): its formula adds the shares of its literals, subtracts a threshold, and
doubles k times (extraction/strategies/threshold.py). Doubling twice makes a formula four times as long; without it,
shares are smaller, and rounding them to simple fractions matters more.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

import numpy as np

from verimv.approximation.float_model import FloatModel, Floats
from verimv.bounding.guess.floats import FloatLayer, act
from verimv.exact import ONE, ZERO, Number, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.outputs import OutputMap

#: The share of a vote that is left free, since rounding may add to it.
_MARGIN = 1 / 32


@dataclass(frozen=True)
class Votes:
    """A model whose outputs are values of formulas, with the doublings of each neuron and the maps of its outputs."""

    model: FloatModel
    doublings: tuple[tuple[int, ...], ...]
    maps: tuple[OutputMap, ...]

    def target(self, model: FloatModel) -> FloatModel:
        """Return another model in the units of these outputs."""
        return _mapped(model, self.maps)

    @property
    def sizes(self) -> list[Floats]:
        """Per layer, what a whole vote is in the weights of each neuron."""
        return [np.array([2.0**k for k in doublings]) for doublings in self.doublings]

    def with_model(self, model: FloatModel) -> Votes:
        return Votes(model, self.doublings, self.maps)

    def network(self, original: Network, most: int) -> Network:
        """Return the network with exactly these shares, which are fractions with denominators up to `most`.

        It is on the unit cube, and has the units of the original's outputs.
        """
        layers = []
        for layer, doublings in zip(_without_unused(self.model).layers, self.doublings, strict=True):
            rows = [self._row(*row, most) for row in zip(layer.weights, layer.bias, doublings, strict=True)]
            layers.append(Layer(tuple(rows), layer.weights.shape[1], layer.activation))
        rows = [row.scaled(m.scale).shifted(m.offset) for row, m in zip(layers[-1].rows, self.maps, strict=True)]
        layers[-1] = Layer(tuple(rows), layers[-1].width_in, layers[-1].activation)
        return replace(original, layers=tuple(layers), box=((ZERO, ONE),) * len(original.inputs))

    @staticmethod
    def _row(weights: Floats, bias: float, doublings: int, most: int) -> Affine:
        vote = 2**doublings
        shares = {j: Rational(Fraction(float(w) / vote).limit_denominator(most)) for j, w in enumerate(weights) if w}
        negated = sum((share for share in shares.values() if share < 0), ZERO)
        threshold = (float(bias) + float(np.minimum(weights, 0.0).sum())) / vote
        constant = Rational(Fraction(threshold).limit_denominator(most)) - negated
        return Affine(((j, share * vote) for j, share in shares.items()), constant * vote)


def with_dead_neurons_empty(model: FloatModel) -> FloatModel:
    """Return the same model: neurons that are constant, or that nothing above uses, have no weights any more.

    They stay where they are, so that all others keep their places.
    """
    layers = list(model.layers)
    for depth in range(len(layers) - 1):
        layer, above = layers[depth], layers[depth + 1]
        constant = ~(layer.weights != 0).any(axis=1)
        values = act(layer.activation, layer.bias)
        bias = above.bias + (above.weights[:, constant] * values[constant]).sum(axis=1)
        layers[depth] = FloatLayer(layer.weights, np.where(constant, 0.0, layer.bias), layer.activation)
        layers[depth + 1] = FloatLayer(np.where(constant, 0.0, above.weights), bias, above.activation)
    return _without_unused(FloatModel(tuple(layers)))


def _without_unused(model: FloatModel) -> FloatModel:
    layers = list(model.layers)
    for depth in range(len(layers) - 2, -1, -1):
        layer, used = layers[depth], (layers[depth + 1].weights != 0).any(axis=0)
        weights, bias = np.where(used[:, None], layer.weights, 0.0), np.where(used, layer.bias, 0.0)
        layers[depth] = FloatLayer(weights, bias, layer.activation)
    return FloatModel(tuple(layers))


def votes_of(model: FloatModel, limits: Sequence[int]) -> Votes:
    """Scale the neurons of a model so that they are votes; `limits` are the most doublings of each layer of ReLUs.

    A clipped unit cannot be scaled: its vote is doubled as often as its weights need it.
    """
    layers: list[FloatLayer] = []
    doublings: list[tuple[int, ...]] = []
    low, high = np.zeros(model.inputs), np.ones(model.inputs)
    scale_below = np.ones(model.inputs)
    for layer, limit in zip(model.layers[:-1], limits[:-1], strict=True):
        weights, bias = layer.weights * scale_below, layer.bias
        size, most = _sizes(weights, bias, low, high)
        fit = _fitting if layer.activation == "relu" else _unscaled
        found = [fit(s, m, limit) for s, m in zip(size, most, strict=True)]
        factors = np.array([factor for factor, _ in found])
        doublings.append(tuple(k for _, k in found))
        layers.append(FloatLayer(weights * factors[:, None], bias * factors, layer.activation))
        low, high = np.zeros(len(factors)), np.clip(most * factors, 0.0, 1.0)
        scale_below = 1.0 / factors
    last = model.layers[-1]
    plain = FloatModel((*layers, FloatLayer(last.weights * scale_below, last.bias, last.activation)))
    return output_votes(plain, doublings, limits[-1])


def output_votes(model: FloatModel, doublings: Sequence[tuple[int, ...]] | None = None, limit: int = 0) -> Votes:
    """Map the outputs of a model whose hidden neurons are votes already, doubled so often, or not at all."""
    if doublings is None:
        doublings = [(0,) * len(layer.bias) for layer in model.layers[:-1]]
    last = model.layers[-1]
    maps = [_map(*row, limit) for row in zip(last.weights, last.bias, *model.ranges()[-1], strict=True)]
    output_maps = tuple(map_ for map_, _ in maps)
    return Votes(_mapped(model, output_maps), (*doublings, tuple(k for _, k in maps)), output_maps)


def _sizes(weights: Floats, bias: Floats, low: Floats, high: Floats) -> tuple[Floats, Floats]:
    """Return what a vote needs room for, the sum of the weights or the threshold; and the largest argument."""
    total = np.abs(weights).sum(axis=1)
    threshold = np.abs(bias + np.minimum(weights, 0.0).sum(axis=1))
    most = (np.maximum(weights, 0.0) * high + np.minimum(weights, 0.0) * low).sum(axis=1) + bias
    return np.maximum(total, threshold), np.maximum(most, 1e-12)


def _fitting(size: float, most: float, limit: int) -> tuple[float, int]:
    """Return the factor and the doublings of a neuron: its vote fits into 2^k, its values into [0,1]."""
    if not size:
        return 1.0, 0
    k = min(limit, max(0, math.ceil(math.log2(max(size / most, 1.0)))))
    return min((1.0 - _MARGIN) * 2.0**k / size, (1.0 - _MARGIN) / most), k


def _unscaled(size: float, most: float, limit: int) -> tuple[float, int]:
    return 1.0, max(0, math.ceil(math.log2(max(size * (1.0 + _MARGIN), 1.0))))


def _map(row: Floats, bias: float, low: float, high: float, limit: int) -> tuple[OutputMap, int]:
    """Return a short scale and offset for an output whose vote is doubled at most so often, and how often it is."""
    total = float(np.abs(row).sum())
    if not total:  # a constant: an offset of three digits, and what is left has a value in [0,1]
        place = math.floor(math.log10(abs(bias))) - 2 if bias else 0
        digit = Rational(10) ** place
        return OutputMap(digit, digit * math.floor(float(bias) / float(digit))), 0
    k = min(limit, max(0, math.ceil(math.log2(max(total / max(high - low, 1e-12), 1.0)))))
    scale = short(max(total / 2.0**k, high - low) * (1.0 + _MARGIN), 2, up=True)
    # without doubling, the offset makes a threshold unnecessary
    start = float(bias + np.minimum(row, 0.0).sum()) if k == 0 else low - _MARGIN / 2 * float(scale)
    unit = scale / 100
    return OutputMap(scale, unit * math.floor(start / float(unit) + 0.5 * (k == 0))), k


def short(x: float, digits: int, up: bool = False) -> Number:
    """Return a number of a few decimal digits near x, or at or above it."""
    if x == 0:
        return ZERO
    exponent = digits - 1 - math.floor(math.log10(abs(x)))
    power = Rational(10) ** exponent
    scaled = x * float(power)
    return Rational(math.ceil(scaled - 1e-9) if up else round(scaled)) / power


def _mapped(model: FloatModel, maps: Sequence[OutputMap]) -> FloatModel:
    last = model.layers[-1]
    scales = np.array([float(map_.scale) for map_ in maps])
    offsets = np.array([float(map_.offset) for map_ in maps])
    layer = FloatLayer(last.weights / scales[:, None], (last.bias - offsets) / scales, last.activation)
    return FloatModel((*model.layers[:-1], layer))
