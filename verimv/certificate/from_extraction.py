"""Extraction with its certificate: what `verimv.extract` and the command line use."""

from __future__ import annotations

import os
import re
import time
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from verimv.bounding.results import NetworkBounds
from verimv.certificate.certificate import Certificate
from verimv.certificate.lines import Derivation
from verimv.certificate.writer import CertificateWriter
from verimv.core.above import above
from verimv.core.effort import SECOND
from verimv.core.errors import InternalError
from verimv.core.progress import Progress, no_progress
from verimv.core.workers import Workers
from verimv.extraction.pipeline import Extraction, extract_uncertified
from verimv.formulas.mvfile import write_mv
from verimv.kernels.judge import PYTHON, Judgement, KernelAnswer
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Network
from verimv.networks.transforms.outputs import OutputMap

_OTHER_ROOT = re.compile(r"sqrt\((?![0-9]{1,9}\))|\)\*sqrt")
#: Work for evidence of bounds that simpler bounds can replace.
_RETRY_WORK = 5 * SECOND


@dataclass(frozen=True, repr=False)
class CertifiedExtraction(Extraction):
    """A formula, and why it equals the network."""

    derivation: Derivation

    _claim = "network = formula"

    @cached_property
    def certificate(self) -> Certificate:
        """What the kernel needs: the network and the formula as files, and the derivation."""
        texts = {"network": write_network(self.network), "formula": write_mv(self.formula)}
        if not self.source.is_on_unit_cube():
            texts["source"] = write_network(self.source)
        subjects = {name: "".join(pieces).encode() for name, pieces in texts.items()}
        certificate = Certificate(subjects, self.derivation.lines)
        self.summary.update(certificate.hashes)
        return certificate

    @property
    def near(self) -> Network | None:
        """The network that the formula is within an error of; None if it is exactly that of the source."""
        return None

    def save(self, directory: str | os.PathLike[str], *, report: bool = True) -> None:
        """Write what `verimv extract -o DIR` does: network, formula, certificate, summary, and a report unless that is
        not wanted. The kernels check the certificate first, if they have not done so."""
        above("show.saving", "save_extraction", self, directory, report=report)

    def check(self, progress: Progress = no_progress, kernel: str | None = None) -> str:
        """Have the kernels check the certificate and record their verdicts. Empty if it is valid, else what it lacks.

        `kernel` is "python", "verified" or "both"; by default both are asked if the verified one is at hand.
        """
        begin = time.perf_counter()
        answers: Sequence[KernelAnswer] = ()
        if not (lacking := self._unreadable):
            judgement = self._judgement(progress, kernel)
            answers = judgement.answers
            if judgement.status == "valid":
                self.summary["statement"] = judgement.statement
            else:
                lacking = judgement.text
        seconds = [round(time.perf_counter() - begin, 3), *(answer.seconds for answer in answers)]
        self.summary["status"] = "extracted" if lacking else "certified"
        self.summary["seconds"]["check"] = max(seconds)
        entries = [_entry(answer) for answer in answers] or [_undecided(PYTHON, lacking, seconds[0])]
        claims = {"claim": self._claim, "claims": self.derivation.claims}
        self.summary["proofs"] = [*self.summary["proofs"], *({**claims, **entry} for entry in entries)]
        return lacking

    def is_incomplete(self, progress: Progress = no_progress, kernel: str | None = "python") -> bool:
        """Return whether kernel.py finds the certificate incomplete. Errors are reported by `check` only.

        The answer of the verified kernel is not used: what is extracted must not depend on whether it is at hand. If
        `check` with this `kernel` comes next, both are asked at the same time, and `check` has their answers.
        """
        if self._unreadable:
            return True
        if kernel in (None, "both") and not self._python:
            with suppress(InternalError):
                judgement = self.certificate.judge(kernel, progress)
                self._python.append(judgement.answers[0])
                self._asked.append(kernel)
        return self._by_python(progress).status == "incomplete"

    def lacking(self, progress: Progress = no_progress) -> str:
        """Return what kernel.py finds missing in the certificate, which is empty if it accepts. Nothing is recorded."""
        if self._unreadable:
            return self._unreadable
        answer = self._by_python(progress)
        if answer.status in ("invalid", "malformed"):
            raise InternalError(f"the kernel refuses the certificate: {answer.text}", self._reproduction())
        return "" if answer.status == "valid" else answer.text

    def _judgement(self, progress: Progress, kernel: str | None) -> Judgement:
        known = self._python[0] if self._python else None
        before = self.certificate.judgement if kernel in self._asked else None
        try:
            judgement = before or self.certificate.judge(kernel, progress, known)
        except InternalError as error:
            raise type(error)(str(error), self._reproduction()) from None
        if judgement.status in ("invalid", "malformed"):
            raise InternalError(f"the kernel refuses the certificate: {judgement.text}", self._reproduction())
        return judgement

    def _by_python(self, progress: Progress) -> KernelAnswer:
        """The answer of kernel.py, which is asked once."""
        if not self._python:
            self._python.append(self.certificate.python_answer(progress))
        return self._python[0]

    @cached_property
    def _python(self) -> list[KernelAnswer]:
        return []

    @cached_property
    def _asked(self) -> list[str | None]:
        """The choice of kernels that were asked ahead of `check`, if any."""
        return []

    @cached_property
    def _unreadable(self) -> str:
        """What keeps the kernel from reading the certificate: its numbers have square roots of small integers only."""
        texts = (*self.derivation.lines, self.certificate.subjects["network"].decode())
        is_other_root = any(_OTHER_ROOT.search(text) for text in texts)
        return "incomplete: expected square roots of integers below 10^9, got others" if is_other_root else ""

    def _reproduction(self) -> str:
        return "".join(write_network(self.source))


