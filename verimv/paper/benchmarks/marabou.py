"""Marabou, if maraboupy is installed: can a neuron exceed a value, can no output be positive? In floating point."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any

import numpy as np

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
    return _in_time(_exceeds, network, layer, index, value, ranges, seconds)


def none_is_positive(network: FloatNetwork, seconds: float) -> bool | None:
    """Whether at some point of the unit cube no output is above 0; None if there is no answer in time.

    The last layer must be affine. If another is not of ReLUs, there is no answer.
    """
    if any(layer.activation != "relu" for layer in network.layers[:-1]):
        return None
    return _in_time(_none_is_positive, network, seconds)


def _in_time(answer: Callable[..., bool | None], *arguments: Any) -> bool | None:
    """Call a function, whose last argument is a number of seconds, in a process that is killed if it takes longer."""
    try:
        return limited(answer, *arguments, seconds=arguments[-1])
    except OutOfBudget:
        return None


def _exceeds(
    network: FloatNetwork, layer: int, index: int, value: float, ranges: FloatRanges, seconds: float
) -> bool | None:
    core = _core()
    query, below = _below(core, network, layer, ranges)
    top = network.layers[layer - 1]
    row, bias = top.weights[index], float(top.bias[index])
    query.addEquation(_equation(core, core.Equation.GE, _terms(row, below), value - bias))
    return _solved(core, query, seconds)


def _none_is_positive(network: FloatNetwork, seconds: float) -> bool | None:
    core, inputs = _core(), network.layers[0].weights.shape[1]
    ranges = network.ranges(np.zeros((1, inputs)), np.ones((1, inputs)), len(network.layers))
    query, below = _below(core, network, len(network.layers), ranges)
    top = network.layers[-1]
    for row, bias in zip(top.weights, top.bias, strict=True):
        query.addEquation(_equation(core, core.Equation.LE, _terms(row, below), -float(bias)))
    return _solved(core, query, seconds)


def _core() -> Any:
    from maraboupy import MarabouCore  # type: ignore[import-not-found,import-untyped,unused-ignore]

    return MarabouCore


def _below(core: Any, network: FloatNetwork, layer: int, ranges: FloatRanges) -> tuple[Any, list[int]]:
    """Return a query about the layers below one (from 1), and the variables of the highest of them."""
    query = core.InputQuery()
    inputs = network.layers[0].weights.shape[1]
    neurons = sum(len(low[0]) for low, _ in ranges)
    query.setNumberOfVariables(inputs + 2 * neurons)
    for j in range(inputs):
        query.setLowerBound(j, 0.0)
        query.setUpperBound(j, 1.0)
        query.markInputVariable(j, j)  # Marabou reasons about layers only if it knows where they begin
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
    return query, below


def _solved(core: Any, query: Any, seconds: float) -> bool | None:
    options = core.Options()
    options._verbosity, options._timeoutInSeconds = 0, max(1, int(seconds))
    return {"sat": True, "unsat": False}.get(core.solve(query, options, "")[0])


def _terms(row: Any, below: list[int]) -> list[tuple[float, int]]:
    return [(float(w), j) for w, j in zip(row, below, strict=True) if w]


def _equation(core: Any, kind: Any, terms: list[tuple[float, int]], right: float) -> Any:
    equation = core.Equation(kind)
    for weight, variable in terms:
        equation.addAddend(weight, variable)
    equation.setScalar(right)
    return equation
