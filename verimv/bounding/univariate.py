"""Exact bounds for networks with one input, by following all breakpoints through the layers.

Between neighbouring breakpoints every value is linear, so its extremes are at breakpoints, and a ReLU adds at most one
breakpoint per piece. The number of pieces can double with every layer (the sawtooth g_s has 2^s); beyond `max_pieces`
the remaining layers are left to other methods.
"""

from __future__ import annotations

from collections.abc import Sequence

from verimv.bounding.results import NetworkBounds, NeuronBound
from verimv.bounding.situation import KINKS
from verimv.exact import Number
from verimv.networks.network import Network, activate

MAX_PIECES = 2048


def univariate_bounds(network: Network, max_pieces: int = MAX_PIECES) -> NetworkBounds:
    """Return exact ranges of neurons with attaining points, layer by layer until there are too many pieces."""
    if len(network.inputs) != 1:
        return NetworkBounds()
    bounds = NetworkBounds()
    points: list[Number] = list(dict.fromkeys(network.box[0]))
    values: list[list[Number]] = [[x] for x in points]  # of the layer below, at each point
    for layer in network.layers:
        traced = [[row(below) for row in layer.rows] for below in values]
        bounds.layers.append([_extremes(points, [at[i] for at in traced]) for i in range(len(layer.rows))])
        points, traced = _with_crossings(points, traced, KINKS[layer.activation], max_pieces)
        if len(points) > max_pieces:
            break
        values = [[activate(layer.activation, t) for t in at] for at in traced]
    return bounds


def _extremes(points: Sequence[Number], values: Sequence[Number]) -> NeuronBound:
    """Return the range of values, with the points where its ends are attained."""
    low = min(range(len(values)), key=values.__getitem__)
    high = max(range(len(values)), key=values.__getitem__)
    return NeuronBound(values[low], values[high], "exact", (points[low],), (points[high],))


def _with_crossings(
    points: Sequence[Number], traced: Sequence[Sequence[Number]], bends: Sequence[int], enough: int
) -> tuple[list[Number], list[list[Number]]]:
    """Insert the points at which a value crosses a bend, with all values there; stop beyond `enough` points."""
    new_points, new_traced = [points[0]], [list(traced[0])]
    for index in range(1, len(points)):
        if len(new_points) > enough:
            break
        left, right = traced[index - 1], traced[index]
        crossings = {
            (bend - a) / (b - a)
            for a, b in zip(left, right, strict=True)
            for bend in bends
            if (a - bend) * (b - bend) < 0
        }
        for share in sorted(crossings):
            new_points.append(points[index - 1] + share * (points[index] - points[index - 1]))
            new_traced.append([a + share * (b - a) for a, b in zip(left, right, strict=True)])
        new_points.append(points[index])
        new_traced.append(list(right))
    return new_points, new_traced
