"""The length of the shortest formulas, against formulas whose minimum is known."""

import pytest

from verimv.formulas.formula import parse
from verimv.paper.experiments.shortest import shortest_length


@pytest.mark.parametrize(
    ("text", "length"),
    [
        ("x", 1),
        ("x ⊙ ¬x", 0),
        ("(x ∧ ¬x) ⊕ (x ∧ ¬x)", 4),  # the hat
        ("x ∨ x ∨ (x ⊙ x)", 1),
        ("40·x", None),  # longer than all that are enumerated
        ("(x ∧ y) ⊕ (x ∨ y) ⊕ (z ⊙ z)", 4),
        ("x ⊕ x ⊕ y ⊕ y ⊕ z ⊕ z", 6),  # one more than the table has
        ("x ⊕ x ⊕ y ⊕ y ⊕ z ⊕ z ⊕ z", None),
    ],
)
def test_shortest_lengths(text, length):
    assert shortest_length(parse(text)) == length
