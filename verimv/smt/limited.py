"""Running a solver where it can be stopped: in a child process, within a time and a memory budget."""

from __future__ import annotations

import ctypes
import multiprocessing
import signal
import sys
import time
from collections.abc import Callable
from contextlib import suppress
from typing import Any, TypeVar

from verimv.errors import Undecided

try:
    import resource
except ImportError:  # not on this platform: no memory limit
    resource = None  # type: ignore[assignment]

T = TypeVar("T")

#: What a solver may add to the memory of the process that starts it, unless told otherwise.
DEFAULT_MEMORY = 8192
_GRACE = 0.3


class Deadline:
    """A point in time that several steps share."""

    def __init__(self, seconds: float) -> None:
        self.seconds = seconds
        self._end = time.monotonic() + seconds

    @property
    def left(self) -> float:
        return max(0.0, self._end - time.monotonic())

    def check(self) -> None:
        """Raise :class:`OutOfBudget` once it has passed."""
        if not self.left:
            raise OutOfBudget(f"no answer in {self.seconds:.3g} s")


class OutOfBudget(Undecided):
    """The child was stopped."""


def limited(function: Callable[..., T], *arguments: Any, seconds: float, memory: int = DEFAULT_MEMORY) -> T:
    """The result of a call made in a child process; :class:`OutOfBudget` if it takes too long or too much memory.

    The child is killed `_GRACE` seconds after its time, whatever it is doing, and at once on Ctrl-C.
    """
    context: Any = multiprocessing.get_context("fork" if hasattr(signal, "pthread_kill") else "spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=_child, args=(sender, memory, function, arguments), daemon=True)
    process.start()
    sender.close()
    try:
        if not receiver.poll(seconds + _GRACE):
            raise OutOfBudget(f"no answer in {seconds:.3g} s")
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
    die_with_parent()
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN if number == signal.SIGINT else signal.SIG_DFL)
    if resource is not None:
        used = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss << 10
        soft, hard = resource.getrlimit(resource.RLIMIT_AS)
        cap = used + (memory << 20) + (1 << 30)
        cap = cap if soft == resource.RLIM_INFINITY else min(cap, soft)
        resource.setrlimit(resource.RLIMIT_AS, (cap, hard))
    try:
        sender.send(("value", function(*arguments)))
    except MemoryError:
        sender.send(("error", OutOfBudget(f"the memory limit of {memory} MB is used up")))
    except Exception as error:
        if "memory" in str(error).lower():  # how z3 puts it
            error = OutOfBudget(f"the memory limit of {memory} MB is used up")
        sender.send(("error", error))


def die_with_parent() -> None:
    """A parent that is killed cannot stop its solver; on Linux the kernel does."""
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            ctypes.CDLL(None).prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
