"""Random terms: reproducible, of the length asked for, and every operator acts."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from verimv import InputError
from verimv.formulas.dag import ODOT, OPLUS, reachable
from verimv.formulas.formula import Formula
from verimv.paper.experiments.random_terms import MAX_LENGTH, TermSource, composition
from verimv.pieces.piecewise import function_of


@given(st.integers(1, 14), st.integers(0, 1000))
def test_every_operator_acts(length, seed):
    term = TermSource(str(seed), ["x"]).draw(length)
    assert term.length == length
    dag = term.dag
    for node in reachable(dag, term.roots)[0]:
        if dag.kinds[node] in (OPLUS, ODOT):
            whole, *operands = (function_of(Formula(dag, ["x"], [n])) for n in (node, *dag.operands(node)))
            assert whole not in operands
            assert len(set(whole.values)) > 1


@given(st.integers(1, 20), st.integers(0, 1000))
def test_three_variables(length, seed):
    term = TermSource(str(seed), ["x1", "x2", "x3"]).draw(length)
    assert term.length == length
    assert term.inputs == ("x1", "x2", "x3")


def test_operators_may_be_idle():
    """About half of all terms of one variable are constant."""
    terms = [TermSource(str(seed), ["x"], idle=True).draw(10) for seed in range(200)]
    assert {term.length for term in terms} == {10}
    constant = sum(len(set(function_of(term).values)) == 1 for term in terms)
    assert 50 < constant < 150


def test_seeds():
    terms = [TermSource(seed, ["x"]).draw(12).text() for seed in ("1", "1", "2")]
    assert terms[0] == terms[1] != terms[2]
    # pinned: published numbers rest on it
    assert TermSource("1/random/6/0", ["x"]).draw(6).text() == PINNED


PINNED = "x ⊙ (x → ¬x) ⊕ (x → ¬x ⊙ ¬x)"


@given(st.integers(1, 6), st.integers(0, 100))
def test_compositions(parts, seed):
    term = composition(TermSource(str(seed), ["x"]), parts)
    assert 2**parts <= term.length <= 3**parts
    assert term.inputs == ("x",)


def test_errors():
    with pytest.raises(InputError, match="1 to 3 variables"):
        TermSource("1", ["a", "b", "c", "d"])
    for length in (0, MAX_LENGTH + 1):
        with pytest.raises(InputError, match="expected a length"):
            TermSource("1", ["x"]).draw(length)
    with pytest.raises(InputError, match="at least one part"):
        composition(TermSource("1", ["x"]), 0)
