"""Breakpoints and pieces, by following them and by sampling, against plain evaluation and polygon cutting."""

from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests import oracle
from verimv import InputError, Layer, Network, parse
from verimv.exact import Rational, parse_number
from verimv.paper.experiments.families import deep_sawtooth, shallow_sawtooth
from verimv.pieces.piecewise import Piecewise, farey_points, function_of, sampled


def fractions(numbers):
    return [Fraction(int(x.numerator), int(x.denominator)) for x in numbers]


def true_breakpoints(subject):
    """From the oracle's cells, in order: the ends at which the plane changes."""
    cells = sorted((min(p[0] for p in segment), planes[0]) for segment, planes in oracle.linear_regions([subject], 1))
    return [start for (_, before), (start, after) in pairwise(cells) if before != after]


@given(oracle.expressions(names=("x",), logic="rmv"))
def test_formulas_bend_where_the_oracle_says(text):
    formula = parse(f"({text}) ⊕ (x ⊙ 0)")
    function = function_of(formula)
    assert fractions(function.breakpoints) == true_breakpoints(formula)
    for (x,) in oracle.grid(1, 12):
        assert (
            Fraction(str(function(Rational(x.numerator, x.denominator)))) == oracle.formula_values(formula, {"x": x})[0]
        )


@given(oracle.specs(oracle.rationals, max_inputs=1))
def test_networks_bend_where_the_oracle_says(spec):
    function = function_of(oracle.build_network(spec))
    assert fractions(function.breakpoints) == true_breakpoints(spec)


@given(oracle.expressions(names=("x",), logic="mv"))
def test_farey_samples_find_the_same_function(text):
    formula = parse(text)
    assert sampled(formula) == function_of(formula)


def test_too_coarse_samples_do_not():
    formula = parse("(x ⊕ x) ⊙ ¬(x ⊙ x)")
    assert sampled(formula) == function_of(formula)
    assert sampled(formula, 1) != function_of(formula)


@given(st.integers(1, 30))
def test_farey_points(order):
    expected = sorted({Fraction(a, b) for b in range(1, order + 1) for a in range(b + 1)})
    assert fractions(farey_points(order)) == expected


@pytest.mark.parametrize("s", [1, 2, 3, 5])
def test_sawtooth(s):
    function = function_of(deep_sawtooth(s))
    assert function == function_of(shallow_sawtooth(s))
    assert fractions(function.points) == [Fraction(i, 2**s) for i in range(2**s + 1)]
    assert [piece.slope for piece in function.pieces()] == [2**s * (-1) ** i for i in range(2**s)]
    assert function.number_kind == "integer"


def test_a_box_is_mapped_onto_the_unit_interval():
    network = Network.of([Layer.of([[1]], [0], "crelu")], box=[[-1, 3]])
    assert function_of(network) == Piecewise.through(
        [Rational(0), Rational(1, 4), Rational(1, 2), Rational(1)], [Rational(0), Rational(0), Rational(1), Rational(1)]
    )


def test_irrational_breakpoints():
    function = function_of(Network.of([Layer.of([["sqrt(2)"]], ["-1/2"], "crelu")]))
    assert function.breakpoints == (parse_number("sqrt(2)/4"),)
    assert function.number_kind == "algebraic"


def test_constants_have_no_input():
    assert function_of(parse("1 ⊙ 1")) == sampled(parse("1 ⊙ 1")) == Piecewise.constant(Rational(1))


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: function_of(parse("x ⊕ y")), "one input and one output, found 2"),
        (lambda: sampled(parse("δ[2]x")), "expected an MV term, found dmv"),
        (lambda: list(farey_points(0)), "order ≥ 1"),
        (lambda: Piecewise.through([Rational(0)], [Rational(0)]), "a value for each of the points"),
        (lambda: Piecewise.constant(Rational(2)).check_unit_interval(), "values in \\[0,1\\]"),
    ],
)
def test_errors(call, reason):
    with pytest.raises(InputError, match=reason):
        call()
