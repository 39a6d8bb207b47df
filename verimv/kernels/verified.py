"""The verified kernel: a program that `make -C proofs` builds from a checker proved sound in Coq.

It reads the same files as `kernel.py` and gives the same verdicts; this module only finds and runs it.
"""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from verimv import kernel
from verimv.core.errors import InputError, InternalError, Undecided

__all__ = ["PROGRAM", "KernelVerdict", "find_verified", "verified_verdict"]

PROGRAM = "verimv-kernel"
#: Environment variable with the path of the program; it has priority over other places.
VARIABLE = "VERIMV_VERIFIED_KERNEL"
_BUILT = Path(__file__).parents[2] / "proofs" / "verified" / PROGRAM
_VALID = re.compile(r"(valid)()()\n((?:.+\n)+)")
_REFUSED = re.compile(r"(invalid|malformed|incomplete)(?:, ([^:]*))?(?:: (.*))?\n()")


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


def find_verified() -> str:
    """Path of the program: from the environment variable, from a checkout where it was built, or from PATH."""
    if named := os.environ.get(VARIABLE):
        if not os.path.isfile(named):
            raise InputError(f"{VARIABLE}: no such program: {named}")
        return named
    found = str(_BUILT) if _BUILT.is_file() else shutil.which(PROGRAM)
    if found is None:
        told = f"`make -C proofs` in a checkout builds it; {VARIABLE} says where it is"
        raise InputError(f"the verified kernel, {PROGRAM}, was not found: {told}")
    return found


def verified_verdict(path: str, files: Mapping[str, str | None]) -> KernelVerdict:
    """Run the verified kernel on a directory, or on a certificate and the given files."""
    given = [word for name, file in files.items() if file is not None for word in (f"--{name}", file)]
    command = [find_verified(), *given, "--", path]
    try:
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, check=False)
    except OSError as error:
        raise InputError(f"the verified kernel cannot be run: {command[0]}: {error.strerror}") from None
    if done.returncode < 0:
        raise Undecided(f"the verified kernel was stopped by signal {-done.returncode}")
    text = done.stdout.decode("utf-8", "replace")
    answer = _VALID.fullmatch(text) or _REFUSED.fullmatch(text)
    if answer is None or kernel.EXIT_CODES[answer[1]] != done.returncode:
        raise InternalError(f"the verified kernel answers {done.stdout[:200]!r} and exits with {done.returncode}")
    return KernelVerdict(answer[1], answer[2] or None, answer[3] or None, tuple(answer[4].splitlines()))
