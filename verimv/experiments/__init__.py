"""The paper's networks and the benchmarks, by name."""

from __future__ import annotations

from collections.abc import Callable

from verimv.experiments.bench_bounds import bench_bounds
from verimv.experiments.bench_equivalence import bench_equivalence
from verimv.experiments.bench_extract import bench_extract
from verimv.experiments.benchmark import Benchmark
from verimv.extract.step3_compose import Progress

__all__ = ["BENCHMARKS"]

BENCHMARKS: dict[str, Callable[[Progress], Benchmark]] = {
    "extract": bench_extract,
    "equivalence": bench_equivalence,
    "bounds": bench_bounds,
}
