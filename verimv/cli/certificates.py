"""Write certificates to a directory."""

from __future__ import annotations

from verimv import kernel
from verimv.certificate.certificate import Certificate, holds_certificate
from verimv.cli.result import Result
from verimv.core.files import Replaceable, write_directory
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.solvers.verdict import EXIT_CODES


def write_certificate(directory: str, certificate: Certificate) -> None:
    owned = (*kernel.FILES.values(), *CERTIFICATE_FILES, "report.html")
    write_directory(directory, certificate.files(), Replaceable(owned, holds_certificate))


def with_certificate(result: Result, certificate: Certificate | None, directory: str) -> Result:
    """Write the certificate of a result. Without a certificate the result is undecided."""
    if certificate is None:
        return Result(result.data, f"{result.text}\nbut no certificate was found", EXIT_CODES["undecided"])
    write_certificate(directory, certificate)
    data = {**result.data, "certificate": directory}
    return Result(data, f"{result.text}\ncertified in {directory}/", result.exit_code)
