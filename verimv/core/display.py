"""Display in notebooks: small tables of escaped text, truncated where they are long."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from html import escape

#: Rows shown of a table, and lines shown of a formula.
MAX_ROWS = 16
#: Characters of a cell.
MAX_CELL = 300


def cut(text: str, limit: int = MAX_CELL) -> str:
    return text if len(text) <= limit else text[: limit - 1] + "…"


class Headed(ABC):
    """An object whose representation is one line, however large it is."""

    @abstractmethod
    def _headline(self) -> str: ...

    def __repr__(self) -> str:
        return f"<{type(self).__name__} {self._headline()}>"


def html_table(title: str, rows: Sequence[Sequence[str]]) -> str:
    """Return a heading and rows of cells; the first cell of a row is a label. All is escaped; formulas are not cut."""
    left_out = len(rows) - MAX_ROWS
    body = "".join(map(_row, rows[:MAX_ROWS])) + (_row([f"… and {left_out:,} more"]) if left_out > 0 else "")
    return f"<div><strong>{escape(cut(title))}</strong><table>{body}</table></div>"


def _row(cells: Sequence[str]) -> str:
    label, *rest = (escape(cell if cell.startswith("$") else cut(cell)) for cell in cells)
    return f'<tr><th style="text-align:left">{label}</th>' + "".join(f"<td>{cell}</td>" for cell in rest) + "</tr>"
