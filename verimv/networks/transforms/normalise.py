"""The same function in the form that extraction expects: on the unit cube, without affine layers in between."""

from __future__ import annotations

from dataclasses import replace

from verimv.exact import ONE, ZERO, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Layer, Network


def to_unit_cube(network: Network) -> Network:
    """Return the same function of u ∈ [0,1]ⁿ, where x = low + (high − low)·u is merged into the first layer."""
    if network.is_on_unit_cube():
        return network
    widths, lows = [high - low for low, high in network.box], [low for low, _ in network.box]
    first = network.layers[0]
    rows = (Affine(((j, w * widths[j]) for j, w in row.terms), row(lows)) for row in first.rows)
    layer = replace(first, rows=tuple(rows))
    return replace(network, layers=(layer, *network.layers[1:]), box=((ZERO, ONE),) * len(network.inputs))


def from_unit_cube(network: Network, box: Box) -> Network:
    """Return the same function of x in a box, where u = (x − low)/(high − low) is merged into the first layer.

    An input with one value only is the middle of its unit interval.
    """
    first = network.layers[0]
    rows = []
    for row in first.rows:
        forms = {}
        for j, _ in row.terms:
            low, high = box[j]
            forms[j] = (
                Affine(((j, 1 / (high - low)),), -low / (high - low)) if high > low else Affine((), Rational(1, 2))
            )
        rows.append(row.substitute(forms))
    return replace(network, layers=(replace(first, rows=tuple(rows)), *network.layers[1:]), box=box)


def without_identity_layers(network: Network) -> Network:
    """Merge hidden layers without activation into the next layer."""
    layers: list[Layer] = []
    for layer in network.layers:
        if layers and layers[-1].activation == "identity":
            below = layers.pop()
            layer = Layer(tuple(row.substitute(below.rows) for row in layer.rows), below.width_in, layer.activation)
        layers.append(layer)
    return replace(network, layers=tuple(layers))
