"""The paper's networks and the benchmarks, by name."""

from __future__ import annotations

from collections.abc import Callable

from verimv.experiments import (
    bench_bounds,
    bench_certificates,
    bench_compact,
    bench_equivalence,
    bench_extract,
    bench_kernel,
    bench_nets,
    bench_simplify,
)
from verimv.experiments.benchmark import Benchmark
from verimv.extract.step3_compose import Progress

__all__ = ["BENCHMARKS", "FOLDER_BENCHMARKS"]

BENCHMARKS: dict[str, Callable[[Progress], Benchmark]] = {
    "extract": bench_extract.run,
    "equivalence": bench_equivalence.run,
    "bounds": bench_bounds.run,
    "certificates": bench_certificates.run,
    "kernel": bench_kernel.run,
    "compact": bench_compact.run,
    "simplify": bench_simplify.run,
}

#: Benchmarks over a folder of the user's; None is where this project's own trials have theirs.
FOLDER_BENCHMARKS: dict[str, Callable[[Progress, str | None], Benchmark]] = {"nets": bench_nets.run}
