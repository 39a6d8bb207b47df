"""How time and memory of extract and check grow with the number of weights, over three decades.

Each measurement has a process of its own. It counts CPU seconds, which do not depend on other programs, and memory
beyond what it had before. Bounds are by intervals: better ones have a budget of work, which would make growth look
smaller than it is.
"""

from __future__ import annotations

import math
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from verimv import kernel
from verimv.certificate.from_extraction import extract
from verimv.core.errors import InternalError
from verimv.core.files import Replaceable, write_directory
from verimv.core.progress import Progress
from verimv.networks.formats.load import load
from verimv.networks.formats.onnx_format.model_writer import export_onnx
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.benchmarks.measured import peak_memory, resident_memory
from verimv.paper.experiments.families import random_network

#: Networks n-n-n-1: from 171 to 180,300 weights.
WIDTHS = (9, 30, 95, 300)
#: Upper limit of the exponents.
LIMIT = 1.15
#: Short work is repeated until it has taken this many seconds; its best time counts.
_LONG_ENOUGH = 1.0

_HEADER = ("weights", "extract CPU s", "extract MB", "check CPU s", "check MB")
_CHILD = "import sys; from verimv.paper.benchmarks.bench_growth import child; child(*sys.argv[1:])"


def run(progress: Progress) -> Benchmark:
    weights: list[int] = []
    measured: list[list[float]] = []
    with tempfile.TemporaryDirectory() as directory:
        for number, width in enumerate(WIDTHS):
            progress("growing networks", number, len(WIDTHS))
            network = random_network((width, width, width, 1), 1)
            model, target = Path(directory) / f"{width}.onnx", Path(directory) / str(width)
            model.write_bytes(export_onnx(network).data)
            weights.append(sum(len(row.terms) for layer in network.layers for row in layer.rows))
            measured.append([*_measured("extract", model, target), *_measured("check", model, target)])
    columns = list(zip(*measured, strict=True))
    exponents = [exponent(weights, column) for column in columns]
    rows = [
        (f"{count:,}", *(f"{value:.3f}" if value < 1 else f"{value:.1f}" for value in values))
        for count, values in zip(weights, measured, strict=True)
    ]
    rows.append(("exponent", *(f"{found:.2f}" for found in exponents)))
    verdict = "all" if max(exponents) <= LIMIT else "NOT all"
    title = f"networks n-n-n-1 by intervals: cost ~ weights^exponent, {verdict} at most {LIMIT}"
    return Benchmark([Table(title, _HEADER, rows)])


def exponent(sizes: Sequence[float], costs: Sequence[float]) -> float:
    """Return the slope of the least-squares line on logarithmic axes."""
    points = [(math.log(size), math.log(cost)) for size, cost in zip(sizes, costs, strict=True)]
    x0, y0 = (sum(values) / len(points) for values in zip(*points, strict=True))
    slope: float = sum((x - x0) * (y - y0) for x, y in points) / sum((x - x0) ** 2 for x, _ in points)
    return slope


def _measured(work: str, model: Path, target: Path) -> tuple[float, float]:
    """Return seconds and megabytes."""
    command = [sys.executable, "-c", _CHILD, work, str(model), str(target)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode != 0:
        raise InternalError(f"{work} fails in the benchmark: {done.stderr.strip()[-200:]}")
    seconds, size = map(float, done.stdout.split())
    return seconds, size / 1e6


def child(work: str, model: str, target: str) -> None:
    """Do the work in the process that is measured."""
    load(model)  # so that imports are not counted
    job = {"extract": _extract, "check": _check}[work]
    ballast = _ballast()
    resident = resident_memory()
    seconds = _cpu_seconds(job, model, target)
    size = max(peak_memory() - resident, 1)
    del ballast
    spent = seconds
    while spent < _LONG_ENOUGH:
        again = _cpu_seconds(job, model, target)
        spent += again
        seconds = min(seconds, again)
    sys.stdout.write(f"{seconds} {size}\n")


def _ballast() -> list[bytes]:
    """Fill the memory that Python keeps from earlier work: small networks would fit there and seem to take none."""
    return [bytes(size) for size in range(1, 1000, 8) for _ in range(300)]


def _check(model: str, target: str) -> None:
    kernel.check(target, dict.fromkeys(kernel.FILES))


def _extract(model: str, target: str) -> None:
    """Do what `verimv extract MODEL -o TARGET --no-check` does."""
    extraction = extract(load(model), bounds="interval")
    names = [path.name for path in Path(target).glob("*")]
    write_directory(target, extraction.certificate.files(), Replaceable(names, force=True))


def _cpu_seconds(job: Callable[[str, str], None], model: str, target: str) -> float:
    start = time.process_time()
    job(model, target)
    return time.process_time() - start
