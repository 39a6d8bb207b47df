"""What the kernel says of a certificate, as an error of verimv's. Loads the kernel, and nothing else."""

from __future__ import annotations

import os
from collections.abc import Callable

from verimv import kernel
from verimv.core.errors import IncompleteCertificate, InputError, InvalidCertificate

CERTIFICATE_FILES = kernel.CERTIFICATE_FILES


def check_files(path: str | os.PathLike[str], **files: str | None) -> list[str]:
    """Check a directory that verimv wrote, or a certificate with `network=`, `formula=`, … that it is about.

    Return what is proved, a line for each output.
    """
    found = verdict(lambda: kernel.check(os.fspath(path), files))
    if isinstance(found, kernel.Rejected):
        raise as_error(found, os.fspath(path))
    return found.lines


def ranges_of(statement: kernel.Statement) -> dict[str, tuple[str, str]] | None:
    """Low and high for each output, or for its difference in two networks, if that is what is proved."""
    if "formula" in statement.kind:
        return None
    ends = [(kernel.written_number(low), kernel.written_number(high)) for low, high in statement.numbers]
    return dict(zip(statement.outputs, ends, strict=True))


def verdict(check: Callable[[], kernel.Statement]) -> kernel.Statement | kernel.Rejected:
    """What the kernel says of a certificate: what it proves, or what is wrong with it."""
    try:
        return check()
    except kernel.Rejected as rejected:
        return rejected
    except OSError as error:
        got = f"{error.filename}: {(error.strerror or str(error)).lower()}"
        return kernel.Rejected("malformed", "readable files", got)


def rejection(check: Callable[[], kernel.Statement]) -> kernel.Rejected | None:
    """What the kernel says against a certificate."""
    found = verdict(check)
    return found if isinstance(found, kernel.Rejected) else None


def as_error(rejected: kernel.Rejected, source: str | None = None) -> Exception:
    if rejected.status == "malformed":
        return InputError(str(rejected), source=source)
    error = IncompleteCertificate if rejected.status == "incomplete" else InvalidCertificate
    return error(str(rejected))
