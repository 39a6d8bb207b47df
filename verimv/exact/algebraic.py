"""Real numbers built from rationals by + − × ÷ and square roots, with exact order.

An :class:`Algebraic` is ``low + high·√radicand``: `low`, `high` and the radicand are simpler numbers of the same
kind, down to rationals. Such a tower of square roots is an ordered field, and the sign of an element is decided by
comparing squares. This needs no approximation and no minimal polynomial, and is simple enough for an independent
checker to repeat. Two representations may denote one number (√(2+√2)·√(2−√2) and √2). They compare as equal, and equal
algebraic numbers have equal hashes; only a rational that is represented with square roots has another hash than the
plain rational.

Rationals are gmpy2's ``mpq``. Measured on sums of products and on "x+y ≤ 1" (64-bit numerators), it took
0.36–0.62 and 0.22–0.34 of the time of python-flint's ``fmpq`` and 0.07–0.12 of ``fractions.Fraction``; it hashes and
compares like ``Fraction``.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, TypeAlias, Union

from verimv.core.errors import InputError, Undecided

if TYPE_CHECKING:  # gmpy2 ships no type stubs; mpq has Fraction's interface
    from fractions import Fraction as Rational
else:
    from gmpy2 import mpq as Rational

__all__ = [
    "Algebraic",
    "Number",
    "Radical",
    "Rational",
    "format_number",
    "inverse",
    "merged",
    "monomials",
    "sign",
    "square_root",
]

Number: TypeAlias = Union[Rational, "Algebraic"]

#: Levels of square roots in one number: deciding its sign takes about 3^levels multiplications.
MAX_LEVELS = 8


@dataclass(frozen=True, order=True, slots=True)
class Radical:
    """√radicand. In the order of radicals, each comes after those inside its radicand."""

    depth: int
    text_length: int
    text: str
    radicand: Number = field(compare=False)

    @staticmethod
    def of(radicand: Number) -> Radical:
        depth = 1 + max((r.depth for r in radicals(radicand)), default=0)
        text = f"sqrt({format_number(radicand)})"
        return Radical(depth, len(text), text, radicand)


class Algebraic:
    """``low + high·√radicand`` with high ≠ 0, in an ordered tower of square roots."""

    __slots__ = ("_hash", "high", "levels", "low", "radical")

    def __init__(self, low: Number, high: Number, radical: Radical) -> None:
        self.low = low
        self.high = high
        self.radical = radical
        self.levels: int = 1 + max(_levels(low), _levels(high))
        self._hash: int | None = None
        if self.levels > MAX_LEVELS:
            raise Undecided(f"more than {MAX_LEVELS} different square roots in one number")

    def __add__(self, other: Number | int) -> Number:
        if not isinstance(other, Algebraic):
            return Algebraic(self.low + other, self.high, self.radical)
        if self.radical == other.radical:
            return _combine(self.low + other.low, self.high + other.high, self.radical)
        upper, lower = (self, other) if self.radical > other.radical else (other, self)
        return Algebraic(upper.low + lower, upper.high, upper.radical)

    def __mul__(self, other: Number | int) -> Number:
        if not isinstance(other, Algebraic):
            return _combine(self.low * other, self.high * other, self.radical)
        if self.radical == other.radical:
            return _combine(
                self.low * other.low + self.high * other.high * self.radical.radicand,
                self.low * other.high + self.high * other.low,
                self.radical,
            )
        upper, lower = (self, other) if self.radical > other.radical else (other, self)
        return _combine(upper.low * lower, upper.high * lower, upper.radical)

    def __neg__(self) -> Number:
        return Algebraic(-self.low, -self.high, self.radical)

    def __sub__(self, other: Number | int) -> Number:
        return self + (-other)

    def __rsub__(self, other: Rational | int) -> Number:
        return -self + other

    def __truediv__(self, other: Number | int) -> Number:
        return self * inverse(other)

    def __rtruediv__(self, other: Rational | int) -> Number:
        return inverse(self) * other

    __radd__ = __add__
    __rmul__ = __mul__

    def norm(self) -> Number:
        """Return (low + high√a)(low − high√a), a number without the topmost radical."""
        return self.low * self.low - self.high * self.high * self.radical.radicand

    def sign(self) -> int:
        low, high = sign(self.low), sign(self.high)
        if low == 0 or low == high:
            return high
        return low * sign(self.norm())

    def __eq__(self, other: object) -> bool:
        if isinstance(other, Algebraic | int | Rational):
            return sign(self - other) == 0
        return NotImplemented

    def __lt__(self, other: Number | int) -> bool:
        return sign(self - other) < 0

    def __le__(self, other: Number | int) -> bool:
        return sign(self - other) <= 0

    def __gt__(self, other: Number | int) -> bool:
        return sign(self - other) > 0

    def __ge__(self, other: Number | int) -> bool:
        return sign(self - other) >= 0

    def __abs__(self) -> Number:
        return self if self.sign() >= 0 else -self

    def __bool__(self) -> bool:
        return self.sign() != 0

    def __hash__(self) -> int:
        if self._hash is None:  # the floor is a function of the value, not of its representation
            self._hash = hash(math.floor(self * (1 << 64)))
        return self._hash

    def enclosure(self, bits: int) -> tuple[Rational, Rational]:
        """Return rational bounds of the value; their distance shrinks like 2^−bits."""
        low, high = _enclosure(self.low, bits), _enclosure(self.high, bits)
        inner = _enclosure(self.radical.radicand, 2 * bits)
        root = [
            Rational(math.isqrt(max(0, math.floor(inner[0] * (1 << 2 * bits)))), 1 << bits),
            Rational(math.isqrt(max(0, math.floor(inner[1] * (1 << 2 * bits)))) + 1, 1 << bits),
        ]
        products = [h * r for h in high for r in root]
        return low[0] + min(products), low[1] + max(products)

    def __floor__(self) -> int:
        bits = 64
        while True:
            below, above = (math.floor(end) for end in self.enclosure(bits))
            if below == above:
                return int(below)
            if above - below == 1 and self == Rational(above):
                return int(above)
            bits *= 2

    def __ceil__(self) -> int:
        return -math.floor(-self)

    def __float__(self) -> float:
        bits = 64
        while True:
            below, above = (float(end) for end in self.enclosure(bits))
            if below == above or bits > 2048:
                return below
            bits *= 2

    def __repr__(self) -> str:
        return f"Algebraic('{format_number(self)}')"

    def __str__(self) -> str:
        return format_number(self)


def _combine(low: Number, high: Number, radical: Radical) -> Number:
    return Algebraic(low, high, radical) if high else low


def _levels(x: Number | int) -> int:
    return x.levels if isinstance(x, Algebraic) else 0


def _enclosure(x: Number, bits: int) -> tuple[Rational, Rational]:
    return x.enclosure(bits) if isinstance(x, Algebraic) else (x, x)


def sign(x: Number | int) -> int:
    """Return the exact sign: −1, 0 or 1."""
    if isinstance(x, Algebraic):
        return x.sign()
    return (x > 0) - (x < 0)


def inverse(x: Number | int) -> Number:
    if not isinstance(x, Algebraic):
        return 1 / Rational(x)
    if not x:
        raise ZeroDivisionError("division by zero")
    norm = x.norm()
    if norm:
        return (x.low - x.high * _root(x.radical)) * inverse(norm)
    return inverse(2 * x.low)  # x ≠ 0 and low = high·√radicand


def _root(radical: Radical) -> Number:
    return Algebraic(Rational(0), Rational(1), radical)


def square_root(x: Number) -> Number:
    """Return √x for x ≥ 0, in a simple form: √8 = 2√2, √(3+2√2) = 1+√2."""
    if sign(x) < 0:
        raise InputError(f"square root of the negative number {format_number(x)}")
    if not x:
        return Rational(0)  # also for a zero that is written with radicals: a radicand is always positive
    if isinstance(x, Algebraic):
        return _denested(x) or _root(Radical.of(x))
    outside, primes, rest = _squarefree_parts(int(x.numerator) * int(x.denominator))
    # Square roots of primes are independent, so numbers made of them have one representation.
    factors = [*primes, rest] if len(primes) <= 4 else [math.prod(primes) * rest]
    result: Number = Rational(outside, x.denominator)
    for factor in factors:
        if factor != 1:
            result = result * _root(Radical.of(Rational(factor)))
    return result


def _squarefree_parts(n: int) -> tuple[int, list[int], int]:
    """Return (outside, primes, rest) with n = outside² · ∏ primes · rest, by trial division with small primes."""
    outside, primes = 1, []
    for p in range(2, 10_000):
        if p * p > n:
            break
        exponent = 0
        while n % p == 0:
            n //= p
            exponent += 1
        outside *= p ** (exponent // 2)
        if exponent % 2:
            primes.append(p)
    root = math.isqrt(n)
    return (outside * root, primes, 1) if root * root == n else (outside, primes, n)


def _rational_square_root(x: Number) -> Rational | None:
    if isinstance(x, Algebraic) or x < 0:
        return None
    p, q = math.isqrt(int(x.numerator)), math.isqrt(int(x.denominator))
    return Rational(p, q) if p * p == x.numerator and q * q == x.denominator else None


def _denested(x: Algebraic) -> Number | None:
    """Return √x as p + q√b if x = a0 + a1√b and √(a0² − a1²b) is rational; then p² = (a0 ± √(a0² − a1²b))/2."""
    norm_root = _rational_square_root(x.norm())
    if norm_root is None or isinstance(x.low, Algebraic):
        return None
    for square in ((x.low + norm_root) / 2, (x.low - norm_root) / 2):
        if square > 0:
            p = square_root(square)
            return p + x.high / (2 * p) * _root(x.radical)
    return None


def radicals(x: Number) -> Iterator[Radical]:
    """Yield every radical of x, except those inside radicands."""
    if isinstance(x, Algebraic):
        yield x.radical
        yield from radicals(x.low)
        yield from radicals(x.high)


def monomials(x: Number) -> dict[tuple[Radical, ...], Rational]:
    """Return x as a sum of rational multiples of products of radicals, simplest first."""
    if not isinstance(x, Algebraic):
        return {(): x} if x else {}
    result = dict(monomials(x.low))
    for product, coefficient in monomials(x.high).items():
        result[(*product, x.radical)] = coefficient
    return result


def format_number(x: Number) -> str:
    """Return the exact text of x: ``-3/4``, ``sqrt(2)/2``, ``1/3+2*sqrt(2)``."""
    if not isinstance(x, Algebraic):
        return str(x)
    text = ""
    for product, coefficient in monomials(x).items():
        term = _format_term(product, abs(coefficient))
        text += ("-" if coefficient < 0 else "+" if text else "") + term
    return text


def merged(product: tuple[Radical, ...]) -> list[Number]:
    """Return the radicands of a product of square roots; rational radicands are multiplied into one."""
    rational = Rational(1)
    nested: list[Number] = []
    for radical in product:
        if isinstance(radical.radicand, Algebraic):
            nested.append(radical.radicand)
        else:
            rational = rational * radical.radicand
    return nested if rational == 1 else [rational, *nested]


def _format_term(product: tuple[Radical, ...], coefficient: Rational) -> str:
    if not product:
        return str(coefficient)
    factors = [f"sqrt({format_number(radicand)})" for radicand in merged(product)]
    if coefficient.numerator != 1:
        factors.insert(0, str(coefficient.numerator))
    text = "*".join(factors)
    return text if coefficient.denominator == 1 else f"{text}/{coefficient.denominator}"
