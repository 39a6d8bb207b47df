"""Ranges of outputs of networks and formulas, by the search for neuron bounds: found exactly, or proved as given."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from verimv.bounding.interval import interval_bounds
from verimv.bounding.results import NetworkBounds, NeuronBound, add_bound
from verimv.bounding.search.box_output import prove_on_boxes
from verimv.bounding.search.box_search import MOST_INPUTS
from verimv.bounding.search.engine import SearchEffort, certified_bounds, hidden_bounds
from verimv.bounding.search.evidence import prove_bound
from verimv.bounding.situation import Case, Ends, Place, Target
from verimv.core.effort import NEVER, SECOND, Deadline, Meter
from verimv.core.errors import InternalError
from verimv.core.progress import Progress, no_progress
from verimv.core.workers import Workers
from verimv.exact import Number
from verimv.formulas.formula import Formula
from verimv.networks.network import Network, activate
from verimv.networks.transforms.from_formula import to_network
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.solvers.functions import Function
from verimv.solvers.optimise import FunctionRange, Optimum
from verimv.solvers.point_search import simplest

#: With more hidden neurons, boxes are halved first.
_MANY_NEURONS = 64
#: Larger functions are left to solvers: dense layers of that many weights are slow.
_MAX_WEIGHTS = 200_000


def as_unit_network(subject: Formula | Network) -> Network | None:
    """Return the same function as a network on the unit cube; None if it is too large or irrational."""
    network = subject if isinstance(subject, Network) else to_network(subject)
    if not is_of_fair_size(network):
        return None
    network = to_unit_cube(network)
    return None if network.number_kind == "algebraic" else network


def is_of_fair_size(network: Network) -> bool:
    """Return whether the search can work on a network."""
    return sum(layer.width_in * len(layer.rows) for layer in network.layers) <= _MAX_WEIGHTS


def searched_ranges(
    subject: Formula | Network,
    work: int = 30 * SECOND,
    workers: Workers = 1,
    progress: Progress = no_progress,
    deadline: Deadline = NEVER,
) -> list[FunctionRange | None]:
    """Return the exact range of every output over the box, with points of the unit cube; None where it is not found."""
    network = as_unit_network(subject)
    if network is None:
        return [None] * len(subject.outputs)
    last = len(network.layers)
    only = {(last, i) for i in range(len(network.outputs))}
    effort = SearchEffort("exact", work=work, per_bound=work, workers=workers, deadline=deadline)
    bounds = certified_bounds(network, effort, progress, only).layers[-1]
    function = Function(subject)
    activation = network.layers[-1].activation
    result: list[FunctionRange | None] = []
    for i, (name, bound) in enumerate(zip(subject.outputs, bounds, strict=True)):
        result.append(_range(function, i, name, bound) if bound.exact else None)
        found = result[-1]
        ends = (activate(activation, bound.lower), activate(activation, bound.upper))
        if found is not None and (-found.lower.value, found.upper.value) != ends:
            raise InternalError(f"the values at the points that were found do not give the range of {name}")
    return result


def _range(function: Function, output: int, name: str, bound: NeuronBound) -> FunctionRange:
    """Return the range with values computed on the subject itself, at points made simple."""

    def optimum(point: tuple[Number, ...] | None, way: int) -> Optimum:
        at = tuple(point or ())[: len(function.inputs)]  # a formula without variables is a network of one input
        value = way * function.at(at)[output]

        def as_good(candidate: tuple[Number, ...]) -> bool:
            return all(0 <= x <= 1 for x in candidate) and way * function.at(candidate)[output] >= value

        return Optimum(value, simplest(as_good, at), value)

    return FunctionRange(name, optimum(bound.lower_at, -1), optimum(bound.upper_at, 1))


@dataclass(frozen=True)
class RangeEvidence:
    """Bounds of a network's hidden neurons, and a proof for each end of each output that rests on them."""

    hidden: NetworkBounds
    proofs: Sequence[tuple[Target, Sequence[Case]]]


def prove_ranges(
    network: Network, ranges: Sequence[tuple[Number, Number]], work: int, deadline: Deadline
) -> RangeEvidence | None:
    """Return evidence that each output of a network on the unit cube stays within its range, or None if none is found.

    `work` is for the outputs; the hidden neurons get two fifths more.
    """
    hidden = hidden_bounds(network, work * 2 // 5, deadline)
    known, meter = hidden.known(len(network.layers)), Meter(work, deadline)
    proofs: list[tuple[Target, Sequence[Case]]] = []
    for index, ends in enumerate(ranges):
        for target in _targets(network, index, ends):
            cases = _proved(network, target, known, meter)
            if cases is None:
                return None
            proofs.append((target, cases))
            add_bound(known, target)
    return RangeEvidence(hidden, proofs)


def _proved(network: Network, target: Target, known: Mapping[Place, Ends], meter: Meter) -> list[Case] | None:
    """Prove a bound of an output by halved boxes and by the search for neuron bounds, the better one for it first."""
    neurons = sum(len(layer.rows) for layer in network.layers[:-1])
    methods = [prove_bound, prove_on_boxes]
    if len(network.inputs) <= MOST_INPUTS and neurons > _MANY_NEURONS:
        methods.reverse()
    first = Meter(meter.left // 2, meter.deadline)
    cases = methods[0](network, target, known, first)
    meter.spend(first.spent)
    return methods[1](network, target, known, meter) if cases is None else cases


def _targets(network: Network, index: int, ends: tuple[Number, Number]) -> list[Target]:
    """Return bounds of an argument that give the bounds of its output; where it saturates, intervals are enough."""
    last = len(network.layers)
    activation = network.layers[-1].activation
    loose = interval_bounds(network).layers[-1][index]
    low = loose.lower if activation != "identity" and ends[0] <= 0 else ends[0]
    high = loose.upper if activation == "crelu" and ends[1] >= 1 else ends[1]
    return [Target(last, index, -1, low), Target(last, index, 1, high)]
