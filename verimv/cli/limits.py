"""--timeout and --memory, and what a signal does: each ends the work with the exit code it deserves."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from verimv.errors import Undecided

try:
    import resource
except ImportError:  # not on this platform: no memory limit
    resource = None  # type: ignore[assignment]


class Terminated(BaseException):
    """SIGTERM, so that temporary files are removed on the way out."""


@contextmanager
def limits(timeout: float | None, memory: int | None) -> Iterator[None]:
    """Raise :class:`Undecided` in the running code when `timeout` seconds or `memory` megabytes are used up."""

    def out_of_time(number: int, frame: FrameType | None) -> None:
        raise Undecided(f"the time limit of {timeout:g} s is used up")

    def terminated(number: int, frame: FrameType | None) -> None:
        raise Terminated

    signal.signal(signal.SIGTERM, terminated)
    if memory is not None and resource is not None:
        size = memory << 20
        resource.setrlimit(resource.RLIMIT_AS, (size, resource.getrlimit(resource.RLIMIT_AS)[1]))
    if timeout is not None and hasattr(signal, "setitimer"):
        signal.signal(signal.SIGALRM, out_of_time)
        signal.setitimer(signal.ITIMER_REAL, timeout)
    try:
        yield
    except MemoryError:
        limit = f"the memory limit of {memory} MB" if memory is not None else "the memory"
        raise Undecided(f"{limit} is used up") from None
    finally:
        if timeout is not None and hasattr(signal, "setitimer"):
            signal.setitimer(signal.ITIMER_REAL, 0)
