"""Bounds of the difference of two networks by differences of their neurons, proved in exact arithmetic.

Arguments of hidden neurons, and their differences, are bounded once on the whole cube. Then branch and bound: phases of
neurons of either network are split, largest bound first. A linear program guesses the multipliers of each part; a part
is closed only if they prove the goal exactly (docs/design/differences.md).
"""

from __future__ import annotations

import heapq
import itertools
import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import as_float
from verimv.bounding.guess.twin_relaxation import (
    FloatTwinRanges,
    FloatTwins,
    TwinMultipliers,
    TwinRelaxation,
    TwinRelaxed,
    values_at,
)
from verimv.bounding.prove.twin_layers import TwinMap, TwinPlace, TwinSystem
from verimv.bounding.prove.twin_ranges import TwinRange
from verimv.bounding.prove.twin_walk import LayerSlopes
from verimv.bounding.results import Point
from verimv.bounding.search.twin_cases import TwinCase, TwinEvidence, TwinLeaf, TwinProof, TwinSplitCase, needed
from verimv.bounding.search.twin_floats import exact_slopes, float_ranges, float_twins
from verimv.bounding.search.twin_lemmas import TwinLemmas
from verimv.bounding.search.vertex import rational
from verimv.bounding.situation import KINKS, Ends, lemma
from verimv.core.effort import NEVER, Deadline, Meter
from verimv.core.errors import InternalError
from verimv.exact import Number, Rational
from verimv.networks.network import Network

#: Bits of multipliers: of parts that may be closed, tried from the shortest on; of parts that stay open.
_BITS, _OPEN_BITS = (7, 12, 20, 40), 12
#: Powers of 2 by which a dual ray, which shows that a part is empty, is multiplied.
_FAR = (2, 8, 16, 30)
#: Work of an exact evaluation and of setting up a program, for each weight and for each neuron.
_WEIGHT, _NEURON = 3, 300
#: Exact evaluations that a part may need.
_EVALUATIONS = 4
#: Phases are split in systems with at most so many weights.
_MOST_WEIGHTS = 40_000
#: Relative tolerance of comparisons in floats.
_RELATIVE = 1e-7


#: A leaf by default slopes; also for a part without a point.
_BY_DEFAULT = TwinLeaf()


@dataclass
class _TwinPart:
    """A part of the cube that a leaf closes with `bound`, or None if it has no point; perhaps its parts do better."""

    cuts: Mapping[TwinPlace, Ends]
    leaf: TwinLeaf = _BY_DEFAULT
    bound: Number | None = None
    #: multipliers of the linear program, and where to split next
    slopes: TwinMultipliers | None = None
    split: tuple[TwinPlace, Number] | None = None
    children: tuple[_TwinPart, ...] = ()


class TwinSearch:
    """Two networks on the unit cube, with lemmas about their hidden neurons."""

    def __init__(self, first: Network, second: Network, twins: TwinMap, deadline: Deadline = NEVER) -> None:
        self.system = TwinSystem(first, second, twins)
        self.deadline = deadline
        self.lemmas = TwinLemmas(self.system, deadline)
        self.walk = self.lemmas.walk
        layers = self.system.layers[1:]
        weights = sum(matrix.entries.size for layer in layers for matrix in layer.weights.values())
        self.is_large = weights > _MOST_WEIGHTS
        neurons = sum(layer.width for layer in layers)
        self.evaluation: int = _WEIGHT * weights // 2 + _NEURON * neurons // 2
        #: low and high of first − second for each output, without any split
        self.ends = self.lemmas.bound_outputs()
        self._runs: dict[tuple[int, int], _TwinRun] = {}

    @cached_property
    def floats(self) -> FloatTwins:
        """The system as floats, made when it is needed."""
        return float_twins(self.system)

    def value_at(self, point: Any, output: int) -> float:
        """Return first − second at a point, about."""
        return float(values_at(self.floats, point)[output])

    @property
    def upper(self) -> list[Number]:
        """The bounds of |first − second| that are proved so far, per output."""
        return self.evidence().upper

    def evidence(self) -> TwinEvidence:
        """Return what is proved so far, with its evidence."""
        proofs = []
        for k, (low, high) in enumerate(zip(*self.ends, strict=True)):
            for way, value in ((-1, -low), (1, high)):
                run = self._runs.get((k, way))
                proofs.append(run.proof() if run is not None else TwinProof(k, way, lemma(value, 1), [_BY_DEFAULT]))
        layers = zip(self.system.layers, self.lemmas.on_cube, strict=False)
        compared = [layer.start + i for layer, found in layers for i in found.compared.at.tolist()]
        return TwinEvidence(self.system, compared, self.lemmas.lemmas, proofs)

    def run(self, output: int, way: int, goal: Number, work: int) -> TwinProof:
        """Search for a proof that way·(first − second) ≤ goal; return what is proved when the work is used up.

        Called again, it goes on where it stopped. Raises :class:`Undecided` at the deadline.
        """
        if (output, way) not in self._runs:
            self._runs[output, way] = _TwinRun(self, output, way)
        return self._runs[output, way].run(goal, Meter(work, self.deadline))

    def nodes(self, output: int, way: int) -> int:
        """Return how many parts were examined for one end."""
        return self._runs[output, way].nodes if (output, way) in self._runs else 0

    def points(self, output: int, way: int) -> Sequence[Point]:
        """Return points of linear programs where way·(first − second) may be large, the last ones are best."""
        return self._runs[output, way].points if (output, way) in self._runs else []


