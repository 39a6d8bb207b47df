"""A command in a process of its own: seconds, peak memory, what it said."""

from __future__ import annotations

import os
import resource
import subprocess
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True)
class Measured:
    #: of the process; negative if a signal ended it
    code: int
    stdout: str
    seconds: float
    #: bytes, and never fewer than the process had that started it
    peak: int


def measured(command: Sequence[str], timeout: float) -> Measured:
    """Run a command to its end, or until the time is up."""
    with tempfile.TemporaryFile() as output:
        start = time.perf_counter()
        process = subprocess.Popen(command, stdout=output, stderr=subprocess.DEVNULL)
        code, usage = _wait(process, start + timeout)
        seconds = time.perf_counter() - start
        output.seek(0)
        text = output.read().decode("utf-8", "replace")
    return Measured(code, text, seconds, usage.ru_maxrss * 1024)


def _wait(process: subprocess.Popen[bytes], deadline: float) -> tuple[int, resource.struct_rusage]:
    """As subprocess does it, but with what this one child used."""
    while True:
        pid, status, usage = os.wait4(process.pid, os.WNOHANG)
        if pid:
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage
        if time.perf_counter() > deadline:
            process.kill()
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
            return process.returncode, usage
        time.sleep(0.01)
