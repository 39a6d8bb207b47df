"""The linear relaxation of a network in a situation: every activation between the lines that bound its graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounds.floats import FloatNetwork, FloatRanges, act
from verimv.bounds.linear_program import INFINITY, Answer, LinearProgram
from verimv.networks.network import Activation


@dataclass(frozen=True)
class Relaxed:
    """What the linear program says about a target: `upper` bound, a point, multipliers per layer, and by how much each
    activation is off at the optimum."""

    status: str
    upper: float = 0.0
    point: Any = None
    multipliers: list[Any] | None = None
    gaps: list[Any] | None = None


class Relaxation:
    """Columns are the inputs, and argument and value of every neuron that bends or was split; others are affine."""

    def __init__(self, network: FloatNetwork, low: Any, high: Any, ranges: FloatRanges, split: list[Any]) -> None:
        """`split` marks, per layer, neurons whose phase has been split."""
        self.network = network
        self.depth = len(ranges)
        free = [inside | mark for inside, mark in zip(network.open_kinks(ranges), split, strict=True)]
        self.inputs = len(low)
        total = self.inputs + 2 * int(sum(mask.sum() for mask in free))
        lower, upper = np.zeros(total), np.zeros(total)
        lower[: self.inputs], upper[: self.inputs] = low, high
        rows: list[tuple[Any, float, float]] = []
        values, constant = np.eye(self.inputs, total), np.zeros(self.inputs)
        column = self.inputs
        self._places: list[tuple[int, int, int, int]] = []  # layer, neuron, row, column of its argument
        for depth, mask in enumerate(free):
            layer, (lowest, highest) = network.layers[depth], ranges[depth]
            arguments, shift = layer.weights @ values, layer.weights @ constant + layer.bias
            values, constant = _stable(layer.activation, arguments, shift, lowest, highest)
            for i in np.flatnonzero(mask):
                self._places.append((depth, int(i), len(rows), column))
                definition = -arguments[i]
                definition[column] += 1
                rows.append((definition, shift[i], shift[i]))
                lower[column], upper[column] = lowest[i], highest[i]
                ends = act(layer.activation, np.array([lowest[i], highest[i]]))
                lower[column + 1], upper[column + 1] = ends
                for slope, least, most in _lines(layer.activation, lowest[i], highest[i]):
                    line = np.zeros(total)
                    line[column + 1], line[column] = 1, -slope
                    rows.append((line, least, most))
                values[i], constant[i] = 0, 0
                values[i, column + 1] = 1
                column += 2
        self._values, self._constant = values, constant
        matrix = np.array([row for row, _, _ in rows]) if rows else np.zeros((0, total))
        self._program = LinearProgram(
            lower, upper, matrix, [least for _, least, _ in rows], [most for _, _, most in rows]
        )

    def maximise(self, layer: int, index: int, way: int) -> Relaxed:
        """An upper bound of way·argument of a neuron of the layer above."""
        top = self.network.layers[layer - 1]
        row = way * top.weights[index]
        answer = self._program.maximise(row @ self._values)
        if answer.status == "failed":
            return Relaxed("failed")
        multipliers = self._multipliers(answer)
        if answer.status == "infeasible":
            return Relaxed("infeasible", multipliers=multipliers)
        upper = answer.value + float(row @ self._constant) + way * top.bias[index]
        return Relaxed("optimal", upper, answer.point[: self.inputs], multipliers, self._gaps(answer))

    def _multipliers(self, answer: Answer) -> list[Any] | None:
        """The duals of the rows that define arguments."""
        if answer.duals is None or not np.isfinite(answer.duals).all():
            return None
        result = [np.zeros(len(self.network.layers[depth].bias)) for depth in range(self.depth)]
        for depth, i, row, _ in self._places:
            result[depth][i] = answer.duals[row]
        return result

    def _gaps(self, answer: Answer) -> list[Any]:
        result = [np.zeros(len(self.network.layers[depth].bias)) for depth in range(self.depth)]
        for depth, i, _, column in self._places:
            value = act(self.network.layers[depth].activation, answer.point[column])
            result[depth][i] = abs(answer.point[column + 1] - value)
        return result


def _stable(activation: Activation, arguments: Any, shift: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Values of a layer wherever its activation does not bend: the argument, or a constant."""
    if activation == "identity":
        return arguments.copy(), shift.copy()
    passes = (low >= 0) & ((activation == "relu") | (high <= 1))
    ceiling = np.where((activation == "crelu") & (low >= 1), 1.0, 0.0)
    return np.where(passes[:, None], arguments, 0.0), np.where(passes, shift, ceiling)


def _lines(activation: Activation, low: float, high: float) -> list[tuple[float, float, float]]:
    """(slope, least, most) with least ≤ act(z) − slope·z ≤ most: the hull of the graph, but for bounds of the value."""
    values = act(activation, np.array([low, high]))
    chord = 0.0 if high <= low else float(values[1] - values[0]) / (high - low)
    intercept = float(values[0]) - chord * low
    bends_up, bends_down = low < 0 < high, activation == "crelu" and low < 1 < high
    if bends_up and bends_down:
        return [(1 / (1 - low), -INFINITY, -low / (1 - low)), (1 / high, 0.0, INFINITY)]
    if bends_up:
        return [(1.0, 0.0, INFINITY), (chord, -INFINITY, intercept)]
    if bends_down:
        return [(1.0, -INFINITY, 0.0), (chord, intercept, INFINITY)]
    return [(chord, intercept, intercept)]