class _TwinRun:
    """The search for one end of one output: a tree of parts, each of which has a bound of its own."""

    def __init__(self, search: TwinSearch, output: int, way: int) -> None:
        self.search, self.walk, self.output, self.way = search, search.walk, output, way
        self.row = search.system.rows("y", search.system.top).at([output]).times(way)
        self.root = _TwinPart({}, bound=search.ends[1][output] if way > 0 else -search.ends[0][output])
        self.parts = [self.root]  # each after the one that it is a part of
        self.points: list[Point] = []
        self._best = -math.inf
        self.nodes = 0

    def run(self, goal: Number, meter: Meter) -> TwinProof:
        self.goal, self.meter = goal, meter
        if not self.nodes and self._is_open(self.root) and not self._is_over():
            self._examine(self.root)
        queued = itertools.count()
        waiting = [(-as_float(part.bound or goal), next(queued), part) for part in self.parts if self._is_open(part)]
        heapq.heapify(waiting)
        while waiting and not self._is_over():
            part = heapq.heappop(waiting)[2]
            for child in self._halves(part):
                self._examine(child)
                if self._is_open(child):
                    heapq.heappush(waiting, (-as_float(child.bound or goal), next(queued), child))
        return self.proof()

    def proof(self) -> TwinProof:
        """Return the least bound that a choice of parts gives, with as few of them as possible."""
        best: dict[int, Number | None] = {}
        for part in reversed(self.parts):
            found = part.bound
            if part.children and found is not None:
                bounds = [x for child in part.children if (x := best[id(child)]) is not None]
                found = min(found, max(bounds)) if bounds else None
            best[id(part)] = found
        value = best[id(self.root)]
        if value is None:
            raise InternalError("the cube has no point")
        if self.nodes and value > self.goal:  # it is no exact number that is looked for
            value = lemma(value, 1)
        return TwinProof(self.output, self.way, value, _cases(self.root, value))

    def _is_open(self, part: _TwinPart) -> bool:
        return part.bound is not None and part.bound > self.goal and not part.children and (
            part.split is not None or part is self.root
        )  # fmt: skip

    def _is_over(self) -> bool:
        """Return whether the work does not suffice for two more parts."""
        return self.meter.left <= 2 * _EVALUATIONS * self.search.evaluation

    def _halves(self, part: _TwinPart) -> tuple[_TwinPart, ...]:
        """Split a part where its linear program says."""
        if part.split is None:
            return ()
        place, point = part.split
        old = part.cuts.get(place, (None, None))
        halves: tuple[Ends, Ends] = ((old[0], point), (point, old[1]))
        part.children = tuple(_TwinPart({**part.cuts, place: half}, slopes=part.slopes) for half in halves)
        self.parts += part.children
        return part.children

    def _examine(self, part: _TwinPart) -> None:
        """Bound a part by its linear program; choose where it would be split."""
        self.nodes += 1
        self.meter.spend(2 * self.search.evaluation)
        ranges = self.search.lemmas.ranges(part.cuts, self.search.system.top)
        if ranges is None:
            part.bound = None
            return
        floats = float_ranges(self.search.system, ranges)
        relaxed = TwinRelaxation(self.search.floats, floats).maximise(self.output, self.way)
        self.meter.spend(relaxed.work)
        part.split = _costliest(self.search.system, floats, relaxed)  # also if it is closed: another goal may be lower
        if relaxed.status == "infeasible" and self._close_empty(part, ranges, relaxed.multipliers):
            return
        if relaxed.status == "optimal" and relaxed.multipliers is not None:
            part.slopes = relaxed.multipliers
            self._consider(relaxed.point)
            if as_float(self.goal) - relaxed.upper > -_RELATIVE * abs(relaxed.upper):
                if any(self._bound(part, ranges, bits) for bits in _BITS):
                    return
            else:
                self._bound(part, ranges, _OPEN_BITS)
        if part.bound is None:
            self._keep(part, ranges, None)

    def _consider(self, point: Any) -> None:
        """Keep the point of a linear program if the difference is larger there."""
        inside = np.clip(point, 0, 1)
        value = self.way * self.search.value_at(inside, self.output)
        if value > self._best:
            self._best = value
            self.points.append(tuple(rational(x) for x in inside))

    # -- in exact arithmetic ------------------------------------------------------------------------------------

    def _bound(self, part: _TwinPart, ranges: Sequence[TwinRange], bits: int) -> bool:
        """Return whether rounded multipliers prove the goal; keep them if they are the best so far."""
        return part.slopes is not None and self._keep(part, ranges, exact_slopes(self.search.system, part.slopes, bits))

    def _keep(self, part: _TwinPart, ranges: Sequence[TwinRange], slopes: list[LayerSlopes] | None) -> bool:
        self.meter.spend(self.search.evaluation)
        multipliers = () if slopes is None else needed(ranges, slopes)
        (bound,) = self.walk.bounds(self.row, ranges, slopes if multipliers else None)
        if part.bound is None or bound < part.bound:
            part.bound, part.leaf = bound, TwinLeaf(multipliers)
        return bound <= self.goal

    def _close_empty(self, part: _TwinPart, ranges: Sequence[TwinRange], ray: TwinMultipliers | None) -> bool:
        """Return whether multiples of a dual ray prove the goal, because the part is empty."""
        if ray is None or part.slopes is None:
            return False
        size = max(float(np.abs(x).max(initial=0.0)) for x in (ray.of_y, ray.mu, ray.nu))
        if not 0 < size < math.inf:
            return False
        for power, sign in itertools.product(_FAR, (1, -1)):
            factor = sign * 2.0**power * max(1.0, abs(as_float(self.goal))) / size
            slopes = exact_slopes(self.search.system, _added(part.slopes, ray, factor), 53)
            if self._keep(part, ranges, slopes):
                return True
        return False


