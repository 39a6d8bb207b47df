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

#: Bits of multipliers, tried from the shortest on.
_BITS = (8, 14, 24, 40, 53)
#: Bits of multipliers for parts that are still open when the budget ends.
_OPEN_BITS = 14
#: Multipliers are kept if they make a bound smaller by this share; default slopes take no room in a certificate.
_WORTH = 1e-3
#: Powers of 2 by which a dual ray, which shows that a part is empty, is multiplied.
_FAR = (4, 14, 24, 40)
#: Work of an exact evaluation and of exact multipliers; in addition, one unit for so many weights.
_EVALUATION, _EXACT = 120, 1000
_WEIGHTS = 6


class Closer:
    """Closes parts of the cube: proves that way·argument of one neuron stays at or below a goal there."""

    def __init__(self, context: LayerContext, layer: int, index: int, way: int, meter: Meter) -> None:
        self.context, self.layer, self.index, self.way = context, layer, index, way
        self.walk, self.meter = context.walk, meter
        self.evaluation = _EVALUATION + context.weights[layer] // _WEIGHTS

    def close(
        self, part: Part, guess: Sequence[Any], upper: float, goal: Number, attained: Number, tolerance: float
    ) -> bool:
        """Return whether the goal is proved on a part, from guessed multipliers that give `upper` in floats."""
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
            return True  # enough for many maxima of networks with integer weights
        self.meter.spend(_EXACT + 2 * self.evaluation)
        exact = exact_multipliers(self.context, self.layer, self.index, self.way, ranges, guess)
        return self._proves(part, ranges, exact, goal)

    def close_by_intervals(self, part: Part, goal: Number) -> bool:
        """Return whether interval arithmetic proves the goal; it is sometimes tighter than backward bounds."""
        ranges = self._ranges(part)
        if ranges is None:
            return True
        zeros = [np.zeros(len(found.low)) for found in ranges]
        return self._proves(part, ranges, short_multipliers(zeros, ranges, 1), goal)

    def close_empty(self, part: Part, ray: Sequence[Any] | None, goal: Number) -> bool:
        """Return whether multiples of a dual ray, which shows that the part is empty, prove the goal."""
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
        """Close a part that is still open with the best bound at hand, and return it; None if the part is empty."""
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
        """Return the exact ranges in a part; None if it is empty, and then it is closed."""
        self.meter.spend(self.evaluation)
        ranges = self.walk.ranges(part.situation, self.layer)
        if ranges is None:
            part.close([], None)
        return ranges

    def _proves(
        self, part: Part, ranges: list[LayerRange], multipliers: Sequence[Multipliers] | None, goal: Number
    ) -> bool:
        """Close the part if the multipliers prove the goal, and return whether they do."""
        bound = self._bound(part, ranges, multipliers)
        if bound <= goal:
            part.close(in_order(multipliers or []), bound)
        return bound <= goal

    def _bound(self, part: Part, ranges: list[LayerRange], multipliers: Sequence[Multipliers] | None) -> Number:
        """Return the exact bound that multipliers give, or for None default slopes."""
        self.meter.spend(self.evaluation)
        return self.walk.bound(self.layer, self.index, self.way, part.situation.box, ranges, multipliers)
