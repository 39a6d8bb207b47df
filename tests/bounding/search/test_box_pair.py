"""The difference of two networks on halved boxes: above the true distance, near it, and accepted by the kernel."""

from fractions import Fraction

import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from tests.bounding.search.test_far_point import distances
from verimv.bounding.search.box_pair import bound_pair_on_boxes
from verimv.certificate.from_ranges import certify_evidence
from verimv.core.effort import NEVER, SECOND
from verimv.exact import Rational

PAIRS = [random_pair(0, Fraction(1, 8), "relu"), random_pair(2, Fraction(1, 8), "relu")]
PAIRS += [random_pair(0, Fraction(1, 8), "crelu")]


@pytest.mark.parametrize("pair", PAIRS)
def test_a_goal_above_the_distance_is_proved_and_one_below_is_not(pair):
    a, b = pair
    largest = max(distances(a, b))
    goal = Rational(str(largest * Fraction(9, 8)))
    found, _ = bound_pair_on_boxes(a, b, goal, 20 * SECOND, NEVER)
    assert found is not None
    assert max(found.upper) <= goal
    certificate = certify_evidence(a, b, found.evidence)
    assert certificate is not None
    below = Rational(str(largest * Fraction(7, 8)))
    none, points = bound_pair_on_boxes(a, b, below, 20 * SECOND, NEVER)
    assert none is None
    assert points
    assert certify_evidence(a, b, found.evidence.loosened(below)) is None  # the same cases do not prove less


def test_without_a_goal_every_output_has_a_bound():
    a, b = PAIRS[0]
    found, _ = bound_pair_on_boxes(a, b, None, 2 * SECOND, NEVER)
    assert found is not None
    for upper, most in zip(found.upper, distances(a, b), strict=True):
        assert most <= Fraction(str(upper)) <= most * 4 + 1
    assert certify_evidence(a, b, found.evidence) is not None


def test_networks_of_other_shapes_are_left_to_others():
    a, _ = PAIRS[0]
    assert bound_pair_on_boxes(a, random_pair(0, Fraction(1, 8), "crelu")[0], None, SECOND, NEVER) == (None, [])
