"""Simulation, the prover and sweeping: what looks equal, what is equal, and what stays open."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings

from tests.oracle import expressions, formula_values
from verimv.core.effort import SECOND, Meter
from verimv.formulas.dag import reachable
from verimv.formulas.formula import Formula, parse
from verimv.simplification.cone_solver import ConeProver, Obligation
from verimv.simplification.equalities import Equalities
from verimv.simplification.objective import TreeCosts
from verimv.simplification.simulate import Simulation, farey
from verimv.simplification.sweep import Sweep
from verimv.solvers.engines import Answer


def test_farey_points():
    assert farey(1) == [0, 1]
    assert farey(3) == [0, Fraction(1, 3), Fraction(1, 2), Fraction(2, 3), 1]


@settings(max_examples=25)
@given(expressions(max_leaves=8))
def test_simulated_values_are_exact(text):
    """Units differ from point to point, but equal arrays are equal values, and `ones` is the unit."""
    formula = parse(text)
    simulation = Simulation(formula.dag, formula.inputs, formula.roots)
    (values,) = simulation.values(formula.roots)
    for value, one, point in list(zip(values, simulation.ones(), simulation.points, strict=True))[::5]:
        at = {name: Fraction(str(x)) for name, x in zip(formula.inputs, point, strict=True)}
        assert Fraction(str(value)) / Fraction(str(one)) == formula_values(formula, at)[0]


def test_bends_are_among_the_points():
    """40·x bends at 1/40, which is no Farey point of small order."""
    steep = parse("40·x")
    simulation = Simulation(steep.dag, steep.inputs, steep.roots)
    assert (Fraction(1, 40),) in simulation.points


def test_points_with_huge_denominators():
    formula = parse("x ⊕ x")
    simulation = Simulation(formula.dag, formula.inputs, formula.roots)
    simulation.add({"x": parse("x").at({"x": farey(2)[1] / 3**60})[0]})
    (values,) = simulation.values(formula.roots)
    assert values.dtype == object
    assert values[-1] == 2 * simulation.points[-1][0]


def prover_for(formula, work=20 * SECOND):
    return ConeProver(formula.dag, Meter(work))


def test_obligations_are_decided_over_their_leaves():
    formula = parse("(x ⊕ y) ⊙ ¬(x ⊕ y)")
    zero = formula.dag.constant(0)
    total = reachable(formula.dag, formula.roots)[0][2]
    prover = prover_for(formula)
    proved, refuted, far = prover.decide(
        [
            Obligation(formula.root, zero, (total,)),
            Obligation(total, zero, (0, 1)),
            Obligation(formula.root, zero, (0, 1)),
        ]
    )
    assert (proved.status, far.status) == ("unsat", "unsat")
    assert refuted.status == "sat"
    assert sum(refuted.point) > 0
    before = prover.calls
    assert prover.decide([Obligation(formula.root, zero, (total,))])[0].status == "unsat"
    assert prover.calls == before  # known by now


def test_no_time_no_answer():
    formula = parse("(x ∧ y) ⊕ (x ∨ y)")
    prover = prover_for(formula, 0.0)
    answers = prover.decide([Obligation(formula.root, formula.dag.constant(1), (0, 1))])
    assert [answer.status for answer in answers] == ["unknown"]
    assert prover.calls == 0


def swept(text, minimise="length", prover=None):
    formula = parse(text)
    equalities = Equalities(formula.dag)
    simulation = Simulation(formula.dag, formula.inputs, formula.roots)
    prover = prover or prover_for(formula)
    prover.dag = formula.dag
    sweep = Sweep(equalities, simulation, prover, TreeCosts(formula.dag), minimise)
    roots = sweep.run(formula.roots, lambda done, total: None)
    return str(Formula(formula.dag, formula.inputs, roots)), equalities.steps, simulation


@pytest.mark.parametrize("minimise", ["length", "size"])
@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("(x → y) ∨ (y → x)", "1"),  # constant
        ("(x ⊙ ¬x) ⊕ (y ⊙ ¬y)", "0"),
        ("x ∧ (x ∨ y)", "x"),  # equal to an input
        ("¬x ∧ (¬x ∨ y)", "¬x"),  # to a negated one
    ],
)
def test_merges_what_is_equal(text, expected, minimise):
    assert swept(text, minimise)[0] == expected


@pytest.mark.parametrize("text", ["x ⊕ y", "x ⊙ ¬y", "x ∧ y", "x ↔ y"])
def test_merges_nothing_else(text):
    assert swept(text)[:2] == (str(parse(text)), [])


def test_complementary_nodes_become_one():
    text, steps, _ = swept("(x ∧ y) ⊕ (¬x ∨ ¬y)")
    assert text == "1"
    assert any(step.reason == "solver" for step in steps)


def test_a_counterexample_joins_the_simulation():
    """x^30 ≠ 0 shows only close to 1: with few points the two look equal until a model tells them apart."""
    formula = parse("¬(30·¬x)")
    equalities = Equalities(formula.dag)
    simulation = Simulation(formula.dag, formula.inputs, formula.roots)
    simulation.points = [(x,) for x in farey(2)[:2]]
    sweep = Sweep(equalities, simulation, prover_for(formula), TreeCosts(formula.dag), "length")
    assert sweep.run(formula.roots, lambda done, total: None) == list(formula.roots)
    assert equalities.steps == []
    assert len(simulation.points) > 2


class Silent(ConeProver):
    """A solver that never answers."""

    def decide(self, obligations):
        return [Answer("unknown", reason="silent")] * len(obligations)


def test_what_is_undecided_is_not_merged():
    text, steps, _ = swept("x ∧ (x ∨ y)", prover=Silent(parse("x").dag, Meter(5 * SECOND)))
    assert (text, steps) == ("x ∧ (x ∨ y)", [])


def test_signatures_do_not_mix_points():
    formula = parse("x ⊕ ¬y")
    simulation = Simulation(formula.dag, formula.inputs, formula.roots)
    assert np.array_equal(simulation.ones(), simulation.values([formula.dag.constant(1)])[0])
