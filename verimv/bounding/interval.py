"""Interval bounds: each layer's inputs range independently. Exact for the first layer, looser above."""

from __future__ import annotations

from verimv.bounding.results import NetworkBounds, NeuronBound, Point
from verimv.exact import Number
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Network, activate


def interval_bounds(network: Network) -> NetworkBounds:
    """A bound for every neuron, in one pass."""
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


def _corner(form: Affine, box: Box, direction: int) -> Point:
    """The corner of the box at which a form is least (−1) or largest (+1)."""
    corner = [low for low, _ in box]
    for j, w in form.terms:
        if w * direction > 0:
            corner[j] = box[j][1]
    return tuple(corner)
