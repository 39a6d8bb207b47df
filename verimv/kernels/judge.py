"""The verdict on a certificate, by kernel.py and the verified kernel together. Imports little beyond `kernel.py`.

Both are asked wherever the verified kernel is at hand, at the same time, and they must agree. A kernel that *gives up*
(a limit on work, memory or numbers) has no opinion: by default the other's verdict stands.
"""

from __future__ import annotations

import os
import re
import sys
import threading
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from itertools import zip_longest
from typing import Any

from verimv import kernel
from verimv.core.choices import KERNELS
from verimv.core.errors import (
    IncompleteCertificate,
    InputError,
    InvalidCertificate,
    KernelsDisagree,
    Undecided,
    VerimvError,
)
from verimv.core.progress import Progress, no_progress
from verimv.kernels.verdicts import errors_of, ranges_of, verdict
from verimv.kernels.verified import ADVICE, Build, KernelVerdict, Running, verified_build, verified_verdict

__all__ = ["Judgement", "KernelAnswer", "check_files", "judge", "judge_files", "python_answer"]

PYTHON, VERIFIED = "kernel.py", "the verified kernel"
#: Who rejects a directory before a kernel is asked.
VERIMV = "verimv"
#: The file by which the directory of a verification is recognised; its certificates are in subdirectories.
VERIFICATION = "verification.json"
#: Seconds until a kernel that is killed has ended.
_ENDING = 5.0
#: What is reported while kernel.py is at work.
STAGE = "checking the certificate"

#: What an incomplete certificate lacks, at its end or at the end of the first of two parts, in the words of kernel.py
#: (`Checker.finish`) and of the verified kernel (`finish` in Checker.v and Chain.v of proofs/coq/checker). For every
#: other reason, the certificate is incomplete because the kernel has given up.
_LACKING = re.compile(
    r"incomplete(, line \d+(, rule formula)?)?: expected ("
    r"(evidence for every bound|proofs of \d+ outputs|a low and a high bound of output \d+|a line formula, .*), got .*"
    "|no bounds without evidence|proofs of all outputs|bounds of all outputs|a line formula, and a second part)"
)


@dataclass(frozen=True)
class KernelAnswer:
    """What one kernel says about a certificate."""

    #: "kernel.py" or "the verified kernel"
    name: str
    status: str
    #: the verdict in a line: with the place and the reason if it is not "valid"
    text: str
    statement: tuple[str, ...]
    #: what JSON has besides
    details: Mapping[str, Any]
    seconds: float
    build: Build | None = None

    @property
    def gave_up(self) -> bool:
        return self.status == "incomplete" and _LACKING.fullmatch(self.text) is None

    @property
    def reason(self) -> str:
        """Where and why the certificate fails; empty if it is valid."""
        return self.text.removeprefix(self.status).lstrip(",: ")

    @property
    def told(self) -> str:
        """The kernel and its verdict, as part of a sentence."""
        return f"{self.name} gave up: {self.reason}" if self.gave_up else f"{self.name}: {self.text}"

    @property
    def title(self) -> str:
        """The name of the kernel, with its build, for JSON."""
        return self.name if self.build is None else f"verified ({self.build})"

    def data(self) -> dict[str, Any]:
        reason = {} if self.status == "valid" else {"reason": self.text}
        return {"kernel": self.title, "verdict": self.status, "seconds": self.seconds, **reason}


