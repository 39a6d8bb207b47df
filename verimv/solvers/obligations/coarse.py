"""Sweeps (FORMAT §8): bounds of all arguments that a checker finds itself, by ranges and slopes that are rounded.

Every bound that a walk improves is a query of its own: its line, with the slopes of that walk, stays below the bound.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import NamedTuple

from verimv.exact import ONE, ZERO, Number, Rational, floor
from verimv.exact.algebraic import Algebraic
from verimv.networks.affine import Affine
from verimv.solvers.obligations.variables import Facts, Range, SystemVariable, default_slope, kinks_inside, peak

#: Bits after the point: of the ends of ranges, of slopes, and of what is added up.
RANGE_BITS, SLOPE_BITS, SUM_BITS = 32, 20, 40


class CoarseBound(NamedTuple):
    """A bound that a sweep gives; `is_walked` says that a walk has found it, otherwise it is the end of the range."""

    variable: int
    side: str
    value: Number
    is_walked: bool


class CoarseWalk(NamedTuple):
    """An upper bound of a row; for each neuron the slope and the coefficient, and the sum of all peaks."""

    bound: Number
    lines: dict[int, tuple[Number, Number]]
    peaks: Number


def is_rational(variables: Sequence[SystemVariable]) -> bool:
    """Return whether all weights and constants are rational: others cannot be swept."""
    numbers = (x for _, row in variables for x in (row.constant, *(w for _, w in row.terms)))
    return not any(isinstance(x, Algebraic) for x in numbers)


def swept(variables: Sequence[SystemVariable], facts: Facts, given: Facts) -> Iterator[CoarseBound]:
    """Yield the bounds of a sweep over variables, in the order in which it finds them."""
    ranges: list[Range] = []
    for k, (activation, argument) in enumerate(variables):
        found = coarse_range(k, variables[k], ranges, facts, given)
        if found is None:
            return
        if activation is not None and kinks_inside(activation, found):
            high = _up(coarse_walk(variables, argument, ranges).bound, RANGE_BITS)
            low = -_up(coarse_walk(variables, -argument, ranges).bound, RANGE_BITS)
            yield CoarseBound(k, "high", min(high, found.high), high < found.high)
            yield CoarseBound(k, "low", max(low, found.low), low > found.low)
            found = Range.of(activation, max(low, found.low), min(high, found.high))
            if found.low > found.high:
                return
        ranges.append(found)


def coarse_ranges(variables: Sequence[SystemVariable], facts: Facts, given: Facts) -> list[Range]:
    """Return the coarse ranges of variables, for bounds that sweeps have given before; none of them is empty."""
    ranges: list[Range] = []
    for k, variable in enumerate(variables):
        found = coarse_range(k, variable, ranges, facts, given)
        if found is None:
            break
        ranges.append(found)
    return ranges


def coarse_range(k: int, variable: SystemVariable, below: Sequence[Range], facts: Facts, given: Facts) -> Range | None:
    """Return the range of a variable over those before it, rounded; None if it is empty."""
    low: Number = ZERO
    high: Number = ONE
    if variable.activation is not None:
        low, high = variable.argument.range_over([(range_.least, range_.largest) for range_ in below])
    least = given.get((k, "low"), facts.get((k, "low")))
    most = given.get((k, "high"), facts.get((k, "high")))
    if least is not None and not isinstance(least, Algebraic):
        low = max(low, least)
    if most is not None and not isinstance(most, Algebraic):
        high = min(high, most)
    low, high = _down(low, RANGE_BITS), _up(high, RANGE_BITS)
    return None if low > high else Range.of(variable.activation, low, high)


def coarse_walk(variables: Sequence[SystemVariable], row: Affine, ranges: Sequence[Range]) -> CoarseWalk:
    """Bound a row over variables with these ranges."""
    coefficients = dict(row.terms)
    total = row.constant
    peaks: Number = ZERO
    lines: dict[int, tuple[Number, Number]] = {}
    for k in range(len(ranges) - 1, -1, -1):
        c, range_ = coefficients.get(k, ZERO), ranges[k]
        if c == 0:
            continue
        activation, argument = variables[k]
        if activation is None:
            total = total + _up(max(c * range_.low, c * range_.high), SUM_BITS)
            continue
        kinks = kinks_inside(activation, range_)
        slope = default_slope(activation, c, range_) if kinks else c if range_.is_affine else ZERO
        slope = _down(slope, SLOPE_BITS)
        height = peak(c, slope, range_, kinks)
        total = total + _up(height + slope * argument.constant, SUM_BITS)
        peaks = peaks + height
        lines[k] = slope, c
        for j, w in argument.terms:
            coefficients[j] = coefficients.get(j, ZERO) + slope * w
    return CoarseWalk(total, lines, peaks)


def _down(x: Number, bits: int) -> Number:
    return Rational(floor(x * (1 << bits)), 1 << bits)


def _up(x: Number, bits: int) -> Number:
    return -_down(-x, bits)
