"""The layered proof covers every extraction, and does not cover a formula that was changed."""

import json
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.oracle import build_network, floats32, integers, rationals, specs
from verimv import equivalent
from verimv.bounds import NetworkBounds, NeuronBound
from verimv.cli import main
from verimv.errors import InternalError, Undecided
from verimv.exact import Rational
from verimv.experiments.families import deep_sawtooth, random_network, shallow_sawtooth, single_unit
from verimv.extract import (
    built_forms,
    extract,
    extract_and_prove,
    plan,
    queries,
    step1_clip,
    step2_compact,
    step2_lemma,
    step3_compose,
)
from verimv.extract import obligations as obligations_module
from verimv.extract.layered import prove_layered, prove_obligations
from verimv.extract.obligations import Obligations
from verimv.extract.step3_compose import table_nodes
from verimv.networks import Affine, write_network
from verimv.smt import Search
from verimv.terms import parse, write_mv


def prove(network, **options):
    try:
        return extract_and_prove(network, Search(seconds=60), **options)
    except Undecided:
        assume(False)


strategies = st.sampled_from(["paper", "compact"])


@settings(max_examples=40)
@given(specs(integers), strategies, st.sampled_from(["length", "size"]))
def test_integer_extractions(spec, strategy, minimise):
    assert prove(build_network(spec), bounds="interval", strategy=strategy, minimise=minimise)[1].proved


@settings(max_examples=25)
@given(specs(rationals, max_layers=2, max_width=2), strategies)
def test_rational_extractions(spec, strategy):
    network = build_network(spec)
    for logic in ("dmv", "rmv"):
        extraction = extract(network, bounds="interval", logic="rmv", strategy="paper")
        assume(table_nodes(extraction.clipped, "dmv") < 5000)
        assert prove(network, bounds="interval", logic=logic, strategy=strategy)[1].proved


@settings(max_examples=25)
@given(specs(floats32, max_layers=3, max_width=2), strategies)
def test_float_extractions(spec, strategy):
    assert prove(build_network(spec), bounds="interval", logic="rmv", strategy=strategy)[1].proved


@pytest.mark.parametrize("network", [deep_sawtooth(8), shallow_sawtooth(4), single_unit([100], -37), single_unit(["1/sqrt(2)", -2], "1/3"), single_unit(["1/3", "-5/7"], "1/2")])  # fmt: skip
@pytest.mark.parametrize("strategy", ["paper", "compact"])
def test_the_papers_networks_by_both_solvers(network, strategy):
    extraction, verdict = extract_and_prove(network, Search(solvers=["z3", "cvc5"]), strategy=strategy)
    assert verdict.proved
    assert [entry["solver"] for entry in extraction.summary["proofs"]] == ["z3", "cvc5"]
    assert all(
        entry["verdict"] == "proved" and entry["queries"] <= entry["obligations"]
        for entry in extraction.summary["proofs"]
    )


@pytest.mark.parametrize(("strategy", "least"), [("paper", 5000), ("compact", 1500)])
def test_a_large_network_takes_few_queries(strategy, least):
    network = random_network((5, 20, 20, 1), 1)
    extraction, verdict = extract_and_prove(network, Search(), bounds="interval", strategy=strategy)
    assert verdict.proved
    evidence = verdict.evidence[0]
    assert evidence["obligations"] > least
    assert evidence["queries"] < 300
    assert equivalent(extraction.network, extraction.formula).proved


def test_wrong_lemmas_are_refuted(monkeypatch):
    """If Step 2 used σ(g+h) = (σ(g)⊕h)⊙σ(g+2), the solver would say so."""

    def wrong(is_positive, first, second, range_):
        program, condition = queries.lemma_query(is_positive, first, second, range_)
        spoiled = queries.differ(program.clip(queries.G.shifted(Fraction(1, 2))), program.clip(queries.G))
        return (program, spoiled) if first is None else (program, condition)

    monkeypatch.setattr(obligations_module, "lemma_query", wrong)
    with pytest.raises(InternalError, match="refutes an obligation"):
        extract_and_prove(single_unit([5], -2), Search(), strategy="paper")


