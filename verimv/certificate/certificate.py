"""A certificate as a value: the files it is about, and its lines. The kernel decides whether it proves anything."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import tempfile
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from verimv import kernel
from verimv.core.above import above
from verimv.core.errors import InputError
from verimv.core.progress import Progress, no_progress
from verimv.kernels.judge import STAGE, Judgement, KernelAnswer, build_for, checked_effort, judge, python_answer
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.solvers.obligations.collect import Task, collect
from verimv.solvers.obligations.proof import prove
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import Verdict

#: Longer certificates are written gzipped.
_PLAIN_LINES = 2_000
#: The kernel's progress is reported after so many lines.
_REPORTED = 5_000

#: The line between the two parts of a certificate of a network, another one and a formula.
BETWEEN_PARTS = '["formula"]'
#: How lines with case splits begin.
_EVIDENCE = ('["bound"', '["apart"', '["equals"')

_HEADER = {"format": "verimv-certificate", "version": 1}


def holds_certificate(directory: Path) -> bool:
    """Return whether the directory has a file that begins like a certificate."""
    start = json.dumps(_HEADER)[:-1].encode()
    for name in CERTIFICATE_FILES:
        path = directory / name
        try:
            with gzip.open(path) if path.suffix == ".gz" else path.open("rb") as file:
                if file.read(len(start)) == start:
                    return True
        except (OSError, EOFError, zlib.error):
            continue
    return False


@dataclass(frozen=True)
class Certificate:
    """A derivation in the format of proofs/FORMAT.md. `subjects` are the bytes of the files that it is about."""

    subjects: Mapping[str, bytes]
    body: Sequence[str]

    @property
    def hashes(self) -> dict[str, str]:
        return {f"{name}_sha256": hashlib.sha256(data).hexdigest() for name, data in self.subjects.items()}

    def lines(self) -> Iterator[str]:
        """Yield the lines, each with its newline."""
        yield json.dumps({**_HEADER, **self.hashes}) + "\n"
        yield from (line + "\n" for line in self.body)

    @property
    def file_name(self) -> str:
        return CERTIFICATE_FILES[len(self.body) > _PLAIN_LINES and not self._is_mostly_evidence()]

    def _is_mostly_evidence(self) -> bool:
        """Return whether case splits take up most of the certificate, or of a part of it. They need much work for few
        bytes, and the kernel allows more work for more stored bytes: so they are stored uncompressed."""
        middle = self.body.index(BETWEEN_PARTS) if BETWEEN_PARTS in self.body else 0
        for part in (self.body[:middle], self.body[middle:]):
            evidence = sum(len(line) for line in part if line.startswith(_EVIDENCE))
            if 2 * evidence > sum(map(len, part)):
                return True
        return False

    def files(self) -> dict[str, Iterator[bytes]]:
        """Everything that a directory needs so that the kernel can check it, in pieces."""
        named = {kernel.FILES[subject]: iter([data]) for subject, data in self.subjects.items()}
        return {**named, self.file_name: self._packed()}

    def save(self, directory: str | os.PathLike[str]) -> None:
        """Write the certificate, its subjects and a report, as `--certify DIR` does."""
        above("show.saving", "save_certificate", self, directory)

    def _packed(self) -> Iterator[bytes]:
        """The certificate's file; the same bytes for the same certificate."""
        if not self.file_name.endswith(".gz"):
            yield from (line.encode() for line in self.lines())
            return
        compressor = zlib.compressobj(6, zlib.DEFLATED, 31)
        for line in self.lines():
            if piece := compressor.compress(line.encode()):
                yield piece
        yield compressor.flush()

    def check(
        self, progress: Progress = no_progress, kernel: str | None = None, effort: int | None = None
    ) -> list[str]:
        """Ask the kernels; return what is proved, a line for each output. Raises :class:`InvalidCertificate` or
        :class:`IncompleteCertificate`.

        `kernel` is "python", "verified" or "both"; by default both are asked if the verified one is at hand. Each
        may do about `effort` seconds of work, if that is more than files of their size may cost.
        """
        judgement = self.judge(kernel, progress, effort=effort)
        if (error := judgement.error()) is not None:
            raise error
        return judgement.statement

    def judge(
        self,
        choice: str | None = None,
        progress: Progress = no_progress,
        known: KernelAnswer | None = None,
        effort: int | None = None,
    ) -> Judgement:
        """Return the verdict of the kernels: by default of both, if the verified one is at hand. `known` is the answer
        of kernel.py if it has been asked before."""
        judgement = self._judgement(choice, progress, known, effort)
        self._judgements[:] = [judgement]
        return judgement

    @property
    def judgement(self) -> Judgement | None:
        """The last verdict of the kernels, if they have been asked."""
        return self._judgements[0] if self._judgements else None

    @cached_property
    def _judgements(self) -> list[Judgement]:
        return []

    @property
    def checked_by(self) -> str:
        """The kernels that gave the last verdict, and why another gave up; empty if they have not been asked."""
        return self.judgement.by if self.judgement is not None else ""

    def _judgement(
        self, choice: str | None, progress: Progress, known: KernelAnswer | None, effort: int | None
    ) -> Judgement:
        def python(told: Progress) -> KernelAnswer:
            return known or self.python_answer(told, effort)

        if build_for(choice) is None:
            return Judgement([python(progress)])
        with tempfile.TemporaryDirectory(prefix="verimv-") as directory:  # the verified kernel reads files
            self._write(Path(directory))
            return judge(python, directory, {}, choice, progress, effort)

    def _write(self, directory: Path) -> None:
        """Write the files for a kernel that reads files."""
        try:
            for name, pieces in self.files().items():
                with (directory / name).open("wb") as file:
                    file.writelines(pieces)
        except OSError as error:
            reason = f"cannot write the certificate for the verified kernel: {error.strerror} (--kernel python)"
            raise InputError(reason, source=str(directory)) from None

    def python_answer(self, progress: Progress = no_progress, effort: int | None = None) -> KernelAnswer:
        """Ask kernel.py alone; whatever depends on its answer is the same on every machine."""
        total, allowed = len(self.body), checked_effort(effort)

        def encoded() -> Iterator[bytes]:
            for number, line in enumerate(self.lines(), start=1):
                if number % _REPORTED == 0:
                    progress(STAGE, number, total)
                yield line.encode()

        stored = sum(map(len, self._packed()))
        subjects = self.subjects
        return python_answer(lambda: kernel.verify(encoded(), subjects.__getitem__, subjects.keys(), stored, allowed))

    def task(self) -> Task:
        """What solvers have to prove so that the certificate holds."""
        lines = (line.encode() for line in self.lines())
        return collect(lines, self.subjects.__getitem__, self.subjects.keys())

    def prove(self, search: Search | None = None) -> Verdict:
        """Ask solvers about every line; no kernel is involved."""
        return prove(self.task(), search or Search())
