"""Run a solver where it can be stopped: in a child process, with limits of time and memory."""

from __future__ import annotations

import math
import multiprocessing
import signal
from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar

from verimv.core.effort import Deadline
from verimv.core.workers import child
from verimv.core.workers.child import OutOfBudget

__all__ = ["DEFAULT_MEMORY", "Deadline", "OutOfBudget", "limited"]

T = TypeVar("T")

#: Default memory limit of a solver in megabytes, beyond the memory of the parent process.
DEFAULT_MEMORY = 8192
_GRACE = 0.3


def limited(function: Callable[..., T], *arguments: Any, seconds: float, memory: int = DEFAULT_MEMORY) -> T:
    """Call a function in a child process; raise :class:`OutOfBudget` if it takes too long or too much memory.

    The child is killed `_GRACE` seconds after its time limit, and at once on Ctrl-C. A worker process may not start
    others: there the function runs in the worker itself, with the worker's limits.
    """
    if multiprocessing.current_process().daemon:
        return function(*arguments)
    context: Any = multiprocessing.get_context("fork" if hasattr(signal, "pthread_kill") else "spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(sender, memory, function, arguments), daemon=True)
    process.start()
    sender.close()
    try:
        if not receiver.poll(None if math.isinf(seconds) else seconds + _GRACE):
            raise OutOfBudget("no answer in time")
        try:
            outcome, value = receiver.recv()
        except EOFError:
            raise OutOfBudget(f"the solver stopped without an answer (memory limit {memory} MB)") from None
    finally:
        process.kill()
        process.join()
        receiver.close()
    if outcome == "error":
        raise value
    result: T = value
    return result


def _child(sender: Any, memory: int, function: Callable[..., Any], arguments: tuple[Any, ...]) -> None:
    child.begin(memory)
    sender.send(child.outcome(partial(function, *arguments), memory))
