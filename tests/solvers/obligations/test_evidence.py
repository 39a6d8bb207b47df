"""Cases as linear programs: their targets are those of the format, and what is proved holds at points."""

import pytest
from hypothesis import given

from tests.certificate.by_verdict.make import Case, network
from tests.certificate.fuzz.cases import CONSTANT, System
from tests.certificate.test_coarse import swept_systems
from tests.effort import examples
from tests.solvers.obligations.judged import said
from verimv.core.errors import InputError
from verimv.exact import ONE, ZERO, Rational, as_number, parse_number
from verimv.networks.affine import Affine
from verimv.solvers.obligations.asking import SESSIONS
from verimv.solvers.obligations.case_systems import (
    IncompleteCases,
    VariableSystem,
    above_the_bound,
    halves,
    read_cases,
)
from verimv.solvers.obligations.coarse import swept
from verimv.solvers.obligations.variables import SystemVariable

HALF = Rational(1, 2)
#: ρ(2x − 1), ρ(1 − 2x) of a free x: their sum is |2x − 1|.
SYSTEM = VariableSystem(
    [
        SystemVariable(None),
        SystemVariable("relu", Affine([(0, Rational(2))], -ONE)),
        SystemVariable("relu", Affine([(0, Rational(-2))], ONE)),
    ]
)


def program(*cases, bound="1", number=0):
    target = Affine([(1, ONE), (2, ONE)], -parse_number(bound))
    return SYSTEM.program({}, read_cases(list(cases), [target], SYSTEM.variables, 3, {})[number])


def answer(found):
    script = above_the_bound(found)
    return SESSIONS["z3"]("QF_LRA", SYSTEM.definitions(3, "QF_LRA")).ask(script, 60.0).status


def test_the_chord_proves_the_largest_value():
    assert answer(program(["leaf"])) == "unsat"
    assert answer(program(["leaf"], bound="999/1000")) == "sat"
    assert answer(program(["leaf", "1/2", "1/2"])) == "unsat"
    assert answer(program(["leaf", "0", "0"])) == "sat", "slopes that prove nothing"


def test_a_program_is_never_below_its_target():
    """At points of a case, the target plus all lines is an upper bound of the target, so "unsat" is a proof."""
    cases = [["split", 1, "0"], ["leaf"], ["split", 0, "3/4"], ["leaf", "1", "2"], ["leaf"]]
    for number, (low, high) in enumerate([(0, HALF), (HALF, Rational(3, 4)), (Rational(3, 4), 1)]):
        found = program(*cases, number=number)
        for k in range(9):
            x = low + (high - low) * Rational(k, 8)
            values = SYSTEM.values_at(found, {"v0": x})
            point = {f"v{j}": value for j, value in enumerate(values)}
            assert SYSTEM.excess(found, point) >= found.target(values)


def test_later_splits_replace_earlier_ones():
    cases = [["split", 0, "1/4"], ["split", 0, "1/2"], ["leaf"], ["leaf"], ["leaf"]]
    found = read_cases(cases, [Affine(())], SYSTEM.variables, 3, {})
    assert [case.given()[0] for case in found] == [
        {(0, "high"): HALF},
        {(0, "low"): HALF, (0, "high"): Rational(1, 4)},
        {(0, "low"): Rational(1, 4)},
    ]
    assert SYSTEM.program({}, found[1]) is None, "no point is below 1/4 and above 1/2"


def test_a_lemma_is_proved_and_then_known():
    cases = [["split", 0, "1/4"], ["lemma", 2, "low", "1/2"], ["leaf"], ["leaf"], ["leaf"]]
    first, then, other = read_cases(cases, [Affine([(2, ONE)])], SYSTEM.variables, 3, {})
    assert (first.target, first.stop) == (Affine([(0, Rational(2))], -HALF), 2)
    assert first.given() == ({(0, "high"): Rational(1, 4)}, {0})
    assert (then.target, then.stop) == (Affine([(2, ONE)]), 3)
    assert then.given() == ({(0, "high"): Rational(1, 4), (2, "low"): HALF}, {0})
    assert other.given() == ({(0, "low"): Rational(1, 4)}, {0})
    assert answer(SYSTEM.program({}, first)) == "unsat"


