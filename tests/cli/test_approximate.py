"""`verimv approximate`: the table, its data, what is picked and written, and one line for what is wrong."""

import json

import pytest

from tests.cli.conftest import VALID, one_line_error

#: On a box of its own; its names have identifiers.
NETWORK = {
    "format": "verimv-network", "version": 1, "inputs": ["mean_heat", "damp"], "box": [["10", "30"], ["0", "100"]],
    "layers": [{"weights": [["0.1", "0"], ["0", "-0.02"]], "bias": ["-1", "1"], "activation": "crelu"},
               {"weights": [["1/2", "1/2"]], "bias": ["0"], "activation": "identity"}],
    "outputs": ["comfort"],
}  # fmt: skip


@pytest.fixture
def network(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "net.json").write_text(json.dumps(NETWORK), encoding="utf-8")
    tables = {
        "named": "class,damp,mean heat\n1,0,30\n0,100,10\n1,100,10\n1,0,31\n",
        "ordered": "a,b\n30,0\n10,100\n",
        "bare": "30,0\n10,100\n",
        "lacking": "mean_heat,c\n30,0\n",
        "three": "a,b,c\n30,0,1\n",
        "nan": "mean_heat,damp\n30,NaN\n",
        "ragged": "mean_heat,damp\n30\n",
        "outside": "mean_heat,damp\n31,0\n",
        "odd": "mean_heat,damp,class\n30,0,perhaps\n",
        "empty": "mean_heat,damp\n",
    }
    for name, text in tables.items():
        (tmp_path / f"{name}.csv").write_text(text, encoding="utf-8")
    return tmp_path / "net.json"


def test_the_table_with_data(run, network):
    code, out, _ = run(
        "approximate", network, "--within", "constant", "--data", "named.csv", "--label", "class", "--threshold", "1/2"
    )
    assert code == 0
    assert out.splitlines() == [
        "#  within    length  constants  denominator  error at most  at least  agrees  must agree  accuracy",
        "1  exact          4          1            2              0         0  100.0%      100.0%     66.6%",
        "2  constant       0          1            2            0.5       0.5   66.6%        0.0%     33.3%",
        "",
        "errors hold at every point of the box; each is that of a certificate that kernel.py accepts",
        "a formula decides as the network (comfort > 1/2) wherever comfort is farther from 1/2 than the error",
        "data: 3 rows, all values exact; 1 outside the box is left out",
        "the network decides 66.6% as labelled",
        "a constant is within 0.5: the formula is 1/2",
        "",
        '1: Δ[1/2]¬(damp ⊕ damp) ⊕ Δ[1/2]("mean heat" ⊕ "mean heat")',
        "2: Δ[1/2]1",
    ]


@pytest.mark.parametrize("table", ["ordered", "bare"])
def test_columns_in_order_are_told(run, network, table):
    code, out, _ = run("approximate", network, "--within", "constant", "--data", f"{table}.csv")
    assert code == 0
    assert "they are taken in the order of the inputs" in out
    assert ("Δ[1/2](a ⊕ a)" in out) == (table == "ordered")


def test_json_is_exact_and_the_picture_has_a_dot_for_each(run, network, tmp_path):
    words = ["approximate", network, "--within", "constant", "--json", "--plot", "front.svg", "--numbers", "decimal"]
    data = json.loads(run(*words)[1])
    assert [row["proved"] for row in data["rows"]] == ["0", "1/2"]
    assert [row["length"] for row in data["rows"]] == ["4", "0"]
    assert data["plot"] == "front.svg"
    picture = (tmp_path / "front.svg").read_text(encoding="utf-8")
    assert picture.count("<circle") == 2
    assert "error at most 0.5, at least 0.5" in picture
    assert run(*words, "--data", "named.csv", "--threshold", "1/2")[0] == 0
    picture = (tmp_path / "front.svg").read_text(encoding="utf-8")
    assert picture.count("<circle") == 2 + 2 * 2 + 2  # lengths, both shares, and their legend
    assert "2: constant; must agree at 0.0% of the rows" in picture


def test_what_is_picked_is_written_and_valid(run, network, tmp_path):
    code, out, _ = run("approximate", network, "--within", "constant", "--pick", "50%", "-o", "picked")
    assert code == 0
    assert "\nrow 2:\nΔ[1/2]1\n" in out
    assert out.endswith("written to picked/\n")
    assert run("check", "picked")[1].splitlines()[0] == VALID
    assert run("extract", network, "--within", "0.5", "-o", "extracted", "--quiet")[0] == 0
    for name in ("formula.mv", "network.json", "other.json", "certificate.jsonl"):
        assert (tmp_path / "picked" / name).read_bytes() == (tmp_path / "extracted" / name).read_bytes()
    summary = json.loads((tmp_path / "picked" / "summary.json").read_text(encoding="utf-8"))
    assert len(summary["proofs"]) == 2  # of each kernel once
    code, out, _ = run("approximate", network, "--within", "constant", "--pick", "1", "--json")
    assert (code, json.loads(out)["picked"]["status"]) == (0, "certified")


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("-o out", "choose it with --pick"),
        ("--pick 3 -o out", "at most 2 rows"),
        ("--pick 0 -o out", "counted from 1"),
        ("--pick first -o out", "expected a number, or a percentage"),
        ("--pick 0.0 -o out", "above 0"),
        ("--within 0", "above 0"),
        ("--within 5%,nan", "--within nan: expected a number"),
        ("--within=-1", "above 0"),
        ("--within -5%", "above 0"),
        ("--label class", "give that with --data"),
        ("--plot front.png", "ends in .svg"),
        ("--plot nowhere/front.svg", "no such directory"),
        ("--threshold high", "--threshold: expected a number"),
        ("--data nowhere.csv", "no such file"),
        ("--data lacking.csv", "lacking.csv:1: no column for 'damp'"),
        ("--data three.csv", "or 2 columns in the order of the inputs, found 3"),
        ("--data nan.csv", "nan.csv:2:"),
        ("--data ragged.csv", "ragged.csv:2: expected 2 cells, found 1"),
        ("--data outside.csv", "no row lies in the box of the network (1 outside)"),
        ("--data empty.csv", "expected rows of numbers, found none"),
        ("--data named.csv --label klass", "the column 'klass' does not exist"),
        ("--data bare.csv --label class", "the first line has numbers"),
        ("--data odd.csv --label class", "label 'perhaps': expected 1 or 0"),
    ],
)
def test_one_line_and_nothing_is_written(run, network, tmp_path, words, told):
    before = sorted(tmp_path.iterdir())
    given = words.split()
    within = [] if "--within" in words else ["--within", "constant"]
    assert told in one_line_error(run("approximate", network, *within, *given))
    assert sorted(tmp_path.iterdir()) == before
