import pytest
from hypothesis import given

from tests.oracle import expressions, formula_values, grid
from verimv.core.errors import InputError
from verimv.exact import Rational
from verimv.formulas import dag as build
from verimv.formulas.dag import Dag
from verimv.formulas.formula import parse


def test_equal_subterms_are_one_node():
    dag = Dag()
    x, y = dag.variable("x"), dag.variable("y")
    assert dag.oplus(x, y) == dag.oplus(x, y)
    assert dag.oplus(x, y) != dag.oplus(y, x)
    assert dag.scale(Rational(1, 2), x) == dag.scale(Rational(2, 4), x)
    assert dag.scale(Rational(1, 2), x) != dag.divide(2, x)
    assert dag.variable("x") == x


def test_unit_laws():
    dag = Dag()
    x, zero, one = dag.variable("x"), dag.constant(0), dag.constant(1)
    assert dag.oplus(zero, x) == dag.oplus(x, zero) == x
    assert dag.oplus(one, x) == dag.oplus(x, one) == one
    assert dag.odot(one, x) == dag.odot(x, one) == x
    assert dag.odot(zero, x) == dag.odot(x, zero) == zero
    assert dag.neg(dag.neg(x)) == x
    assert (dag.neg(zero), dag.neg(one)) == (one, zero)
    assert dag.divide(1, x) == dag.scale(Rational(1), x) == x
    assert dag.scale(Rational(0), x) == dag.divide(7, zero) == dag.scale(Rational(1, 2), zero) == zero
    assert dag.node(build.OPLUS, zero, x) != x, "node applies no laws"


def test_domains_of_division_and_multiplication():
    dag = Dag()
    x = dag.variable("x")
    with pytest.raises(InputError):
        dag.divide_node(0, x)
    for factor in (Rational(-1, 2), Rational(3, 2)):
        with pytest.raises(InputError):
            dag.scale_node(factor, x)


@pytest.mark.parametrize(("text", "function"), [
    ("x ∧ y", min), ("x ∨ y", max), ("x → y", lambda x, y: min(1, 1 - x + y)), ("x ⊖ y", lambda x, y: max(0, x - y)),
    ("x ↔ y", lambda x, y: 1 - abs(x - y)), ("5·(x ⊙ y)", lambda x, y: min(1, 5 * max(0, x + y - 1))),
    ("1000003·(x ⊙ y)", lambda x, y: min(1, 1000003 * max(0, x + y - 1))),
])  # fmt: skip
def test_derived_operators_mean_what_they_should(text, function):
    formula = parse(text)
    for x, y in grid(2, 12):
        assert formula_values(formula, {"x": x, "y": y}) == [function(x, y)]


def test_multiples_take_logarithmic_space():
    assert parse("1000000·x").size < 40
    assert parse("1000000·x").length == 1000000


@given(expressions())
def test_substitution_is_simultaneous_composition(text):
    formula = parse(text)
    swapped = formula.substitute({"x1": parse("x10 ⊕ x2"), "x10": parse("x1"), "x2": parse("¬x2")})
    for x1, x2, x10 in grid(3, 3):
        values = {"x1": min(1, x10 + x2), "x10": x1, "x2": 1 - x2}
        assert formula_values(swapped, {"x1": x1, "x2": x2, "x10": x10}) == formula_values(formula, values)


def test_x1_does_not_clobber_x10():
    """A bug of earlier implementations, which composed by text replacement."""
    formula = parse("x1 ⊙ x10").substitute({"x1": parse("a ⊕ b")})
    assert str(formula) == "(a ⊕ b) ⊙ x10"
    assert formula.inputs == ("a", "b", "x10")


def test_operators_on_formulas():
    x, y = parse("x"), parse("y")
    assert str((x + x) * ~(x * x)) == "(x ⊕ x) ⊙ ¬(x ⊙ x)"
    assert str((x & y) | (x - y)) == "x ∧ y ∨ x ⊙ ¬y"
    assert str(3 * (x >> y)) == "3·(x → y)"
    assert (x + y).inputs == ("x", "y")
    with pytest.raises(TypeError):
        x + 1
    total = x
    for _ in range(2000):
        total = total + y
    assert total.length == 2001
