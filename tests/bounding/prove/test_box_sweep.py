"""Sweeps of boxes, against the kernel: the same bounds, to the last bit."""

from fractions import Fraction

import numpy as np
import pytest

from tests.bounding.prove.test_box_walk import network_of, random_box
from tests.bounding.prove.test_twin_walk import fraction, number
from tests.certificate.judged import checker_of
from verimv import kernel
from verimv.bounding.prove.box_sweep import RANGE_BITS, BoxSweep
from verimv.networks.formats.json_format import write_network


def swept_by_kernel(network, box, known):
    """Bounds by variable, in units of 2^−32, as kernel.py finds them."""
    checker = checker_of(network="".join(write_network(network)))
    sweeper = kernel.Sweeper(kernel.variables_of(checker), checker.work)
    lows, highs = {}, {}
    bounds = dict(enumerate(box)) | {checker.layers[d - 1].first + i: ends for (d, i), ends in known.items()}
    for k, (low, high) in bounds.items():
        if low is not None:
            lows[k] = kernel.divided_down(fraction(low) * 2**RANGE_BITS, 1)
        if high is not None:
            highs[k] = kernel.divided_up(fraction(high) * 2**RANGE_BITS, 1)
    count = checker.layers[-1].first
    return sweeper.sweep(count, lows, highs, checker.work), [layer.first for layer in checker.layers]


@pytest.mark.parametrize("activation", ["relu", "crelu", "identity"])
@pytest.mark.parametrize("seed", range(8))
def test_sweeps_give_the_numbers_of_the_kernel(seed, activation):
    source = np.random.default_rng(seed)
    network = network_of(source, activation, (3, 6, 5, 4, 2))
    for _ in range(6):
        box, known = random_box(source, 3), {}
        if source.random() < 0.6:  # what a bound may say; it need not be true
            low, high = sorted((number(source), number(source)))
            known[int(source.integers(1, 4)), 0] = [(low, None), (None, high), (low, high)][int(source.integers(3))]
        expected, first = swept_by_kernel(network, box, known)
        found = BoxSweep(network.layers[:-1], known).ranges(box)
        if found is None:
            assert len(expected) == 0 or activation != "identity"
            continue
        own = {
            first[d] + int(i): (int(layer.low[i]), int(layer.high[i]))
            for d, layer in enumerate(found)
            for i in np.flatnonzero(layer.walked)
        }
        assert own == expected


def test_every_value_lies_in_its_range():
    source = np.random.default_rng(11)
    network = network_of(source, "relu", (2, 6, 5, 1))
    box = random_box(source, 2)
    found = BoxSweep(network.layers).ranges(box)
    for _ in range(50):
        weights = [Fraction(int(source.integers(0, 9)), 8) for _ in box]
        point = [low + type(low)(str(w)) * (high - low) for w, (low, high) in zip(weights, box, strict=True)]
        for layer, values in zip(found, network.trace(point), strict=True):
            for low, high, value in zip(layer.low, layer.high, values, strict=True):
                assert low <= value * 2**RANGE_BITS <= high
