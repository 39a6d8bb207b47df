"""Trace the main commands: how many functions, files and changes of package a reader follows.

    python docs/design/trace.py

Functions of verimv are listed in the order of their first call; a change of package is counted where two neighbours of
this list live in different packages. Most changes lead to the vocabulary that everything uses (numbers, formulas,
networks, files) and back, so they are counted without these packages, too. What runs in another process (a solver) is
not seen.
"""

from __future__ import annotations

import contextlib
import io
import sys
import tempfile
from collections.abc import Callable
from itertools import pairwise
from pathlib import Path
from types import FrameType
from typing import Any

import verimv
from verimv.cli import main

PACKAGE = Path(verimv.__file__).parent
ROOT = PACKAGE.parent
#: Packages whose functions are used everywhere, like words.
VOCABULARY = {"core", "exact", "formulas", "networks"}


def traced(work: Callable[[], Any]) -> tuple[int, int, int, int]:
    """Return how many functions, files, changes of package, and changes without vocabulary `work` goes through."""
    first_calls: dict[tuple[str, str], str] = {}

    def seen(frame: FrameType, event: str, argument: Any) -> None:
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)) and not code.co_name.startswith("<"):
            path = Path(code.co_filename).relative_to(PACKAGE)
            first_calls.setdefault((str(path), code.co_qualname), path.parts[0])

    with contextlib.redirect_stdout(io.StringIO()):
        work()  # once before, so that imports are not part of it
        sys.setprofile(seen)
        try:
            work()
        finally:
            sys.setprofile(None)
    packages = list(first_calls.values())
    others = [package for package in packages if package not in VOCABULARY]
    files = {path for path, _ in first_calls}
    return len(first_calls), len(files), _changes(packages), _changes(others)


def _changes(packages: list[str]) -> int:
    return sum(a != b for a, b in pairwise(packages))


def command(*words: str) -> Callable[[], Any]:
    return lambda: main([*words, "--quiet"])


if __name__ == "__main__":
    networks = ROOT / "examples" / "networks"
    with tempfile.TemporaryDirectory() as folder:
        out = f"{folder}/out"
        main(["extract", str(networks / "three_inputs.json"), "-o", out, "--quiet", "--json"])
        commands = {
            "extract": command("extract", str(networks / "three_inputs.json"), "-o", out, "--force", "--no-report"),
            "equiv": command("equiv", str(networks / "three_inputs.json"), f"{out}/formula.mv"),
            "bounds": command("bounds", str(networks / "three_inputs.json"), "--method", "exact"),
            "check": command("check", out),
            "ONNX": lambda: verimv.load(networks / "iris.onnx"),
        }
        sys.stdout.write(
            "| command | functions | files | changes of package | without vocabulary |\n|---|---|---|---|---|\n"
        )
        for name, work in commands.items():
            sys.stdout.write(f"| {name} | {' | '.join(map(str, traced(work)))} |\n")
