"""Solvers prove certificates of extraction, simplification and bounds, but not those of a faulty extraction."""

import json

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.certificate.tamper import Bundle
from tests.certificate.test_kernel import FOLDER
from tests.oracle import build_network, floats32, integers, rationals, specs
from tests.solvers.obligations.judged import collected, proved
from verimv.bounding.results import NetworkBounds, NeuronBound
from verimv.certificate.from_extraction import extract
from verimv.certificate.from_ranges import certify_difference, certify_range
from verimv.certificate.from_simplification import simplify_extraction
from verimv.core.effort import NEVER
from verimv.core.errors import InputError, InternalError, Undecided
from verimv.exact import Rational
from verimv.extraction import step1_clip
from verimv.extraction.strategies import compact, paper, plan
from verimv.extraction.strategies.paper import table_nodes
from verimv.paper.experiments.families import deep_sawtooth, random_network, shallow_sawtooth, single_unit
from verimv.solvers.obligations.asking import SESSIONS, Reply, Z3Session
from verimv.solvers.obligations.collect import collect_files
from verimv.solvers.obligations.proof import prove
from verimv.solvers.obligations.queries import CaseQuery, Queries
from verimv.solvers.point_search import Search

strategies = st.sampled_from(["paper", "compact"])


def is_proved(network, **options):
    try:
        certificate = extract(network, **options).certificate
    except Undecided:
        assume(False)
    return proved(certificate.task()).proved


@settings(max_examples=25)
@given(specs(integers), strategies, st.sampled_from(["length", "size"]))
def test_integer_extractions(spec, strategy, minimise):
    assert is_proved(build_network(spec), bounds="interval", strategy=strategy, minimise=minimise)


@settings(max_examples=15)
@given(specs(rationals, max_layers=2, max_width=2), strategies)
def test_rational_extractions(spec, strategy):
    network = build_network(spec)
    clipped = extract(network, bounds="interval", logic="rmv", strategy="paper").clipped
    assume(table_nodes(clipped, "dmv") < 3000)
    for logic in ("dmv", "rmv"):
        assert is_proved(network, bounds="interval", logic=logic, strategy=strategy)


@settings(max_examples=15)
@given(specs(floats32, max_layers=3, max_width=2), strategies)
def test_float_extractions(spec, strategy):
    assert is_proved(build_network(spec), bounds="interval", logic="rmv", strategy=strategy)


@pytest.mark.parametrize("network", [deep_sawtooth(8), shallow_sawtooth(4), single_unit([100], -37), single_unit(["1/sqrt(2)", -2], "1/3"), single_unit(["1/3", "-5/7"], "1/2")])  # fmt: skip
@pytest.mark.parametrize("strategy", ["paper", "compact"])
def test_the_papers_networks_by_both_solvers(network, strategy):
    verdict = extract(network, strategy=strategy).certificate.prove(Search(solvers=["z3", "cvc5"]))
    assert verdict.proved
    assert [(item["solver"], item["answer"]) for item in verdict.evidence] == [("z3", "unsat"), ("cvc5", "unsat")]
    assert all(item["queries"] <= item["obligations"] for item in verdict.evidence)


def test_a_large_network_takes_few_queries():
    network = random_network((5, 20, 20, 1), 1)
    verdict = extract(network, bounds="interval", strategy="compact").certificate.prove()
    assert verdict.proved
    assert verdict.evidence[0]["obligations"] > 3_000
    assert verdict.evidence[0]["queries"] < 600


@pytest.mark.parametrize("solver", SESSIONS)
def test_bounds_differences_and_simplifications(solver):
    layers = [([[2, -1], [1, 1]], [0, -1], "relu"), ([[1, -1]], [0], "crelu")]
    network, other = build_network(layers), build_network([([[4, -2], [1, 1]], [0, -1], "relu"), *layers[1:]])
    certificates = [
        certify_range(network, [(0, 1)]),
        certify_difference(network, other, 2),
        simplify_extraction(extract(network)).certificate,
    ]
    for certificate in certificates:
        assert proved(certificate.task(), solver).proved


