"""The usual alternative for neuron bounds: a mixed-integer program with a binary variable per ReLU (big-M)."""

from __future__ import annotations

import math
from typing import Any

import highspy
import numpy as np

from verimv.bounding.guess.floats import FloatNetwork, FloatRanges
from verimv.bounding.guess.linear_program import INFINITY


def big_m_maximum(
    network: FloatNetwork, layer: int, index: int, way: int, ranges: FloatRanges, seconds: float
) -> float:
    """Return the maximum of way·argument of a neuron above relu layers, by HiGHS in floats; NaN if it gives up.

    `ranges` are those of the arguments below; their ends are the constants M.
    """
    solver: Any = highspy.Highs()  # type: ignore[no-untyped-call]
    solver.setOptionValue("output_flag", False)
    solver.setOptionValue("time_limit", seconds)
    solver.setOptionValue("threads", 1)
    program = _Program(network.layers[0].weights.shape[1])
    values = list(range(program.columns))
    for current, (low, high) in zip(network.layers[: layer - 1], ranges, strict=True):
        values = [
            program.relu(dict(zip(values, row, strict=True)), float(b), float(low[0, i]), float(high[0, i]))
            for i, (row, b) in enumerate(zip(current.weights, current.bias, strict=True))
        ]
    top = network.layers[layer - 1]
    cost = np.zeros(program.columns)
    cost[values] = way * top.weights[index]
    solver.passModel(program.model(-cost))
    solver.run()
    if solver.getModelStatus() != highspy.HighsModelStatus.kOptimal:
        return math.nan
    return -float(solver.getInfo().objective_function_value) + way * float(top.bias[index])


class _Program:
    """Columns with bounds, rows of coefficients with bounds, and the set of integer columns."""

    def __init__(self, inputs: int) -> None:
        self.bounds = [(0.0, 1.0)] * inputs
        self.whole = [False] * inputs
        self.rows: list[tuple[dict[int, float], float, float]] = []

    @property
    def columns(self) -> int:
        return len(self.bounds)

    def _column(self, low: float, high: float, whole: bool = False) -> int:
        self.bounds.append((low, high))
        self.whole.append(whole)
        return len(self.bounds) - 1

    def relu(self, row: dict[int, float], bias: float, low: float, high: float) -> int:
        """Return a column for ρ(row + bias), whose argument lies in [low, high]."""
        value = self._column(0.0, max(high, 0.0))
        negated = {j: -w for j, w in row.items()}
        if low >= 0:
            self.rows.append(({**negated, value: 1.0}, bias, bias))
        elif high > 0:
            on = self._column(0.0, 1.0, whole=True)
            self.rows.append(({**negated, value: 1.0}, bias, INFINITY))  # value ≥ argument
            self.rows.append(({**negated, value: 1.0, on: -low}, -INFINITY, bias - low))  # ≤ argument − low·(1 − on)
            self.rows.append(({value: 1.0, on: -high}, -INFINITY, 0.0))
        return value

    def model(self, cost: Any) -> Any:
        program = highspy.HighsLp()
        program.num_col_, program.num_row_ = self.columns, len(self.rows)
        program.col_cost_ = cost
        program.col_lower_ = np.array([low for low, _ in self.bounds])
        program.col_upper_ = np.array([high for _, high in self.bounds])
        program.row_lower_ = np.array([low for _, low, _ in self.rows])
        program.row_upper_ = np.array([high for _, _, high in self.rows])
        program.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
        program.a_matrix_.start_ = np.cumsum([0, *(len(row) for row, _, _ in self.rows)])
        program.a_matrix_.index_ = np.array([j for row, _, _ in self.rows for j in row], dtype=np.int32)
        program.a_matrix_.value_ = np.array([w for row, _, _ in self.rows for w in row.values()])
        kinds = highspy.HighsVarType
        program.integrality_ = [kinds.kInteger if whole else kinds.kContinuous for whole in self.whole]
        return program
