"""Files of promises are read strictly: each mistake is one line with the file, the table and the key."""

from pathlib import Path

import pytest

from verimv import InputError
from verimv.core.effort import SECOND
from verimv.promises.promise_file import find_promise_file, read_promises

GOOD = """
effort = 7
[models.valve]
file = "model.onnx"
box = [0, 0.1]
names = ["demand", "window"]
promises = [
    { equal-to = "spec.mv" },
    { within = 0.01, of = "teacher.onnx", box = { demand = ["1/3", 1] }, name = "close" },
    { certified-by = "certified", effort = 2.5, margin = ["a", 1] },
]
[[models.other.promises]]
spec = "safe.vnnlib"
[models.other]
file = "sub/other.nnet"
output = 0
[models.idle]
file = "idle.onnx"
"""


def test_what_a_file_says(repository):
    equal, within, certified, spec = repository(GOOD)
    assert [p.kind for p in (equal, within, certified, spec)] == ["equal-to", "within", "certified-by", "spec"]
    assert (equal.model, equal.file, equal.target, equal.box) == ("valve", "model.onnx", "spec.mv", ("0", "0.1"))
    assert (equal.work, certified.work) == (7 * SECOND, 5 * SECOND // 2)
    assert (within.tolerance, within.target, within.title) == ("0.01", "teacher.onnx", "close")
    assert within.box == {"demand": ["1/3", "1"]}
    assert (certified.margin, spec.output) == (("a", 1), 0)
    assert (equal.title, certified.title, spec.title) == (
        "equal to spec.mv",
        "certified by certified",
        "spec safe.vnnlib",
    )
    lines = ["", *GOOD.splitlines()]
    assert all(p.target in lines[p.line] for p in (equal, within, certified))
    assert lines[spec.line] == "[[models.other.promises]]"
    assert read_promises("verimv.toml").without == ["idle"]


def test_pyproject(repository, tmp_path, monkeypatch):
    text = '[project]\nname = "p"\n[tool.verimv.models.m]\nfile = "m.onnx"\npromises = [{ spec = "y <= 1" }]\n'
    [promise] = repository(text, "pyproject.toml")
    assert (promise.file, promise.line) == ("m.onnx", 5)
    (tmp_path / "deep" / "er").mkdir(parents=True)
    monkeypatch.chdir(tmp_path / "deep" / "er")
    assert Path(find_promise_file()).resolve() == tmp_path / "pyproject.toml"
    [promise] = read_promises(find_promise_file()).promises
    assert promise.path(promise.file) == str(Path("..", "..", "m.onnx"))
    (tmp_path / "verimv.toml").write_text("")
    assert Path(find_promise_file()).name == "verimv.toml"


def test_there_is_no_file(repository):
    with pytest.raises(InputError, match="verimv ci init"):
        find_promise_file()


MODEL = '[models.m]\nfile = "m.onnx"\n'
WRONG = [
    ("effort = \nx = 1", "verimv.toml:1:10: not TOML: Invalid value"),
    ("model = 1", "verimv.toml: the file: unknown key 'model'; did you mean models?"),
    ("models = 1", "verimv.toml: models: expected a table, found 1"),
    ("", "verimv.toml: nothing is promised: expected a model with promises"),
    (MODEL, "verimv.toml: nothing is promised"),
    ("[models.m]\npromises = []", "verimv.toml: models.m: file: expected the path of a network"),
    ("[models.m]\nfile = 1.5", "verimv.toml: models.m: file: expected text, found 1.5"),
    (f"{MODEL}promise = []", "verimv.toml: models.m: unknown key 'promise'; did you mean promises?"),
    (f"{MODEL}logits = 1", "models.m: logits: expected true or false, found 1"),
    (f"{MODEL}frobnicate = 1", "models.m: unknown key 'frobnicate' (known: file, logits, box, names,"),
    (f"{MODEL}promises = 1", "models.m: promises: expected a list of tables, found 1"),
    (f"{MODEL}promises = [1]", "models.m.promises[0]: expected a table, found 1"),
    (
        f'{MODEL}promises = [{{ equal_to = "x" }}]',
        "models.m.promises[0]: unknown key 'equal_to'; did you mean equal-to?",
    ),
    (
        f'{MODEL}promises = [{{ name = "x" }}]',
        "expected one of the keys equal-to, within, certified-by, spec, found none",
    ),
    (f'{MODEL}promises = [{{ equal-to = "x", spec = "y" }}]', "found equal-to and spec"),
    (f"{MODEL}promises = [{{ within = 0.1 }}]", "within and of belong together"),
    (f'{MODEL}promises = [{{ equal-to = "x", of = "y" }}]', "within and of belong together"),
    (f'{MODEL}promises = [{{ within = -1, of = "y" }}]', "within: expected a number ≥ 0, found -1"),
    (f'{MODEL}promises = [{{ within = "one", of = "y" }}]', "models.m.promises[0]: within: "),
    (f'{MODEL}promises = [{{ within = nan, of = "y" }}]', "models.m.promises[0]: within: "),
    (f'{MODEL}promises = [{{ within = true, of = "y" }}]', "within: expected a number, such as 0.01"),
    (f'{MODEL}promises = [{{ equal-to = "x", networks = {{ g = "g.onnx" }} }}]', "only a specification can be about"),
    (
        f'{MODEL}promises = [{{ spec = "x", networks = {{ g = 1 }} }}]',
        "models.m.promises[0].networks: g: expected text",
    ),
    (f"{MODEL}box = 3", "models.m: box: expected a file, [low, high]"),
    (f"{MODEL}box = [0, 1, 2]", "models.m: box: expected [low, high], found a list of 3"),
    (f"{MODEL}box = [[0, 1], [2]]", "models.m: box[1]: expected [low, high], found a list of 1"),
    (f"{MODEL}names = [1]", "models.m: names: expected a file, a list of names"),
    (f"{MODEL}names = {{ input = [] }}", "models.m.names: unknown key 'input'; did you mean inputs?"),
    (f"{MODEL}output = 1.5", "models.m: output: expected the name of an output, or its index from 0, found 1.5"),
    (f'{MODEL}margin = ["a"]', "models.m: margin: expected the names of two outputs, found a list of 1"),
    (f'{MODEL}output = 1\nmargin = ["a", "b"]', "models.m: expected output or margin, found both"),
    (f"{MODEL}effort = 0", "models.m: effort: expected seconds of work, above 0"),
    (f"{MODEL}effort = 1979-05-27", "models.m: effort: expected a number"),
    ("x = " + "[" * 10_000, "not TOML"),
    ("effort = " + "1" * 5_000, "not TOML"),
    ("effort = 1\neffort = 2", "not TOML: Cannot overwrite a value"),
]


@pytest.mark.parametrize(("text", "message"), WRONG, ids=range(len(WRONG)))
def test_a_mistake_is_one_clear_line(repository, text, message):
    with pytest.raises(InputError) as raised:
        repository(text)
    assert message in str(raised.value)
    assert str(raised.value).startswith("verimv.toml")
    assert "\n" not in str(raised.value)
