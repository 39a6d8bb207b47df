"""Exact evaluation of evidence about two networks: the bounds that multipliers give, for many rows at once.

A neuron act(y) of the second network is replaced by its twin: with z' = p·z and d = y − z', for any numbers μ and ν,

    c·act(y) ≤ c·p·act(z) + μ·d + ν·z' + max over all cells of (c·act(y) − c·act(z') − μ·d − ν·z').

Kinks cut the ranges of z' and y into cells, on which this is A·z' + B·d + C. Its maximum is the least of three numbers,
each of which is obviously not smaller (it is equal to one of them by duality):

    max A·z' + max B·d,    max (A − B)·z' + max B·y,    max A·y + max (B − A)·d.

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
    """Multipliers of a layer for all its neurons, those that need none included: for act(z), act(y), μ and ν."""

    of_z: Sequence[Number]
    of_y: Sequence[Number]
    mu: Sequence[Number]
    nu: Sequence[Number]


class _Given:
    """Multipliers over a common denominator."""

    def __init__(self, slopes: LayerSlopes) -> None:
        lists = (slopes.of_z, slopes.of_y, slopes.mu, slopes.nu)
        numerators, self.denominator = over([x for found in lists for x in found])
        stops = np.cumsum([len(found) for found in lists])[:-1].tolist()
        self.of_z, self.of_y, self.mu, self.nu = np.split(numerators, stops)


class TwinWalk:
    """Evaluates rows over a system of two networks."""

    def __init__(self, system: TwinSystem, deadline: Deadline = NEVER) -> None:
        self.system, self.deadline = system, deadline

    def bounds(
        self, rows: Rows, ranges: Sequence[TwinRange], slopes: Sequence[LayerSlopes] | None = None
    ) -> list[Number]:
        """Return upper bounds of rows over the values of the last of `ranges`; without slopes, by the default ones."""
        first, second, constants, scale = rows
        totals: list[Number] = [Rational(int(x), scale) for x in constants]
        for depth in range(len(ranges) - 1, -1, -1):
            self.deadline.check()
            layer, found = self.system.layers[depth], ranges[depth]
            given = None if slopes is None else _Given(slopes[depth])
            factor = layer.unit * (_UNIT if given is None else math.lcm(scale, given.denominator) // scale)
            step = _TwinStep(layer, found, first, second, factor, scale * factor, given)
            scale *= factor
            shifts = step.of_z @ layer.own_bias + step.of_y @ layer.bias
            for t, (peak, shift) in enumerate(zip(step.peaks, shifts, strict=True)):
                totals[t] += peak + Rational(int(shift), scale * layer.denominator)
            first = layer.own.times(step.of_z) + layer.outer.times(step.of_y)
            second = layer.inner.times(step.of_y)
            first, second, scale = _shortened(first, second, scale * layer.denominator)
        highest = np.maximum(first, 0).sum(axis=1)
        return [total + Rational(int(x), scale) for total, x in zip(totals, highest, strict=True)]


class _TwinStep:
    """What a layer becomes: slopes of its arguments over `scale`, and peaks. Coefficients are multiplied by `factor`.

    The factor is a multiple of the units of default slopes and of the twins' factors: divisions leave no remainder.
    """

    def __init__(
        self, layer: TwinLayer, found: TwinRange, first: Integers, second: Integers, factor: int, scale: int,
        given: _Given | None,
    ) -> None:  # fmt: skip
        self.layer, self.found, self.scale, self.given = layer, found, scale, given
        self.peaks: list[Number] = [Rational(0)] * len(first)
        first, second = first * factor, second * factor
        moved: Any = np.zeros(first.shape, dtype=object)  # slopes of z that comparisons add
        compared = found.compared
        if len(compared.at):
            c = second[:, compared.at]
            mu, nu = self._slopes_of_twins(c)
            self._add(_peaks_of_twins(compared, c, mu, nu), compared.denominator)
            for n, (twin, p) in enumerate(zip(compared.twins.tolist(), compared.factors.tolist(), strict=True)):
                first[:, twin] += c[:, n] * p // layer.unit
                moved[:, twin] += (nu[:, n] - mu[:, n]) * p // layer.unit
            second[:, compared.at] = 0
        of_y, of_z = (None, None) if given is None else (given.of_y, given.of_z)
        self.of_y = self._ordinary(second, found.y, found.y_bends, of_y)
        if len(compared.at):
            self.of_y[:, compared.at] = mu
        self.of_z = moved + self._ordinary(first, found.z, found.z_bends, of_z)

    def _add(self, peaks: Integers, denominator: int) -> None:
        for t, peak in enumerate(peaks.sum(axis=1)):
            self.peaks[t] += Rational(int(peak), self.scale * denominator)

    def _ordinary(self, c: Integers, ends: IntegerEnds, bends: Any, given: Integers | None) -> Integers:
        """Return the slopes of neurons that are relaxed on their own; add their peaks."""
        activation, one = self.layer.activation, self.found.denominator
        slope = c * _passes(activation, ends, one)
        if bends.any() and self.given is not None and given is not None:
            slope[:, bends] = given[bends] * (self.scale // self.given.denominator)
        elif bends.any():
            part = c[:, bends]
            slope[:, bends] = part * _shares(activation, part, (ends[0][bends], ends[1][bends]), one) // _UNIT
        best: Any = None
        for z in (*ends, *(np.minimum(np.maximum(ends[0], kink * one), ends[1]) for kink in KINKS[activation])):
            height = c * activated(activation, z, one) - slope * z
            best = height if best is None else np.maximum(best, height)
        self._add(best, one)
        return slope

    def _slopes_of_twins(self, c: Integers) -> tuple[Integers, Integers]:
        """Return μ and ν of the neurons that are compared."""
        compared = self.found.compared
        of_y, of_z = compared.slopes
        if self.given is not None:
            unit = self.scale // self.given.denominator
            mu, nu = self.given.mu[compared.at] * unit, self.given.nu[compared.at] * unit
            is_exact = ~compared.is_multiplied
        else:
            mu, nu = c * _shares_of_twins(c, compared.d) // _UNIT, c * 0
            is_exact = compared.has_one_cell
        return np.where(is_exact, c * of_y, mu), np.where(is_exact, c * (of_y - of_z), nu)


def _shortened(first: Integers, second: Integers, scale: int) -> tuple[Integers, Integers, int]:
    """Divide by a power of 2 that all have in common."""
    bits = int(np.bitwise_or.reduce(np.abs(first), axis=None)) | int(np.bitwise_or.reduce(np.abs(second), axis=None))
    zeros = min((x & -x).bit_length() - 1 for x in (bits or scale, scale))
    return first >> zeros, second >> zeros, scale >> zeros


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


def _peaks_of_twins(found: Compared, c: Integers, mu: Integers, nu: Integers) -> Integers:
    """Return the largest c·(act(y) − act(p·z)) − μ·d − ν·(p·z) over the cells of each neuron."""

    def largest(factor: Integers, ends: IntegerEnds) -> Integers:
        return np.where(factor > 0, factor * ends[1], factor * ends[0])

    best: Any = c * 0
    seen: Any = np.zeros(len(found.at), dtype=bool)
    d = found.d
    for cell in found.cells:
        (slope, shift), (twin, twin_shift), z, y = cell.of_z, cell.of_y, cell.z, cell.y
        a, b = c * (twin - slope) - nu, c * twin - mu
        height = np.minimum(largest(a, z) + largest(b, d), largest(a - b, z) + largest(b, y))
        height = np.minimum(height, largest(a, y) + largest(b - a, d)) + c * (twin_shift - shift)
        best = np.where(cell.exists & (~seen | (height > best)), height, best)
        seen = seen | cell.exists
    return best
