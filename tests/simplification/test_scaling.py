"""Laws of δ and Δ, and sharing: accepted and refused side by side."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import formula_values
from verimv.formulas.formula import Formula, parse
from verimv.simplification.chains import MAX_CHAIN, Sharing, chain
from verimv.simplification.equalities import Equalities
from verimv.simplification.scaling import apply_scaling
from verimv.solvers import decide


def once(text):
    formula = parse(text)
    step = apply_scaling(formula.dag, formula.root)
    if step is None:
        return None
    result = Formula(formula.dag, formula.inputs, [step.new])
    assert decide.equal_by_solver(formula, result).proved
    return str(result)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("δ[2]δ[3]x", "δ[6]x"),
        ("Δ[1/2]Δ[1/3]x", "Δ[1/6]x"),
        ("Δ[1/2]δ[3]x", "Δ[1/6]x"),
        ("δ[1]x", "x"),
        ("Δ[0]x", "0"),
        ("δ[3]0", "0"),
        ("δ[2]x ⊕ δ[2]x", "x"),
        ("δ[6]x ⊕ δ[3]x", "δ[2]x"),
        ("Δ[1/4]x ⊕ Δ[1/2]x", "Δ[3/4]x"),
        ("Δ[sqrt(2)/2]x ⊕ Δ[1-sqrt(2)/2]x", "x"),
        ("δ[2]x ⊙ δ[2]y", "0"),
        ("Δ[1/4]x ⊙ Δ[3/4]y", "0"),
        ("¬δ[2]1", "δ[2]1"),
        ("¬Δ[1/4]1", "Δ[3/4]1"),
        ("Δ[3/4]1 ⊙ Δ[3/4]1", "Δ[1/2]1"),
        ("Δ[3/4]1 ⊕ δ[2]1", "1"),
        # refused: the factors add up to more than 1, the operands differ, the logic would change, nothing to do
        ("Δ[3/4]x ⊕ Δ[1/2]x", None),
        ("Δ[3/4]x ⊙ Δ[1/2]x", None),
        ("Δ[1/4]x ⊕ Δ[1/4]y", None),
        ("δ[2]x ⊕ δ[3]x", None),
        ("¬δ[3]1", None),
        ("x ⊕ δ[2]x", None),
        ("¬δ[2]x", None),
        ("δ[2]x", None),
        ("x ⊕ y", None),
    ],
)
def test_fits_or_not(text, expected):
    assert once(text) == expected


@given(
    st.sampled_from(["Δ[{}]x ⊕ Δ[{}]x", "Δ[{}]x ⊙ Δ[{}]y", "Δ[{}]Δ[{}]x", "Δ[{}]1 ⊙ Δ[{}]1", "Δ[{}]1 ⊕ Δ[{}]1"]),
    st.lists(st.fractions(0, 1, max_denominator=12), min_size=4, max_size=4),
)
def test_values_stay(pattern, numbers):
    formula = parse(pattern.format(*numbers))
    step = apply_scaling(formula.dag, formula.root)
    if step is not None:
        at = {"x": numbers[2], "y": numbers[3]}
        assert formula_values(formula, at) == formula_values(Formula(formula.dag, formula.inputs, [step.new]), at)


def shared(text):
    formula = parse(text)
    equalities = Equalities(formula.dag)
    roots = equalities.rebuild(formula.roots, Sharing(formula.dag).apply)
    result = Formula(formula.dag, formula.inputs, roots)
    assert decide.equal_by_solver(formula, result).proved
    return result.size, [step.reason for step in equalities.steps if step.reason != "congruence"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(x ⊕ y) ⊙ ¬(y ⊕ x)", (5, ["commutativity"])),
        ("((x ⊕ y) ⊕ z) ⊙ ¬(x ⊕ (z ⊕ y))", (7, ["associativity"])),
        ("(x ⊕ y) ⊙ ¬(y ⊙ x)", (6, [])),
        ("((x ⊕ y) ⊕ x) ⊙ ¬(x ⊕ (y ⊕ y))", (8, [])),
    ],
)
def test_chains_are_shared_or_not(text, expected):
    assert shared(text) == expected


def test_a_long_chain_is_known_by_its_operands():
    names = [f"x{i}" for i in range(MAX_CHAIN + 1)]
    long = parse(" ⊕ ".join(names))
    assert chain(long.dag, long.root) == tuple(sorted(long.dag.operands(long.root)))
    short = parse(" ⊕ ".join(names[:-1]))
    assert len(chain(short.dag, short.root)) == MAX_CHAIN
