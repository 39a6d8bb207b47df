"""Children that end with their parent, even if that is killed and can no longer end them itself."""

from __future__ import annotations

import ctypes
import os
import signal
import sys
from collections.abc import Callable
from contextlib import suppress


def dying_with_parent(parent: int | None = None) -> Callable[[], object] | None:
    """Return what a child process has to call so that Linux kills it when its parent dies; None on other systems.

    `parent` is the process that starts the child: this one, unless the child itself asks.
    """
    expected = os.getpid() if parent is None else parent
    if sys.platform == "linux":
        with suppress(OSError, AttributeError):
            prctl = ctypes.CDLL(None).prctl  # found here: little may be done between fork and exec

            def die() -> None:
                prctl(1, signal.SIGKILL)  # PR_SET_PDEATHSIG
                if os.getppid() != expected:  # the parent has died before that
                    os._exit(1)

            return die
    return None
