"""Simple fractions for the weights: the simplest ones nearby, a few at a time, and the rest is fitted again.

Fractions are rounded during the fit, not afterwards: what one weight loses, the others make up for.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np

from verimv.approximation.fitting import Fitting, Free
from verimv.approximation.float_model import FloatModel
from verimv.approximation.votes import Votes
from verimv.bounding.guess.floats import FloatLayer

#: Weights that are rounded before the others are fitted again.
_AT_A_TIME = 6
#: How far the others may move then, as a part of their size.
_REACH = 0.1


def simplest(low: float, high: float, most: int) -> Fraction:
    """Return the fraction with the smallest denominator between two numbers; if that is above `most`, a near one."""
    if low <= 0 <= high:
        return Fraction(0)
    if high < 0:
        return -simplest(-high, -low, most)
    if high * most < 1:  # between 0 and the smallest fraction
        return Fraction((low + high) / 2).limit_denominator(most)
    # Stern and Brocot: go down the tree of fractions until one lies in between
    a, b, c, d = 0, 1, 1, 0
    while True:
        n, m = a + c, b + d
        if m > most:
            return Fraction((low + high) / 2).limit_denominator(most)
        if n < low * m:
            steps = max(1, math.ceil((low * b - a) / (c - low * d)) - 1) if c - low * d > 0 else 1
            a, b = a + steps * c, b + steps * d
        elif n > high * m:
            steps = max(1, math.ceil((c - high * d) / (high * b - a)) - 1) if high * b - a > 0 else 1
            c, d = c + steps * a, d + steps * b
        else:
            return Fraction(n, m)


class Rounding:
    """Votes whose shares become fractions with denominators up to `most`."""

    def __init__(self, votes: Votes, fitting: Fitting, most: int) -> None:
        self._votes, self._fitting, self._most = votes, fitting, most

    def rounded(self, slack: float, fits_again: bool) -> tuple[Votes, float]:
        """Return the votes with fractions, and their largest error in tolerances.

        Each weight may move by so much that an output changes by `slack` tolerances.
        """
        model = self._votes.model
        free = Free.nonzero(model)
        for depth, sizes in enumerate(self._votes.sizes):
            for i, vote in enumerate(sizes):
                slacks = slack / self._effects(model, depth, i)
                places = np.flatnonzero(free.weights[depth][i])
                # the largest first: small ones can make up for them
                order = places[np.argsort(-np.abs(model.layers[depth].weights[i, places]), kind="stable")]
                for start in range(0, len(order), _AT_A_TIME):
                    chosen = order[start : start + _AT_A_TIME]
                    model = self._with_fractions(model, depth, i, chosen, slacks, float(vote))
                    free.weights[depth][i, chosen] = False
                    if fits_again and start + _AT_A_TIME < len(order):
                        model = self._fitted(model, free)
                model = self._with_threshold(model, depth, i, float(slacks[-1]), float(vote))
                free.bias[depth][i] = False
                if fits_again and free.count:
                    model = self._fitted(model, free)
        return self._votes.with_model(model), self._fitting.refresh(model, starts=600)

    def _fitted(self, model: FloatModel, free: Free) -> FloatModel:
        return self._fitting.closer(model, free, self._votes.sizes, _REACH)

    def _effects(self, model: FloatModel, depth: int, i: int) -> np.ndarray:
        """Return by how many tolerances a unit change of each weight, and of the bias, may change an output."""
        found = np.zeros(model.layers[depth].weights.shape[1] + 1)
        for output, tolerance in enumerate(self._fitting.errors.tolerances):
            rising, values = model.sensitivity(self._fitting.points, output)[depth]
            sizes = np.abs(rising[:, i]) / tolerance
            found[:-1] = np.maximum(found[:-1], (sizes[:, None] * values).max(axis=0))
            found[-1] = max(found[-1], sizes.max())
        return np.maximum(found, 1e-9)

    def _with_fractions(
        self, model: FloatModel, depth: int, i: int, chosen: np.ndarray, slack: np.ndarray, vote: float
    ) -> FloatModel:
        row = model.layers[depth].weights[i].copy()
        room = vote - (np.abs(row).sum() - np.abs(row[chosen]).sum())
        for j in chosen:
            share, least = row[j] / vote, slack[j] / vote
            fraction = simplest(share - least, share + least, self._most)
            if abs(fraction) * vote > room:  # more than is left of the vote
                whole = math.floor(room / vote * self._most)
                fraction = Fraction(int(math.copysign(max(whole, 0), share)), self._most)
            row[j] = float(fraction) * vote
            room -= abs(row[j])
        return _with_row(model, depth, i, row, float(model.layers[depth].bias[i]))

    def _with_threshold(self, model: FloatModel, depth: int, i: int, slack: float, vote: float) -> FloatModel:
        """Make the threshold a simple fraction: the bias, less the weights of negated literals."""
        layer = model.layers[depth]
        negated = float(np.minimum(layer.weights[i], 0.0).sum())
        most = vote
        if layer.activation == "relu":  # its largest value stays at most 1
            largest = float(model.ranges()[depth][1][i])
            most = min(most, float(layer.bias[i]) + 1.0 - largest + negated)
        share = min((float(layer.bias[i]) + negated) / vote, most / vote)
        fraction = simplest(max(share - slack / vote, -1.0), min(share + slack / vote, most / vote), self._most)
        if fraction * vote > most:
            fraction = Fraction(math.floor(most / vote * self._most), self._most)
        return _with_row(model, depth, i, layer.weights[i], float(fraction) * vote - negated)


def _with_row(model: FloatModel, depth: int, i: int, row: np.ndarray, bias: float) -> FloatModel:
    layer = model.layers[depth]
    weights, biases = layer.weights.copy(), layer.bias.copy()
    weights[i], biases[i] = row, bias
    layers = list(model.layers)
    layers[depth] = FloatLayer(weights, biases, layer.activation)
    return FloatModel(tuple(layers))
