"""Bounds of neurons, from Python: by every engine and method, around what is attained."""

import itertools

import pytest

import verimv
from verimv import InputError, Layer, Network, Undecided
from verimv.core.choices import BOUND_ENGINES, METHODS
from verimv.exact import Rational
from verimv.paper.experiments.families import random_network

#: |x − y| and 2·|x − y| − 1: intervals do not see that only one of the hidden neurons is active.
NETWORK = Network.of([Layer.of([[1, -1], [-1, 1]], [0, 0], "relu"), Layer.of([[1, 1], [2, 2]], [0, -1], "identity")])


@pytest.mark.parametrize("engine", BOUND_ENGINES)
def test_engines_agree(engine):
    found = verimv.bounds(NETWORK, engine=engine, method="exact")
    assert [[(bound.lower, bound.upper, bound.exact) for bound in layer] for layer in found.layers] == [
        [(-1, 1, True), (-1, 1, True)],
        [(0, 1, True), (-1, 1, True)],
    ]
    assert [bound.upper for bound in verimv.bounds(NETWORK, method="interval").layers[1]] == [2, 3]


@pytest.mark.parametrize("method", METHODS)
def test_no_point_is_outside(method):
    found = verimv.bounds(NETWORK, method=method)
    for point in itertools.product([Rational(i, 4) for i in range(5)], repeat=2):
        for values, bounds in zip(NETWORK.trace(point), found.layers, strict=True):
            assert all(bound.lower <= value <= bound.upper for value, bound in zip(values, bounds, strict=True))


def test_one_neuron():
    chosen, other = verimv.bounds(NETWORK, method="exact", neuron=(2, 0)).layers[1]
    assert (chosen.lower, chosen.upper, chosen.exact) == (0, 1, True)
    assert other.upper == 3


def test_out_of_time():
    with pytest.raises(Undecided):
        verimv.bounds(random_network((4, 12, 12, 1), 3), method="exact", seconds=0)


@pytest.mark.parametrize(
    "wrong",
    [
        {"method": "guess"},
        {"engine": "guess"},
        {"solver": "guess"},
        {"engine": "smt", "method": "lp"},
        *({"neuron": neuron} for neuron in ((0, 0), (3, 0), (2, 2), (1, -1))),
    ],
)
def test_malformed(wrong):
    with pytest.raises(InputError):
        verimv.bounds(NETWORK, **wrong)
