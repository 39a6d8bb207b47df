"""A certificate as a value: the files it is about, and its lines. The kernel decides whether it proves anything."""

from __future__ import annotations

import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verimv import kernel
from verimv.errors import InputError, Refuted, Undecided

#: Longer certificates are written gzipped.
_PLAIN_LINES = 2_000


class InvalidCertificate(Refuted):
    """A step of the certificate does not follow, or it is about other files."""


class IncompleteCertificate(Undecided):
    """No step is wrong, but the certificate does not prove everything."""


@dataclass(frozen=True)
class Certificate:
    """A derivation in the format of proofs/FORMAT.md. `subjects` are the bytes of the files that it is about."""

    subjects: Mapping[str, bytes]
    body: Sequence[str]

    @property
    def hashes(self) -> dict[str, str]:
        return {f"{name}_sha256": hashlib.sha256(data).hexdigest() for name, data in self.subjects.items()}

    @property
    def header(self) -> str:
        return json.dumps({"format": "verimv-certificate", "version": 1, **self.hashes})

    @property
    def file_name(self) -> str:
        return "certificate.jsonl" if len(self.body) <= _PLAIN_LINES else "certificate.jsonl.gz"

    def lines(self) -> Iterator[str]:
        """Each with its newline."""
        yield self.header + "\n"
        yield from (line + "\n" for line in self.body)

    def file(self) -> Iterator[bytes]:
        """The bytes of the file, in pieces; the same for the same certificate."""
        if not self.file_name.endswith(".gz"):
            yield from (line.encode() for line in self.lines())
            return
        compressor = zlib.compressobj(6, zlib.DEFLATED, 31)
        for line in self.lines():
            if piece := compressor.compress(line.encode()):
                yield piece
        yield compressor.flush()

    def check(self) -> None:
        """Ask the kernel. Raises :class:`InvalidCertificate` or :class:`IncompleteCertificate`."""
        lines = ((number, kernel.decoded(line)) for number, line in enumerate(self.lines(), start=1))
        with_verdict(lambda: kernel.verify(lines, self.subjects.__getitem__))


def check_files(path: str | os.PathLike[str], files: Mapping[str, str | None] | None = None) -> None:
    """Check a directory that verimv wrote, or a certificate with the files it is about."""
    with_verdict(lambda: kernel.check(*kernel.locate(os.fspath(path), dict(files or {}))), os.fspath(path))


def with_verdict(check: Any, source: str | None = None) -> None:
    """The kernel's verdict as verimv's errors."""
    try:
        check()
    except kernel.Rejected as rejected:
        where = [f"line {rejected.line}"] * bool(rejected.line) + [f"rule {rejected.rule}"] * bool(rejected.rule)
        told = ", ".join(where) + ": " if where else ""
        message = f"{told}expected {rejected.expected}, got {rejected.got}"
        if isinstance(rejected, kernel.Malformed):
            raise InputError(message, source=source) from None
        if isinstance(rejected, kernel.Incomplete):
            raise IncompleteCertificate(f"incomplete: {message}") from None
        raise InvalidCertificate(f"invalid: {message}") from None
    except OSError as error:
        raise InputError((error.strerror or str(error)).lower(), source=error.filename or source) from None
