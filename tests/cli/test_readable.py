"""--numbers and --names: what people see; files and JSON stay exact and plain."""

import json

import pytest

NETWORK = {
    "format": "verimv-network", "version": 1, "box": [["0", "10"], ["-1", "1"]],
    "layers": [{"weights": [["1/70001", "1/3"]], "bias": ["1/3"], "activation": "crelu"}],
}  # fmt: skip
NAMES = "mean radius\nworst, area\nis malign\n"


@pytest.fixture
def files(tmp_path):
    paths = {"network": tmp_path / "net.json", "names": tmp_path / "names.txt", "table": tmp_path / "points.csv"}
    paths["network"].write_text(json.dumps(NETWORK), encoding="utf-8")
    paths["names"].write_text(NAMES, encoding="utf-8")
    paths["table"].write_text('"worst, area",mean radius\n0.5,3\n-1/2,1/3\n', encoding="utf-8")
    return paths


def test_full_names_are_shown_and_identifiers_written(run, files, tmp_path):
    out = tmp_path / "out"
    code, told, _ = run("extract", files["network"], "--names", files["names"], "-o", out)
    assert code == 0
    assert '"mean radius"' in told
    assert '"worst, area"' in told
    formula = (out / "formula.mv").read_text(encoding="utf-8")
    assert "inputs mean_radius worst_area\n" in formula
    assert "≈" not in formula
    summary = json.loads((out / "summary.json").read_text(encoding="utf-8"))
    assert summary["names"] == {"mean_radius": "mean radius", "worst_area": "worst, area", "is_malign": "is malign"}
    assert run("check", out)[0] == 0
    at = 'mean radius=3,"worst, area"=1/2'
    values = [run("eval", out, "--at", words, "--numbers", "exact")[1]
              for words in (at, "mean_radius=3,worst_area=0.5", '{"mean radius": 3, "worst, area": "1/2"}', "[3, 0.5]",
                            f"{files['table']}:1")]  # fmt: skip
    named = run("eval", files["network"], "--names", files["names"], "--at", at, "--numbers", "exact")
    assert set(values) == {named[1]} == {"70007/140002\n"}


@pytest.mark.parametrize(
    ("numbers", "told"),
    [
        ("exact", "70007/140002"),
        ("decimal", "≈0.500043"),
        ("both", "70007/140002 (≈0.500043)"),
        ("auto", "70007/140002 (≈0.500043)"),
    ],
)
def test_numbers_of_a_value(run, files, numbers, told):
    words = () if numbers == "auto" else ("--numbers", numbers)
    assert run("eval", files["network"], "--at", "x1=3,x2=1/2", *words)[1] == told + "\n"
    out = json.loads(run("eval", files["network"], "--at", "x1=3,x2=1/2", "--json", *words)[1])
    assert out["outputs"] == {"y1": "70007/140002"}


def test_a_table_has_the_names_of_the_network(run, files):
    words = ("eval", files["network"], "--names", files["names"], "--csv", files["table"])
    assert run(*words)[1].splitlines()[:2] == ['"worst, area",mean radius,is malign', "1/2,3,70007/140002"]
    assert run(*words, "--numbers", "decimal")[1].splitlines()[1] == "0.5,3,0.50004285653062099"
    assert run(*words, "--numbers", "both")[1].splitlines()[1] == "1/2 (0.5),3,70007/140002 (0.50004285653062099)"


def test_constants_of_a_formula(run):
    formula = "D[12345/67891]x (+) D[12346/67891]y"
    lines = run("simplify", formula, "--effort", "0.1", "--numbers", "both")[1].splitlines()
    assert lines[0] == "Δ[≈0.1818]x ⊕ Δ[≈0.1819]y"
    assert lines[2:4] == ["≈0.1818 is 12345/67891", "≈0.1819 is 12346/67891"]
    assert run("simplify", formula, "--effort", "0.1", "--numbers", "exact")[1].startswith("Δ[12345/67891]x")
    code, _, err = run("eval", lines[0], "--at", "x=1,y=1")
    assert code == 2
    assert "≈ marks a rounded number" in err


def test_values_that_differ_are_not_shown_as_equal(run):
    out = run("equiv", "D[12345678/67891234]x", "D[12345679/67891234]x")[1]
    assert "left = 6172839/33945617 (≈0.181845), right = 12345679/67891234 (≈0.181845)" in out


@pytest.mark.parametrize(
    ("names", "words", "told"),
    [
        ("a\nb\nc\nd\n", (), "expected 2 names of inputs, or these and 1 of outputs, found 4"),
        ("a\na\n", (), "the name 'a' occurs twice"),
        ("a\nb\n", ("--at", "c=1"), "--at: c is not an input: the inputs are a, b"),
        ("a b\nb\n", ("--at", "a b=1,a_b=2"), "--at: a_b is given twice"),
        ("a b\nb\n", ("--at", "b=1"), "no value for a b"),
        ("a b\nb\n", ("--at", "[1]"), "expected 2 numbers, found 1"),
        ("a b\nb\n", ("--at", "[1, [2]]"), "expected an object"),
        ("a b\nb\n", ("--at", '{"b": NaN, "a b": 0}'), "expected a number, found 'NaN'"),
        ("a b\nb\n", ("--at", "{"), "is not JSON"),
        ("a b\nb\n", ("--at", '"a b'), "expected name=number"),
        ("a b\nb\n", ("--at", "{table}:3"), "no row 3: there are 2 below the header"),
        ("a b\nb\n", ("--at", "{table}:1"), "no value for a b, b"),
        ("a b\nb\n", ("--at", "none.csv:1"), "no such file"),
    ],
)
def test_bad_names_and_points(run, files, names, words, told):
    files["names"].write_text(names, encoding="utf-8")
    words = [word.replace("{table}", str(files["table"])) for word in words or ("--at", "a=1,b=1")]
    code, out, err = run("eval", files["network"], "--names", files["names"], *words)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


def test_names_wherever_a_network_is_read(run, files, tmp_path):
    files["names"].write_text("a b\nc d\nhigh score\n", encoding="utf-8")
    names = ("--names", files["names"])
    code, out, _ = run("bounds", files["network"], *names, "--output", "high score")
    assert code == 0
    assert out.splitlines()[-1].endswith("  high score")
    assert run("bounds", files["network"], "--output", "high score")[0] == 2
    assert run("convert", files["network"], *names, "-o", tmp_path / "named.json")[0] == 0
    assert '"inputs": ["a b", "c d"]' in (tmp_path / "named.json").read_text(encoding="utf-8")
    for command in ("equiv", "distance"):
        code, out, _ = run(command, files["network"], '"a b" ∧ ¬"a b"', *names)
        assert code in (0, 1)
        assert '"a b"=' in out
        assert run(command, "x", "y", *names)[0] == 2


def test_a_formula_has_no_names(run, files):
    code, _, err = run("eval", "x ⊕ y", "--names", files["names"], "--at", "x=1,y=0")
    assert code == 2
    assert "--names need a network" in err


def test_a_screen_that_cannot_show_the_sign_gets_another(run, files, capsys, monkeypatch):
    import io
    import sys

    screen = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    monkeypatch.setattr(sys, "stdout", screen)
    run("eval", files["network"], "--at", "x1=3,x2=1/2", "--numbers", "decimal")
    screen.flush()
    assert screen.buffer.getvalue() == b"~0.500043\n"
