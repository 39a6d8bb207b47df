"""The directory of a verification: a model, its specification, and a certificate of every case.

`verimv check` reads model and specification again, composes them again, and compares with the network of each
certificate byte by byte. The kernels check that the margin of the case is at least so much; here it is checked that
this excludes the case. So what is trusted besides the kernels is :mod:`verimv.specifications` and
:mod:`verimv.networks.transforms.margins`.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from verimv import kernel
from verimv.certificate.certificate import Certificate, holds_certificate
from verimv.core.errors import InputError
from verimv.core.files import Replaceable, check_directory, decode, write_directory
from verimv.core.progress import Progress, no_progress
from verimv.exact import parse_number
from verimv.formulas.mvfile import HEADER
from verimv.kernels.judge import VERIFICATION, VERIMV, Judgement, KernelAnswer, judge_files
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.networks.formats.json_format import loads_strictly, read_network, write_network
from verimv.networks.names import different
from verimv.networks.network import Network
from verimv.specifications.composition import MarginForm, margin_of, read_form
from verimv.specifications.read_specification import read_specification
from verimv.specifications.specification import Specification

SPECIFICATIONS = {"vnnlib": "spec.vnnlib", "language": "spec.txt", "formula": "spec.txt"}
_FORMAT = {"format": "verimv-verification", "version": 1}
_CASE = re.compile("case-[1-9][0-9]{0,6}")
_CASE_FILES = ("network.json", *CERTIFICATE_FILES)
_MODEL = re.compile("model(?:-[1-9][0-9]?)?\\.json")
_SECONDS = re.compile("[0-9]{1,6}")  # numbers are read as text
_RANGE = re.compile(r"(\S+) ≤ (margin_*) ≤ (\S+) on .*", re.DOTALL)


@dataclass(frozen=True)
class CertifiedCase:
    """How the margin of a case is made, and a certificate of its range."""

    form: MarginForm
    certificate: Certificate


def is_verification(path: str | os.PathLike[str]) -> bool:
    """Return whether a directory says that it is a verification."""
    return os.path.lexists(os.path.join(path, VERIFICATION))


def write_verification(
    directory: str | os.PathLike[str], specification: Specification, cases: Sequence[CertifiedCase], effort: int = 0
) -> None:
    """Write model, specification and certificates; the summary, by which the directory is recognised, comes last.

    `effort` is about how many seconds of work a kernel needs for a case, at most.
    """
    target = Path(directory)
    models = {f"model{f'-{k}' if k else ''}.json": one for k, one in enumerate(specification.system.networks.values())}
    texts = {name: "".join(write_network(one)) for name, one in models.items()}
    name = "spec.mv" if specification.text.lstrip().startswith(HEADER) else SPECIFICATIONS[specification.kind]
    texts[name] = specification.text
    texts[VERIFICATION] = (
        json.dumps(_summary(specification, cases, models, texts, name, effort), indent=1, ensure_ascii=False) + "\n"
    )
    owned = (
        *(f"model{f'-{k}' if k else ''}.json" for k in range(100)),
        *SPECIFICATIONS.values(),
        "spec.mv",
        VERIFICATION,
    )
    old = [entry for entry in target.iterdir() if _is_case(entry)] if target.is_dir() else []
    replaceable = Replaceable(owned, is_verification, folders=tuple(entry.name for entry in old))
    check_directory(target, replaceable)
    (target / VERIFICATION).unlink(missing_ok=True)
    for entry in old:
        shutil.rmtree(entry)
    for k, case in enumerate(cases, start=1):
        write_directory(target / f"case-{k}", case.certificate.files(), Replaceable(_CASE_FILES, holds_certificate))
    folders = tuple(f"case-{k + 1}" for k in range(len(cases)))
    write_directory(
        target,
        {key: [text] for key, text in texts.items()},
        replace(replaceable, folders=folders, is_ours=lambda _: True),
    )


def _is_case(entry: Path) -> bool:
    """Return whether an entry is a directory with a certificate of a case and nothing else."""
    return (
        _CASE.fullmatch(entry.name) is not None
        and entry.is_dir()
        and not entry.is_symlink()
        and all(inner.name in _CASE_FILES and inner.is_file() for inner in entry.iterdir())
    )


def _summary(
    specification: Specification,
    cases: Sequence[CertifiedCase],
    models: Mapping[str, Network],
    texts: Mapping[str, str],
    name: str,
    effort: int,
) -> dict[str, Any]:
    networks = dict(zip(specification.system.networks, models, strict=True))
    labels = {file: different(dict(network.labels)) for file, network in models.items() if network.labels}
    return {
        **_FORMAT,
        "networks": networks,
        "specification": name,
        "uses_box": specification.uses_box,
        "names": labels,
        "sha256": {file: hashlib.sha256(text.encode()).hexdigest() for file, text in texts.items()},
        "cases": [case.form.data() for case in cases],
        "effort": effort,
    }


# -- checking ----------------------------------------------------------------------------------------------------------


class _Rejected(Exception):
    """The directory is "invalid", "malformed" or "incomplete", for a reason."""

    def __init__(self, status: str, reason: str) -> None:
        super().__init__(reason)
        self.status, self.reason = status, reason


def judge_verification(
    path: str, choice: str | None = None, progress: Progress = no_progress, effort: int | None = None
) -> Judgement:
    """Judge the directory of a verification: the certificate of every case, and whether it is about that case."""
    try:
        return _judged(Path(path), choice, progress, effort)
    except _Rejected as rejected:
        return _rejection(rejected.status, rejected.reason)
    except InputError as error:
        return _rejection("malformed", str(error))


def _rejection(status: str, reason: str) -> Judgement:
    return Judgement([KernelAnswer(VERIMV, status, f"{status}: {reason}", (), {"reason": reason}, 0.0)])


def _judged(directory: Path, choice: str | None, progress: Progress, effort: int | None) -> Judgement:
    specification, forms, needed = read_verification(directory)
    judged: list[Judgement] = []
    for k, (case, form) in enumerate(zip(specification.cases, forms, strict=True), start=1):
        progress("checking the certificates of cases", k - 1, len(forms))
        name = f"case-{k}"
        composed = "".join(write_network(margin_of(specification.system, case, form)))
        if _read_bytes(directory / name / "network.json") != composed.encode():
            raise _Rejected(
                "invalid", f"{name}/network.json is not the model composed with case {k} of the specification"
            )
        judgement = judge_files(str(directory / name), {}, choice, effort=effort)
        if judgement.status == "incomplete" and (effort or 0) < needed:
            raise _Rejected("incomplete", f"{name}: {judgement.text}; verimv wrote that it needs --effort {needed}")
        if judgement.status != "valid":
            raise _Rejected(judgement.status, f"{name}: {judgement.text}")
        low = _RANGE.fullmatch("\n".join(judgement.statement))
        if low is None:
            raise _Rejected(
                "invalid", f"{name}: expected a proof of a range of the margin, found {judgement.statement}"
            )
        if not form.excludes(case, parse_number(low[1])):
            least = "at least 0" if form.allows_zero(case) else "more than 0"
            raise _Rejected("invalid", f"{name}: the margin is proved to be at least {low[1]}, but must be {least}")
        judged.append(judgement)
    return _joined(judged, tuple(statement(specification)))


def _joined(judged: Sequence[Judgement], lines: tuple[str, ...]) -> Judgement:
    """Return what the kernels say that have judged every case."""
    if not judged:  # nothing is left to prove: no input satisfies the conditions
        return Judgement([KernelAnswer(VERIMV, "valid", "valid", lines, {}, 0.0)])
    answers = []
    for name in dict.fromkeys(name for one in judged for name in one.names):
        if all(name in one.names for one in judged):
            own = [answer for one in judged for answer in one.answers if answer.name == name]
            seconds = round(sum(answer.seconds for answer in own), 3)
            answers.append(KernelAnswer(name, "valid", "valid", lines, {"cases": len(judged)}, seconds, own[0].build))
    if not answers:  # each case was judged by another kernel
        answers = [KernelAnswer(VERIMV, "valid", "valid", lines, {"cases": len(judged)}, 0.0)]
    return Judgement(answers)


def read_verification(directory: Path) -> tuple[Specification, list[MarginForm], int]:
    """Read the model and the specification again, how margins were made, and the effort that kernels need, it says."""
    data = loads_strictly(_read_text(directory / VERIFICATION), VERIFICATION)
    keys = {*_FORMAT, "networks", "specification", "uses_box", "names", "sha256", "cases", "effort"}
    if (
        not isinstance(data, dict)
        or data.keys() != keys
        or any(data[key] != str(value) for key, value in _FORMAT.items())
    ):
        raise InputError(f"expected {', '.join(sorted(keys))} of format verimv-verification 1", source=VERIFICATION)
    networks, labels, forms = data["networks"], data["names"], data["cases"]
    if not isinstance(networks, dict) or not networks or not all(_is_name(_MODEL, file) for file in networks.values()):
        raise InputError("networks: expected names with files such as model.json", source=VERIFICATION)
    if data["specification"] not in ("spec.mv", *SPECIFICATIONS.values()) or not isinstance(data["uses_box"], bool):
        raise InputError("specification: expected spec.vnnlib, spec.txt or spec.mv", source=VERIFICATION)
    if not isinstance(forms, list):
        raise InputError("cases: expected a list", source=VERIFICATION)
    if not isinstance(data["effort"], str) or _SECONDS.fullmatch(data["effort"]) is None:
        raise InputError("effort: expected a number of seconds", source=VERIFICATION)
    texts = {file: _read_text(directory / file) for file in (*networks.values(), data["specification"])}
    for file, text in texts.items():
        if (
            not isinstance(data["sha256"], dict)
            or data["sha256"].get(file) != hashlib.sha256(text.encode()).hexdigest()
        ):
            raise _Rejected("invalid", f"{file} has changed: its hash is not that in {VERIFICATION}")
    models = {name: read_network(texts[file], str(directory / file)) for name, file in networks.items()}
    models = {name: _labelled(one, labels, networks[name]) for name, one in models.items()}
    first, *others = models.values()
    specification = read_specification(
        texts[data["specification"]],
        first,
        dict(zip(list(models)[1:], others, strict=True)),
        source=str(directory / data["specification"]),
        uses_box=data["uses_box"],
    )
    if list(specification.system.networks) != list(models):
        raise _Rejected("invalid", "the specification is about other networks than those that are named")
    if len(specification.cases) != len(forms):
        raise _Rejected(
            "invalid", f"the specification has {len(specification.cases)} cases, but {len(forms)} are certified"
        )
    _check_entries(directory, [*networks.values(), data["specification"]], len(forms))
    return specification, [read_form(form) for form in forms], int(data["effort"])


def _labelled(network: Network, labels: Any, file: str) -> Network:
    own = labels.get(file, {}) if isinstance(labels, dict) else None
    names = (*network.inputs, *network.outputs)
    if not isinstance(own, dict) or not all(key in names and isinstance(label, str) for key, label in own.items()):
        raise InputError("names: expected full names of inputs and outputs", source=VERIFICATION)
    return replace(network, labels=own) if own else network


def _is_name(pattern: re.Pattern[str], name: object) -> bool:
    return isinstance(name, str) and pattern.fullmatch(name) is not None


def _check_entries(directory: Path, files: Sequence[str], cases: int) -> None:
    """Refuse files that a reader would take for a part of the statement."""
    known = {*files, *(f"case-{k + 1}" for k in range(cases))}
    for entry in sorted(os.listdir(directory)):
        looks_so = entry.startswith("spec.") or _is_name(_MODEL, entry) or _is_name(_CASE, entry)
        if looks_so and entry not in known:
            raise _Rejected("malformed", f"{entry} is not a part of the verification")


def _read_text(path: Path) -> str:
    return decode(_read_bytes(path), str(path))


def _read_bytes(path: Path) -> bytes:
    """Return the contents of a regular file of bounded size, as kernels read files."""
    try:
        return kernel.contents_of(path)
    except kernel.Rejected as rejected:
        raise _Rejected(rejected.status, f"{path.parent.name}/{path.name}: {rejected}") from None
    except OSError as error:
        raise _Rejected(
            "invalid", f"{path.parent.name}/{path.name}: {(error.strerror or str(error)).lower()}"
        ) from None


#: Cases of a statement that are put into words.
_CASES_TOLD = 20


def statement(specification: Specification) -> list[str]:
    """Return what is proved in words, a line for each case."""
    lines = []
    for case in specification.cases[:_CASES_TOLD]:
        bounds, constraints = specification.parts(case)
        where = f"for every input with {' and '.join(bounds)}" if bounds else "for every input in the box"
        lines.append(f"{where}: not ({' and '.join(constraints)})")
    if len(specification.cases) > _CASES_TOLD:
        lines.append(f"… and {len(specification.cases) - _CASES_TOLD:,} more cases of the specification")
    return lines or ["no input satisfies the conditions of the specification, so it holds of every network"]
