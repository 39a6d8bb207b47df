"""Write certificates to a directory, with a report that checks itself."""

from __future__ import annotations

import os

from verimv.certificate.certificate import Certificate
from verimv.cli.result import Result
from verimv.solvers.verdict import EXIT_CODES

REPORT = "report.html"


def write_certificate(directory: str, certificate: Certificate) -> None:
    """Write the certificate, its subjects and the report."""
    from verimv.show.saving import save_certificate  # only here: most questions ask for no certificate

    save_certificate(certificate, directory)


def with_certificate(result: Result, certificate: Certificate | None, directory: str, proved: str = "") -> Result:
    """Write the certificate of a result, and say where and what is proved. Without one the result is undecided."""
    if certificate is None:
        return Result(result.data, f"{result.text}\nbut no certificate was found", EXIT_CODES["undecided"])
    write_certificate(directory, certificate)
    report = os.path.join(directory, REPORT)
    data = {**result.data, "certificate": directory, "report": report}
    told = f"certified in {directory}/{proved}\nreport: {report}"
    return Result(data, f"{result.text}\n{told}", result.exit_code)
