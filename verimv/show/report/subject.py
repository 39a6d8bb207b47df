"""The subject of a report: files with a certificate about them, and the kernels' verdict.

There are two kinds, each with a page of its own: :class:`FormulaSubject`, a formula and what it equals, and
:class:`BoundsSubject`, bounds of the outputs of a network, or of the differences of two networks.
"""

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
from verimv.certificate.certificate import BETWEEN_PARTS, Certificate
from verimv.certificate.from_extraction import CertifiedExtraction
from verimv.core.errors import InputError
from verimv.core.files import decode
from verimv.exact import Number, parse_number
from verimv.formulas.formula import Formula
from verimv.formulas.measure import Measures
from verimv.formulas.mvfile import read_mv
from verimv.kernels.judge import Judgement, KernelAnswer, judge_files
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.networks.formats.json_format import read_network
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import to_unit_cube

_NETWORKS = ("network.json", "source.json", "other.json")

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


@dataclass(frozen=True, kw_only=True)
class Subject:
    """What every report shows. `lines` are those of the certificate that the kernel accepts, without the header."""

    title: str
    lines: Sequence[str]
    check: Check
    files: Mapping[str, File] = field(default_factory=dict)
    network: Network | None
    summary: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, kw_only=True)
class FormulaSubject(Subject):
    """A formula, and the network or the other formula that it equals.

    `network` is on the unit cube, `source` on its own box. If `is_approximate`, the formula equals the first of these
    only, and the second within an error.
    """

    formula: Formula
    #: the text of formula.mv
    text: str
    measures: Measures
    source: Network | None
    #: seconds that the picture may take
    patience: float = 20.0
    is_approximate: bool = False

    @property
    def lines_of_errors(self) -> Sequence[str]:
        """The first part of a certificate in two parts, with the line between them; otherwise none."""
        if not self.is_approximate:
            return ()
        return self.lines[: self.lines.index(BETWEEN_PARTS) + 1] if BETWEEN_PARTS in self.lines else self.lines

    @property
    def lines_of_formula(self) -> Sequence[str]:
        """The lines about the formula: all, or the second part."""
        return self.lines[len(self.lines_of_errors) :]

    @property
    def errors(self) -> dict[int, Number]:
        """The errors of the outputs, as far as the first part has them."""
        if self.source is None or self.network is None:
            return {}
        last = len(self.source.layers) + len(self.network.layers) + 1
        ends: dict[tuple[int, str], Number] = {}
        for line in self.lines_of_errors:
            if line.startswith('["bound"'):
                _, layer, k, side, value, *_ = json.loads(line)
                if layer == last:
                    ends[k, side] = parse_number(value)
        outputs = range(len(self.source.outputs))
        return {k: max(-ends[k, "low"], ends[k, "high"]) for k in outputs if {(k, "low"), (k, "high")} <= ends.keys()}


@dataclass(frozen=True, kw_only=True)
class BoundsSubject(Subject):
    """Bounds of the outputs of a network, or of their differences from those of another network."""

    network: Network
    other: Network | None

    @property
    def networks(self) -> Sequence[Network]:
        return (self.network,) if self.other is None else (self.network, self.other)

    @property
    def last_layer(self) -> int:
        """The number of the layer whose arguments are bounded. The difference has a last layer of its own."""
        return sum(len(network.layers) for network in self.networks) + (self.other is not None)


# -- where subjects come from -----------------------------------------------------------------------------------


def of_extraction(
    extraction: CertifiedExtraction, title: str, files: Mapping[str, Sequence[bytes]], lacking: str, checked: bool
) -> FormulaSubject:
    """Return the subject for an extraction. `checked` says whether its certificate has just been checked."""
    status: Status = "unchecked" if not checked else "incomplete" if lacking else "valid"
    judgement = extraction.certificate.judgement if checked else None
    answers = () if judgement is None else judgement.answers
    summary = extraction.summary
    is_simplified = "before" in summary.get("simplified", {})
    return FormulaSubject(
        title=title,
        lines=extraction.derivation.lines if extraction.near is None else extraction.certificate.body,
        check=Check(status, lacking if checked else "", summary["seconds"].get("check"), answers),
        files={name: described_file(pieces) for name, pieces in files.items()},
        summary=summary,
        formula=extraction.formula,
        text=extraction.certificate.subjects["formula"].decode(),
        measures=extraction.formula.measure() if is_simplified else extraction.measures,
        network=extraction.network,
        source=extraction.near or extraction.source,
        patience=max(2.0, sum(summary["seconds"].values()) / 4),  # little, compared with the extraction
        is_approximate=extraction.near is not None,
    )


