"""The parts of `bench within`; the benchmark itself runs with the others."""

import itertools
import json
from fractions import Fraction

import pytest

from verimv.cli import main
from verimv.formulas.formula import parse
from verimv.networks.network import Layer, Network
from verimv.paper.benchmarks.bench_within import (
    HEADER,
    came_back,
    largest_denominator,
    means,
    rounded,
    varying_terms,
    with_noise,
)

NETWORK = Network.of(
    [Layer.of([["0.3", "0.05"], ["0", "-0.9"]], ["0.2", "0"]), Layer.of([["1", "1"]], ["0"], "identity")]
)


def test_rounding_by_hand():
    near = rounded(NETWORK, 4)
    assert near == Network.of(
        [Layer.of([["1/4", "0"], ["0", "-1"]], ["1/4", "0"]), Layer.of([["1", "1"]], ["0"], "identity")]
    )
    assert rounded(near, 4) == near


def test_noise_moves_what_is_not_zero_and_no_more_than_its_size():
    moved = with_noise(NETWORK, 0.01, 3)
    assert moved == with_noise(NETWORK, 0.01, 3) != with_noise(NETWORK, 0.01, 4)
    for old, new in zip(NETWORK.layers, moved.layers, strict=True):
        for a, b in zip(old.rows, new.rows, strict=True):
            pairs = [*zip(a.dense(old.width_in), b.dense(old.width_in), strict=True), (a.constant, b.constant)]
            assert all((x == y) if x == 0 else 0 < abs(x - y) <= Fraction(1, 100) for x, y in pairs)


def test_means_are_geometric_and_leave_out_what_is_undecided():
    def row(share, exact, hand):
        cells = dict.fromkeys(HEADER, "") | {"E": share, "length / exact": exact, "length / by hand": hand}
        return tuple(cells.values())

    rows = [row("5 %", "0.1", "0.5"), row("5 %", "0.4", "–"), row("10 %", "–", "–")]
    assert means(rows) == [("5 %", "0.200 (of 2)", "0.500 (of 1)"), ("10 %", "–", "–")]


@pytest.mark.parametrize(("text", "most"), [("x ⊕ y", 1), ("Δ[2/5]x ⊕ Δ[3/7]y", 7), ("δ[12]x ⊕ Δ[1/3]y", 12)])
def test_the_largest_denominator(text, most):
    assert largest_denominator(parse(text)) == most


def test_every_column_has_its_own_name():
    assert len(set(HEADER)) == len(HEADER)


def test_formulas_that_come_back():
    assert came_back(0.001, 2) == ("0.001", "2", "2", "2", "0")


def test_random_formulas_vary():
    for _, formula in itertools.islice(varying_terms(), 8):
        corners = itertools.product((0, 1), repeat=len(formula.inputs))
        values = {formula(**dict(zip(formula.inputs, corner, strict=True))) for corner in corners}
        halves = {name: Fraction(1, 2) for name in formula.inputs}
        assert len(values | {formula(**halves)}) > 1


@pytest.mark.slow
def test_a_quick_run_is_the_same_twice_apart_from_times(tmp_path, capsys):
    runs = []
    for _ in range(2):
        assert main(["bench", "within", "--quick", "-o", str(tmp_path), "--json"]) == 0
        capsys.readouterr()
        tables = json.loads((tmp_path / "within.json").read_text(encoding="utf-8"))
        for row in tables[0]["rows"]:
            assert row.pop("kernels").count("proved") == 2
            assert float(row["error seen"]) <= float(row["error proved"])
            del row["seconds"], row["kernels s"]
        runs.append(tables)
    assert runs[0] == runs[1]


def test_only_some_benchmarks_are_quick(capsys):
    assert main(["bench", "start", "--quick"]) == 2
    assert "--quick is only for: distance, within, verify" in capsys.readouterr().err
