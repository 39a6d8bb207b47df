"""The search for the distance of two networks or formulas: both ends, and the methods that improve them, in order.

The order, cheapest first: neurons that both share; points; intervals; then rounds of branch and bound, each with three
times the work of the last: over each network on its own, which is exact for small ones and gives certificates; then
over differences of neurons, which is far better for copies that differ a little; then, with few inputs, over boxes of
inputs with bounds of all neurons in each, and again with differences of all neurons, which gives no certificate. Both
ends only improve. How many rounds are run is a matter of work: the same question has the same answer on every run. A
clock may end the search; what is proved by then is returned, marked so.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence

from verimv.bounding.prove.twin_layers import TwinMap
from verimv.bounding.search.box_pair import bound_pair_on_boxes
from verimv.bounding.search.box_search import MOST_INPUTS
from verimv.bounding.search.branch import Goal
from verimv.bounding.search.change_search import ChangeSearch, can_be_searched
from verimv.bounding.search.difference import Difference
from verimv.bounding.search.difference_bounds import bound_network, bound_pair, interval_bounds_of_pair
from verimv.bounding.search.far_point import FarthestPoints, networks_of
from verimv.bounding.search.output_range import is_of_fair_size
from verimv.bounding.search.twin_map import are_comparable, twins_of
from verimv.bounding.search.twin_search import TwinSearch
from verimv.core.effort import SECOND, Meter
from verimv.core.errors import InternalError, Undecided
from verimv.exact import ONE, ZERO, Number, Rational, sign
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.questions.distance_ends import Distance, Ending, Evidence, OutputDistance, UpperBounds
from verimv.solvers.point_search import Search

#: Work for points, and for the first round of branch and bound; later rounds have so many times as much.
_POINTS = SECOND
_FIRST_ROUND, _GROWTH = SECOND, 3
#: Work for each second of effort: most steps of the search over twins are quicker than their work says (those on boxes
#: with differences are not).
_PER_SECOND = 2 * SECOND
#: Ends that are closer than this, relatively, count as met if exact numbers were not found in two rounds.
_MET = Rational(1, 2**19)
#: Parts of a round, each for the end that is farthest from being good enough.
_SHARES = 12
#: The search over phases makes room for boxes if the bound is more than so many times the goal, and if a round does not
#: lower it by this factor.
_FAR, _HARDLY = 4, Rational(9, 10)
#: Without a tolerance, each step on boxes lowers the goal by at most this factor.
_LOWERED = 8.0
#: Points of linear programs that are evaluated, for each end.
_POINTS_OF_PROGRAMS = 2


class DistanceSearch:
    """Both ends of the interval, and the methods that improve them.

    `units` are what differences of the outputs are compared in: the tolerance is so many units of each. With
    `certifiable`, only methods are used that give evidence.
    """

    def __init__(
        self,
        a: Formula | Network,
        b: Formula | Network,
        search: Search,
        tolerance: Number | None,
        within: Number,
        units: Sequence[Number] | None = None,
        certifiable: bool = False,
    ) -> None:
        self._began = time.perf_counter()
        self.search, self.tolerance, self.within = search, tolerance, within
        self.points = FarthestPoints(a, b)
        self.units = [ONE] * len(self.points.best) if units is None else list(units)
        self.networks = networks_of(*self.points.functions)
        self.difference = Difference(a, b, ZERO if tolerance is None else tolerance)
        self.bounds: UpperBounds | None = None
        #: which neurons correspond to each other, if that is known
        self.twins: TwinMap | None = None
        self._twins: TwinSearch | None = None
        self._rounds = 0
        self._is_vain = False  # bounds of each network on its own did not help
        self._certifiable: UpperBounds | None = None  # the best bounds with evidence
        self._may_halve_boxes = True
        self._are_twins_vain = False
        self._may_compare_boxes = not certifiable and self.networks is not None and can_be_searched(*self.networks)
        self._changes: ChangeSearch | None = None
        self._ended_by: Ending = "answered"

    # -- both ends ----------------------------------------------------------------------------------------------

    @property
    def attained(self) -> Number:
        return self.points.farthest.value

    @property
    def proved(self) -> Number | None:
        return None if self.bounds is None else self.bounds.largest

    def _improve(self, upper: Sequence[Number], evidence: Evidence | None) -> bool:
        """Keep bounds if they are better; return whether they are. All have the same evidence, so that one certificate
        can prove them."""
        found = UpperBounds(list(upper), evidence)
        known = self._certifiable
        if evidence is not None and (
            known is None or self._in_units(found.upper) < self._in_units(known.upper) or known.is_refined_by(found)
        ):
            self._certifiable = found
        is_better = self.bounds is None or self._in_units(found.upper) < self._in_units(self.bounds.upper)
        if is_better or (self.bounds is not None and self.bounds.is_refined_by(found)):
            self.bounds = found
            self._tell()
        return is_better

    def evidence_within(self, tolerance: Number) -> Evidence | None:
        """Return the evidence that the distance is at most a tolerance, if there is any."""
        return None if self._certifiable is None else self._certifiable.evidence_within(tolerance)

    @property
    def evidence(self) -> Evidence | None:
        """The evidence of the best bounds that have any."""
        return None if self._certifiable is None else self._certifiable.evidence

    def _in_units(self, sizes: Iterable[Number]) -> Number:
        """Return the largest of these differences of outputs."""
        return max((size / unit for size, unit in zip(sizes, self.units, strict=True)), default=ZERO)

    @property
    def is_over(self) -> bool:
        """Whether nothing more is asked for."""
        if self.proved is None or self.bounds is None:
            return False
        if self.tolerance is not None:
            attained = self._in_units(best.value for best in self.points.best)
            return attained > self.tolerance or self._in_units(self.bounds.upper) <= self.tolerance
        return self.proved <= self._wanted(self.attained) or (
            self._rounds > 1 and self.proved <= self.attained * (ONE + _MET)
        )

    def _wanted(self, attained: Number) -> Number:
        """Return the upper bound that is good enough."""
        return attained * (ONE + self.within)

    def result(self) -> Distance:
        if self.bounds is None:
            raise InternalError("no bound was computed")
        first = self.points.functions[0]
        outputs = []
        for name, best, upper in zip(first.outputs, self.points.best, self.bounds.upper, strict=True):
            if best.value > upper:
                raise InternalError(f"the difference of {name} is above its bound")
            outputs.append(OutputDistance(name, best.value, first.named(best.point), upper))
        seconds = time.perf_counter() - self._began
        return Distance(tuple(outputs), seconds, self._ended_by, self._certifiable)

    def _tell(self) -> None:
        """Report how both ends close in."""
        if self.proved is not None:
            ends = f"at least {rounded_down(self.attained)}, at most {rounded_up(self.proved)}"
            self.search.progress(f"closing in, {ends}", 0, 1)

    # -- methods ------------------------------------------------------------------------------------------------

    def run(self) -> Distance:
        """Use all methods until the question is answered or the effort is used up."""
        self.look()
        self.close(int(self.search.effort * _PER_SECOND))
        return self.result()

    def look(self) -> None:
        """Search points, and compute bounds that need no search."""
        self.search.progress("looking for differences", 0, 1)
        self.points.search(self.difference.network, _POINTS)
        if self.networks is not None and are_comparable(*self.networks):
            try:
                twins = twins_of(*self.networks) if self.twins is None else self.twins
                self._twins = TwinSearch(*self.networks, twins, self.search.deadline)
                self._improve(self._twins.upper, self._twins.evidence())
            except Undecided:
                self._ended_by = "time"
        if self._twins is None:
            upper = interval_bounds_of_pair(*self.points.functions, self.networks)
            network = self.difference.network
            if network is not None:
                for k, row in enumerate(network.layers[-1].rows):
                    if not row.terms:  # all neurons cancel
                        upper[k] = min(upper[k], abs(row.constant))
            self._improve(upper, None)

    def close(self, left: int) -> None:
        """Run rounds of branch and bound, each with more work than the last, until so much work is used up."""
        work = _FIRST_ROUND
        while self._ended_by != "time" and not self.is_over:
            methods = len(self._methods())
            if not methods or left < methods:
                self._ended_by = "effort" if methods else "methods"
                return
            if left < (_GROWTH + 1) * methods * work:  # the last round
                work = left // methods
            left -= methods * work
            self.round(work)
            work *= _GROWTH

    def round(self, work: int) -> None:
        """Run a round of branch and bound, with so much work for each method."""
        self._rounds += 1
        for method in self._methods():
            try:
                method(work)
            except Undecided:
                self._ended_by = "time"
                return
            if self.is_over:
                return

    def _methods(self) -> list[Callable[[int], None]]:
        """Return the methods that may improve the bounds, in the order in which they are asked."""
        methods: list[Callable[[int], None]] = []
        are_fair = self.networks is not None and all(map(is_of_fair_size, self.networks))
        if (are_fair or self.difference.network is not None) and not (self._is_vain and self._twins is not None):
            methods.append(self._bounded)
        if (
            self._twins is not None
            and not self._twins.is_large
            and not (self._are_twins_vain and self._may_compare_boxes)
        ):
            methods.append(self._bounded_by_twins)
        if are_fair and self._may_halve_boxes and len(self.points.functions[0].inputs) <= MOST_INPUTS:
            methods.append(self._bounded_on_boxes)
        if self._may_compare_boxes and (self.tolerance is None or sign(self.tolerance)):
            methods.append(self._bounded_by_changes)
        return methods

    def _bounded_by_twins(self, work: int) -> None:
        """Improve the largest bound, again and again, until it is good enough."""
        twins = self._twins
        if twins is None:
            return
        before = self._excess()
        least = self.attained * (ONE + _MET / 2) if self.tolerance is None else ZERO
        share = max(work // _SHARES, 1)
        for _ in range(_SHARES):
            worst = max(twins.evidence().proofs, key=lambda proof: proof.value / self.units[proof.output])
            goal = max(self._goal(worst.output)(self.attained), least)
            if worst.value <= goal or self.is_over:
                break
            twins.run(worst.output, worst.way, goal, share)
            for point in twins.points(worst.output, worst.way)[-_POINTS_OF_PROGRAMS:]:
                self.points.consider(point)
            self._improve(twins.upper, twins.evidence())
        self.points.simplify()
        after = self._excess()
        self._are_twins_vain = after > _FAR and after > before * _HARDLY

    def _excess(self) -> Number:
        """Return how many times the bound is what it should be; 0 if it should be 0."""
        goal = self._wanted(self.attained) if self.tolerance is None else self.tolerance
        return self._in_units(self.bounds.upper) / goal if self.bounds is not None and sign(goal) else ZERO

    def _bounded(self, work: int) -> None:
        goals, deadline = [self._goal(k) for k in range(len(self.units))], self.search.deadline
        found = None
        if self.networks is not None and all(map(is_of_fair_size, self.networks)):
            found = bound_pair(*self.networks, goals, work, deadline)
        if found is None and self.difference.network is not None:
            found = bound_network(self.difference.network, goals, work, deadline)
        self._is_vain = True
        if found is None:
            return
        for point in found.points:
            self.points.consider(point)
        self.points.simplify()
        known = self._certifiable  # bounds on boxes without evidence do not count here: more work may be better
        self._is_vain = known is not None and self._in_units(found.upper) >= self._in_units(known.upper)
        self._improve(found.upper, found.evidence)

    def _bounded_on_boxes(self, work: int) -> None:
        """Halve boxes of inputs, with bounds of all neurons in each."""
        if self.networks is None:
            return
        tolerance = None if self.tolerance is None else self.tolerance * min(self.units)
        found, points = bound_pair_on_boxes(*self.networks, tolerance, work, self.search.deadline)
        for point in points:
            self.points.consider(point)
        self.points.simplify()
        is_better = found is not None and self._improve(found.upper, found.evidence)
        self._may_halve_boxes = bool(points) and (is_better or not self._may_compare_boxes)

    def _bounded_by_changes(self, work: int) -> None:
        """Halve boxes of inputs, with differences of all neurons in each; without evidence."""
        if self.networks is None:
            return
        if self._changes is None:
            self._changes = ChangeSearch(*self.networks)
        meter, is_reached = Meter(work * SECOND // _PER_SECOND, self.search.deadline), True
        while is_reached and not self.is_over and not meter.is_used_up:
            goal = self._next_goal()
            is_reached = self._changes.run([goal * unit for unit in self.units], meter)
            # Only here: an alarm may come while boxes are moved, and then some are missing.
            self._improve(self._changes.upper, None)
            self.points.consider(self._changes.point)
        self._may_compare_boxes = self._changes.has_closed_some

    def _next_goal(self) -> Number:
        """Return the tolerance; or the geometric mean of what is good enough and what is proved, if that is not far."""
        if self.tolerance is not None or self.proved is None:
            return self.tolerance or ZERO
        best, proved = float(self._wanted(self.attained)), float(self.proved)
        return Rational(max(math.sqrt(best) * math.sqrt(proved), proved / _LOWERED))

    def _goal(self, output: int) -> Goal:
        """Return the goal for an output: the tolerance, or what is good enough for the farthest output."""
        if self.tolerance is not None:
            limit = self.tolerance * self.units[output]
            return lambda _: limit
        best = self.attained
        return lambda attained: self._wanted(max(best, attained))
