"""Bounds of neurons, from Python: by every engine and method, around what is attained."""

import itertools

import pytest

import verimv
from verimv import InputError, Layer, Network
from verimv.core.choices import BOUND_ENGINES, METHODS
from verimv.exact import Rational

NETWORK = Network.of([Layer.of([[1, -1], [1, 1]], [0, -1], "relu"), Layer.of([[1, -1]], [0], "relu")])


@pytest.mark.parametrize("engine", BOUND_ENGINES)
def test_engines_agree(engine):
    found = verimv.bounds(NETWORK, engine=engine, method="exact")
    assert [[(bound.lower, bound.upper, bound.exact) for bound in layer] for layer in found.layers] == [
        [(-1, 1, True), (-1, 1, True)],
        [(-1, 1, True)],
    ]


@pytest.mark.parametrize("method", METHODS)
def test_no_point_is_outside(method):
    found = verimv.bounds(NETWORK, method=method)
    for point in itertools.product([Rational(i, 4) for i in range(5)], repeat=2):
        for values, bounds in zip(NETWORK.trace(point), found.layers, strict=True):
            assert all(bound.lower <= value <= bound.upper for value, bound in zip(values, bounds, strict=True))


def test_one_neuron():
    assert verimv.bounds(NETWORK, method="exact", neuron=(2, 0)).layers[1][0].exact


@pytest.mark.parametrize("wrong", [{"method": "guess"}, {"engine": "guess"}, {"engine": "smt", "method": "lp"}])
def test_malformed(wrong):
    with pytest.raises(InputError):
        verimv.bounds(NETWORK, **wrong)
