"""Is some output above 0 everywhere? Against exact ranges; and what is found is certified."""

from dataclasses import replace

import numpy as np
import pytest

from tests.bounding.prove.test_box_walk import network_of
from tests.effort import scaled
from verimv.bounding.by_solver import solver_bounds
from verimv.bounding.search.box_conflict import ConflictSearch
from verimv.certificate.from_ranges import certify_conflict
from verimv.core.effort import SECOND, Deadline, Meter
from verimv.core.errors import Undecided
from verimv.exact import ONE, Rational
from verimv.networks.network import Network
from verimv.networks.transforms.truth_value import with_truth_value


def raised(network, amount):
    """The network with a number added to all outputs."""
    last = network.layers[-1]
    rows = tuple(row.shifted(amount) for row in last.rows)
    return replace(network, layers=(*network.layers[:-1], replace(last, rows=rows)))


def least_of_largest(network):
    """The least value of the largest of two outputs: max(a, b) = a + ρ(b − a)."""
    last = network.layers[-1]
    a, b = last.rows
    rows = (a.shifted(10**6), b + -a)  # the first one is positive
    top = type(last).of([[1, 1]], [-(10**6)], "identity")
    layers = (*network.layers[:-1], replace(last, rows=rows, activation="relu"), top)
    return solver_bounds(Network.of(layers)).layers[-1][0].lower


@pytest.mark.parametrize("seed", range(scaled(6)))
def test_one_output_is_above_zero_just_if_the_least_maximum_is(seed):
    network = network_of(np.random.default_rng(seed), ("relu", "crelu")[seed % 2], (2, 4, 3, 2))
    least = least_of_largest(network)
    room = Rational(1, 16)
    holds = ConflictSearch(raised(network, room - least), Meter(60 * SECOND)).run()
    assert holds.verdict == "holds"
    assert holds.threshold > 0
    assert 0 < holds.bound <= room <= holds.value
    certificate = certify_conflict(raised(network, room - least), holds)
    assert certificate.judge().status == "valid"
    false = replace(holds, threshold=100 * ONE)
    assert certify_conflict(raised(network, room - least), false).judge().status != "valid"
    violated = ConflictSearch(raised(network, -room - least), Meter(60 * SECOND)).run()
    assert violated.verdict == "violated"
    assert violated.value == max(raised(network, -room - least).at(violated.point)) <= 0


def test_a_border_that_is_touched_is_violated_or_undecided():
    network = network_of(np.random.default_rng(2), "relu", (2, 4, 3, 2))
    found = ConflictSearch(raised(network, -least_of_largest(network)), Meter(SECOND)).run()
    assert found.verdict != "holds"
    assert found.bound <= 0 <= found.value


def test_the_truth_value_is_one_where_an_output_is_large_enough():
    network = network_of(np.random.default_rng(3), "relu", (2, 4, 3, 2))
    value = with_truth_value(network, Rational(1, 4))
    for point in ([0, 0], [1, 0], [Rational(1, 3), 1], [Rational(1, 2), Rational(1, 2)]):
        total = sum(max(x, 0) for x in network.at(point))
        assert value.at(point) == [min(ONE, 4 * total)]


def test_the_same_answer_with_two_workers_and_none_at_the_deadline():
    network = network_of(np.random.default_rng(4), "relu", (2, 6, 4, 2))
    moved = raised(network, Rational(1, 8) - least_of_largest(network))
    one, two = (ConflictSearch(moved, Meter(60 * SECOND), workers).run() for workers in (1, 2))
    assert one == two
    assert one.verdict == "holds"
    with pytest.raises(Undecided):
        ConflictSearch(moved, Meter(60 * SECOND, Deadline(0))).run()


def test_a_point_that_is_hardly_above_zero_ends_the_search():
    network = network_of(np.random.default_rng(2), "relu", (2, 4, 3, 2))
    found = ConflictSearch(raised(network, Rational(1, 2**40) - least_of_largest(network)), Meter(20 * SECOND)).run()
    assert found.verdict in ("undecided", "holds")
