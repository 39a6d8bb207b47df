"""MV sorting networks: (⊕, ⊙) as a comparator."""

from fractions import Fraction

import pytest
import z3
from hypothesis import given
from hypothesis import strategies as st

from verimv.formulas.good_sequence import merge, merge_sort


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
def test_the_merge_is_proved_by_a_solver(p, q):
    """For all values: entry k of the merge is σ(f + g − k)."""
    f, g = z3.Reals("f g")

    def symbolic(x):
        return z3.If(x <= 0, z3.RealVal(0), z3.If(x >= 1, z3.RealVal(1), x))

    def compared(a, b):
        return z3.If(a + b <= 1, a + b, z3.RealVal(1)), z3.If(a + b <= 1, z3.RealVal(0), a + b - 1)

    merged = merge([symbolic(f - k) for k in range(p)], [symbolic(g - k) for k in range(q)], compared)
    solver = z3.Solver()
    solver.add(f >= 0, f <= p, g >= 0, g <= q)
    solver.add(z3.Or([entry != symbolic(f + g - k) for k, entry in enumerate(merged)]))
    assert solver.check() == z3.unsat


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
