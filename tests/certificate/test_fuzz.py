"""Random certificates: the kernel accepts no line that is false, and the verified kernel gives the same verdicts."""

import random

import pytest

from tests.certificate.fuzz.both import disagreements
from tests.certificate.fuzz.campaign import Tally, tally
from tests.certificate.fuzz.cases import system_of
from tests.certificate.fuzz.meaning import Network, formula_outputs, run_all
from tests.certificate.fuzz.sequence import run, run_any
from tests.certificate.fuzz.subjects import KINDS, WITHIN, random_subjects
from tests.effort import span_name, spans
from tests.oracle import formula_values
from verimv import kernel
from verimv.exact import Rational
from verimv.formulas.mvfile import read_mv
from verimv.networks.formats.json_format import read_network


def faults(total: Tally) -> list[str]:
    return [f"seed {outcome.seed}: {outcome.fault}" for outcome in total.faults]


def test_a_small_run():
    total = tally(range(400))
    assert faults(total) == []
    assert total.per_sequence() > 15
    assert total.sequences.keys() == {*KINDS, WITHIN}
    # every rule was accepted, and every side of its conditions tried
    assert total.accepted.keys() == kernel.RULES.keys()
    assert min(total.accepted.values()) >= 20
    assert total.verdicts["valid"] > 200
    assert total.stale == 0


def test_a_sequence_depends_on_its_seed_only():
    first, second = (run(17) for _ in range(2))
    assert [c.lines for c in first.certificates] == [c.lines for c in second.certificates]


@pytest.mark.slow
@pytest.mark.parametrize("seeds", spans(1_000_000, 4_000, 500), ids=span_name)
def test_a_large_run(seeds):
    total = tally(seeds)
    print(total)
    assert faults(total) == []
    assert total.per_sequence() > 12
    assert total.stale == 0


# -- both kernels ---------------------------------------------------------------------------------------------------------


def compared(seeds, directory):
    """Disagreements, and how many certificates there were."""
    found, count = [], 0
    for seed in seeds:
        outcome = run_any(seed)
        count += len(outcome.certificates)
        found += [f"seed {seed}: {text}" for _, text in disagreements(outcome, directory)]
    return found, count


def test_both_kernels_agree(tmp_path):
    found, count = compared(range(2_000_000, 2_000_100), tmp_path)
    assert found == []
    assert count > 100


@pytest.mark.slow
@pytest.mark.parametrize("seeds", spans(2_000_100, 800, 200), ids=span_name)
def test_both_kernels_agree_at_length(seeds, tmp_path):
    found, count = compared(seeds, tmp_path)
    assert found == []
    assert count > len(seeds)


# -- the judge ------------------------------------------------------------------------------------------------------------


def random_point(source, width):
    return [Rational(source.randint(0, 12), 12) for _ in range(width)]


def test_networks_are_read_as_verimv_reads_them():
    source = random.Random(5)
    for _ in range(60):
        text = random_subjects(source, "network")["network"]
        network, known = Network(text), read_network(text)
        point = random_point(source, len(network.inputs))
        inside = [low + (high - low) * u for (low, high), u in zip(network.box, point, strict=True)]
        assert [value for _, value in network.run(point)][-len(network.outputs) :] == known.at(inside)


def test_formulas_are_read_as_verimv_reads_them():
    count, source = 0, random.Random(6)
    for seed in range(120):
        for certificate in run(seed).certificates:
            if "formula" in certificate.texts and certificate.verdict[0] == "valid":
                text = certificate.texts["formula"]
                formula = read_mv(text)
                point = random_point(source, len(formula.inputs))
                found = [vector[0] for vector in formula_outputs(text, [point])]
                named = dict(zip(formula.inputs, point, strict=True))
                if "sqrt" not in text:  # the oracle computes with fractions
                    assert found == formula_values(formula, named)
                assert found == formula.at(named)
                count += 1
    assert count > 20


def test_shared_neurons_keep_their_values():
    """The rows that cases are grown from: shared, they must give the values that the networks have."""
    source = random.Random(7)
    for _ in range(60):
        texts = random_subjects(source, "network other")
        network, other = Network(texts["network"]), Network(texts["other"])
        point = random_point(source, len(network.inputs))
        arguments = [argument for argument, _ in run_all(network, other, point)]
        values = [*point, *(value for _, value in run_all(network, other, point)), Rational(1)]
        rows = [unit[1] for unit in system_of(network, other).variables if unit is not None]
        assert [sum((c * values[j] for j, c in row.items()), Rational(0)) for row in rows] == arguments
