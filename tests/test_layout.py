"""Imports point one way; the public names are pinned; nothing hides a standard-library module."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

import verimv

PACKAGE = Path(verimv.__file__).parent

#: The layout of the project: a module imports from its own level or below.
LEVELS = {
    "errors": 0, "files": 0, "algebraic": 0, "exact": 0, "workers": 0,
    "terms": 1, "networks": 2, "smt": 2.5, "bounds": 3, "extract": 4, "simplify": 4, "certificate": 5,
    "kernel": 0, "baselines": 6, "experiments": 6, "pictures": 6.3, "report": 6.5, "cli": 7,
}  # fmt: skip


def imports_of(path: Path) -> list[str]:
    names = []
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, f"{path}: relative import"
            names += [f"{node.module}.{alias.name}" for alias in node.names]
    return [name for name in names if name.split(".")[0] == "verimv"]


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda p: str(p.relative_to(PACKAGE)))
def test_imports_point_down(path):
    parts = path.relative_to(PACKAGE).with_suffix("").parts
    if parts[0] in ("__init__", "__main__"):
        return
    level = LEVELS[parts[0]]
    for name in imports_of(path):
        target = name.split(".")[1]
        if target == "__version__":
            assert parts[0] == "cli"
        else:
            assert LEVELS[target] <= level, f"{path.name} imports {name}"


def test_no_module_bears_a_standard_library_name():
    own = {path.stem for path in PACKAGE.rglob("*.py")} - {"__init__", "__main__"}
    own |= {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    assert not own & (sys.stdlib_module_names - {"compile"})


def test_nothing_heavy_is_imported_before_it_is_needed():
    code = "import sys, verimv.cli; print(*({'onnx', 'onnxruntime', 'torch', 'sklearn', 'distributed'} & set(sys.modules)))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == []


def test_public_names():
    assert sorted(verimv.__all__) == verimv.__all__
    assert all(hasattr(verimv, name) for name in verimv.__all__)
    assert {"load", "extract", "parse", "Formula", "Network", "VerimvError"} <= set(verimv.__all__)
