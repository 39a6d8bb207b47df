"""What kernel.py and both builds of the verified kernel say of one certificate: the same verdict, about the same line."""

from __future__ import annotations

import re
from pathlib import Path

from tests.certificate.fuzz.sequence import Certificate, Outcome
from tests.kernels.portable import verified_head

_LINE = re.compile(r"\bline ([0-9]+)")


def disagreement(certificate: Certificate, directory: Path) -> str | None:
    """How the verified kernel answers, if not as `kernel.py` did. The directory is written over."""
    for file in directory.glob("*"):
        file.unlink()
    certificate.write(directory)
    answer = verified_head(directory, certificate)
    status, _, place = answer.partition("\n")[0].partition(", ")
    line = _LINE.search(place)
    found = status, int(line[1]) if line else None
    if found == certificate.verdict:
        return None
    return f"kernel.py answers {certificate.verdict}, the verified kernel {answer}"


def disagreements(outcome: Outcome, directory: Path) -> list[tuple[Certificate, str]]:
    """Certificates of a sequence about which the kernels disagree."""
    found = ((certificate, disagreement(certificate, directory)) for certificate in outcome.certificates)
    return [(certificate, text) for certificate, text in found if text is not None]
