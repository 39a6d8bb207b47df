"""What a command answers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Case:
    """One of the questions of a command, for JUnit: what it was about, and how it ended."""

    name: str
    exit_code: int
    text: str


@dataclass(frozen=True)
class Result:
    """The answer twice: as one JSON object, and as text."""

    data: Mapping[str, Any]
    text: str
    exit_code: int = 0
    #: where a command has decided several questions
    cases: Sequence[Case] = ()
