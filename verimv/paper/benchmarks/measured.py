"""The cost of a command in a process of its own (seconds, peak memory), its output; and memory of this process."""

from __future__ import annotations

import os
import re
import subprocess
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

_POLL = 0.01


@dataclass(frozen=True)
class Measured:
    #: exit code; negative if a signal ended the process
    code: int
    stdout: str
    seconds: float
    #: CPU seconds, which do not depend on other programs
    cpu: float
    #: peak memory in bytes
    peak: int


def measured(command: Sequence[str], timeout: float) -> Measured:
    """Run a command to its end, or until the timeout."""
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


def cpu_timed(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    """Return a result and its CPU seconds, in this process and in processes that it started and that have ended."""

    def spent() -> float:
        return time.process_time() + _children_cpu()

    start = spent()
    return work(*arguments), spent() - start


def _children_cpu() -> float:
    """Return the CPU seconds of all child processes that have ended."""
    times = os.times()
    return times.children_user + times.children_system


def peak_memory(process: int | str = "self") -> int:
    """Return the peak memory in bytes, from /proc: rusage of a child would include that of its parent."""
    return _memory(process, "VmHWM")


def resident_memory() -> int:
    """Return the memory of this process in bytes."""
    return _memory("self", "VmRSS")


def _memory(process: int | str, field: str) -> int:
    try:
        status = Path(f"/proc/{process}/status").read_text(encoding="ascii", errors="replace")
    except OSError:  # it has just ended, or this is not Linux
        return 0
    found = re.search(rf"{field}:\s*([0-9]+) kB", status)
    return int(found[1]) * 1024 if found else 0
