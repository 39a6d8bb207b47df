"""Boxes of inputs are halved, and all neurons are bounded in each, until every box is closed.

Floats look at many boxes at a time (:mod:`verimv.bounding.guess.box_floats`). Each open box is halved along the input
that promises most: a few are tried. Then all boxes are proved in exact arithmetic; those that are not, because floats
were too optimistic, are halved further. With few inputs this is far better than bounds of hidden neurons on the whole
cube, and the evidence is little more than the tree. The result is the same on every machine.

:mod:`verimv.bounding.search.box_output` asks how large an output is, :mod:`verimv.bounding.search.box_conflict`
whether one of several outputs is above 0 everywhere.
"""

from __future__ import annotations

import heapq
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

import numpy as np

from verimv.bounding.guess.box_floats import BoxFloats, BoxGuess, bends
from verimv.bounding.guess.floats import FloatNetwork, Floats, as_float
from verimv.bounding.prove.walk import value_at
from verimv.bounding.results import Point
from verimv.bounding.search.box_tree import BoxNode, ends_of
from verimv.bounding.search.vertex import rational
from verimv.bounding.situation import Ends, Place
from verimv.core.effort import Meter
from verimv.core.workers import Workers, team
from verimv.exact import Number
from verimv.networks.network import Box, Network

#: With more inputs, halving boxes is hopeless.
MOST_INPUTS = 12
#: Open boxes that are worked on at once, and boxes that are bounded at once.
_BATCH, _AT_ONCE = 32, 128
#: Inputs along which halving is tried: so many, if their scores are at least this share of the best.
_TRIED, _PROMISING = 3, 0.1
#: Of two ways to halve a box the one is better whose parts are less above the aim; then the one with lower bounds.
_LOWER = 1e-3
#: A bound is as good as attained if it is this close to it, relative to the first bound.
_NEAR = 1e-6
#: Where no input matters, wide ones are halved.
_EVEN = 1e-6
#: Boxes are not made narrower than this.
_NARROW = 2.0**-40
#: Work of bounding boxes in floats: for each time, for each box, and one unit for so many products.
_TIME, _BOX, _PRODUCTS = 2_000, 150, 1_500
#: Work of proving a box exactly: for each neuron, and one unit for so many products.
_NEURON, _EXACT_PRODUCTS = 40, 90
#: Boxes that a worker proves at a time.
_TASK = 8
#: Random points and corners, the best of which are where climbs begin; and steps of a climb.
_SAMPLES, _CLIMBS, _STEPS = 2_000, 64, 48

Proof = TypeVar("Proof")
#: Told the number of boxes that are proved or closed, and of all boxes of the tree.
BoxProgress = Callable[[int, int], None]


def no_box_progress(_closed: int, _all: int) -> None:
    """Ignore progress."""


@dataclass(frozen=True)
class BoxStatistics:
    """What a search has done: boxes that were bounded in floats, boxes at the end, the largest bound in floats."""

    bounded: int
    leaves: int
    upper: float


