"""Read and print exact numbers, as text and as Python values.

Text may be ``3``, ``-3/4``, ``0.125`` (read as 1/8, not as the nearest float), ``1e-3``, or an expression with
``+ - * / ( )`` and ``sqrt``. Floats of Python and numpy are read as the dyadic rationals that they store.
"""

from __future__ import annotations

import math
import re
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

from verimv.core.errors import InputError, Undecided
from verimv.exact.algebraic import Algebraic, Number, Rational, format_number, inverse, sign, square_root

__all__ = [
    "ONE",
    "ZERO",
    "Algebraic",
    "Number",
    "Rational",
    "as_number",
    "ceil",
    "clip",
    "floor",
    "format_count",
    "format_number",
    "is_integer",
    "parse_number",
    "sign",
]

ZERO = Rational(0)
ONE = Rational(1)

#: Digits of a numerator or denominator that is read or computed from what is read: Python's default limit for int().
MAX_DIGITS = 4300
_TOO_LARGE = Rational(10) ** MAX_DIGITS
_MAX_NESTING = 30
#: Work for one number, in digits: about three seconds. A step on numbers with L square roots takes up to 8^L times as
#: long as one on fractions (6^L for a sum), since it decides signs of such numbers.
_MAX_WORK = 100_000_000
#: Work per digit of a square root of a fraction, which looks for small factors.
_ROOT_WORK = 400

_LITERAL = re.compile(r"(?P<digits>[0-9]+)(?:\.(?P<decimals>[0-9]+))?(?:[eE](?P<exponent>[+-]?[0-9]+))?", re.ASCII)
_TOKEN = re.compile(rf"\s*(?:(?P<literal>{_LITERAL.pattern})|(?P<sqrt>sqrt\s*\()|(?P<symbol>[-+*/()]))", re.ASCII)
_FRACTION = re.compile(r"([+-]?[0-9]+)(?:/([0-9]+))?", re.ASCII)


def parse_number(text: str) -> Number:
    """Read one number strictly; raises :class:`InputError`."""
    plain = _FRACTION.fullmatch(text)
    if plain and len(text) <= MAX_DIGITS:
        numerator, denominator = plain.groups()
        if denominator is None:
            return Rational(int(numerator))
        if int(denominator):
            return Rational(int(numerator), int(denominator))
        raise InputError(f"division by zero in {shown(text)}")
    if not text or text != text.strip():
        raise InputError(f"expected a number, found {shown(text)}")
    return _ExpressionReader(text).read()


def shown(text: str, limit: int = 40) -> str:
    """Return text quoted for an error message, shortened."""
    return repr(text if len(text) <= limit else f"{text[:limit]}… ({len(text)} characters)")


def _literal(match: re.Match[str]) -> Rational:
    digits, decimals = match["digits"], match["decimals"] or ""
    exponent = match["exponent"] or "0"
    if max(len(digits), len(decimals), len(exponent)) > MAX_DIGITS or abs(int(exponent)) > MAX_DIGITS:
        raise InputError(f"a number with more than {MAX_DIGITS} digits: {shown(match['literal'])}")
    value = Rational(digits + decimals) * Rational(10) ** (int(exponent) - len(decimals))
    check_digits(value, match["literal"])
    return value


def check_digits(x: Number, text: str) -> None:
    """Raise for a number with too many digits to be written and read back; `text` is what it was computed from."""
    if digits_of(x) > MAX_DIGITS:
        raise InputError(f"a number with more than {MAX_DIGITS} digits: {shown(text)}")


def digits_of(x: Number) -> int:
    """Digits of the longest numerator or denominator in x: exact above MAX_DIGITS, otherwise at most one too many."""
    if isinstance(x, Algebraic):
        return max(map(digits_of, (x.low, x.high, x.radical.radicand)))
    largest = max(abs(x.numerator), x.denominator)
    digits = largest.bit_length() * 30103 // 100000 + 1
    return digits if digits < MAX_DIGITS else MAX_DIGITS + int(largest >= _TOO_LARGE)


def _roots_in(x: Number) -> set[str]:
    """Return all square roots in x, also nested ones."""
    if not isinstance(x, Algebraic):
        return set()
    return {x.radical.text} | _roots_in(x.low) | _roots_in(x.high) | _roots_in(x.radical.radicand)


