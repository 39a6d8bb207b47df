"""--timeout, --memory and signals: each ends the work with its own exit code."""

from __future__ import annotations

import _thread
import logging  # noqa: F401  its hooks around a fork must be registered before those below
import os
import signal
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from verimv.core.errors import InputError, Undecided

try:
    import resource
except ImportError:  # not on this platform: no memory limit
    resource = None  # type: ignore[assignment]

_POLL = 0.02
#: Seconds until a signal is raised again, in case its exception was lost.
_AGAIN = 1.0


class _Fork:
    """Whether this process is being forked.

    Python then holds locks, such as that of logging, and releases them by code that an exception of a signal handler
    would end: every other thread would wait for them for ever.
    """

    is_going_on = False

    @classmethod
    def begin(cls) -> None:
        cls.is_going_on = True

    @classmethod
    def end(cls) -> None:
        cls.is_going_on = False


if hasattr(os, "register_at_fork"):  # `begin` is called before all hooks that were registered earlier, `end` after them
    os.register_at_fork(before=_Fork.begin, after_in_parent=_Fork.end, after_in_child=_Fork.end)


class Terminated(BaseException):
    """Raised on SIGTERM, so that temporary files are removed."""


class _GiveUp(BaseException):
    """Raised when a limit is reached. Not an Exception, so that no handler catches it by mistake."""


@contextmanager
def limits(timeout: float | None, memory: int | None, grace: float = 0.0) -> Iterator[None]:
    """End the running code with :class:`Undecided` when `timeout` seconds or `memory` megabytes are used up.

    `grace` is extra time for code that keeps the timeout itself.
    """
    reason = f"the time limit of {timeout:g} s is used up" if timeout is not None else ""

    def give_up(number: int, frame: FrameType | None) -> None:
        if _Fork.is_going_on:
            signal.setitimer(signal.ITIMER_REAL, _POLL, _AGAIN)
            return
        raise _GiveUp

    def terminated(number: int, frame: FrameType | None) -> None:
        if has_alarm and _Fork.is_going_on:
            signal.signal(signal.SIGALRM, terminated)
            signal.setitimer(signal.ITIMER_REAL, _POLL)
            return
        if has_alarm:  # again later: an exception in a finaliser, such as z3's, is lost
            signal.signal(signal.SIGALRM, terminated)
            signal.setitimer(signal.ITIMER_REAL, _AGAIN)
        raise Terminated

    def out_of_memory() -> None:
        nonlocal reason
        reason = f"the memory limit of {memory} MB is used up"
        signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGALRM)

    has_alarm = hasattr(signal, "setitimer")
    signal.signal(signal.SIGTERM, terminated)
    done = threading.Event()
    if has_alarm:
        signal.signal(signal.SIGALRM, give_up)
    is_late = threading.Event()
    if timeout is not None and has_alarm:
        signal.setitimer(signal.ITIMER_REAL, timeout + grace, _AGAIN)
    elif timeout is not None:
        threading.Thread(target=_interrupt, args=(timeout + grace, done, is_late), daemon=True).start()
    if memory is not None and (resource is None or not has_alarm):
        raise InputError("--memory: this system has no limit on memory; leave the option out")
    uncapped = None
    if memory is not None:
        uncapped = resource.getrlimit(resource.RLIMIT_AS)
        _cap_address_space(memory, uncapped[1])
        threading.Thread(target=_watch, args=(memory, done, out_of_memory), daemon=True).start()
    try:
        yield
    except _GiveUp:
        raise Undecided(reason) from None
    except KeyboardInterrupt:
        if is_late.is_set():
            raise Undecided(reason) from None
        raise
    except MemoryError:
        raise Undecided(f"the memory limit of {memory} MB is used up" if memory else "out of memory") from None
    finally:
        done.set()
        if has_alarm:
            signal.setitimer(signal.ITIMER_REAL, 0)
        if uncapped is not None:
            resource.setrlimit(resource.RLIMIT_AS, uncapped)


def _interrupt(seconds: float, done: threading.Event, is_late: threading.Event) -> None:
    """Interrupt the main thread after a time, where there is no alarm, as on Windows; and again, as an exception may be
    lost."""
    while not done.wait(seconds):
        is_late.set()
        _thread.interrupt_main()
        seconds = _AGAIN


def _watch(memory: int, done: threading.Event, out_of_memory: Callable[[], None]) -> None:
    """Poll the resident size. Unlike the limit on address space, it never makes a C library abort."""
    unit = 1 if sys.platform == "darwin" else 1024
    while not done.wait(_POLL):
        if resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * unit > memory << 20:
            out_of_memory()
            return


def _cap_address_space(memory: int, hard: int) -> None:
    """Limit the address space, against one huge allocation; well above `memory`, since not all of it is used."""
    cap = (2 * memory + 1024) << 20
    resource.setrlimit(resource.RLIMIT_AS, (cap if hard == resource.RLIM_INFINITY else min(cap, hard), hard))
