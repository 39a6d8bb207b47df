"""The result of a command, and what to do if it is undecided."""

from __future__ import annotations

import argparse
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any


@dataclass(frozen=True)
class Case:
    """One question of a command, for JUnit: its subject, its outcome, and its time if it was measured."""

    name: str
    exit_code: int
    text: str
    seconds: float | None = None


@dataclass(frozen=True)
class Result:
    """The answer of a command, as a JSON object and as text."""

    data: Mapping[str, Any]
    text: str
    exit_code: int = 0
    #: if a command decides several questions
    cases: Sequence[Case] = ()


#: The exit code of undecided questions, and how many times as much effort is proposed then.
_UNDECIDED, _MORE = 3, 4


def advised(result: Result, arguments: argparse.Namespace) -> Result:
    """Add to an undecided result which effort may decide it, unless the time was limited or no method is left."""
    effort = getattr(arguments, "effort", None)
    is_limited = arguments.timeout is not None or result.data.get("ended_by") == "methods"
    if result.exit_code != _UNDECIDED or effort is None or is_limited:
        return result
    return replace(result, text=f"{result.text}\nmore effort may decide it: --effort {_MORE * effort:g}")
