"""Run independent tasks: in this process, in local processes, or on the workers of a Dask cluster.

All three are a :class:`Team`, so callers need not know which one they use. A team is given by a number of local
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
    """Workers that share tasks. `function` and tasks must be picklable; `function` is sent to each worker once."""

    @property
    def size(self) -> int:
        """Number of tasks that run at a time."""

    def results(
        self, function: Callable[[T], R], tasks: Sequence[T], seconds: float | None = None
    ) -> Generator[tuple[T, R], None, None]:
        """Yield every task with its result, in the order in which they finish.

        An error of `function` is raised here. Raises :class:`Undecided` when `seconds` are used up, or when workers
        stop and no other can do their tasks.
        """


def team(workers: Workers, memory: int | None = None) -> AbstractContextManager[Team]:
    """Return a team, as a context manager.

    With `memory`, tasks always run in child processes, each of which may use so many megabytes more than this process;
    workers of a cluster have their own limits.
    """
    if isinstance(workers, str):
        from verimv.core.workers.cluster import connected  # optional, and slow to import

        return connected(workers)
    return nullcontext(Processes(workers, memory=memory))
