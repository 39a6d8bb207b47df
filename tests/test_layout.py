"""Imports point one way; the public names are pinned; nothing hides a standard-library module."""

import argparse
import ast
import re
import subprocess
import sys
from pathlib import Path

import pytest

import verimv
from tests.quick import QUICK

PACKAGE = Path(verimv.__file__).parent

#: The layout of the project: a module imports from its own level or below.
LEVELS = {
    "core": 0, "kernel": 0, "kernels": 1, "exact": 1, "formulas": 2, "networks": 3, "specifications": 3, "solvers": 4, "pieces": 4,
    "bounding": 5, "extraction": 6, "simplification": 6, "certificate": 7, "questions": 8, "approximation": 8, "promises": 8, "show": 9, "paper": 9,
    "testing": 9, "pytest_plugin": 9, "cli": 10,
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
            assert parts[0] in ("cli", "promises")
        else:
            assert LEVELS[target] <= level, f"{path.name} imports {name}"


def test_the_drawing_and_the_table_of_rooms_show_the_levels():
    root = PACKAGE.parent
    drawn = ast.parse((root / "docs" / "design" / "draw_rooms.py").read_text(encoding="utf-8"))
    [floors] = [ast.literal_eval(node.value) for node in drawn.body
                if isinstance(node, ast.Assign) and ast.unparse(node.targets[0]) == "FLOORS"]  # fmt: skip
    in_drawing = {name: int(level) for level, *rooms in floors for name, _ in rooms}
    assert in_drawing == {name: level for name, level in LEVELS.items() if name not in ("kernel", "pytest_plugin")}
    table = (root / "CONTRIBUTING.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\d+) \| ([^|]*) \|", table, re.MULTILINE)
    in_table = {name: int(level) for level, names in rows for name in re.findall(r"`(\w+)[/.]", names)}
    assert in_table == {name: level for name, level in LEVELS.items() if name != "kernel"}


def test_a_quick_run_has_tests_of_every_folder():
    """…and so of every package, of which each has its folder."""
    tests = Path(__file__).parent
    for name in QUICK:
        file, _, test = name.partition("::")
        assert f"def {test or 'test_'}" in (tests / file).read_text(encoding="utf-8"), name
    folders = {path.parent for path in tests.rglob("test_*.py")}
    assert folders == {(tests / name.partition("::")[0]).parent for name in QUICK}
    packages = [path for path in PACKAGE.iterdir() if (path / "__init__.py").is_file()]
    assert {tests / package.name for package in packages} <= folders | {folder.parent for folder in folders}


#: Inside bounding/: floats that guess and exact proofs do not know each other; only the search, which uses both, does.
NOT_KNOWN_TO = {"guess": ("prove", "search"), "prove": ("guess", "search")}


@pytest.mark.parametrize("room", NOT_KNOWN_TO)
def test_guesses_and_proofs_of_bounds_are_apart(room):
    for path in sorted((PACKAGE / "bounding" / room).glob("*.py")):
        for name in imports_of(path):
            assert not name.startswith(tuple(f"verimv.bounding.{other}" for other in NOT_KNOWN_TO[room])), (
                f"{path.name} imports {name}"
            )


def test_no_module_bears_a_standard_library_name():
    own = {path.stem for path in PACKAGE.rglob("*.py")} - {"__init__", "__main__"}
    own |= {path.name for path in PACKAGE.iterdir() if path.is_dir()}
    assert not own & sys.stdlib_module_names


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
        ("import verimv; verimv.parse('x').length", {"gmpy2"}),
        ("import verimv; verimv.load('examples/networks/hat.json')", {"gmpy2"}),
        ("from verimv.cli import main; main(['measure', 'x'])", {"gmpy2"}),
        ("from verimv.cli import main; main(['eval', 'x', '--at', 'x=1'])", {"gmpy2"}),
    ],
)
def test_only_the_engine_that_is_needed_is_loaded(code, engines, monkeypatch):
    monkeypatch.chdir(PACKAGE.parent)
    assert loaded_by(code) == engines


@pytest.mark.parametrize(("words", "most"), [("measure x", 38), ("eval x --at x=1", 50), ("check nowhere", 25)])
def test_a_command_loads_few_modules(words, most):
    code = f"import sys\nfrom verimv.cli import main\nmain({words.split()})\nprint('loaded', *sys.modules)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    loaded = [name for name in done.stdout.rsplit("loaded", 1)[1].split() if name.split(".")[0] == "verimv"]
    assert len(loaded) <= most, loaded


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


def test_no_public_name_is_a_package():
    """Python would bind the package to its name here, in place of the function."""
    rooms = {path.name for path in PACKAGE.iterdir()} | {path.stem for path in PACKAGE.glob("*.py")}
    assert not rooms & set(verimv.__all__)


def test_a_misspelt_name_is_an_attribute_error():
    with pytest.raises(AttributeError, match="no attribute 'extrakt'"):
        _ = verimv.extrakt


def test_words_of_options_are_those_of_the_engines():
    from verimv.cli.commands import plot
    from verimv.core import choices
    from verimv.paper.experiments import campaign
    from verimv.show import file_formats as formats

    assert tuple(formats.FORMULA_FORMATS) == choices.FORMULA_FORMATS
    assert tuple(formats.NETWORK_FORMATS) == choices.NETWORK_FORMATS
    assert tuple(campaign.EXPERIMENTS) == choices.EXPERIMENTS
    assert ("auto", *plot._DRAWN) == choices.PICTURES


def test_every_command_has_a_function():
    from verimv.cli import command_function
    from verimv.cli.parser import build_parser

    [subparsers] = [action for action in build_parser()._actions if isinstance(action, argparse._SubParsersAction)]
    assert len(subparsers.choices) >= 15
    assert all(callable(command_function(name)) for name in subparsers.choices)
    modules = {path.stem for path in (PACKAGE / "cli" / "commands").glob("*.py")} - {"__init__"}
    assert modules == set(subparsers.choices)


def test_only_their_commands_import_the_papers_experiments():
    users = {path.relative_to(PACKAGE).as_posix() for path in PACKAGE.rglob("*.py")
             if any(name.startswith("verimv.paper") for name in imports_of(path))}  # fmt: skip
    outside = {name for name in users if not name.startswith("paper/")}
    assert outside == {"cli/commands/bench.py", "cli/commands/reproduce.py"}


def test_a_file_name_says_which_file_it_is():
    """A command bears the name of what it runs; apart from that no name occurs twice."""
    names = [path.stem for path in PACKAGE.rglob("*.py") if path.parent.name != "commands"]
    assert sorted({name for name in names if names.count(name) > 1}) == ["__init__"]


def test_a_class_name_says_which_class_it_is():
    """The kernel shares nothing with the package, and has names of its own."""
    names = [
        node.name
        for path in PACKAGE.rglob("*.py")
        if path.name != "kernel.py"
        for node in ast.parse(path.read_text(encoding="utf-8")).body
        if isinstance(node, ast.ClassDef)
    ]
    assert sorted({name for name in names if names.count(name) > 1}) == []
