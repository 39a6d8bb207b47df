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
from verimv.networks.affine import Affine
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


def deeper(source, network, activation):
    """A copy with one more layer: some neurons are split into halves, others pass twice, one is new."""
    first, *others = network.layers
    rows, above = [], []
    for row in first.rows:
        if source.random() < 0.5:
            point = number(source)
            above.append([(len(rows), Rational(1)), (len(rows) + 1, Rational(-1))])
            rows += [row.shifted(-point), (-row).shifted(point)]
        else:
            above.append([(len(rows), number(source))])
            rows.append(row)
    rows.append(rows[0].scaled(Rational(-1, 2)).shifted(number(source)))
    second = Layer(tuple(Affine(row, number(source)) for row in above), len(rows), activation)
    return Network.of([Layer(tuple(rows), first.width_in, activation), second, *others])


def random_system(source, seed, activation):
    """Two networks, of which one may be deeper; some neurons are shared, some are multiples, some have no twin.

    Twins are in any layer before, or in the same one; factors are not always 1, and often negative.
    """
    a, b = random_pair(seed, Fraction(1, 8), activation)
    if source.random() < 0.5:
        own = a.layers[0].rows[0]
        b = with_neurons(b, 0, lambda rows: [own, *rows[1:]])
    if source.random() < 0.3 and activation == "relu":
        b = with_neurons(b, 0, lambda rows: [*rows[:2], rows[1].scaled(Rational(3)), *rows[3:]])
    if source.random() < 0.3 and activation == "relu":
        a = with_neurons(a, 0, lambda rows: [*rows[:4], rows[1].scaled(Rational(1, 2))])
    if source.random() < 0.6:
        a, b = [(deeper(source, a, activation), b), (a, deeper(source, b, activation))][int(source.integers(2))]
    widths = [len(layer.rows) for layer in (*a.layers, *b.layers)]
    kinds = [layer.activation for layer in (*a.layers, *b.layers)]
    start = 3
    found = []  # variables by activation
    twins = {}
    for width, kind in zip(widths, kinds, strict=True):
        for k in range(start, start + width):
            before = [m for m, its_kind in found if its_kind == kind]
            if before and source.random() < 0.7:
                factor = Rational(int(source.integers(1, 5)), 3) if source.random() < 0.3 else Rational(1)
                factor = Rational(1) if kind == "crelu" else factor
                twins[k] = Twin(int(source.choice(before)), -factor if source.random() < 0.4 else factor)
            found.append((k, kind))
        start += width
    return a, b, TwinSystem(a, b, twins)


class Kernel:
    """The system of a pair in the kernel, with twins and known bounds."""

    def __init__(self, a, b, system):
        texts = {"network": "".join(write_network(a)), "other": "".join(write_network(b))}
        self.checker = kernel.start(texts, 10**7).checker
        self.system = system
        for k, twin in system.twins.items():
            self.checker.follow(["twin", *system.places[k], twin.variable, str(twin.factor)])
        self.proofs = kernel.System(kernel.variables_of(self.checker), self.checker.work, self.checker.twins)

    def learn(self, place, ends):
        learn = self.proofs.learn_change if place[0] == "d" else self.proofs.learn
        for side, end in zip(("low", "high"), ends, strict=True):
            if end is not None:
                learn(self.system.variable(place), side, fraction(end))

    def leaf(self, which, number, index, cuts, multipliers):
        layer = self.checker.layers[number - 1]
        target = layer.arguments[index]
        if which == "d" and layer.first + index in self.checker.twins:
            twin = self.checker.twins[layer.first + index]
            own = kernel.variable_of(self.checker, twin.variable).argument
            target = kernel.add_up([(target, 1), (own, -twin.factor)], -twin.offset, self.checker.work)
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

    layers = system.layers[1 : len(ranges)]
    return [LayerSlopes((), (), ()), *(LayerSlopes(*(numbers(layer.width) for _ in range(3))) for layer in layers)]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("seed", range(16))