# -- faults planted in extraction ---------------------------------------------------------------------------------------

LAYERED = [
    ([[2, -1], [1, 1]], [0, "-1/2"], "crelu"),
    ([[1, -1], [1, 2]], [0, -1], "relu"),
    ([[1, "1/2"]], [0], "crelu"),
]


def assert_noticed(network, **options):
    """Assert that extraction or a solver finds the error."""
    try:
        certificate = extract(network, **options).certificate
    except InternalError:
        return
    assert proved(certificate.task()).refuted


def swapped_units(honest):
    def pruned(clipped):
        result, kept = honest(clipped)
        result.layers[0].reverse()
        return result, kept

    return pruned


FAULTS = {
    "shifted": (step1_clip._Units, "clipped", lambda h: lambda u, f, *r: h(u, f.shifted(Rational(1, 4)), *r)),
    "permuted": (step1_clip, "_pruned", swapped_units),
    "shortened": (paper, "real_steps", lambda h: lambda linear: h(linear)[:-1]),
    "reversed": (
        paper.LemmaTable,
        "nodes",
        lambda h: lambda table, dag, atoms: h(table, dag, [*reversed(atoms)]),
    ),
}


@pytest.mark.parametrize("name", FAULTS)
def test_faults_of_the_papers_steps(name, monkeypatch):
    target, attribute, fault = FAULTS[name]
    monkeypatch.setattr(target, attribute, fault(getattr(target, attribute)))
    assert_noticed(build_network(LAYERED), logic="rmv", strategy="paper")


PLAN_FAULTS = {
    "multipliers": (plan, "multipliers", lambda honest: lambda cut: (Rational(-1), Rational(7)), (5, 7)),
    "another unit": (compact, "literal_form", lambda honest: lambda form: honest(form.shifted(1)), (5, 7)),
    "ends swapped": (plan, "merge", lambda honest: lambda a, b, compare: honest(b, a, compare)[::-1], [1] * 8),
}


