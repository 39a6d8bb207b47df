"""Bounds of the difference of two networks of one shape by differences of their neurons, proved in exact arithmetic.

Arguments of hidden neurons, and their differences, are bounded once on the whole cube. Then branch and bound: phases of
neurons of either network are split, largest bound first. A linear program guesses the multipliers of each part; a part
is closed only if they prove the goal exactly (docs/design/differences.md).
"""

from __future__ import annotations

import heapq
import itertools
import math
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import as_float
from verimv.bounding.guess.pair_floats import AlikeNetworks
from verimv.bounding.guess.twin_relaxation import TwinMultipliers, TwinRelaxation, TwinRelaxed
from verimv.bounding.prove.twin_rows import TwinRows
from verimv.bounding.prove.twin_walk import ExactTwinRange, TwinPlace, TwinSlopes, TwinWalk, Which
from verimv.bounding.results import Point
from verimv.bounding.search.vertex import rational
from verimv.bounding.situation import KINKS, Ends
from verimv.core.effort import Deadline, Meter
from verimv.exact import Number, Rational
from verimv.networks.network import Network

#: Bits of multipliers, tried from the shortest on; those of parts that stay open.
_BITS, _OPEN_BITS = (10, 20, 40), 20
#: Powers of 2 by which a dual ray, which shows that a part is empty, is multiplied.
_FAR = (2, 8, 16, 30)
#: Work of an exact evaluation and of setting up a program, for each weight and for each neuron.
_WEIGHT, _NEURON = 3, 300
#: Exact evaluations reserved for each part that is open, and seconds before a deadline.
_CLOSING, _IN_TIME = 2, 0.2
#: Relative tolerance of comparisons in floats.
_RELATIVE = 1e-7


@dataclass(frozen=True)
class TwinLeaf:
    """Closed by multipliers, from the last that is needed to the first; without any, by default slopes."""

    multipliers: tuple[Number, ...] = ()


@dataclass(frozen=True)
class TwinSplitCase:
    """Two cases follow: an argument is at most `point`, then it is at least `point`."""

    place: TwinPlace
    point: Number


TwinCase = TwinLeaf | TwinSplitCase


@dataclass(frozen=True)
class TwinLemma:
    """way·(z or d of a neuron) ≤ way·value on the whole cube, by default slopes and the lemmas before it."""

    place: TwinPlace
    way: int
    value: Number


@dataclass(frozen=True)
class TwinBound:
    """way·(first − second) of an output is at most `value`, by cases; `points` are where it may be large."""

    output: int
    way: int
    value: Number
    cases: Sequence[TwinCase]
    points: Sequence[Point]
    nodes: int


@dataclass
class _TwinPart:
    """A part of the cube, with the floats that its bound is guessed from."""

    cuts: Mapping[TwinPlace, Ends]
    upper: float
    slopes: TwinMultipliers | None = None
    split: tuple[TwinPlace, Number] | None = None
    children: tuple[_TwinPart, ...] = field(default=())
    leaf: TwinLeaf | None = None
    bound: Number | None = None


class TwinSearch:
    """Two networks of one shape on the unit cube, with lemmas about their hidden neurons."""

    def __init__(self, first: Network, second: Network, meter: Meter) -> None:
        self.first, self.meter = first, meter
        self.last = len(first.layers) - 1
        self.walk = TwinWalk(first, second)
        self.floats = AlikeNetworks(second, first)  # its differences are second − first, as δ is
        self.evaluation = _WEIGHT * self.floats.cost // 3 + _NEURON * sum(len(layer.rows) for layer in first.layers)
        self.lemmas: list[TwinLemma] = []
        self._runs: dict[tuple[int, int], _TwinRun] = {}
        rows = TwinRows(first, second, meter.deadline)
        #: ranges of second − first for each output, without any split
        self.ranges = rows.bound_outputs()
        for place, ends in rows.known.items():
            self.walk.learn(place, ends)
            self.lemmas += [
                TwinLemma(place, way, end) for way, end in zip((-1, 1), ends, strict=True) if end is not None
            ]

    def run(self, output: int, way: int, goal: Number, work: int) -> TwinBound:
        """Search for a proof that way·(first − second) ≤ goal; return what is proved when the work is used up.

        Called again, it goes on where it stopped.
        """
        if (output, way) not in self._runs:
            self._runs[output, way] = _TwinRun(self, output, way)
        return self._runs[output, way].run(goal, Meter(work), self.meter.deadline)


