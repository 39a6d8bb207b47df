"""Votes: the same function with every value in [0,1], and exact fractions for weights."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.approximation.models import random_model, random_network, spec_of
from tests.effort import examples
from verimv.approximation.float_model import FloatModel
from verimv.approximation.votes import Votes, short, votes_of, with_dead_neurons_empty
from verimv.bounding.guess.floats import FloatLayer
from verimv.networks.transforms.outputs import OutputMap


@examples(150)
@given(st.integers(0, 10**6), st.lists(st.integers(0, 3), min_size=3, max_size=3), st.booleans())
def test_votes_are_the_same_function(seed, limits, clipped):
    model = random_model(seed, clipped)
    votes = votes_of(model, limits[: len(model.layers)])
    points = np.concatenate([np.random.default_rng(seed).random((40, model.inputs)), np.eye(model.inputs)])
    scales, offsets = (np.array([float(x) for x in column]) for column in zip(*votes.maps, strict=True))
    assert votes.model.outputs(points) * scales + offsets == pytest.approx(model.outputs(points), abs=1e-9)
    assert votes.target(model).outputs(points) == pytest.approx(votes.model.outputs(points), abs=1e-9)
    *hidden, outputs = votes.model.trace(points)[0]
    for values in hidden:
        assert (values > -1e-9).all()
        assert (values < 1 + 1e-9).all()
    assert (outputs > -0.0051).all()  # offsets are short: by half a hundredth of the scale a value may be below 0
    assert (outputs < 1 + 1e-9).all()
    for layer, sizes in zip(votes.model.layers, votes.sizes, strict=True):
        assert (np.abs(layer.weights).sum(axis=1) <= sizes + 1e-9).all()


@pytest.mark.parametrize("seed", range(20))
def test_a_network_of_votes_has_the_weights_of_its_floats(seed):
    """Where all shares are fractions with small denominators, the network is the model, to the last bit."""
    random = np.random.default_rng(seed)
    layers, expected = [], []
    for width, below, vote, activation in ((3, 2, 2, "crelu"), (1, 3, 4, "identity")):
        shares = [[Fraction(int(random.choice((-7, -3, -1, 1, 2, 5))), int(random.integers(1, 65))) for _ in range(below)]
                  for _ in range(width)]  # fmt: skip
        thresholds = [Fraction(int(random.integers(-9, 10)), int(random.integers(1, 65))) for _ in range(width)]
        negated = [sum(share for share in row if share < 0) for row in shares]
        bias = [(t - n) * vote for t, n in zip(thresholds, negated, strict=True)]
        expected.append(([[share * vote for share in row] for row in shares], bias))
        weights = np.array([[float(share) * vote for share in row] for row in shares])
        layers.append(FloatLayer(weights, np.array([float(b) for b in bias]), activation))
    maps = (OutputMap(short(2.5, 2), short(-0.25, 2)),)
    found = Votes(FloatModel(tuple(layers)), ((1, 1, 1), (2,)), maps).network(random_network(0, inputs=2), 64)
    hidden, last = spec_of(found)
    assert hidden[:2] == expected[0]
    scale, offset = Fraction(5, 2), Fraction(-1, 4)
    assert last[0] == [[w * scale for w in row] for row in expected[1][0]]
    assert last[1] == [b * scale + offset for b in expected[1][1]]


@examples(100)
@given(st.integers(0, 10**6), st.booleans())
def test_dead_neurons_change_nothing(seed, clipped):
    model = random_model(seed, clipped)
    random = np.random.default_rng(seed)
    layers = [
        FloatLayer(layer.weights * (random.random(layer.weights.shape) < 0.4), layer.bias, layer.activation)
        for layer in model.layers
    ]
    sparse = FloatModel(tuple(layers))
    empty = with_dead_neurons_empty(sparse)
    points = random.random((30, model.inputs))
    assert empty.outputs(points) == pytest.approx(sparse.outputs(points), abs=1e-12)
    for layer, above in zip(empty.layers, empty.layers[1:], strict=False):
        is_used, is_constant = (above.weights != 0).any(axis=0), ~(layer.weights != 0).any(axis=1)
        assert not (is_used & is_constant).any()
        assert not layer.weights[~is_used].any()


@pytest.mark.parametrize(
    ("x", "digits", "up", "expected"),
    [
        (0.0, 2, False, "0"), (1.234, 2, False, "6/5"), (1.234, 2, True, "13/10"), (-1.234, 3, False, "-123/100"),
        (123.4, 2, False, "120"), (123.4, 2, True, "130"), (0.000123, 2, True, "13/100000"), (1.2, 2, True, "6/5"),
    ],
)  # fmt: skip
def test_short_numbers(x, digits, up, expected):
    assert str(short(x, digits, up)) == expected


@pytest.mark.parametrize("bias", [0.0, 1234.5, -0.0037, 0.99999, -7.0, 1e-9])
def test_a_constant_output_has_a_value_in_the_unit_interval(bias):
    layer = FloatLayer(np.zeros((1, 2)), np.array([bias]), "identity")
    votes = votes_of(FloatModel((layer,)), [0])
    [[value]] = votes.model.outputs(np.zeros((1, 2)))
    assert -1e-9 <= value <= 1
    assert value * float(votes.maps[0].scale) + float(votes.maps[0].offset) == pytest.approx(bias, abs=1e-12)
