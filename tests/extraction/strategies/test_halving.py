"""Halving: σ(2s) = σ(s) ⊕ σ(s), σ(2s−1) = σ(s) ⊙ σ(s); never more than the paper's table, often far less."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certified import extract
from verimv.exact import Rational, clip
from verimv.extraction.strategies.compact import halving_choice, plan_by
from verimv.extraction.strategies.plan import literal_form, planned_nodes
from verimv.formulas.dag import ODOT, OPLUS, Dag
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.paper.experiments.families import hat, random_network, single_unit
from verimv.solvers.decide import equal_by_solver


def operators(formula):
    return sum(formula.dag.kinds[n] in (OPLUS, ODOT) for n in range(len(formula.dag)))


@settings(max_examples=150)
@given(st.lists(st.integers(-40, 40), min_size=1, max_size=4), st.integers(-60, 60))
def test_plans_build_the_unit(weights, bias):
    form = Affine([(j, Rational(w)) for j, w in enumerate(weights)], Rational(bias))
    dag = Dag()
    names = [f"x{j}" for j in range(len(weights))]
    plan = plan_by(halving_choice, [literal_form(form), literal_form(form.shifted(-1))])
    roots = planned_nodes(dag, [dag.variable(name) for name in names], plan)
    formula = Formula(dag, names, roots)
    for i in range(25):
        point = [Rational((7 * i + 5 * j * i + j) % 24, 24) for j in range(len(weights))]
        values = formula.at(dict(zip(names, point, strict=True)))
        assert values == [clip(form(point)), clip(form(point) - 1)]


@pytest.mark.parametrize(("weight", "bias", "most"), [(100, -37, 12), (1000, -333, 31)])
def test_the_sizes_of_theory(weight, bias, most):
    result = extract(single_unit([weight], bias), strategy="compact", minimise="size", bounds="interval")
    assert operators(result.formula) <= most
    result.certificate.check()


@pytest.mark.parametrize("minimise", ["length", "size"])
@pytest.mark.parametrize("weights", [[5, -3], [2, 2, -4], [8], [3, -1, 1], [6, -5, 4], [1, 1, 1, 1]])
def test_never_worse_than_the_paper(weights, minimise):
    for bias in range(-3, 4):
        network = single_unit(weights, bias)
        paper = extract(network, strategy="paper", bounds="interval")
        compact = extract(network, strategy="compact", minimise=minimise, bounds="interval")
        if minimise == "length":
            assert compact.formula.length <= paper.formula.length
        else:
            assert operators(compact.formula) <= operators(paper.formula)
        assert equal_by_solver(network, compact.formula).proved


def test_the_hat_stays_the_paper_s():
    assert extract(hat(), strategy="compact").formula == extract(hat(), strategy="paper").formula


@pytest.mark.parametrize("minimise", ["length", "size"])
@pytest.mark.parametrize("seed", range(8))
def test_networks(seed, minimise):
    """The kernel checks the certificate (in `extract`), and values agree."""
    network = random_network((2, 4, 3, 1), seed, "integer")
    result = extract(network, strategy="compact", minimise=minimise)
    points = [[Rational(i % 5, 4), Rational(i // 5, 4)] for i in range(25)]
    assert result.formula.at_points(points) == [network.at(point) for point in points]


def test_large_weights():
    """Far beyond the paper's table: weights of 300 digits."""
    network = single_unit([10**300 + 7, -(10**299)], -(10**299))
    result = extract(network, strategy="compact", bounds="interval")
    assert result.measures.size < 20_000
    result.certificate.check()
