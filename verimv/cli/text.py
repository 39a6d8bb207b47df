"""Results as text: styles of formulas, counts, long numbers."""

from __future__ import annotations

import sys

from verimv.formulas.printing import ASCII, UNICODE, Style


def console_style() -> Style:
    """Return Unicode if stdout can show it, otherwise ASCII."""
    try:
        "⊕⊙¬Δδ·→".encode(getattr(sys.stdout, "encoding", None) or "ascii")
    except UnicodeEncodeError:
        return ASCII
    return UNICODE


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def abbreviated(digits: str) -> str:
    return digits if digits.startswith("~") else f"{digits[:12]}… ({len(digits):,} digits)"
