"""Differences of neurons on boxes: whatever is claimed holds, exactly, at points of the boxes, and is near the truth."""

import itertools
from fractions import Fraction

import numpy as np
import pytest

from tests.effort import scaled
from tests.oracle import build_network
from verimv.bounding.prove import change_boxes
from verimv.bounding.prove.change_boxes import ChangeBoxes, are_paired

WIDTHS = [(2, 3, 2), (3, 8, 6, 2), (1, 5, 5, 5, 1), (4, 12, 9, 7, 3)]


def spec_of(source, widths, size, denominator):
    """Random weights; some are 0, and some are far smaller than others."""

    def number():
        if source.random() < 0.15:
            return Fraction(0)
        small = 1000 if source.random() < 0.1 else 1
        return Fraction(int(source.integers(-size, size + 1)), denominator * small)

    layers = []
    for depth, (inputs, outputs) in enumerate(itertools.pairwise(widths)):
        activation = "identity" if depth == len(widths) - 2 else "relu"
        layers.append(([[number() for _ in range(inputs)] for _ in range(outputs)], [number() for _ in range(outputs)],
                       activation))  # fmt: skip
    return layers


def noisy(source, layers, denominator):
    """A copy with noise on all weights."""

    def changed(x):
        return x + Fraction(int(source.integers(-9, 10)), denominator)

    return [
        ([[changed(x) for x in row] for row in rows], [changed(x) for x in bias], act) for rows, bias, act in layers
    ]


