"""Exact numbers as short decimals, rounded to the safe side: what is "at least" is rounded down, "at most" up."""

from __future__ import annotations

from decimal import ROUND_CEILING, ROUND_FLOOR, Context, Decimal

from verimv.exact.numerals import Number, Rational, floor

#: Significant digits.
_DIGITS = 6
#: Bits to which irrational numbers are computed first.
_BITS = 80


def rounded_down(x: Number) -> str:
    """Return a decimal of a few digits that is at most x."""
    return _rounded(x, ROUND_FLOOR)


def rounded_up(x: Number) -> str:
    """Return a decimal of a few digits that is at least x."""
    return _rounded(x, ROUND_CEILING)


def _rounded(x: Number, rounding: str) -> str:
    if not isinstance(x, Rational):  # between two rationals that are close
        count = floor(x * (1 << _BITS)) + (rounding == ROUND_CEILING)
        x = Rational(count, 1 << _BITS)
    context = Context(prec=_DIGITS, rounding=rounding)
    found = context.divide(Decimal(int(x.numerator)), Decimal(int(x.denominator)))
    plain = format(found.normalize(context), "f")
    return plain if len(plain) <= 2 * _DIGITS else f"{found.normalize(context):e}"
