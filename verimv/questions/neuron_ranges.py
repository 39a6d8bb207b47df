"""In which range does every neuron stay, before activation?"""

from __future__ import annotations

import math
from typing import Any

from verimv.bounding.by_solver import solver_bounds
from verimv.bounding.methods import neuron_bounds
from verimv.bounding.results import NetworkBounds
from verimv.core.choices import BOUND_ENGINES, METHODS
from verimv.core.effort import NEVER, SECOND, Deadline
from verimv.core.errors import InputError, InternalError
from verimv.core.progress import Progress, no_progress
from verimv.core.workers import Workers
from verimv.networks.formats.load import as_network
from verimv.solvers.engines import SOLVERS
from verimv.solvers.limited import DEFAULT_MEMORY


def bounds(
    network: Any,
    *,
    method: str = "auto",
    engine: str = "search",
    neuron: tuple[int, int] | None = None,
    solver: str = "z3",
    seconds_per_bound: float = 5.0,
    seconds: float = math.inf,
    memory: int = DEFAULT_MEMORY,
    workers: Workers = 1,
    progress: Progress = no_progress,
) -> NetworkBounds:
    """Return a proven range of every neuron's argument (its value before activation) over the network's box.

    `network` is a network, or anything that :func:`verimv.load` takes, such as a path. `method` is one of interval,
    linear, lp and exact, from quick to tight, or auto: the tightest that takes a few seconds' worth of work. Exact
    bounds are found by the `engine` "search" (verimv's own), "smt" (a solver, within `memory` megabytes) or "both"
    (they must agree). `neuron` is the layer (from 1) and the index (from 0) of the only neuron that has to be tight;
    the bounds of others may be loose then. `seconds_per_bound` is the effort for each end of a range, counted in steps
    that take about so long; auto chooses it itself. After `seconds`, bounds that a solver did not finish are what is
    proved by then, and a search raises :class:`Undecided`.
    """
    network = as_network(network)
    if method not in METHODS:
        raise InputError(f"unknown bounds {method}: choose one of {', '.join(METHODS)}")
    if engine not in BOUND_ENGINES:
        raise InputError(f"unknown engine {engine}: choose one of {', '.join(BOUND_ENGINES)}")
    if solver not in SOLVERS:
        raise InputError(f"unknown solver {solver}: choose one of {', '.join(SOLVERS)}")
    if engine != "search":
        if method not in ("auto", "exact"):
            raise InputError(f"the engine {engine} finds exact bounds only: choose the method exact, not {method}")
        method = "exact"
    if neuron is not None:
        layer, index = neuron
        if not 1 <= layer <= len(network.layers) or not 0 <= index < len(network.layers[layer - 1].rows):
            layers = ", ".join(f"{i}:0 to {i}:{len(one.rows) - 1}" for i, one in enumerate(network.layers, start=1))
            raise InputError(f"no neuron {layer}:{index}: there are {layers}")
    per_bound = int(seconds_per_bound * SECOND)

    def by_solver() -> NetworkBounds:
        return solver_bounds(network, seconds, per_bound, solver, memory, progress)

    if method == "exact" and (engine == "smt" or network.number_kind == "algebraic"):
        return by_solver()
    only = None if neuron is None else {neuron}
    deadline = Deadline(seconds) if seconds < math.inf else NEVER
    found = neuron_bounds(network, method, progress, per_bound=per_bound, only=only, workers=workers, deadline=deadline)
    if engine == "both":
        _check_agreement(found, by_solver())
    return found


def _check_agreement(bounds: NetworkBounds, others: NetworkBounds) -> None:
    """Raise an error if one engine attains a value that the other excludes."""
    for layer, (rows, other_rows) in enumerate(zip(bounds.layers, others.layers, strict=True), start=1):
        for index, pair in enumerate(zip(rows, other_rows, strict=True)):
            for a, b in (pair, pair[::-1]):
                if (a.upper_at is not None and a.upper > b.upper) or (a.lower_at is not None and a.lower < b.lower):
                    raise InternalError(f"search and solver disagree about neuron {layer}:{index}")
