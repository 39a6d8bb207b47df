"""Bounds of the difference of two networks with few inputs, by halved boxes with lemmas about the neurons of both."""

from __future__ import annotations

from collections.abc import Sequence

from verimv.bounding.results import NetworkBounds, Point
from verimv.bounding.search.box_output import BoxSearch
from verimv.bounding.search.difference_bounds import DifferenceBounds
from verimv.bounding.search.pair import DifferenceEvidence, Pair, are_alike
from verimv.bounding.situation import Case, Target
from verimv.core.effort import Deadline, Meter
from verimv.exact import ZERO, Number
from verimv.networks.network import Network


def bound_pair_on_boxes(
    a: Network, b: Network, goal: Number | None, work: int, deadline: Deadline
) -> tuple[DifferenceBounds | None, Sequence[Point]]:
    """Return bounds of |a − b| with evidence, or None; and points where the difference is large.

    With a goal, all outputs must reach it. The networks must be alike, rational, and have few inputs.
    Raises :class:`Undecided` at the deadline.
    """
    if not are_alike(a, b) or any(side.number_kind == "algebraic" for side in (a, b)):
        return None, []
    pair = Pair(a, b)
    network, meter = pair.difference.network, Meter(work, deadline)
    proofs: list[tuple[Target, Sequence[Case]]] = []
    upper: list[Number] = []
    points: list[Point] = []
    waiting = 2 * len(a.outputs)
    for index in range(len(a.outputs)):
        values: list[Number] = [ZERO]
        for way in (1, -1):
            search = BoxSearch(network, index, way)
            if not search.is_usable:
                return None, []
            share = Meter(max(0, meter.left) // waiting, deadline)
            outcome = search.run(goal, share)
            meter.spend(share.spent)
            points.append(outcome.point)
            if outcome.value is None or (goal is not None and outcome.value > goal):
                return None, points
            proofs.append((Target(len(network.layers), index, way, way * outcome.value), outcome.cases))
            values.append(outcome.value)
            waiting -= 1
        upper.append(max(values))
    evidence = DifferenceEvidence(pair, NetworkBounds(), NetworkBounds(), proofs)
    return DifferenceBounds(upper, points, evidence), points
