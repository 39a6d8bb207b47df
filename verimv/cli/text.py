"""Results as text: styles of formulas, counts, long numbers."""

from __future__ import annotations

import sys
from collections.abc import Mapping

from verimv.exact import Number, format_number, parse_number
from verimv.exact.decimals import brief, constants, point_words, short
from verimv.formulas.dag import SCALE, reachable
from verimv.formulas.formula import Formula
from verimv.formulas.printing import ASCII, UNICODE, Style, quoted


def console_style() -> Style:
    """Return Unicode if stdout can show it, otherwise ASCII."""
    try:
        "⊕⊙¬Δδ·→".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return ASCII
    return UNICODE


def formula_text(formula: Formula, numbers: str = "auto", labels: Mapping[str, str] | None = None) -> str:
    """Return a formula for a screen: with constants as `numbers` says, and full names of inputs and outputs."""
    order, _ = reachable(formula.dag, formula.roots)
    factors = [formula.dag.payload(node) for node in order if formula.dag.kinds[node] == SCALE]
    texts = constants(factors, numbers)
    full = labels or {}
    text = formula.shown(console_style().showing(texts, lambda name: quoted(full.get(name, name))))
    rounded = {text: format_number(x) for x, text in texts.items() if "≈" in text} if numbers == "both" else {}
    width = max(map(len, rounded), default=0)
    return "\n".join([text, *[""] * bool(rounded), *(f"{short.ljust(width)} is {x}" for short, x in rounded.items())])


def point_text(
    point: Mapping[str, str],
    numbers: str = "auto",
    labels: Mapping[str, str] | None = None,
    middle: Mapping[str, Number] | None = None,
) -> str:
    """Return x1=1/3, x2=0.5 for a point with exact numbers as text; of many inputs those that are unusual."""
    full = {name: quoted((labels or {}).get(name, name)) for name in point}
    centre = None if middle is None else {full[name]: x for name, x in middle.items() if name in full}
    return point_words({full[name]: parse_number(x) for name, x in point.items()}, numbers, centre)


def brief_text(exact: str, numbers: str = "auto") -> str:
    """Return an exact number, given as text, as it is shown in a sentence."""
    return exact if numbers == "exact" else brief(parse_number(exact), numbers)


def short_text(exact: str, numbers: str = "auto") -> str:
    """Return an exact number, given as text, as a value is shown in a sentence."""
    return exact if numbers == "exact" else short(parse_number(exact), numbers)


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def abbreviated(digits: str) -> str:
    return digits if digits.startswith("~") else f"{digits[:12]}… ({len(digits):,} digits)"
