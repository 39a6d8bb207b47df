"""Boxes with differences of neurons: bounds are above the true distance, and goals above it are reached."""

import math
from dataclasses import replace
from fractions import Fraction

import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from tests.bounding.search.test_far_point import distances
from tests.effort import scaled
from verimv.bounding.search.change_search import ChangeSearch, can_be_searched
from verimv.core.effort import SECOND, Meter
from verimv.exact import Rational
from verimv.networks.network import Layer, Network

SHIFTS = (Fraction(1, 8), Fraction(1, 64), Fraction(1, 4096))


def goals(distance, factor):
    return [Rational(str(distance * factor))] * 2


@pytest.mark.parametrize("seed", range(scaled(6)))
def test_a_goal_above_the_distance_is_reached_and_one_below_is_not(seed):
    a, b = random_pair(seed, SHIFTS[seed % 3])
    largest = distances(a, b)
    search = ChangeSearch(a, b)
    assert search.run(goals(max(largest), Fraction(5, 4)), Meter(20 * SECOND))
    assert all(
        most <= upper <= max(largest) * Fraction(5, 4) for most, upper in zip(largest, search.upper, strict=True)
    )
    assert not search.run(goals(max(largest), Fraction(7, 8)), Meter(SECOND // 4))
    assert all(most <= upper for most, upper in zip(largest, search.upper, strict=True))
    volumes = [math.prod(Fraction(float(x)) for x in box.high - box.low) for box in search.leaves]
    assert sum(volumes) == 1  # boxes cover the cube


def test_bounds_only_improve_and_are_true_all_the_time():
    a, b = random_pair(1, Fraction(1, 64))
    largest, search, before = distances(a, b), ChangeSearch(a, b), None
    for _ in range(6):
        search.run(goals(max(largest), Fraction(9, 8)), Meter(1))  # a batch of boxes
        assert all(most <= upper for most, upper in zip(largest, search.upper, strict=True))
        assert before is None or all(new <= old for new, old in zip(search.upper, before, strict=True))
        before = search.upper


def test_the_same_search_has_the_same_result():
    a, b = random_pair(2, Fraction(1, 64))
    results = []
    for _ in range(2):
        search = ChangeSearch(a, b)
        search.run(goals(max(distances(a, b)), Fraction(9, 8)), Meter(SECOND))
        results.append((search.upper, search.bounded, search.point))
    assert results[0] == results[1]


def test_boxes_become_narrow_and_are_left_open():
    """ρ(x) against ρ(x + 1/1000): no box around the kink is closed for a goal just below the distance."""
    nets = [Network.of([Layer.of([[1], [-1]], [b, 0], "relu"), Layer.of([[1, 1]], [0], "identity")])
            for b in (0, Fraction(1, 1000))]  # fmt: skip
    search = ChangeSearch(*nets)
    assert not search.run([Rational(999, 10**6)], Meter(20 * SECOND))
    assert search.upper[0] >= Rational(1, 1000)


@pytest.mark.parametrize("scale", [Fraction(10) ** 400, Fraction(1, 10**400)])
def test_numbers_beyond_floats_are_no_trap(scale):
    a, b = random_pair(0, Fraction(1, 8))
    first = Layer.of([[scale * w for w in row.dense(3)] for row in a.layers[0].rows], [0] * 5, "relu")
    odd = replace(a, layers=(first, *a.layers[1:]))
    if can_be_searched(odd, b):
        search = ChangeSearch(odd, b)
        search.run([Rational(1)] * 2, Meter(1))
        assert all(most <= upper for most, upper in zip(distances(odd, b), search.upper, strict=True))
    else:
        assert scale > 1
