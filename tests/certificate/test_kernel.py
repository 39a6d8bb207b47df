"""The kernel: every hand-made case gets the verdict that its directory names, and says why."""

import ast
import subprocess
import sys
from pathlib import Path

import pytest

from tests.certificate.by_verdict.make import CASES, HAT, Case, network
from tests.certificate.judged import case_rejected
from verimv import kernel
from verimv.kernels.verdicts import rejection

FOLDER = Path(__file__).parent / "by_verdict"
SOURCE = Path(kernel.__file__)


def verdict(directory):
    rejected = rejection(lambda: kernel.check(str(directory), {}))
    return ("valid", "") if rejected is None else (rejected.status, str(rejected))


@pytest.mark.parametrize(
    "directory", sorted(d for v in CASES for d in (FOLDER / v).iterdir()), ids=lambda d: f"{d.parent.name}/{d.name}"
)
def test_the_folder_is_the_verdict(directory):
    status, text = verdict(directory)
    assert status == directory.parent.name, text
    assert len(text) < 400
    assert "\n" not in text


@pytest.mark.parametrize("status", CASES)
def test_the_folders_are_what_their_maker_writes(status, tmp_path):
    assert {d.name for d in (FOLDER / status).iterdir()} == CASES[status].keys()
    for name, case in CASES[status].items():
        case.write(tmp_path / name)
        for file in (tmp_path / name).iterdir():
            assert file.read_bytes() == (FOLDER / status / name / file.name).read_bytes(), f"{name}: run make.py"


def run_alone(*arguments, flags=("-I", "-S")):
    done = subprocess.run([sys.executable, *flags, str(SOURCE), *map(str, arguments)], capture_output=True, text=True)
    assert done.stderr == "", done.stderr
    return done.returncode, done.stdout


@pytest.mark.parametrize("flags", [("-I", "-S"), ("-I", "-S", "-O"), ("-O",)], ids=" ".join)
@pytest.mark.parametrize(
    ("case", "code"),
    [
        ("valid/hat", 0),
        ("valid/gzipped", 0),
        ("invalid/lemma-upside-down", 1),
        ("malformed/line-deeply-nested", 2),
        ("malformed/header-naming-a-source-that-is-not-there", 2),
        ("incomplete/bound-assumed", 3),
    ],
)
def test_it_runs_alone(case, code, flags):
    found, text = run_alone(FOLDER / case, flags=flags)
    assert found == code
    first, *statement = text.splitlines()
    assert first.startswith(case.split("/")[0])
    assert statement == ([] if code else ["y1 = formula on [0,1]"])


def test_files_given_one_by_one():
    hat = FOLDER / "valid" / "hat"
    network, formula = ("--network", hat / "network.json"), ("--formula", hat / "formula.mv")
    assert run_alone(hat / "certificate.jsonl", *network, *formula)[0] == 0
    code, text = run_alone(hat / "certificate.jsonl", *network)
    assert (code, text.startswith("malformed: expected readable files"), "--formula" in text) == (2, True, True)
    assert run_alone(hat / "certificate.jsonl", *network, "--formula", hat / "network.json")[0] == 1, "another file"
    assert run_alone(hat / "nothing.jsonl", *network, *formula)[0] == 2
    assert run_alone(hat, "--formula", hat / "network.json")[0] == 1, "what is given comes before what is there"


def test_more_effort():
    assert kernel.Work(0).left == kernel.Work(0, 4).left == 4_000_000
    assert kernel.Work(0, 600).left == 600_000_000
    assert kernel.Work(10**9, 600).left == kernel.Work(10**9).left, "never less than by default"
    assert run_alone(FOLDER / "valid" / "hat", "--effort", "600")[0] == 0
    assert run_alone("--effort", "600", FOLDER / "invalid" / "lemma-upside-down")[0] == 1


@pytest.mark.parametrize("text", ["0", "1000001", "1.5", "-1", "", "x"])
def test_what_is_no_effort_is_rejected(text):
    assert kernel.read_effort("1000000") == 1_000_000
    found = rejection(lambda: kernel.read_effort(text))
    assert found is not None
    assert "an integer from 1 to 1000000" in str(found)


@pytest.mark.parametrize("text", ["0", "-1", "1.5", "1e3", "ten", "", "1000001", "9" * 5000, "٣"])
def test_effort_that_is_none(text):
    code, told = run_alone(FOLDER / "valid" / "hat", f"--effort={text}")
    assert (code, told.count("\n")) == (2, 1)
    assert told.startswith("malformed: expected --effort with an integer from 1 to 1000000, got ")


