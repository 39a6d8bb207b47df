"""Answers that can be written as JSON."""

from __future__ import annotations

import json
import os
from abc import ABC, abstractmethod
from typing import Any

from verimv.core.files import write_file


class Recorded(ABC):
    """An answer with exact numbers as text."""

    @abstractmethod
    def to_dict(self) -> dict[str, Any]:
        """Return what the command with --json prints."""

    def to_json(self) -> str:
        """Return :meth:`to_dict` as JSON."""
        return json.dumps(self.to_dict(), ensure_ascii=False, indent=1)

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write :meth:`to_json` to a file."""
        write_file(path, [f"{self.to_json()}\n"])
