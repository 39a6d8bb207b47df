"""Known theorems and non-theorems, by both solvers; solvers that give wrong answers, give up or are stopped."""

import json
import os
import signal
import subprocess
import sys
import time
from dataclasses import replace

import pytest
import z3

from tests.oracle import build_network
from verimv.core.errors import InputError, InternalError, Undecided
from verimv.exact import Rational, parse_number
from verimv.formulas.formula import parse
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Network
from verimv.networks.program import Program
from verimv.paper.experiments.families import deep_sawtooth, random_network, shallow_sawtooth
from verimv.questions.validity import entails, satisfiable, valid
from verimv.solvers import point_search as search_module
from verimv.solvers.decide import equal_by_solver
from verimv.solvers.encode import positive, to_smtlib
from verimv.solvers.engines import SOLVERS, Answer, chosen
from verimv.solvers.limited import OutOfBudget, limited
from verimv.solvers.optimise import output_ranges
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import Verdict


def both():
    return Search(solvers=chosen("all"), seconds=600)


@pytest.fixture
def no_quick_points(monkeypatch):
    """Leave everything to the solvers."""
    monkeypatch.setattr(search_module, "quick_points", lambda dimension: iter(()))


THEOREMS = [
    "x ⊕ ¬x", "x → x", "0 → x", "x → (y → x)", "(x → y) → ((y → z) → (x → z))", "((x → y) → y) → ((y → x) → x)",
    "(¬y → ¬x) → (x → y)", "(x → y) ∨ (y → x)", "¬¬x ↔ x", "x ∧ y → x", "x → x ∨ y", "x ⊙ y → x ∧ y", "x ∨ y → x ⊕ y",
    "¬(x ⊕ y) ↔ ¬x ⊙ ¬y", "¬(x ∧ y) ↔ ¬x ∨ ¬y", "(x ∧ (y ∨ z)) ↔ ((x ∧ y) ∨ (x ∧ z))", "x ⊙ (x → y) ↔ x ∧ y",
    "(x ⊙ y → z) ↔ (x → (y → z))", "2·(x ∨ y) ↔ 2·x ∨ 2·y", "x ⊕ (y ⊙ ¬x) ↔ x ∨ y", "δ[2]x ⊕ δ[2]x ↔ x", "3·δ[3]x ↔ x",
    "Δ[1/2]x ↔ δ[2]x", "δ[6]x ↔ δ[2]δ[3]x",
]  # fmt: skip

NON_THEOREMS = [
    "x", "¬x", "x ∨ ¬x", "¬(x ∧ ¬x)", "(x → (x → y)) → (x → y)", "x → x ⊙ x", "x ⊕ x → x", "x → x ⊙ y", "(x → y) → (¬x → ¬y)",
    "((x → y) → x) → x", "x ⊕ (y ⊙ z) ↔ (x ⊕ y) ⊙ (x ⊕ z)", "x ⊙ (y ⊕ z) ↔ (x ⊙ y) ⊕ (x ⊙ z)", "(x → y) ∨ (y → x) → x", "x ∧ y → x ⊙ y",
    "2·x → x", "x → δ[2]x",
]  # fmt: skip


@pytest.mark.parametrize("text", THEOREMS)
def test_theorems(text):
    assert valid(parse(text), search=both()).proved


@pytest.mark.parametrize("text", NON_THEOREMS)
def test_non_theorems(text, no_quick_points):
    formula = parse(text)
    for solver in SOLVERS:
        verdict = valid(formula, search=Search(solvers=[solver]))
        assert verdict.refuted
        at = {name: parse_number(x) for name, x in verdict.witness.point.items()}
        assert formula(**at) == parse_number(verdict.witness.values["value"]) < 1