class _ExpressionReader:
    """Recursive descent over ``+ - * / ( ) sqrt``. Nesting, digits and work are bounded."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.position = 0
        self.nesting = 0
        self.work = 0
        self.match: re.Match[str] | None = None
        self._advance()

    def read(self) -> Number:
        value = self._sum()
        if self.match is not None:
            raise self._unexpected()
        return value

    def _prepare(self, growth: int, *operands: Number, more_roots: int = 0) -> None:
        """Count the work of the next step: growth^L times as much if its operands have L square roots."""
        roots = len(set().union(*map(_roots_in, operands))) + more_roots
        self.work += max(map(digits_of, operands)) * growth**roots
        if self.work > _MAX_WORK:
            raise InputError(f"a number that takes too long to compute: {shown(self.text)}; write it in a simpler form")

    def _checked(self, value: Number) -> Number:
        check_digits(value, self.text)
        return value

    def _advance(self) -> None:
        if self.position == len(self.text):
            self.match = None
            return
        self.match = _TOKEN.match(self.text, self.position)
        if self.match is None:
            raise self._unexpected()
        self.position = self.match.end()

    def _unexpected(self) -> InputError:
        hint = " (≈ marks a rounded number: --numbers exact prints exact ones)" if "≈" in self.text else ""
        return InputError(f"expected a number, found {shown(self.text)}{hint}")

    def _take(self, symbols: str) -> str | None:
        symbol = self.match["symbol"] if self.match else None
        if symbol is None or symbol not in symbols:
            return None
        self._advance()
        return symbol

    def _sum(self) -> Number:
        value = self._product()
        while operator := self._take("+-"):
            operand = self._product()
            self._prepare(6, value, operand)
            value = self._checked(value + operand if operator == "+" else value - operand)
        return value

    def _product(self) -> Number:
        value = self._factor()
        while operator := self._take("*/"):
            operand = self._factor()
            self._prepare(8, value, operand)
            if operator == "/" and not operand:
                raise InputError(f"division by zero in {shown(self.text)}")
            value = self._checked(value * operand if operator == "*" else value * inverse(operand))
        return value

    def _factor(self) -> Number:
        if operator := self._take("+-"):
            if self.match is None or self.match["symbol"] in ("+", "-"):
                raise self._unexpected()
            value = self._factor()
            return -value if operator == "-" else value
        match = self.match
        if match is None:
            raise self._unexpected()
        if match["literal"]:
            value = _literal(match)
            self._advance()
            return value
        if match["sqrt"] or match["symbol"] == "(":
            self.nesting += 1
            if self.nesting > _MAX_NESTING:
                raise InputError(f"a number nested more than {_MAX_NESTING} deep")
            self._advance()
            inner = self._sum()
            if not self._take(")"):
                raise self._unexpected()
            self.nesting -= 1
            return self._root(inner) if match["sqrt"] else inner
        raise self._unexpected()

    def _root(self, x: Number) -> Number:
        if isinstance(x, Algebraic):
            self._prepare(8, x, more_roots=1)
        else:
            self.work += (_ROOT_WORK - 1) * digits_of(x)
            self._prepare(1, x)
        return self._checked(square_root(x))


def as_number(value: Any) -> Number:
    """Return a Python or numpy value (text, int, Fraction, Decimal, float) as an exact number."""
    if isinstance(value, Algebraic | Rational):
        return value
    if isinstance(value, str):
        return parse_number(value)
    if isinstance(value, bool) or is_numpy(value, "bool_"):
        raise InputError(f"expected a number, found {value}")
    if isinstance(value, int) or is_numpy(value, "integer"):
        return Rational(int(value))
    if isinstance(value, Fraction):
        return Rational(value.numerator, value.denominator)
    if isinstance(value, float | Decimal) or is_numpy(value, "floating"):
        if not math.isfinite(value):
            raise InputError(f"expected a finite number, found {value}")
        return Rational(*value.as_integer_ratio())
    raise InputError(f"expected a number, found {type(value).__name__}")


def is_numpy(value: Any, kind: str) -> bool:
    """Return whether a value has this numpy type, without importing numpy, which is slow."""
    numpy = sys.modules.get("numpy")
    return numpy is not None and isinstance(value, getattr(numpy, kind))


def format_count(count: int) -> str:
    """Return an integer for people to read: 12,345, or its order of magnitude if it is long."""
    return f"{count:,}" if count < 10**15 else f"10^{len(str(Rational(count))) - 1}"


def check_readable(text: str) -> None:
    """Raise :class:`Undecided` for text with a number that :func:`parse_number` would refuse as too long."""
    if len(text) > MAX_DIGITS and (match := re.search(rf"[0-9]{{{MAX_DIGITS + 1},}}", text)):
        digits = match.end() - match.start()
        raise Undecided(f"a number of {digits:,} digits arises, more than the {MAX_DIGITS:,} that can be read back")


def is_integer(x: Number) -> bool:
    return not isinstance(x, Algebraic) and x.denominator == 1


def floor(x: Number) -> int:
    return int(math.floor(x))


def ceil(x: Number) -> int:
    return int(math.ceil(x))


def clip(x: Number) -> Number:
    """Return σ(x) = min(1, max(0, x))."""
    return ZERO if x <= 0 else ONE if x >= 1 else x
