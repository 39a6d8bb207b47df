from fractions import Fraction

import pytest
from hypothesis import given

from tests.oracle import breakpoints, build_network, grid, integers, network_value, rationals, specs
from verimv.bounding.interval import interval_bounds
from verimv.bounding.methods import neuron_bounds
from verimv.bounding.univariate import univariate_bounds
from verimv.core.errors import InputError
from verimv.exact import as_number
from verimv.extraction.outside import point_outside_unit_interval
from verimv.paper.experiments.families import deep_sawtooth


def pre_activations(spec, point):
    """Per layer, the sums before activation, by the oracle."""
    return [network_value([*spec[:d], (*spec[d][:2], "identity")], point) for d in range(len(spec))]


@given(specs(rationals))
def test_interval_bounds_hold_everywhere(spec):
    bounds = interval_bounds(build_network(spec))
    for point in grid(len(spec[0][0][0]), 3)[:100]:
        for depth, values in enumerate(pre_activations(spec, point)):
            for index, value in enumerate(values):
                bound = bounds.get(depth, index)
                assert bound.lower <= value <= bound.upper


@given(specs(rationals))
def test_the_first_layer_is_exact_with_attaining_points(spec):
    for index, bound in enumerate(interval_bounds(build_network(spec)).layers[0]):
        assert bound.exact
        low, high = (
            pre_activations(spec, [Fraction(str(x)) for x in at])[0][index] for at in (bound.lower_at, bound.upper_at)
        )
        assert (low, high) == (bound.lower, bound.upper)


@given(specs(integers, max_inputs=1))
def test_one_input_bounds_are_exact(spec):
    bounds = univariate_bounds(build_network(spec))
    points = breakpoints(spec)
    traced = [pre_activations(spec, [x]) for x in points]
    for depth in range(len(spec)):
        for index in range(len(spec[depth][0])):
            values = [at[depth][index] for at in traced]
            bound = bounds.get(depth, index)
            assert (bound.lower, bound.upper) == (min(values), max(values))
            assert bound.exact
            assert bound.method == "exact"


def test_the_piece_budget_leaves_later_layers_to_intervals():
    network = deep_sawtooth(20)
    partial = univariate_bounds(network, max_pieces=100)
    assert 0 < len(partial.layers) < 40
    full = neuron_bounds(network, "auto")
    assert len(full.layers) == 40
    assert full.methods == ["exact", "interval"]
    assert neuron_bounds(network, "interval").methods == ["interval"]


def test_a_point_box_is_fine():
    network = build_network([([[2]], [0], "relu")])
    from dataclasses import replace

    bound = univariate_bounds(replace(network, box=((as_number(1), as_number(1)),))).layers[0][0]
    assert (bound.lower, bound.upper) == (2, 2)


def test_unknown_methods():
    two_inputs = build_network([([[1, 1]], [0], "relu")])
    with pytest.raises(InputError, match="unknown bounds"):
        neuron_bounds(two_inputs, "guess")
    assert neuron_bounds(two_inputs).methods == ["exact"]


def test_the_search_finds_points_outside_and_replays_them():
    network = build_network([([[3, -1], [-2, 2]], [0, 1], "relu"), ([[1, 1]], [-1], "identity")])
    found = point_outside_unit_interval(network, 0)
    assert found is not None
    point, value = found
    assert network.at(point)[0] == value
    assert value < 0 or value > 1
    assert point_outside_unit_interval(build_network([([["1/2", "1/2"]], [0], "identity")]), 0) is None


def test_the_search_climbs_away_from_the_corners():
    """max(0, 1 − 4|x − 1/2|)·3/2 leaves [0,1] only around the middle."""
    network = build_network([([[4], [4], [4]], [-1, -2, -3], "relu"), ([["3/2", -3, "3/2"]], [0], "identity")])
    point, value = point_outside_unit_interval(network, 0)
    assert value == network.at(point)[0] > 1