@dataclass(frozen=True)
class Judgement:
    """What the kernels say that were asked, one or both. They do not contradict each other."""

    answers: Sequence[KernelAnswer]
    #: whether a kernel that gives up leaves the certificate incomplete
    strict: bool = False

    @property
    def _finished(self) -> Sequence[KernelAnswer]:
        return [answer for answer in self.answers if not answer.gave_up]

    @property
    def _is_halted(self) -> bool:
        """Return whether one kernel has a verdict, and the other has given up although both were required."""
        return self.strict and 0 < len(self._finished) < len(self.answers)

    @property
    def _spoken(self) -> KernelAnswer:
        """The answer that stands: of kernel.py, if both have finished, since its messages say more."""
        return (self._finished or self.answers)[0]

    @property
    def status(self) -> str:
        return "incomplete" if self._is_halted else self._spoken.status

    @property
    def statement(self) -> list[str]:
        """What is proved, a line for each output; nothing unless the certificate is valid."""
        return list(self._spoken.statement) if self.status == "valid" else []

    @property
    def names(self) -> list[str]:
        """The kernels whose verdict this is."""
        return [answer.name for answer in self._finished or self.answers]

    @property
    def given_up(self) -> list[str]:
        """Which kernel gave up, and why, if the other did not."""
        return [answer.told for answer in self.answers if answer.gave_up and self._finished]

    @property
    def by(self) -> str:
        """The kernels whose verdict this is, and why another gave up."""
        return "; ".join([" and ".join(self.names), *self.given_up])

    @property
    def reason(self) -> str:
        """Where and why the certificate fails; empty if it is valid."""
        return "; ".join(answer.told for answer in self.answers) if self._is_halted else self._spoken.reason

    @property
    def text(self) -> str:
        """The verdict and the kernels, in one line."""
        return f"incomplete: {self.reason}" if self._is_halted else f"{self._spoken.text} ({self.by})"

    @property
    def line(self) -> int | None:
        """The line of the certificate that is rejected, if it is a certain one."""
        found = re.search(r"line (\d+)", self.reason.partition(":")[0])
        return int(found[1]) if found and not self._is_halted else None

    def data(self) -> dict[str, Any]:
        """The verdict for JSON."""
        names = {PYTHON: "python", VERIFIED: "verified"}
        asked = "both" if len(self.answers) > 1 else names.get(self.answers[0].name, self.answers[0].name)
        details = {"reason": self.text} if self._is_halted else self._spoken.details
        found = {"verdict": self.status, "kernel": asked, "kernels": [answer.data() for answer in self.answers]}
        return {**found, **details, **({"statement": self.statement} if self.status == "valid" else {})}

    def error(self, source: str | None = None) -> VerimvError | None:
        """Return the verdict as an error; None if the certificate is valid."""
        if self.status == "malformed":
            return InputError(self.text, source=source)
        errors = {"incomplete": IncompleteCertificate, "invalid": InvalidCertificate}
        return errors[self.status](self.text) if self.status in errors else None


def check_files(
    path: str | os.PathLike[str], *, kernel: str | None = None, effort: int | None = None, **files: str | None
) -> list[str]:
    """Check a directory that verimv wrote, or a certificate with its subjects `network=`, `formula=`, ….

    Return what is proved, a line for each output. `kernel` is "python", "verified" or "both"; by default both are asked
    if the verified kernel is at hand, otherwise kernel.py alone. Each may do about `effort` seconds of work, if that is
    more than files of their size may cost.
    """
    judgement = judge_files(os.fspath(path), files, kernel, effort=effort)
    if (error := judgement.error(os.fspath(path))) is not None:
        raise error
    return judgement.statement


def judge_files(
    path: str,
    files: Mapping[str, str | None],
    choice: str | None = None,
    progress: Progress = no_progress,
    effort: int | None = None,
) -> Judgement:
    """Judge a directory, or a certificate and the given files. `choice` is one of KERNELS, or None for the default.
    `effort` is about how many seconds of work are allowed, if that is more than files of their size may cost."""
    allowed = checked_effort(effort)

    def python(_: Progress) -> KernelAnswer:
        return python_answer(lambda: kernel.check(path, files, allowed))

    return judge(python, path, files, choice, progress, effort)


def judge(
    python: Callable[[Progress], KernelAnswer],
    path: str,
    files: Mapping[str, str | None],
    choice: str | None = None,
    progress: Progress = no_progress,
    effort: int | None = None,
) -> Judgement:
    """Ask the kernels of `choice` at the same time: `python` has the answer of kernel.py, and the verified kernel reads
    the files. Raises :class:`KernelsDisagree`."""
    build, allowed = build_for(choice), checked_effort(effort)
    if build is None:
        return Judgement([python(progress)])
    answers = []
    with _Beside(path, files, build, progress if choice != "verified" else no_progress, allowed) as beside:
        if choice != "verified":
            answers.append(python(beside.progress))
            beside.be_quiet()
            if beside.is_waiting:
                progress(f"{PYTHON}: {answers[0].status}; waiting for {VERIFIED}", 0, 0)
        answers.append(beside.answer())
    _check_agreement([answer for answer in answers if not answer.gave_up])
    return Judgement(answers, strict=choice == "both")


def checked_effort(effort: int | None) -> int:
    """Return the seconds of work for the kernels; 0 if none are given."""
    if effort is None:
        return 0
    if type(effort) is not int or not 1 <= effort <= kernel.MOST_EFFORT:
        raise InputError(f"effort: expected an integer from 1 to {kernel.MOST_EFFORT}, found {effort!r}")
    return effort


