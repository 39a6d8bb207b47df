"""The result of a command."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
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