def of_certificate(certificate: Certificate, title: str, files: Mapping[str, Sequence[bytes]]) -> Subject:
    """Return the subject for a certificate and its files; the kernels check it now, unless they have just done so."""
    judgement = certificate.judgement or certificate.judge()
    seconds = max(answer.seconds for answer in judgement.answers)
    contents = {name: b"".join(pieces) for name, pieces in files.items()}
    return _subject(title, contents, certificate.body, judgement, seconds, patience=2.0)


def of_directory(directory: str | os.PathLike[str], effort: int | None = None) -> Subject:
    """Return the subject for the files of a directory; the kernels check them now, with about `effort` seconds of work
    if that is more than the files may cost."""
    folder = Path(directory)
    begin = time.perf_counter()
    judgement = judge_files(os.fspath(folder), {}, effort=effort)
    seconds = round(time.perf_counter() - begin, 3)
    if judgement.status == "malformed":
        raise InputError(judgement.text, source=os.fspath(directory))
    certificate = next(name for name in CERTIFICATE_FILES if (folder / name).exists())
    header, *body = _certificate_lines(folder / certificate)
    subjects = [name for subject, name in kernel.FILES.items() if f"{subject}_sha256" in json.loads(header)]
    # no other files of the directory: the kernel has not read them
    contents = {name: _read(folder / name) for name in (*subjects, certificate)}
    summary = _summary(folder / "summary.json", contents)
    return _subject(folder.resolve().name, contents, body, judgement, seconds, summary, os.fspath(folder))


def _subject(
    title: str,
    contents: Mapping[str, bytes],
    body: Sequence[str],
    judgement: Judgement,
    seconds: float,
    summary: Mapping[str, Any] | None = None,
    source: str = "",
    patience: float = 20.0,
) -> Subject:
    """Return the subject of the kind that the files have."""
    known: dict[str, Any] = {
        "title": title,
        "lines": _accepted(body, judgement),
        "check": _check(judgement, seconds),
        "files": {name: described_file([data]) for name, data in contents.items()},
        "summary": summary or {},
    }
    networks = {name: read_network(decode(data, name), name) for name, data in contents.items() if name in _NETWORKS}
    network = networks.get("network.json")
    if "formula.mv" not in contents:
        return BoundsSubject(**known, network=networks["network.json"], other=networks.get("other.json"))
    name = os.path.join(source, "formula.mv")
    text = decode(contents["formula.mv"], name)
    formula = read_mv(text, name)
    found: dict[str, Any] = {"formula": formula, "text": text, "measures": formula.measure()}
    if "other.json" in networks:
        exact = to_unit_cube(networks["other.json"])
        return FormulaSubject(**known, **found, network=exact, source=network, patience=patience, is_approximate=True)
    return FormulaSubject(
        **known, **found, network=network, source=networks.get("source.json", network), patience=patience
    )


def described_file(pieces: Sequence[bytes]) -> File:
    digest = hashlib.sha256()
    for piece in pieces:
        digest.update(piece)
    return File(sum(map(len, pieces)), digest.hexdigest(), pieces)


def _check(judgement: Judgement, seconds: float) -> Check:
    if judgement.status == "valid":
        return Check("valid", "", seconds, judgement.answers)
    status: Status = "invalid" if judgement.status == "invalid" else "incomplete"
    return Check(status, judgement.text, seconds, judgement.answers)


def _accepted(body: Sequence[str], judgement: Judgement) -> Sequence[str]:
    """Return the lines before the rejected one; none if the certificate is not about these files."""
    if judgement.status == "valid":
        return body
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


def _summary(path: Path, contents: Mapping[str, bytes]) -> dict[str, Any]:
    """Return summary.json if it exists and is about these files, otherwise {}."""
    try:
        summary = json.loads(_read(path)) if path.exists() else {}
    except (ValueError, RecursionError):
        return {}
    is_about = isinstance(summary, dict) and all(
        summary.get(f"{subject}_sha256") == hashlib.sha256(contents[name]).hexdigest()
        for subject, name in kernel.FILES.items()
        if name in contents
    )
    return summary if is_about else {}
