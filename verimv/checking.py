"""What the kernel says of a certificate, as an error of verimv's. Loads the kernel, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable

from verimv import kernel
from verimv.errors import IncompleteCertificate, InputError, InvalidCertificate

CERTIFICATE_FILES = ("certificate.jsonl", "certificate.jsonl.gz")


def check_files(path: str | os.PathLike[str], **files: str | None) -> None:
    """Check a directory that verimv wrote, or a certificate with `network=`, `formula=`, … that it is about."""
    rejected = rejection(lambda: kernel.check(os.fspath(path), files))
    if rejected is not None:
        raise as_error(rejected, os.fspath(path))


def rejection(check: Callable[[], None]) -> kernel.Rejected | None:
    """What the kernel says against a certificate."""
    try:
        check()
    except kernel.Rejected as rejected:
        return rejected
    except OSError as error:
        got = f"{error.filename}: {(error.strerror or str(error)).lower()}"
        return kernel.Rejected("malformed", "readable files", got)
    return None


def as_error(rejected: kernel.Rejected, source: str | None = None) -> Exception:
    if rejected.status == "malformed":
        return InputError(str(rejected), source=source)
    error = IncompleteCertificate if rejected.status == "incomplete" else InvalidCertificate
    return error(str(rejected))
