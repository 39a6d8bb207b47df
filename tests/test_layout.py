"""Imports point one way; the public names are pinned; nothing hides a standard-library module."""

import argparse
import ast
import subprocess
import sys
from pathlib import Path

import pytest

import verimv
from tests.quick import QUICK

PACKAGE = Path(verimv.__file__).parent

#: The layout of the project: a module imports from its own level or below.
LEVELS = {
    "errors": 0, "effort": 0, "choices": 0, "rich": 0, "files": 0, "checking": 0, "verified": 0, "algebraic": 0, "exact": 0, "workers": 0,
    "terms": 1, "networks": 2, "smt": 2.5, "bounds": 3, "extract": 4, "simplify": 4, "certificate": 5, "questions": 5.5,
    "kernel": 0, "baselines": 6, "experiments": 6, "pictures": 6.3, "report": 6.5,
    "cli": 7, "testing": 7, "pytest_plugin": 7,
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


def test_a_quick_run_has_tests_of_every_folder():
    """…and so of every package, of which each has its folder."""
    tests = Path(__file__).parent
    for name in QUICK:
        file, _, test = name.partition("::")
        assert f"def {test or 'test_'}" in (tests / file).read_text(encoding="utf-8"), name
    folders = {path.parent for path in tests.rglob("test_*.py")}
    assert folders == {(tests / name.partition("::")[0]).parent for name in QUICK}
    packages = [path for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()]
    assert {tests / package.name for package in packages} <= folders


def test_no_module_bears_a_standard_library_name():
    own = {path.stem for path in PACKAGE.rglob("*.py")} - {"__init__", "__main__"}
    own |= {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    assert not own & (sys.stdlib_module_names - {"compile"})


ENGINES = {
    "z3", "cvc5", "numpy", "sympy", "highspy", "gmpy2", "matplotlib", "onnx", "onnxruntime", "torch", "sklearn",
    "distributed",
}  # fmt: skip


def loaded_by(code: str) -> set[str]:
    """Which engines a fresh Python has loaded after `code`."""
    code = f"import sys\n{code}\nprint('loaded', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return ENGINES & set(done.stdout.rsplit("loaded", 1)[1].split())


@pytest.mark.parametrize(
    "code",
    [
        "import verimv",
        "import verimv; dir(verimv)",
        "from verimv import check_files, InputError",
        "import verimv.cli",
        *(
            f"from verimv.cli import main\ntry: main({words})\nexcept SystemExit: pass"
            for words in (["--help"], ["--version"], ["extract", "--help"], ["bench", "--help"], ["frobnicate"])
        ),
        "from verimv.cli import main\nassert main(['check', 'no such directory', '--quiet']) == 2",
    ],
)
def test_no_engine_is_loaded_before_it_is_needed(code):
    assert loaded_by(code) == set()


@pytest.mark.parametrize(
    ("code", "engines"),
    [
        ("import verimv; verimv.parse('x').length", {"gmpy2", "numpy"}),
        ("import verimv; verimv.load('examples/networks/hat.json')", {"gmpy2", "numpy"}),
    ],
)
def test_only_the_engine_that_is_needed_is_loaded(code, engines, monkeypatch):
    monkeypatch.chdir(PACKAGE.parent)
    assert loaded_by(code) == engines


def test_public_names():
    assert sorted(verimv.__all__) == verimv.__all__
    assert all(hasattr(verimv, name) for name in verimv.__all__)
    assert set(verimv.__all__) <= set(dir(verimv))
    assert {"load", "extract", "parse", "Formula", "Network", "VerimvError"} <= set(verimv.__all__)


def test_the_names_are_said_to_be_where_they_are_found():
    """What type checkers read (the imports under TYPE_CHECKING) is what the package loads, and all of it is public."""
    [block] = [node for node in ast.parse(Path(verimv.__file__).read_text(encoding="utf-8")).body
               if isinstance(node, ast.If) and isinstance(node.test, ast.Name)]  # fmt: skip
    told = {alias.name: node.module for node in block.body for alias in node.names}
    assert told == {name: f"verimv.{home}" for name, home in verimv._HOME.items()}
    assert {*told, "__version__"} == set(verimv.__all__)


@pytest.mark.parametrize(
    "code",
    [
        "import verimv; verimv.extract",
        "import verimv.extract, verimv; verimv.extract",
        "import verimv.extract.cost, verimv; verimv.extract",
        "import verimv; verimv.equivalent; import verimv.extract.cost; verimv.extract",
        "from verimv import *; extract",
        "from verimv.networks import load; from verimv import extract; extract",
    ],
)
def test_extract_is_a_function_whatever_was_imported_first(code):
    """…although a package has the same name; so is simplify."""
    for text in (code, code.replace("extract.cost", "simplify.cost").replace("extract", "simplify")):
        *statements, expression = text.split("; ")
        done = subprocess.run(
            [sys.executable, "-c", "; ".join([*statements, f"print(type({expression}).__name__)"])],
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout == "function\n", text


def test_a_misspelt_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'extrakt'"):
        _ = verimv.extrakt


def test_words_of_options_are_those_of_the_engines():
    from verimv import choices
    from verimv.cli import commands, plotting
    from verimv.cli.parser import build_parser
    from verimv.experiments import reproduce
    from verimv.pictures.graph import MAX_DRAWN

    assert tuple(commands.FORMULA_FORMATS) == choices.FORMULA_FORMATS
    assert tuple(commands.NETWORK_FORMATS) == choices.NETWORK_FORMATS
    assert tuple(reproduce.EXPERIMENTS) == choices.EXPERIMENTS
    assert ("auto", *plotting._DRAWN) == choices.PICTURES
    assert build_parser().parse_args(["plot", "x", "-o", "x.svg"]).nodes == MAX_DRAWN


def test_every_command_has_a_function():
    from verimv.cli import command_function
    from verimv.cli.parser import build_parser

    [subparsers] = [action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction)]
    assert len(subparsers.choices) >= 15
    assert all(callable(command_function(sub.get_default("run"))) for sub in subparsers.choices.values())
