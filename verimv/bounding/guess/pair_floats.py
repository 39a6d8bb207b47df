"""The difference of two networks in floating point, at many points at once. Nothing here is a proof.

If the networks have the same shape, each neuron has a counterpart. Their difference is computed as such, from the
differences of weights, which are rounded once: so a difference of 2^−60 is seen as clearly as one of 1.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import FloatLayer, FloatNetwork, Floats, act, as_float, product
from verimv.bounding.guess.linear_program import INFINITY
from verimv.bounding.situation import KINKS
from verimv.networks.network import Activation, Layer, Network


@dataclass(frozen=True)
class LinearPiece:
    """The linear piece around a point: low ≤ rows·x ≤ high."""

    rows: Floats
    low: Floats
    high: Floats


class FloatDifference(ABC):
    """A function on the unit cube whose values are differences, one per output."""

    inputs: int
    outputs: int
    #: multiplications for one point
    cost: int

    @abstractmethod
    def values(self, points: Floats) -> Floats:
        """Return the differences at points, one row per point."""

    @abstractmethod
    def gradients(self, points: Floats, weights: Floats) -> Floats:
        """Return the gradient of weights·differences at each point; `weights` has a row per point."""

    @abstractmethod
    def piece(self, point: Floats) -> LinearPiece:
        """Return the linear piece around a point."""

    @abstractmethod
    def neuron_gradients(self, point: Floats) -> Floats:
        """Return the gradients of the arguments of hidden neurons at a point, one row per neuron."""


class OneNetwork(FloatDifference):
    """A network whose outputs are the differences; its last layer has no activation."""

    def __init__(self, network: Network) -> None:
        self.floats = FloatNetwork(network, {})
        self.inputs, self.outputs = len(network.inputs), len(network.outputs)
        self.cost = sum(layer.weights.size for layer in self.floats.layers)

    def values(self, points: Floats) -> Floats:
        return self.floats.values(points, len(self.floats.layers))

    def gradients(self, points: Floats, weights: Floats) -> Floats:
        slopes, values = [], points
        for layer in self.floats.layers[:-1]:
            arguments = product(values, layer.weights.T) + layer.bias
            slopes.append(slope_at(layer.activation, arguments))
            values = act(layer.activation, arguments)
        c = product(weights, self.floats.layers[-1].weights)
        for layer, slope in zip(reversed(self.floats.layers[:-1]), reversed(slopes), strict=True):
            c = product(c * slope, layer.weights)
        return c

    def piece(self, point: Floats) -> LinearPiece:
        return _piece_of(self.floats.layers[:-1], point)

    def neuron_gradients(self, point: Floats) -> Floats:
        return _jacobians(self.floats.layers[:-1], point)[0]


@dataclass(frozen=True)
class _PairLayer:
    """Corresponding layers: the first network's weights, the second's, and their differences."""

    first: FloatLayer
    second: FloatLayer
    weights: Floats
    bias: Floats


class AlikeNetworks(FloatDifference):
    """Two networks of the same shape, the first minus the second."""

    def __init__(self, a: Network, b: Network) -> None:
        firsts, seconds = FloatNetwork(a, {}).layers, FloatNetwork(b, {}).layers
        changes = [_change(x, y) for x, y in zip(a.layers, b.layers, strict=True)]
        self.layers = [_PairLayer(x, y, *change) for x, y, change in zip(firsts, seconds, changes, strict=True)]
        self.inputs, self.outputs = len(a.inputs), len(a.outputs)
        self.cost = 3 * sum(layer.weights.size for layer in self.layers)

    def values(self, points: Floats) -> Floats:
        return self._passed(points)[0]

    def gradients(self, points: Floats, weights: Floats) -> Floats:
        """With δ = act(z + d) − act(z), coefficients of δ and of act(z) are carried down layer by layer."""
        _, slopes = self._passed(points)
        change, value = weights, np.zeros_like(weights)
        for layer, (of_first, of_second) in zip(reversed(self.layers), reversed(slopes), strict=True):
            of_argument = value * of_second + change * (of_first - of_second)
            change = change * of_first
            value = product(of_argument, layer.second.weights) + product(change, layer.weights)
            change = product(change, layer.first.weights)
        return value  # the inputs of both are the same, so their differences are 0

    def _passed(self, points: Floats) -> tuple[Floats, list[tuple[Floats, Floats]]]:
        """Return the differences of outputs, and the slopes of both networks' activations in each layer."""
        values, changes = points, np.zeros_like(points)
        slopes = []
        for layer in self.layers:
            arguments = product(values, layer.second.weights.T) + layer.second.bias
            change = product(changes, layer.first.weights.T) + product(values, layer.weights.T) + layer.bias
            activation = layer.first.activation
            slopes.append((slope_at(activation, arguments + change), slope_at(activation, arguments)))
            values, changes = act(activation, arguments), change_of(activation, arguments, change)
        return changes, slopes

    def piece(self, point: Floats) -> LinearPiece:
        parts = [_piece_of([layer.first for layer in self.layers], point)]
        parts.append(_piece_of([layer.second for layer in self.layers], point))
        return LinearPiece(*(np.concatenate([getattr(p, name) for p in parts]) for name in ("rows", "low", "high")))

    def neuron_gradients(self, point: Floats) -> Floats:
        return _jacobians([layer.second for layer in self.layers[:-1]], point)[0]