class BoxTree(Generic[Proof]):
    """Rows over the last hidden layer of a network on the unit cube; on each box, the row with the least bound counts.

    So the search bounds the largest value of the least of all rows. A box is closed if that is at most an aim.
    `rows` are given as outputs of the network, each with a way, 1 or −1. `known` are bounds of hidden arguments that
    are proved before, on the whole cube. `prove` shows exactly what is true of a box; it must be picklable. `by_bends`
    says whether inputs along which boxes are halved are also chosen by what they mean to neurons that bend. Mostly this
    makes trees several times smaller, and sometimes it never ends.
    """

    def __init__(
        self, network: Network, rows: Sequence[tuple[int, int]], known: Mapping[Place, Ends],
        prove: Callable[[Box], Proof], by_bends: bool = True,
    ) -> None:  # fmt: skip
        self.network, self.outputs, self.prove, self.by_bends = network, rows, prove, by_bends
        self._floats = FloatNetwork(network, known)
        top = self._floats.layers[-1]
        self.floats = BoxFloats(self._floats.layers[:-1], self._floats.known[:-1])
        self.rows = np.array([way * top.weights[k] for k, way in rows])
        self.constants = np.array([way * top.bias[k] for k, way in rows])
        self.inputs = len(network.inputs)
        self.point: Point = tuple(low for low, _ in network.box)
        self.attained = self.value_at(self.point)
        self.bounded = 0
        neurons = sum(len(layer.rows) for layer in network.layers)
        self._exact_work: int = _NEURON * neurons + self.floats.products // _EXACT_PRODUCTS
        self._root: BoxNode | None = None

    @property
    def is_usable(self) -> bool:
        """Whether floats are a guide."""
        return self._floats.is_usable

    # -- points ------------------------------------------------------------------------------------------------

    def value_at(self, point: Point) -> Number:
        """Return the least of the rows at a point, exactly."""
        last = len(self.network.layers)
        return min(way * value_at(self.network, last, k, point) for k, way in self.outputs)

    def _consider(self, points: Floats) -> None:
        """Keep the best of some points if it is better than the best so far, exactly."""
        values = self.floats.values(points, self.rows, self.constants).min(axis=1)
        best = int(np.argmax(values))
        if values[best] > as_float(self.attained):
            point = tuple(rational(x) for x in points[best])
            value = self.value_at(point)
            if value > self.attained:
                self.point, self.attained = point, value

    def look(self) -> None:
        """Look for a point where the least of the rows is large: random points, corners, and climbs from the best."""
        generator = np.random.default_rng(0)
        points = np.concatenate(
            [generator.random((_SAMPLES, self.inputs)),
             generator.integers(0, 2, (_SAMPLES, self.inputs)).astype(float)]
        )  # fmt: skip
        values = self.floats.values(points, self.rows, self.constants).min(axis=1)
        best = points[np.argsort(-values, kind="stable")[:_CLIMBS]]
        self._consider(best[:1])
        self._consider(self.floats.risen(best, self.rows, self.constants, _STEPS)[:1])

    # -- the tree in floats ------------------------------------------------------------------------------------

    @property
    def root(self) -> BoxNode:
        """The whole cube, bounded in floats."""
        if self._root is None:
            self._root = self._nodes([(np.zeros(self.inputs), np.ones(self.inputs))], Meter(0))[0]
        return self._root

    def close(self, aim: float, meter: Meter, progress: BoxProgress = no_box_progress) -> bool:
        """Halve boxes until all bounds are at most the aim; False if a point is above it, or the work is used up."""
        queued = itertools.count()
        ends = ends_of(self.root)
        waiting = [(-node.upper, next(queued), node) for node in ends if node.upper > aim]
        heapq.heapify(waiting)
        leaves = len(ends)
        while waiting and as_float(self.attained) <= aim:
            if meter.is_used_up:
                return False
            taken = [heapq.heappop(waiting)[2] for _ in range(min(_BATCH, len(waiting)))]
            halves = self.divide(taken, aim, meter)
            if not halves:
                return False
            leaves += len(halves) // 2
            for node in halves:
                if node.upper > aim:
                    heapq.heappush(waiting, (-node.upper, next(queued), node))
            progress(leaves - len(waiting), leaves)
        return not waiting and as_float(self.attained) <= aim

    def lower(self, meter: Meter) -> None:
        """Halve the boxes with the largest bounds, until these are nearly attained, or the work is used up.

        Work is kept back to prove all boxes exactly.
        """
        first, ends = self.root.upper, ends_of(self.root)
        while meter.left > self.work_of_proofs(len(ends)):
            seen, largest = as_float(self.attained), max(node.upper for node in ends)
            if largest <= seen + (first - seen) * _NEAR:
                return
            line = largest - (largest - seen) / 2
            taken = sorted((node for node in ends if node.upper >= line), key=lambda node: -node.upper)[:_BATCH]
            halves = self.divide(taken, seen, meter)
            if not halves:
                return
            ends = [node for node in ends if not node.children] + halves

    def _nodes(self, boxes: Sequence[tuple[Any, Any]], meter: Meter) -> list[BoxNode]:
        """Bound boxes in floats."""
        result = []
        for start in range(0, len(boxes), _AT_ONCE):
            part = boxes[start : start + _AT_ONCE]
            low, high = np.array([a for a, _ in part]), np.array([b for _, b in part])
            meter.spend(_TIME + len(part) * (_BOX + self.floats.products // _PRODUCTS))
            guess = self.floats.guess(self.rows, self.constants, low, high)
            each, least = np.arange(len(part)), guess.least
            form = guess.form[each, least]
            scores = self._scores(guess, form, high - low)
            self._consider(np.concatenate([(low + high) / 2, np.where(form > 0, high, low)]))
            upper = guess.upper[each, least]
            result += [BoxNode(low[n], high[n], float(upper[n]), scores[n]) for n in range(len(part))]
        self.bounded += len(boxes)
        return result

    def _scores(self, guess: BoxGuess, form: Floats, widths: Floats) -> Floats:
        """Return how much each input matters: to the linear form of the row, and to neurons that bend."""
        to_form = np.abs(form) * widths
        if not self.by_bends:
            return np.where(widths > _NARROW, _relative(to_form) + _EVEN * widths, -1.0)
        total: Any = np.zeros(0)
        for depth in range(len(guess.ranges) - 1, -1, -1):
            bent = bends(self.floats.activations[depth], *guess.ranges[depth])
            through = np.abs(guess.coefficients[depth]) * bent
            total = (total + through if total.size else through) @ np.abs(self.floats.weights[depth])
        to_bends = total * widths if guess.ranges else to_form
        return np.where(widths > _NARROW, _relative(to_form) + _relative(to_bends) + _EVEN * widths, -1.0)

    def divide(self, nodes: Sequence[BoxNode], aim: float, meter: Meter) -> list[BoxNode]:
        """Halve boxes along the input that promises most; return the parts of those that are wide enough."""
        trials: list[tuple[BoxNode, int]] = []
        for node in nodes:
            order = np.argsort(-node.scores, kind="stable")[:_TRIED]
            least = max(_PROMISING * float(node.scores[order[0]]), 0.0)
            trials += [(node, int(j)) for j in order if node.scores[j] >= least]
        found = self._nodes([half for node, j in trials for half in node.halves(j)], meter)
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

    # -- exactly -----------------------------------------------------------------------------------------------

    def work_of_proofs(self, boxes: int) -> int:
        """Return about how much work it is to prove so many boxes."""
        return boxes * self._exact_work

    def proofs(self, nodes: Sequence[BoxNode], workers: Workers, meter: Meter) -> Iterator[tuple[BoxNode, Proof]]:
        """Prove boxes, on so many processors; yields each with its proof, in any order."""
        tasks = [tuple(range(start, min(start + _TASK, len(nodes)))) for start in range(0, len(nodes), _TASK)]
        boxes = [node.box for node in nodes]
        with team(workers if len(tasks) > 1 else 1) as crew:
            proving = _Proving(self.prove, boxes)
            for task, found in crew.results(proving, tasks, None if meter.deadline.left > 1e9 else meter.deadline.left):
                meter.spend(self.work_of_proofs(len(task)))
                yield from ((nodes[n], proof) for n, proof in zip(task, found, strict=True))

    @property
    def statistics(self) -> BoxStatistics:
        """What was done so far."""
        ends = ends_of(self.root)
        return BoxStatistics(self.bounded, len(ends), max(node.upper for node in ends))


def _relative(scores: Floats) -> Floats:
    """Return scores with 1 for the best input of each box."""
    return scores / np.maximum(scores.max(axis=1, keepdims=True), 1e-300)


class _Proving(Generic[Proof]):
    """Proves some of many boxes."""

    def __init__(self, prove: Callable[[Box], Proof], boxes: Sequence[Box]) -> None:
        self.prove, self.boxes = prove, boxes

    def __call__(self, task: Sequence[int]) -> list[Proof]:
        return [self.prove(self.boxes[n]) for n in task]