class _TwinRun:
    """The search for one end of one output."""

    def __init__(self, search: TwinSearch, output: int, way: int) -> None:
        self.search, self.walk, self.output, self.way = search, search.walk, output, way
        self.box, self.last = search.first.box, search.last
        self.row = self.walk.row("d", self.last, output, -way)  # first − second is −d
        self.root = _TwinPart({}, math.inf)
        self._open: list[tuple[float, int, _TwinPart]] = []
        self._queued = itertools.count()
        self._stuck: list[_TwinPart] = []
        self.points: list[Point] = []
        self._best = -math.inf
        self._seconds = 0.0  # of an exact evaluation
        self._fresh = 0  # parts that are open and have no exact bound
        self.nodes = 0

    def run(self, goal: Number, meter: Meter, deadline: Deadline) -> TwinBound:
        self.goal, self.meter, self.deadline = goal, meter, deadline
        if not self.nodes and self.root.leaf is None:
            ranges = self.walk.ranges(self.box, {}, self.last)
            if ranges is not None and not self._proves(self.root, ranges, None):
                self._push(self.root)
        while self._open and not self._is_over():
            part = heapq.heappop(self._open)[2]
            self._work_on(part)
        for part in [*self._stuck, *(part for _, _, part in self._open)]:
            self._close_anyhow(part)
        self._fresh = 0
        found = [part.bound for part in _leaves(self.root) if part.bound is not None]
        value = max(found, default=self.goal)
        return TwinBound(self.output, self.way, value, _cases(self.root), self.points, self.nodes)

    def _is_over(self) -> bool:
        """Return whether work and time are needed for the parts that are open."""
        count = _CLOSING * (1 + self._fresh)
        if self.meter.left <= self.search.evaluation * count:
            return True
        return self.deadline.left <= _IN_TIME + 2 * count * self._seconds

    def _push(self, part: _TwinPart) -> None:
        self._fresh += 1
        heapq.heappush(self._open, (-part.upper, next(self._queued), part))

    def _work_on(self, part: _TwinPart) -> None:
        """Close a part by its linear program, or split it."""
        if part.bound is not None and part.bound <= self.goal:
            return  # the goal has become easier since
        self.nodes += 1
        self.meter.spend(2 * self.search.evaluation)
        ranges = self.walk.ranges(self.box, part.cuts, self.last)
        if ranges is None:
            part.leaf = TwinLeaf()
            return
        ends = [_as_floats(found) for found in ranges]
        low, high = np.zeros(len(self.box)), np.ones(len(self.box))
        program = TwinRelaxation(self.search.floats, low, high, ends)
        relaxed = program.maximise(self.output, -self.way)
        self.meter.spend(relaxed.work)
        if relaxed.status == "infeasible" and self._close_empty(part, ranges, relaxed.multipliers):
            return
        if relaxed.status == "optimal" and relaxed.multipliers is not None:
            part.upper, part.slopes = min(part.upper, relaxed.upper), relaxed.multipliers
            part.leaf = None
            self._consider(relaxed.point)
            room = as_float(self.goal) - relaxed.upper
            if room > -_RELATIVE * abs(relaxed.upper):
                for bits in _BITS:
                    if self._proves(part, ranges, _rounded(relaxed.multipliers, bits)):
                        return
        self._split(part, ends, relaxed)

    def _consider(self, point: Any) -> None:
        """Keep the point of a linear program if the difference is larger there."""
        inside = np.clip(point, 0, 1)
        value = -self.way * float(self.search.floats.values(inside[None])[0, self.output])
        if value > self._best:
            self._best = value
            self.points.append(tuple(rational(x) for x in inside))

    def _split(self, part: _TwinPart, ends: Sequence[Any], relaxed: TwinRelaxed) -> None:
        """Split the phase whose relaxation costs most, of either network."""
        place = _costliest(self.search.floats, ends, relaxed, self.output)
        if place is None:
            self._stuck.append(part)
            return
        which, layer, index = place
        low, high = ends[layer][which][0][index], ends[layer][which][1][index]
        kinks = [k for k in KINKS[self.search.first.layers[layer].activation] if low < k < high]
        point = Rational(kinks[0])
        part.split = (place, point)
        old = part.cuts.get(place, (None, None))
        halves: tuple[Ends, Ends] = ((old[0], point), (point, old[1]))
        part.children = tuple(_TwinPart({**part.cuts, place: half}, part.upper, part.slopes) for half in halves)
        for child in part.children:
            self._push(child)

    # -- closing in exact arithmetic ----------------------------------------------------------------------------

    def _bound(self, ranges: Sequence[ExactTwinRange], slopes: TwinSlopes | None) -> Number:
        self.meter.spend(self.search.evaluation)
        began = time.perf_counter()
        found = self.walk.bound(self.last, self.row, self.box, ranges, slopes)
        self._seconds = max(0.9 * self._seconds, time.perf_counter() - began)
        return found

    def _proves(self, part: _TwinPart, ranges: Sequence[ExactTwinRange], slopes: TwinSlopes | None) -> bool:
        bound = self._bound(ranges, slopes)
        if bound <= self.goal:
            part.leaf, part.bound = TwinLeaf(_needed(ranges, slopes)), bound
        return bound <= self.goal

    def _close_empty(self, part: _TwinPart, ranges: Sequence[ExactTwinRange], ray: TwinMultipliers | None) -> bool:
        """Return whether multiples of a dual ray prove the goal, because the part is empty."""
        if ray is None or part.slopes is None:
            return False
        size = max((float(np.abs(x).max(initial=0.0)) for x in (*ray.value, *ray.change, *ray.argument)), default=0.0)
        if not 0 < size < math.inf:
            return False
        for power, sign in itertools.product(_FAR, (1, -1)):
            factor = sign * 2.0**power * max(1.0, abs(as_float(self.goal))) / size
            tall = _combined(part.slopes, ray, factor)
            if self._proves(part, ranges, _rounded(tall, 53)):
                return True
        return False

    def _close_anyhow(self, part: _TwinPart) -> None:
        """Close a part that is still open with the best bound at hand."""
        if part.leaf is not None:
            return  # as before
        ranges = self.walk.ranges(self.box, part.cuts, self.last)
        if ranges is None:
            part.leaf = TwinLeaf()
            return
        slopes = None if part.slopes is None else _rounded(part.slopes, _OPEN_BITS)
        part.bound = self._bound(ranges, slopes)
        part.leaf = TwinLeaf(_needed(ranges, slopes))


