"""Load and run a benchmark; its result: tables, as text and as data."""

from __future__ import annotations

import importlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from verimv.core.choices import FOLDER_BENCHMARKS, QUICK_BENCHMARKS
from verimv.core.progress import Progress


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


def run_benchmark(
    name: str, progress: Progress, folder: str | None, quick: bool = False, own: Mapping[str, Any] | None = None
) -> Benchmark:
    """Load and run a benchmark; `quick` is for those that have a short run, `own` are options that no other has."""
    measure = importlib.import_module(f"verimv.paper.benchmarks.bench_{name}").run
    options: list[Any] = [folder] if name in FOLDER_BENCHMARKS else [quick] if name in QUICK_BENCHMARKS else []
    benchmark: Benchmark = measure(progress, *options, **(own or {}))
    return benchmark
