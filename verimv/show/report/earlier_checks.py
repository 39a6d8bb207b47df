"""What was checked before a page was written: the verdict at its top, and a table of all checks."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from verimv.show.report.markup import Markup, table, tag
from verimv.show.report.subject import Subject

#: Text and colour of each verdict of kernel.py; a check in the browser replaces them.
BADGES = {
    "valid": ("certified when written", "good"),
    "incomplete": ("not certified", "open"),
    "unchecked": ("not checked", "open"),
    "invalid": ("invalid certificate", "bad"),
}


def badge(subject: Subject) -> Markup:
    word, colour = BADGES[subject.check.status]
    return tag("span", word, class_=f"badge {colour}", id="badge")


def earlier_checks(subject: Subject, evidence: str) -> Markup:
    """Return what was checked before the page was written; `evidence` says how much a kernel has followed."""
    check = subject.check
    verdict = {"valid": "proved", "incomplete": "undecided", "unchecked": "not checked", "invalid": "invalid"}
    evidence += " before the error" if check.status == "invalid" else ""
    by: list[tuple[str, str, float | None]] = [
        (answer.name, "undecided" if answer.gave_up else verdict[answer.status], answer.seconds)
        for answer in check.answers
    ]
    by = by or [("the kernel", verdict[check.status], check.seconds)]
    rows: list[tuple[str, ...]] = [
        *(("the statement above", word, f"{who}, by certificate", evidence, _time(spent)) for who, word, spent in by),
        *_other_proofs(subject.summary),
    ]
    return tag(
        "details",
        tag("summary", "Checks before this page was written"),
        table(("claim", "verdict", "by", "evidence", "time"), rows, "checks"),
    )


#: Entries of kernels: their verdicts in the report are those of now.
_KERNEL = re.compile(r"kernel(\.py)?$|verified \(")


def _other_proofs(summary: Mapping[str, Any]) -> Iterator[tuple[str, ...]]:
    """Yield what summary.json records of other provers, in earlier runs."""
    proofs = summary.get("proofs")
    for entry in proofs if isinstance(proofs, list) else []:
        if isinstance(entry, dict) and not _KERNEL.match(str(entry.get("checker"))):
            by = " ".join(str(entry[key]) for key in ("solver", "checker", "version") if key in entry)
            counts = ", ".join(
                f"{entry[key]:,} {key}" for key in ("obligations", "queries") if type(entry.get(key)) is int
            )
            verdict, claim = str(entry.get("verdict", entry.get("answer", ""))), str(entry.get("claim", ""))
            yield claim, f"{verdict} (recorded earlier)", by, counts, _time(recorded_seconds(entry.get("seconds")))


def recorded_seconds(value: Any) -> float | None:
    """Return a recorded time, or None if it is not one."""
    is_time = isinstance(value, int | float) and 0 <= value < 1e9
    return float(value) if is_time else None


def _time(seconds: float | None) -> str:
    return "" if seconds is None else seconds_text(seconds)


def seconds_text(seconds: float) -> str:
    return f"{seconds * 1000:.0f} ms" if seconds < 1 else f"{seconds:,.1f} s"
