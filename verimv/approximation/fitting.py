"""Weights that fit a network: as few as possible within a tolerance, or with the smallest largest error.

Both are linear programs about small changes of the weights, over points where the error is large. More such points are
searched until the new weights keep what the program promised. All of this guesses: what is found is proved elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.approximation.float_model import FloatModel, Floats, WorstPoints
from verimv.bounding.guess.floats import FloatLayer, act
from verimv.bounding.guess.linear_program import INFINITY, LinearProgram

#: Entries of programs are multiples of this, so that the last bits of floats do not matter.
_GRID = 2.0**-30
#: Weights whose effect is smaller than this, in tolerances, are 0.
_NOTHING = 1e-6
#: Points of a program.
_MOST_POINTS = 500
#: Points that are added when a program promised too much.
_ADDED = 40
_ATTEMPTS = 10
#: An error counts as smaller than another if it is less than this part of it.
_SMALLER = 0.999
#: A largest error of this many tolerances counts as kept.
KEPT = 1.02


@dataclass(frozen=True)
class Free:
    """Which weights and biases may change, per layer."""

    weights: tuple[Floats, ...]
    bias: tuple[Floats, ...]

    @staticmethod
    def nonzero(model: FloatModel) -> Free:
        """All biases, and all weights other than 0."""
        weights = tuple(layer.weights != 0 for layer in model.layers)
        return Free(weights, tuple(np.ones(len(layer.bias), dtype=bool) for layer in model.layers))

    @property
    def count(self) -> int:
        return sum(int(w.sum() + b.sum()) for w, b in zip(self.weights, self.bias, strict=True))

    def of(self, weights: Sequence[Floats], bias: Sequence[Floats]) -> Floats:
        """Return the entries of arrays that are shaped like the weights and biases."""
        parts = []
        for w, b, free_w, free_b in zip(weights, bias, self.weights, self.bias, strict=True):
            parts += [w[..., free_w], b[..., free_b]]
        return np.concatenate(parts, axis=-1)

    def values(self, model: FloatModel) -> Floats:
        return self.of([layer.weights for layer in model.layers], [layer.bias for layer in model.layers])

    def put(self, model: FloatModel, values: Floats) -> FloatModel:
        """Return the model with these values of what is free."""
        layers, position = [], 0
        for layer, free_w, free_b in zip(model.layers, self.weights, self.bias, strict=True):
            weights, bias = layer.weights.copy(), layer.bias.copy()
            for array, mask in ((weights, free_w), (bias, free_b)):
                count = int(mask.sum())
                array[mask] = values[position : position + count]
                position += count
            layers.append(FloatLayer(weights, bias, layer.activation))
        return FloatModel(tuple(layers))


class Fitting:
    """Points, and programs over them."""

    def __init__(self, errors: WorstPoints, points: int = 240) -> None:
        self.errors = errors
        self.points = errors.start(points)
        self._learned = self.points[:0]  # these are kept whatever the error there is

    def refresh(self, model: FloatModel, starts: int = 150) -> float:
        """Search points where a model is bad, and keep them; return its largest error, in tolerances."""
        found, largest = self.errors.worst(model, starts, self.points[:_ADDED])
        self._add(model, found[:_ADDED])
        return largest

    def learn(self, model: FloatModel, points: Floats) -> None:
        """Keep points that are known to matter, and others where a model is bad."""
        self._learned = points
        self.refresh(model)

    def _add(self, model: FloatModel, points: Floats) -> None:
        """Keep points, those with large errors if there are too many."""
        self.points = np.unique(np.concatenate([self.points, points]), axis=0)
        sizes = np.abs(self.errors.errors(model, self.points)).max(axis=1)
        self.points = np.concatenate([self._learned, self.points[np.argsort(-sizes, kind="stable")[:_MOST_POINTS]]])

    def linear(self, model: FloatModel, free: Free) -> tuple[Floats, Floats]:
        """Return the errors at the points, and their derivatives by what is free: a row for each point and output.

        Of many outputs, those with the largest errors are taken.
        """
        errors = self.errors.errors(model, self.points).T  # by output, then point
        least = np.sort(np.abs(errors), axis=None)[-min(errors.size, _MOST_POINTS)]
        rows, kept = [], []
        for output, tolerance in enumerate(self.errors.tolerances):
            chosen = np.abs(errors[output]) >= least
            if chosen.any():
                found = model.sensitivity(self.points[chosen], output)
                weights = [rising[:, :, None] * values[:, None, :] for rising, values in found]
                rows.append(free.of(weights, [rising for rising, _ in found]) / tolerance)
                kept.append(errors[output, chosen])
        return _on_grid(np.concatenate(kept)), _on_grid(np.concatenate(rows))

    def effects(self, model: FloatModel, free: Free) -> Floats:
        """Return by how many tolerances an output may change without each weight."""
        return np.abs(free.values(model)) * np.abs(self.linear(model, free)[1]).max(axis=0)

    def typical_effect(self, model: FloatModel, free: Free, prices: Floats) -> float:
        """Return the median effect of the weights that have a price, in tolerances."""
        return float(np.median(self.effects(model, free)[prices > 0]))

    def sparser(self, model: FloatModel, free: Free, prices: Floats, spread: float, reach: float) -> FloatModel | None:
        """Return a model with fewer weights whose largest error is at most a tolerance; None if none is found.

        `prices` say how much shorter the formula is without a weight. A weight costs its price times |effect| / (its
        effect now + `spread`), so that small ones go first. None moves farther than `reach` times its size.
        """
        for attempt in range(_ATTEMPTS):
            candidate = self._program(model, free, prices, spread, reach * 0.7**attempt)
            if candidate is None:
                return None
            if self.refresh(candidate) <= KEPT:
                return candidate
        return None

    def _program(self, model: FloatModel, free: Free, prices: Floats, spread: float, reach: float) -> FloatModel | None:
        values = free.values(model)
        errors, slopes = self.linear(model, free)
        effect = np.abs(slopes).max(axis=0) + 1e-9
        room = reach * np.maximum(np.abs(values), 1.0 / effect)
        # new value = plus − minus; |error + slope·(new − old)| ≤ 1 + excess
        least, most = values - room, values + room
        count = len(values)
        low = np.concatenate([np.clip(least, 0, None), np.clip(-most, 0, None), [0.0]])
        high = np.concatenate([np.clip(most, 0, None), np.clip(-least, 0, None), [INFINITY]])
        rest = errors - (slopes * values).sum(axis=1)
        ones = np.ones((len(errors), 1))
        rows = np.block([[slopes, -slopes, -ones], [slopes, -slopes, ones]])
        never = np.full(len(errors), INFINITY)
        row_low, row_high = np.concatenate([-never, -1.0 - rest]), np.concatenate([1.0 - rest, never])
        cost = _on_grid(prices * effect / (np.abs(values) * effect + spread))
        answer = LinearProgram(low, high, rows, row_low, row_high).maximise(
            -np.concatenate([cost, cost, [1e4 * max(1.0, float(cost.max(initial=0.0)))]])
        )
        if answer.status != "optimal":
            return None
        found = answer.point[:count] - answer.point[count : 2 * count]
        found[(np.abs(found) * effect < _NOTHING) & (prices > 0)] = 0.0
        return free.put(model, found)

    def closer(self, model: FloatModel, free: Free, votes: Sequence[Floats], reach: float) -> FloatModel:
        """Return a model with a smaller largest error, by changes of what is free; or the same one.

        The sizes of the weights of a neuron do not become more than its vote, and none changes its sign. A ReLU has
        values up to 1.
        """
        least = self.refresh(model)
        candidate = self._minimax(model, free, votes, reach)
        return model if candidate is None or self.refresh(candidate) >= least * _SMALLER else candidate

    def _minimax(self, model: FloatModel, free: Free, votes: Sequence[Floats], reach: float) -> FloatModel | None:
        values = free.values(model)
        errors, slopes = self.linear(model, free)
        effect = np.abs(slopes).max(axis=0) + 1e-9
        room = reach * np.maximum(np.abs(values), 1.0 / effect)
        is_weight = free.of([np.ones_like(w) for w in free.weights], [np.zeros_like(b) for b in free.bias]) > 0
        least = np.where(is_weight & (values > 0), np.maximum(-room, -values), -room)
        most = np.where(is_weight & (values < 0), np.minimum(room, -values), room)
        sums, left = self._vote_rows(model, free, votes)
        ones, never = np.ones((len(errors), 1)), np.full(len(errors), INFINITY)
        rows = np.block([[slopes, -ones], [slopes, ones], [sums, np.zeros((len(sums), 1))]])
        row_low = np.concatenate([-never, -errors, np.full(len(left), -INFINITY)])
        row_high = np.concatenate([-errors, never, left])
        cost = np.zeros(len(values) + 1)
        cost[-1] = -1.0
        program = LinearProgram(np.append(least, 0.0), np.append(most, INFINITY), rows, row_low, row_high)
        answer = program.maximise(cost)
        return free.put(model, values + answer.point[:-1]) if answer.status == "optimal" else None

    @staticmethod
    def _vote_rows(model: FloatModel, free: Free, votes: Sequence[Floats]) -> tuple[Floats, Floats]:
        """Return rows of a program, and what they may be at most: by how much the sizes of a neuron's weights grow, and
        by how much the largest value of a ReLU does."""
        rows, left = [np.zeros((0, free.count))], []
        ranges = model.ranges()

        def add(depth: int, i: int, weights: Floats, bias: float, room: float) -> None:
            all_weights = [np.zeros_like(layer.weights) for layer in model.layers]
            all_bias = [np.zeros_like(layer.bias) for layer in model.layers]
            all_weights[depth][i], all_bias[depth][i] = weights, bias
            rows.append(free.of(all_weights, all_bias)[None, :])
            left.append(max(0.0, room))

        high = np.ones(model.inputs)
        for depth, (layer, vote) in enumerate(zip(model.layers, votes, strict=True)):
            for i in np.flatnonzero(free.weights[depth].any(axis=1) | free.bias[depth]).tolist():
                weights = layer.weights[i]
                add(depth, i, np.sign(weights), 0.0, float(vote[i] - np.abs(weights).sum()))
                if layer.activation == "relu":
                    add(depth, i, np.where(weights > 0, high, 0.0), 1.0, 1.0 - float(ranges[depth][1][i]))
            high = act(layer.activation, ranges[depth][1])
        return np.concatenate(rows), np.array(left)


def _on_grid(x: Any) -> Any:
    return np.round(x / _GRID) * _GRID


def prices_of(free: Free, model: FloatModel, measure: str) -> Floats:
    """Return how much shorter, or smaller, a formula becomes without each weight; 0 for biases.

    A weight of neuron i for neuron j below costs the length of j, as often as i occurs.
    """
    uses, lengths = occurrences(model)
    weights = [
        np.ones_like(layer.weights) if measure == "size" else np.outer(used, length)
        for layer, used, length in zip(model.layers, uses, lengths, strict=True)
    ]
    return free.of(weights, [np.zeros(len(layer.bias)) for layer in model.layers])


def occurrences(model: FloatModel) -> tuple[list[Floats], list[Floats]]:
    """Return, per layer, how often each neuron occurs in the formula, and the length of each variable below."""
    lengths = [np.ones(model.inputs)]
    for layer in model.layers[:-1]:
        lengths.append(product_of_signs(layer.weights, lengths[-1]))
    uses = [np.ones(len(model.layers[-1].bias))]
    for layer in reversed(model.layers[1:]):
        uses.insert(0, product_of_signs(layer.weights.T, uses[0]))
    return uses, lengths


def product_of_signs(weights: Floats, numbers: Floats) -> Floats:
    """Return the sum of the numbers over all weights of a row that are not 0."""
    return ((weights != 0) * numbers).sum(axis=1)
