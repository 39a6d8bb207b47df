"""Exact bounds of every neuron by a solver, layer by layer: bounds proved for a layer are asserted for the next."""

from __future__ import annotations

import math
from collections.abc import Callable

from verimv.bounding.results import NetworkBounds, NeuronBound
from verimv.core.effort import SECOND, Deadline, Meter
from verimv.core.progress import Progress, no_progress
from verimv.exact import Number
from verimv.networks.affine import Affine
from verimv.networks.network import Network, activate
from verimv.networks.program import Program, Range
from verimv.solvers.limited import DEFAULT_MEMORY
from verimv.solvers.optimise import Optimum, maximum
from verimv.solvers.point_search import Point

#: Work for all bounds, and for one end of one neuron's range.
_WORK, WORK_PER_BOUND = 600 * SECOND, 5 * SECOND


def solver_bounds(
    network: Network,
    seconds: float = math.inf,
    per_bound: int = WORK_PER_BOUND,
    solver: str = "z3",
    memory: int = DEFAULT_MEMORY,
    progress: Progress = no_progress,
) -> NetworkBounds:
    """Return the exact range of every neuron with attaining points; where work or time end, the best proved range."""
    meter = Meter(_WORK, Deadline(seconds))
    bounds = NetworkBounds()
    proven: dict[tuple[int, int], Range] = {}
    total = sum(len(layer.rows) for layer in network.layers)
    done = 0
    for depth, layer in enumerate(network.layers):
        program = Program(network.box)
        below = [Affine.variable(j) for j in range(program.inputs)]
        if depth:
            below = program.add_network(_first_layers(network, depth), proven)
        rows: list[NeuronBound] = []
        for index, row in enumerate(layer.rows):
            progress("exact bounds", done, total)
            form = row.substitute(below)
            at = _pre_activation(network, depth, index)
            ends = [
                _end(program, form if up else -form, at, up, network, solver, per_bound, meter, memory)
                for up in (False, True)
            ]
            rows.append(_bound(ends[0], ends[1]))
            proven[depth, index] = (rows[-1].lower, rows[-1].upper)
            done += 1
        bounds.layers.append(rows)
    return bounds


def _end(
    program: Program,
    form: Affine,
    at: Callable[[Point], Number],
    up: bool,
    network: Network,
    solver: str,
    per_bound: int,
    meter: Meter,
    memory: int,
) -> Optimum:
    """Return the maximum of a form, or the interval bound when work or time are used up."""
    if (meter.is_used_up or not meter.deadline.left) and form.terms:
        point = tuple(low for low, _ in network.box)
        return Optimum(at(point) if up else -at(point), point, program.range_of(form)[1])
    own = Meter(min(per_bound, meter.left), meter.deadline)
    found = maximum(program, form, at if up else lambda point: -at(point), network.inputs, own, solver, memory)
    meter.left -= own.spent
    return found


def _bound(lower: Optimum, upper: Optimum) -> NeuronBound:
    """Return the range between the maxima of −argument and of argument."""
    method = "exact" if lower.exact and upper.exact else "solver"
    return NeuronBound(
        -lower.upper,
        upper.upper,
        method,
        lower.point if lower.exact else None,
        upper.point if upper.exact else None,
    )


def _first_layers(network: Network, depth: int) -> Network:
    layers = network.layers[:depth]
    return Network.of(layers, network.inputs, network.box)


def _pre_activation(network: Network, depth: int, index: int) -> Callable[[Point], Number]:
    """Return the function that gives the exact pre-activation of one neuron at a point."""
    layers, row = network.layers[:depth], network.layers[depth].rows[index]

    def at(point: Point) -> Number:
        values = list(point)
        for layer in layers:
            values = [activate(layer.activation, form(values)) for form in layer.rows]
        return row(values)

    return at
