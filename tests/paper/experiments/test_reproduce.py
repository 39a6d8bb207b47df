"""The paper's experiments in small: verified, resumable, the same in parallel; claims decided by numbers."""

import csv
import json
from dataclasses import replace

import pytest

from tests.cli.conftest import one_line_error
from verimv import InputError, parse
from verimv.cli import main
from verimv.core.errors import InternalError
from verimv.exact import Rational
from verimv.paper.experiments import comparison, figures
from verimv.paper.experiments import means as curves
from verimv.paper.experiments import sentences as claims
from verimv.paper.experiments.campaign import EXPERIMENTS, ExperimentRecord, perform
from verimv.paper.experiments.comparison import UnivariateRuns, run_lengths
from verimv.paper.experiments.source_check import check_breakpoints, check_source, pieces, solver_proves
from verimv.pieces.piecewise import function_of

HAT = parse("(x ⊕ x) ⊙ ¬(x ⊙ x)")


def silent(stage, done, total):
    pass


def filled(name, runs, rows):
    """A record with these rows at every x: one row, or a function of x."""
    record = ExperimentRecord(EXPERIMENTS[name], "1")
    record.add((x, run, dict(rows(x, run))) for x in record.experiment.xs for run in range(runs))
    return record


# -- verification ------------------------------------------------------------------------------------------------------


def test_the_solver_accepts_and_refutes():
    boxes = pieces(function_of(HAT))
    assert solver_proves(HAT, parse("(x ⊕ x) ∧ (¬x ⊕ ¬x)"), boxes)
    assert solver_proves(HAT, parse("(x ⊕ x) ∧ (¬x ⊕ ¬x)"))
    for wanted in (boxes, None):
        with pytest.raises(InternalError, match="differs from its source"):
            solver_proves(HAT, parse("x ⊕ x"), wanted)


def test_a_solver_without_time_proves_nothing():
    assert not solver_proves(HAT, parse("(x ⊕ x) ∧ (¬x ⊕ ¬x)"), seconds=0.0)


def test_undecided_boxes_are_halved(monkeypatch):
    asked = []
    real = comparison.solver_proves.__globals__["SOLVERS"]["z3"]

    def gives_up_on_the_whole(program, condition, names, seconds):
        asked.append(program.ranges[0])
        answer = real(program, condition, names, seconds)
        whole = program.ranges[0] == (0, 1)
        return type(answer)("unknown", reason="told to") if whole else answer

    monkeypatch.setitem(comparison.solver_proves.__globals__["SOLVERS"], "z3", gives_up_on_the_whole)
    assert solver_proves(parse("x ⊙ (x → y)"), parse("x ∧ (y ⊕ 0)"))
    assert solver_proves(HAT, parse("(x ⊕ x) ∧ (¬x ⊕ ¬x)"))
    assert (0, 1) in asked


def test_breakpoints_that_differ_are_a_bug():
    with pytest.raises(InternalError, match="differs from its source"):
        check_breakpoints(HAT, function_of(HAT), parse("x"))
    with pytest.raises(InternalError, match="Farey samples"):
        check_source(HAT, function_of(parse("x")))


def test_terms_with_the_same_function_share_its_formulas():
    runs = UnivariateRuns()
    first = runs.run(parse("x ⊕ x"), shallow=True)
    second = runs.run(parse("(x ⊕ x) ∧ (x ⊕ x ⊕ x)"), shallow=True)
    assert first["unverified"] == second["unverified"] == 0
    assert (first["source"], second["source"]) == (2, 8)
    assert all(first[name] == second[name] for name in comparison.FROM_FUNCTIONS)


# -- runs --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("s", [1, 2, 3])
def test_the_sawtooth(s):
    row = run_lengths(s, "")
    assert row["unverified"] == 0
    assert row["deep"] == 4**s
    assert row["compact"] <= row["deep"]
    assert row["breakpoints"] == 2**s - 1
    assert min(row[name] for name in comparison.FROM_FUNCTIONS) >= row["deep"]


@pytest.mark.parametrize("name", ["random", "compositions", "multivariate"])
def test_runs_are_verified_and_deep_networks_keep_the_length(name):
    experiment = EXPERIMENTS[name]
    for run in range(3):
        row = experiment.run(experiment.xs[1], f"1/{name}/{run}")
        assert row["unverified"] == 0
        assert row["uncertified"] == 0
        assert row.get("minimum", 0) <= row["simplified"] <= row["compact"] <= row["deep"] <= row["source"]
        assert set(row) <= set(experiment.columns)


