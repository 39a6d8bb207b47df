"""What the two kernels say of one certificate: the same verdict, about the same line."""

from __future__ import annotations

import re
from pathlib import Path

from tests.certificate.fuzz.sequence import Certificate, Outcome
from verimv.kernels.verified import verified_verdict

_LINE = re.compile(r"\bline ([0-9]+)")


def disagreement(certificate: Certificate, directory: Path) -> str | None:
    """How the verified kernel answers, if not as `kernel.py` did. The directory is written over."""
    for file in directory.glob("*"):
        file.unlink()
    certificate.write(directory)
    answer = verified_verdict(str(directory), {})
    place = _LINE.search(answer.place or "")
    found = answer.status, int(place[1]) if place else None
    if found == certificate.verdict:
        return None
    return f"kernel.py answers {certificate.verdict}, the verified kernel {answer}"


def disagreements(outcome: Outcome, directory: Path) -> list[tuple[Certificate, str]]:
    """Certificates of a sequence about which the kernels disagree."""
    found = ((certificate, disagreement(certificate, directory)) for certificate in outcome.certificates)
    return [(certificate, text) for certificate, text in found if text is not None]
