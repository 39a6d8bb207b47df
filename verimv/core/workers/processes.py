"""Tasks on the cores of this machine, by processes that can be stopped at any time."""

from __future__ import annotations

import math
import multiprocessing
import os
import time
from collections.abc import Callable, Generator, Sequence
from contextlib import closing
from functools import partial
from multiprocessing.connection import Connection, wait
from typing import Any, Literal, TypeVar

from verimv.core.workers import child

T = TypeVar("T")
R = TypeVar("R")

_NO_TASK: Any = object()


def cores() -> int:
    """Number of cores that this process may use; all cores where the system does not say."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class Processes:
    """A team of local processes; a team of one without a memory limit is this process itself.

    `start` is "fork", which shares the memory of this process, or "spawn" where this process may have threads that hold
    locks, which a forked child would never see released. If `nested`, tasks may start processes of their own, as
    solvers do.
    """

    def __init__(
        self,
        count: int,
        start: Literal["fork", "spawn"] = "fork",
        memory: int | None = None,
        nested: bool = False,
    ) -> None:
        self.size = count
        self._start, self._memory, self._nested = start, memory, nested

    def answers(
        self, function: Callable[[T], R], tasks: Sequence[T]
    ) -> Generator[tuple[T, R | child.WorkerStopped], None, None]:
        """Yield every task with its result, as :meth:`results` does. A worker that is killed costs one task."""
        waiting = list(tasks)
        while waiting:
            try:
                with closing(self.results(function, list(waiting))) as results:
                    for task, result in results:
                        waiting.remove(task)
                        yield task, result
            except child.WorkerStopped as error:
                waiting.remove(error.task)
                yield error.task, error

    def results(
        self, function: Callable[[T], R], tasks: Sequence[T], seconds: float | None = None
    ) -> Generator[tuple[T, R], None, None]:
        if self._memory is None and (self.size == 1 or len(tasks) <= 1):
            yield from ((task, function(task)) for task in tasks)
            return
        pending = iter(tasks)
        end = None if seconds is None or math.isinf(seconds) else time.monotonic() + seconds
        team = [_Worker(function, self._start, self._memory, self._nested) for _ in range(min(self.size, len(tasks)))]
        busy: dict[Any, _Worker] = {worker.connection: worker for worker in team}
        try:
            for worker in team:
                worker.give(next(pending))
            while busy:
                for connection in self._ready(list(busy), end, seconds):
                    worker = busy[connection]
                    finished = worker.task, worker.result()
                    following = next(pending, _NO_TASK)
                    if following is _NO_TASK:
                        del busy[connection]
                    else:
                        worker.give(following)
                    yield finished
        finally:
            for worker in team:
                worker.stop()

    @staticmethod
    def _ready(connections: list[Any], end: float | None, seconds: float | None) -> list[Any]:
        found = wait(connections, None if end is None else max(0.0, end - time.monotonic()))
        if not found:
            raise child.OutOfBudget(f"no answer in {seconds:.3g} s")
        return found


class _Worker:
    """A process that does one task after the other. It has a pipe and no locks, so it can be killed at any time."""

    def __init__(self, function: Callable[[Any], Any], start: str, memory: int | None, nested: bool) -> None:
        known = multiprocessing.get_all_start_methods()
        context: Any = multiprocessing.get_context(start if start in known else "spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(function, other, memory), daemon=not nested)
        self.process.start()
        other.close()
        self.task: Any = _NO_TASK

    def give(self, task: Any) -> None:
        self.task = task
        self.connection.send(task)

    def result(self) -> Any:
        try:
            outcome, value = self.connection.recv()
        except (EOFError, ConnectionResetError):
            raise child.WorkerStopped(self.task) from None
        if outcome == "error":
            raise value
        return value

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(function: Callable[[Any], Any], connection: Connection, memory: int | None) -> None:
    """Do tasks, in the child, until the parent is gone. On Ctrl-C the parent stops the child."""
    child.begin(memory)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        connection.send(child.outcome(partial(function, task), memory))
