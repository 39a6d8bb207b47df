"""`verimv explain`: points in all their forms, directories, and one line for what is wrong."""

import json

import pytest

from tests.cli.test_readable import NETWORK


@pytest.fixture
def network(tmp_path):
    path = tmp_path / "net.json"
    path.write_text(json.dumps(NETWORK), encoding="utf-8")
    (tmp_path / "points.csv").write_text('mean radius,"worst, area"\n3,0.5\n0,0\n', encoding="utf-8")
    (tmp_path / "more.csv").write_text("x2,class,x1\n0.5,yes,3\n", encoding="utf-8")
    (tmp_path / "point.json").write_text('{"x1": 3, "x2": 0.5}', encoding="utf-8")
    return path


def test_every_form_of_a_point(run, network, tmp_path):
    forms = ["x1=3,x2=1/2", "[3, 0.5]", '{"x2": "1/2", "x1": 3}', tmp_path / "point.json", f"{tmp_path / 'more.csv'}:1"]
    texts = {run("explain", network, "--at", form)[1] for form in forms}
    assert len(texts) == 1
    [text] = texts
    assert text.startswith("y1 = 70007/140002 (≈0.500043)\n")
    code, out, _ = run("explain", network, "--at", f"{tmp_path / 'points.csv'}:1")
    assert code == 0
    assert '1/70001·"mean radius"' in out
    assert "high worst, area (-1 to 1)" in out


def test_tables_of_spreadsheets(run, network, tmp_path):
    expected = run("explain", network, "--at", "x1=3,x2=1/2")[1]
    for name, text in (("a.csv", "\ufeffx1;x2\n3;0.5\n"), ("b.tsv", "x2\tx1\n0.5\t3\n")):
        (tmp_path / name).write_text(text, encoding="utf-8")
        assert run("explain", network, "--at", f"{tmp_path / name}:1")[1] == expected


def test_json_is_exact(run, network):
    data = json.loads(run("explain", network, "--at", "x1=3,x2=1/2", "--json", "--numbers", "decimal")[1])
    assert data["outputs"][0]["value"] == "70007/140002"
    assert data["outputs"][0]["slopes"] == {"x1": "1/70001", "x2": "1/3"}
    assert data["units"] == [
        {"layer": 1, "index": 0, "state": "rising", "argument": "70007/140002", "value": "70007/140002"}
    ]
    assert {change["input"] for change in data["changes"]} == {"x1", "x2"}


def test_a_directory(run, network, tmp_path):
    out = tmp_path / "out"
    names = tmp_path / "names.txt"
    names.write_text("mean radius\nworst, area\n", encoding="utf-8")
    assert run("extract", network, "-o", out, "--names", names)[0] == 0
    code, told, _ = run("explain", out, "--at", 'mean radius=3,"worst, area"=0.5')
    assert code == 0
    assert "  the formula has the value 70007/140002 (≈0.500043)" in told
    assert "  y1 = formula on [0,1]²" in told
    assert run("explain", out, "--at", "[3, 0.5]", "--output", "0")[0] == 2


@pytest.mark.parametrize(
    ("at", "told"),
    [
        ("x1=3", "no value for x2"),
        ("x1=11,x2=0", "x1 = 11 is outside the box [0, 10]"),
        ("x1=3,x2", "expected name=number"),
        ("x1=3,x2=0,x3=1", "x3 is not an input"),
        ("x1=3,x2=1/0", "division by zero"),
        ("x1=3,x2=≈0.5", "≈ marks a rounded number"),
        ("[3]", "expected 2 numbers, found 1"),
        ("nowhere.csv:1", "no such file"),
        ("nowhere.json", "no such file"),
    ],
)
def test_bad_points(run, network, at, told):
    code, out, err = run("explain", network, "--at", at)
    assert (code, out) == (2, "")
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("subject", "told"),
    [
        ("nowhere.json", "no such file"),
        ("{tmp}", "is a directory without a certificate"),
        ("x ⊕ y", "no such file"),
    ],
)
def test_bad_subjects(run, network, tmp_path, subject, told):
    code, _, err = run("explain", subject.replace("{tmp}", str(tmp_path)), "--at", "x=1")
    assert code == 2
    assert told in err
