"""Bounds of differences by differences of neurons: never below a true value, whatever the multipliers and splits."""

from fractions import Fraction

import numpy as np
import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from verimv.bounding.prove import twin_walk
from verimv.bounding.prove.twin_walk import TwinSlopes, TwinWalk
from verimv.exact import ONE, ZERO, Rational

BOX = ((ZERO, ONE),) * 3


def points(count, seed):
    source = np.random.default_rng(seed)
    return [[Rational(int(n), 16) for n in row] for row in source.integers(0, 17, (count, 3))]


def random_slopes(source, walk, layer):
    def numbers():
        return [
            np.array([Rational(int(n), 4) for n in source.integers(-8, 9, len(below.first[1]))], dtype=object)
            for below in walk.layers[:layer]
        ]

    return TwinSlopes(numbers(), numbers(), numbers())


def arguments(a, b, point):
    """z and d of every layer at a point."""
    z, y = a.trace(point), b.trace(point)
    return {"z": z, "y": y, "d": [[q - p for p, q in zip(r, s, strict=True)] for r, s in zip(z, y, strict=True)]}


@pytest.mark.parametrize("activation", ["relu", "crelu", "identity"])
@pytest.mark.parametrize("seed", range(3))
def test_bounds_hold_for_any_multipliers_and_splits(seed, activation):
    a, b = random_pair(seed, Fraction(1, 4), activation)
    walk, source = TwinWalk(a, b), np.random.default_rng(seed)
    seen = [arguments(a, b, point) for point in points(60, seed)]
    for trial in range(12):
        layer = 1 + trial % 2
        cuts = {}
        for which, depth, index in (("z", 0, 1), ("y", 0, 2), ("d", 0, 0), ("y", layer - 1, 3)):
            if source.random() < 0.5:
                point = Rational(int(source.integers(-4, 5)), 8)
                cuts[which, depth, index] = (None, point) if source.random() < 0.5 else (point, None)
        inside = [
            at
            for at in seen
            if all(
                (low is None or at[which][depth][i] >= low) and (high is None or at[which][depth][i] <= high)
                for (which, depth, i), (low, high) in cuts.items()
            )
        ]
        ranges = walk.ranges(BOX, cuts, layer)
        assert ranges is not None or not inside
        if ranges is None:
            continue
        slopes = None if trial < 4 else random_slopes(source, walk, layer)
        for which in ("z", "d", "y"):
            for way in (1, -1):
                bound = walk.bound(layer, walk.row(which, layer, 0, way), BOX, ranges, slopes)
                assert all(way * at[which][layer][0] <= bound for at in inside)


@pytest.mark.parametrize("activation", ["relu", "crelu"])
def test_ranges_contain_all_values(activation):
    a, b = random_pair(5, Fraction(1, 4), activation)
    walk = TwinWalk(a, b)
    walk.learn(("z", 0, 0), (Rational(-100), Rational(100)))
    ranges = walk.ranges(BOX, {}, 2)
    for point in points(60, 1):
        at = arguments(a, b, point)
        for depth in range(2):
            for which in ("z", "y", "d"):
                low, high = getattr(ranges[depth], which)
                assert all(p <= x <= q for p, x, q in zip(low, at[which][depth], high, strict=True))


def test_a_situation_without_points_is_seen():
    a, b = random_pair(6, Fraction(1, 64))
    walk = TwinWalk(a, b)
    assert walk.ranges(BOX, {("z", 0, 0): (Rational(1000), None)}, 1) is None
    apart = {("z", 0, 0): (None, Rational(-1)), ("y", 0, 0): (Rational(1), None)}
    assert walk.ranges(BOX, apart, 1) is None


def test_small_changes_have_small_bounds():
    for bits in (4, 20, 60):
        a, b = random_pair(1, Fraction(1, 2**bits))
        walk = TwinWalk(a, b)
        bound = walk.bound(2, walk.row("d", 2, 0, 1), BOX, walk.ranges(BOX, {}, 2))
        assert 0 < bound < Fraction(200, 2**bits)


@pytest.mark.parametrize("activation", ["relu", "crelu"])
def test_the_largest_value_on_cells_is_that_at_corners(activation):
    """Duality: on a cell, the least of three obvious bounds is attained at a corner of the polygon."""
    source = np.random.default_rng(3)

    def numbers(count, low=-12, high=13):
        return np.array([Rational(int(n), 8) for n in source.integers(low, high, count)], dtype=object)

    count = 400
    z, d, y = [], [], []
    c, p, q = numbers(count), numbers(count), numbers(count)
    for ends in (z, d, y):
        first, second = numbers(count), numbers(count)
        ends += [np.minimum(first, second), np.maximum(first, second)]
    cells = twin_walk._cells(activation, z, y, d)
    found = twin_walk.ExactTwinRange(z, y, d, cells, None, None)
    exists = np.any([cell.exists for cell in cells], axis=0)
    peaks = twin_walk._change_peaks(c, p, q, found)
    for i in range(count):
        corners = _corners(activation, *((ends[0][i], ends[1][i]) for ends in (z, d, y)))
        heights = [c[i] * (_act(activation, s + t) - _act(activation, s)) - p[i] * t - q[i] * s for s, t in corners]
        assert bool(heights) == exists[i]
        if heights:
            assert peaks[i] == max(heights)
    assert 50 < exists.sum() < count


def _act(activation, x):
    return max(x, 0) if activation == "relu" else min(max(x, 0), 1)


def _corners(activation, z, d, y):
    """Where edges of the polygon and lines of kinks meet, inside it."""
    kinks = [0] if activation == "relu" else [0, 1]
    of_z, of_y = [*z, *kinks], [*y, *kinks]
    found = [(a, b) for a in of_z for b in d] + [(a, b - a) for a in of_z for b in of_y]
    found += [(b - a, a) for a in d for b in of_y]
    return [(a, b) for a, b in found if z[0] <= a <= z[1] and d[0] <= b <= d[1] and y[0] <= a + b <= y[1]]
