"""What became of a promise: proved, refuted, undecided, or not to be decided."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verimv.exact import parse_number
from verimv.exact.decimals import brief
from verimv.promises.promise import Promise

#: Exit codes of what may become of a promise, and what people read.
CODES = {"proved": 0, "refuted": 1, "malformed": 2, "undecided": 3, "bug": 4}
WORDS = {"refuted": "broken"}


@dataclass(frozen=True)
class PromiseOutcome:
    """The answer about a promise, and what it rests on."""

    promise: Promise
    status: str
    #: why it is not proved: a sentence, and perhaps lines with a point and the values there
    reason: str = ""
    #: a certificate, a solver, a point
    evidence: str = ""
    #: whether it was found in an earlier run, and only checked in this one
    unchanged: bool = False
    #: where the certificate is
    certificate: str | None = None
    counterexample: Mapping[str, str] | None = None
    notes: Sequence[str] = ()
    seconds: float = 0.0

    @property
    def exit_code(self) -> int:
        return CODES[self.status]

    @property
    def word(self) -> str:
        return WORDS.get(self.status, self.status)

    def data(self) -> dict[str, Any]:
        """Return the outcome for JSON."""
        return {
            "model": self.promise.model,
            "promise": self.promise.title,
            "kind": self.promise.kind,
            "target": self.promise.target,
            "file": self.promise.source,
            "line": self.promise.line,
            "status": self.status,
            "reason": self.reason,
            "evidence": self.evidence,
            "unchanged": self.unchanged,
            "certificate": self.certificate,
            "counterexample": None if self.counterexample is None else list(self.counterexample.values()),
            "notes": list(self.notes),
            "seconds": self.seconds,
        }


#: Inputs of a point that are listed.
_INPUTS_TOLD = 8


def point_told(point: Mapping[str, str]) -> str:
    """Return a point as text; of many inputs only the first."""
    told = [f"{name}={brief(parse_number(x))}".replace("=≈", "≈") for name, x in list(point.items())[:_INPUTS_TOLD]]
    return ", ".join([*told, *["…"] * (len(point) > _INPUTS_TOLD)]) or "the only point"


def rows_told(rows: Mapping[str, str]) -> list[str]:
    """Return aligned lines."""
    width = max(map(len, rows))
    return [f"{name.ljust(width)}  {text}" for name, text in rows.items()]
