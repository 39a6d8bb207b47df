"""Whatever HiGHS says, and whatever the numbers: bounds become looser, never wrong."""

import random

import numpy as np
import pytest

from tests.bounding.search.test_engine import check_evidence
from tests.oracle import build_network
from verimv.bounding.guess.linear_program import LinearAnswer, LinearProgram
from verimv.bounding.search.engine import SearchEffort, certified_bounds
from verimv.bounding.search.evidence import prove_bound
from verimv.bounding.situation import Target
from verimv.core.effort import SECOND, Meter
from verimv.exact import Rational
from verimv.networks.network import Network
from verimv.paper.experiments.families import random_network


def check_sound(network: Network, bounds, points: int = 60) -> None:
    source = random.Random(1)
    for _ in range(points):
        at = [Rational(source.randint(0, 12), 12) for _ in network.inputs]
        for values, rows in zip(network.trace(at), bounds.layers, strict=True):
            assert all(bound.lower <= value <= bound.upper for value, bound in zip(values, rows, strict=True))
    check_evidence(network, bounds)


def nonsense(program, cost):
    return LinearAnswer("optimal", -1e9, np.full(program.columns, 7.0), np.linspace(-50, 50, 1000)[: rows_of(program)])


def not_numbers(program, cost):
    return LinearAnswer("optimal", float("nan"), np.full(program.columns, np.nan), np.full(rows_of(program), np.nan))


def never_feasible(program, cost):
    return LinearAnswer("infeasible", duals=np.ones(rows_of(program)))


def without_ray(program, cost):
    return LinearAnswer("infeasible")


def failure(program, cost):
    return LinearAnswer("failed")


def rows_of(program) -> int:
    return program._solver.getNumRow()


@pytest.mark.parametrize("answer", [nonsense, not_numbers, never_feasible, without_ray, failure])
@pytest.mark.parametrize("method", ["lp", "exact"])
def test_a_linear_programming_solver_that_lies(monkeypatch, answer, method):
    network = random_network((3, 6, 6, 1), 5, "integer")
    honest = certified_bounds(network, SearchEffort("exact"))
    monkeypatch.setattr(LinearProgram, "maximise", answer)
    bounds = certified_bounds(network, SearchEffort(method, nodes=80))
    check_sound(network, bounds)
    for rows, best in zip(bounds.layers, honest.layers, strict=True):
        assert all(a.lower <= b.lower and b.upper <= a.upper for a, b in zip(rows, best, strict=True))


def test_huge_and_tiny_weights():
    tiny, huge = "1e-30", "1e30"
    network = build_network(
        [
            ([[huge, tiny], [tiny, f"-{huge}"], [1, -1]], [0, "1e-30", "-1e30"], "relu"),
            ([[tiny, 1, huge], [f"-{tiny}", huge, 1]], [1, "-1e30"], "relu"),
            ([[tiny, f"-{tiny}"]], [0], "identity"),
        ]
    )
    for method in ("linear", "lp", "exact"):
        check_sound(network, certified_bounds(network, SearchEffort(method, nodes=200, per_bound=2 * SECOND)))


def test_numbers_beyond_floats():
    """No float guides the search: intervals stand."""
    network = build_network([([["1e400", 1], [1, 1]], [0, 0], "relu"), ([["1e-400", -1]], [0], "relu")])
    bounds = certified_bounds(network, SearchEffort("exact"))
    check_sound(network, bounds)
    assert bounds.layers[1][0].method == "interval"


def test_dead_layers():
    network = build_network(
        [([[1, 1], [2, 1]], [-5, -9], "relu"), ([[1, -1], [3, 1]], [0, 1], "relu"), ([[1, 1]], [0], "identity")]
    )
    bounds = certified_bounds(network, SearchEffort("exact"))
    assert [(b.lower, b.upper) for b in bounds.layers[1]] == [(0, 0), (1, 1)]
    assert (bounds.layers[2][0].lower, bounds.layers[2][0].upper) == (1, 1)
    check_sound(network, bounds)


def test_degenerate_linear_programs():
    """Equal and opposite neurons, weights 0, a maximum on a whole face, kinks at corners."""
    same = [[1, -1, 0]] * 4 + [[-1, 1, 0]] * 4
    spec = [(same, [0] * 8, "relu"), ([[1] * 8, [1, -1] * 4, [0] * 8], [0, 0, -1], "relu"), ([[1, 1, 1]], [0], "relu")]
    bounds = certified_bounds(build_network(spec), SearchEffort("exact"))
    assert [(b.lower, b.upper) for b in bounds.layers[1]] == [(0, 4), (0, 0), (-1, -1)]
    assert bounds.counts()["exact"] == 12
    check_sound(build_network(spec), bounds)


@pytest.mark.parametrize("answer", [nonsense, failure])
def test_evidence_survives_a_lying_solver(monkeypatch, answer):
    network = random_network((2, 3, 2, 1), 0, "integer")
    bound = certified_bounds(network, SearchEffort("exact")).layers[1][0]
    monkeypatch.setattr(LinearProgram, "maximise", answer)
    assert prove_bound(network, Target(2, 0, 1, bound.upper), {}, Meter(10 * SECOND)) is not None
    assert prove_bound(network, Target(2, 0, 1, bound.upper - Rational(1, 100)), {}, Meter(SECOND)) is None


def test_a_goal_beyond_floats():
    network = random_network((2, 3, 2, 1), 0, "integer")
    assert prove_bound(network, Target(2, 0, 1, Rational(10) ** 400), {}, Meter(10 * SECOND)) is not None
    assert prove_bound(network, Target(2, 0, -1, Rational(10) ** 400), {}, Meter(SECOND)) is None


def test_searches_are_repeatable():
    network = random_network((4, 10, 8, 1), 6)
    first, second = (certified_bounds(network, SearchEffort("exact", nodes=20)) for _ in range(2))
    assert first == second
