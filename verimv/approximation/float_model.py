"""A network in floating point whose weights can be changed: values, derivatives, and points where two differ most."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import FloatLayer, FloatNetwork, act, product
from verimv.exact import ONE, ZERO, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network

Floats = Any


@dataclass(frozen=True)
class FloatModel:
    """Layers on the unit cube. All sums have an order that does not depend on the processor."""

    layers: tuple[FloatLayer, ...]

    @staticmethod
    def of(network: Network) -> FloatModel:
        return FloatModel(tuple(FloatNetwork(network, {}).layers))

    @property
    def inputs(self) -> int:
        return int(self.layers[0].weights.shape[1])

    def network(self, like: Network) -> Network:
        """Return the network with exactly these weights, and the names of another."""
        layers = []
        for layer in self.layers:
            rows = (
                Affine(((j, Rational(float(w))) for j, w in enumerate(row) if w), Rational(float(b)))
                for row, b in zip(layer.weights, layer.bias, strict=True)
            )
            layers.append(Layer(tuple(rows), layer.weights.shape[1], layer.activation))
        return replace(like, layers=tuple(layers), box=((ZERO, ONE),) * len(like.inputs))

    def outputs(self, points: Floats) -> Floats:
        values = points
        for layer in self.layers:
            values = act(layer.activation, product(values, layer.weights.T) + layer.bias)
        return values

    def trace(self, points: Floats) -> tuple[list[Floats], list[Floats]]:
        """Return the values of all layers, those of the inputs first, and the slopes of all activations."""
        values, slopes = [points], []
        for layer in self.layers:
            arguments = product(values[-1], layer.weights.T) + layer.bias
            values.append(act(layer.activation, arguments))
            slopes.append(_slope(layer.activation, arguments))
        return values, slopes

    def gradient(self, points: Floats, output: int) -> tuple[Floats, Floats]:
        """Return the values of an output at points, and its gradients there."""
        values, slopes = self.trace(points)
        rising = np.zeros_like(values[-1])
        rising[:, output] = 1.0
        for layer, slope in zip(reversed(self.layers), reversed(slopes), strict=True):
            rising = product(rising * slope, layer.weights)
        return values[-1][:, output], rising

    def sensitivity(self, points: Floats, output: int) -> list[tuple[Floats, Floats]]:
        """Return, per layer, the derivatives of an output at points by the arguments of neurons, and the values below.

        The derivative by a weight is the product of the two that it connects.
        """
        values, slopes = self.trace(points)
        rising = np.zeros_like(values[-1])
        rising[:, output] = 1.0
        found: list[tuple[Floats, Floats]] = []
        for depth in range(len(self.layers) - 1, -1, -1):
            rising = rising * slopes[depth]
            found.insert(0, (rising, values[depth]))
            rising = product(rising, self.layers[depth].weights)
        return found

    def ranges(self) -> list[tuple[Floats, Floats]]:
        """Return interval ranges of the arguments of all layers."""
        low, high = np.zeros(self.inputs), np.ones(self.inputs)
        found: list[tuple[Floats, Floats]] = []
        for layer in self.layers:
            positive, negative = np.maximum(layer.weights, 0).T, np.minimum(layer.weights, 0).T
            ends = [product(a, positive) + product(b, negative) + layer.bias for a, b in ((low, high), (high, low))]
            found.append((ends[0], ends[1]))
            low, high = (act(layer.activation, end) for end in ends)
        return found


def _slope(activation: str, arguments: Floats) -> Floats:
    if activation == "identity":
        return np.ones_like(arguments)
    if activation == "relu":
        return (arguments > 0).astype(float)
    return ((arguments > 0) & (arguments < 1)).astype(float)


#: Steps of a climb, and points that are polished at its end.
_STEPS, _POLISHED = 30, 4


class WorstPoints:
    """Points at which models differ from a target, relative to a tolerance for each output."""

    def __init__(self, target: FloatModel, tolerances: Floats, seed: int = 0) -> None:
        self.target, self.tolerances = target, np.asarray(tolerances, dtype=float)
        self._random = np.random.Generator(np.random.PCG64(seed))

    def start(self, count: int) -> Floats:
        """Return random points and corners."""
        inside = self._random.random((count // 4, self.target.inputs))
        corners = self._random.integers(0, 2, (count - count // 4, self.target.inputs)).astype(float)
        return np.concatenate([inside, corners])

    def errors(self, model: FloatModel, points: Floats) -> Floats:
        """Return the difference of every output at points, in tolerances."""
        return (model.outputs(points) - self.target.outputs(points)) / self.tolerances

    def worst(self, model: FloatModel, starts: int, begin: Floats | None = None) -> tuple[Floats, float]:
        """Return different points, the worst first, and the largest difference in tolerances.

        From each start, climb: on a linear piece the difference is largest at a corner of the cube. At the end, move
        single inputs to either end as long as that helps.
        """
        points = self.start(starts) if begin is None else np.concatenate([self.start(starts), begin])
        found = [points]
        for output in range(len(self.tolerances)):
            found.append(self._climbed(model, points, output))
        everything = np.unique(np.concatenate(found), axis=0)
        sizes = np.abs(self.errors(model, everything)).max(axis=1)
        best = everything[np.argsort(-sizes, kind="stable")[:_POLISHED]]
        everything = np.unique(np.concatenate([everything, self._polished(model, best)]), axis=0)
        sizes = np.abs(self.errors(model, everything)).max(axis=1)
        order = np.argsort(-sizes, kind="stable")
        return everything[order], float(sizes[order[0]])

    def _climbed(self, model: FloatModel, points: Floats, output: int) -> Floats:
        """Move the inputs that promise most to an end, a few at a time, and keep the best point of each climb."""
        best, largest = points, np.zeros(len(points))
        at_a_time = -(-points.shape[1] // _STEPS)
        for _ in range(min(points.shape[1], _STEPS) + 3):
            values, rising = model.gradient(points, output)
            wanted, towards = self.target.gradient(points, output)
            size = np.abs(values - wanted)
            best = np.where((size > largest)[:, None], points, best)
            largest = np.maximum(size, largest)
            uphill = (rising - towards) * np.sign(values - wanted)[:, None]
            ends = np.where(uphill > 0, 1.0, 0.0)
            gains = uphill * (ends - points)
            least = np.sort(gains, axis=1)[:, -at_a_time][:, None]
            points = np.where((gains >= least) & (gains > 0), ends, points)
        return best

    def _polished(self, model: FloatModel, points: Floats) -> Floats:
        """Move, for each point, the single input to the end that makes the largest difference, again and again."""
        count, inputs = points.shape
        for _ in range(2 * inputs):
            moved = np.repeat(points[:, None, :], 2 * inputs, axis=1)  # by point, then input and end
            for j in range(inputs):
                moved[:, 2 * j, j], moved[:, 2 * j + 1, j] = 0.0, 1.0
            sizes = np.abs(self.errors(model, moved.reshape(-1, inputs))).max(axis=1).reshape(count, -1)
            before = np.abs(self.errors(model, points)).max(axis=1)
            choice = sizes.argmax(axis=1)
            is_better = sizes.max(axis=1) > before * (1 + 1e-9)
            if not is_better.any():
                break
            points = np.where(is_better[:, None], moved[np.arange(count), choice], points)
        return points
