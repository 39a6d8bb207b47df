"""Tasks on all cores, by processes that can be stopped at any time."""

from __future__ import annotations

import multiprocessing
import os
import signal
from collections.abc import Callable, Iterator, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any, TypeVar

from verimv.errors import Undecided

T = TypeVar("T")
R = TypeVar("R")

_NO_TASK: Any = object()


def cores() -> int:
    """Those that this process may use, where the system tells."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def in_parallel(function: Callable[[T], R], tasks: Sequence[T], workers: int) -> Iterator[R]:
    """The results of all tasks, in the order in which they are finished. One worker is this process itself."""
    if workers == 1 or len(tasks) <= 1:
        yield from map(function, tasks)
        return
    pending = iter(tasks)
    team = [_Worker(function) for _ in range(min(workers, len(tasks)))]
    busy: dict[Any, _Worker] = {worker.connection: worker for worker in team}
    try:
        for worker in team:
            worker.connection.send(next(pending))
        while busy:
            for connection in wait(list(busy)):
                result = busy[connection].result()
                following = next(pending, _NO_TASK)
                if following is _NO_TASK:
                    del busy[connection]
                else:
                    busy[connection].connection.send(following)
                yield result
    finally:
        for worker in team:
            worker.stop()


class _Worker:
    """A process that does tasks as they come. It has a pipe and no locks, so that it can be stopped at any time; it is
    started afresh, since this process may have threads, which a forked child would be left without."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, other = context.Pipe()
        self.process = context.Process(target=_serve, args=(function, other), daemon=True)
        self.process.start()
        other.close()

    def result(self) -> Any:
        try:
            outcome, value = self.connection.recv()
        except EOFError:
            raise Undecided("a worker stopped without an answer: perhaps the memory is used up") from None
        if outcome == "error":
            raise value
        return value

    def stop(self) -> None:
        self.process.kill()
        self.process.join()
        self.connection.close()


def _serve(function: Callable[[Any], Any], connection: Connection) -> None:
    """Runs in the child until its parent is gone. Ctrl-C is the parent's: it stops the child."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    while True:
        try:
            task = connection.recv()
        except EOFError:
            return
        try:
            outcome = "value", function(task)
        except Exception as error:
            outcome = "error", error
        connection.send(outcome)
