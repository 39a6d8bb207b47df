"""A command in a process of its own: seconds, peak memory, what it said."""

from __future__ import annotations

import re
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

_POLL = 0.01


@dataclass(frozen=True)
class Measured:
    #: of the process; negative if a signal ended it
    code: int
    stdout: str
    seconds: float
    #: bytes
    peak: int


def measured(command: Sequence[str], timeout: float) -> Measured:
    """Run a command to its end, or until the time is up."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            peak = max(peak, _peak_so_far(process.pid))
            if time.perf_counter() - start > timeout:
                process.kill()
            time.sleep(_POLL)
        seconds = time.perf_counter() - start
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return Measured(process.returncode, text, seconds, peak)


def _peak_so_far(pid: int) -> int:
    """What Linux says; the rusage of a child would count the memory of the process that started it."""
    try:
        status = Path(f"/proc/{pid}/status").read_text(encoding="ascii", errors="replace")
    except OSError:  # it has just ended, or this is no Linux
        return 0
    found = re.search(r"VmHWM:\s*([0-9]+) kB", status)
    return int(found[1]) * 1024 if found else 0
