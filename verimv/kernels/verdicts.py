"""Verdicts of the Python kernel as values and as verimv's errors. Imports the kernel and little else."""

from __future__ import annotations

from collections.abc import Callable

from verimv import kernel
from verimv.core.errors import IncompleteCertificate, InputError, InvalidCertificate

CERTIFICATE_FILES = kernel.CERTIFICATE_FILES


def ranges_of(statement: kernel.Statement) -> dict[str, tuple[str, str]] | None:
    """Proved range of each output, or of its difference in two networks; None if the statement is about a formula."""
    if "formula" in statement.kind:
        return None
    ends = [(kernel.written_number(low), kernel.written_number(high)) for low, high in statement.numbers]
    return dict(zip(statement.outputs, ends, strict=True))


def errors_of(statement: kernel.Statement) -> dict[str, tuple[str, str]] | None:
    """Proved bounds of what each output is more than its formula; None if the statement has no errors."""
    if not statement.errors:
        return None
    ends = [(kernel.written_number(low), kernel.written_number(high)) for low, high in statement.errors]
    return dict(zip(statement.outputs, ends, strict=True))


def verdict(check: Callable[[], kernel.Statement]) -> kernel.Statement | kernel.Rejected:
    """Return what a certificate proves, or why the kernel rejects it."""
    try:
        return check()
    except kernel.Rejected as rejected:
        return rejected
    except OSError as error:
        got = f"{error.filename}: {(error.strerror or str(error)).lower()}"
        return kernel.Rejected("malformed", "readable files", got)


def rejection(check: Callable[[], kernel.Statement]) -> kernel.Rejected | None:
    """Return why the kernel rejects a certificate; None if it is valid."""
    found = verdict(check)
    return found if isinstance(found, kernel.Rejected) else None


def as_error(rejected: kernel.Rejected, source: str | None = None) -> Exception:
    if rejected.status == "malformed":
        return InputError(str(rejected), source=source)
    error = IncompleteCertificate if rejected.status == "incomplete" else InvalidCertificate
    return error(str(rejected))
