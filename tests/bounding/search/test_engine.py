"""Certified bounds: equal to the enumeration of linear regions, attained, and proved to a second reader."""

from dataclasses import replace
from fractions import Fraction
from itertools import pairwise

import pytest
from hypothesis import given, settings

from tests.bounding.checker import Wrong, check_bound
from tests.oracle import build_network, exact_range, integers, network_value, rationals, specs
from verimv.bounding.by_solver import solver_bounds
from verimv.bounding.interval import interval_bounds
from verimv.bounding.search.engine import TIGHTENING, SearchEffort, certified_bounds
from verimv.bounding.situation import LeafCase
from verimv.core.errors import InputError
from verimv.exact import Rational, ceil, floor
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.paper.experiments.families import random_network


def check_evidence(network, bounds) -> int:
    """Every bound that is not plain from intervals, with the lemmas below it; returns how many there are."""
    unit, count = to_unit_cube(network), 0
    for layer, rows in enumerate(bounds.layers, start=1):
        known = bounds.known(layer)
        for index, bound in enumerate(rows):
            for target, cases in bound.lemmas(layer, index):
                check_bound(unit, layer, index, target.way, target.value, cases, known)
                count += 1
            ends = interval_ends(unit, layer, index, known)
            assert bound.lower_cases is not None or bound.lower <= ends[0]
            assert bound.upper_cases is not None or bound.upper >= ends[1]
    return count


def interval_ends(network, layer, index, known):
    ranges = list(network.box)
    for depth, current in enumerate(network.layers[:layer], start=1):
        found = []
        for i, row in enumerate(current.rows):
            low, high = row.range_over(ranges)
            lower, upper = known.get((depth, i), (None, None))
            found.append((low if lower is None else max(low, lower), high if upper is None else min(high, upper)))
        ranges = [tuple(max(end, Rational(0)) if current.activation != "identity" else end for end in r) for r in found]
        if current.activation == "crelu":
            ranges = [tuple(min(end, Rational(1)) for end in r) for r in ranges]
    return found[index]


@settings(max_examples=40, deadline=None)
@given(specs(integers, max_inputs=2, max_layers=3))
def test_exact_bounds_are_those_of_the_linear_regions(spec):
    check_against_regions(spec)


@settings(max_examples=20, deadline=None)
@given(specs(rationals, max_inputs=2, max_layers=3))
def test_exact_bounds_with_rational_weights(spec):
    check_against_regions(spec)


def check_against_regions(spec):
    network = build_network(spec)
    bounds = certified_bounds(network, SearchEffort("exact"))
    dimension = len(spec[0][0][0])
    for depth, (weights, bias, _) in enumerate(spec):
        for index in range(len(weights)):
            head = [*spec[:depth], ([weights[index]], [bias[index]], "identity")]
            bound = bounds.get(depth, index)
            assert (bound.lower, bound.upper) == exact_range(head, dimension)
            assert bound.exact
            for at, value in ((bound.lower_at, bound.lower), (bound.upper_at, bound.upper)):
                assert network_value(head, [Fraction(str(x)) for x in at]) == [value]
    check_evidence(network, bounds)


@pytest.mark.parametrize(("widths", "kind"), [((3, 6, 5, 2), "integer"), ((3, 10, 6, 4, 1), "float32")])
def test_each_method_tightens_the_last(widths, kind):
    network = random_network(widths, 7, kind)
    found = [certified_bounds(network, SearchEffort(method)) for method in TIGHTENING]
    assert check_evidence(network, found[1]) > 0
    for bounds in found:
        check_evidence(network, bounds)
    widest = [[bound.upper - bound.lower for bound in bounds.layers[1]] for bounds in found]
    for loose, tight in pairwise(widest):
        assert all(b <= a for a, b in zip(loose, tight, strict=True))
        assert sum(tight) < sum(loose)
    assert found[-1].counts() == {"exact": sum(widths[1:]), "improved": 0, "interval": 0}


def test_equal_to_z3():
    for seed, kind in ((1, "integer"), (2, "float32"), (3, "integer")):
        network = random_network((2, 4, 3, 1), seed, kind)
        own, others = certified_bounds(network, SearchEffort("exact")), solver_bounds(network)
        for rows, other_rows in zip(own.layers, others.layers, strict=True):
            assert [(b.lower, b.upper) for b in rows] == [(b.lower, b.upper) for b in other_rows]


def test_integer_ends_are_the_next_ones_where_step_1_needs_them():
    network = random_network((3, 8, 6, 2), 4)
    exact = certified_bounds(network, SearchEffort("exact")).layers[1]
    whole = certified_bounds(network, SearchEffort("exact", integer_ends=True))
    check_evidence(network, whole)
    for tight, bound in zip(exact, whole.layers[1], strict=True):
        if tight.upper > 0:
            assert ceil(bound.upper) == ceil(tight.upper)
        if tight.lower > 0:
            assert floor(bound.lower) == floor(tight.lower)


