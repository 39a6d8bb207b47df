"""The exact walk over two networks with twins, against the kernel's leaf: the same numbers, whatever is given."""

from fractions import Fraction

import numpy as np
import pytest

from tests.bounding.guess.test_pair_floats import random_pair
from verimv import kernel
from verimv.bounding.prove.twin_layers import Twin, TwinSystem
from verimv.bounding.prove.twin_ranges import TwinRanges
from verimv.bounding.prove.twin_walk import LayerSlopes, TwinWalk
from verimv.bounding.search.twin_cases import needed
from verimv.exact import Rational
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Layer, Network

ACTIVATIONS = ("relu", "crelu", "identity")


def number(source, bits=3):
    return Rational(int(source.integers(-12, 13)), 2 ** int(source.integers(0, bits + 1)))


def fraction(x):
    return Fraction(int(x.numerator), int(x.denominator))


def with_neurons(network, layer, rows):
    """A copy in which rows of a layer stand for others: of the same neuron, or multiples."""
    layers = list(network.layers)
    old = layers[layer]
    layers[layer] = Layer(tuple(rows(list(old.rows))), old.width_in, old.activation)
    return Network.of(layers)


def random_system(source, seed, activation):
    """Two networks; some neurons are shared, some are multiples, some have no twin, factors are not always 1."""
    a, b = random_pair(seed, Fraction(1, 8), activation)
    if source.random() < 0.5:
        own = a.layers[0].rows[0]
        b = with_neurons(b, 0, lambda rows: [own, *rows[1:]])
    if source.random() < 0.3 and activation == "relu":
        b = with_neurons(b, 0, lambda rows: [*rows[:2], rows[1].scaled(Rational(3)), *rows[3:]])
    if source.random() < 0.3 and activation == "relu":
        a = with_neurons(a, 0, lambda rows: [*rows[:4], rows[1].scaled(Rational(1, 2))])
    twins = {}
    for depth, layer in enumerate(b.layers):
        for i in range(len(layer.rows)):
            factor = Rational(int(source.integers(1, 5)), 3) if source.random() < 0.3 else Rational(1)
            if source.random() < 0.8:
                index = i if source.random() < 0.8 else int(source.integers(len(layer.rows)))
                twins[depth, i] = Twin(index, Rational(1) if layer.activation == "crelu" else factor)
    return a, b, TwinSystem(a, b, twins)


class Kernel:
    """The system of a pair in the kernel, with twins and known bounds."""

    def __init__(self, a, b, system):
        texts = {"network": "".join(write_network(a)), "other": "".join(write_network(b))}
        self.checker = kernel.start(texts, 10**7).checker
        self.system = system
        for (depth, i), twin in system.twins.items():
            line = ["twin", 1 + system.depth + depth, i, system.starts[0][depth] + twin.index, str(twin.factor)]
            self.checker.follow(line)
        self.proofs = kernel.System(kernel.variables_of(self.checker), self.checker.work, self.checker.twins)

    def learn(self, place, ends):
        learn = self.proofs.learn_change if place[0] == "d" else self.proofs.learn
        for side, end in zip(("low", "high"), ends, strict=True):
            if end is not None:
                learn(self.system.variable(place), side, fraction(end))

    def leaf(self, which, depth, index, cuts, multipliers):
        layer = self.checker.layers[depth if which == "z" else self.system.depth + depth]
        target = layer.arguments[index]
        if which == "d" and (depth, index) in self.system.twins:
            twin = self.checker.twins[layer.first + index]
            own = kernel.variable_of(self.checker, twin.variable).argument
            target = kernel.add_up([(target, 1), (own, -twin.factor)], 0, self.checker.work)
        bounds = kernel.Bounds({}, {})
        for place, ends in cuts.items():
            k = self.system.variable(place)
            for side, end in zip(("low", "high"), ends, strict=True):
                if end is not None:
                    getattr(bounds, side)[k] = kernel.times(fraction(end), self.proofs.scales[k])
        split = frozenset(map(self.system.variable, cuts))
        situation = kernel.Situation(target, layer.first, bounds, split)
        return self.proofs.leaf(situation, [fraction(m) for m in multipliers], self.checker.twins)


def random_ends(source):
    low, high = sorted((number(source), number(source)))
    return [(low, None), (None, high), (low, high)][int(source.integers(3))]


