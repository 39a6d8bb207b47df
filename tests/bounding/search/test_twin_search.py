"""The search over differences of neurons: proved bounds, near the true distance, that improve with work."""

from fractions import Fraction

import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from tests.bounding.search.test_far_point import distances
from verimv.bounding.prove.twin_walk import TwinSlopes, TwinWalk
from verimv.bounding.search.twin_search import TwinLeaf, TwinSearch, TwinSplitCase
from verimv.core.effort import SECOND, Deadline, Meter
from verimv.exact import ZERO, Rational

PAIRS = [random_pair(seed, Fraction(1, 64), activation) for seed in range(3) for activation in ("relu", "crelu")]


@pytest.mark.parametrize("pair", PAIRS)
def test_the_bound_is_above_the_distance_and_close_to_it(pair):
    a, b = pair
    largest = distances(a, b)
    search = TwinSearch(a, b, Meter(60 * SECOND))
    is_clipped = a.layers[0].activation == "crelu"  # with two kinks each, phases are many
    for k, most in enumerate(largest):
        goal = most * Fraction(5, 4)
        value = max(search.run(k, way, goal, SECOND if is_clipped else 6 * SECOND).value for way in (1, -1))
        assert most <= value
        assert value <= goal or is_clipped


def test_more_work_goes_on_where_it_stopped():
    a, b = PAIRS[0]
    search = TwinSearch(a, b, Meter(60 * SECOND))
    first = search.run(0, 1, ZERO, 0)
    second = search.run(0, 1, ZERO, SECOND // 5)
    third = search.run(0, 1, ZERO, SECOND // 5)
    assert first.nodes == 0 < second.nodes < third.nodes
    assert third.value <= second.value <= first.value
    again = TwinSearch(a, b, Meter(60 * SECOND)).run(0, 1, ZERO, SECOND // 5)
    assert (again.value, again.cases) == (second.value, second.cases)


def test_when_the_time_is_over_there_is_a_bound():
    a, b = PAIRS[1]
    search = TwinSearch(a, b, Meter(60 * SECOND))
    search.meter.deadline = Deadline(0)
    assert search.run(0, 1, ZERO, 60 * SECOND).value >= distances(a, b)[0] * 0


@pytest.mark.parametrize("pair", PAIRS[:4])
def test_the_cases_prove_the_bound(pair):
    """Each leaf is evaluated again from its multipliers alone, in the order in which a certificate lists them."""
    a, b = pair
    search = TwinSearch(a, b, Meter(60 * SECOND))
    found = search.run(0, 1, max(distances(a, b)) * Fraction(11, 10), SECOND)
    walk = TwinWalk(a, b)
    for lemma in search.lemmas:
        low, high = walk.known.get(lemma.place, (None, None))
        walk.learn(lemma.place, (low, lemma.value) if lemma.way > 0 else (lemma.value, high))
    pending, leaves = [{}], 0
    for case in found.cases:
        cuts = pending.pop()
        if isinstance(case, TwinSplitCase):
            low, high = cuts.get(case.place, (None, None))
            pending += [{**cuts, case.place: (case.point, high)}, {**cuts, case.place: (low, case.point)}]
            continue
        assert isinstance(case, TwinLeaf)
        leaves += 1
        ranges = walk.ranges(a.box, cuts, 2)
        if ranges is not None:
            assert walk.bound(2, walk.row("d", 2, 0, -1), a.box, ranges, slopes(case, ranges)) <= found.value
    assert not pending
    assert leaves == (len(found.cases) + 1) // 2


def slopes(leaf, ranges):
    if not leaf.multipliers:
        return None
    rest = list(leaf.multipliers)
    value, change, argument = ([[Rational(0)] * len(found.z[0]) for found in ranges] for _ in range(3))
    for depth in (1, 0):
        for i in reversed(range(len(ranges[depth].z[0]))):
            if ranges[depth].change_bends[i]:
                change[depth][i], argument[depth][i] = rest.pop(0), rest.pop(0)
    for depth in (1, 0):
        for i in reversed(range(len(ranges[depth].z[0]))):
            if ranges[depth].value_bends[i]:
                value[depth][i] = rest.pop(0)
    assert not rest
    return TwinSlopes(value, change, argument)
