"""Variables of a proof by cases (FORMAT §8), their ranges, and the slopes that the format chooses."""

from __future__ import annotations

from collections.abc import Mapping
from typing import NamedTuple

from verimv.exact import ONE, ZERO, Number, Rational, floor
from verimv.exact.algebraic import Algebraic
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, activate
from verimv.solvers.obligations.twins import SLOPE_UNIT

#: Bounds by (variable, "low" or "high"): of its argument, or of itself if it is free.
Facts = Mapping[tuple[int | None, str], Number]


class SystemVariable(NamedTuple):
    """A variable: free in [0,1], or the activation of an affine function of earlier variables."""

    activation: Activation | None
    argument: Affine = Affine(())


class Range(NamedTuple):
    """Range of the argument of a variable, and of its value there."""

    low: Number
    high: Number
    least: Number
    largest: Number

    @classmethod
    def of(cls, activation: Activation | None, low: Number, high: Number) -> Range:
        if activation is None:
            return cls(low, high, low, high)
        return cls(low, high, activate(activation, low), activate(activation, high))

    @property
    def is_affine(self) -> bool:
        """Whether the variable is its own argument at both ends."""
        return (self.least, self.largest) == (self.low, self.high)


def kinks_inside(activation: Activation, range_: Range) -> list[tuple[Number, Number]]:
    """Return the kinks of the activation inside a range, as (argument, value)."""
    points = {"relu": [ZERO], "crelu": [ZERO, ONE], "identity": []}[activation]
    return [(point, point) for point in points if range_.low < point < range_.high]


def default_slope(activation: Activation, c: Number, range_: Range) -> Number:
    low, high, least, largest = range_
    is_rational = not isinstance(low, Algebraic) and not isinstance(high, Algebraic)
    if low < high and is_rational and (c > 0 or activation != "relu"):
        return c * Rational(floor((largest - least) * SLOPE_UNIT / (high - low)), SLOPE_UNIT)
    return c if low + high > 0 else ZERO


def peak(c: Number, slope: Number, range_: Range, kinks: list[tuple[Number, Number]]) -> Number:
    """Return the largest c·act(z) − slope·z over a range."""
    points = ((range_.low, range_.least), (range_.high, range_.largest), *kinks)
    return max(c * value - slope * z for z, value in points)
