import csv
import io
import json
import os
import re
import stat
from fractions import Fraction

import pytest

from tests.cli.conftest import HAT, one_line_error
from verimv.cli import main
from verimv.formulas.mvfile import read_mv
from verimv.networks.formats.json_format import write_network
from verimv.networks.formats.load import load
from verimv.paper.experiments.families import random_network


def test_extract_prints_and_writes(run, hat, tmp_path):
    out = tmp_path / "out"
    code, text, err = run("extract", hat, "-o", out)
    assert (code, err) == (0, "")
    assert text.splitlines()[0] == "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)"
    assert sorted(p.name for p in out.iterdir()) == [
        "certificate.jsonl",
        "formula.mv",
        "network.json",
        "report.html",
        "summary.json",
    ]
    summary = json.loads((out / "summary.json").read_text())
    assert {"status", "logic", "strategy", "bounds", "length", "size", "depth", "neurons", "units", "seconds", "proofs",
            "network_sha256", "formula_sha256"} <= set(summary)  # fmt: skip
    assert (summary["length"], summary["size"], summary["logic"], summary["strategy"]) == ("4", 5, "mv", "compact")
    assert str(read_mv((out / "formula.mv").read_text())) == "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)"
    assert load(out / "network.json") == load(hat)


def test_extract_json(run, hat):
    code, text, _ = run("extract", hat, "--json")
    data = json.loads(text)
    assert code == 0
    assert data["formula"] == "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)"
    assert data["directory"] is None


def test_extracting_again_replaces_the_files(run, hat, tmp_path):
    out = tmp_path / "out"
    run("extract", hat, "-o", out)
    (out / "certificate.jsonl.gz").write_text("stale")
    before = (out / "formula.mv").read_text()
    assert run("extract", hat, "-o", out)[0] == 0
    assert (out / "formula.mv").read_text() == before
    assert sorted(p.name for p in out.iterdir()) == [
        "certificate.jsonl",
        "formula.mv",
        "network.json",
        "report.html",
        "summary.json",
    ], "no stale certificate"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["hat.json", "out"], "nothing temporary is left"


@pytest.mark.parametrize("factor", [-100, 0.5])
@pytest.mark.parametrize("bounds", ["auto", "exact"])
def test_bounds_of_a_file_that_was_changed_are_not_believed(run, tmp_path, factor, bounds):
    network, record = tmp_path / "network.json", tmp_path / "bounds.jsonl"
    network.write_text("".join(write_network(random_network((3, 5, 5, 1), 4, "integer"))))
    words = ("extract", network, "--bounds", bounds, "--scale-output", "--resume", record)
    assert run(*words)[0] == 0
    header, first, *others = record.read_text().splitlines(keepends=True)
    layer, index, way, allowed, value, *rest = json.loads(first)
    changed = json.dumps([layer, index, way, allowed, str(int(factor * int(value))), *rest])
    record.write_text("".join([header, changed + "\n", *others]))
    assert f"{record}: " in one_line_error(run(*words))


def test_long_formulas_are_not_printed(run, tmp_path):
    path = tmp_path / "n.json"
    path.write_text(json.dumps(HAT | {"layers": [{"weights": [["60"]], "bias": ["-20"], "activation": "crelu"}]}))
    code, text, _ = run("extract", path, "--strategy", "paper")
    assert code == 0
    assert "too long to show" in text
    assert len(text) < 400


def test_box_and_output_options(run, tmp_path):
    network, box = tmp_path / "n.json", tmp_path / "box.json"
    layers = [{"weights": [["1/4"], ["-1/4"]], "bias": ["1/2", "1/2"], "activation": "identity"}]
    network.write_text(json.dumps(HAT | {"layers": layers, "outputs": ["up", "down"]}))
    box.write_text('[["-2", "2"]]')
    code, text, _ = run("extract", network, "--box", box, "--output", "down", "--json")
    assert code == 0
    assert json.loads(text)["formula"] == "¬x1"
    one_line_error(run("extract", network, "--output", "sideways"))
    for bad in ('[["0"]]', "[]", "{}", "[[1, 0]]", "[[0, NaN]]"):
        box.write_text(bad)
        assert "box" in one_line_error(run("extract", network, "--box", box))


