"""The search over differences of neurons: proved bounds, near the true distance, that improve with work."""

from fractions import Fraction

import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from tests.bounding.search.test_far_point import distances
from verimv.bounding.search.twin_map import twins_of
from verimv.bounding.search.twin_search import TwinSearch
from verimv.certificate.from_ranges import certify_evidence
from verimv.core.effort import SECOND, Deadline
from verimv.core.errors import Undecided
from verimv.exact import ZERO

PAIRS = [random_pair(seed, Fraction(1, 64), activation) for seed in range(3) for activation in ("relu", "crelu")]


def search_of(a, b):
    return TwinSearch(a, b, twins_of(a, b))


@pytest.mark.parametrize("pair", PAIRS)
def test_the_bound_is_above_the_distance_and_close_to_it(pair):
    a, b = pair
    largest = distances(a, b)
    search = search_of(a, b)
    is_clipped = a.layers[0].activation == "crelu"  # with two kinks each, phases are many
    for k, most in enumerate(largest):
        goal = most * Fraction(5, 4)
        value = max(search.run(k, way, goal, SECOND if is_clipped else 6 * SECOND).value for way in (1, -1))
        assert most <= value
        assert value <= goal or is_clipped


def test_more_work_goes_on_where_it_stopped():
    a, b = PAIRS[0]
    search = search_of(a, b)
    first = search.run(0, 1, ZERO, 0)
    counts = [search.nodes(0, 1)]
    second = search.run(0, 1, ZERO, SECOND // 5)
    counts.append(search.nodes(0, 1))
    third = search.run(0, 1, ZERO, SECOND // 5)
    counts.append(search.nodes(0, 1))
    assert counts[0] == 0 < counts[1] < counts[2]
    assert third.value <= second.value <= first.value
    again = search_of(a, b).run(0, 1, ZERO, SECOND // 5)
    assert (again.value, again.cases) == (second.value, second.cases)


@pytest.mark.parametrize("pair", PAIRS[::2])
def test_a_lower_goal_opens_parts_that_were_closed(pair):
    a, b = pair
    search, most = search_of(a, b), distances(a, b)[0]
    values = []
    for factor in (4, Fraction(3, 2), Fraction(9, 8)):
        goal = most * Fraction(factor)
        values.append(max(search.run(0, way, goal, 6 * SECOND).value for way in (1, -1)))
        assert most <= values[-1] <= goal
    certificate = certify_evidence(a, b, search.evidence())
    assert certificate is not None


def test_when_the_time_is_over_there_is_what_was_proved():
    a, b = PAIRS[1]
    search = search_of(a, b)
    before = search.upper
    search.deadline = Deadline(0)
    with pytest.raises(Undecided):
        search.run(0, 1, ZERO, 60 * SECOND)
    assert search.upper == before


@pytest.mark.parametrize("pair", PAIRS[:4])
def test_the_kernel_accepts_the_evidence(pair):
    a, b = pair
    search = search_of(a, b)
    for way in (1, -1):
        search.run(0, way, max(distances(a, b)) * Fraction(11, 10), SECOND)
    certificate = certify_evidence(a, b, search.evidence())
    assert certificate is not None
    assert len(certificate.judgement.statement) == 2
