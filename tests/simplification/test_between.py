"""Formulas between two functions: all that a plain enumeration has are found, and the bound is below every length."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import formula_values
from verimv.core.effort import SECOND
from verimv.formulas.dag import ODOT, OPLUS, fold
from verimv.formulas.evaluate_arrays import Arrays
from verimv.formulas.formula import Formula
from verimv.paper.experiments.random_terms import TermSource
from verimv.simplification.between import Assembling, Bounds, EntriesBetween, entries_between
from verimv.simplification.table import ONE, ShortFormulas
from verimv.solvers import decide

#: A search with few entries, which must put together what the table has, too.
SMALL = {leaves: EntriesBetween(leaves, 2) for leaves in (1, 2, 3)}


def term(seed, length, variables):
    return TermSource(str(seed), [f"v{i + 1}" for i in range(variables)]).draw(length)


def values_of(formula, points):
    """By a pass over arrays; the first test compares with the oracle."""
    columns = dict(zip((f"v{i + 1}" for i in range(len(points))), points.astype(np.int64), strict=True))
    return fold(formula.dag, [formula.root], Arrays(columns, ONE))[0].astype(np.int8)


def written(entries, assembly):
    table = entries.table
    node = assembly.last.node
    for kind, entry in reversed(assembly.parts):
        node = table.dag.node(kind, entry.node, node)
    return Formula(table.dag, table.names, [node])


@pytest.mark.parametrize("leaves", [1, 2, 3])
def test_rows_have_the_values_of_the_entries(leaves):
    entries = SMALL[leaves]
    for entry, row in zip(entries.entries, entries.rows, strict=True):
        formula = Formula(entries.table.dag, entries.table.names, [entry.node])
        for point, value in list(zip(entries.points.T, row, strict=True))[::97]:
            at = {name: Fraction(int(x), ONE) for name, x in zip(entries.table.names, point, strict=True)}
            assert formula_values(formula, at) == [Fraction(int(value), ONE)]


@pytest.mark.parametrize("kind", [OPLUS, ODOT])
def test_what_is_left_is_exactly_what_the_other_operand_may_be(kind):
    """For all bounds, operands and others on a coarse scale."""
    scale = range(0, ONE + 1, 12)
    for low, high, g in itertools.product(scale, repeat=3):
        if not (low <= high and (g <= high if kind == OPLUS else g >= low)):
            continue
        left = Bounds(*(np.array([x], dtype=np.int8) for x in (low, high))).left_by(kind, np.array([g], dtype=np.int8))
        for h in scale:
            joined = min(ONE, g + h) if kind == OPLUS else max(0, g + h - ONE)
            assert (low <= joined <= high) == (left.low[0] <= h <= left.high[0])


@settings(max_examples=40)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(1, 14))
def test_no_formula_is_shorter_than_the_bound(seed, variables, length):
    entries = SMALL[variables]
    values = values_of(term(seed, length, variables), entries.points)
    assert Assembling(entries).needed(Bounds(values, values)) <= length


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 3))
def test_entries_between_are_all_of_them(seed, variables):
    entries = entries_between(variables)
    some = [values_of(term(f"{seed}/{i}", 5, variables), entries.points) for i in range(3)]
    bounds = Bounds(np.min(some, axis=0), np.max(some, axis=0))
    found = entries.find(bounds, 3)
    count = entries.count(3)
    rows = entries.rows[:count]
    expected = [
        entries.entries[i] for i in range(count) if (bounds.low <= rows[i]).all() and (rows[i] <= bounds.high).all()
    ]
    assert found == expected[: len(found)]
    assert bool(found) == bool(expected)


@pytest.mark.parametrize(("leaves", "length"), [(1, 5), (2, 4), (3, 4)])
def test_every_function_gets_its_shortest_length(leaves, length):
    """A table up to 2 must put together what a table up to `length` enumerates; and finds nothing shorter."""
    small = SMALL[leaves]
    whole = ShortFormulas(leaves, length, small.points)
    search = Assembling(small)
    for entry, values in whole.functions()[:: 1 if leaves < 3 else 13]:
        bounds = Bounds(values, values)
        assert not list(search.find(bounds, entry.length - 1, SECOND))
        assert search.is_complete
        found = next(search.find(bounds, entry.length, SECOND))
        assert found.length == entry.length == written(small, found).length
        assert (values_of(written(small, found), small.points) == values).all()


def test_what_is_found_is_between():
    entries = SMALL[3]
    search = Assembling(entries)
    for seed in range(12):
        low, high = sorted((values_of(term(f"{seed}/{i}", 6, 3), entries.points) for i in range(2)), key=np.sum)
        bounds = Bounds(np.minimum(low, high), np.maximum(low, high))
        for assembly in itertools.islice(search.find(bounds, 5, SECOND // 5), 20):
            values = values_of(written(entries, assembly), entries.points)
            assert assembly.length <= 5
            assert (bounds.low <= values).all()
            assert (values <= bounds.high).all()


def test_a_search_that_ends_early_says_so():
    entries = entries_between(3)
    values = values_of(term("1/multivariate/14/6", 14, 3), entries.points)
    search = Assembling(entries)
    assert list(search.find(Bounds(values, values), 11, 1000)) == []
    assert not search.is_complete
    assert search.work < SECOND // 10


@pytest.mark.parametrize("seed", range(4))
def test_a_term_that_is_put_together_again(seed):
    """A sum of two short terms is found again, at most as long, and the solver proves it equal."""
    entries = entries_between(3)
    formula = term(f"{seed}/a", 5, 3) + term(f"{seed}/b", 3, 3)
    values = values_of(formula, entries.points)
    found = next(Assembling(entries).find(Bounds(values, values), 8, 10 * SECOND))
    assert decide.equal_by_solver(formula, written(entries, found)).proved
