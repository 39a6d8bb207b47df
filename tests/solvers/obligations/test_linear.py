"""Queries about forms: equal queries are one, and they have the right meaning."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verimv.exact import Rational, parse_number
from verimv.networks.affine import Affine
from verimv.solvers.obligations.asking import SESSIONS
from verimv.solvers.obligations.linear import always_zero, never_positive
from verimv.solvers.obligations.script import Script

small = st.fractions(-3, 3, max_denominator=4)
forms = st.builds(
    lambda weights, constant: form(*weights, constant=constant), st.lists(small, min_size=0, max_size=3), small
)


def form(*weights, constant=0):
    numbers = [Rational(Fraction(w).numerator, Fraction(w).denominator) for w in (*weights, constant)]
    return Affine(list(enumerate(numbers[:-1])), numbers[-1])


def reply(query, solver="z3"):
    return SESSIONS[solver](query.logic, Script()).ask(query.script(), 60.0)


@given(forms)
def test_never_positive(form):
    query, _ = never_positive(form)
    found = reply(query)
    assert (found.status == "unsat") == (form.range_over_unit_cube()[1] <= 0)
    if found.status == "sat":
        assert query.is_refuted_by([found.model.get(name, Rational(0)) for name in query.variables])


@given(forms)
def test_always_zero(form):
    query, _ = always_zero(form)
    found = reply(query)
    assert (found.status == "unsat") == (not form.terms and not form.constant)
    if found.status == "sat":
        assert query.is_refuted_by([found.model.get(name, Rational(0)) for name in query.variables])


@pytest.mark.parametrize("solver", SESSIONS)
@pytest.mark.parametrize(
    ("text", "expected"), [("sqrt(2)-3/2", "unsat"), ("3/2-sqrt(2)", "sat"), ("sqrt(2)+sqrt(3)-sqrt(11)", "unsat")]
)
def test_square_roots(text, expected, solver):
    for constant in (parse_number(text), parse_number(text) - 1):
        terms = [] if constant == parse_number(text) else [(7, Rational(1))]
        query, _ = never_positive(Affine(terms, constant))
        assert query.logic == "QF_NRA"
        assert reply(query, solver).status == expected
        assert reply(always_zero(Affine(terms, constant))[0], solver).status == "sat"


def test_names_order_and_factors_do_not_matter():
    query, _ = never_positive(Affine([(3, Rational(2)), (9, Rational(-4))], Rational(-6)))
    assert never_positive(Affine([(1, Rational(-2, 3)), (2, Rational(1, 3))], Rational(-1)))[0] == query
    assert never_positive(Affine([(1, Rational(-2)), (2, Rational(1))], Rational(-4)))[0] != query
    query, _ = always_zero(Affine([(3, Rational(2)), (9, Rational(-4))]))
    assert always_zero(Affine([(3, Rational(-1)), (9, Rational(2))]))[0] == query


def test_the_point_is_outside_the_cube():
    query, _ = always_zero(form(1))
    assert not query.is_refuted_by([Rational(2)])
    assert query.is_refuted_by([Rational(1)])
