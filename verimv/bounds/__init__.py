"""Proven ranges of neurons, by name of method."""

from __future__ import annotations

from collections.abc import Callable

from verimv.bounds.bound import NetworkBounds, NeuronBound
from verimv.bounds.exact import exact_bounds
from verimv.bounds.interval import interval_bounds
from verimv.bounds.univariate import univariate_bounds
from verimv.errors import InputError
from verimv.networks.network import Network

__all__ = [
    "METHODS",
    "NetworkBounds",
    "NeuronBound",
    "exact_bounds",
    "interval_bounds",
    "neuron_bounds",
    "univariate_bounds",
]

METHODS = ("auto", "interval", "exact")

#: "auto" asks the solver about networks with at most this many neurons above the first layer, for so many seconds.
_AUTO_NEURONS = 16
_AUTO_SECONDS = 5.0


def neuron_bounds(
    network: Network,
    method: str = "auto",
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
) -> NetworkBounds:
    """Bounds by one of :data:`METHODS`; "auto" is the tightest that takes no more than a few seconds."""
    if method not in METHODS:
        raise InputError(f"unknown bounds {method}: choose one of {', '.join(METHODS)}")
    if method == "interval":
        return interval_bounds(network)
    if len(network.inputs) == 1:
        bounds = univariate_bounds(network)
        if len(bounds.layers) == len(network.layers):
            return bounds
        if method == "auto":
            bounds.layers += interval_bounds(network).layers[len(bounds.layers) :]
            return bounds
    if method == "exact":
        return exact_bounds(network, progress=progress)
    if sum(len(layer.rows) for layer in network.layers[1:]) <= _AUTO_NEURONS and network.number_kind != "algebraic":
        return exact_bounds(network, _AUTO_SECONDS, 1.0, progress=progress)
    return interval_bounds(network)
