"""The table of short formulas, decompositions and cuts, against plain enumeration and the oracle."""

import itertools
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from tests.oracle import expressions, formula_values
from verimv.formulas.dag import VARIABLE
from verimv.formulas.formula import Formula, parse
from verimv.simplification.cuts import Cuts
from verimv.simplification.decompose import Decomposer, decomposer
from verimv.simplification.table import COORDINATES, ONE, ShortFormulas, short_formulas
from verimv.solvers import decide


def values_of(formula, leaves):
    """The values on the table's grid, by the oracle."""
    points = itertools.product([Fraction(int(x), ONE) for x in COORDINATES[leaves]], repeat=leaves)
    names = [f"v{i + 1}" for i in range(leaves)]
    numbers = [formula_values(formula, dict(zip(names, point, strict=True)))[0] * ONE for point in points]
    return np.array(numbers, dtype=np.int8).reshape((len(COORDINATES[leaves]),) * leaves)


def enumerated(denominator, max_length):
    """Functions of one variable by shortest length, as values on a grid: all formulas, built naively."""
    steps = range(denominator + 1)
    x = tuple(steps)
    levels = {0: {(0,) * len(x), (denominator,) * len(x)}, 1: {x, x[::-1]}}
    seen = levels[0] | levels[1]
    for length in range(2, max_length + 1):
        level = set()
        for i in range(1, length):
            for a, b in itertools.product(levels[i], levels[length - i]):
                level.add(tuple(min(denominator, p + q) for p, q in zip(a, b, strict=True)))
                level.add(tuple(max(0, p + q - denominator) for p, q in zip(a, b, strict=True)))
        level |= {tuple(denominator - p for p in row) for row in level}
        levels[length] = level - seen
        seen |= level
    return levels


def test_one_variable_is_complete_and_shortest():
    """On a grid with all bends (denominators up to the length), values determine the function."""
    table = short_formulas(1)
    for length, functions in enumerated(60, 6).items():
        assert len(table.of_length(length)) == len(functions)


@pytest.mark.parametrize(("leaves", "length"), [(1, 4), (2, 3), (3, 2)])
def test_entries_are_what_they_say(leaves, length):
    table = ShortFormulas(leaves, length)
    for entry, row in table.functions():
        formula = Formula(table.dag, table.names, [entry.node])
        assert formula.length == entry.length == sum(entry.occurrences)
        assert table.find(row) == entry
        for place, point in list(enumerate(itertools.product(COORDINATES[leaves], repeat=leaves)))[::7]:
            at = {name: Fraction(int(x), ONE) for name, x in zip(table.names, point, strict=True)}
            assert formula_values(formula, at) == [Fraction(int(row[place]), ONE)]


def test_a_function_that_is_not_there():
    table = ShortFormulas(1, 3)
    assert table.find(values_of(parse("v1 ⊕ v1 ⊕ v1 ⊕ v1"), 1)) is None
    assert table.find(values_of(parse("v1 ⊕ v1 ⊕ v1"), 1)).length == 3


@pytest.mark.parametrize(
    ("text", "length"),
    [("4·v1", 4), ("5·v1", 5), ("¬4·v1", 4), ("(v1 ⊕ v1) ⊙ ¬(v1 ⊙ v1)", 4), ("(v1 ⊕ v1 ⊕ v1) ⊙ (v1 ⊕ v1)", 5)],
)
def test_decompositions_are_shortest(text, length):
    """With a table up to 3, lengths up to 6 are found; the full table says which is right."""
    formula = parse(text)
    values = values_of(formula, 1)
    small = Decomposer(ShortFormulas(1, 3))
    entry = small.find(values)
    assert entry.length == length == short_formulas(1).find(values).length
    assert small.find(values) is entry
    assert decide.equal_by_solver(formula, Formula(small.table.dag, small.table.names, [entry.node])).proved


def test_no_decomposition():
    assert Decomposer(ShortFormulas(1, 2)).find(values_of(parse("5·v1"), 1)) is None


def test_beyond_the_table_of_two_variables():
    """Length 7 is a sum or product of two shorter ones, so none is missed."""
    formula = parse("(v1 ⊕ v1 ⊕ v2) ⊙ (v2 ⊕ v2 ⊕ ¬v1) ⊙ ¬v2")
    assert decomposer(2).find(values_of(formula, 2)).length <= 7


@settings(max_examples=25)
@given(expressions(names=("v1", "v2", "v3"), logic="mv", max_leaves=8))
def test_cuts_have_the_values_of_their_nodes(text):
    formula = parse(text)
    dag, cuts = formula.dag, Cuts(formula.dag)
    for node in range(len(dag)):
        cuts.add(node)
    for cut in cuts.of(formula.root):
        if cut.leaves and all(dag.kinds[leaf] == VARIABLE for leaf in cut.leaves):
            names = [dag.payload(leaf) for leaf in cut.leaves]
            size = len(COORDINATES[len(names)])
            whole = np.broadcast_to(cut.values, (size,) * len(names))
            for place in itertools.product((0, 1, size // 2, size - 2), repeat=len(names)):
                coordinates = [Fraction(int(COORDINATES[len(names)][i]), ONE) for i in place]
                value = formula_values(formula, dict(zip(names, coordinates, strict=True)))[0]
                assert Fraction(int(whole[place]), ONE) == value