def random_slopes(source, system, ranges):
    def numbers(count):
        return [number(source, 5) for _ in range(count)]

    layers = [(len(layer.own_bias), len(layer.bias)) for layer in system.layers[: len(ranges)]]
    return [LayerSlopes(numbers(m), numbers(n), numbers(n), numbers(n)) for m, n in layers]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("seed", range(12))
def test_the_walk_gives_the_numbers_of_the_kernel(seed, activation):
    source = np.random.default_rng(seed)
    a, b, system = random_system(source, seed, activation)
    judge, ranges_of, walk = Kernel(a, b, system), TwinRanges(system), TwinWalk(system)
    for _ in range(int(source.integers(4))):
        which = str(source.choice(["z", "y", "d"]))
        place = (which, int(source.integers(2)), int(source.integers(4)))
        if which == "d" and place[1:] not in system.twins:
            continue
        ends = random_ends(source)
        ranges_of.learn(place, ends)
        judge.learn(place, ends)
    for trial in range(12):
        which, depth = [("z", 1), ("y", 1), ("d", 1), ("y", 2), ("y", 3)][trial % 5]
        cuts = {}
        if which == "y":
            for place in (("z", 0, 1), ("y", 0, 2), ("y", depth - 1 - (depth == 3), 1)):
                if place[1] < 2 and source.random() < 0.4:
                    cuts[place] = [(Rational(0), None), (None, Rational(0))][int(source.integers(2))]
        index = int(source.integers(len(system.layers[depth].rows(which).constants)))
        ranges = ranges_of(cuts, depth)
        if (which == "z" and ranges is None) or (ranges is not None and ranges_of(cuts, system.depth) is None):
            continue  # in the kernel, other layers matter than in a walk for one depth
        # Below the last layer, the kernel has multipliers for neurons of the first network that do not matter.
        with_slopes = trial % 3 and ranges is not None and depth >= system.depth - 1
        slopes = random_slopes(source, system, ranges) if with_slopes else None
        given = () if slopes is None else needed(ranges, slopes)
        found = judge.leaf(which, depth, index, cuts, given)
        if ranges is None:
            assert found is None
        else:
            (own,) = walk.bounds(system.layers[depth].rows(which).at([index]), ranges, slopes if given else None)
            assert found == fraction(own), (which, depth)


def points(count, seed):
    source = np.random.default_rng(seed)
    return [[Rational(int(n), 16) for n in row] for row in source.integers(0, 17, (count, 3))]


@pytest.mark.parametrize("activation", ACTIVATIONS)
def test_ranges_and_bounds_contain_all_values(activation):
    source = np.random.default_rng(7)
    a, b, system = random_system(source, 5, activation)
    ranges = TwinRanges(system)({}, system.depth)
    walk = TwinWalk(system)
    for slopes in (None, random_slopes(source, system, ranges)):
        upper = walk.bounds(system.layers[-1].rows("y"), ranges, slopes)
        lower = walk.bounds(system.layers[-1].rows("y").times(-1), ranges, slopes)
        for point in points(60, 1):
            traces = {"z": a.trace(point), "y": b.trace(point)}
            for depth in range(2):
                for which, trace in traces.items():
                    ends = [ranges[depth].ends(which, i) for i in range(len(trace[depth]))]
                    assert all(p <= x <= q for (p, q), x in zip(ends, trace[depth], strict=True))
            difference = [x - y for x, y in zip(a.at(point), b.at(point), strict=True)]
            assert all(-p <= x <= q for p, x, q in zip(lower, difference, upper, strict=True))


def test_small_changes_have_small_bounds():
    for bits in (4, 20, 60):
        a, b = random_pair(1, Fraction(1, 2**bits))
        twins = {(depth, i): Twin(i, Rational(1)) for depth in range(2) for i in range(len(a.layers[depth].rows))}
        system = TwinSystem(a, b, twins)
        ranges, walk = TwinRanges(system), TwinWalk(system)
        for depth in range(2):
            rows = system.layers[depth].rows("d")
            found = ranges({}, depth)
            ends = [walk.bounds(rows.times(way), found) for way in (-1, 1)]
            for i, (low, high) in enumerate(zip(*ends, strict=True)):
                ranges.learn(("d", depth, i), (-low, high))
        bound = max(walk.bounds(system.layers[-1].rows("y"), ranges({}, system.depth)))
        assert 0 < bound < Fraction(200, 2**bits)
