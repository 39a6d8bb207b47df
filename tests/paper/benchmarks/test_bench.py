"""Benchmarks run and report; their times are nobody's business here."""

import json
from fractions import Fraction

import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from tests.bounding.search.test_far_point import distances
from verimv.cli import main
from verimv.core.choices import BENCHMARKS
from verimv.exact import Rational
from verimv.formulas.formula import parse
from verimv.paper.benchmarks import bench_distance
from verimv.paper.benchmarks.bench_distance import NOISY_HEADER, PairToCompare, on_boxes
from verimv.paper.benchmarks.bench_extract import growth
from verimv.paper.benchmarks.bench_growth import exponent
from verimv.paper.benchmarks.bench_within import CASES
from verimv.paper.experiments.families import random_network, random_term, shallow_network
from verimv.solvers.decide import equal_by_solver


def test_exponents_of_growth():
    """The line nearest to all points, not that through the first and the last."""
    assert exponent([10, 100, 1000], [2.0, 20.0, 200.0]) == pytest.approx(1)
    assert exponent([10, 100, 1000], [1.0, 100.0, 10000.0]) == pytest.approx(2)
    assert exponent([1, 10, 100, 1000], [1.0, 1.0, 1.0, 10.0]) == pytest.approx(0.3)


def test_growth_exponents():
    assert growth([10, 20, 40], [1.0, 2.0, 4.0]) == "1.00"
    assert growth([10, 40], [1.0, 16.0]) == "2.00"
    assert growth([10], [1.0]) == "–"


@pytest.mark.parametrize(("factor", "answer"), [(2, "proved (5)"), (Fraction(1, 2), "undecided")])
def test_noisy_pairs_on_boxes(factor, answer, monkeypatch):
    a, b = random_pair(0, Fraction(1, 64))
    largest = max(distances(a, b))
    monkeypatch.setattr(bench_distance, "NOISY_TOLERANCE", Rational(str(largest * factor)))
    monkeypatch.setattr(bench_distance, "NOISY_EFFORTS", (1, 5) if factor < 1 else (5,))
    row = dict(zip(NOISY_HEADER, on_boxes(PairToCompare("noisy", a, b)), strict=True))
    assert row["with differences"] == answer
    assert Fraction(row["at least"]) <= largest <= Fraction(row["at most"])
    assert (row["ends closed without"] == "4 of 4") == (factor > 1)


def test_random_networks_are_reproducible():
    assert random_network((2, 3, 1), 7) == random_network((2, 3, 1), 7)
    assert random_network((2, 3, 1), 7) != random_network((2, 3, 1), 8)


@pytest.mark.parametrize("text", ["x", "¬x", "(x ⊕ x) ⊙ ¬(x ⊙ x)", "x ⊙ (x ⊕ x ⊕ x)", "x ∧ ¬x", "x ⊕ ¬x"])
def test_a_function_of_one_variable_as_a_shallow_network(text):
    function = parse(text)
    network = shallow_network(function, function.length)
    assert network.number_kind == "integer"
    assert equal_by_solver(network, function).proved


def test_random_terms_have_their_length():
    term = random_term(30, 3, 1)
    assert (term.length, term.inputs) == (30, ("x1", "x2", "x3"))
    assert term == random_term(30, 3, 1)
    assert term != random_term(30, 3, 2)