def build_for(choice: str | None) -> Build | None:
    """Return which build of the verified kernel is asked, if any; raise if it is wanted and not at hand."""
    if choice not in (None, *KERNELS):
        raise InputError(f"kernel: expected one of {', '.join(KERNELS)}, found {choice!r}")
    build = None if choice == "python" else verified_build()
    if build is None and choice in ("verified", "both"):
        raise InputError(f"the verified kernel was not found: {ADVICE}")
    return build


#: What a checker may notice before, or after, an error in an earlier line (proofs/FORMAT.md, sections 2 and 4).
_READ_EARLY = re.compile("gzipped|nested so deeply")


def _check_agreement(finished: Sequence[KernelAnswer]) -> None:
    statuses = {answer.status for answer in finished}
    if statuses == {"invalid", "malformed"} and any(_READ_EARLY.search(answer.text) for answer in finished):
        return
    if len({(answer.status, answer.statement) for answer in finished}) > 1:
        texts = [answer.text for answer in finished]
        if texts[0] == texts[1]:  # the first line of the statement that differs
            lines = zip_longest(*(answer.statement for answer in finished), fillvalue="no more")
            texts = list(next(pair for pair in lines if pair[0] != pair[1]))
        told = [f"{answer.name} says {text!r}" for answer, text in zip(finished, texts, strict=True)]
        raise KernelsDisagree(f"the kernels disagree: {', '.join(told)}")


def python_answer(check: Callable[[], kernel.Statement]) -> KernelAnswer:
    """Ask kernel.py."""
    begin, digits = time.perf_counter(), sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(kernel.MAX_DIGITS)  # whatever the environment says
    try:
        found = verdict(check)
    except MemoryError:
        found = kernel.Rejected("incomplete", "enough memory and time", "MemoryError")
    finally:
        sys.set_int_max_str_digits(digits)
    seconds = round(time.perf_counter() - begin, 3)
    if isinstance(found, kernel.Rejected):
        why = {"line": found.line, "rule": found.rule, "expected": found.expected, "got": found.got}
        return KernelAnswer(PYTHON, found.status, str(found), (), why, seconds)
    known = {"ranges": ranges_of(found), "errors": errors_of(found)}
    details = {name: pairs for name, pairs in known.items() if pairs is not None}
    return KernelAnswer(PYTHON, "valid", "valid", tuple(found.lines), details, seconds)


class _Beside(threading.Thread):
    """Asks the verified kernel while the main thread runs kernel.py. Leaving the context ends it."""

    def __init__(
        self, path: str, files: Mapping[str, str | None], build: Build, progress: Progress, effort: int
    ) -> None:
        super().__init__(daemon=True)
        self._path, self._files, self._build, self._progress, self._effort = path, files, build, progress, effort
        self._running = Running()
        self._found: KernelAnswer | BaseException | None = None
        # instead of `join`: if that is interrupted, Python takes the thread for one that has ended
        self._has_ended = threading.Event()

    @property
    def is_waiting(self) -> bool:
        return self._found is None

    def be_quiet(self) -> None:
        """Report nothing any more: kernel.py is done."""
        self._progress = no_progress

    def progress(self, stage: str, done: int = 0, total: int = 0) -> None:
        """Report the progress of kernel.py, with this kernel's verdict if it is in."""
        known = f", {VERIFIED} says {self._found.status}" if isinstance(self._found, KernelAnswer) else ""
        self._progress(stage + known, done, total)

    def run(self) -> None:
        try:
            self._ask()
        finally:
            self._has_ended.set()

    def _ask(self) -> None:
        begin = time.perf_counter()
        try:
            found = verified_verdict(self._path, self._files, self._running, self._effort)
        except Undecided as error:
            found = KernelVerdict("incomplete", None, str(error))
        except BaseException as error:  # raised where the answer is awaited
            self._found = error
            return
        seconds = round(time.perf_counter() - begin, 3)
        why = {} if found.status == "valid" else {"place": found.place, "reason": found.reason}
        self._found = KernelAnswer(VERIFIED, found.status, str(found), found.statement, why, seconds, self._build)
        self.progress(STAGE)

    def answer(self) -> KernelAnswer:
        self._has_ended.wait()
        if not isinstance(self._found, KernelAnswer):
            raise self._found or AssertionError
        return self._found

    def __enter__(self) -> _Beside:
        self.start()
        return self

    def __exit__(self, *error: object) -> None:
        if not self._has_ended.is_set():
            self._running.stop()
            self._has_ended.wait(_ENDING)
