"""Comparing by the range of the difference: copies of a network, planted differences, tolerances."""

import random
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given, settings

from tests.oracle import build_network, grid, network_value, rationals, specs
from verimv import equivalent, parse
from verimv.bounding.interval import corresponding_differences
from verimv.bounding.search.difference import Difference
from verimv.core.errors import InternalError
from verimv.exact import ZERO, Rational
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.merge import merged
from verimv.paper.experiments.families import random_network
from verimv.solvers.point_search import Search


def copy_of(network: Network, seed: int, planted: tuple[int, Rational] | None = None) -> Network:
    """The same function with neurons permuted and rescaled; or with one weight of a layer changed."""
    source = random.Random(seed)
    layers, order, scales = [], None, None
    for depth, layer in enumerate(network.layers):
        rows = [row.dense(layer.width_in) for row in layer.rows]
        bias = [row.constant for row in layer.rows]
        if order is not None:
            rows = [[row[j] / s for j, s in zip(order, scales, strict=True)] for row in rows]
        if depth < len(network.layers) - 1:
            order = source.sample(range(len(rows)), len(rows))
            scales = [Rational(source.choice([1, 2, 5]), source.choice([1, 3])) for _ in order]
            rows = [[w * s for w in rows[j]] for j, s in zip(order, scales, strict=True)]
            bias = [bias[j] * s for j, s in zip(order, scales, strict=True)]
        if planted is not None and depth == planted[0]:
            rows[0][0] += planted[1]
        layers.append(Layer.of(rows, bias, layer.activation))
    return Network.of(layers)


def retrained(network: Network, change: Rational) -> Network:
    """All weights of the second layer moved a little."""
    layers = list(network.layers)
    rows = [[w + change for w in row.dense(layers[1].width_in)] for row in layers[1].rows]
    layers[1] = Layer.of(rows, [row.constant for row in layers[1].rows], layers[1].activation)
    return Network.of(layers)


@pytest.mark.parametrize("widths", [(1, 16, 16, 16, 1), (3, 20, 20, 1)])
def test_permuted_and_rescaled_copies(widths):
    network = random_network(widths, 3)
    verdict = Difference(network, copy_of(network, 1), ZERO).by_structure()
    assert verdict is not None
    assert verdict.proved


def test_a_planted_difference_is_found_and_replayed():
    network = random_network((3, 20, 20, 1), 3)
    verdict = equivalent(network, copy_of(network, 1, (0, Rational(1, 2**20))), search=Search(seconds=600))
    assert verdict.refuted
    assert verdict.witness.values["left"] != verdict.witness.values["right"]


def narrow_peak(height: Rational) -> Network:
    """A hat of width 1/500 and some height, elsewhere 0: no quick point sees it."""
    spec = [([[1000], [1000], [1000]], [-337, -338, -339], "relu"), ([[height, -2 * height, height]], [0], "identity")]
    return build_network(spec)


def test_a_difference_that_no_sample_shows():
    peak, flat = narrow_peak(Rational(1, 2**20)), build_network([([[0]], [0], "identity")])
    difference = Difference(peak, flat, ZERO)
    assert difference.by_structure() is None
    verdict = difference.by_search()
    assert verdict.refuted
    at = verdict.witness.point["x1"]
    assert peak(at) > 0
    assert Difference(peak, flat, Rational(1, 2**20)).by_search().proved
    assert Difference(peak, flat, Rational(1, 2**21)).by_search().refuted


def test_formulas():
    a, b = parse("x ⊙ (x → y)"), parse("x ∧ y")
    assert Difference(a, b, ZERO).by_search().proved
    verdict = Difference(parse("x ⊕ y"), parse("x ∨ y"), Rational(1, 4)).by_search()
    assert verdict.refuted
    assert Difference(parse("x ⊕ y"), parse("x ∨ y"), Rational(1, 2)).by_search().proved


def test_related_networks_stay_within_a_tolerance():
    network = random_network((3, 20, 20, 1), 3)
    moved = retrained(network, Rational(1, 2**20))
    (low, high) = corresponding_differences(network, moved)[0]
    assert -Rational(1, 1000) < low <= high < Rational(1, 1000)
    assert Difference(network, moved, max(-low, high)).by_structure().proved
    for point in grid(3, 3):
        at = [Rational(x.numerator, x.denominator) for x in point]
        assert low <= network.at(at)[0] - moved.at(at)[0] <= high


@settings(max_examples=30, deadline=None)
@given(specs(rationals))
def test_merged_networks_are_the_same_function(spec):
    network = build_network(spec)
    small = merged(network)
    assert small.neurons <= network.neurons or small.neurons == len(spec)
    for point in grid(len(spec[0][0][0]), 2)[:40]:
        assert small.at([Rational(x.numerator, x.denominator) for x in point]) == network_value(spec, list(point))


def test_dead_neurons_do_not_make_a_difference():
    """One side has a neuron that never acts, which intervals cannot tell."""
    left = [([[1, -1], [-1, 1]], [0, 0], "relu"), ([[1, 1], [-1, -1]], [0, Fraction(-1, 2)], "relu")]
    right = [([[1, -1], [-1, 1]], [0, 0], "relu"), ([[1, 1], [1, 1]], [0, Fraction(-3, 2)], "relu")]
    a, b = (build_network([*spec, ([[1, 1]], [0], "identity")]) for spec in (left, right))
    difference = Difference(a, b, ZERO)
    assert difference.by_structure() is None
    assert difference.by_search().proved


def test_a_point_that_shows_nothing_is_a_bug():
    difference = Difference(parse("x ⊕ y"), parse("x ∨ y"), ZERO)
    difference.question = replace(difference.question, holds=lambda point: False)
    with pytest.raises(InternalError):
        difference.by_search()
