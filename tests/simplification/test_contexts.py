"""Parts in their contexts: what lies between the two functions of a part may stand for it, and the search keeps values."""

from statistics import geometric_mean

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import formula_values
from tests.simplification.replay import replay
from verimv.certificate.from_simplification import certify_simplification
from verimv.core.effort import SECOND
from verimv.exact import as_number
from verimv.formulas.dag import ODOT, OPLUS
from verimv.formulas.formula import Formula, parse
from verimv.paper.experiments.random_terms import TermSource
from verimv.paper.experiments.shortest import shortest_length
from verimv.questions.equality import equivalent
from verimv.simplification import between, contexts
from verimv.simplification.contexts import UNIT, ContextSearch, parts
from verimv.simplification.simplification import simplify


def term(seed, length, variables):
    return TermSource(str(seed), [f"v{i + 1}" for i in range(variables)]).draw(length)


def tree_of(search, formula):
    return search.tree(formula.dag, formula.root, [formula.dag.variable(name) for name in formula.inputs])


def value_around(part, values):
    """The whole, if a part has other values."""
    for kind, others in part.around:
        total = values + sum(tree.values for tree in others)
        values = np.minimum(UNIT, total) if kind == OPLUS else np.maximum(0, total - UNIT * len(others))
    return values


@settings(max_examples=30)
@given(st.integers(0, 10**6), st.integers(2, 3), st.integers(4, 12))
def test_exactly_what_lies_between_may_stand_for_a_part(seed, variables, length):
    """The two functions themselves may, at every point; one step beyond either of them, the whole changes."""
    whole = tree_of(ContextSearch(variables), term(seed, length, variables))
    assert whole.length == length
    for part in parts(whole):
        assert (part.low <= part.tree.values).all()
        assert (part.tree.values <= part.high).all()
        for end, step in ((part.low, -1), (part.high, 1)):
            assert (value_around(part, end) == whole.values).all()
            inside = (end + step >= 0) & (end + step <= UNIT)
            assert (value_around(part, end + step) != whole.values)[inside].all()


@settings(max_examples=25)
@given(st.integers(0, 10**6), st.integers(1, 3), st.integers(6, 16))
def test_a_search_keeps_values_and_shortens_in_every_step(seed, variables, length):
    search = ContextSearch(variables)
    formula = term(seed, length, variables)
    tree = tree_of(search, formula)
    lengths = [length]
    for found in search.shorter(tree, SECOND // 5):
        lengths.append(found.length)
        assert found.length == Formula(search.dag, search.names, [found.node]).length
        assert (found.values == tree.values).all()
    assert lengths == sorted(set(lengths), reverse=True)


def test_a_point_that_was_learnt_is_kept(monkeypatch):
    """Where only few points are compared, a shorter term is found that differs elsewhere."""
    monkeypatch.setattr(between, "_BASES", 4)
    monkeypatch.setattr(contexts, "_CHECKS", 0)
    monkeypatch.setattr(contexts, "entries_between", between.EntriesBetween)
    formula = TermSource("1/multivariate/8/0", ["v1", "v2", "v3"]).draw(8)
    search = ContextSearch(3)
    tree = tree_of(search, formula)
    first = search.shorter(tree, SECOND)[-1]
    assert first.length < 8
    found = equivalent(formula, Formula(search.dag, search.names, [first.node])).counterexample
    point = {name: as_number(x) for name, x in found.point.items()}
    search.learn(point)
    for found in search.shorter(tree, SECOND):
        second = Formula(search.dag, search.names, [found.node])
        assert formula_values(second, point) == formula_values(formula, point)


def test_without_work_only_the_table_is_tried():
    formula = TermSource("1/multivariate/14/4", ["v1", "v2", "v3"]).draw(14)
    search = ContextSearch(3)
    tree = tree_of(search, formula)
    short = search.shorter(tree, 0)[-1]
    assert search.work < SECOND // 10
    assert search.shorter(short, SECOND)[-1].length < short.length < 14


def test_long_terms_are_left_alone():
    formula = parse("64·(v1 ⊙ v2)")
    assert tree_of(ContextSearch(2), formula) is None


@pytest.mark.parametrize(("seed", "length"), [("1/multivariate/14/11", 7), ("1/multivariate/14/22", 10)])
def test_terms_that_windows_leave_at_their_length(seed, length):
    formula = TermSource(seed, ["x1", "x2", "x3"]).draw(14)
    found = simplify(formula)
    assert found.formula.length == length
    replay(found)
    certificate = certify_simplification(found)
    assert certificate is not None
    certificate.check()


@pytest.mark.parametrize(("seed", "length"), [("1/multivariate/14/4", 10), ("1/multivariate/14/21", 13)])
def test_terms_whose_parts_are_as_short_as_can_be(seed, length):
    """The table has nothing shorter for any part; put together from its entries, there is something."""
    formula = TermSource(seed, ["x1", "x2", "x3"]).draw(14)
    found = simplify(formula)
    assert found.formula.length == length
    replay(found)
    certificate = certify_simplification(found)
    assert certificate is not None
    certificate.check()


@pytest.mark.parametrize("variables", [1, 2, 3])
def test_short_terms_become_as_short_as_can_be(variables):
    for seed in range(8):
        found = simplify(term(f"shortest/{seed}", 8, variables)).formula
        assert shortest_length(found) == found.length


@pytest.mark.slow
def test_terms_in_three_variables():
    """docs/reproduce.md has these numbers. For 24 of the terms the length is the minimum: a larger table proves it."""
    lengths = []
    known = 0
    for number in range(25):
        found = simplify(TermSource(f"1/multivariate/14/{number}", ["x1", "x2", "x3"]).draw(14)).formula
        shortest = shortest_length(found)
        assert shortest in (None, found.length)
        known += shortest is not None
        lengths.append(found.length)
    assert geometric_mean(lengths) / 14 < 0.742
    assert known >= 16


def test_only_constants_and_negations_vanish():
    search = ContextSearch(2)
    formula = parse("¬(v1 ⊙ 1) ⊕ (v2 ⊙ (v1 ⊕ 0))")
    tree = tree_of(search, formula)
    assert (tree.kind, tree.length) == (OPLUS, 3)
    assert [one.kind for one in tree.operands][1] == ODOT