def _entry(answer: KernelAnswer) -> dict[str, Any]:
    """Return what summary.json records of a kernel's answer."""
    if answer.status != "valid":
        return _undecided(answer.title, answer.text, answer.seconds)
    return {"verdict": "proved", "checker": answer.title, "seconds": answer.seconds}


def _undecided(checker: str, reason: str, seconds: float) -> dict[str, Any]:
    return {"verdict": "undecided", "checker": checker, "seconds": seconds, "reason": reason}


def extract(
    network: Network,
    *,
    logic: str = "auto",
    strategy: str = "compact",
    minimise: str = "length",
    bounds: str | NetworkBounds = "auto",
    output: str | int | None = None,
    margin: tuple[str | int, str | int] | None = None,
    clip_output: bool = False,
    scale_output: bool = False,
    workers: Workers = 1,
    progress: Progress = no_progress,
    resume: str | os.PathLike[str] | None = None,
    kernel: str | None = "python",
) -> CertifiedExtraction:
    """Return the formula that a network computes on its box, with a certificate.

    `logic` is "mv", "dmv", "rmv" or "auto", the smallest that fits the weights. `strategy` is "compact" or "paper", and
    `minimise` ("length" or "size") what the compact one makes small. `bounds` is the name of a method, or any proven
    bounds of the network's neurons. `output` is the one output that is wanted, `margin` two outputs whose difference
    is; `clip_output` applies σ, and `scale_output` maps the proven range of every output onto [0,1]. `workers` is a
    number of local processes for the bounds, or the address of a Dask scheduler. `resume` is a file that keeps bounds
    while they are found: a call that was interrupted goes on from there.

    Scaled outputs need some bounds, not the best ones: where the best have no evidence, or more than kernel.py
    accepts, simpler bounds are used. With `kernel` "both" (None: if it is at hand) the verified kernel is asked at the
    same time, so that `check(kernel=…)` need not wait for it again; the result is the same.
    Raises :class:`OutputLeavesUnitInterval` when an output leaves [0,1], :class:`Undecided` when that is not decided.
    """
    options: dict[str, Any] = {
        "logic": logic,
        "strategy": strategy,
        "minimise": minimise,
        "output": output,
        "margin": margin,
        "clip_output": clip_output,
        "scale_output": scale_output,
        "workers": workers,
        "progress": progress,
    }
    if not scale_output or bounds != "auto":
        return _certified(network, CertificateWriter(progress), {**options, "bounds": bounds, "resume": resume})
    for choice in ({"bounds": "auto", "resume": resume}, {"bounds": "linear"}):
        writer = CertificateWriter(progress, _RETRY_WORK)
        found = _certified(network, writer, {**options, **choice})
        if not writer.assumed and not found.is_incomplete(progress, kernel):
            return found
    return _certified(network, CertificateWriter(progress), {**options, "bounds": "interval"})


def extract_mapped(
    network: Network, maps: Sequence[OutputMap], *, minimise: str = "length", progress: Progress = no_progress
) -> CertifiedExtraction:
    """Return the Riesz formula of a network that was made for these maps of its outputs, with a certificate."""
    options: dict[str, Any] = {"logic": "rmv", "minimise": minimise, "scale_output": True, "maps": maps}
    for bounds in ("interval", "linear"):
        writer = CertificateWriter(progress, _RETRY_WORK)
        found = _certified(network, writer, {**options, "bounds": bounds, "progress": progress})
        if not found.is_incomplete(progress):
            break
    return found


def _certified(network: Network, writer: CertificateWriter, options: dict[str, Any]) -> CertifiedExtraction:
    extraction = extract_uncertified(network, listener=writer, **options)
    parts = {field.name: getattr(extraction, field.name) for field in fields(extraction)}
    return CertifiedExtraction(**parts, derivation=writer.derivation)
