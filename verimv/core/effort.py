"""Effort is counted in work, never in seconds: the same question has the same answer on any machine, at any load.

A unit of work takes about a microsecond. A search counts what it does in such units, by numbers of steps and sizes; a
solver counts in resource units of its own. A clock may end a run, which then has no result. It never decides what the
result is.
"""

from __future__ import annotations

import math
import time

from verimv.core.workers.child import OutOfBudget

#: Units of work that take about a second.
SECOND = 1_000_000


class Deadline:
    """A point in time that several steps share. Clocks of machines differ: what travels is the time that is left."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def __reduce__(self) -> tuple[type[Deadline], tuple[float]]:
        return Deadline, (self.left,)

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise :class:`OutOfBudget` once it has passed."""
        if not self.left:
            raise OutOfBudget(f"no answer in {self.seconds:.3g} s")


NEVER = Deadline(math.inf)


class Meter:
    """Work that may still be done, by several steps one after the other. A deadline that passes ends all of it."""

    def __init__(self, work: int, deadline: Deadline = NEVER) -> None:
        self.work = self.left = work
        self.deadline = deadline

    @property
    def spent(self) -> int:
        """May be more than was allowed: a step that has begun is finished."""
        return self.work - self.left

    @property
    def is_used_up(self) -> bool:
        return self.left <= 0

    def spend(self, work: int) -> None:
        """Raises :class:`OutOfBudget` once the deadline has passed."""
        self.deadline.check()
        self.left -= work
