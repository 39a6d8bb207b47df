"""Numbers for people: exactly, as decimals (after ≈ if they are rounded), or both. Files and JSON are always exact."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from decimal import ROUND_CEILING, ROUND_FLOOR, ROUND_HALF_EVEN, Context, Decimal, Inexact

from verimv.exact.algebraic import Algebraic
from verimv.exact.numerals import Number, Rational, floor, format_number, is_integer

#: Characters of an exact number that nobody wants as a decimal instead: 3/4, -17/128, sqrt(2)/2.
SHORT = 9
#: Significant digits of a value, and of a constant in a formula if no two of them are closer.
DIGITS, CONSTANT_DIGITS = 6, 4
#: Decimals with more characters than digits and these are written with an exponent.
_ZEROS = 6
#: Characters of an exact number from which on a sentence has the decimal only.
LONG = 40
#: Inputs of a point that are all told.
MANY = 12
#: Significant bits to which irrational numbers are computed first.
_BITS = 80


def decimal(x: Number, digits: int = DIGITS, rounding: str = ROUND_HALF_EVEN) -> tuple[str, bool]:
    """Return the decimal of so many significant digits that is nearest to x, and whether it is x exactly."""
    value, irrational = (x, False) if not isinstance(x, Algebraic) else (_between(x, rounding), True)
    context = Context(prec=digits, rounding=rounding)
    context.clear_flags()
    found = context.divide(Decimal(int(value.numerator)), Decimal(int(value.denominator)))
    is_exact = not irrational and not context.flags[Inexact]
    if is_exact or rounding != ROUND_HALF_EVEN:
        found = found.normalize(context)
    plain = format(found, "f")
    return plain if len(plain) <= digits + _ZEROS else f"{found:e}".replace("e+", "e"), is_exact


def _between(x: Algebraic, rounding: str) -> Rational:
    """Return a rational number close to x, on the side that the rounding asks for."""
    bits = _BITS
    while abs(count := floor(x * (Rational(2) ** bits))) < 1 << _BITS - 2:  # x is small
        bits *= 2
    return Rational(count + (rounding == ROUND_CEILING)) / Rational(2) ** bits


def rounded(x: Number, digits: int = DIGITS) -> str:
    """Return a decimal, after ≈ if it is rounded."""
    text, is_exact = decimal(x, digits)
    return text if is_exact else f"≈{text}"


def rounded_down(x: Number) -> str:
    """Return a decimal of a few digits that is at most x, for what is "at least" so much."""
    return decimal(x, DIGITS, ROUND_FLOOR)[0]


def rounded_up(x: Number) -> str:
    """Return a decimal of a few digits that is at least x, for what is "at most" so much."""
    return decimal(x, DIGITS, ROUND_CEILING)[0]


def readable(x: Number, numbers: str = "auto") -> str:
    """Return a value: "exact", "decimal", or "both". "auto" is both, but a short number is shown exactly only."""
    exact = format_number(x)
    if numbers == "exact" or (numbers != "decimal" and is_integer(x)) or (numbers == "auto" and len(exact) <= SHORT):
        return exact
    return rounded(x) if numbers == "decimal" else f"{exact} ({rounded(x)})"


def brief(x: Number, numbers: str = "auto", digits: int = DIGITS) -> str:
    """Return a number in a table or a sentence, where there is no room for both: "auto" is exact if that is short."""
    exact = format_number(x)
    if numbers == "exact" or (numbers == "auto" and len(exact) <= SHORT) or is_integer(x):
        return exact
    return rounded(x, digits) if numbers in ("auto", "decimal") else readable(x, numbers)


def short(x: Number, numbers: str = "auto") -> str:
    """Return a value in a sentence: as :func:`readable`, but "auto" leaves out an exact number that is very long."""
    return rounded(x) if numbers == "auto" and len(format_number(x)) > LONG else readable(x, numbers)


def point_words(point: Mapping[str, Number], numbers: str = "auto", middle: Mapping[str, Number] | None = None) -> str:
    """Return x1=1/3, x2≈0.707107. Of many inputs only those that are not 0, or not in the middle of their range.

    `middle` has the middles; of the unit cube, if it is not given.
    """
    told, rest = list(point.items()), ""
    if len(told) > MANY:
        half = dict.fromkeys(point, Rational(1, 2))
        usual = {"0": dict.fromkeys(point, Rational(0)), "in the middle": half if middle is None else middle}
        others = {words: [(name, x) for name, x in told if x != usual[words].get(name)] for words in usual}
        words = min(others, key=lambda words: len(others[words]))
        if same := len(told) - len(others[words]):
            rest = f"the other {same:,} inputs are {words}" if others[words] else f"all {same:,} inputs are {words}"
        told = others[words]
    if len(told) > MANY:
        rest = f"{len(told) - MANY:,} more inputs" + (f", and {rest}" if rest else "")
        told = told[:MANY]
    texts = [equated(name, brief(x, numbers), "=") for name, x in told]
    return ", ".join([*texts, rest] if rest else texts)


def equated(name: str, number: str, sign: str = " = ") -> str:
    """Return "name = number", with ≈ instead if the number begins with it."""
    return f"{name}{sign.replace('=', '≈')}{number[1:]}" if number.startswith("≈") else f"{name}{sign}{number}"


def constants(values: Iterable[Number], numbers: str = "auto") -> dict[Number, str]:
    """Return texts of the constants of a formula. Different ones stay different, with as many digits as that takes."""
    texts: dict[Number, str] = {}
    left = dict.fromkeys(values)
    for x in list(left):
        exact = format_number(x)
        if numbers == "exact" or is_integer(x) or (numbers != "decimal" and len(exact) <= SHORT):
            texts[x] = exact
            del left[x]
    digits = CONSTANT_DIGITS
    while left:
        tried = {x: rounded(x, digits) for x in left}
        seen = Counter(tried.values())
        texts |= {x: text for x, text in tried.items() if seen[text] == 1}
        left = {x: None for x in left if x not in texts}
        digits *= 2
        if digits > _BITS // 4:  # closer than that: exactly
            texts |= {x: format_number(x) for x in left}
            break
    return texts
