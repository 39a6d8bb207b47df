"""Bounds of the hidden neurons of two networks on the whole cube, by default slopes, layer by layer.

Only what layers above need is kept: a neuron whose sign is known needs no more than this sign. A neuron of the second
network whose sign is unknown is compared with its twin, and needs the range of its change.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verimv.bounding.prove.twin_layers import TwinSystem, Which
from verimv.bounding.prove.twin_ranges import TwinRange, TwinRanges
from verimv.bounding.prove.twin_walk import TwinWalk
from verimv.bounding.search.twin_cases import TwinLemma
from verimv.bounding.situation import KINKS, Ends, lemma
from verimv.core.effort import Deadline
from verimv.core.errors import InternalError
from verimv.exact import ONE, ZERO, Number, Rational


class TwinLemmas:
    """Lemmas of a system in the order in which they are proved, and the ranges that they give."""

    def __init__(self, system: TwinSystem, deadline: Deadline) -> None:
        self.system = system
        self.ranges, self.walk = TwinRanges(system), TwinWalk(system, deadline)
        self.lemmas: list[TwinLemma] = []
        #: the ranges of all layers on the whole cube
        self.on_cube: list[TwinRange] = []
        for depth, layer in enumerate(system.layers[:-1]):
            if KINKS[layer.activation]:
                self._bound_first(depth)
                self._bound_second(depth)
            self.on_cube.append(self._layer(depth))

    def _layer(self, depth: int) -> TwinRange:
        found = self.ranges.layer(depth, {}, self.on_cube[-1] if depth else None)
        if found is None:
            raise InternalError("the cube has no point")
        return found

    def bound_outputs(self) -> tuple[list[Number], list[Number]]:
        """Return low and high of first − second for each output."""
        count = len(self.system.layers[-1].bias)
        found = self._bounds("y", self.system.depth, np.arange(count), (-1, 1))
        return [-x for x in found[:count]], found[count:]

    def _bounds(self, which: Which, depth: int, at: Any, ways: tuple[int, ...]) -> list[Number]:
        """Return upper bounds of way·(argument) for some neurons: all of them for the first way, then for the next."""
        rows = self.system.layers[depth].rows(which).at(at)
        joined = rows.times(ways[0]) if len(ways) == 1 else rows.joined([rows.times(way) for way in ways])
        return self.walk.bounds(joined, self.on_cube)

    def _bound_first(self, depth: int) -> None:
        """Bound z where intervals do not show in which piece it is. Intervals of the first layer are exact."""
        if depth:
            self._bound_both_ends("z", depth, np.flatnonzero(self._layer(depth).z_bends))

    def _bound_second(self, depth: int) -> None:
        """Show the sign of y where the sign of z is known; otherwise bound its change, or y if it has no twin."""
        layer, found = self.system.layers[depth], self._layer(depth)
        if depth:
            self._bound_both_ends("y", depth, np.flatnonzero(found.y_bends & layer.is_used))
            self._show_signs(depth, found)
            found = self._layer(depth)
        compared = found.compared
        if len(compared.at):
            ends = self._bounds("d", depth, compared.at, (-1, 1))
            count = len(compared.at)
            for n, i in enumerate(compared.at.tolist()):
                low, high = (Rational(int(end[n]), compared.denominator) for end in compared.d)
                self._keep("d", depth, i, (-ends[n], ends[n + count]), (low, high))

    def _show_signs(self, depth: int, found: TwinRange) -> None:
        """Show that neurons of the second network are in the same piece as their twins, where that has one end only."""
        compared, activation = found.compared, self.system.layers[depth].activation
        low, high = compared.z
        last = compared.denominator if activation == "crelu" else 0
        for way, is_there, end in ((1, high < 0, ZERO), (-1, low > last, ONE if activation == "crelu" else ZERO)):
            at = compared.at[np.flatnonzero(is_there)]
            if len(at):
                for i, upper in zip(at.tolist(), self._bounds("y", depth, at, (way,)), strict=True):
                    if upper <= way * end:
                        self._learn("y", depth, i, way, end)

    def _bound_both_ends(self, which: Which, depth: int, at: Any) -> None:
        """Bound arguments; where a bound shows on which side of all kinks they are, this is all that is kept."""
        if not len(at):
            return
        found, count = self._layer(depth), len(at)
        kinks = [Rational(kink) for kink in KINKS[self.system.layers[depth].activation]]
        ends = self._bounds(which, depth, at, (-1, 1))
        for n, i in enumerate(at.tolist()):
            low, high = -ends[n], ends[n + count]
            known = found.ends(which, i)
            if high <= kinks[0]:
                low = known[0]
            elif low >= kinks[-1]:
                high = known[1]
            self._keep(which, depth, i, (low, high), known)

    def _keep(
        self, which: Which, depth: int, i: int, ends: tuple[Number, Number], known: tuple[Number, Number]
    ) -> None:
        """Keep both ends, as short numbers, where they are better than what is known."""
        for way, end, old in zip((-1, 1), ends, known, strict=True):
            short = way * lemma(way * end, 1)
            if way * short < way * old:
                self._learn(which, depth, i, way, short)

    def _learn(self, which: Which, depth: int, i: int, way: int, value: Number) -> None:
        place = (which, depth, i)
        low, high = self.ranges.known.get(place, (None, None))
        ends: Ends = (low, value) if way > 0 else (value, high)
        self.ranges.learn(place, ends)
        self.lemmas.append(TwinLemma(place, way, value))
