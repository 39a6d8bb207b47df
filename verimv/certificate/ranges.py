"""Certificates without a formula: ranges of a network's outputs, and of the difference of two networks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verimv.bounds.bound import NetworkBounds
from verimv.bounds.branch import Budget, Search
from verimv.bounds.engine import Effort, certified_bounds
from verimv.bounds.interval import interval_bounds
from verimv.bounds.pair import Pair, are_alike, reordered
from verimv.bounds.prover import Prover
from verimv.bounds.situation import Case, Place, Target
from verimv.bounds.walk import Walk
from verimv.certificate.bound_lines import BoundLines
from verimv.certificate.certificate import Certificate
from verimv.certificate.derivation import Derivation
from verimv.certificate.matching import checked
from verimv.exact import Number, format_number
from verimv.networks.json_format import write_network
from verimv.networks.network import Network
from verimv.networks.normalise import to_unit_cube
from verimv.smt.functions import aligned
from verimv.smt.limited import Deadline

#: Of the time for evidence: for the neurons below the outputs.
_HIDDEN_SHARE = 0.4


def certify_range(network: Network, ranges: Sequence[tuple[Number, Number]], seconds: float) -> Certificate | None:
    """A certificate that every output of a network stays within its range, if evidence is found in time."""
    unit = to_unit_cube(network)
    last = len(unit.layers)
    deadline = Deadline(seconds)
    lines = BoundLines(Derivation(), unit, _hidden_bounds(unit, seconds), deadline)
    lines.write_lemmas(last)
    for k, ends in enumerate(ranges):
        for target in _targets(unit, k, ends):
            if not lines.prove(target):
                return None
    return checked({"network": "".join(write_network(network))}, lines.derivation)


def _hidden_bounds(network: Network, seconds: float) -> NetworkBounds:
    """What helps to bound the last layer."""
    effort = Effort("exact", seconds=_HIDDEN_SHARE * seconds)
    bounds = certified_bounds(network, effort, only={(len(network.layers), -1)})
    return NetworkBounds(bounds.layers[:-1])


def _targets(network: Network, k: int, ends: tuple[Number, Number]) -> list[Target]:
    """Bounds of an argument from bounds of its output; where the activation saturates, intervals are enough."""
    last = len(network.layers)
    activation = network.layers[-1].activation
    loose = interval_bounds(network).layers[-1][k]
    low = loose.lower if activation != "identity" and ends[0] <= 0 else ends[0]
    high = loose.upper if activation == "crelu" and ends[1] >= 1 else ends[1]
    return [Target(last, k, -1, low), Target(last, k, 1, high)]


def certify_difference(a: Network, b: Network, tolerance: Number, seconds: float) -> Certificate | None:
    """A certificate that two networks with the same inputs and box never differ by more than a tolerance. The second is
    written with the names of the first.

    Found for networks of one shape with rational weights, if evidence is found in time.
    """
    deadline = Deadline(seconds)
    second = aligned(a, b)[1]
    b = replace(reordered(b, second.inputs, second.outputs), inputs=a.inputs, outputs=a.outputs)
    sides = [to_unit_cube(network) for network in (a, b)]
    if not are_alike(*sides) or any(side.number_kind == "algebraic" for side in sides):
        return None
    pair, depth = Pair(*sides), len(a.layers)
    bounds = [_hidden_bounds(side, seconds / 2) for side in sides]
    lines = BoundLines(Derivation(), sides[0], bounds[0], deadline)
    lines.write_lemmas(depth)
    known = [found.known(depth) for found in bounds]
    first = Walk(sides[0], known[0])
    for target, cases in bounds[1].lemmas(depth):
        place = (depth + target.layer, target.index)
        _write(lines.derivation, place, target, pair.about_second(cases, first))
    prover = Prover(pair.network, pair.known(*known))
    if not prover.floats.is_usable:
        return None
    top = len(pair.network.layers)
    for k in range(len(a.outputs)):
        for way in (1, -1):
            outcome = Search(prover, top, k, way, lambda _: tolerance, Budget(deadline.left)).run()
            if not outcome.complete:
                return None
            target = Target(top, k, way, way * tolerance)
            _write(lines.derivation, (2 * depth + 1, k), target, pair.about_difference(outcome.cases, prover.walk))
    texts = {"network": "".join(write_network(a)), "other": "".join(write_network(b))}
    return checked(texts, lines.derivation)


def _write(derivation: Derivation, place: Place, target: Target, cases: Sequence[Case]) -> None:
    derivation.line("bound", *place, target.side, format_number(target.value), *map(list, cases))
