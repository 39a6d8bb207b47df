"""What work costs: a command in a process of its own (seconds, peak memory, what it said); memory of this process."""

from __future__ import annotations

import os
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
    #: seconds of the processor, which do not depend on what else the machine does
    cpu: float
    #: bytes
    peak: int


def measured(command: Sequence[str], timeout: float) -> Measured:
    """Run a command to its end, or until the time is up."""
    with tempfile.TemporaryFile() as output:
        start, before = time.perf_counter(), _children_cpu()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        peak = 0
        while process.poll() is None:
            peak = max(peak, peak_memory(process.pid))
            if time.perf_counter() - start > timeout:
                process.kill()
            time.sleep(_POLL)
        seconds, cpu = time.perf_counter() - start, _children_cpu() - before
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return Measured(process.returncode, text, seconds, cpu, peak)


def _children_cpu() -> float:
    """Of all processes that this one has started and seen to their end."""
    times = os.times()
    return times.children_user + times.children_system


def peak_memory(process: int | str = "self") -> int:
    """Bytes; what Linux says. The rusage of a child would count the memory of the process that started it."""
    return _memory(process, "VmHWM")


def resident_memory() -> int:
    """Bytes that this process has now."""
    return _memory("self", "VmRSS")


def _memory(process: int | str, field: str) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:  # it has just ended, or this is no Linux
        return 0
    found = re.search(rf"{field}:\s*([0-9]+) kB", status)
    return int(found[1]) * 1024 if found else 0