def test_halves_are_the_whole():
    found = program(["leaf"])
    ends = [half.ends[0] for half in halves(found)]
    assert ends == [(ZERO, HALF), (HALF, ONE)]
    assert halves(found._replace(ends={0: (ONE, ONE)})) == []
    assert halves(found._replace(ends={})) == []


@pytest.mark.parametrize(
    "cases",
    [[], [["split", 0, "1/2"], ["leaf"]], [["leaf"], ["leaf"]], [["split", 3, "0"]], [["lemma", 0, "high", "1"]]],
)
def test_cases_that_are_no_tree(cases):
    with pytest.raises(IncompleteCases):
        read_cases(cases, [Affine(())], SYSTEM.variables, 3, {})


@pytest.mark.parametrize("leaf", [["leaf", "1"], ["leaf", "1", "1", "1"]])
def test_multipliers_must_be_as_many_as_kinks(leaf):
    with pytest.raises(InputError, match="case 1: expected"):
        program(leaf)


@pytest.mark.parametrize("solver", SESSIONS)
@pytest.mark.parametrize("value", ["sqrt(2)", "sqrt(2)/3"])
def test_an_irrational_bound_of_a_rational_network(solver, value):
    text = network(([[1, 0], [-1, "1/2"]], "relu"), ([["1/2", "1/2", 0]], "identity"))
    splits = f'["split",1,"{value}"],["leaf"],["leaf"]'
    case = Case([f'["bound",2,0,"high","{value}",{splits}]', '["bound",2,0,"low","0",["leaf"]]'], network=text)
    found = said(case.text(), case.subjects, solver)
    assert (found.status, found.line) == (("proved", None) if value == "sqrt(2)" else ("refuted", 2))


def test_what_a_sweep_finds_is_proved_and_then_known():
    """ρ(x) − ρ(3x) is at most 0, which the walk of a sweep finds, and at least −3 by intervals; rounded, and exact here."""
    rows = [Affine([(0, ONE)]), Affine([(0, Rational(3))]), Affine([(1, ONE), (2, -ONE)])]
    system = VariableSystem([SystemVariable(None), *(SystemVariable("relu", row) for row in rows)])
    *walks, leaf = read_cases([["sweep"], ["leaf"]], [Affine([(3, ONE)])], system.variables, 4, {})
    assert [(walk.target, walk.stop, walk.is_coarse) for walk in walks] == [
        (rows[2], 3, True),
        (-rows[2].shifted(Rational(2)), 3, True),
    ]
    assert leaf.given() == ({(3, "high"): ZERO, (3, "low"): Rational(-2)}, set())
    session = SESSIONS["z3"]("QF_LRA", system.definitions(4, "QF_LRA"))
    for case in walks:
        found = system.program({}, case)
        assert session.ask(above_the_bound(found), 60.0).status == "unsat"
        sharper = found._replace(target=found.target.shifted(Rational(1, 10**9)))
        assert session.ask(above_the_bound(sharper), 60.0).status == "sat"


@given(swept_systems())
@examples(60)
def test_sweeps_are_those_of_the_format(drawn):
    variables, count, known, given_bounds = drawn
    system = [SystemVariable(v and v[0], _affine(v[1] if v else {})) for v in variables[:count]]
    facts, bounds = ({key: as_number(x) for key, x in side.items()} for side in (known, given_bounds))
    found = {(k, side): value for k, side, value, _ in swept(system, facts, bounds)}
    expected = System(variables).swept(count, {**known, **given_bounds})
    assert {**facts, **bounds, **found} == expected


def _affine(row):
    return Affine([(j, as_number(c)) for j, c in row.items() if j != CONSTANT], as_number(row.get(CONSTANT, 0)))
