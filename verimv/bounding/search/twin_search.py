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
    FloatTwinLayer,
    FloatTwinRange,
    TwinMultipliers,
    TwinRelaxation,
    TwinRelaxed,
    values_at,
)
from verimv.bounding.prove.twin_layers import TwinMap, TwinPlace, TwinSystem, Which
from verimv.bounding.prove.twin_ranges import TwinRange
from verimv.bounding.prove.twin_walk import LayerSlopes
from verimv.bounding.results import Point
from verimv.bounding.search.twin_cases import TwinCase, TwinEvidence, TwinLeaf, TwinProof, TwinSplitCase, needed
from verimv.bounding.search.twin_floats import exact_slopes, float_layers, float_range
from verimv.bounding.search.twin_lemmas import TwinLemmas
from verimv.bounding.search.vertex import rational
from verimv.bounding.situation import KINKS, Ends, lemma
from verimv.core.effort import Deadline, Meter
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
    slopes: Sequence[TwinMultipliers] | None = None
    split: tuple[TwinPlace, Number] | None = None
    children: tuple[_TwinPart, ...] = ()


class TwinSearch:
    """Two networks on the unit cube with the same activations, with lemmas about their hidden neurons."""

    def __init__(self, first: Network, second: Network, twins: TwinMap, meter: Meter) -> None:
        self.system = TwinSystem(first, second, twins)
        self.meter = meter
        self.lemmas = TwinLemmas(self.system, meter.deadline)
        self.walk = self.lemmas.walk
        layers = self.system.layers
        weights = sum(
            m.entries.size for layer in layers for m in (layer.own, layer.inner, layer.outer) if not m.is_zero
        )
        self.is_large = weights > _MOST_WEIGHTS
        neurons = sum(len(layer.own_bias) + len(layer.bias) for layer in layers)
        self.evaluation = _WEIGHT * weights // 2 + _NEURON * neurons // 2
        #: low and high of first − second for each output, without any split
        self.ends = self.lemmas.bound_outputs()
        self._runs: dict[tuple[int, int], _TwinRun] = {}

    @cached_property
    def floats(self) -> list[FloatTwinLayer]:
        """The layers as floats, made when they are needed."""
        return float_layers(self.system)

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
        on_cube = enumerate(self.lemmas.on_cube)
        compared = [(depth, i) for depth, found in on_cube for i in found.compared.at.tolist()]
        return TwinEvidence(self.system, compared, self.lemmas.lemmas, proofs)

    def run(self, output: int, way: int, goal: Number, work: int) -> TwinProof:
        """Search for a proof that way·(first − second) ≤ goal; return what is proved when the work is used up.

        Called again, it goes on where it stopped.
        """
        if (output, way) not in self._runs:
            self._runs[output, way] = _TwinRun(self, output, way)
        return self._runs[output, way].run(goal, Meter(work), self.meter.deadline)

    def nodes(self, output: int, way: int) -> int:
        """Return how many parts were examined for one end."""
        return self._runs[output, way].nodes if (output, way) in self._runs else 0

    def worst(self) -> TwinProof:
        """Return the proof of the largest bound so far."""
        return max(self.evidence().proofs, key=lambda proof: proof.value)

    def points(self, output: int, way: int) -> Sequence[Point]:
        """Return points of linear programs where way·(first − second) may be large, the last ones are best."""
        return self._runs[output, way].points if (output, way) in self._runs else []


