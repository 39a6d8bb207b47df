"""Verdicts: proved, refuted with a witness, or undecided with a reason."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Literal

from verimv.core.display import Headed, cut, html_table
from verimv.core.errors import Undecided
from verimv.core.recorded import Recorded
from verimv.exact import Number, format_number

Status = Literal["proved", "refuted", "undecided"]

EXIT_CODES: dict[Status, int] = {"proved": 0, "refuted": 1, "undecided": 3}


@dataclass(frozen=True)
class Witness:
    """An exact point and the exact values there, which were replayed on every subject."""

    point: Mapping[str, str]
    values: Mapping[str, str]

    def __str__(self) -> str:
        at = ", ".join(f"{name}={number}" for name, number in self.point.items()) or "the only point"
        return f"at {at}: " + ", ".join(f"{name} = {value}" for name, value in self.values.items())


@dataclass(frozen=True, repr=False)
class Verdict(Recorded, Headed):
    """The answer to a question about formulas and networks, with a witness or a reason, and its evidence."""

    status: Status
    witness: Witness | None = None
    reason: str = ""
    #: solver or search, version, answer and seconds of every query that the verdict depends on
    evidence: tuple[Mapping[str, Any], ...] = field(default=())
    seconds: float = 0.0
    #: of two subjects that are compared: how far apart they are at least, at some point, and at most, proved
    apart: tuple[Number | None, Number | None] = (None, None)

    @property
    def proved(self) -> bool:
        return self.status == "proved"

    @property
    def refuted(self) -> bool:
        return self.status == "refuted"

    @property
    def undecided(self) -> bool:
        return self.status == "undecided"

    @property
    def counterexample(self) -> Witness | None:
        return self.witness if self.refuted else None

    def __bool__(self) -> bool:
        """True if proved, False if refuted; undecided is neither."""
        if self.undecided:
            raise Undecided(self.reason)
        return self.proved

    def _repr_html_(self) -> str:
        """Return a table for notebooks: the answer, the exact point and values, and the evidence."""
        rows: list[tuple[str, str]] = []
        if self.witness is not None:
            rows += [*self.witness.point.items(), *self.witness.values.items()]
        if self.reason:
            rows.append(("reason", self.reason))
        rows += [(str(item.get("solver", "")), str(item.get("answer", ""))) for item in self.evidence]
        return html_table(self.status, rows)

    def _headline(self) -> str:
        return f"{self.status} {self.witness or cut(self.reason)}".rstrip()

    def __str__(self) -> str:
        return self._headline()

    def to_dict(self) -> dict[str, Any]:
        return self.data()

    def data(self) -> dict[str, Any]:
        """Return what the commands with --json print."""
        return {
            "status": self.status,
            "witness": None if self.witness is None else {"point": dict(self.witness.point), **self.witness.values},
            "reason": self.reason,
            **{
                name: format_number(x)
                for name, x in zip(("attained", "proved"), self.apart, strict=True)
                if x is not None
            },
            "evidence": [dict(item) for item in self.evidence],
            "seconds": round(self.seconds, 3),
        }
