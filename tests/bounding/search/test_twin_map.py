"""Twins are found at their place, and if neurons are permuted and rescaled."""

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from verimv.bounding.prove.twin_layers import Twin
from verimv.bounding.search.twin_map import are_comparable, twins_of
from verimv.bounding.search.twin_search import TwinSearch
from verimv.exact import ONE, Rational
from verimv.networks.network import Layer, Network, checked_box
from verimv.networks.transforms.normalise import to_unit_cube


def rearranged(network, seed, factors):
    """The same function, with neurons of hidden layers in another order and multiplied by factors."""
    source = np.random.default_rng(seed)
    layers, order, scales = [], list(range(len(network.inputs))), [ONE] * len(network.inputs)
    for depth, layer in enumerate(network.layers):
        new = {old: place for place, old in enumerate(order)}
        rows = [type(row)([(new[j], w / scales[j]) for j, w in row.terms], row.constant) for row in layer.rows]
        is_last = depth == len(network.layers) - 1
        order = list(range(len(rows))) if is_last else source.permutation(len(rows)).tolist()
        scales = [ONE if is_last else factors[i % len(factors)] for i in range(len(rows))]
        rows = [rows[i].scaled(scales[i]) for i in order]
        layers.append(Layer(tuple(rows), layer.width_in, layer.activation))
    return Network.of(layers)


def test_twins_are_at_their_place():
    a, b = random_pair(1, Fraction(1, 64))
    twins = twins_of(a, b)
    neurons = 5 + 4 + len(a.outputs)
    assert twins == {neurons + k: Twin(k, ONE) for k in range(3, 3 + 5 + 4)}


@pytest.mark.parametrize("seed", range(4))
def test_twins_are_at_their_place_on_a_small_box(seed):
    """Arguments hardly vary there, so that some factor often fits them better than 1."""
    small = [(Rational(1, 2), Rational(513, 1024))] * 3
    a, b = (to_unit_cube(replace(side, box=checked_box(small, 3))) for side in random_pair(seed, Fraction(1, 64)))
    start = 3 + 5 + 4 + len(a.outputs)
    for k, twin in twins_of(a, b).items():
        assert twin == Twin(k - start + 3, ONE)


@pytest.mark.parametrize("seed", range(3))
def test_twins_of_permuted_and_rescaled_copies(seed):
    a, b = random_pair(seed, Fraction(1, 256))
    moved = rearranged(b, seed, [Rational(3), Rational(1, 2), ONE])
    point = [Rational(1, 3), Rational(2, 3), Rational(1, 7)]
    assert moved.at(point) == b.at(point)
    assert are_comparable(a, moved)
    plain, found = (max(TwinSearch(a, other, twins_of(a, other)).upper) for other in (b, moved))
    assert found <= plain * Fraction(9, 8)


def test_neurons_without_a_counterpart_have_no_twin():
    a, b = random_pair(2, Fraction(1, 64))
    first, second, last = b.layers
    new = (first.rows[0].scaled(-ONE), first.rows[0].scaled(-ONE).shifted(Rational(1, 2)))
    wider = Layer((*first.rows, *new), 3, "relu")
    second = Layer(second.rows, 7, second.activation)
    start = 3 + 5 + 4 + 2
    twins = twins_of(a, Network.of([wider, second, last]))
    assert twins[start + 4] == Twin(3 + 4, ONE)
    assert twins[start + 5] == Twin(start, -ONE)  # the same with the opposite sign, in the same layer
    assert start + 6 not in twins
