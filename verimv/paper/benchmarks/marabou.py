"""Marabou, if maraboupy is installed: can a neuron exceed a value? Decided in floating point."""

from __future__ import annotations

import importlib.util
from typing import Any

from verimv.bounding.guess.floats import FloatNetwork, FloatRanges
from verimv.solvers.limited import OutOfBudget, limited

NAME = "maraboupy"


def is_installed() -> bool:
    return importlib.util.find_spec(NAME) is not None


def exceeds(
    network: FloatNetwork, layer: int, index: int, value: float, ranges: FloatRanges, seconds: float
) -> bool | None:
    """Whether the argument of a neuron above relu layers can reach a value; None if there is no answer in time.

    Marabou may exceed its own time limit, so it runs in a process that can be killed.
    """
    try:
        return limited(_answer, network, layer, index, value, ranges, seconds, seconds=seconds)
    except OutOfBudget:
        return None


def _answer(
    network: FloatNetwork, layer: int, index: int, value: float, ranges: FloatRanges, seconds: float
) -> bool | None:
    from maraboupy import MarabouCore as core  # type: ignore[import-not-found,import-untyped,unused-ignore]

    query = core.InputQuery()
    inputs = network.layers[0].weights.shape[1]
    neurons = sum(len(low[0]) for low, _ in ranges)
    query.setNumberOfVariables(inputs + 2 * neurons)
    for j in range(inputs):
        query.setLowerBound(j, 0.0)
        query.setUpperBound(j, 1.0)
    below, free = list(range(inputs)), inputs
    for current, (low, high) in zip(network.layers[: layer - 1], ranges, strict=True):
        above = []
        for i, (row, bias) in enumerate(zip(current.weights, current.bias, strict=True)):
            argument, output, free = free, free + 1, free + 2
            query.addEquation(_equation(core, core.Equation.EQ, [(-1.0, argument), *_terms(row, below)], -float(bias)))
            query.setLowerBound(argument, float(low[0, i]))
            query.setUpperBound(argument, float(high[0, i]))
            core.addReluConstraint(query, argument, output)
            above.append(output)
        below = above
    top = network.layers[layer - 1]
    row, bias = top.weights[index], float(top.bias[index])
    query.addEquation(_equation(core, core.Equation.GE, _terms(row, below), value - bias))
    options = core.Options()
    options._verbosity, options._timeoutInSeconds = 0, max(1, int(seconds))
    verdict = core.solve(query, options, "")[0]
    return {"sat": True, "unsat": False}.get(verdict)


def _terms(row: Any, below: list[int]) -> list[tuple[float, int]]:
    return [(float(w), j) for w, j in zip(row, below, strict=True) if w]


def _equation(core: Any, kind: Any, terms: list[tuple[float, int]], right: float) -> Any:
    equation = core.Equation(kind)
    for weight, variable in terms:
        equation.addAddend(weight, variable)
    equation.setScalar(right)
    return equation
