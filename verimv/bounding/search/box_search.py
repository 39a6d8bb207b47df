"""Is an output of a network at most a given number? Boxes of inputs are halved, and all neurons bounded in each.

Floats look at many boxes at a time (:mod:`verimv.bounding.guess.box_floats`). Each open box is halved along the input
that promises most: a few are tried. When all boxes are closed, the tree is made smaller and proved in exact arithmetic,
with lemmas about neurons in boxes (:mod:`verimv.bounding.search.box_evidence`). With few inputs this is far better than
bounds of hidden neurons on the whole cube. The result is the same on every machine.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.guess.ascent import climb
from verimv.bounding.guess.box_floats import BoxFloats, BoxGuess, KnownRanges, bends
from verimv.bounding.guess.floats import FloatNetwork, Floats, as_float
from verimv.bounding.prove.box_walk import BoxWalk
from verimv.bounding.prove.walk import value_at
from verimv.bounding.results import Point
from verimv.bounding.search.box_evidence import WORTH, BoxEvidence, BoxStatistics, choice_work, lemma_work
from verimv.bounding.search.box_tree import BoxNode, in_preorder, joined_ranges, own_ranges
from verimv.bounding.search.vertex import rational
from verimv.bounding.situation import Case, Ends, Place, Target
from verimv.core.effort import Meter
from verimv.exact import Number
from verimv.networks.network import Network

#: With more inputs, halving boxes is hopeless.
MOST_INPUTS = 12
#: Open boxes that are worked on at once, and boxes that are bounded at once.
_BATCH, _AT_ONCE = 32, 128
#: Inputs along which halving is tried: so many, if their scores are at least this share of the best.
_TRIED, _PROMISING = 3, 0.1
#: Of two ways to halve a box the one is better whose parts are less above the goal; then the one with lower bounds.
_LOWER = 1e-3
#: Boxes are not made narrower than this.
_NARROW = 2.0**-40
#: Work of bounding boxes: for each time, for each box, and one unit for so many products.
_TIME, _BOX, _PRODUCTS = 2_000, 150, 3_000
#: Random points, for a start.
_SAMPLES = 2_000


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


class BoxSearch:
    """One end of one output of a network with rational weights on the unit cube: way·output is bounded from above.

    `known` are bounds of hidden arguments that are proved before, on the whole cube.
    """

    def __init__(self, network: Network, output: int, way: int, known: Mapping[Place, Ends] | None = None) -> None:
        self.network, self.output, self.way = network, output, way
        self.known = known or {}
        self._network = FloatNetwork(network, self.known)
        self.floats = BoxFloats(self._network.layers)
        top = self._network.layers[-1]
        self.row, self.constant = way * top.weights[output], float(way * top.bias[output])
        self.point: Point = tuple(low for low, _ in network.box)
        self.attained = self._exactly(self.point)
        self.nodes = 0

    @property
    def is_usable(self) -> bool:
        """Whether there are few inputs, and floats are a guide."""
        return len(self.network.inputs) <= MOST_INPUTS and self._network.is_usable

    # -- points ------------------------------------------------------------------------------------------------

    def _exactly(self, point: Point) -> Number:
        return self.way * value_at(self.network, len(self.network.layers), self.output, point)

    def _consider(self, points: Floats) -> None:
        """Keep the best of some points if it is better than the best so far, exactly."""
        values = self.floats.values(points, self.row, self.constant)
        best = int(np.argmax(values))
        if values[best] > as_float(self.attained):
            point = tuple(rational(x) for x in points[best])
            value = self._exactly(point)
            if value > self.attained:
                self.point, self.attained = point, value

    def look(self) -> None:
        """Look for a point where way·output is large: random ones, and a climb from the best."""
        generator = np.random.default_rng(0)
        points = np.concatenate(
            [generator.random((_SAMPLES, self.floats.inputs)),
             generator.integers(0, 2, (_SAMPLES, self.floats.inputs)).astype(float)]
        )  # fmt: skip
        self._consider(points)
        near = np.array([as_float(x) for x in self.point])
        top = climb(self._network, len(self.network.layers), self.output, self.way, near)
        self._consider(np.clip(np.asarray(top, dtype=float), 0, 1)[None])

    # -- the tree ----------------------------------------------------------------------------------------------

    def run(self, goal: Number | None, meter: Meter) -> BoxOutcome:
        """Search for a proof that way·output ≤ goal, until a point shows the contrary or the work is used up.

        Without a goal, the least bound is proved that is found with so much work.
        """
        self.look()
        root = self._nodes([(np.zeros(self.floats.inputs), np.ones(self.floats.inputs))], [self._first()], meter)[0]
        queued = itertools.count()
        waiting = [(-root.upper, next(queued), root)]
        leaves, exact = 1, root.work  # of the tree so far: boxes at the end, and work to prove their lemmas
        each = choice_work(self.floats)
        while waiting and meter.left > exact + leaves * each and (goal is None or self.attained <= goal):
            aim = as_float(self.attained if goal is None else goal)
            taken = [heapq.heappop(waiting)[2] for _ in range(min(_BATCH, len(waiting)))]
            if goal is None:
                taken, back = self._worth_it(taken, root.upper)
                for node in back:
                    heapq.heappush(waiting, (-node.upper, next(queued), node))
                if not taken:
                    break
            halves = self._divided(taken, aim, meter)
            leaves += len(halves) // 2
            exact += sum(half.work for half in halves) - sum(node.work for node in taken if node.children)
            for node in halves:
                if node.upper > aim:
                    heapq.heappush(waiting, (-node.upper, next(queued), node))
        return self._outcome(root, goal, meter)

    def _worth_it(self, taken: list[BoxNode], first: float) -> tuple[list[BoxNode], list[BoxNode]]:
        """Return the boxes whose bound is close to the largest, and the others."""
        largest = max(node.upper for node in taken)
        step = (first - as_float(self.attained)) * 1e-6
        if largest <= as_float(self.attained) + step:
            return [], taken
        line = largest - (largest - as_float(self.attained)) / 2
        return [n for n in taken if n.upper >= line], [n for n in taken if n.upper < line]

    def _first(self) -> KnownRanges:
        """Return what is known of the neurons on the whole cube."""
        return [(low.copy(), high.copy()) for low, high in self._network.known[:-1]]

    def _nodes(self, boxes: Sequence[tuple[Any, Any]], known: Sequence[KnownRanges], meter: Meter) -> list[BoxNode]:
        """Bound boxes in floats; `known` are the ranges of the boxes around them."""
        result = []
        for start in range(0, len(boxes), _AT_ONCE):
            part, ranges = boxes[start : start + _AT_ONCE], joined_ranges(known[start : start + _AT_ONCE])
            low, high = np.array([a for a, _ in part]), np.array([b for _, b in part])
            meter.spend(_TIME + len(part) * (_BOX + self.floats.products // _PRODUCTS))
            guess = self.floats.guess(self.row, self.constant, low, high, ranges, WORTH)
            scores = self._scores(guess, high - low)
            works = lemma_work(self.floats, guess)
            corners = np.where(guess.form > 0, high, low)
            self._consider(np.concatenate([(low + high) / 2, corners]))
            for n in range(len(part)):
                known_now = own_ranges(guess.ranges, n)
                result.append(
                    BoxNode(low[n], high[n], float(guess.upper[n]), guess.form[n], known_now, scores[n], int(works[n]))
                )
        self.nodes += len(boxes)
        return result

    def _scores(self, guess: BoxGuess, widths: Floats) -> Floats:
        """Return how much each input matters: to the linear form of the target, and to neurons that bend."""
        to_form = np.abs(guess.form) * widths
        total: Any = 0.0
        for depth in range(len(guess.ranges) - 1, -1, -1):
            found = guess.ranges[depth]
            bent = bends(self.floats.activations[depth], found.low, found.high)
            total = total + np.abs(guess.coefficients[depth]) * bent
            total = (total[:, :, None] * np.abs(self.floats.weights[depth])).sum(axis=1)
        to_bends = total * widths if guess.ranges else to_form
        parts = [part / np.maximum(part.max(axis=1, keepdims=True), 1e-300) for part in (to_form, to_bends)]
        return np.where(widths > _NARROW, parts[0] + parts[1] + 1e-6 * widths, -1.0)

    def _divided(self, nodes: Sequence[BoxNode], aim: float, meter: Meter) -> list[BoxNode]:
        """Halve boxes along the input that promises most; return the parts."""
        trials: list[tuple[BoxNode, int]] = []
        for node in nodes:
            order = np.argsort(-node.scores, kind="stable")[:_TRIED]
            least = _PROMISING * max(float(node.scores[order[0]]), 0.0)
            trials += [(node, int(j)) for j in order if node.scores[j] >= least]
        boxes = [half for node, j in trials for half in node.halves(j)]
        found = self._nodes(boxes, [node.known for node, _ in trials for _ in range(2)], meter)
        best: dict[int, tuple[float, int, list[BoxNode]]] = {}
        for t, (node, j) in enumerate(trials):
            halves = found[2 * t : 2 * t + 2]
            above = sum(max(half.upper - aim, 0.0) + _LOWER * half.upper for half in halves)
            if id(node) not in best or above < best[id(node)][0]:
                best[id(node)] = above, j, halves
        result: list[BoxNode] = []
        for node in nodes:
            if id(node) in best:
                _, j, halves = best[id(node)]
                node.divide(j, halves)
                result += halves
        return result

    def _outcome(self, root: BoxNode, goal: Number | None, meter: Meter) -> BoxOutcome:
        """Prove what the tree shows."""
        leaves = [node.upper for node in in_preorder(root) if not node.children]
        largest = max(leaves)
        evidence = BoxEvidence(self.floats, BoxWalk(self.network), self.row, self.constant, self.output, self.way)
        if goal is not None and (self.attained > goal or largest > as_float(goal)):
            return BoxOutcome(None, [], self.attained, self.point, evidence.nothing(self.nodes, largest))
        aim = goal if goal is not None else None
        limit = as_float(goal) if goal is not None else largest
        if not math.isfinite(limit):
            return BoxOutcome(None, [], self.attained, self.point, evidence.nothing(self.nodes, largest))
        value, cases, statistics = evidence.prove(root, limit, aim, self._first(), self.known, self.nodes, meter)
        return BoxOutcome(value, cases, self.attained, self.point, statistics)


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
