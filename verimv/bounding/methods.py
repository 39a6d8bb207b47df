"""Proven ranges of neurons by the name of a method, and the choice of one."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from pathlib import Path

from verimv.bounding.by_solver import solver_bounds
from verimv.bounding.interval import interval_bounds
from verimv.bounding.results import NetworkBounds
from verimv.bounding.search.engine import PER_BOUND, SearchEffort, certified_bounds
from verimv.bounding.situation import Place
from verimv.bounding.univariate import univariate_bounds
from verimv.core.choices import METHODS
from verimv.core.effort import NEVER, SECOND, Deadline
from verimv.core.errors import InputError
from verimv.core.progress import Progress, no_progress
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
    progress: Progress = no_progress,
    *,
    integer_ends: bool = False,
    per_bound: int = PER_BOUND,
    only: Collection[Place] | None = None,
    workers: Workers = 1,
    deadline: Deadline = NEVER,
    record: Path | None = None,
) -> NetworkBounds:
    """Return bounds by one of :data:`METHODS`; "auto" is the tightest that takes a few seconds of work.

    `integer_ends` asks only for what Step 1 needs of ReLUs: the next integer, and only for neurons that matter.
    `per_bound` is the work for each end of a range, and `only` the neurons of one layer (from 1) that have to be tight;
    "auto" chooses both itself. `record` is a file for what the search finds, from which an interrupted run is resumed;
    other methods are fast. A deadline that passes raises :class:`Undecided`.
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
    if method == "auto":
        effort, only = _auto(network, integer_ends), None
    else:
        effort = SearchEffort(method, integer_ends, per_bound=per_bound)
    effort = replace(effort, workers=workers, deadline=deadline)
    return certified_bounds(network, effort, progress, only, record)


def _auto(network: Network, integer_ends: bool) -> SearchEffort:
    """Return the effort that fits the size of a network."""
    weights = sum(len(row.terms) for layer in network.layers for row in layer.rows)
    if sum(len(layer.rows) for layer in network.layers[1:]) <= _AUTO_NEURONS:
        return SearchEffort("exact", False, _AUTO_WORK, SECOND)
    if weights <= _AUTO_WEIGHTS:
        return SearchEffort("exact", integer_ends, _AUTO_WORK, nodes=_AUTO_NODES)
    return SearchEffort("linear" if weights <= _AUTO_LINEAR_WEIGHTS else "interval", integer_ends, _AUTO_WORK)
