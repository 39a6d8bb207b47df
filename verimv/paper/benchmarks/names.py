"""The benchmarks by name; each is loaded when it is run."""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from verimv.core.progress import Progress
    from verimv.paper.benchmarks.benchmark import Benchmark

__all__ = ["BENCHMARKS", "FOLDER_BENCHMARKS", "run_benchmark"]

#: Each is the function `run` of the module bench_NAME.
BENCHMARKS = ("start", "extract", "prove", "bounds", "certificates", "kernel", "compact", "simplify", "growth")
#: Benchmarks over a folder of the user's; None is where this project's own trials have theirs.
FOLDER_BENCHMARKS = ("nets",)


def run_benchmark(name: str, progress: Progress, folder: str | None = None) -> Benchmark:
    run = importlib.import_module(f"verimv.paper.benchmarks.bench_{name}").run
    benchmark: Benchmark = run(progress, folder) if name in FOLDER_BENCHMARKS else run(progress)
    return benchmark