def _change(a: Layer, b: Layer) -> tuple[Floats, Floats]:
    """Return the differences of weights and biases, rounded once."""
    width = a.width_in
    weights = np.zeros((len(a.rows), width))
    for i, (x, y) in enumerate(zip(a.rows, b.rows, strict=True)):
        if x.terms != y.terms:
            weights[i] = [as_float(p - q) for p, q in zip(x.dense(width), y.dense(width), strict=True)]
    bias = [as_float(x.constant - y.constant) for x, y in zip(a.rows, b.rows, strict=True)]
    return weights, np.array(bias)


def change_of(activation: Activation, z: Floats, d: Floats) -> Floats:
    """Return act(z + d) − act(z), without cancellation where d is small."""
    if activation == "identity":
        return d
    y = z + d
    if activation == "relu":
        return np.where(z >= 0, np.maximum(d, -z), np.maximum(y, 0))
    inside = np.minimum(np.maximum(d, -z), 1 - z)
    return np.where(z < 0, np.clip(y, 0, 1), np.where(z > 1, np.clip(y - 1, -1, 0), inside))


def slope_at(activation: Activation, z: Floats) -> Floats:
    """Return the slope of an activation; at a kink, that of the side above."""
    if activation == "identity":
        return np.ones_like(z)
    return ((z >= 0) & ((z < 1) | (activation == "relu"))).astype(float)


def _jacobians(layers: list[FloatLayer], point: Floats) -> tuple[Floats, Floats, list[tuple[Floats, Activation]]]:
    """Return gradients of all arguments on the linear piece around a point, their shifts, and their values."""
    values, constant = np.eye(len(point)), np.zeros(len(point))
    rows, shifts, found = [np.zeros((0, len(point)))], [np.zeros(0)], []
    for layer in layers:
        arguments, shift = product(layer.weights, values), product(layer.weights, constant) + layer.bias
        at = product(arguments, point) + shift
        rows.append(arguments)
        shifts.append(shift)
        found.append((at, layer.activation))
        slope = slope_at(layer.activation, at)
        values = slope[:, None] * arguments
        constant = act(layer.activation, at) - slope * (at - shift)
    return np.concatenate(rows), np.concatenate(shifts), found


def _piece_of(layers: list[FloatLayer], point: Floats) -> LinearPiece:
    rows, shifts, found = _jacobians(layers, point)
    low, high = [np.zeros(0)], [np.zeros(0)]
    for at, activation in found:
        least, most = np.full(len(at), -INFINITY), np.full(len(at), INFINITY)
        for kink in KINKS[activation]:
            least[at >= kink] = kink
            most[at < kink] = np.minimum(most[at < kink], kink)
        low.append(least)
        high.append(most)
    ends: list[Any] = [np.concatenate(low) - shifts, np.concatenate(high) - shifts]
    bends = np.concatenate(
        [np.full(len(at), bool(KINKS[activation])) for at, activation in found] or [np.zeros(0, bool)]
    )
    return LinearPiece(rows[bends], ends[0][bends], ends[1][bends])
