"""Branch and bound for one end of one neuron's range: boxes of inputs first, then phases of neurons.

Floats guess where to look, which multipliers to use and when a part is done; a part is closed only by multipliers whose
bound, in exact arithmetic, reaches the goal. A part that fails is opened again. When the budget ends, the bound proved
so far is returned.
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.guess.ascent import climb
from verimv.bounding.guess.floats import as_float, box_arrays, product
from verimv.bounding.guess.relaxation import Relaxation, Relaxed
from verimv.bounding.prove.walk import value_at
from verimv.bounding.results import Point
from verimv.bounding.search.closing import Closer
from verimv.bounding.search.layer_context import LayerContext
from verimv.bounding.search.part import Part
from verimv.bounding.search.vertex import exact_point
from verimv.bounding.situation import KINKS, Case, Place, lemma
from verimv.core.effort import NEVER, SECOND, Deadline, Meter
from verimv.core.errors import InternalError
from verimv.exact import Number, Rational, ceil, format_number

#: From the best value of way·argument attained so far, the bound that a proof must reach.
Goal = Callable[[Number], Number]


def exactly(attained: Number) -> Number:
    """Return the maximum itself as the goal."""
    return attained


def next_integer(attained: Number) -> Number:
    """Return the next integer as the goal, which is all that Step 1 needs to know of a ReLU."""
    return Rational(ceil(attained))


#: Boxes are halved until so few neurons bend inside; then phases are split, with a linear program for each part. With
#: fewer neurons these programs are cheaper; with more layers a smaller box helps less. (Measured.)
_FEW_BENDS = 10
_SMALL, _FEW_BENDS_OF_SMALL = 24, 16
_MEDIUM, _FEW_BENDS_OF_DEEP = 64, 32
#: With more inputs, halving boxes is hopeless.
_MAX_BOX_INPUTS = 8
#: Boxes are not made narrower than this.
_NARROW = 2.0**-36
#: Parts that are worked on at once.
_BATCH = 32
#: Relative tolerance of comparisons in floats.
_RELATIVE = 1e-9
#: Default slopes are tried where the linear program of a phase is below the goal by this share of its improvement.
_MUCH_ROOM = 0.1
#: Exact evaluations reserved for each open part, to prove some bound of it when the budget ends.
_RESERVE = 3
#: Work of guesses in floats: for a batch of parts, for each part, and one unit for so many weights.
_GUESSES, _GUESS, _GUESSED_WEIGHTS = 150, 60, 8
#: Work of a linear program besides its solution: to restrict it and branch on its answer; to set it up.
_PART, _SETUP, _SETUP_WEIGHTS = 400, 400, 6
#: Work of a point: climbing to it, and making it exact.
_POINT = 2000


@dataclass(frozen=True)
class Budget:
    """Limits of a search, whichever is reached first; a deadline that passes raises :class:`Undecided`."""

    work: int = 60 * SECOND
    nodes: int = 1_000_000
    deadline: Deadline = NEVER


@dataclass(frozen=True)
class Outcome:
    """way·argument ≤ `value` is proved by the cases; it is `attained` at `point`. Complete if the goal was reached."""

    value: Number
    cases: list[Case]
    attained: Number
    point: Point
    complete: bool
    nodes: int
    work: int


def _few_bends(context: LayerContext, layer: int) -> int:
    """Return the number of bending neurons from which on phases are split."""
    neurons = sum(len(below.rows) for below in context.network.layers[: layer - 1])
    if layer > 2 and neurons <= _MEDIUM:
        return _FEW_BENDS_OF_DEEP
    return _FEW_BENDS_OF_SMALL if neurons <= _SMALL else _FEW_BENDS


class BranchAndBound:
    """The search for the largest way·argument of one neuron."""

    def __init__(self, context: LayerContext, layer: int, index: int, way: int, goal: Goal, budget: Budget) -> None:
        self.context, self.layer, self.index, self.way = context, layer, index, way
        self.goal_of, self.budget = goal, budget
        self.floats = context.floats
        self.meter = Meter(budget.work, budget.deadline)
        self.closer = Closer(context, layer, index, way, self.meter)
        self._weights = context.weights[layer]
        self.nodes = 0
        self.point: Point = tuple(low for low, _ in context.network.box)
        self.attained = way * value_at(context.network, layer, index, self.point)
        self.root = Part(context.cube)
        self._few = _few_bends(context, layer)
        self._open: list[tuple[float, int, Part]] = []
        self._queued = itertools.count()  # breaks ties, the same way every time
        self._stuck: list[Part] = []

    # -- the best point so far ---------------------------------------------------------------------------------

    def _consider(self, near: Any, value: float, box: Any) -> None:
        """Climb from a float point that seems better than the best, and keep the exact point found if it is."""
        if not value > as_float(self.attained) + self.tolerance:
            return
        self.meter.spend(_POINT + self._weights)
        top = climb(self.floats, self.layer, self.index, self.way, np.asarray(near, dtype=float))
        found = exact_point(self.context.network, self.layer, self.index, self.way, top, box)
        if found is not None and found[1] > self.attained:
            self.point, self.attained = found

    @property
    def goal(self) -> Number:
        return self.goal_of(self.attained)

    # -- the search --------------------------------------------------------------------------------------------

    def run(self) -> Outcome:
        """Search until all parts are closed or the budget ends."""
        self._evaluate([self.root])
        self.tolerance = _RELATIVE * max(abs(self.root.upper), abs(as_float(self.attained)), 1e-200)
        self._first = self.root.upper
        points, values = self.context.samples(self.layer)
        best = int(np.argmax(self.way * values[:, self.index]))
        self._consider(points[best], float(self.way * values[best, self.index]), self.context.cube.box)
        if not self.closer.close_by_intervals(self.root, self.goal):
            self._settle([self.root])
        while self._open and not self._is_over():
            self._step()
        return self._outcome()

    def _is_over(self) -> bool:
        if self.attained > self.goal:
            return True
        reserve = _RESERVE * self.closer.evaluation * len(self._open)
        return self.nodes >= self.budget.nodes or self.meter.left <= reserve

    def _step(self) -> None:
        """Work on the parts with the largest bounds."""
        children: list[Part] = []
        for _ in range(min(_BATCH, len(self._open))):
            part = heapq.heappop(self._open)[2]
            has_room = part.upper < as_float(self.goal) - self.tolerance  # since a better point was found
            if has_room and self._close(part, part.multipliers, part.upper):
                continue
            if part.situation.phases or part.bends <= self._few or len(part.situation.box) > _MAX_BOX_INPUTS:
                children += self._relax(part)
                break  # its linear program may have found a better point
            children += self._halve(part)
        self._evaluate([child for child in children if child.relaxation is None])
        self._settle(children)

    def _evaluate(self, parts: Sequence[Part]) -> None:
        """Guess upper bounds of parts by backward linear bounds, all at once."""
        if not parts:
            return
        self.meter.spend(_GUESSES + len(parts) * (_GUESS + self._weights // _GUESSED_WEIGHTS))
        situations = [part.situation for part in parts]
        low, high = box_arrays(situations)
        ranges = self.floats.ranges(low, high, self.layer, self.floats.cuts(situations, self.layer))
        guess = self.floats.linear(self.layer, self.index, self.way, low, high, ranges)
        kinks = self.floats.open_kinks(ranges)
        scores = self._scores(guess.coefficients, kinks) * (high - low)
        empty = np.zeros(len(parts), dtype=bool)
        bends = np.zeros(len(parts), dtype=int)
        for (lowest, highest), inside in zip(ranges, kinks, strict=True):
            empty |= (lowest > highest).any(axis=1)
            bends += inside.sum(axis=1)
        middles = self.way * self.floats.values((low + high) / 2, self.layer)[:, self.index]
        for position, part in enumerate(parts):
            part.upper = part.linear = -math.inf if empty[position] else float(guess.upper[position])
            part.multipliers = [values[position] for values in guess.multipliers]
            part.ranges = [(lowest[position], highest[position]) for lowest, highest in ranges]
            part.bends = int(bends[position])
            part.scores = scores[position]
            part.middle = float(middles[position])

    def _scores(self, coefficients: Sequence[Any], kinks: Sequence[Any]) -> Any:
        """Return how much each input moves the neurons that bend, weighted by their effect on the target."""
        total: Any = 0.0
        for depth in range(self.layer - 2, -1, -1):
            weight = np.abs(coefficients[depth + 1]) * kinks[depth]
            total = product(total + weight, np.abs(self.floats.layers[depth].weights))
        return total if self.layer > 1 else np.abs(coefficients[0])

    def _settle(self, parts: Sequence[Part]) -> None:
        """Close the parts that can be closed, queue the others."""
        self.nodes += len(parts)
        for part in parts:
            if part.middle > as_float(self.attained) + self.tolerance:
                box = part.situation.box
                self._consider([float(low + high) / 2 for low, high in box], part.middle, box)
        for part in parts:
            if part.upper <= as_float(self.goal) + self.tolerance and self._close(part, part.multipliers, part.upper):
                continue
            key = -part.upper if math.isfinite(part.upper) else -math.inf
            heapq.heappush(self._open, (key, next(self._queued), part))

    def _close(self, part: Part, guess: Sequence[Any], upper: float) -> bool:
        return self.closer.close(part, guess, upper, self.goal, self.attained, self.tolerance)

    def _halve(self, part: Part) -> list[Part]:
        """Halve the box along the input with the largest score."""
        box = part.situation.box
        widths = np.array([float(high - low) for low, high in box])
        if widths.max() < _NARROW:
            self._stuck.append(part)
            return []
        if part.scores is None:
            self._evaluate([part])
        scores = np.where(
            widths < _NARROW, -1.0, part.scores + 1e-9 * widths * np.abs(part.scores).max() + 1e-300 * widths
        )
        j = int(np.argmax(scores)) if np.isfinite(scores).all() else int(np.argmax(widths))
        return part.divide(j, (box[j][0] + box[j][1]) / 2)

    def _relax(self, part: Part) -> list[Part]:
        """Solve the linear program of a part, and close it or split the phase that matters most."""
        if any((low > high).any() for low, high in part.ranges):
            return [] if self.closer.close_empty(part, None, self.goal) else self._branch(part, None)
        if part.relaxation is None:
            part.relaxation = self._own_relaxation(part)
        part.relaxation.restrict(part.situation.phases)
        relaxed = part.relaxation.maximise(self.layer, self.index, self.way)
        self.meter.spend(_PART + relaxed.work)
        if relaxed.status == "infeasible" and self.closer.close_empty(part, relaxed.multipliers, self.goal):
            return []
        if relaxed.status != "optimal" or relaxed.multipliers is None:
            return self._branch(part, None)
        if relaxed.upper > as_float(self.goal) + self.tolerance:
            self._try_point(part, relaxed.point)
        if self._closes(part, relaxed):
            return []
        part.upper = min(part.upper, relaxed.upper)
        part.multipliers = relaxed.multipliers
        return self._branch(part, relaxed)

    def _own_relaxation(self, part: Part) -> Relaxation:
        """Return the relaxation with the part's own ranges, which phases make smaller than those of its box."""
        self.meter.spend(_SETUP + self._weights // _SETUP_WEIGHTS)
        situation = part.situation
        if situation == self.context.cube:
            return self.context.relaxation(self.layer)
        low, high = box_arrays([situation])
        ranges = self.floats.ranges(low, high, self.layer, self.floats.cuts([situation], self.layer))
        own = [(lowest[0], highest[0]) for lowest, highest in ranges]
        return Relaxation(self.floats, low[0], high[0], own, situation.phases)

    def _try_point(self, part: Part, point: Any) -> None:
        """Consider the point where the linear program has its maximum: the neuron may be large there."""
        if np.isfinite(point).all():
            inside = np.clip(point, 0, 1)
            value = self.way * self.floats.values(inside[None], self.layer)[0, self.index]
            self._consider(inside, float(value), part.situation.box)

    def _closes(self, part: Part, relaxed: Relaxed) -> bool:
        """Return whether the duals of the box's linear program, or of the part's own, close the part."""
        enough = as_float(self.goal) + 10 * self.tolerance
        if relaxed.upper > enough:
            return False
        room = as_float(self.goal) - relaxed.upper
        if part.situation.phases and room > _MUCH_ROOM * abs(self._first - relaxed.upper):
            part.linear = self._linear(part)
        if self._close(part, relaxed.multipliers or [], relaxed.upper):
            return True
        if not part.situation.phases:
            return False
        own = self._own_relaxation(part).maximise(self.layer, self.index, self.way)
        self.meter.spend(own.work)
        is_usable = own.status == "optimal" and own.multipliers is not None and own.upper <= enough
        return is_usable and self._close(part, own.multipliers or [], own.upper)

    def _linear(self, part: Part) -> float:
        """Return the upper bound that backward linear bounds give."""
        self.meter.spend(_GUESSES + self._weights // _GUESSED_WEIGHTS)
        low, high = box_arrays([part.situation])
        ranges = self.floats.ranges(low, high, self.layer, self.floats.cuts([part.situation], self.layer))
        return float(self.floats.linear(self.layer, self.index, self.way, low, high, ranges).upper[0])

    def _branch(self, part: Part, relaxed: Relaxed | None) -> list[Part]:
        """Split a part at the kink that costs most; where no kink is left, halve the box."""
        costs = self._costs(relaxed)
        best: tuple[float, Place, int] | None = None
        for depth, (low, high) in enumerate(part.ranges):
            for kink in KINKS[self.floats.layers[depth].activation]:
                room = np.minimum(kink - low, high - kink)
                cost = np.where(room > 0, costs[depth] + 1e-9 * room * (1e-6 + costs[depth]), -1.0)
                i = int(np.argmax(cost))
                if room[i] > 0 and (best is None or cost[i] > best[0]):
                    best = (float(cost[i]), (depth + 1, i), kink)
        return self._halve(part) if best is None else part.divide(best[1], Rational(best[2]))

    def _costs(self, relaxed: Relaxed | None) -> list[Any]:
        """Return how much the error of each activation adds to the bound; without a relaxation, how much it counts."""
        c = self.way * self.floats.layers[self.layer - 1].weights[self.index]
        result: list[Any] = []
        for depth in range(self.layer - 2, -1, -1):
            weights = self.floats.layers[depth].weights
            if relaxed is None or relaxed.multipliers is None or relaxed.gaps is None:
                result.insert(0, np.abs(c))
                c = np.ones(weights.shape[1])
            else:
                result.insert(0, np.abs(c) * relaxed.gaps[depth])
                c = product(relaxed.multipliers[depth], weights)
        return result

    # -- the result --------------------------------------------------------------------------------------------

    def _outcome(self) -> Outcome:
        """Close what is still open with any bound, and return what is proved."""
        left = [part for _, _, part in self._open] + self._stuck
        value = self.goal
        for part in left:
            bound = self.closer.close_anyhow(part)
            value = value if bound is None else max(value, bound)
        if left:
            value = lemma(value, 1)
            simple = Part(self.context.cube)
            self._evaluate([simple])
            bound = self.closer.close_anyhow(simple)
            if bound is not None and bound <= value:
                self.root, value = simple, bound
        if self.attained > value:
            raise InternalError(
                f"{format_number(value)} is proved as a bound, but {format_number(self.attained)} is attained"
            )
        cases = self.root.cases()
        return Outcome(value, cases, self.attained, self.point, not left, self.nodes, self.meter.spent)