@pytest.mark.slow
def test_what_takes_long_needs_effort(tmp_path):
    """Sweeps that are charged for more than files of this size may cost."""
    width = 60
    below = [[2 * k - width, 3 * k % 7 - 3, 1] for k in range(width)]
    above = [[(i * k) % 11 - 5 for k in range(width + 1)] for i in range(width)]
    text = network((below, "relu"), (above, "relu"), ([[0] * width + [0]], "identity"), inputs=("x1", "x2"))
    sweeps = ",".join(['["sweep"]'] * 60)
    Case([f'["bound",3,0,"{side}","0",{sweeps},["leaf"]]' for side in ("low", "high")], network=text).write(
        tmp_path / "long"
    )
    code, told = run_alone(tmp_path / "long")
    assert (code, "--effort" in told) == (3, True)
    assert run_alone(tmp_path / "long", "--effort", "60")[0] == 0


def test_a_directory_needs_exactly_one_certificate(tmp_path):
    assert run_alone(tmp_path)[0] == 2
    HAT.write(tmp_path / "hat")
    (tmp_path / "hat" / "certificate.jsonl.gz").write_bytes(b"")
    assert run_alone(tmp_path / "hat")[0] == 2


def test_it_imports_the_standard_library_only():
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    imported = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    imported |= {node.module for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    assert {name.split(".")[0] for name in imported} <= sys.stdlib_module_names


def test_it_has_no_assert_and_no_float():
    tree = ast.parse(SOURCE.read_text(encoding="utf-8"))
    for node in ast.walk(tree):
        assert not isinstance(node, ast.Assert)
        assert not (isinstance(node, ast.Constant) and isinstance(node.value, float))
        assert not (isinstance(node, ast.Name) and node.id == "float")
        assert not (isinstance(node, ast.BinOp) and isinstance(node.op, ast.Div))


def test_it_is_written_to_be_read():
    """Every function says what it does, and lines are short."""
    text = SOURCE.read_text(encoding="utf-8")
    assert max(map(len, text.splitlines())) <= 100
    for node in ast.walk(ast.parse(text)):
        if isinstance(node, ast.FunctionDef | ast.ClassDef) and not node.name.startswith("__"):
            assert ast.get_docstring(node), f"{node.name}, line {node.lineno}"


def test_messages_name_what_is_known():
    rejected = kernel.Rejected("invalid", "this", "that")
    assert str(rejected) == "invalid: expected this, got that"
    rejected.line, rejected.rule, rejected.subject = 3, "plus", "formula"
    assert str(rejected) == "invalid, formula, line 3, rule plus: expected this, got that"


def test_places_that_are_not_known_are_not_named():
    assert str(case_rejected(HAT.line('["plus",1,1]', '["plus"]'))).startswith(
        "malformed, line 3, rule plus: expected "
    )
    assert str(case_rejected(HAT.line('["plus",1,1]', "{"))).startswith("malformed, line 3: expected ")


# -- numbers ----------------------------------------------------------------------------------------------------------


def lines_rejected(lines):
    return case_rejected(HAT.with_lines(lines))


def test_numbers_that_grow_without_end_are_refused():
    factor = f"D[1/{'9' * 4299}]"
    rejected = lines_rejected(['["node",2]', *(f'["scale","{factor}",{k}]' for k in range(1, 2000))])
    assert (rejected.status, rejected.expected) == ("incomplete", "a number with fewer bits")


def test_factors_of_shared_neurons_grow_no_further_than_numbers_may():
    depth = 40
    first, second = (network(*[([[weight, 0]], "relu")] * depth) for weight in (1, f"1/{'9' * 4299}"))
    rejected = case_rejected(Case([], network=first, other=second))
    assert (rejected.status, rejected.expected) == ("incomplete", "a number with fewer bits")


def test_numbers_too_long_to_print_are_no_trouble():
    huge = "9" * 4300
    rejected = lines_rejected([f'["unit",1,0,"{huge}",{huge}]', '["plus",1,1]', '["plus",2,2]', '["scale","d[2]",3]'])
    assert (rejected.status, rejected.rule) == ("invalid", "scale")
    assert rejected.got == "one that may be a long number"


def test_roots_of_roots_are_refused():
    nested = "sqrt(" * 1000 + "2" + ")" * 1000
    case = HAT.file("network", '"-2"', f'"{nested}"')
    assert case_rejected(case).status == "malformed"


def test_doubling_does_not_grow_the_forms():
    """A form of 2^1000 summands is written out in 1000 steps."""
    doubled = ['["node",2]', *(f'["plus",{k},{k}]' for k in range(1, 1001))]
    assert lines_rejected([*doubled, *HAT.lines]).status == "invalid", "claims are numbered otherwise"
    assert (
        lines_rejected(
            HAT.lines[:-1]
            + [f'["plus",{1 if k == 8 else k},{1 if k == 8 else k}]' for k in range(8, 1000)]
            + HAT.lines[-1:]
        )
        is None
    )
