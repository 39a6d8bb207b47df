"""Exact proofs for parts of a search: short multipliers where there is room, exact ones where a bound is attained."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import as_float
from verimv.bounding.prove.walk import LayerRange, Multipliers, in_order
from verimv.bounding.search.layer_context import LayerContext
from verimv.bounding.search.multipliers import exact_multipliers, short_multipliers
from verimv.bounding.search.part import Part
from verimv.core.effort import Meter
from verimv.exact import Number

#: Of multipliers: the shortest that may do come first.
_BITS = (8, 14, 24, 40, 53)
#: For parts that are still open when the budget ends.
_OPEN_BITS = 14
#: Multipliers are written down if they make a bound smaller by this share; default slopes take no room.
_WORTH = 1e-3
#: Powers of 2 by which a ray is taken that shows that there is no point.
_FAR = (4, 14, 24, 40)
#: Work of an exact evaluation, and of exact multipliers; besides, so many weights are a unit of it.
_EVALUATION, _EXACT = 120, 1000
_WEIGHTS = 6


class Closer:
    """Of parts of the cube, for one target: way·argument of a neuron."""

    def __init__(self, context: LayerContext, layer: int, index: int, way: int, meter: Meter) -> None:
        self.context, self.layer, self.index, self.way = context, layer, index, way
        self.walk, self.meter = context.walk, meter
        self.evaluation = _EVALUATION + context.weights[layer] // _WEIGHTS

    def close(
        self, part: Part, guess: Sequence[Any], upper: float, goal: Number, attained: Number, tolerance: float
    ) -> bool:
        """Whether the part is proved to stay at or below the goal. `upper` is what the guess gives in floats."""
        ranges = self._ranges(part)
        if ranges is None:
            return True
        if part.linear < as_float(goal) - tolerance and self._proves(part, ranges, None, goal):
            return True
        room = as_float(goal) - upper
        if room > tolerance:
            needed = math.log2(1 + abs(upper - as_float(attained)) / room) if math.isfinite(upper) else 0
            for bits in _BITS[min(int(needed / 8), len(_BITS) - 2) :]:
                if self._proves(part, ranges, short_multipliers(guess, ranges, bits), goal):
                    return True
        elif self._proves(part, ranges, short_multipliers(guess, ranges, _BITS[0]), goal):
            return True  # many maxima of networks with whole weights need no more
        self.meter.spend(_EXACT + 2 * self.evaluation)
        exact = exact_multipliers(self.context, self.layer, self.index, self.way, ranges, guess)
        return self._proves(part, ranges, exact, goal)

    def close_by_intervals(self, part: Part, goal: Number) -> bool:
        """Sometimes tighter than backward bounds."""
        ranges = self._ranges(part)
        if ranges is None:
            return True
        zeros = [np.zeros(len(found.low)) for found in ranges]
        return self._proves(part, ranges, short_multipliers(zeros, ranges, 1), goal)

    def close_empty(self, part: Part, ray: Sequence[Any] | None, goal: Number) -> bool:
        """A multiple of the ray that shows that there is no point, added to any multipliers."""
        ranges = self._ranges(part)
        if ranges is None:
            return True
        size = max([float(np.abs(values).max(initial=0.0)) for values in ray or ()], default=0.0)
        if ray is None or not 0 < size < math.inf:
            return False
        own = part.multipliers or [np.zeros(len(found.low)) for found in ranges]
        scale = max(1.0, abs(as_float(goal))) / size
        for power in _FAR:
            for sign in (1, -1):
                tall = [a + sign * scale * 2.0**power * b for a, b in zip(own, ray, strict=True)]
                if self._proves(part, ranges, short_multipliers(tall, ranges, 24), goal):
                    return True
        return False

    def close_anyhow(self, part: Part) -> Number | None:
        """The best bound of a part that is still open; None if it has no point."""
        ranges = self._ranges(part)
        if ranges is None:
            return None
        guess, upper = part.multipliers, part.upper
        bound, leaf = self._bound(part, ranges, None), []
        if guess and as_float(bound) - upper > _WORTH * max(abs(upper), abs(as_float(bound))):
            multipliers = short_multipliers(guess, ranges, _OPEN_BITS)
            explicit = self._bound(part, ranges, multipliers)
            if explicit < bound:
                bound, leaf = explicit, in_order(multipliers)
        part.close(leaf, bound)
        return bound

    def _ranges(self, part: Part) -> list[LayerRange] | None:
        """Where there is no point, the part is closed."""
        self.meter.spend(self.evaluation)
        ranges = self.walk.ranges(part.situation, self.layer)
        if ranges is None:
            part.close([], None)
        return ranges

    def _proves(
        self, part: Part, ranges: list[LayerRange], multipliers: Sequence[Multipliers] | None, goal: Number
    ) -> bool:
        bound = self._bound(part, ranges, multipliers)
        if bound <= goal:
            part.close(in_order(multipliers or []), bound)
        return bound <= goal

    def _bound(self, part: Part, ranges: list[LayerRange], multipliers: Sequence[Multipliers] | None) -> Number:
        """By multipliers, or by default slopes."""
        self.meter.spend(self.evaluation)
        return self.walk.bound(self.layer, self.index, self.way, part.situation.box, ranges, multipliers)
