"""Exact points at which two networks or formulas differ much: floats find them, exact arithmetic evaluates them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from verimv.bounding.guess.farthest import FarPoint, far_points
from verimv.bounding.guess.pair_floats import AlikeNetworks, FloatDifference, OneNetwork
from verimv.bounding.results import Point
from verimv.bounding.search.pair import are_alike, reordered
from verimv.bounding.search.vertex import exact_point, rational
from verimv.core.effort import SECOND, Meter
from verimv.exact import ONE, Number
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.solvers.functions import Function, aligned
from verimv.solvers.point_search import quick_points, simplest

#: Work of an exact evaluation for each weight of both subjects, and at least so much.
_WEIGHT, _EVALUATION = 0.4, 20
#: Vertices are computed, and points made simple, for subjects with at most so many weights.
_SMALL = 3000
#: Share of the work for points in floats; the rest is for exact evaluation.
_FLOAT_SHARE = 0.6
#: Points with short numbers that are tried where floats are no guide.
_QUICK = 200


@dataclass(frozen=True)
class Attained:
    """|difference| of one output is `value` at a point of the unit cube."""

    value: Number
    point: Point


def networks_of(first: Function, second: Function) -> tuple[Network, Network] | None:
    """Return two networks on the unit cube, the second with inputs and outputs in the order of the first, else None."""
    a, b = first.unit, second.unit
    if not isinstance(a, Network) or not isinstance(b, Network):
        return None
    in_order = (b.inputs, b.outputs) == (second.inputs, second.outputs)
    return a, b if in_order else reordered(b, second.inputs, second.outputs)


class FarthestPoints:
    """The best exact points so far, one for each output. Any source of points may add to them."""

    def __init__(self, a: Formula | Network, b: Formula | Network) -> None:
        self.functions: tuple[Function, Function] = aligned(a, b)
        self.weights = sum(_size(subject) for subject in (a, b))
        outputs = len(self.functions[0].outputs)
        #: what is attained; nothing is known before the first point
        self.best: list[Attained] = [Attained(-ONE, ())] * outputs

    @property
    def farthest(self) -> Attained:
        """The best of all outputs."""
        return max(self.best, key=lambda found: found.value)

    @property
    def evaluation(self) -> int:
        """Work of an exact evaluation."""
        return int(_EVALUATION + _WEIGHT * self.weights)

    def differences(self, point: Sequence[Number]) -> list[Number]:
        """Return the exact differences at a point of the unit cube."""
        first, second = self.functions
        return [x - y for x, y in zip(first.at(point), second.at(point), strict=True)]

    def consider(self, point: Sequence[Number]) -> bool:
        """Evaluate a point of the unit cube, keep it where it is better, and return whether it is."""
        at = tuple(point)[: len(self.functions[0].inputs)]
        if len(at) < len(self.functions[0].inputs) or not all(0 <= x <= 1 for x in at):
            return False
        found = [Attained(abs(value), at) for value in self.differences(at)]
        better = [new.value > old.value for new, old in zip(found, self.best, strict=True)]
        self.best = [new if new.value > old.value else old for new, old in zip(found, self.best, strict=True)]
        return any(better)

    def search(self, difference: Network | None, work: int = SECOND) -> None:
        """Look for better points; `difference` is the network of the differences, if there is one."""
        meter = Meter(work)
        function = _float_difference(self.functions, difference)
        found: list[FarPoint] = []
        if function is not None:
            with np.errstate(all="ignore"):
                found = far_points(function, int(_FLOAT_SHARE * work))
        usable = [point for point in found if np.isfinite(point.value)]
        if not usable:
            self._try(quick_points(len(self.functions[0].inputs)), meter)
        self._evaluate(usable, difference, meter)
        self.simplify()

    def _try(self, points: Iterable[Point], meter: Meter) -> None:
        for _, point in zip(range(_QUICK), points, strict=False):
            if meter.is_used_up:
                return
            meter.spend(self.evaluation)
            self.consider(point)

    def _evaluate(self, found: Sequence[FarPoint], difference: Network | None, meter: Meter) -> None:
        """Evaluate the best points exactly, the best of all first, then the best of each output."""
        chosen = list({(point.output, point.sign): point for point in reversed(found)}.values())
        seen: set[Point] = set()
        for point in sorted(chosen, key=lambda point: -point.value):
            at = tuple(rational(x) for x in point.point)
            if meter.left < self.evaluation and seen:
                return
            if at not in seen:
                meter.spend(self.evaluation)
                self.consider(at)
                seen.add(at)
            is_corner = bool(((point.point == 0) | (point.point == 1)).all())
            if difference is not None and self.weights <= _SMALL and not is_corner and meter.left > 0:
                self.consider_vertex(difference, point)

    def consider_vertex(self, difference: Network, point: FarPoint) -> None:
        """Consider the exact vertex near a float point."""
        place = (len(difference.layers), point.output)
        found = exact_point(difference, *place, point.sign, point.point.tolist(), difference.box)
        if found is not None:
            self.consider(found[0])

    def simplify(self) -> None:
        """Replace the points of small subjects by simpler ones that are as good."""
        if self.weights > _SMALL:
            return
        for output, best in enumerate(self.best):
            point = self._simpler(output, best)
            self.best[output] = Attained(abs(self.differences(point)[output]), point)

    def _simpler(self, output: int, best: Attained) -> Point:
        def as_good(candidate: Point) -> bool:
            return all(0 <= x <= 1 for x in candidate) and abs(self.differences(candidate)[output]) >= best.value

        return best.point if all(x in (0, 1) for x in best.point) else simplest(as_good, best.point)


def _float_difference(functions: tuple[Function, Function], difference: Network | None) -> FloatDifference | None:
    """Return the difference in floats: of corresponding neurons if there are any, otherwise of one large network."""
    networks = networks_of(*functions)
    if networks is not None and are_alike(*networks):
        return AlikeNetworks(*networks)
    return None if difference is None else OneNetwork(difference)


def _size(subject: Formula | Network) -> int:
    """Return the number of weights, or of nodes."""
    if isinstance(subject, Formula):
        return 2 * len(subject.dag)
    return sum(len(row.terms) + 1 for layer in subject.layers for row in layer.rows)
