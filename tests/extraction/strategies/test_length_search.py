"""The search for short forms, against slow and plain versions of the same rules."""

from fractions import Fraction
from functools import cache
from itertools import product

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certified import extract
from tests.oracle import _cut, are_equal, specs
from tests.oracle import build_network as build
from tests.oracle import integers as small_integers
from verimv.core.errors import InternalError, Refuted, Undecided
from verimv.exact import Rational
from verimv.extraction.pipeline import extract_uncertified
from verimv.extraction.strategies import length_search
from verimv.extraction.strategies.compact import lemma_choice, plan_by
from verimv.extraction.strategies.length_search import LengthSearch, _allowed, _is_allowed
from verimv.extraction.strategies.plan import Cut, Plan, PlanBuilder, Planner, literal_form, multipliers, planned_nodes
from verimv.formulas.dag import Dag
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.paper.experiments.families import single_unit
from verimv.solvers.decide import equal_by_solver

SQUARE = [tuple(map(Fraction, p)) for p in ((0, 0), (1, 0), (1, 1), (0, 1))]


def may_cut(first, second):
    """The side conditions of the split rule in two variables, at the vertices of the two parts of the square."""
    f, g = (tuple(map(Fraction, plane)) for plane in (first, second))

    def value(p):
        return f[0] * p[0] + f[1] * p[1] + f[2]

    below = _cut(SQUARE, tuple(-x for x in g))
    above = _cut(SQUARE, g)
    return all(value(p) <= 1 for p in below) and all(value(p) >= 0 for p in above)


@settings(max_examples=100, deadline=None)
@given(st.tuples(*[st.integers(0, 6)] * 4))
def test_allowed_cuts_are_those_of_the_side_conditions(numbers):
    first, second = numbers[:2], numbers[2:]
    if not any(first) or sum(second) < 2:
        return
    found = {(t, c) for t, low, high in _allowed(first, second) for c in range(low, high + 1)}
    total = sum(first) + sum(second)
    for t in range(1, sum(second)):
        for c in range(-total - 2, 3):
            expected = may_cut((*first, c + t), (*second, -t))
            assert ((t, c) in found) == _is_allowed(first, second, c, t) == expected