def test_records_go_on_where_they_stopped(tmp_path):
    experiment = EXPERIMENTS["breakpoints"]
    whole = ExperimentRecord(experiment, "7", tmp_path / "whole.csv")
    perform([whole], 3, silent, workers=1)
    text = (tmp_path / "whole.csv").read_text()
    (tmp_path / "part.csv").write_text(text[: len(text) // 2])  # a row is cut off in the middle
    part = ExperimentRecord(experiment, "7", tmp_path / "part.csv")
    assert 0 < len(part.missing(3)) < len(whole.rows)
    perform([part], 3, silent, workers=1)
    assert part.rows == whole.rows == ExperimentRecord(experiment, "7", tmp_path / "part.csv").rows
    perform([part], 3, lambda stage, done, total: pytest.fail("nothing is left to do"), workers=1)


def test_runs_that_the_solver_left_open_are_done_again(tmp_path):
    path = tmp_path / "breakpoints-runs.csv"
    path.write_text("x,run,seed,breakpoints,breakpoints_any,unverified\n4,0,1,9,9,1\n5,0,1,9,9,0\n")
    record = ExperimentRecord(EXPERIMENTS["breakpoints"], "1", path)
    assert (4, 0) in record.missing(1)
    assert (5, 0) not in record.missing(1)


def test_an_open_run_is_no_success(monkeypatch, capsys):
    experiment = EXPERIMENTS["breakpoints"]
    open_run = replace(experiment, run=lambda x, seed: {"breakpoints": 1, "unverified": 1}, xs=[4])
    monkeypatch.setitem(EXPERIMENTS, "breakpoints", open_run)
    assert main(["reproduce", "breakpoints", "--runs", "1"]) == 3


def test_workers_do_not_change_the_numbers():
    records = [ExperimentRecord(EXPERIMENTS["breakpoints"], "7") for _ in range(2)]
    seen = []
    perform(records[:1], 2, lambda stage, done, total: seen.append((done, total)), workers=2)
    perform(records[1:], 2, silent, workers=1)
    assert records[0].rows == records[1].rows
    assert seen[-1] == (22, 22)


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("", "not a record of this experiment"),
        ("x,run\n", "not a record of this experiment"),
        ("x,run,seed,breakpoints,breakpoints_any,unverified\n4,0,1,two,0,0\n", "expected an integer for each column"),
        ("x,run,seed,breakpoints,breakpoints_any,unverified\n4,0,1\n", "expected an integer for each column"),
        ("x,run,seed,breakpoints,breakpoints_any,unverified\n4,0,2,1,1,0\n", "holds runs with the seed 2, not 1"),
    ],
)
def test_records_that_are_none(tmp_path, text, reason):
    path = tmp_path / "breakpoints-runs.csv"
    path.write_text(text)
    with pytest.raises(InputError, match=reason):
        ExperimentRecord(EXPERIMENTS["breakpoints"], "1", path)


# -- curves, claims, figures -------------------------------------------------------------------------------------------


def test_curves():
    record = filled("breakpoints", 4, lambda x, run: {"breakpoints": x + run, "unverified": 0})
    point = curves.curve(record, "breakpoints", 4)[0]
    assert (point.x, point.mean, point.least, point.most, point.runs) == (4, Rational(11, 2), 4, 7, 4)
    assert 4 <= point.low < 5.5 < point.high <= 7
    assert curves.curve(record, "breakpoints", 2)[0].mean == Rational(9, 2)
    rows = list(csv.DictReader(curves.to_csv(record, 4).splitlines()))
    assert rows[0] == {"column": "breakpoints", "x": "4", "runs": "4", "mean": "5.5", "low": rows[0]["low"], "high": rows[0]["high"], "median": "5.5", "least": "4", "most": "7"}  # fmt: skip


def lengths_like(**changes):
    """As the paper's figure 4 would have it, but for the changes."""

    def row(x, run):
        values = {"source": x, "deep": x, "compact": x, "simplified": x - 1, "breakpoints": run, "unverified": 0}
        values |= {"minimum": x - 1, "uncertified": 0} if x < 12 else {"uncertified": 0}
        values |= dict.fromkeys(("schauder", "hyperplane", "hyperplane_few", "shallow"), 10 * x * (run + 1))
        return values | {name: change(x) for name, change in changes.items()}

    return row


@pytest.mark.parametrize(
    ("changes", "broken"),
    [
        ({}, []),
        ({"deep": lambda x: 2 * x, "compact": lambda x: x}, ["almost as long"]),
        ({"hyperplane": lambda x: x - 1}, ["shortest formulas", "governed by"]),
        ({"compact": lambda x: x + (x == 9)}, ["(ours) compact"]),
        ({"simplified": lambda x: 2 * x}, ["(ours) simplified", "(ours) where the minimum"]),
        ({"uncertified": lambda x: int(x == 5)}, ["(ours) every simplified"]),
        ({"unverified": lambda x: int(x == 5)}, ["equals its source"]),
    ],
)
def test_claims_follow_the_numbers(changes, broken):
    record = filled("random", 3, lengths_like(**changes))
    found = claims.claims(record, 3)
    assert len(found) == 8
    for claim in found:
        assert claim.holds == (not any(word in claim.text for word in broken)), claim
    assert claims.text(record, 3).count("DOES NOT HOLD") == len(broken)


