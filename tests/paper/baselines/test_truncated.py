"""σ(p) by three procedures: the right function, and the lengths that are claimed."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verimv import InputError, Undecided
from verimv.exact import Rational, as_number
from verimv.formulas.dag import Dag
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.paper.baselines.truncated import SIGMAS, Truncated, choose_logic
from verimv.pieces.piecewise import Piecewise, function_of


def built(slope, constant, sigma, logic):
    dag = Dag()
    node = Truncated(dag, ["x"], logic, sigma).node(Affine([(0, as_number(slope))], as_number(constant)))
    return Formula(dag, ["x"], [node])


def expected(slope, constant):
    a, b = as_number(slope), as_number(constant)
    return Piecewise.through([Rational(0), Rational(1)], [b, a + b]).clamped(Rational(0), Rational(1))


@given(st.integers(-9, 9), st.integers(-10, 10), st.sampled_from(SIGMAS))
def test_integer(slope, constant, sigma):
    formula = built(slope, constant, sigma, "mv")
    assert formula.logic == "mv"
    assert function_of(formula) == expected(slope, constant)


@given(
    st.fractions(-3, 3, max_denominator=4),
    st.fractions(-3, 3, max_denominator=4),
    st.sampled_from(SIGMAS),
    st.sampled_from(["dmv", "rmv"]),
)
def test_rational(slope, constant, sigma, logic):
    formula = built(slope, constant, sigma, logic)
    assert formula.logic in ("mv", "dmv", logic)
    assert function_of(formula) == expected(slope, constant)


@pytest.mark.parametrize("sigma", SIGMAS)
def test_real(sigma):
    assert function_of(built("3*sqrt(2)", "-sqrt(3)", sigma, "rmv")) == expected("3*sqrt(2)", "-sqrt(3)")


def test_lengths():
    for a in range(2, 25):
        lengths = {sigma: [built(a, -b, sigma, "mv").length for b in range(a)] for sigma in SIGMAS}
        falling = {sigma: [built(-a, 1 + b, sigma, "mv").length for b in range(a)] for sigma in SIGMAS}
        assert falling == lengths
        assert max(lengths["lemma"]) <= 2**a - 1  # Lemma 3.4
        in_order = [lengths[name] for name in ("shortest", "quadratic", "lemma")]
        assert all(list(ways) == sorted(ways) for ways in zip(*in_order, strict=True))
    assert max(lengths["lemma"]) > 1000 * max(lengths["quadratic"])


@pytest.mark.parametrize(
    ("call", "reason"),
    [
        (lambda: built(2, 0, "best", "mv"), "unknown procedure best"),
        (lambda: built("1/2", 0, "quadratic", "mv"), "integer coefficients"),
        (lambda: built("sqrt(2)", 0, "quadratic", "dmv"), "rational coefficients"),
        (lambda: built(10**6, -5, "quadratic", "mv"), "1,000,000 is more than"),
        (lambda: built("1/1000003", 0, "quadratic", "dmv"), "1,000,003 is more than"),
        (lambda: choose_logic("rational", "mv"), "the coefficients are rational: choose one of dmv, rmv, not mv"),
    ],
)
def test_errors(call, reason):
    with pytest.raises((InputError, Undecided), match=reason):
        call()
