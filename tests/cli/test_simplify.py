import json

import pytest

from tests.cli.conftest import one_line_error
from verimv.formulas.mvfile import read_mv


def test_prints_the_formula_and_what_was_gained(run):
    code, text, err = run("simplify", "(x ∧ y) ⊕ (x ∨ y)")
    lines = text.splitlines()
    assert (code, err, lines[0]) == (0, "", "x ⊕ y")
    assert lines[2].startswith("length 6 → 2, size 10 → 3 nodes")
    assert lines[3].startswith("equal: ")


def test_json_and_file(run, tmp_path):
    out = tmp_path / "short.mv"
    out.write_text("old")
    code, text, _ = run("simplify", "(x ⊕ 0) ⊙ (y ⊕ ¬y)", "-o", out, "--json", "--minimise", "size")
    data = json.loads(text)
    assert code == 0
    assert (data["status"], data["formula"], data["minimise"]) == ("finished", "x", "size")
    assert (data["before"], data["after"]) == ({"length": "3", "size": 7}, {"length": "1", "size": 1})
    assert data["steps"]["unit"] == 2
    assert data["out"] == str(out)
    assert str(read_mv(out.read_text())) == "x"
    assert list(tmp_path.iterdir()) == [out]


def test_a_formula_that_is_too_long_to_show(run, tmp_path):
    names = " ⊕ ".join(f"x{i} ⊙ y{i}" for i in range(105))
    code, text, _ = run("simplify", names, "--timeout", "300", "-o", tmp_path / "out.txt")
    assert code == 0
    assert text.startswith("(the formula is too long to show; see ")
    assert "length 210 → 210" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["x ⊕"], "expected a variable"),
        (
            ["x", "-o", "out.what"],
            "cannot tell the format from the name (known: .mv, .txt, .asc, .ascii, .tex, .py, .sympy, .smt2, .json)\n",
        ),
        (["x", "-o", "out.onnx"], "cannot tell the format"),
        (["no-such-file.mv"], "no such file"),
        (["x", "-o", "no-such-directory/out.mv"], "no such file or directory"),
    ],
)
def test_bad_calls(run, words, message):
    assert message in one_line_error(run("simplify", *words))


def test_a_network_is_no_formula(run, hat):
    assert "expected a formula, found a network" in one_line_error(run("simplify", hat))