@cache
def shortest(a, c):
    """σ(ax + c) in one variable, by all rules, without pruning."""
    if c >= 1 or a + c <= 0:
        return 0
    if a == 1 or c in (0, 1 - a):
        return a
    found = [2 * shortest(a // 2, (c + 1) // 2)] if a % 2 == 0 else []
    for b in range(1, a):
        for t in range(1, b):
            # the zero t/b of f2 must lie where f is between 0 and 1
            if 0 <= a * Fraction(t, b) + c <= 1:
                found.append(shortest(a - b, c + t) + shortest(b, -t) + shortest(b, 1 - t))
    return min(found)


@pytest.mark.parametrize("a", range(1, 25))
def test_one_variable_is_exact(a):
    search = LengthSearch()
    for b in range(a):
        found = search.best(((a, 1),), -b)[0]
        assert found <= shortest(a, -b)
        assert found >= a, "a term rises no faster than it has occurrences"
        if a <= 4 or a & (a - 1) == 0:
            assert found == shortest(a, -b), "sorting is no shorter here"


@pytest.mark.parametrize(("a", "most"), [(8, 16), (16, 44), (32, 102)])
def test_the_table_of_theory(a, most):
    search = LengthSearch()
    assert max(search.best(((k, 1),), -b)[0] for k in range(1, a + 1) for b in range(k)) <= most


def built(weights, bias, strategy="compact", minimise="length"):
    return extract(single_unit(weights, bias), strategy=strategy, minimise=minimise, bounds="interval").formula


def test_the_lengths_and_sizes_asked_for():
    assert built([32], -16).length <= 62
    assert connectives(built([1000], -333, minimise="size")) <= 31
    majority = built([1] * 64, -32)
    assert majority.length <= 2**20
    assert connectives(majority) <= 827


def connectives(formula):
    operators = formula.measure().operators
    return operators.get("⊕", 0) + operators.get("⊙", 0)


neurons = st.lists(st.integers(-6, 6), min_size=1, max_size=3).flatmap(
    lambda weights: st.tuples(st.just(weights), st.integers(-sum(map(abs, weights)) - 1, sum(map(abs, weights)) + 1))
)


@settings(max_examples=80, deadline=None)
@given(neurons, st.sampled_from(["length", "size"]))
def test_neurons(neuron, minimise):
    """Equal to the neuron (the kernel says so too, in `extract`), and never worse than the paper's."""
    weights, bias = neuron
    paper, compact = built(weights, bias, "paper"), built(weights, bias, minimise=minimise)
    if minimise == "length":
        assert compact.length <= paper.length
    else:
        assert connectives(compact) <= connectives(paper)
    if len(weights) <= 2:
        spec = [([list(map(Fraction, weights))], [Fraction(bias)], "crelu")]
        assert are_equal(compact, spec, len(weights))


@pytest.mark.parametrize(("weights", "bias"), [([7], -3), ([5, 7], -6), ([5, -6, 3], -1), ([1] * 6, -3), ([11, -9], 2)])
def test_neurons_are_proved_by_the_solver(weights, bias):
    for minimise in ("length", "size"):
        assert equal_by_solver(single_unit(weights, bias), built(weights, bias, minimise=minimise)).proved


@settings(max_examples=80, deadline=None)
@given(specs(small_integers, max_inputs=3, max_layers=3))
def test_whole_networks_are_never_longer(spec):
    """The lengths of units below are the weights of the units above."""
    network = build(spec)
    try:
        paper = extract_uncertified(network, strategy="paper", bounds="interval").formula
    except (Refuted, Undecided):
        return
    compact = extract(network, bounds="interval").formula
    assert compact.length <= paper.length
    if len(network.inputs) <= 2 and len(compact.dag) < 60:
        assert are_equal(compact, spec, len(network.inputs))


def test_all_units_of_a_neuron_share_their_work():
    """Two thresholds of one sum are two outputs of one sorting network."""
    builder = PlanBuilder()
    planner = Planner(builder, lambda key: LengthSearch().choose(key, [1] * 16))
    form = Affine([(j, Rational(1)) for j in range(16)])
    results = [planner.position(literal_form(form.shifted(-k))) for k in (7, 8)]
    dag = Dag()
    names = [f"x{j}" for j in range(16)]
    roots = planned_nodes(dag, [dag.variable(name) for name in names], Plan(builder.steps, results))
    both = connectives(Formula(dag, names, roots))
    apart = sum(connectives(Formula(dag, names, [root])) for root in roots)
    assert both < 0.6 * apart


@settings(max_examples=60, deadline=None)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=3), st.data())
def test_multipliers_prove_the_side_conditions(coefficients, data):
    """Every cut that the search makes has its two multipliers, for which intervals suffice."""
    total = sum(coefficients)
    constant = data.draw(st.integers(1 - total, 0))
    terms = tuple((j, True, m) for j, m in enumerate(coefficients))
    choice = LengthSearch().choose((terms, constant), [1] * 3) if total > 1 else None
    if not isinstance(choice, Cut):
        return
    f, g = (Affine([(j, Rational(m)) for j, _, m in part], Rational(c)) for part, c in choice)
    assert f + g == Affine([(j, Rational(m)) for j, _, m in terms], Rational(constant))
    if g.range_over_unit_cube()[0] >= 0 or g.range_over_unit_cube()[1] <= 0:
        return  # a ⊕ or a ⊙
    most, least = multipliers(choice)
    assert most >= 0
    assert least >= 0
    assert (f + g.scaled(-most)).range_over_unit_cube()[1] <= 1
    assert (f + g.scaled(-least)).range_over_unit_cube()[0] >= 0


def test_a_cut_that_does_not_hold_has_no_multipliers():
    with pytest.raises(InternalError, match="split rule"):
        multipliers(Cut((((0, True, 2),), 0), (((1, True, 2),), -1)))


@pytest.mark.parametrize("weights", list(product([-3, 1, 2], repeat=2)))
def test_lemma_plans_are_the_paper_s_in_literal_form(weights):
    for bias in range(-3, 4):
        form = Affine([(j, Rational(w)) for j, w in enumerate(weights)], Rational(bias))
        low, high = form.range_over_unit_cube()
        if low >= 1 or high <= 0:
            continue
        dag = Dag()
        atoms = [dag.variable(name) for name in ("x1", "x2")]
        roots = planned_nodes(dag, atoms, plan_by(lemma_choice, [literal_form(form)]))
        paper = extract_uncertified(single_unit(weights, bias), strategy="paper", bounds="interval").formula
        assert Formula(dag, ("x1", "x2"), roots).length == paper.length


def test_a_search_without_time_still_gives_a_plan():
    """Only halving and Lemma 3.3 are left: right, if not short."""
    hurried, patient = LengthSearch(work=0), LengthSearch()
    for shape, constant in [(((5, 1), (7, 1)), -6), (((31, 1),), -15), (((1, 1),) * 9, -4)]:
        assert hurried.best(shape, constant)[0] >= patient.best(shape, constant)[0]


def test_a_unit_that_is_too_large_is_undecided(monkeypatch):
    monkeypatch.setattr(length_search, "SEARCH_LIMITS", (length_search.SearchLimits(0, 0, 1000),))
    with pytest.raises(Undecided, match=r"50 inputs .* too large"):
        LengthSearch().best(((33, 1),) * 50, -70)
