"""What a command answers."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Result:
    """The answer twice: as one JSON object, and as text."""

    data: Mapping[str, Any]
    text: str
    exit_code: int = 0
