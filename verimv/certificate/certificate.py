"""A certificate as a value: the files it is about, and its lines. The kernel decides whether it proves anything."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from verimv import kernel
from verimv.core.progress import Progress
from verimv.kernels.verdicts import CERTIFICATE_FILES, as_error, verdict
from verimv.solvers.obligations.collect import Task, collect
from verimv.solvers.obligations.proof import prove
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import Verdict

#: Longer certificates are written gzipped.
_PLAIN_LINES = 2_000
#: The kernel's progress is reported after so many lines.
_REPORTED = 5_000

#: How lines with case splits begin.
_EVIDENCE = ('["bound"', '["equals"')

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
        """Return whether case splits take up most of the certificate. They need much work for few bytes, and the kernel
        allows more work for more stored bytes: so they are stored uncompressed."""
        evidence = sum(len(line) for line in self.body if line.startswith(_EVIDENCE))
        return 2 * evidence > sum(map(len, self.body))

    def files(self) -> dict[str, Iterator[bytes]]:
        """Everything that a directory needs so that the kernel can check it, in pieces."""
        named = {kernel.FILES[subject]: iter([data]) for subject, data in self.subjects.items()}
        return {**named, self.file_name: self._packed()}

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

    def check(self, progress: Progress | None = None) -> list[str]:
        """Ask the kernel; return what is proved, a line for each output. Raises :class:`InvalidCertificate` or
        :class:`IncompleteCertificate`."""
        total = len(self.body)

        def encoded() -> Iterator[bytes]:
            for number, line in enumerate(self.lines(), start=1):
                if progress is not None and number % _REPORTED == 0:
                    progress("checking the certificate", number, total)
                yield line.encode()

        stored = sum(map(len, self._packed()))
        found = verdict(lambda: kernel.verify(encoded(), self.subjects.__getitem__, self.subjects.keys(), stored))
        if isinstance(found, kernel.Rejected):
            raise as_error(found)
        return found.lines

    def task(self) -> Task:
        """What solvers have to prove so that the certificate holds."""
        lines = (line.encode() for line in self.lines())
        return collect(lines, self.subjects.__getitem__, self.subjects.keys())

    def prove(self, search: Search | None = None) -> Verdict:
        """Ask solvers about every line; no kernel is involved."""
        return prove(self.task(), search or Search())
