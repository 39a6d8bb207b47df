"""The result of a benchmark: tables, as text and as data."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class Table:
    title: str
    header: tuple[str, ...]
    rows: Sequence[tuple[str, ...]]


@dataclass(frozen=True)
class Benchmark:
    tables: list[Table]

    def data(self) -> list[dict[str, Any]]:
        return [
            {"title": table.title, "rows": [dict(zip(table.header, row, strict=True)) for row in table.rows]}
            for table in self.tables
        ]
