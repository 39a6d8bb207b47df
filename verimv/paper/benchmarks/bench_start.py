"""How long verimv takes to start, compared with Python itself."""

from __future__ import annotations

import subprocess
import sys
import time
from typing import TYPE_CHECKING

from verimv.paper.benchmarks.benchmark import Benchmark, Table

if TYPE_CHECKING:
    from verimv.core.progress import Progress

#: Runs of which the best counts: other programs only add time.
REPEATS = 10

#: Names and arguments of the runs.
CASES = (
    ("nothing", ("-c", "pass")),
    ("import verimv", ("-c", "import verimv")),
    ("verimv --help", ("-m", "verimv", "--help")),
    ("verimv check --help", ("-m", "verimv", "check", "--help")),
    ("verimv eval x --at x=1", ("-m", "verimv", "eval", "x", "--at", "x=1")),
    ("verimv valid 1", ("-m", "verimv", "valid", "1")),
    ("import numpy", ("-c", "import numpy")),
    ("import z3", ("-c", "import z3")),
)


def run(progress: Progress) -> Benchmark:
    best = dict.fromkeys((name for name, _ in CASES), float("inf"))
    for number in range(REPEATS):  # in turn, so that a busy moment affects all
        progress("starting", number, REPEATS)
        for name, words in CASES:
            best[name] = min(best[name], _seconds(words))
    rows = [(name, f"{seconds:.3f}", f"{seconds / best['nothing']:.1f}") for name, seconds in best.items()]
    return Benchmark([Table(f"starting (best of {REPEATS})", ("what", "seconds", "/ python -c pass"), rows)])


def _seconds(words: tuple[str, ...]) -> float:
    start = time.perf_counter()
    subprocess.run([sys.executable, *words], check=True, stdout=subprocess.DEVNULL)
    return time.perf_counter() - start