AXIOMS = [
    ("x ⊕ (y ⊕ z)", "(x ⊕ y) ⊕ z"), ("x ⊕ y", "y ⊕ x"), ("x ⊕ 0", "x"), ("¬¬x", "x"), ("x ⊕ ¬0", "¬0"),
    ("¬(¬x ⊕ y) ⊕ y", "¬(¬y ⊕ x) ⊕ x"), ("x ⊙ y", "¬(¬x ⊕ ¬y)"), ("x ⊙ (y ⊙ z)", "(x ⊙ y) ⊙ z"), ("x ⊙ 1", "x"), ("x ⊙ 0", "0"),
]  # fmt: skip


@pytest.mark.parametrize(("left", "right"), AXIOMS)
def test_mv_axioms(left, right):
    """(17)–(19) of the paper, over the same three variables on both sides."""
    padding = " ⊕ (0 ⊙ x ⊙ y ⊙ z)"
    assert equal_by_solver(parse(f"({left}){padding}"), parse(f"({right}){padding}"), search=both()).proved


def test_satisfiability_and_entailment():
    verdict = satisfiable(parse("x ↔ ¬x"), search=both())
    assert verdict.proved
    assert verdict.witness.point == {"x": "1/2"}
    assert satisfiable(parse("x ⊙ ¬x"), search=both()).refuted
    assert satisfiable(parse("(x ↔ ¬x) ⊙ (y ↔ 3·¬y) ⊙ y"), search=both()).refuted
    assert entails(parse("x ⊙ (x → y)"), parse("y"), search=both()).proved
    assert entails(parse("x ⊕ x"), parse("x"), search=both()).refuted
    assert entails(parse("0"), parse("y"), search=both()).proved


def test_a_witness_that_only_a_solver_finds(no_quick_points):
    """x ↔ 7/11 is 1 at one point only."""
    formula = parse("(11·δ[11]x ↔ x) ⊙ ((x ↔ Δ[7/11]1) ⊙ 1)")
    for solver in SOLVERS:
        verdict = satisfiable(formula, search=Search(solvers=[solver]))
        assert verdict.proved
        assert verdict.witness.point == {"x": "7/11"}


def test_irrational_weights():
    root, half = parse("Δ[sqrt(2)/2]Δ[sqrt(2)/2]x"), parse("δ[2]x")
    assert equal_by_solver(root, half, search=both()).proved
    near = parse("Δ[0.7071]x ⊕ Δ[0.7071]x")
    verdict = equal_by_solver(parse("Δ[sqrt(2)/2]x ⊕ Δ[sqrt(2)/2]x"), near)
    assert verdict.refuted
    assert "sqrt(2)" in verdict.witness.values["left"]
    assert valid(parse("Δ[sqrt(2)/2]x → x")).proved
    assert valid(parse("(Δ[sqrt(2)/2]x ⊕ Δ[sqrt(2)/2]x) ∨ ¬x"), search=Search(seconds=600)).refuted


def test_networks_against_networks():
    assert equal_by_solver(deep_sawtooth(4), shallow_sawtooth(4), search=both()).proved
    verdict = equal_by_solver(deep_sawtooth(4), deep_sawtooth(3))
    assert verdict.refuted
    assert verdict.counterexample is verdict.witness
    network = build_network([([[1, -1], [-1, 1]], [0, 0], "relu"), ([[1, 1]], [0], "relu")])
    assert equal_by_solver(network, parse("(x1 ⊙ ¬x2) ⊕ (x2 ⊙ ¬x1)"), search=both()).proved


def test_tolerance_is_exact():
    network, other = build_network([([["1/3"]], [0], "identity")]), build_network([([["1/2"]], [0], "identity")])
    assert equal_by_solver(network, other, tolerance=Rational(1, 6)).proved
    verdict = equal_by_solver(network, other, tolerance=Rational(1, 6) - Rational(1, 10**9))
    assert verdict.refuted
    assert verdict.witness.point == {"x1": "1"}
    with pytest.raises(InputError, match="negative"):
        equal_by_solver(network, other, tolerance=Rational(-1))


