"""Outputs on halved boxes: what is proved is accepted by the kernel, and nothing is proved that is false."""

from dataclasses import replace

import numpy as np
import pytest

from tests.bounding.prove.test_box_walk import network_of
from tests.bounding.search.test_evidence import accepted
from verimv.bounding.by_solver import solver_bounds
from verimv.bounding.guess.box_floats import BoxFloats
from verimv.bounding.guess.floats import FloatNetwork
from verimv.bounding.prove.walk import value_at
from verimv.bounding.search.box_output import BoxSearch
from verimv.bounding.situation import LeafCase, SplitCase, SweepCase, Target
from verimv.core.effort import SECOND, Meter
from verimv.exact import ONE, Rational
from verimv.paper.experiments.families import random_network


def both_ends(network):
    """The exact range of each output, with the way: (index, way, largest way·output)."""
    last = solver_bounds(network).layers[-1]
    return [
        (i, way, way * (bound.upper if way > 0 else bound.lower)) for i, bound in enumerate(last) for way in (1, -1)
    ]


NETWORKS = [random_network((2, 4, 4, 1), 0, "float32"), random_network((3, 5, 3, 1), 1, "integer")]
NETWORKS += [network_of(np.random.default_rng(seed), act, (2, 3, 3, 1)) for seed, act in enumerate(("relu", "crelu"))]


@pytest.mark.parametrize("network", NETWORKS)
def test_goals_above_the_maximum_are_proved_and_others_refuted(network):
    for index, way, largest in both_ends(network):
        room = max(abs(largest), ONE) / 50
        goal = largest + room
        outcome = BoxSearch(network, index, way).run(goal, Meter(10 * SECOND))
        assert outcome.proves(goal)
        assert outcome.attained <= largest
        target = Target(len(network.layers), index, way, way * goal)
        assert accepted(network, target, outcome.cases)
        below = largest - room
        refused = BoxSearch(network, index, way).run(below, Meter(10 * SECOND))
        assert refused.value is None
        assert refused.attained > below
        assert way * value_at(network, len(network.layers), index, refused.point) == refused.attained
        assert not accepted(network, replace(target, value=way * below), outcome.cases)


def test_without_a_goal_more_work_gives_better_bounds():
    network = network_of(np.random.default_rng(1), "relu", (2, 6, 6, 1))
    largest = next(value for _, way, value in both_ends(network) if way > 0)
    values = []
    for work in (1, SECOND):
        outcome = BoxSearch(network, 0, 1).run(None, Meter(work))
        assert outcome.attained <= largest <= outcome.value
        assert accepted(network, Target(3, 0, 1, outcome.value), outcome.cases)
        values.append(outcome.value)
    assert values[1] < values[0]


def deep_outcome(activation="relu", seed=3):
    """A proof that needs splits and sweeps."""
    network = network_of(np.random.default_rng(seed), activation, (2, 6, 6, 6, 1))
    loose = BoxSearch(network, 0, 1).run(None, Meter(1))
    goal = loose.attained + (loose.value - loose.attained) / 8
    return network, goal, BoxSearch(network, 0, 1).run(goal, Meter(10 * SECOND))


@pytest.mark.parametrize(("activation", "seed"), [("relu", 3), ("crelu", 1)])
def test_the_kernel_rejects_a_proof_that_was_changed(activation, seed):
    network, goal, outcome = deep_outcome(activation, seed)
    target = Target(4, 0, 1, goal)
    assert outcome.proves(goal)
    assert accepted(network, target, outcome.cases)
    kinds = [type(case) for case in outcome.cases]
    assert kinds.count(LeafCase) == kinds.count(SweepCase) == kinds.count(SplitCase) + 1
    assert kinds.count(LeafCase) == outcome.statistics.leaves > 1
    assert not accepted(network, target, outcome.cases[:-1])
    assert not accepted(network, target, [case for case in outcome.cases if not isinstance(case, SweepCase)])
    assert not accepted(network, replace(target, value=outcome.attained - ONE), outcome.cases)


def test_the_same_cases_each_time():
    assert deep_outcome()[2].cases == deep_outcome()[2].cases


@pytest.mark.parametrize("activation", ["relu", "crelu"])
def test_sums_do_not_depend_on_their_order(activation):
    """Neurons in another order, boxes alone or among others: bit for bit the same bounds."""
    source = np.random.default_rng(7)
    network = network_of(source, activation, (3, 17, 13, 1))
    layers = FloatNetwork(network, {}).layers
    order = source.permutation(17)
    mixed = [
        replace(layers[0], weights=layers[0].weights[order], bias=layers[0].bias[order]),
        replace(layers[1], weights=layers[1].weights[:, order]),
        layers[2],
    ]
    low = source.integers(0, 8, (9, 3)) / 8
    high = low + 1 / 8
    guesses = []
    known = [(np.full(len(layer.bias), -np.inf), np.full(len(layer.bias), np.inf)) for layer in layers]
    row, constant = layers[2].weights, np.array([0.5])
    for found in (layers, mixed):
        guesses.append(BoxFloats(found[:2], known[:2]).guess(row, constant, low, high))
    assert (guesses[0].upper == guesses[1].upper).all()
    one = BoxFloats(layers[:2], known[:2]).guess(row, constant, low[4:5], high[4:5])
    assert one.upper[0] == guesses[0].upper[4]


def test_too_little_work_proves_nothing_but_says_what_was_seen():
    network = NETWORKS[0]
    index, way, largest = both_ends(network)[0]
    outcome = BoxSearch(network, index, way).run(largest + Rational(1, 10**6), Meter(1))
    assert outcome.value is None
    assert outcome.attained <= largest


def test_known_bounds_are_used():
    """Exact bounds of hidden neurons on the whole cube count as those of `bound` lines before."""
    network = network_of(np.random.default_rng(1), "relu", (2, 6, 6, 1))
    without = BoxSearch(network, 0, 1).run(None, Meter(1))
    hidden = solver_bounds(network).layers[1]
    known = {(2, i): (bound.lower, bound.upper) for i, bound in enumerate(hidden)}
    assert BoxSearch(network, 0, 1, known).run(None, Meter(1)).value < without.value
