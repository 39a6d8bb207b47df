"""Evidence for bounds: the kernel accepts what is proved, and nothing is proved that is false."""

import random

import pytest

from tests.certificate.judged import checker_of
from tests.certificate.tamper import random_network as any_network
from verimv.bounding.by_solver import solver_bounds
from verimv.bounding.search.evidence import prove_bound
from verimv.bounding.situation import Target
from verimv.bounding.univariate import univariate_bounds
from verimv.certificate.numbering import Numbering, case_words
from verimv.core.effort import SECOND, Meter
from verimv.exact import Rational, format_number, parse_number
from verimv.kernels.verdicts import rejection
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.paper.experiments.families import random_network, shallow_sawtooth


def accepted(network: Network, target: Target, cases) -> bool:
    """Whether the kernel finds the bound proved (and not merely assumed)."""
    checker = checker_of(network="".join(write_network(network)))
    side = "high" if target.way > 0 else "low"
    line = [
        "bound",
        target.layer,
        target.index,
        side,
        format_number(target.value),
        *case_words(Numbering(network).numbered(cases)),
    ]
    return rejection(lambda: checker.follow(line)) is None and checker.assumed == 0


def check_bounds(network, bounds):
    for depth, layer in enumerate(bounds.layers, start=1):
        for index, bound in enumerate(layer):
            for way, value in ((1, bound.upper), (-1, bound.lower)):
                target = Target(depth, index, way, value)
                cases = prove_bound(network, target, {}, Meter(30 * SECOND))
                assert cases is not None, target
                assert accepted(network, target, cases), target
                sharper = Target(depth, index, way, value - Rational(way, 1000))
                assert prove_bound(network, sharper, {}, Meter(SECOND)) is None, "an exact bound cannot be improved"
                assert not accepted(network, sharper, cases)


@pytest.mark.parametrize("seed", range(6))
def test_exact_bounds_of_small_networks(seed):
    network = random_network((2, 3, 2, 1), seed, ("integer", "float32")[seed % 2])
    check_bounds(network, solver_bounds(network))


def test_one_input():
    network = shallow_sawtooth(3)
    check_bounds(network, univariate_bounds(network))


@pytest.mark.parametrize("seed", range(30))
def test_interval_bounds_of_any_network(seed):
    """All activations, irrational weights: what intervals prove, multipliers 0 prove."""
    network = to_unit_cube(any_network(random.Random(seed)))
    ranges = network.box
    for depth, layer in enumerate(network.layers, start=1):
        found = [row.range_over(ranges) for row in layer.rows]
        for index, (low, high) in enumerate(found):
            for way, value in ((1, high), (-1, low)):
                target = Target(depth, index, way, value)
                cases = prove_bound(network, target, {}, Meter(30 * SECOND))
                assert cases is not None
                assert accepted(network, target, cases)
        ranges = [tuple(_activated(layer.activation, end) for end in ends) for ends in found]


def _activated(activation, value):
    if activation == "identity":
        return value
    value = max(value, Rational(0))
    return min(value, Rational(1)) if activation == "crelu" else value


def test_known_bounds_are_used():
    network = random_network((2, 3, 2, 1), 1, "integer")
    known = {(1, 0): (None, Rational(0))}  # a lie, to see that it counts
    target = Target(2, 0, 1, network.layers[1].rows[0].range_over([(Rational(0), Rational(100))] * 3)[1])
    assert prove_bound(network, target, known, Meter(5 * SECOND)) is not None


def test_irrational_weights_too_large_for_a_float():
    """|w·(x − y)| ≤ w needs multipliers, found near the square root and checked exactly."""
    w = parse_number("sqrt(2)*1" + "0" * 400)
    network = Network.of([Layer.of([[w, -w], [-w, w]], [0, 0]), Layer.of([[1, 1]], [0], "identity")])
    target = Target(2, 0, 1, w + Rational(10) ** 390)
    cases = prove_bound(network, target, {}, Meter(30 * SECOND))
    assert cases is not None
    assert accepted(network, target, cases)


def test_time_is_kept():
    network = random_network((5, 20, 20, 1), 1)
    assert prove_bound(network, Target(3, 0, 1, Rational(-(10**6))), {}, Meter(SECOND // 2)) is None
