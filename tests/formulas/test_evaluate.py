from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import expressions, formula_values, grid
from verimv.core.errors import InputError
from verimv.exact import Rational, as_number, parse_number
from verimv.formulas.formula import parse

NAMES = ("x1", "x2", "x10")


@given(expressions(), st.lists(st.tuples(*[st.fractions(0, 1, max_denominator=50)] * 3), min_size=1, max_size=20))
def test_all_ways_to_evaluate_agree_with_the_oracle(text, points):
    formula = parse(text)
    points = points + grid(3, 1)
    expected = [formula_values(formula, dict(zip(NAMES, point, strict=True)))[0] for point in points]
    rows = [[as_number(dict(zip(NAMES, point, strict=True))[name]) for name in formula.inputs] for point in points]
    assert [formula.at(dict(zip(formula.inputs, row, strict=True)))[0] for row in rows] == expected
    assert [values[0] for values in formula.at_points(rows)] == expected
    if formula.inputs:
        columns = {name: np.array([float(row[i]) for row in rows]) for i, name in enumerate(formula.inputs)}
        assert np.allclose(formula(**columns), np.array([float(v) for v in expected]), atol=1e-12)


def test_calling_a_formula():
    formula = parse("x ⊙ ¬y")
    assert formula("3/4", "1/2") == formula(x=0.75, y=Fraction(1, 2)) == formula(0.75, y="0.5") == Fraction(1, 4)
    assert formula(x=np.array([1.0, 0.5]), y=0.25).tolist() == [0.75, 0.25]
    assert formula(parse_number("sqrt(2)/2"), "1/2") == parse_number("sqrt(2)/2-1/2")


@pytest.mark.parametrize(("values", "named"), [
    ((1,), {}), ((1, 1, 1), {}), ((1,), {"x": 1}), ((1, 1), {"z": 1}), ((2, 0), {}), ((-1, 0), {}), (("nan", 0), {}),
    ((float("nan"), 0), {}), ((np.array([0.0, 1.5]), 0), {}), ((np.array([np.nan]), 0), {}), (("1/3 ", 0), {}),
])  # fmt: skip
def test_bad_points(values, named):
    with pytest.raises(InputError):
        parse("x ⊙ ¬y")(*values, **named)


def test_integers_over_a_common_denominator_do_not_overflow():
    formula = parse("(x ⊕ x) ⊙ ¬(x ⊙ x)")
    for denominator in (2**60, 2**61, 2**200):
        points = [[Rational(denominator // 2 - 1, denominator)], [Rational(denominator - 1, denominator)]]
        assert [row[0] for row in formula.at_points(points)] == [1 - Rational(2, denominator), Rational(2, denominator)]


def test_several_outputs():
    from verimv.formulas.mvfile import read_mv

    formula = read_mv("verimv-formula 1\ninputs x\na = x ⊕ x\nb = x ⊙ x\noutputs a b\n")
    assert formula(x="3/4") == {"a": 1, "b": Fraction(1, 2)}
    assert formula.output("b")(x="3/4") == Fraction(1, 2)
    with pytest.raises(InputError, match="expected one output"):
        _ = formula.root
    with pytest.raises(InputError, match="no output c"):
        formula.output("c")