def test_a_node_that_is_not_what_it_claims_is_noticed():
    obligations = Obligations()
    extract(single_unit([3], -1), recorder=obligations, strategy="paper")
    assert prove_obligations(obligations, Search()).proved

    class Liar(Obligations):
        def _lemma(self, first, atom, second, is_positive):
            return super()._lemma(second, atom, first, is_positive)

    with pytest.raises(InternalError, match="not what its row"):
        extract(single_unit([3], -1), recorder=Liar(), strategy="paper")


def test_claims_that_stop_half_way_prove_nothing():
    with pytest.raises(InternalError):
        Obligations().check_complete(parse("x"))


# -- faults planted in extraction: each must be noticed --------------------------------------------------------------


def faulty(monkeypatch, target, name, fault):
    monkeypatch.setattr(target, name, fault)
    network = build_network(
        [([[2, -1], [1, 1]], [0, "-1/2"], "crelu"), ([[1, -1], [1, 2]], [0, -1], "relu"), ([[1, "1/2"]], [0], "crelu")]
    )
    with pytest.raises(InternalError):
        extract_and_prove(network, Search(), logic="rmv", strategy="paper")


def test_a_shifted_clipped_layer(monkeypatch):
    honest = step1_clip._Units.clipped
    faulty(
        monkeypatch,
        step1_clip._Units,
        "clipped",
        lambda self, form, low, high: honest(self, form.shifted(Rational(1, 4)), low, high),
    )


def test_an_output_folded_to_zero(monkeypatch):
    faulty(monkeypatch, step1_clip, "_folded", lambda form, low, high: Affine(()))


def test_permuted_units(monkeypatch):
    honest = step1_clip._pruned

    def swapped(clipped, recorder):
        result = honest(clipped, recorder)
        result.layers[0].reverse()
        return result

    faulty(monkeypatch, step1_clip, "_pruned", swapped)


def test_a_table_of_another_unit(monkeypatch):
    honest = step2_lemma.real_steps
    faulty(monkeypatch, step2_lemma, "real_steps", lambda linear: honest(linear)[:-1])


def test_flipped_signs(monkeypatch):
    honest = step2_lemma.real_steps
    flipped = lambda linear: [step._replace(positive=not step.positive) for step in honest(linear)]  # noqa: E731
    faulty(monkeypatch, step2_lemma, "real_steps", flipped)


def test_nodes_of_another_layer(monkeypatch):
    honest = step3_compose.sigma_units

    def swapped(dag, atoms, *rest):
        return honest(dag, list(reversed(atoms)), *rest)

    faulty(monkeypatch, step3_compose, "sigma_units", swapped)


