"""Copies with other layers: `distance` proves that they are equal, or how close they are, and says where they differ."""

import json
from fractions import Fraction

import numpy as np
import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from tests.networks.copies import doubled, random_points, rounded, split, with_affine_layer, with_idle_neurons
from tests.networks.test_shared_nets import FOLDER
from verimv import certify_distance, certify_equality, distance, equivalent
from verimv.certificate.certificate import Certificate
from verimv.exact import ONE, ZERO, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network
from verimv.questions.compared_pair import comparable
from verimv.solvers.point_search import Search

COPIES = {
    "a layer inserted": lambda network, seed: split(network, 0, [None] * 5),
    "neurons of the first layer split": lambda network, seed: split(network, 0, random_points(5, seed)),
    "neurons of the second layer split": lambda network, seed: split(network, 1, random_points(4, seed, 1.0)),
    "two layers more": lambda network, seed: split(
        split(network, 0, random_points(5, seed, 1.0)), 2, random_points(4, seed)
    ),
    "an affine layer inserted": lambda network, seed: with_affine_layer(network, seed % 2),
    "idle neurons": lambda network, seed: with_idle_neurons(network, seed % 2, 3, seed),
    "neurons doubled": lambda network, seed: doubled(network, seed % 2),
    "split, doubled, with idle neurons": lambda network, seed: with_idle_neurons(
        doubled(split(network, 0, random_points(5, seed)), 1), 2, 2, seed
    ),
}


def changed(network, depth, index, amount):
    """A copy with another bias."""
    layer = network.layers[depth]
    rows = list(layer.rows)
    rows[index] = rows[index].shifted(amount)
    layers = list(network.layers)
    layers[depth] = Layer(tuple(rows), layer.width_in, layer.activation)
    return Network.of(layers)


@pytest.mark.parametrize("seed", range(2))
@pytest.mark.parametrize("name", COPIES)
def test_copies_are_equal_and_changed_ones_are_not(name, seed):
    a, _ = random_pair(seed, ZERO)
    b = COPIES[name](a, seed)
    for first, second in ((a, b), (b, a)):
        found = distance(first, second)
        assert (found.attained, found.proved) == (0, 0)
    moved = changed(b, len(b.layers) - 1, 0, Rational(1, 2**30))
    found = distance(a, moved)
    assert found.attained == found.proved == Fraction(1, 2**30)
    assert equivalent(a, moved).refuted


@pytest.mark.parametrize("name", COPIES)
def test_a_small_change_inside_gives_a_small_interval(name):
    a, _ = random_pair(3, ZERO)
    b = changed(COPIES[name](a, 3), 0, 1, Rational(1, 2**40))
    found = distance(a, b, within=1)
    assert found.attained <= found.proved < Fraction(64, 2**40)


@pytest.mark.parametrize("seed", range(3))
def test_copies_are_certified_and_wrong_certificates_are_rejected(seed):
    a, _ = random_pair(seed, ZERO)
    b = rounded(split(a, 0, random_points(5, seed, 1.0)), 5)
    found = distance(a, b, within=1)
    certificate = certify_distance(a, b, found, 20.0)
    assert certificate.judgement.answers[0].status == "valid"
    lines = [json.loads(line) for line in certificate.body]
    halves = [n for n, line in enumerate(lines) if line[0] == "twin" and line[4] == "-1"]
    assert halves  # of split neurons
    lines[halves[0]][4] = "1"
    wrong = Certificate(certificate.subjects, [json.dumps(line) for line in lines])
    assert wrong.judge().answers[0].status == "invalid"


def test_clipped_neurons_and_their_complements():
    """σ(1 − t) = 1 − σ(t): a copy with complements, one layer more, is equal."""
    a, _ = random_pair(5, ZERO, "crelu")
    first, *others = a.layers
    complements = Layer(tuple(row.complement() for row in first.rows), 3, "crelu")
    back = Layer(tuple(Affine([(i, -ONE)], ONE) for i in range(5)), 5, "identity")
    b = Network.of([complements, back, *others])
    points = [[Rational(int(x), 8) for x in row] for row in np.random.default_rng(1).integers(0, 9, (10, 3))]
    assert all(a.at(point) == b.at(point) for point in points)
    found = distance(a, b)
    assert (found.attained, found.proved) == (0, 0)
    assert distance(a, changed(b, 1, 0, Rational(1, 8))).attained > 0


def test_equality_of_a_split_copy_is_certified():
    a, _ = random_pair(1, ZERO)
    b = split(a, 0, random_points(5, 1, 1.0))
    certificate = certify_equality(a, b)
    assert certificate is not None
    assert [line.count("0 ≤") + line.count("≤ 0") for line in certificate.judgement.statement] == [2, 2]
    assert certify_equality(a, changed(b, 0, 0, Rational(1, 8)), seconds=2) is None


PUBLISHED = FOLDER / "pairs" / "mnist"


@pytest.mark.slow
@pytest.mark.skipif(not PUBLISHED.is_dir(), reason="no networks at ../shared/nets (or VERIMV_NETS)")
@pytest.mark.filterwarnings("ignore::verimv.core.errors.UnusedWarning")
def test_a_published_split_copy():
    files = [PUBLISHED / name for name in ("mnist256x4.onnx", "mnist256x4_split.onnx")]
    a, b = comparable(*map(str, files), box=str(PUBLISHED / "prop_0_0.03.vnnlib"))
    found = distance(a, b, tolerance=Rational(1, 1000), search=Search(seconds=600))
    assert found.attained < found.proved < Fraction(1, 10**5)
    assert found.is_within(Fraction(1, 1000))
    assert found.is_within(found.attained / 2) is False
