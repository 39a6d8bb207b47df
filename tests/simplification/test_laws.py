"""Every law: proved by the solver, tried on exact points, applied where it fits and only there."""

from collections import Counter

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import expressions, formula_values
from verimv.formulas.dag import VARIABLE
from verimv.formulas.formula import Formula, parse
from verimv.simplification.cones import local_formula
from verimv.simplification.equalities import Equalities
from verimv.simplification.laws import Law, LawBook, lattice_laws, laws
from verimv.solvers import decide

ALL = {(law.name, *map(str, (Formula(law.dag, "abc", [side]) for side in (law.left, law.right)))): law
       for law in (*laws("length"), *lattice_laws())}  # fmt: skip
CASES = pytest.mark.parametrize("law", ALL.values(), ids=[f"{left} = {right}" for _, left, right in ALL])


def sides(law):
    return Formula(law.dag, "abc", [law.left]), Formula(law.dag, "abc", [law.right])


def occurrences(law, root):
    counts = {}
    for node in range(len(law.dag)):
        own = Counter([node]) if law.dag.kinds[node] == VARIABLE else Counter()
        counts[node] = sum((counts[operand] for operand in law.dag.operands(node)), own)
    return counts[root]


@CASES
def test_is_proved_by_the_solver(law):
    assert decide.equal_by_solver(*sides(law)).proved


@CASES
@settings(max_examples=20)
@given(point=st.lists(st.fractions(0, 1, max_denominator=60), min_size=3, max_size=3))
def test_holds_at_exact_points(law, point):
    left, right = sides(law)
    at = dict(zip("abc", point, strict=True))
    assert formula_values(left, at) == formula_values(right, at)


@CASES
def test_makes_nothing_longer(law):
    left, right = occurrences(law, law.left), occurrences(law, law.right)
    assert all(right[variable] <= left[variable] for variable in right)


@CASES
def test_fits_its_own_left_side(law):
    step = law.apply(law.dag, law.left)
    assert step is not None
    assert (step.old, step.new, step.reason) == (law.left, law.right, law.name)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("a ⊕ a", "a"),
        ("a ⊙ (a ⊕ b)", "a"),
        ("a ⊕ ¬b", "1"),
        ("¬a ⊕ ¬b", "¬(a ⊕ b)"),
        ("(a ⊙ b) ⊕ (a ⊙ c)", "a ⊙ (b ⊕ c)"),
        ("a ⊕ (a ⊙ b)", "a ∨ b"),
    ],
)
def test_what_is_no_law_is_refuted(left, right):
    law = Law.stated("wrong", left, right)
    assert decide.equal_by_solver(*sides(law)).refuted


def once(text, minimise="length"):
    formula = parse(text)
    step = LawBook(formula.dag, laws(minimise)).apply(formula.root)
    return None if step is None else (str(Formula(formula.dag, formula.inputs, [step.new])), step.reason)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x ⊕ 0", ("x", "unit")),
        ("0 ⊕ x", ("x", "unit")),
        ("1 ⊙ x", ("x", "unit")),
        ("x ⊙ 0", ("0", "bound")),
        ("¬¬(x ⊕ y)", ("x ⊕ y", "double negation")),
        ("¬1", ("0", "negated constant")),
        ("(x ⊕ y) ⊙ ¬(x ⊕ y)", ("0", "complement")),
        ("(y ⊕ x) ⊕ ¬x", ("1", "complement")),
        ("x ∨ (x ∧ y)", ("x", "absorption")),
        ("x ⊙ (¬x ⊕ (y ⊙ x))", ("x ⊙ y", "residuation")),
        ("(x ⊕ y) ∧ (z ⊕ x)", ("x ⊕ (y ∧ z)", "distributivity")),
        ("¬x ⊕ ¬y", ("¬(x ⊙ y)", "De Morgan")),
        ("x ⊕ x", None),
        ("x ⊕ ¬y", None),
        ("x ∨ (y ∧ z)", None),
        ("(x ⊕ y) ⊕ ¬z", None),
        ("x", None),
        ("δ[2]x", None),
    ],
)
def test_fits_or_not(text, expected):
    assert once(text) == expected


@pytest.mark.parametrize(
    "text", ["(x ⊕ ¬x) ⊕ ¬x", "0 ⊕ 0", "(¬x ⊕ x) ⊕ x", "(x ⊕ (x ⊕ y)) ∧ (x ⊕ y)", "¬x ⊙ (¬¬x ⊕ (¬x ⊙ x))"]
)
def test_what_is_built_from_other_leaves_is_no_leaf(text):
    """Or the step would not hold for all values of its leaves."""
    formula = parse(text)
    step = LawBook(formula.dag, laws("length")).apply(formula.root)
    local = local_formula(formula.dag, [step.old, step.new], step.leaves)
    assert decide.equal_by_solver(*(Formula(local.dag, local.inputs, [root]) for root in local.roots)).proved


def test_de_morgan_is_for_the_length_only():
    assert once("¬x ⊕ ¬y", "size") is None


def test_no_law_makes_a_double_negation():
    formula = parse("x ⊕ (¬x ⊙ ¬y)")
    assert LawBook(formula.dag, lattice_laws()).apply(formula.root) is None


@settings(max_examples=15)
@given(expressions(logic="mv"))
def test_a_pass_keeps_the_function(text):
    formula = parse(text)
    book = LawBook(formula.dag, laws("length"))
    roots = Equalities(formula.dag).rebuild(formula.roots, book.apply)
    assert decide.equal_by_solver(formula, Formula(formula.dag, formula.inputs, roots)).proved
