"""Proven ranges of neurons by the name of a method, and the choice of one."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

from verimv.bounding.by_solver import solver_bounds
from verimv.bounding.interval import interval_bounds
from verimv.bounding.results import NetworkBounds
from verimv.bounding.search.engine import SearchEffort, certified_bounds
from verimv.bounding.univariate import univariate_bounds
from verimv.core.choices import METHODS
from verimv.core.effort import SECOND
from verimv.core.errors import InputError
from verimv.core.workers import Workers
from verimv.networks.network import Network

#: "auto" is exact for networks with at most this many neurons above the first layer.
_AUTO_NEURONS = 16
#: Otherwise it stops at what Step 1 needs, and after so many nodes per bound; networks with more weights get backward
#: linear bounds, and those with many more intervals.
_AUTO_NODES = 200
_AUTO_WEIGHTS = 5_000
_AUTO_LINEAR_WEIGHTS = 50_000
_AUTO_WORK = 4 * SECOND


def neuron_bounds(
    network: Network,
    method: str = "auto",
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None,
    *,
    integer_ends: bool = False,
    workers: Workers = 1,
    record: Path | None = None,
) -> NetworkBounds:
    """Return bounds by one of :data:`METHODS`; "auto" is the tightest that takes a few seconds of work.

    `integer_ends` asks only for what Step 1 needs of ReLUs: the next integer, and only for neurons that matter.
    `record` is a file for what the search finds, from which an interrupted run is resumed; other methods are fast.
    """
    if method not in METHODS:
        raise InputError(f"unknown bounds {method}: choose one of {', '.join(METHODS)}")
    if method in ("auto", "exact") and len(network.inputs) == 1:
        bounds = univariate_bounds(network)
        if len(bounds.layers) == len(network.layers):
            return bounds
        if method == "auto":
            bounds.layers += interval_bounds(network).layers[len(bounds.layers) :]
            return bounds
    if network.number_kind == "algebraic" and method == "exact":
        return solver_bounds(network, progress=progress)
    effort = _auto(network, integer_ends) if method == "auto" else SearchEffort(method, integer_ends)
    return certified_bounds(network, SearchEffort(**{**vars(effort), "workers": workers}), progress, record=record)


def _auto(network: Network, integer_ends: bool) -> SearchEffort:
    """Return the effort that fits the size of a network."""
    weights = sum(len(row.terms) for layer in network.layers for row in layer.rows)
    if sum(len(layer.rows) for layer in network.layers[1:]) <= _AUTO_NEURONS:
        return SearchEffort("exact", False, _AUTO_WORK, SECOND)
    if weights <= _AUTO_WEIGHTS:
        return SearchEffort("exact", integer_ends, _AUTO_WORK, nodes=_AUTO_NODES)
    return SearchEffort("linear" if weights <= _AUTO_LINEAR_WEIGHTS else "interval", integer_ends, _AUTO_WORK)
