"""The forest of proved equalities: who stands for whom, and the proof of any pair."""

import pytest

from verimv.formulas.dag import NOT, OPLUS, Dag
from verimv.formulas.formula import Formula, parse
from verimv.simplification.cones import NotACut, cone, growing_cuts, inputs_under, is_small, local_formula
from verimv.simplification.equalities import CONGRUENCE, Equalities, EqualityStep


def names(dag, *letters):
    return [dag.variable(letter) for letter in letters]


def test_the_last_preference_wins_and_no_edge_is_lost():
    dag = Dag()
    a, b, c, d = names(dag, "a", "b", "c", "d")
    equalities = Equalities(dag)
    for old, new in ((a, b), (c, d), (b, d)):
        equalities.add(EqualityStep(old, new, (), "stated"))
    assert {equalities.find(node) for node in (a, b, c, d)} == {d}
    equalities.add(EqualityStep(d, a, (), "known already"))
    assert {equalities.find(node) for node in (a, b, c, d)} == {a}
    assert [(step.old, step.new) for step in equalities.proof([(a, c)])] == [(a, b), (c, d), (b, d)]
    assert equalities.proof([(a, b)]) == [EqualityStep(a, b, (), "stated")]
    assert equalities.proof([(a, a)]) == []


def test_rebuilding_uses_congruence():
    dag = Dag()
    a, b = names(dag, "a", "b")
    top = dag.node(NOT, dag.node(OPLUS, a, a))
    equalities = Equalities(dag)
    equalities.add(EqualityStep(a, b, (), "stated"))
    (new,) = equalities.rebuild([top])
    assert new == dag.node(NOT, dag.node(OPLUS, b, b))
    assert [step.reason for step in equalities.proof([(top, new)])] == ["stated", CONGRUENCE, CONGRUENCE]


def test_a_node_that_stands_for_a_part_of_itself():
    """a = a ⊕ a is only stated here: rebuilding ends, and the inner a stays."""
    dag = Dag()
    (a,) = names(dag, "a")
    double = dag.node(OPLUS, a, a)
    equalities = Equalities(dag)
    equalities.add(EqualityStep(a, double, (a,), "stated"))
    assert equalities.rebuild([a]) == [double]


def test_improvements_are_offered_bottom_up_and_again():
    dag = parse("¬¬¬¬x").dag
    equalities = Equalities(dag)

    def double_negation(node):
        inner = dag.lefts[node]
        if dag.kinds[node] == NOT == dag.kinds[inner]:
            return EqualityStep(node, dag.lefts[inner], (dag.lefts[inner],), "double negation")
        return None

    assert equalities.rebuild([4], double_negation) == [0]


def test_cones():
    formula = parse("(x ⊕ y) ⊙ ¬(x ⊕ y)")
    dag, (x, y, total, negated, top) = formula.dag, range(5)
    assert cone(dag, [top], [x, y]) == [total, negated, top]
    assert cone(dag, [top], [total]) == [negated, top]
    assert cone(dag, [top], [top]) == []
    with pytest.raises(NotACut, match="variable y"):
        cone(dag, [top], [x])
    assert inputs_under(dag, [top]) == (x, y)
    assert list(growing_cuts(dag, [top], 6, 40)) == [(total, negated), (total,), (x, y)]
    assert list(growing_cuts(dag, [top], 1, 40)) == [(total,)]
    assert list(growing_cuts(dag, [top], 6, 1)) == [(total, negated)]
    assert is_small(dag, top, (x, y), 2)
    assert not is_small(dag, top, (x, y), 1)


def test_a_local_formula_has_its_leaves_as_variables():
    formula = parse("δ[2](x ⊕ y) ⊙ Δ[1/3](x ⊕ y) ⊕ 1")
    total = formula.dag.node(OPLUS, 0, 1)
    local = local_formula(formula.dag, [formula.root, total], [total])
    assert [str(Formula(local.dag, local.inputs, [root])) for root in local.roots] == [
        "δ[2]v1 ⊙ Δ[1/3]v1 ⊕ 1",
        "v1",
    ]
