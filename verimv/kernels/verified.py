"""The verified kernel, extracted from a checker proved sound in Coq: finds it and runs it.

It reads the same files as `kernel.py` and gives the same verdicts. There are two builds: a program (*native*), which
`make -C proofs` makes, and one that needs no compiler (*portable*, verimv/kernels/portable.py). The native one has
priority, because it is faster.
"""

from __future__ import annotations

import multiprocessing
import os
import re
import shutil
import subprocess
import threading
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any, Literal, cast

from verimv import kernel
from verimv.core.errors import InputError, InternalError
from verimv.core.parent import dying_with_parent
from verimv.kernels import servers
from verimv.kernels.portable import portable_command
from verimv.kernels.servers import portable_server

__all__ = ["PROGRAM", "Build", "KernelVerdict", "Running", "find_verified", "verified_build", "verified_verdict"]

PROGRAM = "verimv-kernel"
#: Environment variable with the path of the program; it has priority over other places.
VARIABLE = "VERIMV_VERIFIED_KERNEL"
#: What to do if there is no verified kernel.
ADVICE = (
    f"`pip install mini-racer` brings what runs it, `make -C proofs` in a checkout builds it; {VARIABLE} says where"
)
_BUILT = Path(__file__).parents[2] / "proofs" / "verified" / PROGRAM
_VALID = re.compile(r"(valid)()()\n((?:.+\n)+)")
_REFUSED = re.compile(r"(invalid|malformed|incomplete)(?:, ([^:]*))?(?:: (.*))?\n()", re.DOTALL)  # names of files

Build = Literal["native", "portable"]


@dataclass(frozen=True)
class KernelVerdict:
    """One of the four verdicts of proofs/FORMAT.md, with what is proved, or where and why the certificate fails."""

    status: str
    place: str | None
    reason: str | None
    statement: tuple[str, ...] = ()

    def __str__(self) -> str:
        head = ", ".join(filter(None, (self.status, self.place)))
        return head if self.reason is None else f"{head}: {self.reason}"


class Running:
    """A process while it is at work, so that another thread can end it."""

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._stopped = False
        self._lock = threading.Lock()

    def attach(self, process: subprocess.Popen[bytes] | None) -> None:
        with self._lock:
            self._process = process
            if self._stopped and process is not None:
                process.kill()

    def stop(self) -> None:
        with self._lock:
            self._stopped = True
            if self._process is not None:
                self._process.kill()


def native_program() -> str | None:
    """Path of the program: from the environment variable, from a checkout where it was built, or from PATH."""
    if named := os.environ.get(VARIABLE):
        if not os.path.isfile(named):
            raise InputError(f"{VARIABLE}: no such program: {named}")
        return named
    return str(_BUILT) if _BUILT.is_file() else shutil.which(PROGRAM)


def find_verified() -> str:
    """Path of the program; raises :class:`InputError` if there is none."""
    found = native_program()
    if found is None:
        raise InputError(f"the verified kernel, {PROGRAM}, was not found: {ADVICE}")
    return found


def verified_build() -> Build | None:
    """Return which build of the verified kernel is at hand."""
    if native_program() is not None:
        return "native"
    return "portable" if portable_command() is not None else None


def verified_verdict(
    path: str, files: Mapping[str, str | None], running: Running | None = None, effort: int = 0
) -> KernelVerdict:
    """Ask the verified kernel about a directory, or about a certificate and the given files. It may do about `effort`
    seconds of work, if that is more than files of their size may cost.

    Raises :class:`InputError` if it cannot be run.
    """
    running = running or Running()
    if native_program() is None and portable_command() is not None:
        return _portable_verdict(path, files, running, effort)
    return _native_verdict(find_verified(), path, files, running, effort)


def _native_verdict(
    program: str, path: str, files: Mapping[str, str | None], running: Running, effort: int
) -> KernelVerdict:
    given = [word for name, file in files.items() if file is not None for word in (f"--{name}", file)]
    given += ["--effort", str(effort)] if effort else []
    patience = servers.PATIENCE + servers.PATIENCE_PER_SECOND * effort
    pipes: Any = {"stdin": subprocess.DEVNULL, "stdout": subprocess.PIPE, "stderr": subprocess.DEVNULL}
    # A worker may be killed at any time. This process ends the kernel itself, and to copy it for a call costs far more.
    prepare = None if multiprocessing.parent_process() is None else dying_with_parent()
    try:
        process = subprocess.Popen([program, *given, "--", path], preexec_fn=prepare, **pipes)
    except OSError as error:
        raise InputError(f"the verified kernel cannot be run: {program}: {error.strerror}") from None
    running.attach(process)
    try:
        out, _ = process.communicate(timeout=patience)
    except BaseException as error:
        process.kill()
        process.wait()
        cast(IO[bytes], process.stdout).close()
        if isinstance(error, subprocess.TimeoutExpired):
            return KernelVerdict("incomplete", None, f"no answer in {patience:g} s")
        raise
    if process.returncode < 0:
        return _stopped(process.returncode)
    verdict = parsed(out.decode("utf-8", "replace"))
    if verdict is None or kernel.EXIT_CODES[verdict.status] != process.returncode:
        raise InternalError(f"the verified kernel answers {out[:200]!r} and exits with {process.returncode}")
    return verdict


def _portable_verdict(path: str, files: Mapping[str, str | None], running: Running, effort: int) -> KernelVerdict:
    server = portable_server()
    running.attach(server.process)
    text = server.ask(path, files, effort)
    running.attach(None)
    if text is None:
        return _stopped(server.process.returncode)
    verdict = parsed(text)
    if verdict is None:
        raise InternalError(f"the verified kernel answers {text[:200]!r}")
    return verdict


def _stopped(code: int) -> KernelVerdict:
    why = f"by signal {-code}" if code < 0 else f"with exit code {code}"
    return KernelVerdict("incomplete", None, f"its process was stopped {why}, perhaps for want of memory")


def parsed(text: str) -> KernelVerdict | None:
    """Return a verdict as the kernel prints it."""
    answer = _VALID.fullmatch(text) or _REFUSED.fullmatch(text)
    if answer is None:
        return None
    return KernelVerdict(answer[1], answer[2] or None, answer[3] or None, tuple(answer[4].splitlines()))
