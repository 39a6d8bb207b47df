"""Climbing in floats: from a point to a better one, by linear programs on the linear pieces of a network."""

from __future__ import annotations

from typing import Any

import numpy as np

from verimv.bounding.guess.floats import FloatNetwork, act, product
from verimv.bounding.guess.linear_program import INFINITY, LinearProgram
from verimv.bounding.situation import KINKS


def climb(network: FloatNetwork, layer: int, index: int, way: int, start: Any, steps: int = 6) -> Any:
    """Return a better point, by linear programs on the linear pieces around the best point so far."""
    point, best = start, way * network.values(start[None], layer)[0, index]
    for _ in range(steps):
        cost, rows, low, high = _cell(network, layer, index, way, point)
        answer = LinearProgram(np.zeros(len(point)), np.ones(len(point)), rows, low, high).maximise(cost)
        if answer.status != "optimal" or not np.isfinite(answer.point).all():
            break
        candidate = np.clip(answer.point, 0, 1)
        value = way * network.values(candidate[None], layer)[0, index]
        if not value > best + 1e-12 * (1 + abs(best)):
            break
        point, best = candidate, value
    return point


def _cell(network: FloatNetwork, layer: int, index: int, way: int, point: Any) -> tuple[Any, Any, Any, Any]:
    """Return the gradient at a point, and the rows and bounds of the linear piece around it."""
    values, constant = np.eye(len(point)), np.zeros(len(point))
    rows, low, high = [], [], []
    for current in network.layers[: layer - 1]:
        arguments, shift = product(current.weights, values), product(current.weights, constant) + current.bias
        at = product(arguments, point) + shift
        ends = np.full(len(at), -INFINITY), np.full(len(at), INFINITY)
        for kink in KINKS[current.activation]:
            ends[0][at >= kink], ends[1][at < kink] = kink, np.minimum(ends[1][at < kink], kink)
        rows.append(arguments)
        low.append(ends[0] - shift)
        high.append(ends[1] - shift)
        slope = act(current.activation, at + 1e-9) != act(current.activation, at)
        slope = slope if current.activation != "identity" else np.ones(len(at), dtype=bool)
        offset = act(current.activation, at) - np.where(slope, product(arguments, point), 0)
        values, constant = np.where(slope[:, None], arguments, 0), offset
    gradient = way * product(network.layers[layer - 1].weights[index], values)
    if not rows:
        return gradient, np.zeros((0, len(point))), [], []
    return gradient, np.concatenate(rows), np.concatenate(low), np.concatenate(high)
