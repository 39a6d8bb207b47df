"""Certificates of ranges and of differences: accepted when true, refused when sharpened or tampered with."""

import json
import random
from dataclasses import replace

import pytest

from tests.certificate.tamper import Bundle, tamper
from tests.oracle import build_network
from verimv.bounding.search.output_range import searched_ranges
from verimv.certificate.from_ranges import certify_difference, certify_range
from verimv.core.errors import InputError
from verimv.exact import Rational, format_number, parse_number
from verimv.networks.network import Layer, Network
from verimv.paper.benchmarks.bench_bounds import disguised
from verimv.paper.experiments.families import random_network
from verimv.solvers.optimise import output_ranges

TENTH = Rational(1, 10)


def bundle(certificate) -> Bundle:
    return Bundle({name: data.decode() for name, data in certificate.subjects.items()}, tuple(certificate.body))


def affine_end(widths, seed: int, kind: str = "float32") -> Network:
    """A random network whose outputs are not clipped."""
    network = random_network(widths, seed, kind)
    layers = (*network.layers[:-1], replace(network.layers[-1], activation="identity"))
    return replace(network, layers=layers)


def ends_of(network: Network):
    return [(-found.lower.value, found.upper.value) for found in searched_ranges(network)]


def on_box(spec) -> Network:
    network = build_network(spec)
    return Network.of(network.layers, network.inputs, [("-1", "2"), ("0", "1/2")], network.outputs)


def rounded(network: Network, bits: int) -> Network:
    """As a quantised network: weights are multiples of 2^-bits."""

    def near(x):
        return Rational(round(x * 2**bits), 2**bits)

    layers = [
        Layer.of(
            [[near(w) for w in row.dense(layer.width_in)] for row in layer.rows],
            [near(row.constant) for row in layer.rows],
            layer.activation,
        )
        for layer in network.layers
    ]
    return Network.of(layers, network.inputs, network.box, network.outputs)


def with_last_value(original: Bundle, change) -> Bundle:
    """The value of the last line changed."""
    *lines, last = original.lines
    rule, layer, index, side, value, *cases = json.loads(last)
    value = format_number(change(parse_number(value)))
    return Bundle(original.subjects, (*lines, json.dumps([rule, layer, index, side, value, *cases])))


@pytest.mark.parametrize("seed", range(4))
def test_exact_ranges(seed):
    network = affine_end((2, 4, 3, 2), seed, ("integer", "float32")[seed % 2])
    made = bundle(certify_range(network, ends_of(network), 600))
    assert made.verdict() == "valid"
    assert made.is_true()
    assert with_last_value(made, lambda x: x - Rational(1, 10**9)).verdict() == "invalid"
    assert with_last_value(made, lambda x: x + 1).verdict() == "valid"
    assert Bundle(made.subjects, made.lines[:-1]).verdict() == "incomplete"


@pytest.mark.parametrize("activation", ["relu", "crelu", "identity"])
@pytest.mark.parametrize("shift", [-9, -1, 0, 2, 9])
def test_ranges_where_the_output_saturates(activation, shift):
    spec = [([[2, -1], [-1, 3]], [0, -1], "relu"), ([[1, -1]], [shift], activation)]
    network = on_box(spec)
    ranges = output_ranges(network)
    made = bundle(certify_range(network, [(-r.lower.value, r.upper.value) for r in ranges], 600))
    assert made.verdict() == "valid"
    assert made.is_true()


def test_ranges_of_irrational_networks():
    network = build_network([([["sqrt(2)", -1], [1, "-sqrt(2)/2"]], [0, 0], "relu"), ([[1, 1]], [0], "identity")])
    ranges = output_ranges(network)
    made = bundle(certify_range(network, [(-r.lower.value, r.upper.value) for r in ranges], 600))
    assert made.verdict() == "valid"


def test_a_false_range_gets_no_certificate():
    network = affine_end((2, 3, 2, 1), 1, "integer")
    ((low, high),) = ends_of(network)
    assert certify_range(network, [(low, high - TENTH)], 5) is None
    assert certify_range(network, [(low + TENTH, high)], 5) is None


def test_numbers_are_given_as_anywhere_else():
    network = build_network([([[1, -1]], [0], "crelu")])
    assert bundle(certify_range(network, [("-1/2", 1)])).verdict() == "valid"
    assert bundle(certify_difference(network, network)).verdict() == "valid"
    assert certify_difference(network, build_network([([[1, -1]], ["1/8"], "crelu")]), "1/9", 5) is None
    with pytest.raises(InputError, match="expected a range for each of 1 outputs, found 2"):
        certify_range(network, [(0, 1), (0, 1)])


@pytest.mark.parametrize("seed", range(3))
def test_quantised_networks(seed):
    network = affine_end((2, 4, 4, 2), seed)
    other = rounded(network, 8)
    made = bundle(certify_difference(network, other, TENTH, 600))
    assert made.verdict() == "valid"
    assert made.is_true()
    assert with_last_value(made, lambda x: x / 10**6).verdict() == "invalid"
    swapped = {"network": made.subjects["other"], "other": made.subjects["network"]}
    assert Bundle(swapped, made.lines).verdict() != "malformed"
    assert certify_difference(network, other, Rational(1, 10**9), 10) is None


@pytest.mark.parametrize("widths", [(1, 4, 4, 1), (2, 4, 4, 1), (2, 5, 1)])
def test_disguised_copies_are_equal(widths):
    network = affine_end(widths, 3)
    made = bundle(certify_difference(network, disguised(network, 1), Rational(0), 600))
    assert made.verdict() == "valid"
    assert made.is_true()
    *below, last = disguised(network, 1).layers
    planted = replace(last, rows=tuple(row.shifted(Rational(1, 2**20)) for row in last.rows))
    assert certify_difference(network, replace(network, layers=(*below, planted)), Rational(0), 10) is None


def test_differences_on_a_box_and_without_an_affine_end():
    spec = [([[2, -1], [1, 3]], [0, -1], "relu"), ([[1, -1], [1, 1]], [0, 0], "relu")]
    network = on_box(spec)
    spec[1] = ([[1, -1], [1, 1]], ["1/8", 0], "relu")
    made = bundle(certify_difference(network, on_box(spec), Rational(1, 8), 600))
    assert made.verdict() == "valid"
    assert made.is_true()


def test_networks_of_other_shapes_get_no_certificate():
    network = affine_end((2, 3, 1), 1)
    assert certify_difference(network, affine_end((2, 3, 3, 1), 1), Rational(10**6), 5) is None
    assert certify_difference(network, affine_end((2, 4, 1), 1), Rational(10**6), 5) is None


def test_tampering_with_ranges_and_differences():
    network = affine_end((2, 4, 3, 1), 5)
    originals = [
        bundle(certify_range(network, ends_of(network), 600)),
        bundle(certify_difference(network, rounded(network, 6), TENTH, 600)),
    ]
    source = random.Random(4)
    verdicts = []
    for number in range(300):
        original = originals[number % 2]
        mutant = tamper(original, source)
        if mutant == original:
            continue
        verdicts.append(mutant.verdict())
        changed = mutant.subjects != original.subjects or mutant.maps() != original.maps()
        if verdicts[-1] == "valid" and changed:
            assert mutant.is_true(), f"wrongly accepted: {mutant}"
    assert verdicts.count("invalid") > 50
