"""How large is an output of a network? Boxes of inputs are halved, with bounds of all neurons in each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from verimv.bounding.guess.floats import as_float
from verimv.bounding.prove.box_sweep import BoxSweep
from verimv.bounding.prove.box_walk import BoxWalk
from verimv.bounding.results import Point
from verimv.bounding.search.box_search import MOST_INPUTS, BoxStatistics, BoxTree
from verimv.bounding.search.box_tree import BoxNode, cases_of, ends_of
from verimv.bounding.situation import Case, Ends, LeafCase, Place, SweepCase, Target, lemma
from verimv.core.effort import Meter
from verimv.core.errors import InternalError
from verimv.exact import Number
from verimv.networks.network import Box, Network


@dataclass(frozen=True)
class BoxOutcome:
    """way·output ≤ `value` is proved by the cases, which is None if nothing is; it is `attained` at `point`."""

    value: Number | None
    cases: list[Case]
    attained: Number
    point: Point
    statistics: BoxStatistics

    def proves(self, goal: Number) -> bool:
        """Return whether the goal is proved."""
        return self.value is not None and self.value <= goal


class _OutputBound:
    """Bounds way·output on a box, as the kernel does by a sweep and a leaf without multipliers."""

    def __init__(self, network: Network, output: int, way: int, known: Mapping[Place, Ends]) -> None:
        hidden = network.layers[:-1]
        self._sweep, self._walk = BoxSweep(hidden, known), BoxWalk(network)
        self._output, self._way = output, way
        self._known: list[dict[int, Ends]] = [{} for _ in hidden]
        for (depth, i), ends in known.items():
            if depth <= len(hidden):
                self._known[depth - 1][i] = ends

    def __call__(self, box: Box) -> Number:
        swept, ascent = self._sweep.ranges(box), self._walk.start(box)
        if swept is None:
            raise InternalError("a box has no point")
        for known, layer in zip(self._known, swept, strict=True):
            ascent.go_on(ascent.known_ranges({**known, **layer.ends}))
        (bound,) = ascent.bounds([(self._output, self._way)])
        return bound


class BoxSearch:
    """One end of one output of a network with rational weights on the unit cube: way·output is bounded from above.

    `known` are bounds of hidden arguments that are proved before, on the whole cube.
    """

    def __init__(self, network: Network, output: int, way: int, known: Mapping[Place, Ends] | None = None) -> None:
        known = known or {}
        self._tree = BoxTree(network, [(output, way)], known, _OutputBound(network, output, way, known))

    @property
    def is_usable(self) -> bool:
        """Whether there are few inputs, and floats are a guide."""
        return self._tree.inputs <= MOST_INPUTS and self.are_floats_usable

    @property
    def are_floats_usable(self) -> bool:
        """Whether floats are a guide: then points can be looked for, also with many inputs."""
        return self._tree.is_usable

    @property
    def point(self) -> Point:
        """Where the largest value was found."""
        return self._tree.point

    @property
    def attained(self) -> Number:
        """The largest value that was found."""
        return self._tree.attained

    @property
    def statistics(self) -> BoxStatistics:
        """What was done so far."""
        return self._tree.statistics

    def closes(self, goal: Number, meter: Meter) -> bool:
        """Return whether floats close all boxes; this proves nothing, and is for comparisons in benchmarks."""
        return self._tree.close(as_float(goal), meter)

    def look(self) -> None:
        """Look for a point where way·output is large."""
        self._tree.look()

    def run(self, goal: Number | None, meter: Meter) -> BoxOutcome:
        """Search for a proof that way·output ≤ goal, until a point shows the contrary or the work is used up.

        Without a goal, the least bound is proved that is found with so much work.
        """
        self.look()
        if goal is None:
            self._tree.lower(meter)
            value = lemma(self._proved(ends_of(self._tree.root), meter), 1)
        elif self._reached(goal, meter):
            value = goal
        else:
            return BoxOutcome(None, [], self.attained, self.point, self.statistics)
        return BoxOutcome(
            value, cases_of(self._tree.root), self.attained, self.point, self.statistics
        )  # fmt: skip

    def _proved(self, nodes: list[BoxNode], meter: Meter) -> Number:
        """Prove boxes; return the largest bound."""
        bounds = []
        for node, bound in self._tree.proofs(nodes, 1, meter):
            node.cases = (SweepCase(), LeafCase())
            bounds.append(bound)
        return max(bounds)

    def _reached(self, goal: Number, meter: Meter) -> bool:
        """Halve boxes until the goal is proved in each; boxes of which floats expected too much are halved again."""
        while self._tree.close(as_float(goal), meter):
            unproved = [node for node in ends_of(self._tree.root) if not node.cases]
            failed = []
            for node, bound in self._tree.proofs(unproved, 1, meter):
                if bound <= goal:
                    node.cases = (SweepCase(), LeafCase())
                else:
                    failed.append(node)
            if not failed:
                return True
            if self.attained > goal or not self._tree.divide(failed, as_float(goal), meter):
                return False
        return False


def prove_on_boxes(network: Network, target: Target, known: Mapping[Place, Ends], meter: Meter) -> list[Case] | None:
    """Return cases that prove a bound of an output on the unit cube, or None when the work is used up."""
    if network.number_kind == "algebraic" or target.layer != len(network.layers) or meter.is_used_up:
        return None
    search = BoxSearch(network, target.index, target.way, known)
    if not search.is_usable:
        return None
    goal = target.way * target.value
    search.look()
    if search.attained >= goal:  # default slopes do not reach a bound that is attained
        return None
    outcome = search.run(goal, meter)
    return outcome.cases if outcome.proves(goal) else None
