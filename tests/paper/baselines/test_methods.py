"""Schauder hats, hyperplanes and shallow networks: equal to their source, by breakpoints and by the solver."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from verimv import InputError, Layer, Network, Undecided, certify_formulas, extract, parse
from verimv.exact import Rational, parse_number
from verimv.paper.baselines.hyperplane import CHOICES, hyperplane, interval_regions, lattice
from verimv.paper.baselines.schauder import farey_parents, schauder, unimodular
from verimv.paper.baselines.shallow import shallow_network
from verimv.paper.baselines.truncated import SIGMAS
from verimv.paper.experiments.families import sawtooth
from verimv.pieces.piecewise import Piecewise, function_of
from verimv.solvers.decide import equal_by_solver


def functions(logic):
    """Of random terms: every function of a logic arises so."""
    return oracle.expressions(names=("x",), logic=logic, derived=False).map(lambda text: function_of(parse(text)))


@given(functions("mv"), st.sampled_from(SIGMAS))
def test_schauder_integer(function, sigma):
    formula = schauder(function, sigma=sigma)
    assert formula.logic == "mv"
    assert function_of(formula) == function


@given(functions("dmv"), st.sampled_from(SIGMAS))
def test_schauder_rational(function, sigma):
    formula = schauder(function, sigma=sigma)
    assert formula.logic in ("mv", "dmv")
    assert function_of(formula) == function


@given(functions("rmv"))
def test_schauder_real(function):
    assert function_of(schauder(function, logic="rmv")) == function


@given(functions("mv"), st.sampled_from(SIGMAS), st.sampled_from(CHOICES))
def test_hyperplane_integer(function, sigma, choice):
    formula = hyperplane(function, choice=choice, sigma=sigma)
    assert formula.logic == "mv"
    assert function_of(formula) == function


@settings(max_examples=40)
@given(functions("dmv"), st.sampled_from(SIGMAS), st.sampled_from(CHOICES), st.sampled_from(["auto", "rmv"]))
def test_hyperplane_rational(function, sigma, choice, logic):
    assert function_of(hyperplane(function, choice=choice, sigma=sigma, logic=logic)) == function


@given(functions("rmv"))
def test_shallow_networks(function):
    network = shallow_network(function)
    assert function_of(network) == function
    assert network.number_kind == function.number_kind
    assert len(network.layers) == 2
    assert network.neurons == len(function.breakpoints) + 2


@settings(max_examples=15)
@given(functions("mv"))
def test_the_solver_agrees(function):
    first = schauder(function)
    for formula in (hyperplane(function), extract(shallow_network(function)).formula):
        assert equal_by_solver(first, formula).proved


@pytest.mark.parametrize("method", [schauder, hyperplane])
def test_irrational_weights(method):
    network = Network.of(
        [Layer.of([["sqrt(2)"], ["-sqrt(3)"]], ["-1/3", "3/2"]), Layer.of([["1/2", "1/3"]], [0], "crelu")], ["x"]
    )
    formula = method(function_of(network))
    assert formula.logic == "rmv"
    assert function_of(formula) == function_of(network)


@pytest.mark.parametrize("method", [schauder, hyperplane])
def test_names_are_the_subjects(method):
    network = Network.of([Layer.of([[2], [2]], [0, -1]), Layer.of([[1, -2]], [0])], ["u"], None, ["v"])
    formula = method(network)
    assert (formula.inputs, formula.outputs) == (("u",), ("v",))
    assert equal_by_solver(network, formula).proved
    assert method(parse("1")).inputs == ("x",)
    with pytest.raises(InputError, match="one output"):
        method(Network.of([Layer.of([[1], [1]], [0, 0])]))


def test_a_smaller_logic_is_refused():
    for method in (schauder, hyperplane):
        with pytest.raises(InputError, match="choose one of dmv, rmv, not mv"):
            method(function_of(parse("δ[2]x")), logic="mv")
        with pytest.raises(InputError, match="values in \\[0,1\\]"):
            method(Piecewise.through([Rational(0), Rational(1)], [Rational(0), Rational(2)]))


@given(st.fractions(0, 1).filter(lambda q: 0 < q < 1))
def test_farey_parents(q):
    (a, b), (c, d) = farey_parents(q.numerator, q.denominator)
    assert Fraction(a, b) < q < Fraction(c, d)
    assert (a + c, b + d) == (q.numerator, q.denominator)
    assert b * c - a * d == 1


@given(st.lists(st.fractions(0, 1, max_denominator=40).map(lambda q: Rational(q.numerator, q.denominator)), max_size=5))
def test_unimodular_subdivisions(points):
    nodes = unimodular(points)
    assert set(points) <= set(nodes)
    assert all(b.numerator * a.denominator - a.numerator * b.denominator == 1 for a, b in pairwise(nodes))


def test_subdivisions_that_do_not_exist_or_are_too_fine():
    with pytest.raises(Undecided, match="more than 20,000 nodes"):
        unimodular([Rational(1, 10**9)])
    with pytest.raises(InputError, match="rational breakpoints"):
        unimodular([parse_number("sqrt(2)/2")])


@given(functions("mv"))
def test_few_alternatives_are_no_more_than_all(function):
    regions = interval_regions(function)
    many, few = lattice(regions, few=False), lattice(regions, few=True)
    assert len(few) <= len(regions)
    assert all(max(len(chosen) for chosen in found) <= len(regions) for found in (many, few))
    assert all(not set(a) < set(b) for found in (many, few) for a in found for b in found)


@pytest.mark.parametrize("s", range(1, 6))
def test_the_papers_lower_bounds(s):
    """Section V: Ω(2^(s+1)) for Schauder hats; Ω(8^s) or Ω(2^(s+2^s)) for hyperplanes. The constants are ours."""
    function = sawtooth(s)
    assert schauder(function).length >= 2 ** (s + 1)
    assert hyperplane(function).length == 8**s - 2**s  # docs/reproduce.md says why
    if s <= 4:
        lemma = hyperplane(function, sigma="lemma")
        assert function_of(lemma) == function
        assert lemma.length >= 2 ** (s + 2**s) / 8


@pytest.mark.parametrize("method", [schauder, hyperplane])
def test_a_certificate_for_a_baseline_is_one(method):
    """It is found, the kernel accepts it, and there is none for a formula that differs."""
    original = extract(shallow_network(sawtooth(1), "x")).formula
    formula = method(sawtooth(1))
    assert formula != original
    certificate = certify_formulas(original, formula)
    assert certificate is not None
    certificate.check()
    assert certify_formulas(original, parse(f"({formula.text()}) ⊙ x")) is None
