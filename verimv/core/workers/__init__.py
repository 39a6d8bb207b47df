"""Who does independent tasks: this process, some local processes, or the workers of a Dask cluster.

All three are a :class:`Team`, so whoever has tasks need not know which it is. A team is asked for by a number of local
processes or by the address of a Dask scheduler.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Sequence
from contextlib import AbstractContextManager, nullcontext
from typing import Protocol, TypeVar

from verimv.core.workers.processes import Processes, cores

__all__ = ["Processes", "Team", "Workers", "cores", "team"]

T = TypeVar("T")
R = TypeVar("R")

#: A number of local processes, or the address of a Dask scheduler.
Workers = int | str


class Team(Protocol):
    """`function` and tasks must be picklable; a function that is large is sent to each worker once."""

    @property
    def size(self) -> int:
        """How many tasks are worked on at a time."""

    def results(
        self, function: Callable[[T], R], tasks: Sequence[T], seconds: float | None = None
    ) -> Generator[tuple[T, R], None, None]:
        """Every task with its result, in the order in which they are finished.

        An error of `function` is raised here. :class:`Undecided` when `seconds` are used up, or when
        workers stop and nobody else can do their tasks.
        """


def team(workers: Workers, memory: int | None = None) -> AbstractContextManager[Team]:
    """The team that is asked for, to be entered before it works.

    With `memory`, tasks are done in processes of their own, each of which may add so many megabytes to what this one
    has; workers of a cluster have limits of their own.
    """
    if isinstance(workers, str):
        from verimv.core.workers.cluster import connected  # optional, and slow to import

        return connected(workers)
    return nullcontext(Processes(workers, memory=memory))