def faulty_plan(monkeypatch, target, name, fault, weights=(5, 7)):
    monkeypatch.setattr(target, name, fault)
    with pytest.raises(InternalError):
        extract_and_prove(single_unit(weights, -sum(weights) // 2), Search())


def test_multipliers_that_prove_nothing(monkeypatch):
    faulty_plan(monkeypatch, plan, "multipliers", lambda cut: (Rational(-1), Rational(7)))


def test_a_plan_for_another_unit(monkeypatch):
    honest = step2_compact.literal_form
    faulty_plan(monkeypatch, step2_compact, "literal_form", lambda form: honest(form.shifted(1)))


def test_a_merge_with_its_ends_swapped(monkeypatch):
    honest = plan.merge
    faulty_plan(monkeypatch, plan, "merge", lambda a, b, compare: honest(b, a, compare)[::-1], [1] * 8)


def test_wrong_split_rules_are_refuted(monkeypatch):
    """If a cut were σ(f1) ⊕ (σ(f2) ⊙ σ(f2+1)), the solver would say so."""

    def wrong(first, second):
        program, condition = queries.cut_query(first, second)
        return program, [*queries.differ(program.clip(queries.G + queries.H), program.clip(queries.G)), *condition[1:]]

    faulty_plan(monkeypatch, built_forms, "cut_query", wrong)


def test_bounds_that_do_not_hold():
    network = build_network([([[2, 1], [1, -1]], [0, 0], "relu"), ([[1, 1]], [0], "crelu")])
    wrong = NetworkBounds(
        [[NeuronBound(Rational(0), Rational(1), "wrong"), NeuronBound(Rational(-1), Rational(1), "right")]]
    )
    with pytest.raises(InternalError, match="bound of neuron 1:0 does not hold"):
        extract_and_prove(network, Search(), bounds=wrong)


def test_bounds_that_a_solver_must_prove():
    network = build_network([([[1, -1], [-1, 1]], [0, 0], "relu"), ([[1, 1]], [0], "relu"), ([[1]], [0], "crelu")])
    _, verdict = extract_and_prove(network, Search(solvers=["z3", "cvc5"]), bounds="exact")
    assert verdict.proved
    assert [item["bounds"] for item in verdict.evidence] == [1, 1]


def test_other_formulas_are_not_covered():
    network = deep_sawtooth(3)
    formula = extract(network).formula
    assert prove_layered(network, formula, Search()).proved
    assert prove_layered(network, ~formula, Search()) is None
    assert prove_layered(network, parse("x1 ⊕ x1"), Search()) is None


@pytest.fixture
def directory(tmp_path):
    path = tmp_path / "net.json"
    path.write_text("".join(write_network(shallow_sawtooth(3))))
    assert main(["extract", str(path), "-o", str(tmp_path / "out"), "--quiet"]) == 0
    return tmp_path / "out"


@pytest.mark.parametrize("mode", ["layered", "monolithic"])
def test_prove_a_directory(directory, capsys, mode):
    assert main(["prove", str(directory), "--solver", "all", "--mode", mode]) == 0
    assert "proved: network = formula" in capsys.readouterr().out
    proofs = json.loads((directory / "summary.json").read_text())["proofs"]
    assert {entry.get("solver", "kernel") for entry in proofs} == {"kernel", "z3", "cvc5"}
    assert {entry["verdict"] for entry in proofs} == {"proved"}


def test_prove_finds_an_edited_formula(directory, capsys):
    text = (directory / "formula.mv").read_text()
    (directory / "formula.mv").write_text(text.replace("⊙", "⊕", 1))
    assert main(["prove", str(directory)]) == 1
    assert "not equal: at x1=" in capsys.readouterr().out


def test_prove_finds_an_edited_network(directory, capsys):
    text = (directory / "network.json").read_text()
    (directory / "network.json").write_text(text.replace('"-2"', '"-1"', 1))
    assert main(["prove", str(directory), "--json"]) == 1
    data = json.loads(capsys.readouterr().out)
    assert data["status"] == "refuted"


def test_prove_accepts_another_formula_of_the_same_function(directory):
    formula = parse("(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)")
    hat = formula
    for _ in range(2):
        formula = hat.substitute({"x1": formula})
    (directory / "formula.mv").write_text("".join(write_mv(formula)))
    assert main(["prove", str(directory), "--quiet"]) == 0


def test_prove_emits_its_queries(directory, tmp_path, capsys):
    assert main(["prove", str(directory), "--emit", str(tmp_path / "queries")]) == 0
    names = sorted(path.name for path in (tmp_path / "queries").iterdir())
    assert names[0] == "obligation-001.smt2"
    assert (tmp_path / "queries" / names[0]).read_text().startswith("(set-logic QF_LRA)")


def test_bad_directories(tmp_path, capsys, directory):
    assert main(["prove", str(tmp_path / "none")]) == 2
    (directory / "summary.json").write_text("[]")
    assert main(["prove", str(directory)]) == 2
    assert capsys.readouterr().err.count("\n") == 2