def test_exit_codes_of_extract(run, tmp_path):
    path = tmp_path / "n.json"
    path.write_text(json.dumps(HAT | {"layers": [{"weights": [["2"]], "bias": ["0"], "activation": "relu"}]}))
    assert "at x1=1 it is 2" in one_line_error(run("extract", path), 1)
    layers = [{"weights": [["1", "-1"], ["1", "0"]], "bias": ["0", "0"], "activation": "relu"},
              {"weights": [["-1", "1"]], "bias": ["0"], "activation": "identity"}]  # fmt: skip
    path.write_text(json.dumps(HAT | {"layers": layers}))
    assert "cannot tell" in one_line_error(run("extract", path, "--bounds", "interval"), 3)
    assert run("extract", path)[0] == 0
    path.write_text(json.dumps(HAT | {"layers": [{"weights": [["1/2"]], "bias": ["0"], "activation": "relu"}]}))
    assert "dmv or rmv" in one_line_error(run("extract", path, "--logic", "mv"))


@pytest.mark.parametrize("content", [b"", b"{", b'{"format": 1}', b"\xff\xfe", b"[" * 100_000, b"\x00", b"null"])
def test_bad_network_files(run, tmp_path, content):
    path = tmp_path / "n.json"
    path.write_bytes(content)
    assert str(path) in one_line_error(run("extract", path, "-o", tmp_path / "out"))
    assert not (tmp_path / "out").exists()


def test_empty_files(run, tmp_path):
    for name in ("n.json", "f.mv", "f.txt"):
        (tmp_path / name).write_text(" \n")
        assert "is empty: expected a formula or a network" in one_line_error(run("range", tmp_path / name))
    assert "expected a variable" in one_line_error(run("measure", ""))
    (tmp_path / "n.json").write_text("nonsense")
    assert "not JSON" in one_line_error(run("extract", tmp_path / "n.json"))


def test_missing_files_and_wrong_kinds(run, tmp_path, hat):
    assert "no such file" in one_line_error(run("extract", tmp_path / "none.json"))
    assert "no such file" in one_line_error(run("extract", "nothing_here"))
    assert "is a directory" in one_line_error(run("extract", tmp_path))
    assert "no such file" in one_line_error(run("measure", "none.mv"))
    assert "expected a formula" in one_line_error(run("measure", hat))
    (tmp_path / "f.mv").write_text("verimv-formula 1\ninputs x\noutputs x\n")
    assert "expected a network" in one_line_error(run("extract", tmp_path / "f.mv"))
    assert ".onnx" in one_line_error(run("extract", tmp_path / "net.onnx"))


def test_directories_that_cannot_be_written(run, hat, tmp_path):
    (tmp_path / "file").write_text("precious")
    assert "not a directory" in one_line_error(run("extract", hat, "-o", tmp_path / "file"))
    (tmp_path / "full").mkdir()
    (tmp_path / "full" / "mine.txt").write_text("precious")
    assert "mine.txt" in one_line_error(run("extract", hat, "-o", tmp_path / "full"))
    assert (tmp_path / "full" / "mine.txt").read_text() == "precious"
    (tmp_path / "odd" / "network.json").mkdir(parents=True)
    assert "network.json" in one_line_error(run("extract", hat, "-o", tmp_path / "odd"))
    one_line_error(run("extract", hat, "-o", tmp_path / "file" / "below"))
    one_line_error(run("extract", hat, "-o", "/proc/verimv"))
    one_line_error(run("extract", hat, "-o", ""))
    assert sorted(p.name for p in tmp_path.iterdir()) == ["file", "full", "hat.json", "odd"]


def test_files_of_others_are_not_replaced(run, hat, tmp_path):
    out = tmp_path / "out"
    out.mkdir()
    (out / "formula.mv").write_text("x ⊕ y")
    (out / "summary.json").write_text('{"mine": 1}')
    message = "formula.mv was not written by verimv; choose a new or empty directory, or give --force"
    assert message in one_line_error(run("extract", hat, "-o", out))
    certified = run("equiv", hat, "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)", "--certify", out)
    assert "choose a new or empty directory\n" in one_line_error(certified)
    (out / "certificate.jsonl").write_text("{}\n")
    (out / "certificate.jsonl.gz").write_bytes(b"\x1f\x8bno")
    assert "not written by verimv" in one_line_error(run("extract", hat, "-o", out))
    assert (out / "formula.mv").read_text() == "x ⊕ y"
    (out / "notes.txt").write_text("precious")
    assert "holds other files (notes.txt)" in one_line_error(run("extract", hat, "-o", out))
    assert run("extract", hat, "-o", out, "--force")[0] == 0
    assert run("check", out)[0] == 0
    assert (out / "notes.txt").read_text() == "precious"
    (out / "notes.txt").unlink()
    assert run("extract", hat, "-o", out)[0] == 0, "now it is verimv's"
    (out / "summary.json").unlink()
    (out / "summary.json").mkdir()
    assert "summary.json is not a file" in one_line_error(run("extract", hat, "-o", out, "--force"))