def test_other_boxes_are_reported_in_their_own_points():
    network = build_network([([[1, 1], [1, -1]], [0, 0], "relu"), ([[1, -2]], [1], "relu")])
    network = Network.of(network.layers, None, [["-1", "2"], ["0", "3"]])
    bounds = certified_bounds(network, SearchEffort("exact"))
    assert [(b.lower, b.upper) for b in bounds.layers[0]] == [(-1, 5), (-4, 2)]
    assert [(b.lower, b.upper) for b in bounds.layers[1]] == [(-1, 6)]
    bound = bounds.layers[1][0]
    assert network.trace(bound.upper_at)[1] == [6]
    assert network.trace(bound.lower_at)[1] == [-1]


@pytest.mark.parametrize("nodes", [0, 1, 3, 8])
def test_an_unfinished_search_keeps_what_is_proved(nodes):
    network = random_network((4, 12, 12, 1), 3)
    bounds = certified_bounds(network, SearchEffort("exact", nodes=nodes))
    exact = certified_bounds(network, SearchEffort("exact"))
    check_evidence(network, bounds)
    assert bounds.counts()["improved"] > 0
    for rows, tight in zip(bounds.layers, exact.layers, strict=True):
        for bound, best in zip(rows, tight, strict=True):
            assert bound.lower <= best.lower <= best.upper <= bound.upper


def test_without_work_the_linear_bound_stands():
    network = random_network((4, 12, 12, 1), 3)
    hurried, wide = certified_bounds(network, SearchEffort("exact", work=0)), interval_bounds(network)
    check_evidence(network, hurried)
    for bound, loose in zip(hurried.layers[1], wide.layers[1], strict=True):
        assert loose.lower <= bound.lower <= bound.upper <= loose.upper


def test_workers_find_the_same():
    network = random_network((3, 8, 8, 1), 2)
    alone, together = (certified_bounds(network, SearchEffort("exact", workers=n)) for n in (1, 2))
    assert alone == together


def test_given_bounds_are_taken_as_they_are():
    """Also by the layers above: their evidence rests on them."""
    network = random_network((2, 4, 4, 1), 3)
    loose = certified_bounds(network, SearchEffort("linear"))
    given = {(2, i): bound for i, bound in enumerate(loose.layers[1])}
    bounds = certified_bounds(network, SearchEffort("exact"), given=given)
    assert bounds.layers[1] == list(loose.layers[1])
    assert bounds.known(3) == loose.known(3) != certified_bounds(network, SearchEffort("exact")).known(3)
    assert check_evidence(network, bounds) > 0
    assert bounds.layers[2][0].exact


def test_one_neuron():
    network = random_network((3, 8, 8, 1), 2)
    every = certified_bounds(network, SearchEffort("exact"))
    bound = certified_bounds(network, SearchEffort("exact"), only={(2, 3)}).layers[1][3]
    assert (bound.lower, bound.upper) == (every.layers[1][3].lower, every.layers[1][3].upper)


def with_multipliers(case, change):
    return LeafCase(change(case.multipliers)) if isinstance(case, LeafCase) else case


def test_sharper_claims_and_broken_trees_are_refused():
    """The second reader is not a rubber stamp."""
    network = random_network((3, 8, 8, 1), 2)
    refused = 0
    for index, bound in enumerate(certified_bounds(network, SearchEffort("exact")).layers[1]):
        cases = list(bound.upper_cases)
        with pytest.raises(Wrong):
            check_bound(network, 2, index, 1, bound.upper - Rational(1, 10**9), cases)
        more = [with_multipliers(case, lambda own: own + (Rational(0),) * 9) for case in cases]  # there are 8 neurons
        fewer = [with_multipliers(case, lambda own: own[:-1] if len(own) > 1 else own) for case in cases]
        for broken in (cases[:-1], [*cases, cases[-1]], more, fewer):
            if broken != cases:  # leaves without multipliers have none to lose
                with pytest.raises(Wrong):
                    check_bound(network, 2, index, 1, bound.upper, broken)
                refused += 1
    assert refused > 24


def test_irrational_weights_get_intervals():
    network = build_network([([["sqrt(2)", -1]], [0], "relu"), ([[1]], [0], "identity")])
    assert certified_bounds(network, SearchEffort("exact")).methods == ["interval"]


def test_unknown_methods():
    with pytest.raises(InputError, match="unknown bounds"):
        certified_bounds(random_network((1, 1, 1), 1), SearchEffort("guess"))


def test_neurons_that_feed_nothing_are_left_alone():
    spec = [([[1, 1], [1, -1]], [0, 0], "relu"), ([[1, -2], [1, -1]], [0, 0], "relu"), ([[1, 0]], [0], "identity")]
    bounds = certified_bounds(build_network(spec), SearchEffort("exact", integer_ends=True))
    assert bounds.layers[1][1].method == "interval"
    assert replace(bounds.layers[1][0], lower_at=None).upper == 2
