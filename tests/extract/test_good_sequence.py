"""MV sorting networks: (⊕, ⊙) as a comparator."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verimv.terms.good_sequence import merge, merge_sort
from verimv.extract.queries import NAMES, sort_query
from verimv.smt.solvers import SOLVERS


def clip(x):
    return min(Fraction(1), max(Fraction(0), x))


def compare(a, b):
    return min(Fraction(1), a + b), max(Fraction(0), a + b - 1)


def good(value, count):
    return [clip(value - k) for k in range(count)]


units = st.fractions(0, 1, max_denominator=30)


@given(st.integers(1, 12), units, st.integers(1, 12), units)
def test_merge_gives_the_good_sequence_of_the_sum(p, x, q, y):
    f, g = p * x, q * y
    assert merge(good(f, p), good(g, q), compare) == good(f + g, p + q)


@given(st.lists(units, min_size=1, max_size=20))
def test_merge_sort_gives_every_threshold_at_once(literals):
    merged = merge_sort(literals, lambda a, b: merge(a, b, compare))
    assert merged == good(sum(literals), len(literals))


@pytest.mark.parametrize(("p", "q"), [(1, 1), (2, 1), (1, 3), (2, 2), (3, 2), (4, 4), (5, 3)])
@pytest.mark.parametrize("solver", ["z3", "cvc5"])
def test_the_merge_is_proved_by_solvers(p, q, solver):
    assert SOLVERS[solver](*sort_query(p, q), NAMES, 60.0).status == "unsat"


def test_a_merge_with_an_end_left_empty():
    assert merge([], [1, 2], compare) == [1, 2]
    assert merge([1], [], compare) == [1]


def test_batcher_needs_few_comparators():
    """m literals: about m·log²m / 4 comparators, where the lemma's table has m²/2 nodes."""
    count = 0

    def counted(a, b):
        nonlocal count
        count += 1
        return a, b

    merge_sort(list(range(64)), lambda a, b: merge(a, b, counted))
    assert count == 543
