"""Extraction with its certificate: what `verimv.extract` and the command line use."""

from __future__ import annotations

import os
import re
import time
from contextlib import suppress
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from verimv.bounding.results import NetworkBounds
from verimv.certificate.certificate import Certificate
from verimv.certificate.lines import Derivation
from verimv.certificate.writer import CertificateWriter
from verimv.core.effort import SECOND
from verimv.core.errors import IncompleteCertificate, InputError, InternalError, InvalidCertificate
from verimv.core.progress import Progress, no_progress
from verimv.core.workers import Workers
from verimv.extraction.pipeline import Extraction, extract_uncertified
from verimv.formulas.mvfile import write_mv
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Network

_OTHER_ROOT = re.compile(r"sqrt\((?![0-9]{1,9}\))|\)\*sqrt")
#: Work for evidence of bounds that simpler bounds can replace.
_RETRY_WORK = 5 * SECOND


@dataclass(frozen=True, repr=False)
class CertifiedExtraction(Extraction):
    """A formula, and why it equals the network."""

    derivation: Derivation

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

    def check(self, progress: Progress | None = None) -> str:
        """Have the kernel check the certificate and record its verdict. Empty if it is valid, else what it lacks."""
        lacking, statement, seconds = self._verdict(progress)
        if not lacking:
            self.summary["statement"] = statement
        self.summary["status"] = "extracted" if lacking else "certified"
        self.summary["seconds"]["check"] = seconds
        entry = {
            "claim": "network = formula",
            "verdict": "undecided" if lacking else "proved",
            "checker": "kernel",
            "claims": self.derivation.claims,
            "seconds": seconds,
        }
        self.summary["proofs"] = [*self.summary["proofs"], entry | ({"reason": lacking} if lacking else {})]
        return lacking

    def is_incomplete(self, progress: Progress | None = None) -> bool:
        """Return whether the kernel finds the certificate incomplete. Errors are reported by `check` only."""
        with suppress(InternalError):
            return bool(self._verdict(progress)[0])
        return False

    def _verdict(self, progress: Progress | None) -> tuple[str, list[str], float]:
        """What the certificate lacks, what it proves, and the kernel's time for it. The kernel is asked once."""
        if not self._verdicts:
            begin = time.perf_counter()
            lacking, statement = self._unreadable(), []
            try:
                if not lacking:
                    statement = self.certificate.check(progress)
            except IncompleteCertificate as error:
                lacking = str(error)
            except (InvalidCertificate, InputError) as error:
                raise InternalError(f"the kernel refuses the certificate: {error}", self._reproduction()) from None
            self._verdicts.append((lacking, statement, round(time.perf_counter() - begin, 3)))
        return self._verdicts[0]

    @cached_property
    def _verdicts(self) -> list[tuple[str, list[str], float]]:
        return []

    def _unreadable(self) -> str:
        """What keeps the kernel from reading the certificate: its numbers have square roots of small integers only."""
        texts = (*self.derivation.lines, self.certificate.subjects["network"].decode())
        is_other_root = any(_OTHER_ROOT.search(text) for text in texts)
        return "incomplete: expected square roots of integers below 10^9, got others" if is_other_root else ""

    def _reproduction(self) -> str:
        return "".join(write_network(self.source))


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
) -> CertifiedExtraction:
    """Return the formula that a network computes on its box, with a certificate.

    `logic` is "mv", "dmv", "rmv" or "auto", the smallest that fits the weights. `strategy` is "compact" or "paper", and
    `minimise` ("length" or "size") what the compact one makes small. `bounds` is the name of a method, or any proven
    bounds of the network's neurons. `output` is the one output that is wanted, `margin` two outputs whose difference
    is; `clip_output` applies σ, and `scale_output` maps the proven range of every output onto [0,1]. `workers` is a
    number of local processes for the bounds, or the address of a Dask scheduler. `resume` is a file that keeps bounds
    while they are found: a call that was interrupted goes on from there.

    Scaled outputs need some bounds, not the best ones: where the best have no evidence, or more than the kernel
    accepts, simpler bounds are used.
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
        if not writer.assumed and not found.is_incomplete(progress):
            return found
    return _certified(network, CertificateWriter(progress), {**options, "bounds": "interval"})


def _certified(network: Network, writer: CertificateWriter, options: dict[str, Any]) -> CertifiedExtraction:
    extraction = extract_uncertified(network, listener=writer, **options)
    parts = {field.name: getattr(extraction, field.name) for field in fields(extraction)}
    return CertifiedExtraction(**parts, derivation=writer.derivation)