@pytest.mark.skipif(os.geteuid() == 0, reason="root writes everywhere")
def test_read_only_directory(run, hat, tmp_path):
    (tmp_path / "ro").mkdir(mode=0o555)
    one_line_error(run("extract", hat, "-o", tmp_path / "ro"))
    one_line_error(run("extract", hat, "-o", tmp_path / "ro" / "new"))


def test_a_link_to_a_directory_is_followed(run, hat, tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to("real")
    assert run("extract", hat, "-o", tmp_path / "link")[0] == 0
    assert (tmp_path / "real" / "formula.mv").exists()
    assert (tmp_path / "link").is_symlink()


def test_the_working_directory_can_be_the_target(run, hat, tmp_path, monkeypatch):
    (tmp_path / "here").mkdir()
    monkeypatch.chdir(tmp_path / "here")
    assert run("extract", hat, "-o", ".")[0] == 0
    assert sorted(os.listdir()) == ["certificate.jsonl", "formula.mv", "network.json", "report.html", "summary.json"]


# -- eval -------------------------------------------------------------------------------------------------------------


def test_eval(run, hat, tmp_path):
    assert run("eval", "(x ⊕ x) ⊙ ¬(x ⊙ x)", "--at", "x=1/3") == (0, "2/3\n", "")
    assert run("eval", hat, "--at", "x1=0.3")[1] == "3/5\n"
    assert run("eval", "Δ[sqrt(2)/2]x", "--at", "x=1")[1] == "sqrt(2)/2\n"
    assert json.loads(run("eval", hat, "--at", "x1=1/3", "--json")[1]) == {
        "point": {"x1": "1/3"},
        "outputs": {"y1": "2/3"},
    }
    assert run("eval", "0 ⊕ 1")[1] == "1\n"
    (tmp_path / "two.mv").write_text("verimv-formula 1\ninputs x\na = ¬x\nb = x ⊙ x\noutputs a b\n")
    assert run("eval", tmp_path / "two.mv", "--at", "x=3/4")[1] == "a = 1/4\nb = 1/2\n"


@pytest.mark.parametrize("at", ["x=2", "x=", "x", "=1", "y=1", "x=1,x=0", "x=nan", "x=1/0", "", "x=1e9999"])
def test_bad_points(run, at):
    one_line_error(run("eval", "x ⊕ x", "--at", at))


def test_eval_csv(run, tmp_path):
    path = tmp_path / "points.csv"
    path.write_text("y, x\n1/2,0.25\n\n0,1\n")
    code, text, _ = run("eval", "x ⊙ ¬y", "--csv", path)
    assert code == 0
    assert list(csv.reader(io.StringIO(text))) == [["y", "x", "y1"], ["1/2", "1/4", "0"], ["0", "1", "1"]]
    assert json.loads(run("eval", "x ⊙ ¬y", "--csv", path, "--json")[1])["rows"][1] == {"y": "0", "x": "1", "y1": "1"}
    for bad, line in (("x\n1\n", 1), ("x,y\n1\n", 2), ("x,y\n1,2\n", 2), ("x,y\n1,1\n1,a\n", 3), ("", 1)):
        path.write_text(bad)
        assert f"points.csv:{line}:" in one_line_error(run("eval", "x ⊙ ¬y", "--csv", path))
    path.write_text("x,y\n" + "9" * 200_000 + ",1\n")
    one_line_error(run("eval", "x ⊙ ¬y", "--csv", path))
    one_line_error(run("eval", "x ⊙ ¬y", "--csv", path, "--at", "x=1"))


# -- measure, convert -------------------------------------------------------------------------------------------------


def test_measure(run):
    data = json.loads(run("measure", "(x ⊕ x) ⊙ ¬(x ⊙ x)", "--json")[1])
    assert data == {"length": "4", "size": 5, "depth": 3, "logic": "mv", "variables": ["x"], "outputs": ["y1"],
                    "operators": {"variable": 1, "¬": 1, "⊕": 1, "⊙": 2}}  # fmt: skip
    assert re.search(r"length +4\n", run("measure", "(x ⊕ x) ⊙ ¬(x ⊙ x)")[1])
    assert "formula:1:6:" in one_line_error(run("measure", "x ⊕ ("))
    assert "formula:2:3:" in one_line_error(run("measure", "x ⊕\ny )"))


def test_convert_between_all_formats(run, tmp_path):
    expected = {"f.mv": "verimv-formula 1", "f.txt": "(x ⊕ x) ⊙ ¬y\n", "f.asc": "(x (+) x) (*) ~y\n",
                "f.tex": r"\left(x \oplus x\right) \odot \lnot y", "f.py": "Max(0, Min(1, x + x) + (1 - y) - 1)\n",
                "f.json": '{"format": "verimv-network"'}  # fmt: skip
    for name, start in expected.items():
        assert run("convert", "(x ⊕ x) ⊙ ¬y", "-o", tmp_path / name)[0] == 0
        assert (tmp_path / name).read_text(encoding="utf-8").startswith(start)
    for name in ("f.mv", "f.txt", "f.asc"):
        assert run("convert", tmp_path / name, "--to", "text", "-o", "-")[1] == "(x ⊕ x) ⊙ ¬y\n"
    assert load(tmp_path / "f.json")("1/4", "1/4") == Fraction(1, 4)
    assert run("convert", tmp_path / "f.json", "-o", tmp_path / "g.json")[0] == 0
    assert (
        (tmp_path / "g.json").read_text()
        == (tmp_path / "f.json").read_text()
        == "".join(write_network(load(tmp_path / "f.json")))
    )


def test_convert_refuses(run, tmp_path, hat):
    assert "cannot tell the format" in one_line_error(run("convert", "x", "-o", tmp_path / "f.xyz"))
    assert "verimv extract" in one_line_error(run("convert", hat, "-o", tmp_path / "f.mv"))
    one_line_error(run("convert", "x", "-o", tmp_path / "none" / "f.mv"))
    one_line_error(run("convert", "x ⊕", "-o", tmp_path / "f.mv"))
    assert [p.name for p in tmp_path.iterdir()] == ["hat.json"]


@pytest.mark.skipif(os.geteuid() != 0, reason="only root makes devices")
def test_devices_are_written_to_not_replaced(run, tmp_path):
    try:
        os.mknod(tmp_path / "null", 0o666 | stat.S_IFCHR, os.makedev(1, 3))
    except PermissionError:
        pytest.skip("no devices here")
    assert run("convert", "x", "--to", "mv", "-o", tmp_path / "null")[0] == 0
    assert not (tmp_path / "null").is_file()


@pytest.mark.parametrize("formula", ["y1 ⊕ y1", "t1 ⊕ (t1 ⊙ y1)", "x"])
def test_awkward_names_survive_mv_files(run, tmp_path, formula):
    assert run("convert", formula, "-o", tmp_path / "f.mv")[0] == 0
    assert run("convert", tmp_path / "f.mv", "--to", "text", "-o", "-")[1].strip() in (
        formula,
        formula.replace("(", "").replace(")", ""),
    )


def test_numbers_that_could_not_be_read_back_are_not_written(run, tmp_path):
    path = tmp_path / "n.json"
    wide = f"1/7{'1' * 3000}"
    layers = [{"weights": [[wide]], "bias": ["0"], "activation": "crelu"}]
    path.write_text(json.dumps(HAT | {"box": [["0", f"1/3{'1' * 3000}"]], "layers": layers}))
    assert "digits arises" in one_line_error(run("extract", path, "-o", tmp_path / "out"), 3)
    assert not (tmp_path / "out").exists()


# -- the parser -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("words", [[], ["nonsense"], ["extract"], ["measure", "x", "y"], ["eval", "x", "--timeout", "0"], ["eval", "x", "--timeout", "nan"], ["eval", "x", "--memory", "-1"], ["extract", "x", "--logic", "fuzzy"]])  # fmt: skip
def test_wrong_calls_are_one_line_and_exit_2(capsys, words):
    with pytest.raises(SystemExit) as error:
        main(words)
    assert error.value.code == 2
    assert capsys.readouterr().err.count("\n") == 1


@pytest.mark.parametrize("command", ["extract", "eval", "measure", "convert", "bench"])
def test_every_help_shows_an_example(capsys, command):
    with pytest.raises(SystemExit) as error:
        main([command, "--help"])
    text = capsys.readouterr().out
    assert error.value.code == 0
    assert f"verimv {command}" in text.split("example:")[1]
    assert "exit codes" in text


def test_a_weight_that_would_grow_without_end(run, tmp_path):
    path = tmp_path / "net.json"
    layer = {"weights": [["*".join(["1e4200"] * 1000)]], "bias": ["0"], "activation": "relu"}
    path.write_text(json.dumps({"format": "verimv-network", "version": 1, "layers": [layer]}))
    message = one_line_error(run("bounds", path))
    assert "layers[0].weights[0][0]: a number with more than 4300 digits" in message
