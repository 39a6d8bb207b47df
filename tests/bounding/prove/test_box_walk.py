"""Exact bounds on a box, against the kernel's leaf: the same numbers, whatever lemmas are given."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from tests.bounding.prove.test_twin_walk import fraction, number
from tests.certificate.judged import checker_of
from verimv import kernel
from verimv.bounding.prove.box_walk import BoxWalk
from verimv.bounding.prove.walk import value_at
from verimv.exact import Rational
from verimv.networks.affine import Affine
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Layer, Network


def network_of(source, activation, widths=(2, 4, 3, 3, 2)):
    """A network with short random weights."""
    layers = [
        Layer(
            tuple(Affine([(j, number(source)) for j in range(width)], number(source)) for _ in range(count)),
            width,
            activation if depth < len(widths) - 2 else "identity",
        )
        for depth, (width, count) in enumerate(pairwise(widths))
    ]
    return Network.of(layers)


class KernelLeaf:
    """The system of a network in the kernel."""

    def __init__(self, network):
        self.checker = checker_of(network="".join(write_network(network)))
        self.proofs = kernel.System(kernel.variables_of(self.checker), self.checker.work)

    def bound(self, depth, index, way, box, lemmas):
        layer = self.checker.layers[depth]
        target = kernel.add_up([(layer.arguments[index], way)], 0, self.checker.work)
        bounds = kernel.Bounds({}, {})
        found = dict(enumerate(box))
        for d, of_layer in enumerate(lemmas):
            found.update({self.checker.layers[d].first + i: ends for i, ends in of_layer.items()})
        for k, ends in found.items():
            for side, end in zip(("low", "high"), ends, strict=True):
                if end is not None and k < layer.first:
                    getattr(bounds, side)[k] = kernel.times(fraction(end), self.proofs.scales[k])
        situation = kernel.Situation(target, layer.first, bounds, frozenset(range(len(box))))
        return self.proofs.leaf(situation, [])


def random_box(source, inputs):
    boxes = []
    for _ in range(inputs):
        low, high = sorted(int(x) for x in source.integers(0, 9, 2))
        boxes.append((Rational(low, 8), Rational(high, 8)))
    return tuple(boxes)


@pytest.mark.parametrize("activation", ["relu", "crelu"])
@pytest.mark.parametrize("seed", range(8))
def test_the_way_up_gives_the_numbers_of_the_kernel(seed, activation):
    source = np.random.default_rng(seed)
    network = network_of(source, activation)
    judge, walk = KernelLeaf(network), BoxWalk(network)
    for _ in range(6):
        box, lemmas = random_box(source, 2), [{} for _ in network.layers]
        ascent = walk.start(box)
        for depth, layer in enumerate(network.layers):
            wanted = [(i, way) for i in range(len(layer.rows)) for way in (1, -1)]
            for (i, way), upper in zip(wanted, ascent.bounds(wanted), strict=True):
                assert judge.bound(depth, i, way, box, lemmas) == fraction(upper)
            if source.random() < 0.7:  # what a lemma may say; it need not be true
                low, high = sorted((number(source), number(source)))
                lemmas[depth][int(source.integers(len(layer.rows)))] = [(low, None), (None, high), (low, high)][
                    int(source.integers(3))
                ]
            found = ascent.ranges(lemmas[depth])
            if found is None:
                if depth + 1 < len(network.layers):
                    assert judge.bound(depth + 1, 0, 1, box, lemmas) is None
                break
            ascent.go_on(found)


def test_bounds_are_never_below_a_value():
    source = np.random.default_rng(5)
    network = network_of(source, "relu")
    box = random_box(source, 2)
    ascent = BoxWalk(network).start(box)
    for depth in range(len(network.layers) - 1):
        found = ascent.ranges({})
        assert found is not None, depth
        ascent.go_on(found)
    (upper,) = ascent.bounds([(0, 1)])
    for weights in [(0, 0), (1, 0), (0, 1), (1, 1), (Fraction(1, 3), Fraction(2, 7))]:
        point = [low + Rational(str(w)) * (high - low) for w, (low, high) in zip(weights, box, strict=True)]
        assert value_at(network, len(network.layers), 0, point) <= upper
