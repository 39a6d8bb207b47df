"""kernel.py and both builds of the verified kernel on the same files, each in its own process: time, memory, growth."""

from __future__ import annotations

import sys
import tempfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from verimv import kernel
from verimv.certificate.from_extraction import extract
from verimv.core.errors import InternalError
from verimv.core.files import write_directory
from verimv.core.progress import Progress
from verimv.kernels.portable import portable_command
from verimv.kernels.verified import native_program
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


#: The kernels, in the order of the columns.
_KERNELS = ("kernel.py", "native", "portable")


@dataclass(frozen=True)
class _Checked:
    """A certificate checked by every kernel that is at hand."""

    name: str
    nodes: int
    lines: int
    measured: Mapping[str, Measured]

    @property
    def cells(self) -> tuple[str, ...]:
        found = [self.measured.get(kernel) for kernel in _KERNELS]
        seconds = ("–" if one is None else f"{one.seconds:.2f}" for one in found)
        peaks = ("–" if one is None else f"{one.peak / 1e6:,.0f}" for one in found)
        return (self.name, f"{self.nodes:,}", f"{self.lines:,}", *seconds, *peaks)


_HEADER = ("network", "nodes", "lines", *(f"{name} s" for name in _KERNELS), *(f"{name} MB" for name in _KERNELS))


def run(progress: Progress) -> Benchmark:
    paper = {"strategy": "paper", "bounds": "interval"}
    grown = [BenchmarkCase(f"σ({m}x − {m // 2})", single_unit([m], -(m // 2)), paper) for m in GROWTH]
    checked = list(_checked(grown, progress))
    told = [f"{name} like nodes^{_exponent(checked, name)}" for name in _KERNELS]
    title = f"growth of the time: {', '.join(told)} (the verified kernel: native, portable)"
    others = [exact_roots(), *_networks(), *real_networks(), _wide()]
    return Benchmark(
        [
            Table(title, _HEADER, [c.cells for c in checked]),
            Table("other certificates", _HEADER, [c.cells for c in _checked(others, progress)]),
        ]
    )


def _exponent(checked: Sequence[_Checked], kernel: str) -> str:
    found = [c.measured[kernel].seconds for c in checked if kernel in c.measured]
    return growth([c.nodes for c in checked], found) if len(found) == len(checked) else "–"


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
        progress("certificates checked by all kernels", number, len(cases))
        extraction = extract(case.network, **case.options)
        with tempfile.TemporaryDirectory() as directory:
            place = Path(directory) / "out"
            write_directory(place, extraction.certificate.files())
            found = {name: _timed([*command, str(place)]) for name, command in _commands().items()}
        yield _Checked(case.name, extraction.measures.size, len(extraction.certificate.body), found)


def _commands() -> dict[str, list[str]]:
    """Return the programs that are at hand."""
    native, portable = native_program(), portable_command()
    commands = {"kernel.py": [sys.executable, "-I", "-S", kernel.__file__]}
    commands |= {} if native is None else {"native": [native]}
    return commands | ({} if portable is None else {"portable": portable})


def _timed(command: Sequence[str]) -> Measured:
    best = measured(command, TIMEOUT)
    for _ in range(_REPEATED - 1 if best.seconds < _SHORT else 0):
        best = min(best, measured(command, TIMEOUT), key=lambda found: found.seconds)
    if best.code != 0:
        raise InternalError(f"{Path(command[0]).name} refuses a certificate of the benchmark: {best.stdout}")
    return best
