"""Differences in floats: as the exact ones, however small they are; gradients as difference quotients show them."""

import itertools
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest

from verimv.bounding.guess.farthest import far_points
from verimv.bounding.guess.pair_floats import AlikeNetworks, OneNetwork, change_of
from verimv.bounding.search.difference import Difference
from verimv.exact import ZERO, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network


def random_pair(seed, shift, activation="relu"):
    """Two networks 3-5-4-2 whose weights differ by up to `shift`."""
    source = np.random.default_rng(seed)
    sizes, pair = (3, 5, 4, 2), ([], [])
    for k, (width, count) in enumerate(itertools.pairwise(sizes)):
        weights = [[Fraction(int(w), 16) for w in row] for row in source.integers(-24, 25, (count, width))]
        bias = [Fraction(int(b), 16) for b in source.integers(-8, 9, count)]
        moved = [[w + shift * int(source.integers(-1, 2)) for w in row] for row in weights]
        kind = activation if k < 2 else "identity"
        pair[0].append(Layer.of(weights, bias, kind))
        pair[1].append(Layer.of(moved, bias, kind))
    return Network.of(pair[0]), Network.of(pair[1])


@pytest.mark.parametrize("activation", ["relu", "crelu", "identity"])
@pytest.mark.parametrize("shift", [Fraction(1, 4), Fraction(1, 2**20), Fraction(1, 2**70)])
def test_differences_are_seen_however_small(shift, activation):
    a, b = random_pair(1, shift, activation)
    points = np.random.default_rng(2).random((20, 3))  # at no kink
    found = AlikeNetworks(a, b).values(points)
    for point, row in zip(points, found, strict=True):
        at = [Rational(float(x)) for x in point]
        exact = [x - y for x, y in zip(a.at(at), b.at(at), strict=True)]
        assert row == pytest.approx([float(x) for x in exact], rel=1e-9, abs=float(shift) * 1e-9)


@pytest.mark.parametrize("activation", ["relu", "crelu"])
def test_both_forms_of_a_difference_have_the_same_values_gradients_and_pieces(activation):
    a, b = random_pair(3, Fraction(1, 8), activation)
    alike, one = AlikeNetworks(a, b), OneNetwork(Difference(a, b, ZERO).network)
    points = np.random.default_rng(4).random((30, 3))
    assert np.allclose(alike.values(points), one.values(points))
    for output in (0, 1):
        weights = np.zeros((30, 2))
        weights[:, output] = -1
        gradients = alike.gradients(points, weights)
        assert np.allclose(gradients, one.gradients(points, weights))
        for j in range(3):
            step = np.zeros(3)
            step[j] = 1e-7
            quotient = (alike.values(points + step) - alike.values(points - step))[:, output] / -2e-7
            assert np.isclose(gradients[:, j], quotient, atol=1e-5).mean() > 0.9  # but for kinks
    for function in (alike, one):
        piece = function.piece(points[0])
        inside = piece.rows @ points[0]
        assert (piece.low <= inside + 1e-9).all()
        assert (inside <= piece.high + 1e-9).all()


def test_change_of_an_activation():
    z, d = (axis.ravel() for axis in np.meshgrid(np.linspace(-3, 3, 25), np.linspace(-3, 3, 25)))
    assert np.allclose(change_of("relu", z, d), np.maximum(z + d, 0) - np.maximum(z, 0))
    assert np.allclose(change_of("crelu", z, d), np.clip(z + d, 0, 1) - np.clip(z, 0, 1))


def test_the_same_points_every_time():
    function = AlikeNetworks(*random_pair(5, Fraction(1, 8)))
    first, second = far_points(function, 200_000), far_points(function, 200_000)
    assert [(p.output, p.sign, p.value, *p.point) for p in first] == [
        (p.output, p.sign, p.value, *p.point) for p in second
    ]
    assert {(p.output, p.sign) for p in first} == {(0, 1), (0, -1), (1, 1), (1, -1)}


def test_a_neuron_that_is_active_at_one_corner_only_is_found():
    inputs = 12
    row = Affine([(j, Rational(1)) for j in range(inputs)], Rational(1, 2) - inputs)
    layers = (Layer((row,), inputs, "relu"), Layer((Affine([(0, Rational(1))]),), 1, "identity"))
    a = Network.of(layers)
    changed = replace(layers[1], rows=(Affine([(0, Rational(1) + Rational(1, 2**20))]),))
    best = far_points(AlikeNetworks(a, Network.of((layers[0], changed))), 200_000)[0]
    assert best.value == 2.0**-21
    assert best.point.tolist() == [1.0] * inputs