def _costliest(system: TwinSystem, ranges: FloatTwinRanges, relaxed: TwinRelaxed) -> tuple[TwinPlace, Number] | None:
    """Return the argument to be split, and where: the relaxations of its neuron, and of those with this twin, cost
    most."""
    count = ranges.y.shape[1]
    own = np.ones(count) if relaxed.costs is None else relaxed.costs
    costs = own.copy()
    for k, twin in system.twins.items():
        costs[twin.variable - system.inputs] += own[k - system.inputs]
    best: tuple[float, TwinPlace, Number] | None = None
    for k, cost in enumerate(costs.tolist()):
        number, i = system.places[system.inputs + k]
        kinks = KINKS[system.layers[number].activation]
        point = next((kink for kink in kinks if ranges.y[0, k] < kink < ranges.y[1, k]), None)
        if cost > 0 and point is not None and (best is None or cost > best[0]):
            best = cost, ("y", number, i), Rational(point)
    return None if best is None else best[1:]


def _added(slopes: TwinMultipliers, ray: TwinMultipliers, factor: float) -> TwinMultipliers:
    return TwinMultipliers(slopes.of_y + factor * ray.of_y, slopes.mu + factor * ray.mu, slopes.nu + factor * ray.nu)


def _cases(root: _TwinPart, value: Number) -> list[TwinCase]:
    """Return the tree in preorder, cut off where a part is proved to be at most `value`."""
    cases: list[TwinCase] = []
    pending = [root]
    while pending:
        part = pending.pop()
        is_closed = part.bound is None or part.bound <= value
        if part.split is not None and part.children and not is_closed:
            cases.append(TwinSplitCase(*part.split))
            pending += reversed(part.children)
        else:
            cases.append(part.leaf)
    return cases