def random_specs(seed):
    source = np.random.default_rng(seed)
    widths = WIDTHS[seed % len(WIDTHS)]
    first = spec_of(source, widths, *((30, 10), (999, 7), (5, 1), (3, 70))[seed // len(WIDTHS) % 4])
    unrelated = spec_of(source, widths, 30, 10)
    return source, first, unrelated if seed % 5 == 4 else noisy(source, first, int(10 ** source.integers(1, 7)))


def arguments(layers, point):
    """The arguments of all layers at a point."""
    result, values = [], list(point)
    for rows, bias, activation in layers:
        found = [sum((w * x for w, x in zip(row, values, strict=True)), b) for row, b in zip(rows, bias, strict=True)]
        result.append(found)
        values = [max(x, Fraction(0)) for x in found] if activation == "relu" else found
    return result


def assert_claims_hold(found, n, first, second, point):
    ours, theirs = arguments(first, point), arguments(second, point)
    for layer, zs, ys in zip(found.layers, ours, theirs, strict=False):
        kept = layer.kept.tolist()
        for i, (z, y) in enumerate(zip(zs, ys, strict=True)):
            if i not in kept:
                assert z <= 0
                assert y <= 0
                continue
            at = kept.index(i)
            for value, (low, high) in ((z, layer.z), (y, layer.y), (y - z, layer.d)):
                assert Fraction(float(low[n, at])) <= value <= Fraction(float(high[n, at]))
    differences = [y - z for z, y in zip(ours[-1], theirs[-1], strict=True)]
    for upper, value in zip(found.upper[n], differences + [-x for x in differences], strict=True):
        assert value <= Fraction(float(upper))
    return differences


def random_boxes(source, inputs, count, bits):
    low = source.integers(0, 2**bits, (count, inputs)) / 2**bits
    return low, np.minimum(1, low + source.integers(0, 2**bits // 2, (count, inputs)) / 2**bits)


@pytest.mark.parametrize("seed", range(scaled(40)))
def test_claims_hold_at_points_of_boxes(seed):
    source, first, second = random_specs(seed)
    boxes = ChangeBoxes(build_network(first), build_network(second))
    low, high = random_boxes(source, len(first[0][0][0]), 6, 10)
    found = boxes.bound(low, high)
    for n in range(len(low)):
        for _ in range(8):
            share = source.integers(0, 3, low.shape[1])  # corners and middles
            point = [Fraction(float(a)) + (Fraction(float(b)) - Fraction(float(a))) * int(s) / 2
                     for a, b, s in zip(low[n], high[n], share, strict=True)]  # fmt: skip
            assert_claims_hold(found, n, first, second, point)


def points_and_gaps(seed):
    """How far bounds are above the truth, on boxes that are points, where hardly anything but rounding is between."""
    source, first, second = random_specs(seed)
    boxes = ChangeBoxes(build_network(first), build_network(second))
    point, _ = random_boxes(source, len(first[0][0][0]), 12, 20)
    found = boxes.bound(point, point)
    for n, x in enumerate(point):
        differences = assert_claims_hold(found, n, first, second, [Fraction(float(value)) for value in x])
        size = max(abs(value) for layer in (first, second) for z in arguments(layer, map(Fraction, x)) for value in z)
        for upper, value in zip(found.upper[n], differences + [-x for x in differences], strict=True):
            yield (Fraction(float(upper)) - value) / (1 + size)


@pytest.mark.parametrize("seed", range(scaled(60)))
def test_bounds_at_points_are_above_the_truth_by_rounding_only(seed):
    assert all(0 <= gap < Fraction(1, 10**4) for gap in points_and_gaps(seed))


@pytest.mark.parametrize("power", [-300, -120, -70, 70, 90])
def test_numbers_may_be_large_or_small(power):
    """The first layer is multiplied, the last one divided."""
    for seed in range(8):
        source, *specs = random_specs(seed)
        for spec in specs:
            for layer, factor in ((0, Fraction(2) ** power), (-1, Fraction(2) ** -power)):
                rows, bias, act = spec[layer]
                spec[layer] = [[w * factor for w in row] for row in rows], [b * factor for b in bias], act
        a, b = map(build_network, specs)
        if not are_paired(a, b):
            assert abs(power) > 100
            continue
        point, _ = random_boxes(source, len(specs[0][0][0][0]), 4, 20)
        found = ChangeBoxes(a, b).bound(point, point)
        assert np.isfinite(found.upper).all()
        for n, x in enumerate(point):
            assert_claims_hold(found, n, *specs, [Fraction(float(value)) for value in x])


def test_equal_layers_cost_nothing():
    """A difference of 10^−18 in weights of 10^−9 is not lost in rounding."""
    first = [
        ([[Fraction(1, 10**9)] * 3] * 4, [Fraction(0)] * 4, "relu"),
        ([[Fraction(1, 10**9)] * 4], [Fraction(0)], "identity"),
    ]
    rows, bias, act = first[0]
    second = [([[Fraction(11, 10**10), *rows[0][1:]], *rows[1:]], bias, act), first[1]]
    a, b = build_network(first), build_network(second)
    upper = ChangeBoxes(a, b).bound(np.zeros((1, 3)), np.ones((1, 3))).upper[0]
    assert 1e-19 <= upper[0] < 2e-19
    assert ChangeBoxes(a, a).bound(np.zeros((1, 3)), np.ones((1, 3))).upper.max() < 1e-26


@pytest.mark.parametrize("what", ["coefficients", "weights"])
def test_without_what_is_added_for_rounding_claims_are_false(what, monkeypatch):
    """So the test above would notice it."""
    if what == "coefficients":
        monkeypatch.setattr(change_boxes, "_ROUNDED", 0.0)
    else:
        init = change_boxes._Matrix.__init__

        def without_error(self, rows):
            init(self, rows)
            self.error = 0.0

        monkeypatch.setattr(change_boxes._Matrix, "__init__", without_error)
    with pytest.raises(AssertionError):
        list(itertools.chain.from_iterable(map(points_and_gaps, range(60))))


def test_results_hardly_depend_on_the_other_boxes():
    source, first, second = random_specs(3)
    boxes = ChangeBoxes(build_network(first), build_network(second))
    low, high = random_boxes(source, len(first[0][0][0]), 5, 10)
    whole = boxes.bound(low, high).upper
    for n in range(5):
        alone = boxes.bound(low[n : n + 1], high[n : n + 1]).upper[0]
        assert np.allclose(alone, whole[n], rtol=1e-3, atol=1e-3)


def test_only_networks_of_one_shape_with_relus_are_paired():
    _, first, second = random_specs(1)
    a, b = build_network(first), build_network(second)
    assert are_paired(a, b)
    wider = build_network(random_specs(3)[1])
    assert not are_paired(a, wider)
    clipped = [(rows, bias, "crelu" if act == "relu" else act) for rows, bias, act in first]
    assert not are_paired(a, build_network(clipped))
