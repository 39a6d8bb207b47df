"""All neurons of a layer at once: exactly what the walk over single rows gives."""

from fractions import Fraction

import numpy as np
import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from verimv.bounding.prove.twin_rows import IntegerMatrix, TwinRows
from verimv.bounding.prove.twin_walk import TwinWalk
from verimv.bounding.situation import lemma
from verimv.core.effort import NEVER


@pytest.mark.parametrize("bits", [5, 30, 200])
def test_products_are_exact(bits):
    source = np.random.default_rng(bits)

    def matrix(rows, columns):
        entries = [int.from_bytes(source.bytes(bits // 8 + 1)) * (-1) ** k for k in range(rows * columns)]
        return np.array([0, *entries[1:]], dtype=object).reshape(rows, columns)

    left, right = matrix(7, 1500), matrix(1500, 3)
    assert (IntegerMatrix(right).times(left) == left @ right).all()


def by_single_rows(a, b):
    walk, last = TwinWalk(a, b), len(a.layers) - 1
    for layer in range(1, last):
        ranges = walk.ranges(a.box, {}, layer + 1)
        found = {}
        for which in ("z", "d"):
            for i in range(len(a.layers[layer].rows)):
                low, high = (lemma(walk.bound(layer, walk.row(which, layer, i, w), a.box, ranges), 1) for w in (-1, 1))
                own = getattr(ranges[layer], which)
                ends = (-low if -low > own[0][i] else None, high if high < own[1][i] else None)
                if ends != (None, None):
                    found[which, layer, i] = ends
        for place, ends in found.items():
            walk.learn(place, ends)
    ranges = walk.ranges(a.box, {}, last)
    return walk.known, [
        (-walk.bound(last, walk.row("d", last, k, -1), a.box, ranges),
         walk.bound(last, walk.row("d", last, k, 1), a.box, ranges))
        for k in range(len(a.outputs))
    ]  # fmt: skip


@pytest.mark.parametrize("activation", ["relu", "crelu", "identity"])
@pytest.mark.parametrize("shift", [Fraction(1, 8), Fraction(1, 3 * 2**20)])
@pytest.mark.parametrize("seed", range(3))
def test_rows_give_the_same_bounds(seed, shift, activation):
    a, b = random_pair(seed, shift, activation)
    rows = TwinRows(a, b, NEVER)
    bounds = rows.bound_outputs()
    assert (rows.known, bounds) == by_single_rows(a, b)
