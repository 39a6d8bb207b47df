"""Branch and bound for one end of one neuron's range: boxes of inputs first, then phases of neurons.

Floats guess where to look, which multipliers to use and when a part is done; a part is closed only by multipliers whose
bound, in exact arithmetic, reaches the goal. Parts that fail are opened again. When the budget ends, the bound that is
proved by then is returned.
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounds.floats import FloatNetwork, as_float, box_arrays
from verimv.bounds.relaxation import Relaxation, Relaxed
from verimv.bounds.situation import KINKS, Case, Ends, Numbering, Place, Situation, lemma
from verimv.bounds.vertex import climb, exact_multipliers, exact_point, rounded
from verimv.bounds.walk import LayerRange, Walk, value_at
from verimv.errors import InternalError
from verimv.exact import Number, Rational, ceil, format_number
from verimv.networks.network import Network

Point = tuple[Number, ...]

#: What a proof must reach, from the best value attained so far (of way·argument).
Goal = Callable[[Number], Number]


def exactly(attained: Number) -> Number:
    """The maximum itself."""
    return attained


def whole(attained: Number) -> Number:
    """The next whole number: all that Step 1 asks of a ReLU."""
    return Rational(ceil(attained))


#: Boxes are halved until so few neurons bend inside; then phases are split, with a linear program for each part.
_FEW_BENDS = 10
#: With no more neurons than this below the target, linear programs are cheap.
_SMALL = 24
_FEW_BENDS_OF_SMALL = 16
#: With more inputs, halving boxes is hopeless.
_MAX_BOX_INPUTS = 8
_NARROW = 2.0**-36
_BATCH = 32
_SAMPLES = 1000
_BITS = (8, 14, 24, 40, 53)
_RELATIVE = 1e-9
#: For parts that are still open when the budget ends, and the time that is kept back for proving something of them.
_OPEN_BITS = 14
_RESERVE = 1.3


@dataclass(frozen=True)
class Budget:
    """Whichever ends first. Nodes make results repeatable."""

    seconds: float = 60.0
    nodes: int = 1_000_000


@dataclass(frozen=True)
class Outcome:
    """way·argument ≤ value by the cases, and = `attained` at `point`. Complete if the goal was reached."""

    value: Number
    cases: list[Case]
    attained: Number
    point: Point
    complete: bool
    nodes: int


class Prover:
    """A network on the unit cube with what is proved of the layers below; shared by all targets of a layer."""

    def __init__(self, network: Network, known: Mapping[Place, Ends]) -> None:
        self.network, self.known = network, known
        self.walk = Walk(network, known)
        self.floats = FloatNetwork(network, known)
        self.numbering = Numbering(network)
        self.cube = Situation(network.box, {})
        #: of the whole cube, by layer, made when asked for
        self.relaxations: dict[int, Relaxation] = {}
        self._samples: dict[int, tuple[Any, Any]] = {}

    def __reduce__(self) -> tuple[type[Prover], tuple[Network, Mapping[Place, Ends]]]:
        """To other machines goes what it is made of: linear programs stay where they are."""
        return Prover, (self.network, self.known)

    @staticmethod
    def leaf(multipliers: Sequence[Number]) -> Case:
        return ("leaf", *map(format_number, multipliers))

    def samples(self, layer: int) -> tuple[Any, Any]:
        """Points of the cube, corners first, and the arguments of a layer there."""
        if layer not in self._samples:
            inputs = len(self.network.inputs)
            corners = list(itertools.islice(itertools.product((0.0, 1.0), repeat=inputs), 256))
            points = np.concatenate([np.array(corners), np.random.default_rng(0).random((_SAMPLES, inputs))])
            self._samples[layer] = points, self.floats.values(points, layer)
        return self._samples[layer]

    def multipliers(self, guess: Sequence[Any], ranges: Sequence[LayerRange], bits: int) -> list[dict[int, Number]]:
        """Short rationals beside float multipliers, for the neurons that need one."""
        return [
            {int(i): rounded(float(values[i]), bits) for i in np.flatnonzero(found.free)}
            for values, found in zip(guess, ranges, strict=True)
        ]


class Node:
    """A situation with what is guessed and what is proved about it."""

    __slots__ = (
        "bends",
        "bound",
        "children",
        "leaf",
        "middle",
        "multipliers",
        "ranges",
        "scores",
        "situation",
        "split",
        "upper",
    )

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.upper = math.inf  # guessed, as are the multipliers
        self.multipliers: list[Any] = []
        self.ranges: list[Any] = []
        self.bends = 0
        self.middle = -math.inf  # the value in the middle of the box, guessed
        self.scores: Any = None  # of inputs, for halving
        self.split: tuple[int | Place, Number] | None = None
        self.children: tuple[Node, ...] = ()
        self.leaf: list[Number] | None = None
        self.bound: Number | None = None  # proved by the leaf; None where the situation has no point


class Search:
    """One target: the largest way·argument of a neuron."""

    def __init__(self, prover: Prover, layer: int, index: int, way: int, goal: Goal, budget: Budget) -> None:
        self.prover, self.layer, self.index, self.way = prover, layer, index, way
        self.goal_of, self.budget = goal, budget
        self.walk, self.floats = prover.walk, prover.floats
        self._began = time.monotonic()
        self._ranging = self._closing = 0.0  # seconds of one exact evaluation, for stopping in time
        self.nodes = 0
        self.point: Point = tuple(low for low, _ in prover.network.box)
        self.attained = way * value_at(prover.network, layer, index, self.point)
        self.root = Node(prover.cube)
        neurons = sum(len(rows.rows) for rows in prover.network.layers[: layer - 1])
        self._few = _FEW_BENDS if neurons > _SMALL else _FEW_BENDS_OF_SMALL
        self._open: list[tuple[float, int, Node]] = []
        self._queued = itertools.count()  # breaks ties, the same way every time
        self._stuck: list[Node] = []

    # -- the best point so far ---------------------------------------------------------------------------------

    def _consider(self, near: Any, value: float, box: Any) -> None:
        """Climb from a float point that seems better, and replay what comes of it exactly."""
        if not value > float(self.attained) + self.tolerance:
            return
        top = climb(self.floats, self.layer, self.index, self.way, np.asarray(near, dtype=float))
        found = exact_point(self.prover.network, self.layer, self.index, self.way, top, box)
        if found is not None and found[1] > self.attained:
            self.point, self.attained = found

    @property
    def goal(self) -> Number:
        return self.goal_of(self.attained)

    # -- the search --------------------------------------------------------------------------------------------

    def run(self) -> Outcome:
        self._evaluate([self.root])
        self.tolerance = _RELATIVE * max(abs(self.root.upper), abs(float(self.attained)), 1e-200)
        points, values = self.prover.samples(self.layer)
        best = int(np.argmax(self.way * values[:, self.index]))
        self._consider(points[best], float(self.way * values[best, self.index]), self.prover.cube.box)
        if not self._holds_by_intervals():
            self._settle([self.root])
        while self._open and not self._is_over():
            self._step()
        return self._outcome()

    def _holds_by_intervals(self) -> bool:
        """Sometimes tighter than backward bounds."""
        ranges = self._ranges(self.root)
        if ranges is None:
            return True
        zeros = [np.zeros(len(found.low)) for found in ranges]
        return self._proves(self.root, ranges, self.prover.multipliers(zeros, ranges, 1), self.goal)

    def _is_over(self) -> bool:
        if self.attained > self.goal:
            return True
        reserve = _RESERVE * (self._ranging + self._closing) * len(self._open)
        return self.nodes >= self.budget.nodes or time.monotonic() - self._began + reserve > self.budget.seconds

    def _step(self) -> None:
        """Work on the parts with the largest bounds."""
        children: list[Node] = []
        for _ in range(min(_BATCH, len(self._open))):
            node = heapq.heappop(self._open)[2]
            has_room = node.upper < as_float(self.goal) - self.tolerance  # since a better point was found
            if has_room and self._close(node, node.multipliers, node.upper):
                continue
            if node.situation.phases or node.bends <= self._few or len(node.situation.box) > _MAX_BOX_INPUTS:
                children += self._relax(node)
                break  # its linear program may have found a better point
            children += self._halve(node)
        self._evaluate(children)
        self._settle(children)

    def _evaluate(self, nodes: Sequence[Node]) -> None:
        """Guess upper bounds by backward linear bounds, of all nodes at once."""
        if not nodes:
            return
        self.nodes += len(nodes)
        situations = [node.situation for node in nodes]
        low, high = box_arrays(situations)
        ranges = self.floats.ranges(low, high, self.layer, self.floats.cuts(situations, self.layer))
        guess = self.floats.linear(self.layer, self.index, self.way, low, high, ranges)
        kinks = self.floats.open_kinks(ranges)
        scores = self._scores(guess.coefficients, kinks) * (high - low)
        empty = np.zeros(len(nodes), dtype=bool)
        bends = np.zeros(len(nodes), dtype=int)
        for (lowest, highest), inside in zip(ranges, kinks, strict=True):
            empty |= (lowest > highest).any(axis=1)
            bends += inside.sum(axis=1)
        middles = self.way * self.floats.values((low + high) / 2, self.layer)[:, self.index]
        for position, node in enumerate(nodes):
            node.upper = -math.inf if empty[position] else float(guess.upper[position])
            node.multipliers = [values[position] for values in guess.multipliers]
            node.ranges = [(lowest[position], highest[position]) for lowest, highest in ranges]
            node.bends = int(bends[position])
            node.scores = scores[position]
            node.middle = float(middles[position])

    def _scores(self, coefficients: Sequence[Any], kinks: Sequence[Any]) -> Any:
        """How much each input moves the neurons that bend, weighted by what these mean for the target."""
        total: Any = 0.0
        for depth in range(self.layer - 2, -1, -1):
            weight = np.abs(coefficients[depth + 1]) * kinks[depth]
            total = (total + weight) @ np.abs(self.floats.layers[depth].weights)
        return total if self.layer > 1 else np.abs(coefficients[0])

    def _settle(self, nodes: Sequence[Node]) -> None:
        """Close what can be closed, queue the rest."""
        for node in nodes:
            if node.middle > float(self.attained) + self.tolerance:
                box = node.situation.box
                self._consider([float(low + high) / 2 for low, high in box], node.middle, box)
        for node in nodes:
            if node.upper <= as_float(self.goal) + self.tolerance and self._close(node, node.multipliers, node.upper):
                continue
            self._queue(node)

    def _queue(self, node: Node) -> None:
        heapq.heappush(self._open, (-node.upper if math.isfinite(node.upper) else -math.inf, next(self._queued), node))

    def _halve(self, node: Node) -> list[Node]:
        box = node.situation.box
        widths = np.array([float(high - low) for low, high in box])
        if widths.max() < _NARROW:
            self._stuck.append(node)
            return []
        scores = np.where(
            widths < _NARROW, -1.0, node.scores + 1e-9 * widths * np.abs(node.scores).max() + 1e-300 * widths
        )
        j = int(np.argmax(scores)) if np.isfinite(scores).all() else int(np.argmax(widths))
        return self._divide(node, j, (box[j][0] + box[j][1]) / 2)

    def _divide(self, node: Node, variable: int | Place, point: Number) -> list[Node]:
        node.split = (variable, point)
        node.children = tuple(Node(half) for half in node.situation.split(variable, point))
        node.multipliers = node.ranges = []
        return list(node.children)

    def _relax(self, node: Node) -> list[Node]:
        """The linear program of a part: close it, or split the phase that matters most."""
        situation = node.situation
        low, high = (corner[0] for corner in box_arrays([situation]))
        ranges = node.ranges
        split = [np.zeros(len(a), dtype=bool) for a, _ in ranges]
        for depth, i in situation.phases:
            split[depth - 1][i] = True
        if any((a > b).any() for a, b in ranges):
            return self._branch(node, ranges, None)
        relaxed = Relaxation(self.floats, low, high, ranges, split).maximise(self.layer, self.index, self.way)
        if relaxed.status == "infeasible" and self._close_infeasible(node, relaxed):
            return []
        if relaxed.status != "optimal" or relaxed.multipliers is None:
            return self._branch(node, ranges, None)
        inside = np.clip(relaxed.point, 0, 1) if np.isfinite(relaxed.point).all() else (low + high) / 2
        value = self.way * self.floats.values(inside[None], self.layer)[0, self.index]
        self._consider(inside, float(value), situation.box)
        if relaxed.upper <= as_float(self.goal) + 10 * self.tolerance and self._close(
            node, relaxed.multipliers, relaxed.upper
        ):
            return []
        node.upper = min(node.upper, relaxed.upper)
        node.multipliers = relaxed.multipliers
        return self._branch(node, ranges, relaxed)

    def _branch(self, node: Node, ranges: Sequence[Any], relaxed: Relaxed | None) -> list[Node]:
        """Split at the kink that costs most; where no kink is left, halve the box."""
        kinks = self.floats.open_kinks([(a[None], b[None]) for a, b in ranges])
        best: tuple[float, Place, Number] | None = None
        c = self.way * self.floats.layers[self.layer - 1].weights[self.index]
        for depth in range(self.layer - 2, -1, -1):
            low, high = ranges[depth]
            for i in np.flatnonzero(kinks[depth][0]):
                room, kink = max(
                    (min(kink - low[i], high[i] - kink), kink)
                    for kink in KINKS[self.floats.layers[depth].activation]
                    if low[i] < kink < high[i]
                )
                gap = relaxed.gaps[depth][i] if relaxed is not None and relaxed.gaps is not None else 0.0
                cost = abs(c[i]) * gap + 1e-9 * room * (1e-6 + abs(c[i]))
                if best is None or cost > best[0]:
                    best = (cost, (depth + 1, int(i)), Rational(kink))
            if relaxed is not None and relaxed.multipliers is not None:
                c = relaxed.multipliers[depth] @ self.floats.layers[depth].weights
            else:
                c = np.ones(self.floats.layers[depth].weights.shape[1])
        if best is None:
            return self._halve(node)
        return self._divide(node, best[1], best[2])

    # -- exact proofs ------------------------------------------------------------------------------------------

    def _close(self, node: Node, guess: Sequence[Any], upper: float) -> bool:
        """By rounded multipliers where there is room, by exact ones where the bound is attained."""
        ranges = self._ranges(node)
        if ranges is None:
            return True
        goal = self.goal
        room = as_float(goal) - upper
        if room > self.tolerance:
            needed = math.log2(1 + abs(upper - float(self.attained)) / room) if math.isfinite(upper) else 0
            for bits in _BITS[min(int(needed / 8), len(_BITS) - 2) :]:
                if self._proves(node, ranges, self.prover.multipliers(guess, ranges, bits), goal):
                    return True
        elif self._proves(node, ranges, self.prover.multipliers(guess, ranges, _BITS[0]), goal):
            return True  # many maxima of networks with whole weights need no more
        exact = exact_multipliers(self.walk, self.layer, self.index, self.way, node.situation.box, ranges, guess)
        return self._proves(node, ranges, exact, goal)

    def _ranges(self, node: Node) -> list[LayerRange] | None:
        """Where there is no point, the node is closed with None."""
        began = time.monotonic()
        ranges = self.walk.ranges(node.situation, self.layer)
        self._ranging = _averaged(self._ranging, time.monotonic() - began)
        if ranges is None:
            node.leaf = []
        return ranges

    def _proves(self, node: Node, ranges: list[LayerRange], multipliers: Any, goal: Number) -> bool:
        began = time.monotonic()
        bound, chosen = self.walk.bound(self.layer, self.index, self.way, node.situation.box, ranges, multipliers)
        self._closing = _averaged(self._closing, time.monotonic() - began)
        if bound > goal:
            return False
        node.leaf, node.bound = chosen, bound
        node.multipliers = node.ranges = []
        return True

    def _close_infeasible(self, node: Node, relaxed: Relaxed) -> bool:
        """A multiple of the ray that shows that there is no point, added to any multipliers."""
        ranges = self._ranges(node)
        if ranges is None:
            return True
        if relaxed.multipliers is None:
            return False
        size = max([float(np.abs(ray).max(initial=0.0)) for ray in relaxed.multipliers], default=0.0)
        if not 0 < size < math.inf:
            return False
        scale = max(1.0, abs(as_float(self.goal))) / size
        for power in (4, 14, 24, 40):
            for sign in (1, -1):
                tall = [
                    own + sign * scale * 2.0**power * ray
                    for own, ray in zip(node.multipliers, relaxed.multipliers, strict=True)
                ]
                if self._proves(node, ranges, self.prover.multipliers(tall, ranges, 24), self.goal):
                    return True
        return False

    # -- the result --------------------------------------------------------------------------------------------

    def _outcome(self) -> Outcome:
        left = [node for _, _, node in self._open] + self._stuck
        value = self.goal
        for node in left:
            bound = self._prove_something(node)
            value = value if bound is None else max(value, bound)
        if left:
            value = lemma(value, 1)
            simple = Node(self.prover.cube)
            self._evaluate([simple])
            bound = self._prove_something(simple)
            if bound is not None and bound <= value:
                self.root, value = simple, bound
        if self.attained > value:
            raise InternalError(
                f"a bound of {format_number(value)} is proved for what is {format_number(self.attained)}"
            )
        complete = not left
        return Outcome(value, self._cases(), self.attained, self.point, complete, self.nodes)

    def _prove_something(self, node: Node) -> Number | None:
        """The best bound of a part that is still open."""
        ranges = self._ranges(node)
        if ranges is None:
            return None
        guess = node.multipliers or [np.zeros(len(found.low)) for found in ranges]
        multipliers = self.prover.multipliers(guess, ranges, _OPEN_BITS)
        node.bound, node.leaf = self.walk.bound(
            self.layer, self.index, self.way, node.situation.box, ranges, multipliers
        )
        return node.bound

    def _cases(self) -> list[Case]:
        """The tree in preorder."""
        cases: list[Case] = []
        pending = [self.root]
        while pending:
            node = pending.pop()
            if node.leaf is not None:
                cases.append(self.prover.leaf(node.leaf))
            elif node.split is not None:
                variable, point = node.split
                cases.append(("split", self.prover.numbering.variable(variable), format_number(point)))
                pending += reversed(node.children)
            else:
                raise InternalError("a part of a proof was left open")
        return cases


def _averaged(average: float, new: float) -> float:
    """Of durations, the last ones counting most."""
    return 0.8 * average + 0.2 * new if average else new
