"""Write formulas, networks, certificates and extractions to files, as their methods `save` do."""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verimv import kernel
from verimv.certificate.certificate import Certificate, holds_certificate
from verimv.certificate.from_extraction import CertifiedExtraction
from verimv.core.files import Replaceable, check_directory, write_directory, write_file
from verimv.formulas.formula import Formula
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.networks.network import Network
from verimv.networks.transforms.from_formula import to_network
from verimv.show.file_formats import FORMULA_FORMATS, NETWORK_FORMATS, format_of, network_text
from verimv.show.report.page import report_html
from verimv.show.report.subject import of_certificate, of_extraction

REPORT = "report.html"
SUMMARY = "summary.json"
#: Files of a directory that verimv may replace.
OWN_FILES = (*kernel.FILES.values(), *CERTIFICATE_FILES, SUMMARY, REPORT)

Place = str | os.PathLike[str]


def save_formula(formula: Formula, path: Place) -> None:
    """Write a formula; the suffix says how: .mv .txt .asc .tex .py .smt2, or as a network .json .onnx .nnet."""
    name = format_of(os.fspath(path), {**FORMULA_FORMATS, **NETWORK_FORMATS})
    if name in NETWORK_FORMATS:
        save_network(to_network(formula), path)
    else:
        write_file(path, FORMULA_FORMATS[name][1](formula))


def save_network(network: Network, path: Place) -> None:
    """Write a network: .json exactly, .onnx with floats, .nnet with decimals."""
    name = format_of(os.fspath(path), {"json": ((".json",), None), **NETWORK_FORMATS})
    if name == "json":
        write_file(path, network_text(network))
    else:
        write_file(path, [NETWORK_FORMATS[name][1](network).data])


def save_certificate(certificate: Certificate, directory: Place) -> None:
    """Write the certificate, its subjects and a report; the certificate is put in place last."""
    files = {name: list(pieces) for name, pieces in certificate.files().items()}
    page = report_html(of_certificate(certificate, Path(directory).resolve().name, files))
    write_directory(directory, {REPORT: [page.encode()], **files}, Replaceable(OWN_FILES, holds_certificate))


def save_extraction(extraction: CertifiedExtraction, directory: Place, title: str = "", report: bool = True) -> None:
    """Write what `verimv extract -o DIR` does; the kernels check the certificate before, unless they have."""
    replaceable = Replaceable(OWN_FILES, holds_certificate)
    check_directory(directory, replaceable)
    proofs = extraction.summary["proofs"]
    lacking = extraction.check() if not proofs else next((e["reason"] for e in proofs if "reason" in e), "")
    files = {name: list(pieces) for name, pieces in extraction.certificate.files().items()}
    if report:
        page = report_html(of_extraction(extraction, title or Path(directory).resolve().name, files, lacking, True))
        files[REPORT] = [page.encode()]
    write_directory(directory, {**files, SUMMARY: summary_bytes(extraction.summary)}, replaceable)


def summary_bytes(summary: Mapping[str, Any]) -> list[bytes]:
    """Return summary.json."""
    return [(json.dumps(summary, indent=1, ensure_ascii=False) + "\n").encode()]
