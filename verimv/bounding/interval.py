"""Interval arithmetic: the inputs of each layer range independently. Exact for the first layer, looser above."""

from __future__ import annotations

from verimv.bounding.results import NetworkBounds, NeuronBound, Point
from verimv.exact import ZERO, Number
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Network, activate
from verimv.networks.program import Range


def interval_bounds(network: Network) -> NetworkBounds:
    """Return a bound for every neuron, in one pass."""
    bounds = NetworkBounds()
    box: list[tuple[Number, Number]] = list(network.box)
    for depth, layer in enumerate(network.layers):
        row_bounds = []
        for row in layer.rows:
            low, high = row.range_over(box)
            at = (_corner(row, network.box, -1), _corner(row, network.box, 1)) if depth == 0 else (None, None)
            row_bounds.append(NeuronBound(low, high, "interval", *at))
        bounds.layers.append(row_bounds)
        box = [(activate(layer.activation, b.lower), activate(layer.activation, b.upper)) for b in row_bounds]
    return bounds


def corresponding_differences(a: Network, b: Network) -> list[Range]:
    """Return ranges of a − b per output, by intervals for the differences of corresponding neurons."""
    differences: list[Range] = [(ZERO, ZERO)] * len(a.inputs)
    values: list[Range] = list(a.box)
    for layer, other, bounds in zip(a.layers, b.layers, interval_bounds(a).layers, strict=True):
        found = []
        for row, twin in zip(layer.rows, other.rows, strict=True):
            # w·v − w'·v' = (w − w')·v + w'·(v − v')
            low, high = (row + -twin).range_over(values)
            lowest, highest = Affine(twin.terms).range_over(differences)
            found.append((low + lowest, high + highest))
        ends = [(bound.lower, bound.upper) for bound in bounds]
        values = [(activate(layer.activation, low), activate(layer.activation, high)) for low, high in ends]
        if layer.activation != "identity":
            found = [(min(low, ZERO), max(high, ZERO)) for low, high in found]
        differences = found
    return differences


def _corner(form: Affine, box: Box, direction: int) -> Point:
    """Return the corner of the box at which a form is least (−1) or largest (+1)."""
    corner = [low for low, _ in box]
    for j, w in form.terms:
        if w * direction > 0:
            corner[j] = box[j][1]
    return tuple(corner)
