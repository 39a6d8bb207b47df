"""Bounds of the hidden neurons of two networks on the whole cube, by default slopes, layer by layer.

Only what layers above need is kept: a neuron whose sign is known needs no more than this sign. A neuron with a twin
whose sign is unknown is compared with it, and needs the range of its change.
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
        #: the ranges of all layers on the whole cube, from the inputs on
        self.on_cube: list[TwinRange] = [self.ranges.of_inputs()]
        for number in range(1, system.top):
            if KINKS[system.layers[number].activation]:
                self._bound_arguments(number)
                self._bound_changes(number)
            self.on_cube.append(self._layer(number))

    def _layer(self, number: int) -> TwinRange:
        found = self.ranges.layer(number, {}, self.on_cube)
        if found is None:
            raise InternalError("the cube has no point")
        return found

    def bound_outputs(self) -> tuple[list[Number], list[Number]]:
        """Return low and high of first − second for each output."""
        count = self.system.layers[-1].width
        found = self._both_ends("y", self.system.top, np.arange(count))
        return [-x for x in found[:count]], found[count:]

    def _both_ends(self, which: Which, number: int, at: Any) -> list[Number]:
        """Return upper bounds of −1 times arguments or changes, then of these themselves."""
        return self.walk.bounds(self.system.rows(which, number).at(at).both_ways(), self.on_cube)

    def _bound_arguments(self, number: int) -> None:
        """Bound y if it has no twin, and intervals do not show in which piece it is; those over inputs are exact.

        Show the sign of y where the sign of its twin is known.
        """
        layer = self.system.layers[number]
        if not layer.is_over_inputs:
            self._bound_alone(number, np.flatnonzero(self._layer(number).bends & layer.is_used))
            self._show_signs(number, self._layer(number))

    def _bound_changes(self, number: int) -> None:
        """Bound the changes of neurons that are compared."""
        compared = self._layer(number).compared
        if len(compared.at):
            ends = self._both_ends("d", number, compared.at)
            count = len(compared.at)
            last = ONE if self.system.layers[number].activation == "crelu" else ZERO
            for n, i in enumerate(compared.at.tolist()):
                known = [Rational(int(end[n]), compared.denominator) for end in compared.d]
                least, most = (Rational(int(end[n]), compared.denominator) for end in compared.x)
                low, high = -ends[n], ends[n + count]
                if most + lemma(high, 1) < 0:  # one end shows that both neurons are in the same piece
                    low = known[0]
                elif least - lemma(-low, 1) > last:
                    high = known[1]
                self._keep("d", number, i, (low, high), (known[0], known[1]))

    def _show_signs(self, number: int, found: TwinRange) -> None:
        """Show that neurons are in the same piece as their twins, where that has one end only."""
        compared, activation = found.compared, self.system.layers[number].activation
        low, high = compared.x
        last = compared.denominator if activation == "crelu" else 0
        for way, is_there, end in ((1, high < 0, ZERO), (-1, low > last, ONE if activation == "crelu" else ZERO)):
            at = compared.at[np.flatnonzero(is_there)]
            if len(at):
                rows = self.system.rows("y", number).at(at).times(way)
                for i, upper in zip(at.tolist(), self.walk.bounds(rows, self.on_cube), strict=True):
                    if upper <= way * end:
                        self._learn("y", number, i, way, end)

    def _bound_alone(self, number: int, at: Any) -> None:
        """Bound arguments; where a bound shows on which side of all kinks they are, this is all that is kept."""
        if not len(at):
            return
        found, count = self._layer(number), len(at)
        kinks = [Rational(kink) for kink in KINKS[self.system.layers[number].activation]]
        ends = self._both_ends("y", number, at)
        for n, i in enumerate(at.tolist()):
            low, high = -ends[n], ends[n + count]
            known = found.ends(i)
            if high <= kinks[0]:
                low = known[0]
            elif low >= kinks[-1]:
                high = known[1]
            self._keep("y", number, i, (low, high), known)

    def _keep(
        self, which: Which, number: int, i: int, ends: tuple[Number, Number], known: tuple[Number, Number]
    ) -> None:
        """Keep both ends, as short numbers, where they are better than what is known."""
        for way, end, old in zip((-1, 1), ends, known, strict=True):
            short = way * lemma(way * end, 1)
            if way * short < way * old:
                self._learn(which, number, i, way, short)

    def _learn(self, which: Which, number: int, i: int, way: int, value: Number) -> None:
        place = (which, number, i)
        low, high = self.ranges.known.get(place, (None, None))
        ends: Ends = (low, value) if way > 0 else (value, high)
        self.ranges.learn(place, ends)
        self.lemmas.append(TwinLemma(place, way, value))
