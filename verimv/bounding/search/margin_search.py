"""Is the only output of a network positive everywhere on its box? Points first, then the searches for ranges.

Small networks get their exact minimum, or a proof that the output is at least a small part of its least value at the
points that were tried. Larger ones are for :mod:`verimv.bounding.search.box_conflict`.
"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Literal

from verimv.bounding.interval import interval_bounds
from verimv.bounding.results import Point
from verimv.bounding.search.box_output import BoxSearch
from verimv.bounding.search.output_range import RangeEvidence, is_of_fair_size, prove_ranges, searched_ranges
from verimv.core.effort import NEVER, SECOND, Deadline, Meter
from verimv.core.errors import Undecided
from verimv.core.progress import Progress, no_progress
from verimv.core.workers import Workers
from verimv.exact import ZERO, Number, Rational
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.solvers.point_search import quick_points, simplest

#: Parts of the least value found that are tried as lower bounds, of networks whose minimum is not found.
_PARTS = (Rational(1, 16), Rational(1, 4096))
#: Work for a proof, at least: enough for what intervals show.
_LEAST = SECOND // 20
#: The exact minimum is looked for if there are at most so many hidden neurons.
FEW_NEURONS = 200


@dataclass(frozen=True)
class MarginResult:
    """The output of a network is positive ("holds"), or not at `point`, where it is `value`; or that is undecided."""

    verdict: Literal["holds", "violated", "undecided"]
    #: the point with the least value found, in the network's own inputs, and that value
    point: Point
    value: Number
    #: the best lower bound that is proved; None if there is none
    bound: Number | None = None
    evidence: RangeEvidence | None = None


def prove_positive(
    network: Network,
    strict: bool,
    meter: Meter,
    deadline: Deadline = NEVER,
    progress: Progress = no_progress,
    workers: Workers = 1,
) -> MarginResult:
    """Return whether the output is positive on the whole box; if not `strict`, 0 is enough, too."""
    search = _MarginSearch(network, strict, meter, deadline)
    search.look()
    with suppress(Undecided):  # the time is over: report what is known
        if not search.is_violated and len(list(search.hidden)) <= FEW_NEURONS:
            search.minimise(progress, workers)
            if not search.is_violated:
                search.prove()
    return search.result()


class _MarginSearch:
    def __init__(self, network: Network, strict: bool, meter: Meter, deadline: Deadline) -> None:
        self.network, self.strict, self.meter, self.deadline = network, strict, meter, deadline
        self.unit = to_unit_cube(network)
        self.interval = interval_bounds(self.unit).layers[-1][0]
        self.hidden = [row for layer in network.layers[:-1] for row in layer.rows]
        self.point = tuple((low + high) / 2 for low, high in self.unit.box)
        self.value = self._at(self.point)
        self.bound: Number | None = self.interval.lower
        self.is_exact = False
        self.evidence: RangeEvidence | None = None

    def _at(self, point: Point) -> Number:
        return self.unit.at(point)[0]

    def _is_bad(self, value: Number) -> bool:
        return value < 0 or (value == 0 and self.strict)

    @property
    def is_violated(self) -> bool:
        return self._is_bad(self.value)

    def _consider(self, point: Point) -> None:
        value = self._at(point)
        if value < self.value:
            self.point, self.value = point, value

    def look(self) -> None:
        """Try corners, simple points, and a climb from the best of many random ones."""
        for point in quick_points(len(self.unit.inputs)):
            self._consider(point)
        self.meter.spend(100 * sum(len(row.terms) for row in self.hidden))
        if self.unit.number_kind != "algebraic":
            search = BoxSearch(self.unit, 0, -1)
            if search.are_floats_usable:
                search.look()
                self._consider(search.point)

    def minimise(self, progress: Progress, workers: Workers) -> None:
        """Look for the exact minimum."""
        work = self.meter.left // 2
        [found] = searched_ranges(self.unit, work, workers, progress, self.deadline)
        self.meter.spend(work)
        if found is not None:
            self._consider(tuple(found.lower.point))
            self.bound, self.is_exact = self.value, True

    def prove(self) -> None:
        """Prove a lower bound that is enough."""
        if not is_of_fair_size(self.unit):
            return
        goals = [ZERO] if not self.strict else [self.value * part for part in _PARTS]
        for goal in [self.value] if self.is_exact else goals:
            work = max(self.meter.left // 2, _LEAST)
            self.evidence = prove_ranges(self.unit, [(goal, self.interval.upper)], work, self.deadline)
            if self.evidence is not None:
                self.bound = goal if self.bound is None else max(goal, self.bound)
                return
            self.meter.spend(self.meter.left // 2)

    def result(self) -> MarginResult:
        if self.is_violated:
            point = simplest(lambda p: all(0 <= x <= 1 for x in p) and self._is_bad(self._at(p)), self.point)
            return MarginResult("violated", self._own(point), self._at(point))
        verdict: Literal["holds", "undecided"] = "undecided" if self.evidence is None else "holds"
        return MarginResult(verdict, self._own(self.point), self.value, self.bound, self.evidence)

    def _own(self, point: Point) -> Point:
        return tuple(low + (high - low) * u for u, (low, high) in zip(point, self.network.box, strict=True))
