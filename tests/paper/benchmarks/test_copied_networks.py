"""Copies of networks: those that only rewrite are equal, the others are close."""

from itertools import pairwise

import numpy as np
import pytest

from verimv.networks.formats.arrays import from_arrays
from verimv.paper.benchmarks import copied_networks
from verimv.questions.equality import equivalent


@pytest.fixture(scope="module")
def arrays():
    source = np.random.default_rng(3)
    widths = (4, 6, 5, 2)
    return [
        (
            source.normal(size=(b, a)).astype(np.float32).astype(float),
            source.normal(size=b).astype(np.float16).astype(float),
        )
        for a, b in pairwise(widths)
    ]


@pytest.mark.parametrize("rewritten", [copied_networks.permuted, copied_networks.rescaled])
def test_what_is_only_rewritten_is_equal(arrays, rewritten):
    copy = from_arrays(rewritten(arrays))
    assert copy != from_arrays(arrays)
    assert equivalent(from_arrays(arrays), copy).proved


def test_quantised_weights_are_few(arrays):
    for bits in (4, 8):
        for (weights, bias), (before, same) in zip(copied_networks.quantised(arrays, bits), arrays, strict=True):
            assert len(np.unique(weights)) <= 2**bits
            assert (bias == same).all()
            assert np.abs(weights - before).max() <= np.abs(before).max() / (2 ** (bits - 1) - 1)


def test_pruned_weights_are_the_smallest(arrays):
    for (weights, _), (before, _) in zip(copied_networks.pruned(arrays, 0.2), arrays, strict=True):
        zeros = weights == 0
        assert 0.1 <= zeros.mean() <= 0.3
        assert np.abs(before[zeros]).max() <= np.abs(before[~zeros]).min()
