"""σ(ax − b) by Aguzzoli's procedure and by the shortest ways known: the function, and the lengths that are proved."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verimv import parse
from verimv.exact import Rational
from verimv.formulas.dag import Dag
from verimv.formulas.formula import Formula
from verimv.paper.baselines.ramps import PROCEDURES, Ramp, RampBuilder, simplest_fraction
from verimv.pieces.piecewise import Piecewise, function_of


def built(a, b, procedure="quadratic"):
    dag = Dag()
    return Formula(dag, ["x"], [RampBuilder(dag, dag.variable("x"), procedure).node(Ramp(a, b))])


def lengths(a, procedure="quadratic"):
    """For all b, by one builder."""
    dag = Dag()
    builder = RampBuilder(dag, dag.variable("x"), procedure)
    return [Formula(dag, ["x"], [builder.node(Ramp(a, b))]).length for b in range(a)]


@given(st.integers(0, 40), st.integers(-2, 42), st.sampled_from(list(PROCEDURES)))
def test_the_function(a, b, procedure):
    line = Piecewise.through([Rational(0), Rational(1)], [Rational(-b), Rational(a - b)])
    assert function_of(built(a, b, procedure)) == line.clamped(Rational(0), Rational(1))


@pytest.mark.parametrize(
    ("a", "b", "text"),
    [
        (3, 0, "x ⊕ x ⊕ x"),
        (3, 2, "x ⊙ x ⊙ x"),
        (3, 1, "x ⊙ (x ⊕ x) ⊕ x ⊙ x"),  # Lemma 3.3
        (4, 1, "(x ⊕ x) ⊙ (x ⊕ x)"),  # b + 1 divides a
        (6, 3, "x ⊙ x ⊕ x ⊙ x ⊕ x ⊙ x"),  # a − b divides a
        (6, 2, "(x ⊕ x) ⊙ (x ⊕ x) ⊙ (x ⊕ x)"),  # 2 divides 6 and 2, but 2 + 1 divides 6
    ],
)
def test_aguzzolis_procedure(a, b, text):
    assert built(a, b) == parse(text)


def test_quadratic_lengths_are():
    """Between a²/4 and a(a+2)/3 in the worst case, as the module proves."""
    for a in range(1, 100):
        assert a <= max(lengths(a)) <= a * (a + 2) / 3
    for k in range(1, 9):
        a = 3 * 2**k - 1
        assert max(lengths(a)) > a * a / 4
        assert set(lengths(2**k)) == {2**k}


def test_shortest_is_at_most_quadratic():
    longer = 0
    for a in range(1, 80):
        pairs = list(zip(lengths(a, "shortest"), lengths(a), strict=True))
        assert all(a <= short <= long for short, long in pairs)
        longer += sum(short < long for short, long in pairs)
    assert longer > 500


def test_long_chains_are_no_recursion():
    for procedure in PROCEDURES:
        assert 9_999 < built(9_999, 4_321, procedure).length <= 9_999 * 10_001 / 3


@given(st.integers(3, 60).flatmap(lambda a: st.tuples(st.just(a), st.integers(1, a - 2))))
def test_the_simplest_fraction(ramp):
    a, b = ramp
    c, k = simplest_fraction(Ramp(a, b))
    assert b * k <= c * a <= (b + 1) * k
    assert not any(b * d <= n * a <= (b + 1) * d for d in range(1, k) for n in range(d + 1))