class _TwinRun:
    """The search for one end of one output: a tree of parts, each of which has a bound of its own."""

    def __init__(self, search: TwinSearch, output: int, way: int) -> None:
        self.search, self.walk, self.output, self.way = search, search.walk, output, way
        self.depth = search.system.depth
        self.row = search.system.layers[-1].rows("y").at([output]).times(way)
        self.root = _TwinPart({}, bound=search.ends[1][output] if way > 0 else -search.ends[0][output])
        self.parts = [self.root]  # each after the one that it is a part of
        self.points: list[Point] = []
        self._best = -math.inf
        self.nodes = 0

    def run(self, goal: Number, meter: Meter, deadline: Deadline) -> TwinProof:
        self.goal, self.meter = goal, meter
        if not self.nodes and self._is_open(self.root) and not self._is_over(deadline):
            self._examine(self.root)
        queued = itertools.count()
        waiting = [(-as_float(part.bound or goal), next(queued), part) for part in self.parts if self._is_open(part)]
        heapq.heapify(waiting)
        while waiting and not self._is_over(deadline):
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

    def _is_over(self, deadline: Deadline) -> bool:
        """Return whether the work, or the time, does not suffice for two more parts."""
        return self.meter.left <= 2 * _EVALUATIONS * self.search.evaluation or not deadline.left

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
        ranges = self.search.lemmas.ranges(part.cuts, self.depth)
        if ranges is None:
            part.bound = None
            return
        floats = [float_range(found) for found in ranges]
        relaxed = TwinRelaxation(self.search.floats, floats).maximise(self.output, self.way)
        self.meter.spend(relaxed.work)
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
        part.split = _costliest(self.search.system, floats, relaxed)

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
        return part.slopes is not None and self._keep(part, ranges, exact_slopes(part.slopes, bits))

    def _keep(self, part: _TwinPart, ranges: Sequence[TwinRange], slopes: list[LayerSlopes] | None) -> bool:
        self.meter.spend(self.search.evaluation)
        multipliers = () if slopes is None else needed(ranges, slopes)
        (bound,) = self.walk.bounds(self.row, ranges, slopes if multipliers else None)
        if part.bound is None or bound < part.bound:
            part.bound, part.leaf = bound, TwinLeaf(multipliers)
        return bound <= self.goal

    def _close_empty(self, part: _TwinPart, ranges: Sequence[TwinRange], ray: Sequence[TwinMultipliers] | None) -> bool:
        """Return whether multiples of a dual ray prove the goal, because the part is empty."""
        if ray is None or part.slopes is None:
            return False
        size = max(float(np.abs(x).max(initial=0.0)) for m in ray for x in (m.of_z, m.of_y, m.mu, m.nu))
        if not 0 < size < math.inf:
            return False
        for power, sign in itertools.product(_FAR, (1, -1)):
            factor = sign * 2.0**power * max(1.0, abs(as_float(self.goal))) / size
            if self._keep(part, ranges, exact_slopes(_added(part.slopes, ray, factor), 53)):
                return True
        return False


def _costliest(
    system: TwinSystem, ranges: Sequence[FloatTwinRange], relaxed: TwinRelaxed
) -> tuple[TwinPlace, Number] | None:
    """Return the argument to be split, and where: the relaxation of its neuron and of its twin cost most."""
    best: tuple[float, TwinPlace, Number] | None = None
    for depth, found in enumerate(ranges):
        layer = system.layers[depth]
        of_z, of_y = relaxed.costs[depth] if relaxed.costs else (np.ones(len(layer.own_bias)), np.ones(len(layer.bias)))
        has_twin = layer.twins >= 0
        of_z = of_z.copy()
        np.add.at(of_z, layer.twins[has_twin], of_y[has_twin])
        sides: tuple[tuple[Which, Any, Any], ...] = (("z", of_z, found.z), ("y", of_y, found.y))
        for which, costs, ends in sides:
            for i, cost in enumerate(costs.tolist()):
                point = next((kink for kink in KINKS[layer.activation] if ends[0, i] < kink < ends[1, i]), None)
                if cost > 0 and point is not None and (best is None or cost > best[0]):
                    best = cost, (which, depth, i), Rational(point)
    return None if best is None else best[1:]


def _added(slopes: Sequence[TwinMultipliers], ray: Sequence[TwinMultipliers], factor: float) -> list[TwinMultipliers]:
    return [
        TwinMultipliers(a.of_z + factor * b.of_z, a.of_y + factor * b.of_y, a.mu + factor * b.mu, a.nu + factor * b.nu)
        for a, b in zip(slopes, ray, strict=True)
    ]


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
