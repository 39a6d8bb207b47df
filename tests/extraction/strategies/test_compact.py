"""The compact strategy for weights that are not integers: thresholds in RMV and DMV, one scaled unit per ReLU."""

import random
from contextlib import suppress
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.certificate.tamper import random_network as any_network
from tests.certified import extract
from verimv.core.errors import Refuted, Undecided
from verimv.exact import Rational, as_number, parse_number
from verimv.extraction.step1_clip import short_dyadic
from verimv.extraction.strategies.threshold import threshold_of
from verimv.formulas.dag import ODOT, OPLUS
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network
from verimv.paper.experiments.families import random_network, single_unit
from verimv.solvers.decide import equal_by_solver


def agree(network, formula, seed=0):
    """At vertices and random exact points."""
    source = random.Random(seed)
    count = len(network.inputs)
    points = [[as_number(i >> j & 1) for j in range(count)] for i in range(2 ** min(count, 4))]
    points = [point + [as_number(0)] * (count - len(point)) for point in points]
    points += [[as_number(Fraction(source.randint(0, 24), 24)) for _ in range(count)] for _ in range(40)]
    assert formula.at_points(points) == [network.at(point) for point in points]


@pytest.mark.parametrize("logic", ["dmv", "rmv", "auto"])
@pytest.mark.parametrize("seed", range(40))
def test_any_network(seed, logic):
    """All activations, boxes, irrational weights; the kernel checks every certificate."""
    source = random.Random(seed)
    result = None
    while result is None:  # until the output stays in [0,1]
        network = any_network(source)
        with suppress(Refuted, Undecided):
            result = extract(network, strategy="compact", logic="rmv" if network.number_kind == "algebraic" else logic)
    agree(result.network, result.formula, seed)


@pytest.mark.parametrize("text", ["5/6,-3/4,1/12", "1/2,1/2,-1/2", "-1/3,-1/3,1", "7/2,-9/4,1/8", "1/3,0,1/3"])
@pytest.mark.parametrize("logic", ["dmv", "rmv"])
def test_one_unit_is_proved_by_the_solver(text, logic):
    *weights, bias = map(parse_number, text.split(","))
    network = single_unit(weights, bias)
    result = extract(network, strategy="compact", logic=logic)
    assert result.formula.logic in (logic, "mv")
    assert equal_by_solver(network, result.formula).proved


@settings(max_examples=60)
@given(st.lists(st.fractions(-4, 4, max_denominator=12), min_size=2, max_size=5))
def test_thresholds(numbers):
    """Votes never exceed 1 together, and the sum is the form."""
    *weights, bias = [Rational(x.numerator, x.denominator) for x in numbers]
    form = Affine(list(enumerate(weights)), bias)
    low, high = form.range_over_unit_cube()
    if not form.terms or low >= 1 or high <= 0:
        return
    threshold = threshold_of(form, "rmv")
    assert sum(vote.share for vote in threshold.votes) <= 1
    assert abs(threshold.constant) <= 1
    total = Affine((), threshold.constant)
    for vote in threshold.votes:
        literal = Affine.variable(vote.variable)
        total += (literal if vote.positive else literal.complement()).scaled(vote.share)
    assert total.scaled(Rational(2) ** threshold.doublings) == form


@given(st.fractions(Fraction(1, 10**9), 10**9))
def test_short_dyadics(x):
    number = Rational(x.numerator, x.denominator)
    above = short_dyadic(number)
    assert number <= above <= number * Rational(9, 8)
    numerator = int(above.numerator)
    assert (numerator // (numerator & -numerator)).bit_length() <= 5


@pytest.mark.parametrize("minimise", ["length", "size"])
@pytest.mark.parametrize("text", ["1/2,1", "sqrt(2)/2,-2,0", "1/3,-1/2,1/4", "3/2,-7/2,1/2", "9/4,-33/8,1/16"])
def test_one_unit_is_never_worse_than_the_paper_s(text, minimise):
    *weights, bias = map(parse_number, text.split(","))
    network = single_unit(weights, bias)
    paper = extract(network, strategy="paper", logic="rmv")
    compact = extract(network, strategy="compact", minimise=minimise, logic="rmv")
    if minimise == "length":
        assert compact.formula.length <= paper.formula.length
    else:
        assert operators(compact.formula) <= operators(paper.formula)


def operators(formula):
    return sum(kind in (OPLUS, ODOT) for kind in formula.dag.kinds)


@pytest.mark.parametrize("logic", ["dmv", "rmv"])
def test_solvers_prove_thresholds_and_scaled_units(logic):
    network = random_network((2, 3, 3, 1), 1)
    extraction = extract(network, strategy="compact", logic=logic, bounds="interval")
    assert extraction.certificate.prove().proved
    assert extraction.clipped.units <= network.neurons


def test_about_two_nodes_per_weight():
    network = random_network((5, 20, 20, 20, 1), 1)
    result = extract(network, strategy="compact", bounds="interval")
    weights = sum(len(row.terms) for layer in network.layers for row in layer.rows)
    assert result.formula.logic == "rmv"
    assert result.measures.size <= 2.5 * weights
    assert result.clipped.units <= network.neurons


@pytest.mark.parametrize("logic", ["dmv", "rmv"])
@pytest.mark.parametrize("constant", ["2/3", "0", "1", "3", "-1/2"])
def test_constant_networks(logic, constant):
    network = Network.of([Layer.of([[0, 0]], [parse_number(constant)], "crelu")])
    result = extract(network, strategy="compact", logic=logic)
    agree(network, result.formula)


def test_units_that_nothing_needs():
    """Two proportional neurons that cancel: their units have no node, and stand-ins in the certificate."""
    half = Rational(1, 2)
    first = Layer.of([[half, half], [1, 1], [half, 0]], [-half / 2, -half, half / 2])
    network = Network.of([first, Layer.of([[2, -1, 1]], [0], "crelu")])
    result = extract(network, strategy="compact", bounds="interval")
    agree(network, result.formula)
