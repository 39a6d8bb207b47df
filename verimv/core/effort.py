"""Effort is counted in work, never in seconds: the same question has the same answer on any machine, at any load.

A unit of work takes about a microsecond. A search computes its work from the number and size of its steps; a solver
counts its own resource units. A clock may end a run, which then has no result. It never determines the result.
"""

from __future__ import annotations

import math
import time

from verimv.core.workers.child import OutOfBudget

#: Units of work that take about a second.
SECOND = 1_000_000


class Deadline:
    """A deadline shared by several steps. Pickles the time that is left, since clocks of machines differ."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    def __reduce__(self) -> tuple[type[Deadline], tuple[float]]:
        return Deadline, (self.left,)

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise :class:`OutOfBudget` if the deadline has passed."""
        if not self.left:
            raise OutOfBudget("no answer in time")


NEVER = Deadline(math.inf)


class Meter:
    """A budget of work for several steps in sequence, with a deadline for all of them."""

    def __init__(self, work: int, deadline: Deadline = NEVER) -> None:
        self.work = self.left = work
        self.deadline = deadline

    @property
    def spent(self) -> int:
        """Work done so far. It may exceed the budget, since a step is not interrupted."""
        return self.work - self.left

    @property
    def is_used_up(self) -> bool:
        return self.left <= 0

    def spend(self, work: int) -> None:
        """Subtract work. Raises :class:`OutOfBudget` if the deadline has passed."""
        self.deadline.check()
        self.left -= work