def test_boxes_and_names():
    wide = Network.of(build_network([([[1, 2]], [0], "relu")]).layers, ["a", "b"], [["-1", "1"], ["0", "3"]])
    swapped = Network.of(build_network([([[2, 1]], [0], "relu")]).layers, ["b", "a"], [["0", "3"], ["-1", "1"]])
    assert equal_by_solver(wide, swapped, search=both()).proved
    shifted = Network.of(build_network([([[2, 1]], ["1/7"], "relu")]).layers, ["b", "a"], [["0", "3"], ["-1", "1"]])
    verdict = equal_by_solver(wide, shifted)
    at = verdict.witness.point
    assert wide(at["a"], at["b"]) != shifted(at["b"], at["a"])
    with pytest.raises(InputError, match="boxes"):
        equal_by_solver(wide, build_network([([[1, 2]], [0], "relu")]))
    with pytest.raises(InputError, match="cannot compare"):
        equal_by_solver(wide, parse("x"))
    (found,) = output_ranges(wide)
    assert (found.lower.value, found.upper.value) == (0, 7)


def test_inputs_with_the_encoders_own_look():
    assert valid(parse("v1 → (root1 → v1)"), search=both()).proved
    assert equal_by_solver(parse("v2 ⊕ v3"), parse("v3 ⊕ v2"), search=both()).proved


def test_constants_need_no_variables():
    assert valid(parse("1 ⊕ 0"), search=both()).proved
    assert valid(parse("Δ[1/2]1"), search=both()).refuted
    assert equal_by_solver(parse("δ[2]1"), parse("Δ[1/2]1"), search=both()).proved


def test_text_and_objects_are_the_same_problem():
    for seed in range(12):
        network = random_network((2, 3, 1), seed, "integer")
        program = Program(network.box)
        form = program.add_network(network)[0]
        condition = [[positive(form.shifted(-Rational(seed, 12)))]]
        solver = z3.Solver()
        solver.from_string(to_smtlib(program, condition, network.inputs))
        said = str(solver.check())
        for ask in SOLVERS.values():
            assert ask(program, condition, network.inputs, 10.0).status == said


# -- solvers that lie or give up ---------------------------------------------------------------------------------------


def test_a_model_is_not_believed(monkeypatch, no_quick_points):
    monkeypatch.setitem(SOLVERS, "z3", lambda *_: Answer("sat", (Rational(1, 3), Rational(1, 3))))
    with pytest.raises(InternalError, match="a model that does not satisfy the query"):
        valid(parse("(x → y) ∨ (y → x)"), search=Search(seconds=2))
    close = parse("(Δ[sqrt(2)/2]x → y) ∨ (y → Δ[sqrt(2)/2]x)")
    for solvers in (["z3"], ["z3", "cvc5"]):
        assert valid(close, search=Search(solvers=solvers, seconds=2, split=False)).undecided


def test_disagreement_is_a_bug_with_a_reproduction(monkeypatch, no_quick_points):
    monkeypatch.setitem(SOLVERS, "cvc5", lambda *_: Answer("unsat"))
    with pytest.raises(InternalError, match="disagree") as error:
        valid(parse("x ∨ ¬x"), search=both())
    solver = z3.Solver()
    solver.from_string(error.value.reproduction)
    assert str(solver.check()) == "sat"


def test_unknown_is_undecided_with_its_reason(monkeypatch, no_quick_points):
    monkeypatch.setitem(SOLVERS, "z3", lambda *_: Answer("unknown", reason="z3: tired"))
    verdict = valid(parse("x ∨ ¬x"), search=Search(seconds=1, split=False))
    assert verdict.undecided
    assert "tired" in verdict.reason
    with pytest.raises(Undecided):
        bool(verdict)
    assert bool(Verdict("proved")) is True
    assert bool(Verdict("refuted")) is False


def test_splitting_decides_what_one_query_does_not(monkeypatch, no_quick_points):
    """The solver only answers if few cases are left."""
    honest = SOLVERS["z3"]

    def impatient(program, condition, names, seconds, work):
        return (
            honest(program, condition, names, seconds, work)
            if len(program.cases) < 3
            else Answer("unknown", reason="z3: no")
        )

    monkeypatch.setitem(SOLVERS, "z3", impatient)
    verdict = equal_by_solver(deep_sawtooth(3), shallow_sawtooth(3), search=Search(seconds=600))
    assert verdict.proved
    assert verdict.evidence[-1]["boxes"] > 1


