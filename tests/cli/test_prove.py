"""`verimv prove`, as people use it."""

import json
import shutil
import subprocess

import pytest
import z3

from tests.certificate import hostile
from tests.certificate.test_kernel import FOLDER
from tests.cli.conftest import one_line_error


@pytest.fixture
def directory(hat, tmp_path, run):
    assert run("extract", hat, "-o", tmp_path / "out", "--quiet")[0] == 0
    return tmp_path / "out"


def test_by_all_solvers(directory, run):
    code, text, _ = run("prove", directory, "--solver", "all", "--quiet")
    first, statement, *told = text.splitlines()
    assert (code, first, statement) == (0, "proved", "y1 = formula on [0,1]")
    assert [line.split()[0] for line in told] == ["z3", "cvc5"]
    assert all("proved" in line and "obligations by" in line for line in told)
    proofs = json.loads((directory / "summary.json").read_text())["proofs"][-2:]
    assert [(entry["solver"], entry["verdict"], entry["answer"]) for entry in proofs] == [
        ("z3", "proved", "unsat"),
        ("cvc5", "proved", "unsat"),
    ]
    assert {entry["claim"] for entry in proofs} == {"every line of the certificate"}


def test_json(directory, run):
    data = json.loads(run("prove", directory, "--json")[1])
    assert (data["status"], data["statement"]) == ("proved", ["y1 = formula on [0,1]"])
    (item,) = data["evidence"]
    assert 0 < item["queries"] <= item["obligations"]


def test_workers(directory, run):
    assert run("prove", directory, "--workers", 2, "--quiet")[0] == 0


def test_emit(directory, tmp_path, run):
    assert run("prove", directory, "--emit", tmp_path / "queries", "--quiet")[0] == 0
    index = json.loads((tmp_path / "queries" / "index.json").read_text())
    scripts = {path.name for path in (tmp_path / "queries").glob("*.smt2")}
    assert {entry["file"] for entry in index["queries"]} == scripts
    for name in scripts:
        solver = z3.Solver()
        solver.from_file(str(tmp_path / "queries" / name))
        assert solver.check() == z3.unsat
    if shutil.which("make") and shutil.which("z3"):
        subprocess.run(["make", "-C", tmp_path / "queries"], check=True, capture_output=True)


def test_queries_of_an_earlier_proof_are_removed(directory, tmp_path, run):
    queries = tmp_path / "queries"
    queries.mkdir()
    (queries / "old.smt2").write_text("(check-sat)")
    (queries / "mine.smt2").write_text("(check-sat)")
    (queries / "index.json").write_text(json.dumps({"queries": [{"file": "old.smt2"}, {"file": "../mine.smt2"}]}))
    (tmp_path / "mine.smt2").write_text("(check-sat)")
    assert run("prove", directory, "--emit", queries, "--quiet")[0] == 0
    assert not (queries / "old.smt2").exists()
    assert (queries / "mine.smt2").exists()
    assert (tmp_path / "mine.smt2").exists()


def test_monolithic(directory, run):
    code, text, _ = run("prove", directory, "--mode", "monolithic", "--solver", "all", "--quiet")
    assert (code, text.splitlines()[0]) == (0, "proved: network = formula")
    assert json.loads((directory / "summary.json").read_text())["proofs"][-1]["claim"] == "network = formula"


@pytest.mark.parametrize(("name", "old", "new"), [("formula.mv", "⊙", "⊕"), ("network.json", '"-1"', '"-2"')])
def test_files_that_were_edited(name, old, new, directory, run):
    text = (directory / name).read_text()
    (directory / name).write_text(text.replace(old, new, 1))
    code, text, _ = run("prove", directory, "--quiet")
    assert (code, text.startswith("refuted: invalid: expected the ")) == (1, True)
    assert json.loads((directory / "summary.json").read_text())["proofs"][-1]["verdict"] == "refuted"


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_a_wrong_line_is_named_with_a_point(solver, run):
    code, text, _ = run("prove", FOLDER / "invalid" / "lemma-upside-down", "--solver", solver, "--quiet")
    assert code == 1
    assert text.startswith("refuted: line ")
    assert ", rule lemma: expected " in text
    assert "; at " in text


def test_no_certificate(tmp_path, run):
    one_line_error(run("prove", tmp_path / "none", "--quiet"))
    assert "certificate" in one_line_error(run("prove", tmp_path, "--quiet"))


def test_a_summary_that_is_none(directory, run):
    (directory / "summary.json").write_text("[]")
    one_line_error(run("prove", directory, "--quiet"))


def test_malformed(run):
    for name in ("argument-missing", "bound-multipliers-missing", "bound-case-unknown", "factor-above-1"):
        assert "line " in one_line_error(run("prove", FOLDER / "malformed" / name, "--quiet")), name


def test_incomplete(run):
    code, text, _ = run("prove", FOLDER / "incomplete" / "bound-assumed", "--quiet")
    assert code == 3
    assert "incomplete: 1 bounds have no evidence" in text


def test_no_time(directory, run):
    code, out, err = run("prove", directory, "--timeout", "0.001", "--quiet")
    assert code == 3
    assert "Traceback" not in out + err


@pytest.mark.parametrize(
    "name",
    ["a_line_nested_deeply", "deep_splits", "long_denominators", "long_shared_factors", "many_plus", "roots_in_a_leaf"],
)
# A limit may be noticed first by a callback of Hypothesis during garbage collection, which cannot raise it.
@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_hostile_files(name, tmp_path, run):
    """They are refused, or time or memory end first."""
    directory = hostile.write(name, tmp_path / "files")
    code, out, err = run("prove", directory, "--timeout", "1", "--quiet")
    assert code in (1, 2, 3)
    assert "Traceback" not in out + err
