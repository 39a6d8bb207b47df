"""Are the same bytes written alone, on a busy machine, by two workers, and on one core?"""

from __future__ import annotations

import hashlib
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from pathlib import Path

from verimv import kernel
from verimv.core.progress import Progress
from verimv.core.workers import cores
from verimv.networks.formats.json_format import write_network
from verimv.paper.benchmarks.benchmark import Table
from verimv.paper.benchmarks.benchmark_networks import nets_folder
from verimv.paper.experiments.families import random_network

#: Bytes of a file; larger ones are left out.
MAX_BYTES = 2_000_000
#: Seconds for one extraction.
TIMEOUT = 600.0
_FORMATS = (".onnx", ".nnet")
#: Widths of random networks, which need no folder.
RANDOM = ((2, 8, 8, 1), (3, 12, 6, 1), (5, 20, 20, 1))
_FILES = ("network.json", "formula.mv", *kernel.CERTIFICATE_FILES)
_BUSY = "while True: pass"


def same_bytes(progress: Progress) -> Table:
    """Extract each network four times; one that is refused has to be refused four times."""
    rows = []
    with tempfile.TemporaryDirectory() as directory:
        paths = list(_networks(Path(directory)))
        for number, path in enumerate(paths):
            progress("extracting four times", number, len(paths))
            found = [_extracted(path), _beside_busy_loops(path), _extracted(path, "--workers", "2"), _on_one_core(path)]
            rows.append((path.name, found[0], "yes" if len(set(found)) == 1 else "NO"))
    title = "extracted alone, beside busy loops, with --workers 2, on one core (where there is taskset)"
    return Table(title, ("network", "hash", "the same bytes"), rows)


def _networks(directory: Path) -> Iterator[Path]:
    for widths in RANDOM:
        path = directory / f"random-{'-'.join(map(str, widths))}.json"
        path.write_text("".join(write_network(random_network(widths, 0))), encoding="utf-8")
        yield path
    files = sorted(path for path in nets_folder().rglob("*") if path.suffix in _FORMATS)
    yield from (path for path in files if path.stat().st_size < MAX_BYTES)


def _extracted(path: Path, *options: str, prefix: Sequence[str] = ()) -> str:
    """Return a hash of the files written, or the exit code if there are none."""
    with tempfile.TemporaryDirectory() as directory:
        out = Path(directory) / "out"
        command = [*prefix, sys.executable, "-m", "verimv", "extract", str(path), "-o", str(out), "--scale-output"]
        try:
            done = subprocess.run([*command, "--quiet", *options], capture_output=True, timeout=TIMEOUT, check=False)
        except subprocess.TimeoutExpired:
            return f"no result in {TIMEOUT:g} s"
        if done.returncode:
            return f"refused, exit code {done.returncode}"
        written = [(out / name).read_bytes() for name in _FILES if (out / name).exists()]
        return hashlib.sha256(b"\0".join(written)).hexdigest()[:12]


def _beside_busy_loops(path: Path) -> str:
    with ExitStack() as stack:
        for _ in range(max(2, cores())):
            stack.enter_context(_busy())
        return _extracted(path)


@contextmanager
def _busy() -> Iterator[None]:
    process = subprocess.Popen([sys.executable, "-c", _BUSY])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def _on_one_core(path: Path) -> str:
    taskset = shutil.which("taskset")
    return _extracted(path, prefix=[taskset, "-c", "0"] if taskset else [])
