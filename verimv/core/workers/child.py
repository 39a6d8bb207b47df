"""Setup of a child process: it dies with its parent, leaves Ctrl-C to it, and has a memory limit."""

from __future__ import annotations

import gc
import multiprocessing
import signal
from collections.abc import Callable
from typing import Any

from verimv.core.errors import Undecided
from verimv.core.parent import dying_with_parent

try:
    import resource
except ImportError:  # not on this platform: no memory limit
    resource = None  # type: ignore[assignment]


class OutOfBudget(Undecided):
    """Time or memory ran out before there was an answer."""


class WorkerStopped(OutOfBudget):
    """A worker was killed during a task."""

    def __init__(self, task: Any) -> None:
        super().__init__("a worker stopped without an answer: perhaps the memory is used up")
        self.task = task


def begin(memory: int | None = None) -> None:
    """Set up this child process. `memory` is how many megabytes it may use beyond those of its parent."""
    parent = multiprocessing.parent_process()
    die_with_parent = None if parent is None else dying_with_parent(parent.pid)
    if die_with_parent is not None:
        die_with_parent()
    gc.freeze()  # otherwise the first collection visits, and so copies, all objects of the parent
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    for name in ("SIGTERM", "SIGALRM"):
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_DFL)
    if memory is not None and resource is not None:
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        cap = used + (memory << 20) + (1 << 30)
        cap = cap if soft == resource.RLIM_INFINITY else min(cap, soft)
        resource.setrlimit(resource.RLIMIT_AS, (cap, hard))


def outcome(call: Callable[[], Any], memory: int | None) -> tuple[str, Any]:
    """Return ("value", …) or ("error", …), to be sent to the parent."""
    try:
        return "value", call()
    except MemoryError:
        pass
    except Exception as error:
        if memory is None or "memory" not in str(error).lower():  # z3 raises its own exception when memory runs out
            return "error", error
    return "error", OutOfBudget("out of memory" if memory is None else f"the memory limit of {memory} MB is used up")
