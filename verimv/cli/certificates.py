"""Write certificates to a directory, with a report that checks itself."""

from __future__ import annotations

import os
from pathlib import Path

from verimv import kernel
from verimv.certificate.certificate import Certificate, holds_certificate
from verimv.cli.result import Result
from verimv.core.files import Replaceable, write_directory
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.solvers.verdict import EXIT_CODES

REPORT = "report.html"


def write_certificate(directory: str, certificate: Certificate) -> None:
    """Write the certificate, its subjects and the report; the certificate is put in place last."""
    from verimv.show.report.page import report_html  # only here: most questions ask for no certificate
    from verimv.show.report.subject import of_certificate

    owned = (*kernel.FILES.values(), *CERTIFICATE_FILES, REPORT)
    files = {name: list(pieces) for name, pieces in certificate.files().items()}
    page = report_html(of_certificate(certificate, Path(directory).resolve().name, files))
    write_directory(directory, {REPORT: [page.encode()], **files}, Replaceable(owned, holds_certificate))


def with_certificate(result: Result, certificate: Certificate | None, directory: str, proved: str = "") -> Result:
    """Write the certificate of a result, and say where and what is proved. Without one the result is undecided."""
    if certificate is None:
        return Result(result.data, f"{result.text}\nbut no certificate was found", EXIT_CODES["undecided"])
    write_certificate(directory, certificate)
    report = os.path.join(directory, REPORT)
    data = {**result.data, "certificate": directory, "report": report}
    told = f"certified in {directory}/{proved}\nreport: {report}"
    return Result(data, f"{result.text}\n{told}", result.exit_code)