@pytest.mark.slow
@pytest.mark.parametrize("name", sorted(BENCHMARKS))
def test_benchmarks_run(name, tmp_path, capsys, monkeypatch):
    proving = {"SEEDS": 2, "WIDTHS": ((2, 6, 6, 1),), "MONOLITHIC_SECONDS": 5.0, "real_networks": lambda: iter(())}
    for constant, value in proving.items():
        monkeypatch.setattr(f"verimv.paper.benchmarks.bench_prove.{constant}", value)
    monkeypatch.setattr("verimv.paper.benchmarks.bench_bytes.MAX_BYTES", 0)
    monkeypatch.setattr("verimv.paper.benchmarks.bench_bytes.RANDOM", ((2, 6, 6, 1), (3, 8, 4, 1)))
    small = {
        "WIDTHS": (4,),
        "SAMPLED": 1,
        "SAMPLED_OF_SMALL": 1,
        "SECONDS_PER_BOUND": 1.0,
        "LARGE_SECONDS": 1.0,
        "ACAS_WORK": 5_000_000,
    }
    for constant, value in {**small, "MONOLITHIC_SECONDS": 5.0}.items():
        monkeypatch.setattr(f"verimv.paper.benchmarks.bench_bounds.{constant}", value)
    monkeypatch.setattr("verimv.paper.benchmarks.bench_certificates.PROVING_SECONDS", 600.0)  # machines may be busy
    monkeypatch.setattr("verimv.paper.benchmarks.bench_certificates._GROWTH", (47, 150, 470))
    monkeypatch.setattr("verimv.paper.benchmarks.bench_kernel.WIDE", (20, 16, 16, 3))
    monkeypatch.setattr("verimv.paper.benchmarks.bench_kernel.GROWTH", (50, 150, 470))
    monkeypatch.setattr("verimv.paper.benchmarks.bench_kernel.real_networks", lambda: iter(()))
    monkeypatch.setattr("verimv.paper.benchmarks.bench_start.REPEATS", 1)
    few = {"PAIR_EFFORT": 3.0, "MILP_SECONDS": 3.0, "NETWORKS": ("breast_cancer",), "LARGE": (), "NOISY_PAIRS": 0}
    for constant, value in few.items():
        monkeypatch.setattr(f"verimv.paper.benchmarks.bench_distance.{constant}", value)
    few = {"CASES": CASES[2:3], "PERCENT": (5, 10), "TERMS": 2, "NOISE": (0.01,), "GIVEN": {}, "LARGE": "none"}
    for constant, value in few.items():
        monkeypatch.setattr(f"verimv.paper.benchmarks.bench_within.{constant}", value)
    monkeypatch.setattr("verimv.paper.benchmarks.bench_verify.NETWORKS", 2)
    monkeypatch.setattr("verimv.paper.benchmarks.bench_growth.WIDTHS", (9, 30, 60))
    monkeypatch.setattr("verimv.paper.benchmarks.bench_simplify.SAMPLE", 3)
    monkeypatch.setattr("verimv.paper.benchmarks.bench_simplify.TERMS", 2)
    monkeypatch.setattr("verimv.paper.benchmarks.bench_simplify.MAX_LENGTHS", {1: 5, 2: 4})
    assert main(["bench", name, "-o", str(tmp_path), "--json"]) == 0
    data = json.loads(capsys.readouterr().out)[name]
    assert data == json.loads((tmp_path / f"{name}.json").read_text())
    rows = [row for table in data for row in table["rows"]]
    assert len(rows) >= 4
    if name == "extract":
        assert all("4^s exactly" in row["length"] for row in data[0]["rows"])
        assert int(data[-1]["rows"][0]["bytes per node"]) < 300
    if name == "start":
        assert rows[0] == {**rows[0], "what": "nothing", "/ python -c pass": "1.0"}
    if name == "distance":
        assert {row["ratio"] for row in rows} <= {"1 (exact)", "1.000"}
        assert all(row["certified"] == row["at most"] for row in rows)
        assert "undecided" not in {row["corner s"] for row in rows}
    if name == "within":
        assert all(float(row["length / exact"]) <= 0.4 for row in data[0]["rows"])
    if name == "verify":
        assert {row["verdict"] for row in data[0]["rows"]} == {"holds", "violated"}
    if name == "growth":
        assert "NOT" not in data[0]["title"]
    if name == "prove":
        proofs, faults, extractions = (table["rows"] for table in data)
        assert all(row[solver].startswith(row[solver][-1]) for row in proofs for solver in ("z3", "cvc5"))
        assert {row["verdict"] for row in faults} == {"refuted"}
        assert all("line" in row["where"] for row in faults)
        assert {row["the same bytes"] for row in extractions} == {"yes"}
    if name == "simplify":
        assert all(len(set(row["proved"].split(" of "))) == 1 for row in rows)
        assert {row["minimum found"] for row in data[0]["rows"]} == {"100%"}
        assert all(float(row["length, after / before"]) < 0.6 for table in data[1:] for row in table["rows"])


def test_refuses_a_file_before_it_starts(tmp_path, capsys):
    (tmp_path / "file").write_text("")
    assert main(["bench", "extract", "-o", str(tmp_path / "file")]) == 2
