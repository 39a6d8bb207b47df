"""Extraction with its certificate: what `verimv.extract` and the command line use."""

from __future__ import annotations

import time
from dataclasses import dataclass, fields
from functools import cached_property
from typing import Any

from verimv.certificate.certificate import Certificate, IncompleteCertificate
from verimv.certificate.writer import CertificateWriter, Derivation
from verimv.extract import extraction as plain
from verimv.extract.extraction import Extraction
from verimv.networks.json_format import write_network
from verimv.networks.network import Network
from verimv.terms.mvfile import write_mv


@dataclass(frozen=True)
class CertifiedExtraction(Extraction):
    """A formula, and why it equals the network. `source` is the network before its box was mapped onto the unit cube."""

    source: Network
    derivation: Derivation

    @cached_property
    def certificate(self) -> Certificate:
        texts = {"network": write_network(self.network), "formula": write_mv(self.formula)}
        if not self.source.is_on_unit_cube():
            texts["source"] = write_network(self.source)
        subjects = {name: "".join(pieces).encode() for name, pieces in texts.items()}
        certificate = Certificate(subjects, self.derivation.lines)
        for name, digest in certificate.hashes.items():
            self.summary[name] = digest
        return certificate

    def check(self) -> None:
        """Have the kernel check the certificate, and record its verdict; an incomplete one is not an error here."""
        begin = time.perf_counter()
        verdict, reason = "proved", None
        try:
            self.certificate.check()
        except IncompleteCertificate as error:
            verdict, reason = "undecided", str(error)
        seconds = round(time.perf_counter() - begin, 3)
        self.summary["status"] = "certified" if reason is None else "extracted"
        self.summary["seconds"]["check"] = seconds
        entry = {"claim": "network = formula", "verdict": verdict, "checker": "kernel"}
        entry |= {"claims": self.derivation.claims, "seconds": seconds}
        self.summary["proofs"] = [*self.summary["proofs"], entry | ({"reason": reason} if reason else {})]


def extract(network: Network, **options: Any) -> CertifiedExtraction:
    """The formula that a network computes on its box, with a certificate. Options as in
    :func:`verimv.extract.extraction.extract`."""
    writer = CertificateWriter()
    extraction = plain.extract(network, recorder=writer, **options)
    output = options.get("output")
    source = network if output is None else network.select(output)
    parts = {field.name: getattr(extraction, field.name) for field in fields(extraction)}
    return CertifiedExtraction(**parts, source=source, derivation=writer.derivation)