def test_claims_about_the_sawtooth():
    def row(s, run):
        return {"deep": 4**s, "compact": 4**s, "shallow": 2 ** 2 ** (s + 1), "schauder": 16**s, "hyperplane": 9**s,
                "hyperplane_few": 5**s, "breakpoints": 2**s - 1, "unverified": 0}  # fmt: skip

    assert all(claim.holds for claim in claims.claims(filled("lengths", 1, row), 1))
    slower = filled("lengths", 1, lambda s, run: row(s, run) | {"shallow": 5**s, "hyperplane": 7**s, "deep": 4**s + 1})
    broken = [claim.text for claim in claims.claims(slower, 1) if not claim.holds]
    assert len(broken) == 3
    assert "4^s" in broken[0]


def test_claims_about_breakpoints():
    def row(x, run):
        return {"breakpoints": x, "breakpoints_any": x % 3, "unverified": 0}

    record = filled("breakpoints", 2, row)
    anyhow, acting = claims.claims(record, 2)
    assert (anyhow.holds, acting.holds) == (True, False)
    assert "why: each operator that acts" in claims.text(record, 2)


@pytest.mark.parametrize(("slowest", "holds"), [(lambda s: 2**s, True), (lambda s: 40 + 5 * s, False)])
def test_claims_about_growth(slowest, holds):
    """One step of the means may be small by chance; the growth over all steps decides."""

    def row(s, run):
        lengths = {"deep": 2 ** (s + (s == 2)), "compact": 2**s, "schauder": 9**s, "hyperplane": 90 * slowest(s)}
        lengths |= {"simplified": 2**s, "uncertified": 0}
        return lengths | {"source": 2**s, "hyperplane_few": 90**s, "breakpoints": s, "unverified": 0}

    growth = claims.claims(filled("compositions", 2, row), 2)[0]
    assert "exponentially" in growth.text
    assert growth.holds == holds


@pytest.mark.parametrize("name", EXPERIMENTS)
def test_figures(name):
    record = filled(name, 3, lambda x, run: dict.fromkeys(EXPERIMENTS[name].columns, x * (run + 1)))
    drawn = figures.draw(record, 3)
    assert drawn["png"].startswith(b"\x89PNG")
    assert b"<svg" in drawn["svg"]
    assert record.experiment.x_label.encode() in drawn["svg"]
    assert figures.draw(record, 3) == drawn


# -- the command -------------------------------------------------------------------------------------------------------


def test_the_command(tmp_path, capsys):
    out = tmp_path / "out"
    assert main(["reproduce", "breakpoints", "--runs", "2", "--seed", "3", "-o", str(out), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)["breakpoints"]
    assert [point["runs"] for point in data["curves"]["breakpoints"]] == [2] * 11
    names = {"breakpoints.csv", "breakpoints-runs.csv", "breakpoints.txt", "breakpoints.svg", "breakpoints.png"}
    assert {path.name for path in out.iterdir()} == names
    before = (out / "breakpoints-runs.csv").read_bytes()
    assert main(["reproduce", "breakpoints", "--runs", "2", "--seed", "3", "-o", str(out)]) == 0
    assert capsys.readouterr().out == (out / "breakpoints.txt").read_text()
    assert (out / "breakpoints-runs.csv").read_bytes() == before


def test_without_matplotlib(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("verimv.cli.commands.reproduce.available", lambda: False)
    assert main(["reproduce", "breakpoints", "--runs", "1", "-o", str(tmp_path)]) == 0
    assert "no figures: matplotlib is not installed" in capsys.readouterr().out
    assert not list(tmp_path.glob("*.png"))


def test_bad_calls(tmp_path, capsys):
    (tmp_path / "file").write_text("")

    def run(*words):
        code = main([*words])
        captured = capsys.readouterr()
        return code, captured.out, captured.err

    assert "not a directory" in one_line_error(run("reproduce", "breakpoints", "-o", str(tmp_path / "file")))
    assert "cannot write" in one_line_error(run("reproduce", "breakpoints", "-o", str(tmp_path / "file" / "deeper")))
    (tmp_path / "breakpoints-runs.csv").write_text("something else\n")
    assert "not a record" in one_line_error(run("reproduce", "breakpoints", "-o", str(tmp_path)))
    for words in (["nothing"], ["all", "--runs", "0"], ["all", "--seed", "x"]):
        with pytest.raises(SystemExit) as error:
            main(["reproduce", *words])
        assert error.value.code == 2


@pytest.mark.slow
def test_everything_with_few_runs(tmp_path, capsys):
    assert main(["reproduce", "all", "--runs", "5", "-o", str(tmp_path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)
    assert set(data) == set(EXPERIMENTS)
    for experiment in data.values():
        assert all(claim["holds"] for claim in experiment["claims"] if "equals its source" in claim["text"])
    assert all(claim["holds"] for claim in data["lengths"]["claims"])