def _sleep_forever():
    while True:
        time.sleep(1)


def _eat_memory():
    hoard = []
    while True:
        hoard.append(bytearray(1 << 24))


def _die():
    os.kill(os.getpid(), signal.SIGKILL)


def test_children_are_cut_off():
    with pytest.raises(OutOfBudget, match="no answer"):
        limited(_sleep_forever, seconds=0.2)
    with pytest.raises(OutOfBudget, match="memory"):
        limited(_eat_memory, seconds=300, memory=64)
    with pytest.raises(OutOfBudget, match="without an answer"):
        limited(_die, seconds=300)
    assert limited(sum, [1, 2], seconds=300) == 3
    with pytest.raises(ZeroDivisionError):
        limited(divmod, 1, 0, seconds=300)


def permuted(network):
    """Return the same function with the neurons of the first layer in another order."""
    first, second, *rest = network.layers
    order = list(reversed(range(len(first.rows))))
    numbers = {j: i for i, j in enumerate(order)}
    first = replace(first, rows=tuple(first.rows[j] for j in order))
    return Network.of([first, replace(second, rows=tuple(row.renumbered(numbers) for row in second.rows)), *rest])


def test_permuted_neurons_are_recognised():
    network = random_network((5, 20, 20, 1), 1)
    verdict = equal_by_solver(network, permuted(network))
    assert verdict.proved
    assert verdict.evidence[0]["solver"] == "ranges"


def test_hard_queries_end_undecided(tmp_path):
    path = tmp_path / "n.json"
    path.write_text("".join(write_network(random_network((5, 20, 20, 1), 1))))
    command = [sys.executable, "-m", "verimv", "range", str(path), "--engine", "smt", "--timeout", "4", "--json"]
    process = subprocess.run(command, capture_output=True, text=True, check=False, timeout=600)
    assert process.returncode == 3
    told = json.loads(process.stdout)
    if "exact" in told:
        assert told["exact"] is False
        assert process.stderr == ""
    else:  # a busy machine has not come to the first query before the time was over
        assert process.stderr == "verimv: the time limit of 4 s is used up\n"


# -- whose input is whose -----------------------------------------------------------------------------------------------


def test_names_decide_what_is_compared():
    assert equal_by_solver(parse("x"), parse("y")).refuted
    assert equal_by_solver(parse("x ⊖ y"), parse("y ⊖ z")).refuted
    assert equal_by_solver(parse("x ⊕ ¬x"), parse("1")).proved
    network = build_network([([[1, 0]], [0], "identity")])
    assert equal_by_solver(network, parse("x1")).proved
    assert equal_by_solver(network, parse("x2")).refuted
    assert equal_by_solver(network, parse("a ⊕ (0 ⊙ b)")).proved, "no name in common: by position"
    with pytest.raises(InputError, match="cannot compare"):
        equal_by_solver(network, parse("x1 ⊕ z"))


def test_outputs_are_compared_by_name():
    layers = build_network([([[1, 0], [0, 1]], [0, 0], "identity")]).layers
    straight, renamed = Network.of(layers, outputs=["a", "b"]), Network.of(layers, outputs=["b", "a"])
    assert equal_by_solver(straight, renamed).refuted
    swapped = build_network([([[0, 1], [1, 0]], [0, 0], "identity")]).layers
    assert equal_by_solver(straight, Network.of(swapped, outputs=["b", "a"])).proved


def test_one_means_one_for_networks_too():
    two = build_network([([[0]], [2], "identity")])
    assert valid(two).refuted
    assert satisfiable(two).refuted
    assert satisfiable(build_network([([[2]], [0], "identity")])).proved


def test_variables_may_be_called_premise():
    assert entails(parse("premise ⊙ x"), parse("x")).proved
    assert entails(parse("conclusion"), parse("y1 → conclusion")).proved
