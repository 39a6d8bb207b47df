"""A neuron compared with its twin in a case (FORMAT §8, *Twins*): an upper bound of c·act(y) − c·act(w).

The rules "compared", "sums", "interval" and "cell" say that it is one: on each cell, both activations are affine.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from verimv.exact import ONE, ZERO, Number, Rational, floor
from verimv.exact.algebraic import Algebraic
from verimv.networks.network import Activation

Ends = tuple[Number, Number]

#: Default slopes of the format are multiples of 1/SLOPE_UNIT.
SLOPE_UNIT = 1 << 16


class CertifiedTwin(NamedTuple):
    """An earlier variable act(z), compared by way of w = factor·z + offset: for every z, act(w) is
    of_value·act(z) + of_argument·z + offset."""

    variable: int
    factor: Number
    offset: Number
    of_value: Number
    of_argument: Number

    @staticmethod
    def of(activation: Activation, variable: int, factor: Number) -> CertifiedTwin:
        """Return the twin that a line names. The rules "multiple", "opposite" and "complement" say that it is one."""
        if activation == "relu" and factor < 0:
            return CertifiedTwin(variable, factor, ZERO, -factor, factor)
        return CertifiedTwin(variable, factor, ONE if activation == "crelu" and factor < 0 else ZERO, factor, ZERO)

    def image(self, low: Number, high: Number) -> Ends:
        """Return the range of w for a range of z."""
        ends = (self.factor * low + self.offset, self.factor * high + self.offset)
        return (min(ends), max(ends))


@dataclass(frozen=True)
class Twins:
    """The twins of variables, and known bounds of changes, by (variable, "low" or "high")."""

    of: Mapping[int, CertifiedTwin]
    changes: Mapping[tuple[int, str], Number]


NO_TWINS = Twins({}, {})


class ArgumentPiece(NamedTuple):
    """A part of the range of an argument t, on which the activation is slope·t + shift."""

    low: Number
    high: Number
    slope: Number
    shift: Number


def pieces(activation: Activation, low: Number, high: Number) -> list[ArgumentPiece]:
    """Return the parts into which kinks cut a range."""
    points = {"relu": [ZERO], "crelu": [ZERO, ONE], "identity": []}[activation]
    cuts = [low, *(point for point in points if low < point < high), high]
    found = []
    for start, stop in pairwise(cuts):
        slope, shift = ONE, ZERO
        if activation != "identity" and stop <= 0:
            slope = ZERO
        elif activation == "crelu" and start >= 1:
            slope, shift = ZERO, ONE
        found.append(ArgumentPiece(start, stop, slope, shift))
    return found


@dataclass(frozen=True)
class CertifiedComparison:
    """A neuron act(y) and act(w), of its twin: the range of the change d = y − w, and the cells, which are pieces of w
    and of y with a point in common."""

    change: Ends
    cells: list[tuple[ArgumentPiece, ArgumentPiece]]

    @staticmethod
    def of(activation: Activation, y: Ends, w: Ends, known: tuple[Number | None, Number | None]) -> CertifiedComparison:
        """Compare ranges of arguments; `known` are bounds of the change."""
        low, high = y[0] - w[1], y[1] - w[0]
        low = low if known[0] is None else max(low, known[0])
        high = high if known[1] is None else min(high, known[1])
        both = [(of_w, of_y) for of_w in pieces(activation, *w) for of_y in pieces(activation, *y)]
        cells = [(a, b) for a, b in both if a.low + low <= b.high and b.low <= a.high + high]
        return CertifiedComparison((low, high), cells)

    def slopes_of_cell(self, c: Number) -> Ends:
        """Return the slopes μ and ν that are exact in the first cell."""
        of_w, of_y = self.cells[0]
        return c * of_y.slope, c * (of_y.slope - of_w.slope)

    def default_slopes(self, c: Number) -> Ends:
        """Return the slopes μ and ν that the format chooses."""
        low, high = self.change
        if low >= 0 or high <= 0:
            return c if (low >= 0) == (c > 0) else ZERO, ZERO
        if isinstance(low, Algebraic) or isinstance(high, Algebraic):
            return ZERO, ZERO
        end = high if c > 0 else -low
        return c * Rational(floor(end * SLOPE_UNIT / (high - low)), SLOPE_UNIT), ZERO

    def peak(self, c: Number, mu: Number, nu: Number) -> Number:
        """Return an upper bound of c·(act(y) − act(w)) − μ·d − ν·w."""
        heights = []
        for of_w, of_y in self.cells:
            a = c * (of_y.slope - of_w.slope) - nu
            b = c * of_y.slope - mu
            w, y = (of_w.low, of_w.high), (of_y.low, of_y.high)
            sums = (
                _largest(a, w) + _largest(b, self.change),
                _largest(a - b, w) + _largest(b, y),
                _largest(a, y) + _largest(b - a, self.change),
            )
            heights.append(min(sums) + c * (of_y.shift - of_w.shift))
        return max(heights)


def _largest(c: Number, ends: Ends) -> Number:
    return c * (ends[1] if c > 0 else ends[0])
