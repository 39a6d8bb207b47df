"""One output for several: their truth value, 1 where at least one of them is clearly above 0."""

from __future__ import annotations

from dataclasses import replace

from verimv.exact import Number
from verimv.networks.network import Layer, Network


def with_truth_value(network: Network, threshold: Number) -> Network:
    """Return the network whose one output `margin` is σ(Σ max(0, output) / threshold); its last layer must be affine.

    This is 1 exactly where Σ max(0, output) ≥ threshold > 0, and then some output is above 0. In logic it is the
    disjunction ⊕ of max(0, output) / threshold: that it is 1 everywhere means that a formula is valid.
    """
    positive = replace(network.layers[-1], activation="relu")
    together = Layer.of([[1 / threshold] * len(network.outputs)], [0], "crelu")
    layers = (*network.layers[:-1], positive, together, Layer.of([[1]], [0], "crelu"))
    name = "margin"
    while name in network.inputs:
        name += "_"
    return replace(network, layers=layers, outputs=(name,), labels={})
