"""The length of the shortest formulas, against formulas whose minimum is known."""

import pytest

from verimv.formulas.formula import parse
from verimv.paper.experiments.random_terms import TermSource
from verimv.paper.experiments.shortest import shortest_length


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("x", 1),
        ("x ⊙ ¬x", 0),
        ("(x ∧ ¬x) ⊕ (x ∧ ¬x)", 4),  # the hat
        ("x ∨ x ∨ (x ⊙ x)", 1),
        ("40·x", 40),  # by its slope
        ("(x ∧ y) ⊕ (x ∨ y) ⊕ (z ⊙ z)", 4),
        ("x ⊕ x ⊕ y ⊕ y ⊕ z ⊕ z", 6),  # one more than the table has
        ("x ⊕ x ⊕ y ⊕ y ⊕ z ⊕ z ⊕ z", 7),
        ("(x ∧ y) ⊕ (x ∨ y) ⊕ (x ∧ z) ⊕ (x ∨ z)", 4),
        ("(x ∨ y) ∧ (x ∨ z) ∧ ¬(x ⊙ ¬(y ∧ z) ⊙ ¬x)", 5),  # x ∨ (y ∧ z)
    ],
)
def test_shortest_lengths(text, length):
    assert shortest_length(parse(text)) == length


def test_longer_than_all_that_are_searched():
    """No formula up to 11 has the values of this one, of length 14; of 12 and 13 not all are searched."""
    assert shortest_length(TermSource("1/multivariate/14/3", ["x", "y", "z"]).draw(14)) is None


def test_a_larger_table_knows_more():
    formula = TermSource("1/multivariate/8/7", ["x", "y", "z"]).draw(8)
    assert shortest_length(formula, 2) is None
    assert shortest_length(formula) == 8
