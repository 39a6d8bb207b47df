"""The same function in the form that extraction expects: on the unit cube, without affine layers in between."""

from __future__ import annotations

from dataclasses import replace

from verimv.exact import ONE, ZERO
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network


def to_unit_cube(network: Network) -> Network:
    """Return the same function of u ∈ [0,1]ⁿ, where x = low + (high − low)·u is merged into the first layer."""
    if network.is_on_unit_cube():
        return network
    maps = [Affine([(j, high - low)], low) for j, (low, high) in enumerate(network.box)]
    first = network.layers[0]
    layer = replace(first, rows=tuple(row.substitute(maps) for row in first.rows))
    return replace(network, layers=(layer, *network.layers[1:]), box=((ZERO, ONE),) * len(network.inputs))


def without_identity_layers(network: Network) -> Network:
    """Merge hidden layers without activation into the next layer."""
    layers: list[Layer] = []
    for layer in network.layers:
        if layers and layers[-1].activation == "identity":
            below = layers.pop()
            layer = Layer(tuple(row.substitute(below.rows) for row in layer.rows), below.width_in, layer.activation)
        layers.append(layer)
    return replace(network, layers=tuple(layers))
