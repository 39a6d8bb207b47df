"""How far apart two networks or formulas are: an interval for max |a − b|, per output and overall."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

from verimv.bounding.search.pair import DifferenceEvidence
from verimv.bounding.search.twin_cases import TwinEvidence
from verimv.core.display import Headed, html_table
from verimv.core.recorded import Recorded
from verimv.exact import ZERO, Number, as_number, format_number
from verimv.exact.decimals import rounded_down, rounded_up

#: Evidence of upper bounds, from which a certificate is made.
Evidence = DifferenceEvidence | TwinEvidence
#: Why a search ended: the question is answered, the effort is used up, no method is left that could do better, or the
#: time is up.
Ending = Literal["answered", "effort", "methods", "time"]


@dataclass(frozen=True)
class UpperBounds:
    """Proved bounds of |a − b| for all outputs, with one evidence for all of them, or none."""

    upper: list[Number]
    evidence: Evidence | None

    @property
    def largest(self) -> Number:
        return max(self.upper, default=ZERO)

    def evidence_within(self, tolerance: Number) -> Evidence | None:
        """Return the evidence that no bound is larger than a tolerance, if there is any."""
        return self.evidence if self.largest <= tolerance else None

    def is_refined_by(self, other: UpperBounds) -> bool:
        """Return whether no bound of another method is larger, and it has evidence."""
        return other.evidence is not None and all(x >= y for x, y in zip(self.upper, other.upper, strict=True))


@dataclass(frozen=True, repr=False)
class OutputDistance(Headed):
    """max |a − b| of one output is at least `attained`, the difference at the point `at`, and at most `proved`."""

    output: str
    attained: Number
    at: dict[str, str]
    proved: Number

    @property
    def exact(self) -> bool:
        return self.attained == self.proved

    def _headline(self) -> str:
        return f"{self.output}: at least {rounded_down(self.attained)}, at most {rounded_up(self.proved)}"

    def data(self) -> dict[str, Any]:
        ends = {"attained": format_number(self.attained), "proved": format_number(self.proved)}
        return {"name": self.output, **ends, "attained_at": list(self.at.values()), "exact": self.exact}


@dataclass(frozen=True, repr=False)
class Distance(Recorded, Headed):
    """max |a − b| over the box, per output and overall: `attained` at an exact point, `proved` from above."""

    outputs: tuple[OutputDistance, ...]
    seconds: float
    #: why the search ended; after "time", another run may have other ends
    ended_by: Ending = "answered"
    #: bounds with evidence, from which a certificate is made; they may be larger, if others were found without any
    _certifiable: UpperBounds | None = field(default=None, compare=False)

    @cached_property
    def farthest(self) -> OutputDistance:
        """The output with the largest difference that was found."""
        return max(self.outputs, key=lambda found: found.attained)

    @property
    def attained(self) -> Number:
        return self.farthest.attained

    @property
    def attained_at(self) -> dict[str, str]:
        return self.farthest.at

    @cached_property
    def proved(self) -> Number:
        return max((found.proved for found in self.outputs), default=ZERO)

    @property
    def exact(self) -> bool:
        return self.attained == self.proved

    def is_within(self, tolerance: Any) -> bool | None:
        """Return whether |a − b| ≤ tolerance everywhere; None if that is not decided."""
        limit = as_number(tolerance)
        if self.proved <= limit:
            return True
        return False if self.attained > limit else None

    def evidence_within(self, tolerance: Number) -> Evidence | None:
        """Return the evidence that the distance is at most a tolerance, if there is any."""
        return None if self._certifiable is None else self._certifiable.evidence_within(tolerance)

    @property
    def evidence(self) -> Evidence | None:
        """The evidence of the best bounds that have any."""
        return None if self._certifiable is None else self._certifiable.evidence

    def __str__(self) -> str:
        return self.told()

    def told(self, numbers: str = "auto") -> str:
        """Return both ends: "exact", as "decimal"s that are rounded to the safe side, or "both"; "auto" is both, but a
        long number as a decimal only."""
        if self.exact:
            return f"exactly {_told(self.attained, rounded_down, numbers)}"
        low, high = _told(self.attained, rounded_down, numbers), _told(self.proved, rounded_up, numbers)
        return f"at least {low}, at most {high}"

    def _headline(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        rows = [("output", "at least", "at most")]
        rows += [(o.output, rounded_down(o.attained), rounded_up(o.proved)) for o in self.outputs]
        return html_table(f"distance: {self}", rows)

    def to_dict(self) -> dict[str, Any]:
        return self.data()

    def data(self) -> dict[str, Any]:
        """Return what `verimv distance --json` prints."""
        return {
            "attained": format_number(self.attained),
            "attained_at": list(self.attained_at.values()),
            "proved": format_number(self.proved),
            "exact": self.exact,
            "outputs": [found.data() for found in self.outputs],
            "ended_by": self.ended_by,
            "seconds": round(self.seconds, 3),
        }


#: Exact numbers are shown beside their decimals if they have at most so many characters.
_SHORT = 24


def _told(x: Number, rounded: Callable[[Number], str], numbers: str) -> str:
    """Return a number as a decimal that is rounded to the safe side, with the exact number if that is short."""
    text, decimal = format_number(x), rounded(x)
    if text == decimal or numbers == "exact":
        return text
    return f"{text} ({decimal})" if numbers == "both" or (numbers == "auto" and len(text) <= _SHORT) else decimal
