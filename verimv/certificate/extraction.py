"""Extraction with its certificate: what `verimv.extract` and the command line use."""

from __future__ import annotations

import re
import time
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from verimv.certificate.certificate import Certificate, Progress
from verimv.certificate.derivation import Derivation
from verimv.certificate.writer import EVIDENCE_SECONDS, CertificateWriter
from verimv.errors import IncompleteCertificate, InputError, InternalError, InvalidCertificate
from verimv.extract import extraction as plain
from verimv.extract.extraction import Extraction
from verimv.networks.json_format import write_network
from verimv.networks.network import Network
from verimv.terms.mvfile import write_mv

_OTHER_ROOT = re.compile(r"sqrt\((?![0-9]{1,9}\))|\)\*sqrt")
#: For the evidence of bounds that can be done without.
_RETRY_SECONDS = 5.0


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
        begin = time.perf_counter()
        lacking = self._unreadable()
        try:
            if not lacking:
                self.summary["statement"] = self.certificate.check(progress)
        except IncompleteCertificate as error:
            lacking = str(error)
        except (InvalidCertificate, InputError) as error:
            raise InternalError(f"the kernel refuses the certificate: {error}", self._reproduction()) from None
        seconds = round(time.perf_counter() - begin, 3)
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

    def _unreadable(self) -> str:
        """What keeps the kernel from reading the certificate: its numbers have square roots of small integers only."""
        texts = (*self.derivation.lines, self.certificate.subjects["network"].decode())
        is_other_root = any(_OTHER_ROOT.search(text) for text in texts)
        return "incomplete: expected square roots of integers below 10^9, got others" if is_other_root else ""

    def _reproduction(self) -> str:
        return "".join(write_network(self.source))


def extract(network: Network, **options: Any) -> CertifiedExtraction:
    """The formula that a network computes on its box, with a certificate. Options as in
    :func:`verimv.extract.extraction.extract`.

    Outputs that are scaled need some bounds, not the best: where the best lack evidence, intervals are taken.
    """
    progress = options.get("progress", plain.no_progress)
    may_retry = options.get("scale_output", False) and options.get("bounds", "auto") == "auto"
    writer = CertificateWriter(progress, _RETRY_SECONDS if may_retry else EVIDENCE_SECONDS)
    extraction = plain.extract(network, recorder=writer, **options)
    if writer.assumed and may_retry:
        writer = CertificateWriter(progress)
        extraction = plain.extract(network, recorder=writer, **{**options, "bounds": "interval"})
    parts = {field.name: getattr(extraction, field.name) for field in fields(extraction)}
    return CertifiedExtraction(**parts, derivation=writer.derivation)
