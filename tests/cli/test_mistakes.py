"""Typical mistakes. Each message is one line that says what was wrong, and what to do."""

import json
import re

import pytest

from tests.cli.conftest import HAT, one_line_error

TWO = {
    **HAT, "inputs": ["heat", "damp"], "outputs": ["stay", "leave"],
    "layers": [{"weights": [["1", "-1"], ["-1", "1"]], "bias": ["0", "0"], "activation": "relu"}],
}  # fmt: skip

#: What people type, what was wrong, what to do. The files are those of the fixture below.
MISTAKES = [
    # commands and options
    ("", "expected a command", "such as verimv extract model.onnx -o out"),
    ("extrct hat.json", "no command 'extrct'", "did you mean extract?"),
    ("equivalent hat.json two.json", "no command 'equivalent'", "did you mean equiv?"),
    ("hat.json", "hat.json is a file, and a command comes first", "did you mean verimv extract hat.json?"),
    ("extract", "required: NETWORK", "see verimv extract --help"),
    ("extract hat.json --outptu y1", "no option --outptu", "did you mean --output?"),
    ("equiv x y --tol 1/2", "no option --tol", "did you mean --tolerance?"),
    ("extract hat.json --scale", "no option --scale", "did you mean --scale-output?"),
    ("extract hat.json --logic MV", "'MV' is none of auto, mv, dmv, rmv", "did you mean mv?"),
    ("reproduce lenght", "'lenght' is none of lengths", "did you mean lengths?"),
    ("extract hat.json two.json", "'two.json' is one argument too many", "put what contains spaces in quotes"),
    ("eval x --at x=1 , y=1", "one argument too many", "in quotes"),
    ("range x --timeout soon", "found 'soon'", "expected a positive number of seconds"),
    ("range x --workers 0", "found '0'", "a number of processes from 1 to 256"),
    ("simplify x --effort -1", "expected one argument|found '-1'", "see verimv simplify --help|expected a positive"),
    # files
    ("extract hta.json", "hta.json: no such file", "did you mean hat.json?"),
    ("extract models/hat.json", "models/hat.json: no such file", "no such file or directory"),
    ("extract .", "a directory without a certificate", "give a file, or what verimv extract -o wrote"),
    ("extract notes.txt", "found text", r"expected a network \(.json, .onnx"),
    ("extract weights.pt", "pickled", "ONNX|safetensors|verimv.load"),
    ("extract model.joblib", "pickled", "ONNX|safetensors|verimv.load"),
    ("extract broken.json", "broken.json:1:12: not JSON", "[Ee]xpect"),
    ("extract hat.json -o notes.txt", "notes.txt: exists and is not a directory", "is not a directory"),
    ("extract hat.json --box two.json", "two.json: the box: .*found an object", "expected a list"),
    ("eval hat.json --csv point.csv", "found 'x2'", "point.csv:1: expected a header with the inputs x1"),
    ("explain two.json --at point.csv:9", "no row 9", "there are 1 below the header"),
    ("report hat.json", "hat.json: no such directory", "give one that verimv extract -o wrote"),
    ("prove hat.json", "hat.json: expected a directory", "as verimv extract writes it"),
    ("plot hat.json -o hat.pdf", "hat.pdf: expected a file name", "ends in .svg or .png"),
    ("convert x -o x.docx", "cannot tell the format from the name", "give it with --to"),
    ("convert hat.json -o hat.mv", "convert writes a network as", "verimv extract turns it into a formula"),
    # names and numbers
    ("eval two.json --at heatt=1,damp=0", "heatt is not an input", "did you mean heat?"),
    ("eval two.json --at heat=1", "no value for damp", "give it with --at damp=1/2"),
    ("eval hat.json --at 1/3", "found '1/3'", "expected name=number.*such as x1=1/3"),
    ("eval hat.json --at x1=0,5", "found '5'", "write decimals with a point: 0.5"),
    ("eval hat.json --at x1=half", "x1: expected a number, found 'half'", "write 1/3 or 0.25"),
    ("eval hat.json --at x1=1/0", "x1: division by zero in '1/0'", "write 1/3 or 0.25"),
    ("extract two.json --output laeve", "no output 'laeve'", "did you mean leave?"),
    ("extract two.json --output 2", "no output '2'", "there are stay, leave .or an index below 2"),
    ("extract two.json --margin 1 1", "the margin of output leave and itself is 0", "give two different ones"),
    ("bounds hat.json --neuron 3:0", "no neuron 3:0", "there are 1:0 to 1:1, 2:0 to 2:0"),
    ("bounds hat.json --neuron first", "found 'first'", "expected LAYER:INDEX such as 2:0"),
    ("equiv x y --tolerance -1", "found -1", "expected a number ≥ 0"),
    ("equiv x y --tolerance tiny", "found 'tiny'", "--tolerance: expected a number"),
    ("extract hat.json --within small", "within small", "a number, or a percentage such as 5%"),
    # formulas
    ("valid x&y", "unexpected character '&'", r"write ∧ or /\\"),
    ("valid x+y", "unexpected character '\\+'", r"write ⊕ or \(\+\)"),
    ("valid (x", "an opening bracket", "never closed"),
    ("measure hat.json", "found a network", "verimv extract turns it into one"),
    ("eval x --at x=2", "x=2 lies outside", r"\[0,1\]"),
    # what does not fit together
    ("equiv hat.json two.json", "the inputs are x1 on one side, heat, damp", "both need the same number of inputs"),
    ("plot two.json -o t.svg --kind function", "a graph needs one input, found 2", "fix the others with --at"),
    ("eval x --at x=1 --output y1", "need a network", "a formula is a function on the unit cube"),
    ("extract hat.json --minimise constants", "the constants of an exact formula are given", "needs --within"),
    ("eval hat.json --floats --at x1=1", "--floats needs a table of points", "give one with --csv"),
]  # fmt: skip


@pytest.fixture
def folder(tmp_path, monkeypatch):
    files = {
        "hat.json": json.dumps(HAT), "two.json": json.dumps(TWO), "notes.txt": "two words\nand more\n", "weights.pt": "",
        "model.joblib": "",
        "broken.json": '{"format": verimv}', "point.csv": "x2\n1\n",
    }  # fmt: skip
    for name, text in files.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    monkeypatch.chdir(tmp_path)
    return {*files}


def told(run, capsys, words):
    try:
        return one_line_error(run(*words))
    except SystemExit as end:  # of the parser
        return one_line_error((end.code, *capsys.readouterr()))


@pytest.mark.parametrize(("typed", "wrong", "to_do"), MISTAKES, ids=[typed for typed, _, _ in MISTAKES])
def test_mistakes(run, capsys, folder, tmp_path, typed, wrong, to_do):
    text = told(run, capsys, typed.split())
    assert re.search(wrong, text), text
    assert re.search(to_do, text), text
    assert {path.name for path in tmp_path.iterdir()} == folder, "nothing is written"


def test_there_are_forty():
    assert len({typed for typed, _, _ in MISTAKES}) >= 40


def test_options_are_not_shortened(run, capsys, folder):
    assert run("extract", "hat.json", "--output", "y1")[0] == 0
    assert "--out;" in told(run, capsys, ["extract", "hat.json", "--out", "y1"])


def test_every_command_is_in_a_group(run, capsys):
    with pytest.raises(SystemExit) as end:
        run("--help")
    text = capsys.readouterr().out
    assert end.value.code == 0
    assert "others:" not in text
    assert text.index("start here") < text.index("check and prove:") < text.index("research:")
    assert max(map(len, text.splitlines())) <= 100
