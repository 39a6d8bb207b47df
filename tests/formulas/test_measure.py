import pytest
from hypothesis import given

from tests.oracle import expressions
from verimv.formulas.formula import parse
from verimv.formulas.measure import format_length


@pytest.mark.parametrize(("text", "length", "size", "depth", "logic"), [
    ("0", 0, 1, 0, "mv"), ("x", 1, 1, 0, "mv"), ("x ⊕ 0", 1, 3, 1, "mv"), ("(x ⊕ x) ⊙ ¬(x ⊙ x)", 4, 5, 3, "mv"),
    ("(x1 ⊙ ¬x1) ⊕ x2", 3, 5, 3, "mv"), ("δ[2]x", 1, 2, 1, "dmv"), ("δ[2]x ⊕ Δ[1/2]x", 2, 4, 2, "rmv"), ("Δ[1/2]1", 0, 2, 1, "rmv"),
])  # fmt: skip
def test_measures(text, length, size, depth, logic):
    formula = parse(text)
    assert (formula.length, formula.size, formula.depth, formula.logic) == (length, size, depth, logic)


@given(expressions(derived=False))
def test_length_counts_variables_in_the_text(text):
    assert parse(text).length == text.count("x")
    assert parse(text).measure().length == text.count("x")


def test_lengths_past_ten_thousand_digits_are_logarithms():
    assert format_length(10**9999) == "1" + "0" * 9999
    assert format_length(40000.2) == "~2^40000"
