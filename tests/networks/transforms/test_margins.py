"""Margins of linear conditions, against exact evaluation at random points and at borders."""

import random

import pytest

from tests.effort import scaled
from tests.oracle import build_network, network_value
from verimv.bounding.interval import interval_bounds
from verimv.exact import Rational
from verimv.networks.affine import Affine
from verimv.networks.transforms.margins import margin_network


def random_network(rng, inputs, outputs):
    spec, width = [], inputs
    depth = rng.randint(1, 3)
    for level in range(depth):
        rows = outputs if level + 1 == depth else rng.randint(1, 4)
        spec.append((
            [[Rational(rng.randint(-3, 3), rng.choice([1, 2])) for _ in range(width)] for _ in range(rows)],
            [Rational(rng.randint(-3, 3), 2) for _ in range(rows)], rng.choice(["relu", "relu", "crelu", "identity"]),
        ))  # fmt: skip
        width = rows
    return spec


def random_form(rng, count):
    return Affine([(j, Rational(rng.randint(-2, 2))) for j in range(count)], Rational(rng.randint(-2, 2), 2))


@pytest.mark.parametrize("seed", range(scaled(60)))
def test_the_margin_is_what_it_says(seed):
    rng = random.Random(seed)
    inputs, outputs = rng.randint(1, 3), rng.randint(1, 3)
    spec = random_network(rng, inputs, outputs)
    lows = [Rational(rng.randint(-4, 2), 2) for _ in range(inputs)]
    box = tuple((low, low + Rational(rng.randint(0, 6), 2)) for low in lows)
    network = build_network(spec)
    network = type(network)(network.layers, network.inputs, box, network.outputs)
    forms = [random_form(rng, inputs + outputs) for _ in range(rng.randint(1, 6))]
    penalised = [random_form(rng, inputs + outputs) for _ in range(rng.choice([0, 0, 1, 2, 5]))]
    weight = Rational(rng.randint(1, 8), 2)
    found = margin_network(network, forms, penalised, weight)
    assert (found.inputs, found.box, found.outputs) == (network.inputs, box, ("margin",))
    for _ in range(30):
        point = [low + (high - low) * Rational(rng.choice([0, 4, rng.randint(0, 4)]), 4) for low, high in box]
        values = [*point, *network_value(spec, point)]
        expected = max(form(values) for form in forms)
        if penalised:
            expected += weight * max(0, *(form(values) for form in penalised))
        assert found.at(point) == [expected]


def test_a_single_condition_adds_no_layer_and_passing_on_is_always_active():
    network = build_network([([[1, -1], [2, 1]], [0, 1], "relu"), ([[1, 1], [1, -2]], [0, 0], "identity")])
    one = margin_network(network, [Affine([(2, Rational(1)), (3, Rational(-1))])])
    assert [len(layer.rows) for layer in one.layers] == [2, 1]
    several = margin_network(network, [Affine([(j, Rational(1))]) for j in range(4)])
    assert [len(layer.rows) for layer in several.layers] == [4, 4, 2, 1]
    bounds = interval_bounds(several).layers
    assert all(bound.lower >= 0 for bound in bounds[0][2:]), "inputs"
    assert all(bound.lower >= 0 for bound in (bounds[1][0], bounds[1][2], bounds[2][0])), "first operands"


def test_conditions_on_inputs_need_no_neuron():
    network = build_network([([[1, -1], [2, 1]], [0, 1], "relu"), ([[1, 1], [1, -2]], [0, 0], "identity")])
    found = margin_network(network, [Affine([(1, Rational(2))], Rational(-1))])
    assert [len(layer.rows) for layer in found.layers] == [1]
    assert found.at([Rational(0), Rational(1)]) == [1]
