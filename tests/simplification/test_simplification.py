"""simplify as a whole: equal, never worse, and every step holds by itself."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

import verimv
from tests.oracle import expressions, formula_values, grid
from tests.simplification.replay import Refused, replay
from verimv.core.effort import SECOND
from verimv.core.errors import InputError, Undecided
from verimv.extraction.pipeline import extract_uncertified
from verimv.formulas.dag import NOT, ODOT, OPLUS, Dag
from verimv.formulas.formula import Formula, parse
from verimv.formulas.mvfile import read_mv
from verimv.networks.transforms.from_formula import to_network
from verimv.paper.experiments.families import hat, random_network, random_term, single_unit
from verimv.simplification.simplification import simplify

BOTH = pytest.mark.parametrize("minimise", ["length", "size"])


def measured(formula, minimise):
    return formula.length if minimise == "length" else formula.size


@BOTH
@pytest.mark.parametrize("logic", ["mv", "dmv", "rmv"])
@settings(max_examples=12)
@given(expressions(max_leaves=14))
def test_equal_and_never_worse(minimise, logic, text):
    if logic == "mv":
        text = text.replace("Δ[2/5]", "¬").replace("Δ[0.75]", "").replace("δ[2]", "").replace("δ[3]", "¬")
    elif logic == "dmv":
        text = text.replace("Δ[2/5]", "δ[5]").replace("Δ[0.75]", "δ[4]")
    formula = parse(text)
    found = simplify(formula, minimise=minimise, work=10 * SECOND)
    assert measured(found.formula, minimise) <= measured(formula, minimise)
    assert (found.formula.inputs, found.formula.outputs) == (formula.inputs, formula.outputs)
    assert found.original == formula
    for point in grid(len(formula.inputs), 3):
        at = dict(zip(formula.inputs, point, strict=True))
        assert formula_values(found.formula, at) == formula_values(formula, at)
    if {"mv": 0, "dmv": 1, "rmv": 2}[found.formula.logic] > {"mv": 0, "dmv": 1, "rmv": 2}[formula.logic]:
        pytest.fail("the logic has grown")


@BOTH
@pytest.mark.parametrize(
    "text",
    [
        "(x ∧ y) ⊕ (x ∨ y)",
        "(x → y) ∨ (y → x)",
        "((x ⊕ y) ∧ (x ⊕ z)) ⊙ ¬¬(y ⊕ x) ⊕ 0",
        "3·x ⊙ ¬(x ⊕ x) ∨ (x ∧ y)",
        "(δ[2]x ⊕ δ[2]x) ∧ (Δ[1/4]y ⊕ Δ[3/4]y) ∧ (x ∨ y)",
        "¬(¬x ∨ ¬y) ⊙ (x ⊙ y ⊕ ¬(y ⊙ x))",
    ],
)
def test_every_step_holds(text, minimise):
    found = simplify(parse(text), minimise=minimise)
    assert measured(found.formula, minimise) < measured(found.original, minimise)
    assert found.status == "finished"
    replay(found)


@pytest.mark.parametrize("seed", range(4))
def test_random_terms_are_proved_step_by_step(seed):
    replay(simplify(random_term(16, 2, seed)))


def test_a_step_that_is_missing_or_wrong_is_noticed():
    found = simplify(parse("((x ⊕ y) ∧ (x ⊕ z)) ⊙ ¬¬(y ⊕ x) ⊕ 0"))
    replay(found)
    for i in range(len(found.steps)):
        with pytest.raises(Refused):
            replay(found, found.steps[:i] + found.steps[i + 1 :])
        wrong = replace(found.steps[i], new=found.dag.node(NOT, found.steps[i].new))
        with pytest.raises(Refused):
            replay(found, (*found.steps[:i], wrong, *found.steps[i + 1 :]))


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("x ⊕ 0", "x"),
        ("¬(¬x ⊕ ¬y)", "x ⊙ y"),
        ("(x ∧ y) ⊕ (x ∨ y)", "x ⊕ y"),
        ("(x ∨ y) ∧ (y ∨ x)", "y ∨ x"),
        ("(x → y) ∧ (x → z)", "x → y ∧ z"),
        ("(x ⊙ ¬y) ⊕ (x ∧ y)", "x"),
        ("x ↔ x", "1"),
        ("δ[2]x ⊕ δ[2]x ⊕ Δ[1/2]y", "x ⊕ Δ[1/2]y"),
        # already as short as can be
        ("x", "x"),
        ("(x ⊕ x) ⊙ ¬(x ⊙ x)", "(x ⊕ x) ⊙ ¬(x ⊙ x)"),
        ("x ∧ y", "x ∧ y"),
        ("δ[2]x ⊕ δ[3]x", "δ[2]x ⊕ δ[3]x"),
    ],
)
def test_examples(text, expected):
    assert str(simplify(parse(text)).formula) == expected


def test_extraction_by_the_paper_becomes_shorter():
    formula = extract_uncertified(single_unit([8], -3), strategy="paper").formula
    found = simplify(formula)
    assert (formula.length, found.formula.length) == (125, 8)
    assert verimv.equivalent(formula, found.formula).proved


def test_networks():
    formula = extract_uncertified(random_network((2, 3, 1), 10, "integer"), strategy="paper").formula
    found = simplify(formula)
    assert found.formula.length < formula.length
    assert verimv.equivalent(formula, found.formula).proved


def test_the_hat_is_found_again():
    network = to_network(parse("((x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)) ∧ ((x1 ⊕ x1) ∨ ¬(x1 ⊙ x1))"))
    found = simplify(extract_uncertified(network, strategy="paper").formula)
    assert found.formula.length == 4
    assert verimv.equivalent(found.formula, hat()).proved


def test_several_outputs_share_one_table():
    text = "verimv-formula 1\ninputs x1 x2\ny1 = (x1 ⊕ x1) ⊙ 1\ny2 = x1 ∧ (x2 ∨ x1)\noutputs y1 y2 x1\n"
    found = simplify(read_mv(text))
    assert found.formula.outputs == ("y1", "y2", "x1")
    assert str(found.formula).splitlines() == ["y1 = x1 ⊕ x1", "y2 = x1", "x1 = x1"]
    replay(found)


@pytest.mark.parametrize(("text", "value"), [("1 ⊕ 0", 1), ("δ[2]1 ⊙ δ[2]1", 0), ("δ[2]1 ⊕ δ[3]1", Fraction(5, 6))])
def test_formulas_without_variables(text, value):
    found = simplify(parse(text))
    assert formula_values(found.formula, {}) == [value]


def test_irrational_factors():
    found = simplify(parse("(Δ[sqrt(2)/2]x ⊕ Δ[1-sqrt(2)/2]x) ∧ x"))
    assert str(found.formula) == "x"


@BOTH
def test_deep_formulas(minimise):
    """No recursion: a chain of 5,000 operators, most of which vanish."""
    dag = Dag()
    node = dag.variable("x")
    for i in range(5000):
        node = dag.node(OPLUS if i % 2 else ODOT, node, dag.node(NOT, node) if i % 500 == 499 else dag.variable("y"))
    found = simplify(Formula(dag, ["x", "y"], [node]), minimise=minimise, work=5 * SECOND)
    assert found.formula.size < 1000


def test_lengths_beyond_counting():
    dag = Dag()
    node = dag.node(NOT, dag.node(NOT, dag.variable("x")))
    for _ in range(17_000):
        node = dag.node(OPLUS, node, node)
    formula = Formula(dag, ["x"], [node])
    found = simplify(formula, work=SECOND)
    assert found.formula.size <= formula.size - 2


def test_time_ends_it_without_a_result():
    formula = extract_uncertified(single_unit([16], -8), strategy="paper").formula
    with pytest.raises(Undecided):
        simplify(formula, seconds=0.001)


def test_effort_that_is_used_up_is_said_and_the_formula_still_equal():
    formula = extract_uncertified(single_unit([16], -8), strategy="paper").formula
    found = simplify(formula, work=SECOND // 50)
    assert found.status == "stopped"
    assert found.formula.length <= formula.length
    for i in range(17):
        at = {"x1": Fraction(i, 16)}
        assert formula_values(found.formula, at) == formula_values(formula, at)


def test_cones_of_steps():
    found = simplify(parse("(((x ∧ y) ⊕ (x ∨ y)) ⊙ 1) ⊙ ¬z"))
    by_solver = [step for step in found.steps if step.reason == "solver"]
    assert by_solver
    for step in by_solver:
        assert {step.old, step.new} <= {*found.cone(step), *step.leaves}
        assert not {*step.leaves} & {*found.cone(step)}
    by_congruence = next(step for step in found.steps if step.leaves is None)
    with pytest.raises(InputError, match="congruence"):
        found.cone(by_congruence)


def test_unknown_measure():
    with pytest.raises(InputError, match="unknown measure depth"):
        simplify(parse("x"), minimise="depth")


def test_the_input_is_left_alone():
    formula = parse("x ⊕ 0")
    before = len(formula.dag)
    assert simplify(formula).dag is not formula.dag
    assert len(formula.dag) == before
