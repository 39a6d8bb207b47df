"""Ranges of the arguments of two networks in one situation, and the cells in which neurons are compared with twins.

Exactly what proofs/FORMAT.md, §8 says, in integers over one denominator per layer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.prove.twin_layers import TwinLayer, TwinPlace, TwinSystem, Which
from verimv.bounding.prove.walk import Integers, KnownEnds
from verimv.bounding.situation import KINKS, Ends
from verimv.exact import Number, Rational
from verimv.networks.network import Activation

#: Low and high ends of the arguments of a layer.
IntegerEnds = tuple[Integers, Integers]


@dataclass(frozen=True)
class TwinCell:
    """A piece of the range of p·z, and one of the range of y; act(p·z) = slope·(p·z) + shift there, and so for y."""

    z: IntegerEnds
    y: IntegerEnds
    of_z: tuple[int, int]
    of_y: tuple[int, int]
    #: the neurons that have such a cell
    exists: Any


@dataclass(frozen=True)
class Compared:
    """The neurons of a layer that are compared with their twins, over a denominator of their own."""

    at: Any
    twins: Any
    factors: Integers
    denominator: int
    z: IntegerEnds
    y: IntegerEnds
    d: IntegerEnds
    cells: Sequence[TwinCell]
    #: which neurons have one cell only, so that the difference is known; slopes of y and z there
    has_one_cell: Any
    slopes: tuple[Integers, Integers]
    is_split: Any

    @property
    def is_multiplied(self) -> Any:
        """Which neurons need two multipliers, unless there are none at all."""
        return ~self.has_one_cell | self.is_split


@dataclass(frozen=True)
class TwinRange:
    """Ranges of z and y over `denominator`; those that bend need a multiplier, unless they are compared."""

    denominator: int
    z: IntegerEnds
    y: IntegerEnds
    z_bends: Any
    y_bends: Any
    compared: Compared

    def ends(self, which: Which, i: int) -> tuple[Number, Number]:
        """Return the range of z or y of a neuron."""
        low, high = self.z if which == "z" else self.y
        return Rational(int(low[i]), self.denominator), Rational(int(high[i]), self.denominator)


class TwinRanges:
    """Computes ranges of a system; keeps what is proved on the whole cube."""

    def __init__(self, system: TwinSystem) -> None:
        self.system = system
        self.known: dict[TwinPlace, Ends] = {}
        self._lemmas: dict[tuple[Which, int], KnownEnds] = {}
        self._first: tuple[IntegerEnds, IntegerEnds] | None = None  # intervals of the first layer

    def learn(self, place: TwinPlace, ends: Ends) -> None:
        """Take note of bounds that are proved on the whole cube."""
        self.known[place] = ends
        self._lemmas.pop((place[0], place[1]), None)

    def __call__(self, cuts: Mapping[TwinPlace, Ends], stop: int) -> list[TwinRange] | None:
        """Return the ranges of the layers below `stop` where cuts hold; None if there is no such point."""
        result: list[TwinRange] = []
        for depth in range(stop):
            found = self.layer(depth, cuts, result[-1] if result else None)
            if found is None:
                return None
            result.append(found)
        return result

    def layer(self, depth: int, cuts: Mapping[TwinPlace, Ends], below: TwinRange | None) -> TwinRange | None:
        """Return the ranges of a layer over those of the layer below; None if one is empty, or there is no cell."""
        z, y, scale = self._intervals(depth, below)
        own = {which: _at(cuts, which, depth) for which in ("z", "y")}
        z, scale_z = self._cut("z", depth, z, scale, own["z"])
        y, scale_y = self._cut("y", depth, y, scale, own["y"])
        if (z[0] > z[1]).any() or (y[0] > y[1]).any():
            return None
        one = math.lcm(scale_z, scale_y)
        z, y = (z[0] * (one // scale_z), z[1] * (one // scale_z)), (y[0] * (one // scale_y), y[1] * (one // scale_y))
        layer = self.system.layers[depth]
        bends = []
        for which, ends in (("z", z), ("y", y)):
            bends.append(_has_kinks(layer.activation, ends, one))
            bends[-1][[i for i, _ in own[which]]] = True
        at = np.flatnonzero(bends[1] & (layer.twins >= 0))
        is_split = np.isin(at, [i for i, _ in own["y"]])
        compared = self._compared(depth, layer, at, is_split, z, y, one)
        if not np.any([at < 0, *(cell.exists for cell in compared.cells)], axis=0).all():
            return None
        bends[1][at] = False
        return TwinRange(one, z, y, bends[0], bends[1], compared)

    def _intervals(self, depth: int, below: TwinRange | None) -> tuple[IntegerEnds, IntegerEnds, int]:
        """Return the intervals of z and y over the values below, and their denominator."""
        layer = self.system.layers[depth]
        if below is None:
            if self._first is None:
                none = np.zeros(self.system.inputs, dtype=object)
                self._first = _intervals(layer, (none, none + 1), (none[:0], none[:0]), 1)
            return *self._first, layer.denominator
        one, activation = below.denominator, self.system.layers[depth - 1].activation
        values, others = (
            (activated(activation, e[0], one), activated(activation, e[1], one)) for e in (below.z, below.y)
        )
        return *_intervals(layer, values, others, one), one * layer.denominator

    def _cut(
        self, which: Which, depth: int, ends: IntegerEnds, scale: int, cuts: Sequence[tuple[int, Ends]]
    ) -> tuple[IntegerEnds, int]:
        """Intersect ranges with what is known; an end of a cut replaces one that is known."""
        low, high = ends[0].copy(), ends[1].copy()
        if (which, depth) not in self._lemmas:
            self._lemmas[which, depth] = KnownEnds(_at(self.known, which, depth))
        lemmas = self._lemmas[which, depth]
        if cuts:
            merged = dict(_at(self.known, which, depth))
            for i, cut in cuts:
                least, most = merged.get(i, (None, None))
                merged[i] = (least if cut[0] is None else cut[0], most if cut[1] is None else cut[1])
            lemmas = KnownEnds(list(merged.items()))
        low, high, scale = lemmas.cut(low, high, scale)
        return (low, high), scale

    def _compared(
        self, depth: int, layer: TwinLayer, at: Any, is_split: Any, z: IntegerEnds, y: IntegerEnds, one: int
    ) -> Compared:
        twins, factors = layer.twins[at], layer.factors[at]
        of_z = z[0][twins] * factors, z[1][twins] * factors
        of_y = y[0][at] * layer.unit, y[1][at] * layer.unit
        change, scale = (of_y[0] - of_z[1], of_y[1] - of_z[0]), one * layer.unit
        known = [(n, self.known[place]) for n, i in enumerate(at.tolist()) if (place := ("d", depth, i)) in self.known]
        if known:
            low, high, longer = KnownEnds(known).cut(*change, scale)
            factor, scale = longer // scale, longer
            change = low, high
            of_z, of_y = ((ends[0] * factor, ends[1] * factor) for ends in (of_z, of_y))
        cells = cells_of(layer.activation, of_z, of_y, change, scale)
        count: Any = sum((cell.exists.astype(int) for cell in cells), np.zeros(len(at), dtype=int))
        slopes = [np.zeros(len(at), dtype=object), np.zeros(len(at), dtype=object)]
        for cell in cells:
            slopes[0][cell.exists], slopes[1][cell.exists] = cell.of_y[0], cell.of_z[0]
        both = (slopes[0], slopes[1])
        return Compared(at, twins, factors, scale, of_z, of_y, change, cells, count == 1, both, is_split)


def _at(ends: Mapping[TwinPlace, Ends], which: str, depth: int) -> list[tuple[int, Ends]]:
    return [(i, found) for (w, layer, i), found in ends.items() if w == which and layer == depth]


def _intervals(layer: TwinLayer, v: IntegerEnds, w: IntegerEnds, one: int) -> tuple[IntegerEnds, IntegerEnds]:
    """Return the intervals of z and y over values with the denominator `one`."""

    def total(bias: Integers, parts: Iterable[IntegerEnds]) -> IntegerEnds:
        low = high = 2 * one * bias
        for least, most in parts:
            low, high = low + least, high + most
        return low // 2, high // 2  # without remainder

    z = total(layer.own_bias, [layer.own.interval(*v)])
    return z, total(layer.bias, [layer.outer.interval(*v), layer.inner.interval(*w)])


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


def cells_of(activation: Activation, z: IntegerEnds, y: IntegerEnds, d: IntegerEnds, one: int) -> list[TwinCell]:
    """Return the pairs of pieces that have a point in common, for at least one neuron."""
    result = []
    for of_z, line, has_z in _pieces(activation, z, one):
        for of_y, other, has_y in _pieces(activation, y, one):
            exists = has_z & has_y & (of_z[0] + d[0] <= of_y[1]) & (of_y[0] <= of_z[1] + d[1])
            if exists.any():
                result.append(TwinCell(of_z, of_y, line, other, exists.astype(bool)))
    return result
