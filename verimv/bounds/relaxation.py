"""The linear relaxation of a network in a situation: every activation between the lines that bound its graph."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounds.floats import FloatNetwork, FloatRanges, act
from verimv.bounds.linear_program import INFINITY, Answer, LinearProgram
from verimv.networks.network import Activation

#: At most so many rows per neuron: its definition and two lines.
_ROWS = 3


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
        matrix: Any = np.zeros((_ROWS * (total - self.inputs) // 2, total))
        least: list[float] = []
        most: list[float] = []
        values, constant = np.eye(self.inputs, total), np.zeros(self.inputs)
        column = self.inputs
        self._places: list[tuple[int, int, int, int]] = []  # layer, neuron, row, column of its argument
        for depth, mask in enumerate(free):
            layer, (lowest, highest) = network.layers[depth], ranges[depth]
            arguments, shift = layer.weights @ values, layer.weights @ constant + layer.bias
            values, constant = _stable(layer.activation, arguments, shift, lowest, highest)
            value_ends = [act(layer.activation, end).tolist() for end in (lowest, highest)]
            for i in np.flatnonzero(mask).tolist():
                ends = float(lowest[i]), float(highest[i])
                self._places.append((depth, i, len(least), column))
                matrix[len(least)] = -arguments[i]
                matrix[len(least), column] += 1
                least.append(shift[i])
                most.append(shift[i])
                lower[column], upper[column] = ends
                lower[column + 1], upper[column + 1] = value_ends[0][i], value_ends[1][i]
                for slope, low_end, high_end in _lines(layer.activation, *ends, value_ends[0][i], value_ends[1][i]):
                    matrix[len(least), column + 1], matrix[len(least), column] = 1, -slope
                    least.append(low_end)
                    most.append(high_end)
                values[i], constant[i] = 0, 0
                values[i, column + 1] = 1
                column += 2
        self._values, self._constant = values, constant
        self._program = LinearProgram(lower, upper, matrix[: len(least)], least, most)

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
        if self._places:
            depths, neurons, _, columns = (np.array(places) for places in zip(*self._places, strict=True))
            for depth, gaps in enumerate(result):
                here = depths == depth
                argument, value = answer.point[columns[here]], answer.point[columns[here] + 1]
                gaps[neurons[here]] = np.abs(value - act(self.network.layers[depth].activation, argument))
        return result


def _stable(activation: Activation, arguments: Any, shift: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Values of a layer wherever its activation does not bend: the argument, or a constant."""
    if activation == "identity":
        return arguments.copy(), shift.copy()
    passes = (low >= 0) & ((activation == "relu") | (high <= 1))
    ceiling = np.where((activation == "crelu") & (low >= 1), 1.0, 0.0)
    return np.where(passes[:, None], arguments, 0.0), np.where(passes, shift, ceiling)


def _lines(
    activation: Activation, low: float, high: float, low_value: float, high_value: float
) -> list[tuple[float, float, float]]:
    """(slope, least, most) with least ≤ act(z) − slope·z ≤ most: the hull of the graph, but for bounds of the value."""
    chord = 0.0 if high <= low else (high_value - low_value) / (high - low)
    intercept = low_value - chord * low
    bends_up, bends_down = low < 0 < high and activation != "identity", activation == "crelu" and low < 1 < high
    if bends_up and bends_down:
        return [(1 / (1 - low), -INFINITY, -low / (1 - low)), (1 / high, 0.0, INFINITY)]
    if bends_up:
        return [(1.0, 0.0, INFINITY), (chord, -INFINITY, intercept)]
    if bends_down:
        return [(1.0, -INFINITY, 0.0), (chord, intercept, INFINITY)]
    return [(chord, intercept, intercept)]
