"""Points at which two subjects differ most: exact, and on small pairs the farthest ones that there are."""

from fractions import Fraction

import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from verimv import parse
from verimv.bounding.search.difference import Difference
from verimv.bounding.search.far_point import FarthestPoints
from verimv.core.effort import SECOND
from verimv.exact import ZERO, parse_number
from verimv.networks.network import Layer, Network
from verimv.pieces.regions import linear_regions


def found(a, b, work=SECOND):
    points = FarthestPoints(a, b)
    points.search(Difference(a, b, ZERO).network, work)
    return points


def distances(a, b):
    """The largest |a − b| of each output: at a vertex of a linear region."""
    result = [ZERO] * len(a.outputs)
    for region in linear_regions(a, b):
        half = len(region.outputs) // 2
        for k in range(half):
            difference = region.outputs[k] + -region.outputs[half + k]
            result[k] = max(result[k], *(abs(difference(vertex)) for vertex in region.polytope.vertices))
    return result


@pytest.mark.parametrize("activation", ["relu", "crelu"])
@pytest.mark.parametrize("seed", range(4))
def test_values_are_attained_and_nearly_the_largest(seed, activation):
    a, b = random_pair(seed, Fraction(1, 8), activation)
    points, largest = found(a, b), distances(a, b)
    for k, (best, most) in enumerate(zip(points.best, largest, strict=True)):
        assert abs(a.at(best.point)[k] - b.at(best.point)[k]) == best.value
        assert most * Fraction(9, 10) <= best.value <= most


def test_the_exact_maximum_is_often_found():
    pairs = [random_pair(seed, Fraction(1, 8)) for seed in range(6)]
    exact = [found(a, b).farthest.value == max(distances(a, b)) for a, b in pairs]
    assert sum(exact) >= 4


@pytest.mark.parametrize("depth", range(3))
def test_planted_differences_are_found(depth):
    a, _ = random_pair(7, ZERO)
    layers = list(a.layers)
    weights = [[w + Fraction(int(i + j == 0), 2**20) for j, w in enumerate(row.dense(layers[depth].width_in))]
               for i, row in enumerate(layers[depth].rows)]  # fmt: skip
    layers[depth] = Layer.of(weights, [row.constant for row in layers[depth].rows], layers[depth].activation)
    assert 0 < found(a, Network.of(layers)).farthest.value < Fraction(1, 2**10)


def test_equal_networks_differ_by_0():
    a, _ = random_pair(8, ZERO)
    assert [best.value for best in found(a, a).best] == [0, 0]


def test_formulas_and_networks_of_other_shapes():
    assert found(parse("x ∧ y"), parse("x ⊙ y")).farthest.value == Fraction(1, 2)
    wide = Network.of([Layer.of([[1, 1], [1, -1]], [0, 0]), Layer.of([[1, 1]], [0], "identity")])
    narrow = Network.of([Layer.of([[1, 0]], [0], "identity")])
    points = found(wide, narrow)
    assert points.farthest.value == 1
    assert points.farthest.point in ((1, 0), (1, 1), (0, 1))


def test_irrational_weights_are_compared_too():
    root = parse_number("sqrt(2)")
    a, b = (Network.of([Layer.of([[w]], [0], "identity")]) for w in (root, 1))
    assert found(a, b).farthest.value == root - 1


def test_boxes_are_mapped():
    layers = [Layer.of([[1]], [0], "identity")]
    a = Network.of(layers, box=[[10, 12]])
    b = Network.of([Layer.of([[2]], [0], "identity")], box=[[10, 12]])
    points = found(a, b)
    assert points.farthest.value == 12
    assert points.functions[0].named(points.farthest.point) == {"x1": "12"}
