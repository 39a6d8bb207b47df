"""The paper's networks and the benchmarks, by name."""

from __future__ import annotations

from collections.abc import Callable

from verimv.experiments.bench_extract import Benchmark, bench_extract
from verimv.extract.step3_compose import Progress

__all__ = ["BENCHMARKS"]

BENCHMARKS: dict[str, Callable[[Progress], Benchmark]] = {"extract": bench_extract}
