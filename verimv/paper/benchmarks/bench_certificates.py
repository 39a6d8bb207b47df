"""The cost of checking certificates, compared with extraction and with solvers, and its growth."""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verimv import kernel
from verimv.certificate.from_extraction import CertifiedExtraction, extract
from verimv.core.errors import InternalError
from verimv.core.files import write_directory
from verimv.core.progress import Progress
from verimv.networks.network import Network
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.experiments.families import deep_sawtooth, random_network, single_unit
from verimv.solvers.point_search import Search

PROVING_SECONDS = 60.0
_GROWTH = (47, 150, 470, 1500)
#: Certificates with fewer nodes are checked several times: Python takes longer to start than to check them.
_SMALL, _REPEATED = 50_000, 7
#: On a busy machine the difference to the start of Python may be negative: this is the least.
_LEAST = 1e-4
#: Runs the kernel, then prints its peak memory (of this process alone, not of the one that started it).
_CHILD = """
import runpy, sys
sys.argv = sys.argv[1:]
try:
    runpy.run_path(sys.argv[0], run_name="__main__")
finally:
    lines = open("/proc/self/status").read().splitlines()
    sys.stderr.write(next(line.split()[1] for line in lines if line.startswith("VmHWM")))
"""


def run(progress: Progress) -> Benchmark:
    return Benchmark([_against_alternatives(progress), _growth(progress)])


def _against_alternatives(progress: Progress) -> Table:
    paper = {"strategy": "paper"}
    cases: list[tuple[str, Network, dict[str, Any]]] = [
        ("deep g_100", deep_sawtooth(100), paper),
        ("σ(300x−100)", single_unit([300], -100), paper),
        ("2-8-8-1 integer, exact bounds", random_network((2, 8, 8, 1), 2, "integer"), paper),
        ("3-8-8-1 integer, intervals", random_network((3, 8, 8, 1), 1, "integer"), {"bounds": "interval"} | paper),
        ("5-20-20-1 float32, intervals", random_network((5, 20, 20, 1), 1), {"bounds": "interval"} | paper),
        (
            "5-50-50-50-1 float32, compact",
            random_network((5, 50, 50, 50, 1), 1),
            {"bounds": "interval", "strategy": "compact"},
        ),
    ]
    rows = []
    for number, (name, network, options) in enumerate(cases):
        progress("extracting, checking, proving", number, len(cases))
        extraction, extracting = _extracted(network, options)
        checking = _timed(lambda extraction=extraction: extraction.certificate.check(kernel="python"))
        proving = _timed(lambda extraction=extraction: _prove(extraction))
        written = sum(map(len, extraction.certificate.body))
        rows.append(
            (
                name,
                f"{extraction.measures.size:,}",
                f"{extraction.derivation.claims:,}",
                f"{written / extraction.measures.size:.1f}",
                f"{checking / extracting:.2f}",
                f"{proving / checking:.1f}",
            )
        )
    header = ("network", "nodes", "claims", "bytes / node", "check / extract", "z3 / check")
    title = "checking a certificate, against extracting (files included) and against proving its obligations with z3"
    return Table(title, header, rows)


def _prove(extraction: CertifiedExtraction) -> None:
    if not extraction.certificate.prove(Search(seconds=PROVING_SECONDS)).proved:
        raise InternalError("z3 does not prove a certificate of the benchmark")


def _extracted(network: Network, options: dict[str, Any]) -> tuple[CertifiedExtraction, float]:
    start = time.perf_counter()
    extraction = extract(network, **options)
    for pieces in extraction.certificate.files().values():
        for _ in pieces:
            pass
    return extraction, time.perf_counter() - start


def _timed(work: Any) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


def _growth(progress: Progress) -> Table:
    """Run the kernel in a process of its own on σ(mx − m/2), whose table has about m²/2 entries."""
    measured: list[tuple[int, float, float, int]] = []
    with tempfile.TemporaryDirectory() as directory:
        for number, m in enumerate(_GROWTH):
            progress("checking formulas that grow", number, len(_GROWTH))
            extraction = extract(single_unit([m], -(m // 2)), bounds="interval", strategy="paper")
            place = Path(directory) / str(m)
            write_directory(place, extraction.certificate.files())
            seconds, memory = _alone(place, _REPEATED if extraction.measures.size < _SMALL else 1)
            measured.append((extraction.measures.size, seconds, memory, _size(place)))
    exponent = _slope([(nodes, seconds) for nodes, seconds, _, _ in measured])
    rows = [
        (f"{nodes:,}", f"{seconds / nodes * 1e6:.1f}", f"{memory / nodes:,.0f}", f"{size / nodes:.1f}")
        for nodes, seconds, memory, size in measured
    ]
    title = f"growth of the kernel's check, in a process of its own: time grows like nodes^{exponent:.2f}"
    return Table(title, ("nodes", "µs / node", "bytes of memory / node", "bytes on disk / node (gzipped)"), rows)


def _alone(directory: Path, times: int) -> tuple[float, float]:
    """Return seconds (of the best run) and peak bytes of the kernel, less those of Python itself."""
    idle = min(_child("--help") for _ in range(_REPEATED))
    checked = min(_child(str(directory)) for _ in range(times))
    return max(checked[0] - idle[0], _LEAST), checked[1] - idle[1]


def _child(argument: str) -> tuple[float, float]:
    start = time.perf_counter()
    command = [sys.executable, "-I", "-S", "-c", _CHILD, kernel.__file__, argument]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    seconds = time.perf_counter() - start
    if done.returncode != 0:
        raise InternalError(f"the kernel refuses a certificate of the benchmark: {done.stdout}")
    return seconds, float(done.stderr) * 1024


def _size(directory: Path) -> int:
    return sum(path.stat().st_size for path in directory.glob("certificate.*"))


def _slope(points: Sequence[tuple[float, float]]) -> float:
    """Return the slope of the line through the first and the last point, on logarithmic axes."""
    (x, y), (u, v) = points[0], points[-1]
    return math.log(v / y) / math.log(u / x)
