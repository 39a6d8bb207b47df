"""Distance: the interval contains the true distance, both ends are what they claim, and it stops when it may."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from tests.bounding.search.test_far_point import distances
from tests.effort import span_name, spans
from verimv import Layer, Network, certify_distance, distance, equivalent, parse
from verimv.bounding.search.change_search import ChangeSearch
from verimv.core.errors import InputError
from verimv.exact import ZERO, Rational
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.questions.distance import certified_bound
from verimv.questions.distance_search import DistanceSearch
from verimv.solvers.point_search import Search


def check_ends(a, b, found, largest):
    for k, (output, most) in enumerate(zip(found.outputs, largest, strict=True)):
        point = [Rational(Fraction(x)) for x in output.at.values()]
        assert abs(a.at(point)[k] - b.at(point)[k]) == output.attained
        assert output.attained <= most <= output.proved
    assert found.attained <= max(largest) <= found.proved


@pytest.mark.parametrize("activation", ["relu", "crelu"])
@pytest.mark.parametrize("seed", range(3))
def test_the_interval_contains_the_distance_and_closes(seed, activation):
    a, b = random_pair(seed, Fraction(1, 8), activation)
    found, largest = distance(a, b), distances(a, b)
    check_ends(a, b, found, largest)
    assert found.exact
    assert found.attained == max(largest)


def random_network(source, sizes):
    """A network with the activations in any order, and the identity last."""
    kinds = ["identity", *source.choice(["relu", "crelu", "identity"], len(sizes) - 2)][::-1]
    layers = []
    for kind, (width, count) in zip(kinds, itertools.pairwise(sizes), strict=True):
        weights = source.integers(-6, 7, (count, width)) / 4
        layers.append(Layer.of(weights.tolist(), (source.integers(-4, 5, count) / 4).tolist(), kind))
    return Network.of(layers)


def random_small_pair(seed):
    """Two networks that have nothing to do with each other, or one and its copy: rounded, or changed in one weight."""
    source = np.random.default_rng(seed)
    inputs, outputs = (int(n) for n in source.integers(1, 4, 2))

    def network():
        return random_network(source, [inputs, *source.integers(1, 4, source.integers(1, 4)).tolist(), outputs])

    first, kind = network(), source.integers(0, 3)
    if kind == 0:
        return first, network()
    layers = list(first.layers)
    for depth in range(len(layers)) if kind == 1 else [int(source.integers(0, len(layers)))]:
        layer = layers[depth]
        weights = np.array([[float(x) for x in row.dense(layer.width_in)] for row in layer.rows])
        if kind == 1:
            weights += source.integers(-2, 3, weights.shape) / 64
        else:
            weights[tuple(source.integers(0, size) for size in weights.shape)] += 2.0**-20
        layers[depth] = Layer.of(weights.tolist(), [row.constant for row in layer.rows], layer.activation)
    return first, Network.of(layers)


@pytest.mark.slow
@pytest.mark.parametrize("seeds", spans(0, 100, 25), ids=span_name)
def test_random_small_pairs(seeds):
    for seed in seeds:
        a, b = random_small_pair(seed)
        found, largest = distance(a, b, effort=3), distances(a, b)
        check_ends(a, b, found, largest)
        assert not found.exact or found.attained == max(largest), seed
        assert (found.attained > 0) == (max(largest) > 0), seed
        assert equivalent(a, b, search=Search(effort=3)).refuted == (max(largest) > 0), seed


@pytest.mark.parametrize("depth", range(3))
def test_a_planted_difference_is_found_and_bounded(depth):
    a, _ = random_pair(7, ZERO)
    layers = list(a.layers)
    weights = [row.dense(layers[depth].width_in) for row in layers[depth].rows]
    weights[1][0] += Rational(1, 2**20)
    layers[depth] = Layer.of(weights, [row.constant for row in layers[depth].rows], layers[depth].activation)
    b = Network.of(layers)
    found = distance(a, b)
    check_ends(a, b, found, distances(a, b))
    assert 0 < found.attained <= found.proved < Fraction(1, 2**10)
    assert equivalent(a, b).refuted
    assert equivalent(a, b).apart[0] == found.attained


def test_it_stops_at_a_gap_or_a_tolerance():
    a, b = random_pair(1, Fraction(1, 8))
    most = max(distances(a, b))
    close = distance(a, b, within=Fraction(1, 2))
    assert close.proved <= close.attained * Fraction(3, 2)
    assert distance(a, b, tolerance=most).is_within(most) is True
    below = most * Fraction(99, 100)
    found = distance(a, b, tolerance=below)
    assert found.is_within(below) is False
    assert found.is_within(most * 1000) is True
    assert distance(a, b, search=Search(seconds=0)).is_within(most) in (None, True)


def test_why_it_ends():
    a, b = random_pair(1, Fraction(1, 8))
    answered, little, late = distance(a, b), distance(a, b, effort=0.01), distance(a, b, search=Search(seconds=0))
    assert [found.ended_by for found in (answered, little, late)] == ["answered", "effort", "time"]
    assert answered.proved < little.proved <= late.proved
    assert distance(a, b, effort=0.01).outputs == little.outputs


def test_a_certificate_proves_the_bounds():
    a, b = random_pair(2, Fraction(1, 8))
    found = distance(a, b)
    certificate = certify_distance(a, b, found, 30)
    lines = certificate.check(kernel="both")
    assert len(lines) == 2
    assert certified_bound(certificate) == found.proved
    assert certify_distance(parse("x"), parse("x"), distance(parse("x"), parse("x")), 1) is None


def test_bounds_without_evidence_leave_the_best_evidence():
    a, b = random_pair(1, Fraction(1, 8))
    search = DistanceSearch(a, b, Search(), None, ZERO, certifiable=True)
    search.look()
    certifiable = search.proved
    lower = (certifiable + max(distances(a, b))) / 2  # as if it was proved without evidence
    search._improve([lower] * 2, None)
    found = search.result()
    assert found.proved == lower
    assert found.evidence_within(lower) is None
    assert found.evidence_within(certifiable) is not None
    assert lower < certified_bound(certify_distance(a, b, found, 60)) <= certifiable


def test_boxes_with_differences_are_used_unless_there_must_be_evidence(monkeypatch):
    used = []

    class Spied(ChangeSearch):
        def run(self, goals, meter):
            used.append(goals)
            return super().run(goals, meter)

    monkeypatch.setattr("verimv.questions.distance_search.ChangeSearch", Spied)
    a, b = random_pair(0, Fraction(1, 64))
    for certifiable in (True, False):
        search = DistanceSearch(a, b, Search(), None, ZERO, certifiable=certifiable)
        search.look()
        for method in search._methods():
            method(10_000)
        assert bool(used) != certifiable
    found, largest = search.result(), distances(a, b)
    check_ends(a, b, found, largest)


def test_copies_differ_by_0_at_once():
    a, _ = random_pair(3, ZERO)
    hidden, second, last = a.layers
    permuted = [Layer(hidden.rows[::-1], 3, "relu")]
    permuted.append(Layer(tuple(row.renumbered({j: 4 - j for j in range(5)}) for row in second.rows), 5, "relu"))
    b = Network.of([*permuted, last])
    found = distance(a, b, search=Search(seconds=0))
    assert (found.attained, found.proved, found.exact) == (0, 0, True)
    assert certify_distance(a, b, found, 10).check(kernel="both")


def test_formulas_irrational_numbers_and_constants():
    found = distance(parse("x ∧ ¬x"), parse("Δ[1/2](x ∧ ¬x)"))
    assert (found.attained, found.proved, found.attained_at) == (Fraction(1, 4), Fraction(1, 4), {"x": "1/2"})
    assert distance(parse("1"), parse("0")).exact
    root = Network.of([Layer.of([["sqrt(2)"]], [0], "identity")])
    assert distance(root, Network.of([Layer.of([[1]], [0], "identity")])).exact


def test_how_it_is_shown():
    found = distance(parse("x ∧ ¬x"), parse("Δ[1/2](x ∧ ¬x)"))
    assert str(found) == "exactly 1/4 (0.25)"
    assert repr(found) == "<Distance exactly 1/4 (0.25)>"
    assert "0.25" in found._repr_html_()
    assert {"attained", "attained_at", "proved", "exact", "outputs", "ended_by", "seconds"} == set(found.data())


def test_wrong_calls():
    with pytest.raises(InputError, match="negative"):
        distance(parse("x"), parse("y"), tolerance=-1)
    with pytest.raises(InputError, match="negative"):
        distance(parse("x"), parse("y"), within=-1)
    with pytest.raises(InputError, match="cannot read a network from NoneType"):
        distance(None, parse("y"))


@pytest.mark.parametrize("x", [0, 1, Fraction(1, 3), Fraction(-2, 3), Fraction(10**30 + 1, 7), Fraction(1, 3 * 10**20)])
def test_decimals_are_on_the_safe_side(x):
    low, high = Fraction(rounded_down(Rational(x))), Fraction(rounded_up(Rational(x)))
    assert low <= x <= high
    assert high - low <= abs(Fraction(x)) / 10**4