def _as_floats(found: ExactTwinRange) -> dict[Which, tuple[Any, Any]]:
    def floats(ends: tuple[Any, Any]) -> tuple[Any, Any]:
        return np.array([as_float(x) for x in ends[0]]), np.array([as_float(x) for x in ends[1]])

    return {"z": floats(found.z), "y": floats(found.y), "d": floats(found.d)}


def _costliest(pair: AlikeNetworks, ends: Sequence[Any], relaxed: TwinRelaxed, output: int) -> TwinPlace | None:
    """Return the phase that costs most: how far act(z) and δ are from their values, times their coefficients."""
    best: tuple[float, TwinPlace | None] = (0.0, None)
    top = pair.layers[-1]
    values, changes = np.abs(top.weights[output]), np.abs(top.first.weights[output])
    for depth in range(len(pair.layers) - 2, -1, -1):
        layer, found = pair.layers[depth], ends[depth]
        gaps = relaxed.gaps or ([np.ones(len(layer.bias))] * len(ends),) * 2
        cost = values * gaps[0][depth] + changes * gaps[1][depth]
        for i in np.argsort(-cost, kind="stable").tolist():
            sides: tuple[Which, Which] = ("z", "y")
            open_ = [which for which in sides if _is_open(layer.first.activation, found[which], i)]
            if open_ and cost[i] + 1e-15 > best[0]:
                best = (float(cost[i]) + 1e-15, (open_[0], depth, i))
                break
        if relaxed.multipliers is not None:
            of_d = relaxed.multipliers.change[depth]
            of_z = relaxed.multipliers.value[depth] + relaxed.multipliers.argument[depth]
            values = np.abs(of_z @ layer.second.weights + of_d @ layer.weights)
            changes = np.abs(of_d @ layer.first.weights)
        else:
            values, changes = values @ np.abs(layer.second.weights), changes @ np.abs(layer.first.weights)
    return best[1]


def _is_open(activation: str, ends: tuple[Any, Any], i: int) -> bool:
    return any(ends[0][i] < kink < ends[1][i] for kink in KINKS[activation])


def _combined(a: TwinMultipliers, b: TwinMultipliers, factor: float) -> TwinMultipliers:
    def added(x: Sequence[Any], y: Sequence[Any]) -> list[Any]:
        return [p + factor * q for p, q in zip(x, y, strict=True)]

    return TwinMultipliers(added(a.value, b.value), added(a.change, b.change), added(a.argument, b.argument))


def _rounded(slopes: TwinMultipliers, bits: int) -> TwinSlopes:
    """Return multipliers with so many bits each."""

    def short(x: float) -> Number:
        if not x or not math.isfinite(x):
            return Rational(0)
        mantissa, exponent = math.frexp(x)
        return Rational(round(mantissa * (1 << bits))) * Rational(2) ** (exponent - bits)

    def rounded(layers: Sequence[Any]) -> list[Any]:
        return [np.array([short(float(x)) for x in layer], dtype=object) for layer in layers]

    return TwinSlopes(rounded(slopes.value), rounded(slopes.change), rounded(slopes.argument))


def _needed(ranges: Sequence[ExactTwinRange], slopes: TwinSlopes | None) -> tuple[Number, ...]:
    """Return the multipliers in the order of a certificate: of twins (μ, ν), then of the first network's neurons."""
    if slopes is None:
        return ()
    result: list[Number] = []
    for depth in range(len(ranges) - 1, -1, -1):
        for i in np.flatnonzero(ranges[depth].change_bends)[::-1].tolist():
            result += [slopes.change[depth][i], slopes.argument[depth][i]]
    for depth in range(len(ranges) - 1, -1, -1):
        result += [slopes.value[depth][i] for i in np.flatnonzero(ranges[depth].value_bends)[::-1].tolist()]
    return tuple(result)


def _leaves(root: _TwinPart) -> list[_TwinPart]:
    found, pending = [], [root]
    while pending:
        part = pending.pop()
        pending += reversed(part.children)
        if not part.children:
            found.append(part)
    return found


def _cases(root: _TwinPart) -> list[TwinCase]:
    """Return the tree in preorder."""
    cases: list[TwinCase] = []
    pending = [root]
    while pending:
        part = pending.pop()
        if part.split is not None and part.children:
            cases.append(TwinSplitCase(*part.split))
            pending += reversed(part.children)
        else:
            cases.append(part.leaf or TwinLeaf())
    return cases
