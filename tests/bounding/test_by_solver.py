"""Exact bounds by a solver: equal to the enumeration of linear regions, attained, and worth having."""

from fractions import Fraction

import pytest
from hypothesis import given, settings

from tests.certified import extract
from tests.oracle import build_network, exact_range, integers, network_value, specs
from verimv.bounding.by_solver import solver_bounds
from verimv.bounding.interval import interval_bounds
from verimv.bounding.methods import neuron_bounds
from verimv.core.effort import SECOND
from verimv.paper.experiments.families import random_network
from verimv.solvers import optimise


@settings(max_examples=25)
@given(specs(integers, max_inputs=2, max_layers=3))
def test_bounds_are_exact_and_attained(spec):
    bounds = solver_bounds(build_network(spec))
    dimension = len(spec[0][0][0])
    for depth, (weights, bias, _) in enumerate(spec):
        for index in range(len(weights)):
            head = [*spec[:depth], ([weights[index]], [bias[index]], "identity")]
            bound = bounds.get(depth, index)
            assert bound.exact
            assert (bound.lower, bound.upper) == exact_range(head, dimension)
            for at, value in ((bound.lower_at, bound.lower), (bound.upper_at, bound.upper)):
                assert network_value(head, [Fraction(str(x)) for x in at]) == [value]


@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_both_solvers_and_other_boxes(solver):
    from verimv.networks.network import Network

    network = Network.of(
        build_network([([[1, 1], [1, -1]], [0, 0], "relu"), ([[1, -2]], [1], "relu")]).layers,
        None,
        [["-1", "2"], ["0", "3"]],
    )
    bounds = solver_bounds(network, solver=solver)
    assert [(b.lower, b.upper) for b in bounds.layers[0]] == [(-1, 5), (-4, 2)]
    assert [(b.lower, b.upper, b.method) for b in bounds.layers[1]] == [(-1, 6, "exact")]


def test_tighter_bounds_mean_fewer_units():
    network = random_network((3, 8, 8, 1), 5, "integer")
    loose, tight = extract(network, bounds="interval"), extract(network, bounds="exact")
    assert tight.clipped.units < 0.7 * loose.clipped.units
    assert tight.measures.size < loose.measures.size
    assert all(
        tight.formula(*p) == loose.formula(*p) == network(*p) for p in ((0, 0, 1), ("1/3", "1/2", "1/5"), (1, 1, 1))
    )


def test_without_time_the_interval_bound_stands():
    network = random_network((3, 8, 8, 1), 5)
    hurried, interval = solver_bounds(network, seconds=0.0), interval_bounds(network)
    for layer, expected in zip(hurried.layers, interval.layers, strict=True):
        for bound, wide in zip(layer, expected, strict=True):
            assert wide.lower <= bound.lower <= bound.upper <= wide.upper
    assert "solver" in hurried.methods


def test_a_solver_that_gives_up_leaves_a_proven_bound(monkeypatch):
    from verimv.solvers.engines import SOLVERS, Answer

    honest = SOLVERS["z3"]

    def lazy(program, condition, names, seconds, work):
        """Proves only what is far from tight."""
        answer = honest(program, condition, names, seconds, work)
        return (
            answer
            if answer.status == "unsat" and condition[0][0].form.constant < -3
            else Answer("unknown", reason="lazy")
        )

    monkeypatch.setitem(SOLVERS, "z3", lazy)
    network = build_network(
        [([[2, -2], [-2, 2]], [0, 0], "relu"), ([[1, 1]], [0], "identity")]
    )  # true maximum 2, interval 4
    bound = solver_bounds(network).layers[1][0]
    assert 2 <= bound.upper < 4
    assert bound.upper_at is None
    assert not bound.exact
    assert bound.method == "solver"


def test_a_wrong_upper_bound_is_noticed(monkeypatch):
    from verimv.core.errors import InternalError
    from verimv.exact import Rational

    monkeypatch.setattr(optimise, "limited", lambda *_, **__: ((Rational(1), Rational(0)), Rational(0), 1))
    network = build_network([([[2, -2], [-2, 2]], [0, 0], "relu"), ([[1, 1]], [0], "identity")])
    with pytest.raises(InternalError, match="proves a maximum"):
        solver_bounds(network)


def test_auto_is_exact_for_small_networks():
    assert neuron_bounds(random_network((2, 4, 4, 1), 1, "integer")).methods == ["exact"]
    larger = random_network((2, 30, 30, 1), 1, "integer")
    tight, loose = neuron_bounds(larger, integer_ends=True), interval_bounds(larger)
    assert 2 * sum(bound.upper for bound in tight.layers[1]) < sum(bound.upper for bound in loose.layers[1])


def test_irrational_weights_end_with_a_bound_that_holds():
    """A model with an irrational value is rounded, so the bound may stay inexact; it must still hold."""
    network = build_network([([["sqrt(2)", -1], [-1, -1]], [0, 1], "relu"), ([[1, -2]], [0], "identity")])
    bound = solver_bounds(network, per_bound=2 * SECOND).layers[1][0]
    for x in range(5):
        for y in range(5):
            assert bound.lower <= network(Fraction(x, 4), Fraction(y, 4)) <= bound.upper
