"""Upper bounds of |a − b| for each output, as low as the work allows: what is proved so far is always returned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from verimv.bounding.interval import corresponding_differences
from verimv.bounding.results import Point
from verimv.bounding.search.branch import BranchAndBound, Budget, Goal, Outcome
from verimv.bounding.search.engine import hidden_bounds
from verimv.bounding.search.layer_context import LayerContext
from verimv.bounding.search.pair import DifferenceEvidence, Pair, are_alike, pair_facts
from verimv.bounding.situation import Target
from verimv.core.effort import Deadline, Meter
from verimv.exact import ONE, ZERO, Number
from verimv.networks.network import Network
from verimv.networks.program import Program
from verimv.solvers.functions import Function

#: Share of the work that goes to the neurons below the difference.
_HIDDEN_SHARE = 0.4


@dataclass(frozen=True)
class DifferenceBounds:
    """Proved upper bounds of |difference|, per output; points found on the way; evidence that a certificate can use."""

    upper: Sequence[Number]
    points: Sequence[Point]
    evidence: DifferenceEvidence | None = None


def interval_bounds_of_pair(
    first: Function, second: Function, networks: tuple[Network, Network] | None
) -> list[Number]:
    """Return bounds by intervals, for any two functions; of networks that are alike, by differences of neurons."""
    if networks is not None and are_alike(*networks):
        return [max(-low, high) for low, high in corresponding_differences(*networks)]
    program = Program(((ZERO, ONE),) * len(first.inputs))
    differences = [x + -y for x, y in zip(first.add_to(program), second.add_to(program), strict=True)]
    ranges = [program.range_of(form) for form in differences]
    return [max(-low, high) for low, high in ranges]


def bound_pair(a: Network, b: Network, goals: Sequence[Goal], work: int, deadline: Deadline) -> DifferenceBounds | None:
    """Return bounds with evidence for two networks on the unit cube; None if they are not alike, or not rational.

    `goals` has for each output the bound to reach, from what is attained. Raises :class:`Undecided` at the deadline.
    """
    if not are_alike(a, b) or any(side.number_kind == "algebraic" for side in (a, b)):
        return None
    pair = Pair(a, b)
    hidden = int(work * _HIDDEN_SHARE) // 2
    first = hidden_bounds(pair.first.network, hidden, deadline)
    second = hidden_bounds(pair.second.network, hidden, deadline, pair.shared_bounds(first))
    network = pair.difference.network
    context = LayerContext(network, pair.difference.known(pair_facts(pair, first, second)[1]))
    if not context.floats.is_usable:
        return None
    meter = Meter(work - 2 * hidden, deadline)
    found = _ends(context, goals, meter)
    proofs = [
        (Target(len(network.layers), index, way, way * outcome.value), outcome.cases) for index, way, outcome in found
    ]
    return _bounds(found, DifferenceEvidence(pair, first, second, proofs))


def bound_network(network: Network, goals: Sequence[Goal], work: int, deadline: Deadline) -> DifferenceBounds | None:
    """Return bounds for a network whose outputs are differences; None if floats are no guide."""
    if network.number_kind == "algebraic":
        return None
    last, hidden = len(network.layers), int(work * _HIDDEN_SHARE)
    bounds = hidden_bounds(network, hidden, deadline)
    context = LayerContext(network, bounds.known(last))
    if not context.floats.is_usable:
        return None
    return _bounds(_ends(context, goals, Meter(work - hidden, deadline)), None)


def _ends(context: LayerContext, goals: Sequence[Goal], meter: Meter) -> list[tuple[int, int, Outcome]]:
    """Bound both ends of each difference; work that one leaves is for those after it."""
    last = len(context.network.layers)
    found: list[tuple[int, int, Outcome]] = []
    waiting = 2 * len(goals)
    for index, goal in enumerate(goals):
        for way in (1, -1):
            budget = Budget(max(0, meter.left) // waiting, deadline=meter.deadline)
            outcome = BranchAndBound(context, last, index, way, goal, budget).run()
            meter.spend(outcome.work)
            found.append((index, way, outcome))
            waiting -= 1
    return found


def _bounds(found: Sequence[tuple[int, int, Outcome]], evidence: DifferenceEvidence | None) -> DifferenceBounds:
    upper: dict[int, Number] = {}
    for index, _, outcome in found:
        upper[index] = max(upper.get(index, ZERO), outcome.value)
    return DifferenceBounds([upper[index] for index in sorted(upper)], [o.point for _, _, o in found], evidence)
