"""The Python kernel and the verified one on the same files, each in a process of its own: time, memory, growth."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from verimv import kernel
from verimv.certificate.from_extraction import extract
from verimv.core.errors import InputError, InternalError
from verimv.core.files import write_directory
from verimv.core.progress import Progress
from verimv.kernels.verified import find_verified
from verimv.paper.benchmarks.bench_extract import growth
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.benchmarks.benchmark_networks import BenchmarkCase, exact_roots, real_networks
from verimv.paper.benchmarks.measured import Measured, measured
from verimv.paper.experiments.families import deep_sawtooth, random_network, single_unit

TIMEOUT = 600.0
#: Slopes m: σ(mx − m/2) has about m²/2 nodes by the paper's recursion, here 10⁴, 10⁵, 10⁶.
GROWTH = (150, 470, 1500)
#: Widths of the largest network.
WIDE = (784, *[256] * 6, 10)
#: Shorter checks are run several times; the best counts.
_SHORT, _REPEATED = 1.0, 3


@dataclass(frozen=True)
class _Checked:
    """A certificate checked by both kernels, or by one if the verified kernel is not built."""

    name: str
    nodes: int
    lines: int
    python: Measured
    verified: Measured | None

    @property
    def cells(self) -> tuple[str, ...]:
        cells = (self.name, f"{self.nodes:,}", f"{self.lines:,}", f"{self.python.seconds:.2f}")
        if self.verified is None:
            return (*cells, "–", "–", f"{self.python.peak / 1e6:,.0f}", "–")
        ratio = self.python.seconds / self.verified.seconds
        peaks = (f"{found.peak / 1e6:,.0f}" for found in (self.python, self.verified))
        return (*cells, f"{self.verified.seconds:.2f}", f"{ratio:.1f}", *peaks)


_HEADER = (
    "network", "nodes", "lines", "Python s", "verified s", "Python / verified", "Python MB", "verified MB",
)  # fmt: skip


def run(progress: Progress) -> Benchmark:
    paper = {"strategy": "paper", "bounds": "interval"}
    grown = [BenchmarkCase(f"σ({m}x − {m // 2})", single_unit([m], -(m // 2)), paper) for m in GROWTH]
    checked = list(_checked(grown, progress))
    exponents = [_exponent(checked, [c.python for c in checked]), _exponent(checked, [c.verified for c in checked])]
    title = "growth: time of the Python kernel like nodes^{}, of the verified one like nodes^{}".format(*exponents)
    others = [exact_roots(), *_networks(), *real_networks(), _wide()]
    return Benchmark(
        [
            Table(title, _HEADER, [c.cells for c in checked]),
            Table("other certificates", _HEADER, [c.cells for c in _checked(others, progress)]),
        ]
    )


def _exponent(checked: Sequence[_Checked], found: Sequence[Measured | None]) -> str:
    seconds = [m.seconds for m in found if m is not None]
    return growth([c.nodes for c in checked], seconds) if len(seconds) == len(checked) else "–"


def _networks() -> Iterator[BenchmarkCase]:
    interval = {"bounds": "interval"}
    yield BenchmarkCase("deep g_100, paper", deep_sawtooth(100), {"strategy": "paper"})
    yield BenchmarkCase("2-8-8-1 integer, exact bounds", random_network((2, 8, 8, 1), 2, "integer"), {})
    yield BenchmarkCase(
        "5-20-20-1 float32, paper", random_network((5, 20, 20, 1), 1), {**interval, "strategy": "paper"}
    )
    yield BenchmarkCase("5-50-50-50-1 float32", random_network((5, 50, 50, 50, 1), 1), interval)


def _wide() -> BenchmarkCase:
    """Return a wide and deep network, whose formula has about a million nodes."""
    options = {"bounds": "interval", "scale_output": True, "output": 0}
    return BenchmarkCase(f"{'-'.join(map(str, WIDE))} float32", random_network(WIDE, 1), options)


def _checked(cases: Sequence[BenchmarkCase], progress: Progress) -> Iterator[_Checked]:
    for number, case in enumerate(cases):
        progress("certificates checked by two kernels", number, len(cases))
        extraction = extract(case.network, **case.options)
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory) / "out"
            write_directory(place, extraction.certificate.files())
            python = _timed([sys.executable, "-I", "-S", kernel.__file__, str(place)])
            program = _program()
            verified = None if program is None else _timed([program, str(place)])
        yield _Checked(case.name, extraction.measures.size, len(extraction.certificate.body), python, verified)


def _program() -> str | None:
    try:
        return find_verified()
    except InputError:
        return None


def _timed(command: Sequence[str]) -> Measured:
    best = measured(command, TIMEOUT)
    for _ in range(_REPEATED - 1 if best.seconds < _SHORT else 0):
        best = min(best, measured(command, TIMEOUT), key=lambda found: found.seconds)
    if best.code != 0:
        raise InternalError(f"{Path(command[0]).name} refuses a certificate of the benchmark: {best.stdout}")
    return best
