"""Linear relaxation of a network in a situation: each activation lies between the lines that bound its graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import FloatNetwork, FloatRanges, product
from verimv.bounding.guess.linear_program import INFINITY, LinearAnswer, LinearProgram
from verimv.bounding.situation import Ends, Place
from verimv.networks.network import Activation

#: Rows per neuron: its definition and two lines.
_ROWS = 3
_Line = tuple[float, float, float]
_NO_LINE = (0.0, -INFINITY, INFINITY)
_Ends = tuple[float, float]


@dataclass(frozen=True)
class Relaxed:
    """The optimum for a target: an upper bound, a point, multipliers per layer, and the error of each activation."""

    status: str
    upper: float = 0.0
    point: Any = None
    multipliers: list[Any] | None = None
    gaps: list[Any] | None = None
    work: int = 0


@dataclass(frozen=True)
class _Neuron:
    """A neuron that bends: its place in the network and in the linear program, and its range."""

    depth: int
    index: int
    row: int  # of its definition; those of the two lines follow
    column: int  # of its argument; that of its value follows
    ends: _Ends


class Relaxation:
    """A linear program whose columns are the inputs, and argument and value of each neuron that bends."""

    def __init__(
        self, network: FloatNetwork, low: Any, high: Any, ranges: FloatRanges, split: Iterable[Place] = ()
    ) -> None:
        """Set up the program; `split` are neurons whose ranges are cut: they get columns even if they do not bend."""
        self.network = network
        self.depth = len(ranges)
        free = network.open_kinks(ranges)
        for depth, i in split:
            free[depth - 1][i] = True
        self.inputs = len(low)
        count = int(sum(mask.sum() for mask in free))
        total = self.inputs + 2 * count
        lower, upper = np.zeros(total), np.zeros(total)
        lower[: self.inputs], upper[: self.inputs] = low, high
        matrix: Any = np.zeros((_ROWS * count, total))
        least, most = np.zeros(_ROWS * count), np.zeros(_ROWS * count)
        values, constant = np.eye(self.inputs, total), np.zeros(self.inputs)
        self._neurons: list[_Neuron] = []
        self._slopes: dict[int, float] = {}  # of the line in a row
        for depth, mask in enumerate(free):
            layer, (lowest, highest) = network.layers[depth], ranges[depth]
            arguments, shift = product(layer.weights, values), product(layer.weights, constant) + layer.bias
            values, constant = _stable(layer.activation, arguments, shift, lowest, highest)
            for i in np.flatnonzero(mask).tolist():
                ends = float(lowest[i]), float(highest[i])
                number = len(self._neurons)
                row, column = _ROWS * number, self.inputs + 2 * number
                self._neurons.append(_Neuron(depth, i, row, column, ends))
                matrix[row] = -arguments[i]
                matrix[row, column] += 1
                least[row] = most[row] = shift[i]
                lower[column], upper[column] = ends
                lower[column + 1], upper[column + 1] = _value_ends(layer.activation, ends)
                for at, (slope, low_end, high_end) in enumerate(_lines(layer.activation, *ends), start=row + 1):
                    matrix[at, column + 1], matrix[at, column] = 1, -slope
                    self._slopes[at] = slope
                    least[at], most[at] = low_end, high_end
                values[i], constant[i] = 0, 0
                values[i, column + 1] = 1
        self._values, self._constant = values, constant
        self._places = {(neuron.depth + 1, neuron.index): neuron for neuron in self._neurons}
        self._phases: Mapping[Place, Ends] = {}
        self._program = LinearProgram(lower, upper, matrix, least, most)

    def restrict(self, phases: Mapping[Place, Ends]) -> None:
        """Restrict the program to phases of neurons, which replace earlier ones; only neurons with columns change."""
        for place in {**self._phases, **phases}:
            wanted = phases.get(place)
            if place in self._places and wanted != self._phases.get(place):
                self._change(self._places[place], wanted or (None, None))
        self._phases = dict(phases)

    def _change(self, neuron: _Neuron, phase: Ends) -> None:
        """Set the bounds and lines of a neuron for a phase."""
        program, column = self._program, neuron.column
        activation = self.network.layers[neuron.depth].activation
        low = neuron.ends[0] if phase[0] is None else max(float(phase[0]), neuron.ends[0])
        high = neuron.ends[1] if phase[1] is None else min(float(phase[1]), neuron.ends[1])
        program.bound_column(column, low, high)
        program.bound_column(column + 1, *_value_ends(activation, (low, high)))
        for row, line in enumerate(_lines(activation, low, high), start=neuron.row + 1):
            slope, least, most = line
            if line != _NO_LINE and slope != self._slopes[row]:
                program.set_coefficient(row, column, -slope)
                self._slopes[row] = slope
            program.bound_row(row, least, most)

    def maximise(self, layer: int, index: int, way: int) -> Relaxed:
        """Return an upper bound of way·argument of a neuron of the layer above."""
        top = self.network.layers[layer - 1]
        row = way * top.weights[index]
        answer = self._program.maximise(product(row, self._values))
        if answer.status == "failed":
            return Relaxed("failed", work=answer.work)
        multipliers = self._multipliers(answer)
        if answer.status == "infeasible":
            return Relaxed("infeasible", multipliers=multipliers, work=answer.work)
        upper = answer.value + float(product(row, self._constant)) + way * top.bias[index]
        return Relaxed("optimal", upper, answer.point[: self.inputs], multipliers, self._gaps(answer), answer.work)

    def _multipliers(self, answer: LinearAnswer) -> list[Any] | None:
        """Return the duals of the rows that define arguments, which are multipliers."""
        if answer.duals is None or not np.isfinite(answer.duals).all():
            return None
        result = [np.zeros(len(self.network.layers[depth].bias)) for depth in range(self.depth)]
        for neuron in self._neurons:
            result[neuron.depth][neuron.index] = answer.duals[neuron.row]
        return result

    def _gaps(self, answer: LinearAnswer) -> list[Any]:
        """Return how far the value of each neuron is from its activation at the optimum."""
        result = [np.zeros(len(self.network.layers[depth].bias)) for depth in range(self.depth)]
        points = answer.point.tolist()
        for neuron in self._neurons:
            argument, value = points[neuron.column], points[neuron.column + 1]
            bent = 0.0 if argument < 0 else argument
            if self.network.layers[neuron.depth].activation == "crelu":
                bent = min(bent, 1.0)
            result[neuron.depth][neuron.index] = abs(value - bent)
        return result


def _stable(activation: Activation, arguments: Any, shift: Any, low: Any, high: Any) -> tuple[Any, Any]:
    """Return the values of a layer where its activation does not bend: the argument, or a constant."""
    if activation == "identity":
        return arguments.copy(), shift.copy()
    passes = (low >= 0) & ((activation == "relu") | (high <= 1))
    ceiling = np.where((activation == "crelu") & (low >= 1), 1.0, 0.0)
    return np.where(passes[:, None], arguments, 0.0), np.where(passes, shift, ceiling)


def _value_ends(activation: Activation, ends: _Ends) -> _Ends:
    """Return the range of the value, from the range of the argument."""
    low, high = (0.0 if end < 0 and activation != "identity" else end for end in ends)
    return (min(low, 1.0), min(high, 1.0)) if activation == "crelu" else (low, high)


def _lines(activation: Activation, low: float, high: float) -> tuple[_Line, _Line]:
    """Return two (slope, least, most) with least ≤ act(z) − slope·z ≤ most: the hull, but for bounds of the value."""
    low_value, high_value = _value_ends(activation, (low, high))
    chord = 0.0 if high <= low else (high_value - low_value) / (high - low)
    intercept = low_value - chord * low
    bends_up, bends_down = low < 0 < high and activation != "identity", activation == "crelu" and low < 1 < high
    if bends_up and bends_down:
        return (1 / (1 - low), -INFINITY, -low / (1 - low)), (1 / high, 0.0, INFINITY)
    if bends_up:
        return (1.0, 0.0, INFINITY), (chord, -INFINITY, intercept)
    if bends_down:
        return (1.0, -INFINITY, 0.0), (chord, intercept, INFINITY)
    if low_value == high_value:
        return _NO_LINE, _NO_LINE  # the bounds of the value say it all
    return (chord, intercept, intercept), _NO_LINE
