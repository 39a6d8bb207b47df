"""Proven ranges of neurons, by name of method."""

from __future__ import annotations

from verimv.bounds.bound import NetworkBounds, NeuronBound
from verimv.bounds.interval import interval_bounds
from verimv.bounds.univariate import univariate_bounds
from verimv.errors import InputError
from verimv.networks.network import Network

__all__ = ["METHODS", "NetworkBounds", "NeuronBound", "interval_bounds", "neuron_bounds", "univariate_bounds"]

METHODS = ("auto", "interval", "exact")


def neuron_bounds(network: Network, method: str = "auto") -> NetworkBounds:
    """Bounds by one of :data:`METHODS`; "auto" is the tightest that takes no more than a few seconds."""
    if method == "interval":
        return interval_bounds(network)
    if method not in METHODS:
        raise InputError(f"unknown bounds {method}: choose one of {', '.join(METHODS)}")
    if len(network.inputs) == 1:
        bounds = univariate_bounds(network)
        bounds.layers += interval_bounds(network).layers[len(bounds.layers) :]
        return bounds
    if method == "exact":
        raise InputError("exact bounds are available for networks with one input only; use --bounds interval")
    return interval_bounds(network)