@pytest.mark.parametrize("name", PLAN_FAULTS)
def test_faults_of_plans(name, monkeypatch):
    target, attribute, fault, weights = PLAN_FAULTS[name]
    monkeypatch.setattr(target, attribute, fault(getattr(target, attribute)))
    assert_noticed(single_unit(weights, -sum(weights) // 2))


def test_bounds_that_do_not_hold():
    network = build_network([([[2, 1], [1, -1]], [0, 0], "relu"), ([[1, 1]], [0], "crelu")])
    wrong = [NeuronBound(Rational(0), Rational(1), "wrong"), NeuronBound(Rational(-1), Rational(1), "right")]
    certificate = extract(network, bounds=NetworkBounds([wrong])).certificate
    verdict = proved(certificate.task())
    assert verdict.undecided
    assert "no evidence" in verdict.reason


# -- solvers that lie, or give up -----------------------------------------------------------------------------------------


@pytest.fixture
def task():
    return extract(shallow_sawtooth(2)).certificate.task()


def with_replies(monkeypatch, reply, names=("z3",)):
    class Session:
        def __init__(self, logic, definitions):
            pass

        def ask(self, script, seconds):
            return reply

    for name in names:
        monkeypatch.setitem(SESSIONS, name, Session)


def test_a_rule_that_is_refuted_is_a_bug(task, monkeypatch):
    with_replies(monkeypatch, Reply("sat", {}))
    with pytest.raises(InternalError, match="a solver refutes the rule"):
        proved(task)


def without_rules(task):
    for query in [query for query in task.obligations.queries if hasattr(query, "says")]:
        del task.obligations.queries[query]
    return task


def test_a_linear_model_that_is_none_is_a_bug(task, monkeypatch):
    with_replies(monkeypatch, Reply("sat", {}), SESSIONS)
    with pytest.raises(InternalError, match="a model that does not satisfy the query"):
        proved(without_rules(task))


def test_a_model_with_square_roots_that_is_none_is_not_overruled(monkeypatch):
    """It may be close to a solution, so "unsat" of the other solver does not count."""
    network = single_unit(["1/sqrt(2)", -2], "1/3")
    task = without_rules(extract(network).certificate.task())
    for query in [query for query in task.obligations.queries if query.logic == "QF_LRA"]:
        del task.obligations.queries[query]
    with_replies(monkeypatch, Reply("sat", {}))
    verdict = proved(task)
    assert verdict.undecided
    assert "the exact replay of a solver's point fails" in verdict.reason


VALID = sorted((FOLDER / "valid").iterdir())


@pytest.mark.parametrize("directory", VALID, ids=lambda directory: directory.name)
def test_silent_solvers_prove_nothing(directory, monkeypatch):
    with_replies(monkeypatch, Reply("unknown", {}, "silent"), SESSIONS)
    verdict = proved(collect_files(directory))
    assert verdict.undecided
    assert "silent" in verdict.reason


def test_cases_without_width_are_not_proved_by_halving(monkeypatch):
    """Two different constants, in an equality whose cone has no free variable to split."""
    formulas = {
        name: f"verimv-formula 1\ninputs\ny = Δ[{factor}]1\noutputs y\n"
        for name, factor in (("original", "1/2"), ("formula", "1/3"))
    }
    lines = [["node", 1], ["scale", "D[1/2]", 1], ["scale", "D[1/3]", 1]]
    lines += [["equals", 2, 3, [2, 3], ["leaf"], ["leaf"]], ["equal", 0, 2, 4]]
    task = collected(Bundle(formulas, tuple(map(json.dumps, lines))).text(), formulas)
    assert proved(task).refuted
    queries = Queries(task)
    cases = [number for number, query in enumerate(queries.all) if isinstance(query, CaseQuery)]
    with_replies(monkeypatch, Reply("unknown", {}, "silent"), SESSIONS)
    assert len(cases) == 2
    assert not any(queries.is_proved_in_halves("z3", NEVER, number) for number in cases)


def test_no_solver_proves_nothing(task):
    with pytest.raises(InputError, match="at least one solver"):
        prove(task, Search(solvers=[]))


def test_what_one_solver_leaves_open_is_asked_of_the_other(task, monkeypatch):
    with_replies(monkeypatch, Reply("unknown", {}, "z3: no idea"))
    verdict = proved(task)
    assert verdict.proved
    assert verdict.evidence[0]["helped"] == {"cvc5": verdict.evidence[0]["queries"]}


def test_nobody_knows(task, monkeypatch):
    with_replies(monkeypatch, Reply("unknown", {}, "no idea"), SESSIONS)
    verdict = proved(task)
    assert verdict.undecided
    assert verdict.reason.endswith("no idea")
    assert "queries are undecided, the first of line 2, rule node" in verdict.reason


def test_a_case_is_proved_in_halves(monkeypatch):
    """The solver only answers for boxes of width at most 1/2."""

    class Narrow(Z3Session):
        def ask(self, script, seconds):
            is_wide = "(assert (<= 0.0 v0))" in script.assertions and "(assert (<= v0 1.0))" in script.assertions
            return Reply("unknown", {}, "too wide") if is_wide else super().ask(script, seconds)

    task = certify_range(shallow_sawtooth(2), [(0, 1)]).task()
    task.obligations.queries.clear()
    for name in SESSIONS:
        monkeypatch.setitem(SESSIONS, name, Narrow)
    verdict = proved(task)
    assert verdict.proved
    assert "halves" in verdict.evidence[0]["helped"]


def test_evidence_can_be_written_down(task):
    assert json.loads(json.dumps(proved(task).data()))["status"] == "proved"
