"""Ranges of the arguments of two networks in one situation, and the cells in which neurons are compared with twins.

Exactly what proofs/FORMAT.md, §8 says, in integers over one denominator per layer.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.prove.twin_layers import TwinPlace, TwinSystem
from verimv.bounding.prove.walk import Integers, KnownEnds
from verimv.bounding.situation import KINKS, Ends
from verimv.exact import Number, Rational
from verimv.networks.network import Activation

#: Low and high ends of the arguments of a layer.
IntegerEnds = tuple[Integers, Integers]


@dataclass(frozen=True)
class TwinCell:
    """A piece of the range of x, and one of the range of y; act(x) = slope·x + shift there, and so for y."""

    x: IntegerEnds
    y: IntegerEnds
    of_x: tuple[int, int]
    of_y: tuple[int, int]
    #: the neurons that have such a cell
    exists: Any


@dataclass(frozen=True)
class Compared:
    """The neurons of a layer that are compared with their twins, over a denominator of their own."""

    at: Any
    denominator: int
    x: IntegerEnds
    y: IntegerEnds
    d: IntegerEnds
    cells: Sequence[TwinCell]
    #: which neurons have one cell only, so that the difference is known; slopes of y and x there
    has_one_cell: Any
    slopes: tuple[Integers, Integers]
    is_split: Any

    @property
    def is_multiplied(self) -> Any:
        """Which neurons need two multipliers, unless there are none at all."""
        return ~self.has_one_cell | self.is_split


@dataclass(frozen=True)
class TwinRange:
    """Ranges of arguments over `denominator`; those that bend need a multiplier, unless they are compared."""

    denominator: int
    y: IntegerEnds
    bends: Any
    compared: Compared

    def ends(self, i: int) -> tuple[Number, Number]:
        """Return the range of the argument of a neuron."""
        low, high = self.y
        return Rational(int(low[i]), self.denominator), Rational(int(high[i]), self.denominator)


class TwinRanges:
    """Computes ranges of a system; keeps what is proved on the whole cube."""

    def __init__(self, system: TwinSystem) -> None:
        self.system = system
        self.known: dict[TwinPlace, Ends] = {}
        self._lemmas: dict[int, KnownEnds] = {}
        self._over_inputs: dict[int, IntegerEnds] = {}  # intervals of layers over inputs, which no cut changes

    def learn(self, place: TwinPlace, ends: Ends) -> None:
        """Take note of bounds that are proved on the whole cube."""
        self.known[place] = ends
        self._lemmas.pop(place[1], None)

    def of_inputs(self) -> TwinRange:
        """Return the range of the inputs."""
        none = np.zeros(self.system.inputs, dtype=object)
        return TwinRange(1, (none, none + 1), none.astype(bool), _no_comparison())

    def __call__(self, cuts: Mapping[TwinPlace, Ends], stop: int) -> list[TwinRange] | None:
        """Return the ranges of the layers below `stop` where cuts hold; None if there is no such point."""
        result = [self.of_inputs()]
        for number in range(1, stop):
            found = self.layer(number, cuts, result)
            if found is None:
                return None
            result.append(found)
        return result

    def layer(self, number: int, cuts: Mapping[TwinPlace, Ends], below: Sequence[TwinRange]) -> TwinRange | None:
        """Return the ranges of a layer over those of all below; None if one is empty, or there is no cell."""
        own = _at(cuts, "y", number)
        y, one = self._cut(number, *self._intervals(number, below), own)
        if (y[0] > y[1]).any():
            return None
        layer = self.system.layers[number]
        bends = _has_kinks(layer.activation, y, one)
        bends[[i for i, _ in own]] = True
        at = np.flatnonzero(bends & (layer.twins.layers >= 0))
        is_split = np.isin(at, [i for i, _ in own])
        compared = self._compared(number, at, is_split, y, one, below) if len(at) else _no_comparison()
        if len(at) and not np.any([cell.exists for cell in compared.cells] or [at < 0], axis=0).all():
            return None
        bends[at] = False
        return TwinRange(one, y, bends, compared)

    def _intervals(self, number: int, below: Sequence[TwinRange]) -> tuple[IntegerEnds, int]:
        """Return the intervals of arguments over the values below, and their denominator."""
        layer = self.system.layers[number]
        if number in self._over_inputs:
            return self._over_inputs[number], layer.denominator
        one = math.lcm(*(below[k].denominator for k in layer.weights))
        low = high = 2 * one * layer.bias
        for k, matrix in layer.weights.items():
            found, activation = below[k], self.system.layers[k].activation
            scale = one // found.denominator
            values = (activated(activation, end, found.denominator) * scale for end in found.y)
            least, most = matrix.interval(*values)
            low, high = low + least, high + most
        ends = low // 2, high // 2  # without remainder
        if layer.is_over_inputs:
            self._over_inputs[number] = ends
        return ends, one * layer.denominator

    def _cut(
        self, number: int, ends: IntegerEnds, scale: int, cuts: Sequence[tuple[int, Ends]]
    ) -> tuple[IntegerEnds, int]:
        """Intersect ranges with what is known; an end of a cut replaces one that is known."""
        low, high = ends[0].copy(), ends[1].copy()
        if number not in self._lemmas:
            self._lemmas[number] = KnownEnds(_at(self.known, "y", number))
        lemmas = self._lemmas[number]
        if cuts:
            merged = dict(_at(self.known, "y", number))
            for i, cut in cuts:
                least, most = merged.get(i, (None, None))
                merged[i] = (least if cut[0] is None else cut[0], most if cut[1] is None else cut[1])
            lemmas = KnownEnds(list(merged.items()))
        low, high, scale = lemmas.cut(low, high, scale)
        return (low, high), scale

    def _compared(
        self, number: int, at: Any, is_split: Any, y: IntegerEnds, one: int, below: Sequence[TwinRange]
    ) -> Compared:
        layer = self.system.layers[number]
        of_x, scale = self._of_twins(number, at, y, one, below)
        of_y = y[0][at] * (scale // one), y[1][at] * (scale // one)
        change = of_y[0] - of_x[1], of_y[1] - of_x[0]
        known = [(n, self.known[place]) for n, i in enumerate(at.tolist()) if (place := ("d", number, i)) in self.known]
        if known:
            low, high, longer = KnownEnds(known).cut(*change, scale)
            factor, scale = longer // scale, longer
            change = low, high
            of_x, of_y = ((ends[0] * factor, ends[1] * factor) for ends in (of_x, of_y))
        cells = cells_of(layer.activation, of_x, of_y, change, scale)
        count: Any = sum((cell.exists.astype(int) for cell in cells), np.zeros(len(at), dtype=int))
        slopes = [np.zeros(len(at), dtype=object), np.zeros(len(at), dtype=object)]
        for cell in cells:
            slopes[0][cell.exists], slopes[1][cell.exists] = cell.of_y[0], cell.of_x[0]
        both = (slopes[0], slopes[1])
        return Compared(at, scale, of_x, of_y, change, cells, count == 1, both, is_split)

    def _of_twins(
        self, number: int, at: Any, y: IntegerEnds, one: int, below: Sequence[TwinRange]
    ) -> tuple[IntegerEnds, int]:
        """Return the ranges of x for some neurons, and their denominator."""
        twins = self.system.layers[number].twins
        layers, factors = twins.layers[at], twins.factors[at]
        ranges = {k: (y, one) if k == number else (below[k].y, below[k].denominator) for k in set(layers.tolist())}
        common = math.lcm(one, *(denominator for _, denominator in ranges.values()))
        low, high = (np.zeros(len(at), dtype=object) for _ in range(2))
        for k, (ends, denominator) in ranges.items():
            here = layers == k
            least, most = (end[twins.indices[at][here]] * (common // denominator) for end in ends)
            rises = factors[here] > 0
            low[here] = factors[here] * np.where(rises, least, most)
            high[here] = factors[here] * np.where(rises, most, least)
        scale = common * twins.unit
        return (low + twins.offsets[at] * scale, high + twins.offsets[at] * scale), scale


def _no_comparison() -> Compared:
    none: Any = np.zeros(0, dtype=object)
    flags = none.astype(bool)
    ends = (none, none)
    return Compared(none.astype(int), 1, ends, ends, ends, (), flags, ends, flags)


def _at(ends: Mapping[TwinPlace, Ends], which: str, depth: int) -> list[tuple[int, Ends]]:
    return [(i, found) for (w, layer, i), found in ends.items() if w == which and layer == depth]


def activated(activation: Activation, values: Integers, one: int) -> Integers:
    """Apply an activation to integers over the denominator `one`."""
    if activation == "identity":
        return values
    values = np.maximum(values, 0)
    return np.minimum(values, one) if activation == "crelu" else values


def _has_kinks(activation: Activation, ends: IntegerEnds, one: int) -> Any:
    result = np.zeros(len(ends[0]), dtype=bool)
    for kink in KINKS[activation]:
        result |= ((ends[0] < kink * one) & (ends[1] > kink * one)).astype(bool)
    return result


def _pieces(activation: Activation, ends: IntegerEnds, one: int) -> list[tuple[IntegerEnds, tuple[int, int], Any]]:
    """Return the parts into which kinks cut ranges, with slope and shift of the activation, and where they exist."""
    low, high = ends
    if activation == "identity":
        return [(ends, (1, 0), np.ones(len(low), dtype=bool))]
    flat = ((low, np.minimum(high, 0)), (0, 0), (low < 0) | (high <= 0))
    if activation == "relu":
        return [flat, ((np.maximum(low, 0), high), (1, 0), high > 0)]
    rising = ((np.maximum(low, 0), np.minimum(high, one)), (1, 0), (high > 0) & (low < one))
    return [flat, rising, ((np.maximum(low, one), high), (0, one), (high > one) | (low >= one))]


def cells_of(activation: Activation, x: IntegerEnds, y: IntegerEnds, d: IntegerEnds, one: int) -> list[TwinCell]:
    """Return the pairs of pieces that have a point in common, for at least one neuron."""
    result = []
    for of_x, line, has_x in _pieces(activation, x, one):
        for of_y, other, has_y in _pieces(activation, y, one):
            exists = has_x & has_y & (of_x[0] + d[0] <= of_y[1]) & (of_y[0] <= of_x[1] + d[1])
            if exists.any():
                result.append(TwinCell(of_x, of_y, line, other, exists.astype(bool)))
    return result