def test_the_walk_gives_the_numbers_of_the_kernel(seed, activation):
    source = np.random.default_rng(seed)
    a, b, system = random_system(source, seed, activation)
    judge, ranges_of, walk = Kernel(a, b, system), TwinRanges(system), TwinWalk(system)

    def random_place(kinds):
        k = int(source.integers(3, system.layers[-1].start))
        return (str(source.choice(kinds)), *system.places[k])

    for _ in range(int(source.integers(6))):
        place = random_place(["y", "d"])
        if place[0] == "y" or system.variable(place) in system.twins:
            ends = random_ends(source)
            ranges_of.learn(place, ends)
            judge.learn(place, ends)
    for trial in range(12):
        number = system.top if trial % 2 else int(source.integers(1, system.top + 1))
        which = str(source.choice(["y", "d"]))
        cuts = {}
        for _ in range(int(source.integers(3))):
            place = random_place(["y"])
            if place[1] < number:
                cuts[place] = [(Rational(0), None), (None, Rational(0))][int(source.integers(2))]
        index = int(source.integers(system.layers[number].width))
        ranges = ranges_of(cuts, number)
        slopes = random_slopes(source, system, ranges) if trial % 3 and ranges is not None else None
        given = () if slopes is None else needed(ranges, slopes)
        found = judge.leaf(which, number, index, cuts, given)
        if ranges is None:
            assert found is None
        else:
            (own,) = walk.bounds(system.rows(which, number).at([index]), ranges, slopes if given else None)
            assert found == fraction(own), (which, number)


def points(count, seed):
    source = np.random.default_rng(seed)
    return [[Rational(int(n), 16) for n in row] for row in source.integers(0, 17, (count, 3))]


@pytest.mark.parametrize("activation", ACTIVATIONS)
@pytest.mark.parametrize("seed", range(3))
def test_ranges_and_bounds_contain_all_values(seed, activation):
    source = np.random.default_rng(seed)
    a, b, system = random_system(source, 5, activation)
    ranges = TwinRanges(system)({}, system.top)
    walk, rows = TwinWalk(system), system.rows("y", system.top)
    for slopes in (None, random_slopes(source, system, ranges)):
        upper, lower = walk.bounds(rows, ranges, slopes), walk.bounds(rows.times(-1), ranges, slopes)
        assert walk.bounds(rows.both_ways(), ranges, slopes) == [*lower, *upper]
        for point in points(60, 1):
            for trace, found in zip((*a.trace(point), *b.trace(point)), ranges[1:], strict=True):
                ends = [found.ends(i) for i in range(len(trace))]
                assert all(p <= x <= q for (p, q), x in zip(ends, trace, strict=True))
            difference = [x - y for x, y in zip(a.at(point), b.at(point), strict=True)]
            assert all(-p <= x <= q for p, x, q in zip(lower, difference, upper, strict=True))


def test_small_changes_have_small_bounds():
    for bits in (4, 20, 60):
        a, b = random_pair(1, Fraction(1, 2**bits))
        neurons = sum(len(layer.rows) for layer in a.layers)
        twins = {neurons + k: Twin(k, Rational(1)) for k in range(3, 3 + neurons - len(a.outputs))}
        system = TwinSystem(a, b, twins)
        ranges, walk = TwinRanges(system), TwinWalk(system)
        for layer in range(len(a.layers) + 1, system.top):
            rows = system.rows("d", layer)
            found = ranges({}, layer)
            ends = [walk.bounds(rows.times(way), found) for way in (-1, 1)]
            for i, (low, high) in enumerate(zip(*ends, strict=True)):
                ranges.learn(("d", layer, i), (-low, high))
        bound = max(walk.bounds(system.rows("y", system.top), ranges({}, system.top)))
        assert 0 < bound < Fraction(200, 2**bits)
