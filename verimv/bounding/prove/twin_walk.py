"""Exact evaluation of evidence about two networks: the bounds that multipliers give, for many rows at once.

A neuron act(y) with a twin act(z) is compared with it by way of x, a multiple of z; act(x) is affine in act(z) and z
(:func:`verimv.bounding.prove.twin_layers.identity_of`). With d = y − x, for any numbers μ and ν,

    c·act(y) ≤ c·act(x) + μ·d + ν·x + max over all cells of (c·act(y) − c·act(x) − μ·d − ν·x).

Kinks cut the ranges of x and y into cells, on which this is A·x + B·d + C. Its maximum is the least of three numbers,
each of which is obviously not smaller (it is equal to one of them by duality):

    max A·x + max B·d,    max (A − B)·x + max B·y,    max A·y + max (B − A)·d.

Everything else is relaxed as in :mod:`verimv.bounding.prove.walk`. The numbers are those of proofs/FORMAT.md, §8.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.prove.twin_layers import Rows, TwinLayer, TwinSystem
from verimv.bounding.prove.twin_ranges import Compared, IntegerEnds, TwinRange, activated
from verimv.bounding.prove.walk import Integers, over
from verimv.bounding.situation import KINKS
from verimv.core.effort import NEVER, Deadline
from verimv.exact import Number, Rational
from verimv.networks.network import Activation

#: Bits of default slopes after the binary point.
_DEFAULT_BITS = 16
_UNIT = 1 << _DEFAULT_BITS


@dataclass(frozen=True)
class LayerSlopes:
    """Multipliers of a layer for all its neurons, those that need none included: for act(y), μ and ν."""

    of_y: Sequence[Number]
    mu: Sequence[Number]
    nu: Sequence[Number]


class _Given:
    """Multipliers over a common denominator."""

    def __init__(self, slopes: LayerSlopes) -> None:
        lists = (slopes.of_y, slopes.mu, slopes.nu)
        numerators, self.denominator = over([x for found in lists for x in found])
        self.of_y, self.mu, self.nu = np.split(numerators, 3)


class _LayerSums:
    """Coefficients of the variables of layers, or of their arguments: one row per target, over a denominator."""

    def __init__(self) -> None:
        self._found: dict[int, tuple[Integers, int]] = {}

    def add(self, number: int, part: Integers, scale: int) -> None:
        if number in self._found:
            other, its_scale = self._found[number]
            common = math.lcm(scale, its_scale)
            part, scale = part * (common // scale) + other * (common // its_scale), common
        self._found[number] = part, scale

    def pop(self, number: int, shape: tuple[int, int]) -> tuple[Integers, int]:
        """Return what was added for a layer; zeros if nothing was."""
        return self._found.pop(number, (np.zeros(shape, dtype=object), 1))

    def __contains__(self, number: int) -> bool:
        return number in self._found


class TwinWalk:
    """Evaluates rows over a system of two networks."""

    def __init__(self, system: TwinSystem, deadline: Deadline = NEVER) -> None:
        self.system, self.deadline = system, deadline

    def bounds(
        self, rows: Rows, ranges: Sequence[TwinRange], slopes: Sequence[LayerSlopes] | None = None
    ) -> list[Number]:
        """Return upper bounds of rows over variables of layers that have ranges; without slopes, by the default ones.

        `ranges` and `slopes` have an entry for each layer from 0 on, which has the inputs.
        """
        totals: list[Number] = [Rational(int(x), rows.denominator) for x in rows.constants]
        values, arguments = _LayerSums(), _LayerSums()
        for number, part in rows.parts.items():
            values.add(number, part, rows.denominator)
        for number in range(len(ranges) - 1, 0, -1):
            if slopes is None and number not in values and number not in arguments:
                continue  # nothing depends on this layer
            self.deadline.check()
            layer, shape = self.system.layers[number], (len(totals), self.system.layers[number].width)
            given = None if slopes is None else _Given(slopes[number])
            sums = values.pop(number, shape), arguments.pop(number, shape)
            step = _TwinStep(self.system.layers, number, ranges[number], sums, given)
            step.pass_on(values, arguments)
            for t, (peak, shift) in enumerate(zip(step.peaks, step.slopes @ layer.bias, strict=True)):
                totals[t] += peak + Rational(int(shift), step.scale * layer.denominator)
        last, scale = values.pop(0, (len(totals), self.system.inputs))
        highest = np.maximum(last, 0).sum(axis=1)
        return [total + Rational(int(x), scale) for total, x in zip(totals, highest, strict=True)]


class _TwinStep:
    """What a layer becomes: slopes of its arguments over `scale`, and peaks.

    The scale is a multiple of the units of default slopes and of the twins' factors: divisions leave no remainder.
    """

    def __init__(
        self, layers: Sequence[TwinLayer], number: int, found: TwinRange,
        sums: tuple[tuple[Integers, int], tuple[Integers, int]], given: _Given | None,
    ) -> None:  # fmt: skip
        self._layers, self.number, self.found, self.given = layers, number, found, given
        self.layer = layer = layers[number]
        (c, scale), (moved, its_scale) = sums
        common = math.lcm(scale, its_scale, 1 if given is None else given.denominator)
        compared = found.compared
        is_here = layer.twins.layers[compared.at] == number
        divisions = 2 if is_here.any() else 1  # a twin in this layer may be compared, too
        self.scale = common * layer.twins.unit**divisions * (_UNIT if given is None else 1)
        c, moved = c * (self.scale // scale), moved * (self.scale // its_scale)
        self.peaks: list[Number] = [Rational(0)] * len(c)
        #: what comparisons with neurons of layers below add, by layer: to values and to arguments
        self._twins: dict[int, tuple[Integers, Integers]] = {}
        of_compared = np.zeros((len(c), len(compared.at)), dtype=object)
        for chosen in (np.flatnonzero(is_here), np.flatnonzero(~is_here)):  # first what adds to this layer
            of_compared[:, chosen] = self._compare(chosen, c, moved)
        c[:, compared.at] = 0
        self.slopes: Integers = moved + self._ordinary(c)
        self.slopes[:, compared.at] += of_compared

    def pass_on(self, values: _LayerSums, arguments: _LayerSums) -> None:
        """Add what the layer becomes to the layers below."""
        for number, (of_values, of_arguments) in self._twins.items():
            values.add(number, *_shortened(of_values, self.scale))
            arguments.add(number, *_shortened(of_arguments, self.scale))
        for number, matrix in self.layer.weights.items():
            values.add(number, *_shortened(matrix.times(self.slopes), self.scale * self.layer.denominator))

    def _compare(self, chosen: Any, c: Integers, moved: Integers) -> Integers:
        """Replace some neurons by their twins; return their μ, and add to coefficients of twins in this layer."""
        if not len(chosen):
            return np.zeros((len(c), 0), dtype=object)
        compared, twins = self.found.compared.at[chosen], self.layer.twins
        of_y = c[:, compared].copy()
        mu, nu = self._slopes_of_twins(chosen, of_y)
        self._add(_peaks_of_twins(self.found.compared, chosen, of_y, mu, nu), self.found.compared.denominator)
        self._add((of_y + nu - mu) * twins.offsets[compared], 1)
        of_values = of_y * twins.of_values[compared] // twins.unit
        of_arguments = of_y * twins.of_arguments[compared] + (nu - mu) * twins.factors[compared]
        of_arguments //= twins.unit
        for n, i in enumerate(compared.tolist()):
            number, index = int(twins.layers[i]), int(twins.indices[i])
            to_values, to_arguments = (c, moved) if number == self.number else self._sums_of(number, len(c))
            to_values[:, index] += of_values[:, n]
            to_arguments[:, index] += of_arguments[:, n]
        return mu

    def _sums_of(self, number: int, count: int) -> tuple[Integers, Integers]:
        if number not in self._twins:
            shape = (count, self._layers[number].width)
            self._twins[number] = np.zeros(shape, dtype=object), np.zeros(shape, dtype=object)
        return self._twins[number]

    def _add(self, peaks: Integers, denominator: int) -> None:
        for t, peak in enumerate(peaks.sum(axis=1)):
            self.peaks[t] += Rational(int(peak), self.scale * denominator)

    def _ordinary(self, c: Integers) -> Integers:
        """Return the slopes of neurons that are relaxed on their own; add their peaks."""
        activation, one, ends, bends = self.layer.activation, self.found.denominator, self.found.y, self.found.bends
        slope = c * _passes(activation, ends, one)
        if bends.any() and self.given is not None:
            slope[:, bends] = self.given.of_y[bends] * (self.scale // self.given.denominator)
        elif bends.any():
            part = c[:, bends]
            slope[:, bends] = part * _shares(activation, part, (ends[0][bends], ends[1][bends]), one) // _UNIT
        best: Any = None
        for y in (*ends, *(np.minimum(np.maximum(ends[0], kink * one), ends[1]) for kink in KINKS[activation])):
            height = c * activated(activation, y, one) - slope * y
            best = height if best is None else np.maximum(best, height)
        self._add(best, one)
        return slope

    def _slopes_of_twins(self, chosen: Any, c: Integers) -> tuple[Integers, Integers]:
        """Return μ and ν of neurons that are compared."""
        compared = self.found.compared
        of_y, of_x = (slopes[chosen] for slopes in compared.slopes)
        if self.given is not None:
            unit, at = self.scale // self.given.denominator, compared.at[chosen]
            mu, nu = self.given.mu[at] * unit, self.given.nu[at] * unit
            is_exact = ~compared.is_multiplied[chosen]
        else:
            mu, nu = c * _shares_of_twins(c, (compared.d[0][chosen], compared.d[1][chosen])) // _UNIT, c * 0
            is_exact = compared.has_one_cell[chosen]
        return np.where(is_exact, c * of_y, mu), np.where(is_exact, c * (of_y - of_x), nu)


def _shortened(numbers: Integers, scale: int) -> tuple[Integers, int]:
    """Divide by a power of 2 that all have in common."""
    bits = int(np.bitwise_or.reduce(np.abs(numbers), axis=None))
    zeros = min((x & -x).bit_length() - 1 for x in (bits or scale, scale))
    return numbers >> zeros, scale >> zeros


def _passes(activation: Activation, ends: IntegerEnds, one: int) -> Integers:
    """Return 1 for neurons whose activation changes neither end of the range, 0 for the others."""
    if activation == "identity":
        return np.ones(len(ends[0]), dtype=object)
    return ((ends[0] >= 0) & ((activation == "relu") | (ends[1] <= one))).astype(int).astype(object)


def _shares(activation: Activation, c: Integers, ends: IntegerEnds, one: int) -> Integers:
    """Return the default slopes of act(z) divided by c, times 2^_DEFAULT_BITS."""
    low, high = ends
    rise = activated(activation, high, one) - activated(activation, low, one)
    chord = rise * _UNIT // np.where(high > low, high - low, 1)
    side = np.where(low + high > 0, _UNIT, 0).astype(object)
    return np.where((high > low) & ((c > 0) | (activation != "relu")), chord, side)


def _shares_of_twins(c: Integers, change: IntegerEnds) -> Integers:
    """Return the default μ divided by c, times 2^_DEFAULT_BITS: the slope of a line above max(0, d), or below it."""
    low, high = change
    width = np.where(high > low, high - low, 1)
    rising = np.where(low >= 0, _UNIT, np.where(high <= 0, 0, high * _UNIT // width))
    falling = np.where(low >= 0, 0, np.where(high <= 0, _UNIT, -low * _UNIT // width))
    return np.where(c > 0, rising, falling)


def _peaks_of_twins(found: Compared, chosen: Any, c: Integers, mu: Integers, nu: Integers) -> Integers:
    """Return the largest c·(act(y) − act(x)) − μ·d − ν·x over the cells of some neurons."""

    def largest(factor: Integers, ends: IntegerEnds) -> Integers:
        return np.where(factor > 0, factor * ends[1][chosen], factor * ends[0][chosen])

    best: Any = c * 0
    seen: Any = np.zeros(len(chosen), dtype=bool)
    d = found.d
    for cell in found.cells:
        (slope, shift), (of_y, shift_of_y), x, y = cell.of_x, cell.of_y, cell.x, cell.y
        exists = cell.exists[chosen]
        a, b = c * (of_y - slope) - nu, c * of_y - mu
        height = np.minimum(largest(a, x) + largest(b, d), largest(a - b, x) + largest(b, y))
        height = np.minimum(height, largest(a, y) + largest(b - a, d)) + c * (shift_of_y - shift)
        best = np.where(exists & (~seen | (height > best)), height, best)
        seen = seen | exists
    return best
