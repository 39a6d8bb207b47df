"""Ranges that were not found exactly become smaller, and stay true."""

import numpy as np

from tests.bounding.prove.test_box_walk import network_of
from verimv.bounding.by_solver import solver_bounds
from verimv.bounding.interval import interval_bounds
from verimv.bounding.search.box_ranges import tightened_ranges
from verimv.bounding.search.output_range import prove_ranges
from verimv.certificate.from_ranges import certify_range
from verimv.core.effort import NEVER, SECOND, Deadline
from verimv.solvers.functions import Function
from verimv.solvers.optimise import FunctionRange, Optimum

NETWORK = network_of(np.random.default_rng(1), "relu", (2, 6, 6, 1))


def loose():
    """The range by intervals, attained at a corner only."""
    bound = interval_bounds(NETWORK).layers[-1][0]
    point = (0, 0)
    value = Function(NETWORK).at(point)[0]
    return FunctionRange(NETWORK.outputs[0], Optimum(-value, point, -bound.lower), Optimum(value, point, bound.upper))


def test_loose_ends_become_tighter():
    (old,), (new,) = [loose()], tightened_ranges(NETWORK, [loose()], NEVER, 2 * SECOND)
    exact = solver_bounds(NETWORK).layers[-1][0]
    assert new.upper.value <= exact.upper <= new.upper.upper < old.upper.upper
    assert new.lower.value <= -exact.lower <= new.lower.upper < old.lower.upper
    assert new.upper.value >= old.upper.value
    assert Function(NETWORK).at(new.upper.point)[0] == new.upper.value


def test_exact_ends_stay_and_so_does_everything_without_time():
    old = loose()
    exact = FunctionRange(old.output, Optimum(old.lower.value, old.lower.point, old.lower.value), old.upper)
    assert tightened_ranges(NETWORK, [exact], NEVER, SECOND)[0].lower == exact.lower
    assert tightened_ranges(NETWORK, [old], Deadline(0), SECOND) == [old]


def test_a_tighter_range_is_certified_and_a_false_one_is_not():
    (new,) = tightened_ranges(NETWORK, [loose()], NEVER, 2 * SECOND)
    ends = (-new.lower.upper, new.upper.upper)
    assert prove_ranges(NETWORK, [ends], 20 * SECOND, NEVER) is not None
    assert certify_range(NETWORK, [ends]) is not None
    false = (ends[0], new.upper.value - 1)
    assert prove_ranges(NETWORK, [false], 2 * SECOND, NEVER) is None
