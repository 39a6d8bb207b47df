"""Networks of a folder, end to end: read, extracted with scaled outputs, written, checked by the kernel alone.

Each network has processes of its own, for time and peak memory. If onnxruntime is installed, the exact network is
compared with its floats at random points of the box.
"""

from __future__ import annotations

import json
import os
import random
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np

from verimv import kernel
from verimv.core.choices import NETWORK_SUFFIXES
from verimv.core.errors import InputError
from verimv.core.progress import Progress
from verimv.exact import Number, Rational, as_number
from verimv.networks.formats.load import load
from verimv.networks.network import Network
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.benchmarks.benchmark_networks import boxed
from verimv.paper.benchmarks.measured import measured

#: The folder beside a checkout.
DEFAULT_FOLDER = Path(__file__).parents[4] / "shared" / "nets"
TIMEOUT = 600.0
_POINTS = 20

_HEADER = (
    "file", "ReLUs", "weights", "extract s", "extract CPU", "nodes", "certificate KB", "check s", "check CPU",
    "peak MB", "float gap", "result",
)  # fmt: skip


def run(progress: Progress, folder: str | os.PathLike[str] | None = None, timeout: float = TIMEOUT) -> Benchmark:
    place = Path(folder) if folder is not None else DEFAULT_FOLDER
    if not place.is_dir():
        raise InputError("no such folder: give another with verimv bench nets FOLDER", source=str(place))
    paths = sorted(path for path in place.rglob("*") if path.suffix in NETWORK_SUFFIXES and path.is_file())
    if not paths:
        raise InputError(f"no networks ({', '.join(NETWORK_SUFFIXES)}) in this folder", source=str(place))
    rows = []
    for number, path in enumerate(paths):
        progress("networks", number, len(paths))
        rows.append((str(path.relative_to(place)), *_row(path, timeout)))
    title = "networks of a folder: compact strategy, outputs scaled; each step in a process of its own"
    return Benchmark([Table(title, _HEADER, rows)])


def _row(path: Path, timeout: float) -> tuple[str, ...]:
    box = next(iter(_properties(path)), None)
    with tempfile.TemporaryDirectory() as directory:
        target = Path(directory) / "out"
        command = [sys.executable, "-m", "verimv", "extract", str(path), "-o", str(target), "--json", "--no-check"]
        command += ["--strategy", "compact", "--scale-output", "--timeout", str(timeout)]
        extracted = measured([*command, "--box", str(box)] if box else command, timeout + 30)
        answer = _answer(extracted.stdout)
        if extracted.code != 0:
            return ("–",) * (len(_HEADER) - 2) + (str(answer.get("reason", "no answer in time")),)
        checked = measured([sys.executable, "-I", "-S", kernel.__file__, str(target)], timeout)
        network = load(path)
        if box:
            network = boxed(network, box)
        return (
            f"{sum(len(layer.rows) for layer in network.layers if layer.activation != 'identity'):,}",
            f"{sum(len(row.terms) for layer in network.layers for row in layer.rows):,}",
            f"{extracted.seconds:.1f}",
            f"{extracted.cpu:.1f}",
            f"{answer['size']:,}",
            f"{sum(file.stat().st_size for file in target.glob('certificate.*')) / 1000:,.0f}",
            f"{checked.seconds:.1f}",
            f"{checked.cpu:.1f}",
            f"{max(extracted.peak, checked.peak) / 1e6:,.0f}",
            _gap(path, network),
            "certified" if checked.code == 0 else f"not certified: {checked.stdout.strip()[:100]}",
        )


def _answer(stdout: str) -> dict[str, Any]:
    try:
        answer = json.loads(stdout)
    except ValueError:
        return {}
    return answer if isinstance(answer, dict) else {}


def _properties(path: Path) -> Iterator[Path]:
    """Yield VNN-LIB files with the network's name, alone or before two underscores."""
    for candidate in sorted(path.parent.glob("*.vnnlib")):
        if candidate.stem == path.stem or candidate.name.startswith(f"{path.stem}__"):
            yield candidate


def _gap(path: Path, network: Network) -> str:
    """Return the largest |float − exact| found, relative to the largest exact output if that is above 1."""
    if path.suffix != ".onnx":
        return "–"
    from verimv.networks.formats.onnx_format.runtime import RuntimeModel  # onnx takes a while to import

    try:
        floats = RuntimeModel(path)
    except InputError:
        return "–"
    source = random.Random(0)
    gap, largest = 0.0, 1.0
    work = 1 + sum(len(row.terms) for layer in network.layers for row in layer.rows)
    for _ in range(max(2, min(_POINTS, 1_000_000 // work))):
        point = [_float_between(low, high, source) for low, high in network.box]
        found = floats.at(point)
        exact = network.at([as_number(x) for x in point])
        gap = max(gap, *(abs(float(a) - float(b)) for a, b in zip(exact, found, strict=True)))
        largest = max(largest, *(abs(float(a)) for a in exact))
    return f"{gap / largest:.1e}"


def _float_between(low: Number, high: Number, source: random.Random) -> float:
    """Return a float32 of the box, or the nearest one if the box has none."""
    share = Rational(source.randint(0, 1 << 20), 1 << 20)
    return float(np.float32(float(low + (high - low) * share)))
