"""The subject of a report: a formula, perhaps a network, a certificate, and the kernel's verdict on it."""

from __future__ import annotations

import gzip
import hashlib
import json
import os
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Literal, NamedTuple

from verimv import kernel
from verimv.certificate.from_extraction import CertifiedExtraction
from verimv.core.errors import InputError
from verimv.core.files import decode
from verimv.formulas.formula import Formula
from verimv.formulas.measure import Measures
from verimv.formulas.mvfile import read_mv
from verimv.kernels.judge import Judgement, KernelAnswer, judge_files
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.networks.formats.json_format import read_network
from verimv.networks.network import Network

Status = Literal["valid", "incomplete", "invalid", "unchecked"]


class Check(NamedTuple):
    """The kernels' verdict on the certificate, or why there is none."""

    status: Status
    reason: str = ""
    seconds: float | None = None
    #: what each kernel said
    answers: Sequence[KernelAnswer] = ()


class File(NamedTuple):
    """The size and the hash of a file, and its bytes in pieces, if they are at hand."""

    size: int
    sha256: str
    pieces: Sequence[bytes] = ()


@dataclass(frozen=True)
class Subject:
    """Everything that a report shows.

    `lines` are those of the certificate that the kernel accepts, without the header. `network` is on the unit cube,
    `source` on its own box.
    """

    title: str
    formula: Formula
    #: the text of formula.mv
    text: str
    measures: Measures
    network: Network | None
    source: Network | None
    lines: Sequence[str]
    check: Check
    files: Mapping[str, File] = field(default_factory=dict)
    summary: Mapping[str, Any] = field(default_factory=dict)
    #: seconds that the picture may take
    patience: float = 20.0


def of_extraction(
    extraction: CertifiedExtraction, title: str, files: Mapping[str, Sequence[bytes]], lacking: str, checked: bool
) -> Subject:
    """Return the subject for an extraction. `checked` says whether its certificate has just been checked."""
    status: Status = "unchecked" if not checked else "incomplete" if lacking else "valid"
    judgement = extraction.certificate.judgement if checked else None
    answers = () if judgement is None else judgement.answers
    check = Check(status, lacking if checked else "", extraction.summary["seconds"].get("check"), answers)
    described = {name: described_file(pieces) for name, pieces in files.items()}
    lines = extraction.derivation.lines
    text = extraction.certificate.subjects["formula"].decode()
    network, source = extraction.network, extraction.source
    summary = extraction.summary
    patience = max(2.0, sum(summary["seconds"].values()) / 4)  # little, compared with the extraction
    is_simplified = "before" in summary.get("simplified", {})
    measures = extraction.formula.measure() if is_simplified else extraction.measures
    formula = extraction.formula
    return Subject(title, formula, text, measures, network, source, lines, check, described, summary, patience)


def described_file(pieces: Sequence[bytes]) -> File:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return File(sum(map(len, pieces)), digest.hexdigest(), pieces)


def of_directory(directory: str | os.PathLike[str]) -> Subject:
    """Return the subject for the files of a directory; the kernels check them now."""
    folder = Path(directory)
    begin = time.perf_counter()
    judgement = judge_files(os.fspath(folder), {})
    seconds = round(time.perf_counter() - begin, 3)
    if judgement.status == "malformed":
        raise InputError(judgement.text, source=os.fspath(directory))
    certificate = next(name for name in CERTIFICATE_FILES if (folder / name).exists())
    header, *body = _certificate_lines(folder / certificate)
    subjects = [name for subject, name in kernel.FILES.items() if f"{subject}_sha256" in json.loads(header)]
    if "formula.mv" not in subjects:
        message = "a report needs a formula, and this certificate has none (verimv check says what it proves)"
        raise InputError(message, source=os.fspath(directory))
    # no other files of the directory: the kernel has not read them
    contents = {name: _read(folder / name) for name in (*subjects, certificate)}
    files = {name: described_file([data]) for name, data in contents.items()}
    check = Check("valid", "", seconds, judgement.answers)
    if judgement.status != "valid":
        status: Status = "invalid" if judgement.status == "invalid" else "incomplete"
        check = Check(status, judgement.text, seconds, judgement.answers)
        body = _accepted(body, judgement)
    network = _network(contents, "network.json")
    source = _network(contents, "source.json") or network
    text = decode(contents["formula.mv"], str(folder / "formula.mv"))
    formula = read_mv(text, str(folder / "formula.mv"))
    summary = _summary(folder / "summary.json", files)
    measures = formula.measure()
    return Subject(folder.resolve().name, formula, text, measures, network, source, body, check, files, summary)


def _accepted(body: list[str], judgement: Judgement) -> list[str]:
    """Return the lines before the rejected one; none if the certificate is not about these files."""
    if judgement.line is not None:
        return body[: max(0, judgement.line - 2)]
    return body if judgement.status == "incomplete" else []


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError((error.strerror or str(error)).lower(), source=str(path)) from None


def _certificate_lines(path: Path) -> list[str]:
    """Return the lines of a certificate that the kernel could read."""
    data = _read(path)
    return (gzip.decompress(data) if path.suffix == ".gz" else data).decode("ascii").splitlines()


def _network(contents: Mapping[str, bytes], name: str) -> Network | None:
    return read_network(decode(contents[name], name), name) if name in contents else None


def _summary(path: Path, files: Mapping[str, File]) -> dict[str, Any]:
    """Return summary.json if it exists and is about these files, otherwise {}."""
    try:
        summary = json.loads(_read(path)) if path.exists() else {}
    except (ValueError, RecursionError):
        return {}
    subjects = [subject for subject, name in kernel.FILES.items() if name in files]
    is_about = isinstance(summary, dict) and all(
        summary.get(f"{subject}_sha256") == files[kernel.FILES[subject]].sha256 for subject in subjects
    )
    return summary if is_about else {}
