"""Certificates without a formula: ranges of a network's outputs, and of the difference of two networks."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from verimv.bounding.interval import interval_bounds
from verimv.bounding.prove.situation import Case, Ends, Place, Target
from verimv.bounding.results import NetworkBounds, NeuronBound
from verimv.bounding.search.branch import Budget, Search
from verimv.bounding.search.engine import Effort, certified_bounds
from verimv.bounding.search.layer_context import Prover
from verimv.bounding.search.pair import Facts, Pair, Part, Translation, are_alike, reordered
from verimv.certificate.bound_lines import BoundLines
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_pair import checked
from verimv.certificate.lines import Derivation
from verimv.certificate.writer import EVIDENCE_WORK
from verimv.core.effort import Deadline, Meter
from verimv.core.errors import InputError, Undecided, check_type
from verimv.exact import Number, as_number, format_number
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Network
from verimv.networks.transforms.joint import SharedPair
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.solvers.functions import aligned

#: Of the work for evidence: for the neurons below the outputs.
_HIDDEN_WORK = EVIDENCE_WORK * 2 // 5


def certify_range(network: Network, ranges: Sequence[tuple[Any, Any]], seconds: float = math.inf) -> Certificate | None:
    """A certificate that every output of a network stays within its range, one pair of exact numbers for each; or None,
    if no evidence is found in time."""
    check_type(network, Network)
    if len(ranges) != len(network.outputs):
        raise InputError(f"expected a range for each of {len(network.outputs)} outputs, found {len(ranges)}")
    unit = to_unit_cube(network)
    ends = [(as_number(low), as_number(high)) for low, high in ranges]
    try:
        derivation = _range_lines(unit, ends, Deadline(seconds))
    except Undecided:
        return None
    return None if derivation is None else checked({"network": "".join(write_network(network))}, derivation)


def _range_lines(network: Network, ranges: Sequence[tuple[Number, Number]], deadline: Deadline) -> Derivation | None:
    hidden = _hidden_bounds(network, _HIDDEN_WORK, deadline)
    lines = BoundLines(Derivation(), network, hidden, Meter(EVIDENCE_WORK, deadline))
    lines.write_lemmas(len(network.layers))
    for k, ends in enumerate(ranges):
        for target in _targets(network, k, ends):
            if not lines.prove(target):
                return None
    return lines.derivation


def _hidden_bounds(
    network: Network, work: int, deadline: Deadline, given: Mapping[Place, NeuronBound] | None = None
) -> NetworkBounds:
    """What helps to bound the last layer; `given` is taken as it is."""
    effort = Effort("exact", work=work, deadline=deadline)
    bounds = certified_bounds(network, effort, only={(len(network.layers), -1)}, given=given)
    return NetworkBounds(bounds.layers[:-1])


def _targets(network: Network, k: int, ends: tuple[Number, Number]) -> list[Target]:
    """Bounds of an argument from bounds of its output; where the activation saturates, intervals are enough."""
    last = len(network.layers)
    activation = network.layers[-1].activation
    loose = interval_bounds(network).layers[-1][k]
    low = loose.lower if activation != "identity" and ends[0] <= 0 else ends[0]
    high = loose.upper if activation == "crelu" and ends[1] >= 1 else ends[1]
    return [Target(last, k, -1, low), Target(last, k, 1, high)]


def certify_difference(a: Network, b: Network, tolerance: Any = 0, seconds: float = math.inf) -> Certificate | None:
    """A certificate that two networks with the same inputs and box never differ by more than a tolerance, or None. The
    second is written with the names of the first.

    Found at once where the neurons of one are those of the other, up to their order and positive factors. Otherwise for
    networks of one shape with rational weights, if evidence is found in time.
    """
    check_type(a, Network)
    check_type(b, Network)
    tolerance = as_number(tolerance)
    second = aligned(a, b)[1]
    b = replace(reordered(b, second.inputs, second.outputs), inputs=a.inputs, outputs=a.outputs)
    first, other = to_unit_cube(a), to_unit_cube(b)
    try:
        derivation = _by_sharing(first, other, tolerance) or _by_search(first, other, tolerance, Deadline(seconds))
    except Undecided:
        return None
    if derivation is None:
        return None
    return checked({"network": "".join(write_network(a)), "other": "".join(write_network(b))}, derivation)


def _by_sharing(a: Network, b: Network, tolerance: Number) -> Derivation | None:
    """Lines for two networks all of whose neurons cancel: no search is needed."""
    differences = SharedPair(a, b).differences
    if any(row.terms or abs(row.constant) > tolerance for row in differences):
        return None
    derivation = Derivation()
    for k in range(len(differences)):
        for way in (1, -1):
            place = (len(a.layers) + len(b.layers) + 1, k)
            _write(derivation, place, Target(*place, way, way * tolerance), [("leaf",)])
    return derivation


def _by_search(a: Network, b: Network, tolerance: Number, deadline: Deadline) -> Derivation | None:
    """Evidence for bounds of both networks, then of their difference."""
    if not are_alike(a, b) or any(side.number_kind == "algebraic" for side in (a, b)):
        return None
    pair, derivation = Pair(a, b), Derivation()
    first = _hidden_bounds(pair.first.network, _HIDDEN_WORK // 2, deadline)
    facts = _write_lemmas(derivation, pair, pair.first, first, {})
    given = {
        place: first.layers[pair.first.places[k][0] - 1][pair.first.places[k][1]]
        for k, place in pair.second.places.items()
        if pair.is_shared(k) and place[0] < pair.depth
    }
    second = _hidden_bounds(pair.second.network, _HIDDEN_WORK // 2, deadline, given)
    facts = _write_lemmas(derivation, pair, pair.second, second, facts)
    prover = Prover(pair.difference.network, pair.difference.known(facts))
    if not prover.floats.is_usable:
        return None
    translated, top = Translation(pair, pair.difference, facts), len(pair.difference.network.layers)
    meter = Meter(EVIDENCE_WORK, deadline)
    for k in range(len(a.outputs)):
        for way in (1, -1):
            budget = Budget(meter.left, deadline=deadline)
            outcome = Search(prover, top, k, way, lambda _: tolerance, budget).run()
            meter.spend(outcome.work)
            if not outcome.complete:
                return None
            target = Target(top, k, way, way * tolerance)
            _write(derivation, (2 * pair.depth + 1, k), target, translated(outcome.cases, None))
    return derivation


def _write_lemmas(
    derivation: Derivation, pair: Pair, part: Part, bounds: NetworkBounds, facts: Facts
) -> dict[int, Ends]:
    """Lines for the neurons of a part that have none yet; and all that is known then."""
    known = {**part.facts(bounds.known(pair.depth)), **facts}
    translated = Translation(pair, part, known)
    for target, cases in bounds.lemmas(pair.depth):
        variable = part.members[target.layer - 1][target.index]
        if variable not in facts:
            _write(derivation, pair.place(variable), target, translated(cases, variable))
    return known


def _write(derivation: Derivation, place: Place, target: Target, cases: Sequence[Case]) -> None:
    derivation.line("bound", *place, target.side, format_number(target.value), *map(list, cases))
