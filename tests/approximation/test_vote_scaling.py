"""Networks without doublings, for what is too large or too deep to be searched."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

import verimv
from tests.approximation.models import random_model, random_network
from tests.approximation.test_within import check
from verimv.approximation import proving, within
from verimv.approximation.float_model import FloatModel
from verimv.approximation.vote_scaling import BITS, Scaling
from verimv.approximation.within import NothingSimpler
from verimv.networks.network import Layer, Network


def network_of(seed: int, widths: tuple[int, ...], clipped: bool = False) -> Network:
    layers = random_model(seed, clipped, widths).layers
    return Network.of([Layer.of(x.weights.tolist(), x.bias.tolist(), x.activation) for x in layers])


def doublings(candidate) -> list[int]:
    """How often each neuron of a candidate has to be doubled: its weights, and its threshold, are shares of a vote."""
    found = []
    scales = [[1] * len(layer.rows) for layer in candidate.network.layers[:-1]]
    scales.append([map_.scale for map_ in candidate.maps])
    for layer, row_scales in zip(candidate.network.layers, scales, strict=True):
        for row, scale in zip(layer.rows, row_scales, strict=True):
            total = sum(abs(Fraction(str(w / scale))) for _, w in row.terms)
            found.append(0 if total <= 1 else 1)
    return found


@pytest.mark.parametrize("seed", range(5))
def test_candidates_with_all_weights_are_closer_the_finer_they_are(seed):
    network = network_of(seed, (3, 6, 5, 4, 1))
    target, points = FloatModel.of(network), np.random.default_rng(seed).random((200, 3))
    scaling = Scaling(network, [0.1])
    assert scaling.is_possible
    errors = []
    for candidate, bits in zip(scaling.rounded(), BITS, strict=True):
        assert set(doublings(candidate)) == {0}
        other = FloatModel.of(candidate.network)
        assert all((high <= 1 + 1e-9).all() for _, high in other.ranges()[:-1])
        errors.append(np.abs(other.outputs(points) - target.outputs(points)).max())
        for factors, layer in zip(candidate.factors, candidate.network.layers, strict=False):
            assert all(Fraction(f).numerator == 1 or Fraction(f).denominator == 1 for f in factors.tolist())
            numbers = [x for row in layer.rows for x in (row.constant, *(w for _, w in row.terms))]
            assert all((x * 2**bits).denominator == 1 for x in numbers)
    assert errors[2] < errors[1] < errors[0] < 1
    assert errors[2] < 1e-3


def test_a_failed_proof_makes_the_next_candidate_keep_more_weights():
    network = network_of(1, (4, 12, 12, 12, 1))
    scaling = Scaling(network, [0.5])
    counts = []
    for candidate in scaling.cut():
        counts.append(sum(len(row.terms) for layer in candidate.network.layers for row in layer.rows))
        scaling.exceeded(10.0)
    assert counts == sorted(counts)
    assert counts[0] < counts[-1]


def test_a_network_that_is_too_large_to_be_searched(monkeypatch):
    """The limit is lowered: the formula has no doublings, and all that is said of it holds at the worst point."""
    monkeypatch.setattr(within, "MOST_WEIGHTS", 5)
    monkeypatch.setattr(proving, "MOST_WEIGHTS", 5)
    network = network_of(3, (2, 5, 4, 1))
    extraction = within.extract_within(network, "10%")
    # not `check`: denominators are larger
    assert extraction.check(kernel="both") == ""
    [entry] = extraction.summary["within"]
    assert Fraction(entry["attained"]) <= Fraction(entry["proved"]) <= Fraction(entry["tolerance"])
    assert extraction.formula.length < int(extraction.summary["exact_length"])
    tolerance = Fraction(entry["tolerance"])
    for point in itertools.product((0, Fraction(1, 3), Fraction(2, 3), 1), repeat=2):
        [value], expected = [extraction.source(*point)], network(*point)
        assert abs(Fraction(str(value)) - Fraction(str(expected))) <= tolerance


def test_clipped_neurons_cannot_be_scaled(monkeypatch):
    monkeypatch.setattr(within, "MOST_WEIGHTS", 5)
    network = network_of(3, (2, 5, 4, 1), clipped=True)
    assert not Scaling(network, [0.1]).is_possible
    with pytest.raises(NothingSimpler, match="no simpler network was proved to be within"):
        within.extract_within(network, "1%")


def test_the_length_of_the_exact_formula_is_told():
    network = random_network(3, 1)
    extraction = verimv.extract(network, within="5%")
    check(extraction)
    exact = verimv.extract(network, scale_output=True).formula
    assert extraction.summary["exact_length"] == str(exact.length)
    assert extraction.summary["exact_size"] == exact.size
