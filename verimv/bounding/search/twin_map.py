"""Which neurons of two networks correspond to each other."""

from __future__ import annotations

from verimv.bounding.prove.twin_layers import Twin
from verimv.exact import ONE
from verimv.networks.network import Network


def are_comparable(a: Network, b: Network) -> bool:
    """Return whether two rational networks have the same activations, layer by layer."""
    kinds = [[layer.activation for layer in network.layers] for network in (a, b)]
    return kinds[0] == kinds[1] and all(side.number_kind != "algebraic" for side in (a, b))


def twins_by_place(a: Network, b: Network) -> dict[tuple[int, int], Twin]:
    """Return for each neuron of the second network the one of the first at the same place, if there is one."""
    return {
        (depth, i): Twin(i, ONE)
        for depth, (layer, other) in enumerate(zip(a.layers, b.layers, strict=True))
        if layer.activation != "identity"
        for i in range(min(len(layer.rows), len(other.rows)))
    }
