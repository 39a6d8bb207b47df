"""Check a certificate of verimv: that outputs of a network are values of a formula, or within an
error of them, or lie within bounds.

    python -I -S kernel.py DIR
    python -I -S kernel.py CERTIFICATE --network N --formula F
    python -I -S kernel.py DIR --effort 600

Whoever believes a verdict trusts this file and Python, and nothing else: no solver, no floating
point, no other part of verimv. The format and its rules are in `proofs/FORMAT.md` (§ below
means a section of it), the reasons why they are right in `proofs/THEORY.md`. A checker of the
same files, proved right in Coq, is in `proofs/coq`; conditions are tested here in the same
order as there.

How to read this file. A certificate is a list of lines, each the name of a rule and its
arguments. `Checker` keeps what has been shown so far; there is one function for each rule, in
the table `RULES`. A rule looks up earlier claims, tests its conditions, one statement each, and
adds what it concludes. A condition that fails raises `Rejected`, and checking stops. Only if
no line is rejected, and nothing is missing after the last one, is the certificate valid.

Sections: verdicts · numbers · affine functions · networks and formulas · two networks ·
claims and forms · evidence of bounds · sweeps · rules that make claims · rules about the network ·
rules about outputs · the table of rules · files and verdict.
"""

from __future__ import annotations

import argparse
import functools
import gzip
import hashlib
import json
import math
import operator
import os
import pathlib
import re
import stat
import sys
import zlib
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from typing import Any, BinaryIO, NamedTuple, NoReturn, TypeAlias

# ==============================================================================
# Verdicts (§1)
# ==============================================================================

EXIT_CODES = {"valid": 0, "invalid": 1, "malformed": 2, "incomplete": 3}

MOST_CHARACTERS_SHOWN = 120


class Rejected(Exception):
    """A verdict other than "valid": what was expected, what was found instead, and where."""

    def __init__(self, status: str, expected: object, got: object) -> None:
        super().__init__(status)
        self.status = status
        self.expected = shown(expected)
        self.got = shown(got)
        self.line: int | None = None
        self.rule: str | None = None
        self.subject: str | None = None  # a file other than the certificate

    def __str__(self) -> str:
        """Return the verdict as one line."""
        places = [self.status]
        if self.subject is not None:
            places.append(self.subject)
        if self.line is not None:
            places.append(f"line {self.line}")
        if self.rule is not None:
            places.append(f"rule {self.rule}")
        return f"{', '.join(places)}: expected {self.expected}, got {self.got}"


def need(condition: bool, expected: object, got: object) -> None:
    """Reject as invalid unless a condition holds."""
    if not condition:
        raise Rejected("invalid", expected, got)


def well_formed(condition: bool, expected: object, got: object) -> None:
    """Reject as malformed unless a condition holds."""
    if not condition:
        raise Rejected("malformed", expected, got)


def within_limits(condition: bool, expected: object, got: object) -> None:
    """Reject as incomplete unless a condition holds: nothing is wrong, but the checker gives up."""
    if not condition:
        raise Rejected("incomplete", expected, got)


def shown(value: object) -> str:
    """Return a short text for a message, without line breaks and control characters."""
    if isinstance(value, tuple):
        text = " ".join(shown(part) for part in value)
    elif isinstance(value, (int, Fraction, Surd)) and not isinstance(value, bool):
        text = written_number(value)
    else:
        try:
            text = str(value)
        except (
            ValueError,
            RecursionError,
        ):  # it holds an integer of more than 4,300 digits, or is nested deeply
            text = "something long"
    printable = "".join(c if c.isprintable() else "?" for c in text[: MOST_CHARACTERS_SHOWN + 1])
    if len(printable) <= MOST_CHARACTERS_SHOWN:
        return printable
    return printable[:MOST_CHARACTERS_SHOWN] + "…"


ALLOWED_WORK = "no more work than files of this size may cost (--effort allows more)"


class Work:
    """A budget of work, so that hostile files cost little (§4). A unit takes about a
    microsecond; `effort` is a number of seconds that are allowed in any case."""

    def __init__(self, stored_bytes: int, effort: int = 0) -> None:
        few = min(stored_bytes, 1_000_000)
        allowed = 20 * (200_000 + few) + 90 * (stored_bytes - few)
        self.left = max(allowed, 1_000_000 * effort)

    def spend(self, units: int) -> None:
        """Take units from the budget; reject if there are too few."""
        self.left -= units
        if self.left < 0:
            raise Rejected("incomplete", ALLOWED_WORK, "more")


# ==============================================================================
# Numbers (§2): int and Fraction for rational numbers, Surd for sums of square roots
# ==============================================================================

MAX_BITS = 32_768  # of a numerator or denominator
MAX_ROOTS = 16  # of one number
MAX_TERMS = 100  # of one number, as it is written
MAX_DIGITS = 4_300  # of one integer, as it is written


class Surd:
    """An irrational number Σ roots[n]·√n / denominator, for squarefree n (1 among them) and
    integers roots[n].

    Roots of different squarefree integers are linearly independent over the rational numbers,
    so a number is written in one way only, in lowest terms. Make it with :func:`from_roots`.
    """

    __slots__ = ("denominator", "roots")

    def __init__(self, roots: dict[int, int], denominator: int) -> None:
        self.roots = roots
        self.denominator = denominator

    @property
    def numerator(self) -> Surd:
        """Return the number times its denominator."""
        return Surd(self.roots, 1)

    def __add__(self, other: Number) -> Number:
        common = math.lcm(self.denominator, other.denominator)
        total: dict[int, int] = {}
        for number in (self, other):
            factor = common // number.denominator
            for n, c in roots_of(number).items():
                total[n] = total.get(n, 0) + factor * c
        return from_roots(total, common)

    def __mul__(self, other: Number) -> Number:
        total: dict[int, int] = {}
        for m, a in self.roots.items():
            for n, b in roots_of(other).items():
                divisor = math.gcd(
                    m, n
                )  # √m·√n = divisor·√(m·n/divisor²), which is squarefree again
                product = (m // divisor) * (n // divisor)
                total[product] = total.get(product, 0) + a * b * divisor
        return from_roots(total, self.denominator * other.denominator)

    __radd__ = __add__
    __rmul__ = __mul__

    def __neg__(self) -> Surd:
        return Surd({n: -c for n, c in self.roots.items()}, self.denominator)

    def __sub__(self, other: Number) -> Number:
        return self + -other

    def __rsub__(self, other: Number) -> Number:
        return -self + other

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Surd) and (self.denominator, self.roots) == (
            other.denominator,
            other.roots,
        )

    def __hash__(self) -> int:
        return hash((self.denominator, frozenset(self.roots.items())))

    def __lt__(self, other: Number) -> bool:
        return is_negative(self - other)

    def __gt__(self, other: Number) -> bool:
        return is_negative(other - self)

    def __le__(self, other: Number) -> bool:
        return not self > other

    def __ge__(self, other: Number) -> bool:
        return not self < other


Number: TypeAlias = int | Fraction | Surd
Whole: TypeAlias = int | Surd  # with denominator 1


def roots_of(x: Number) -> dict[int, int]:
    """Return the numerator of x as a sum of square roots: {n: c} stands for Σ c·√n."""
    return x.roots if isinstance(x, Surd) else {1: x.numerator}


def from_roots(roots: Mapping[int, int], denominator: int) -> Number:
    """Return Σ roots[n]·√n / denominator, in lowest terms; n are squarefree."""
    nonzero = {n: c for n, c in roots.items() if c != 0}
    if nonzero.keys() <= {1}:
        return quotient(nonzero.get(1, 0), denominator)
    within_limits(len(nonzero) <= MAX_ROOTS, f"at most {MAX_ROOTS} square roots", len(nonzero))
    divisor = math.gcd(denominator, *nonzero.values())
    surd = Surd({n: c // divisor for n, c in nonzero.items()}, denominator // divisor)
    check_length(surd)
    return surd


def quotient(numerator: Whole, denominator: int) -> Number:
    """Return numerator / denominator, in lowest terms."""
    if isinstance(numerator, Surd):
        return from_roots(numerator.roots, numerator.denominator * denominator)
    if denominator == 1:
        return numerator
    return Fraction(numerator, denominator)


def is_negative(x: Number) -> bool:
    """Return whether x < 0, by exact integer arithmetic."""
    if not isinstance(x, Surd):
        return x < 0
    tolerance = sum(abs(c) for c in x.roots.values())
    for bits in (64, 512, 4096):
        # Each √n is rounded down to a multiple of 2^-bits: an error of less than 2^-bits for each
        # unit of |c|.
        scaled = sum(c * scaled_root(n, bits) for n, c in x.roots.items())
        if abs(scaled) > tolerance:
            return scaled < 0
    raise Rejected("incomplete", "numbers that are not so close", x)


@functools.lru_cache(maxsize=4096)
def scaled_root(n: int, bits: int) -> int:
    """Return ⌊√n · 2^bits⌋."""
    return math.isqrt(n << (2 * bits))


def larger(x: Number, y: Number) -> Number:
    """Return the larger of two numbers."""
    return y if x < y else x


def smaller(x: Number, y: Number) -> Number:
    """Return the smaller of two numbers."""
    return x if x < y else y


def length(x: Number) -> int:
    """Return the number of bits of the longest integer in x."""
    if type(x) is int:
        return x.bit_length()
    if isinstance(x, Surd):
        integers = (x.denominator, *x.roots.keys(), *x.roots.values())
        return max(map(int.bit_length, integers))
    return max(x.denominator.bit_length(), x.numerator.bit_length())


def check_length(x: Number) -> None:
    """Give up on a number that is too long."""
    bits = length(x)
    if bits > MAX_BITS:
        raise Rejected("incomplete", "a number with fewer bits", bits)


def weight(x: Number) -> int:
    """Return how much more an operation costs that multiplies by x than one by an integer."""
    return 1 + len(x.roots) if isinstance(x, Surd) else 1


def cost_of_length(bits: int) -> int:
    """Return the units of work for an operation on numbers of so many bits: quadratic, as for a
    common divisor."""
    return 1 + bits // 256 + (bits // 1024) ** 2


TERM = (
    r"(?:(?P<integer>D)|(?:(?P<factor>D)\*)?sqrt\((?P<radicand>[0-9]{1,9})\))(?:/(?P<divisor>D))?"
)
TERM_PATTERN = re.compile(f"(?P<sign>[+-]?){TERM}".replace("D", f"[0-9]{{1,{MAX_DIGITS}}}"))
RATIONAL_PATTERN = re.compile("-?D(?:/D)?".replace("D", f"[0-9]{{1,{MAX_DIGITS}}}"))


def number(text: object) -> Number:
    """Read an exact number: -3, 3/4, sqrt(2)/2, 1/3+2*sqrt(2), …"""
    if not isinstance(text, str):
        raise Rejected("malformed", "a number, as a string", text)
    if RATIONAL_PATTERN.fullmatch(text) is None:
        return sum_of_terms(text)
    numerator, slash, denominator = text.partition("/")
    return divided(int(numerator), int(denominator), text) if slash else int(numerator)


def divided(numerator: int, denominator: int, text: str) -> Number:
    """Return a quotient that was written as a text."""
    if denominator == 0:
        raise Rejected("malformed", "a number that is not divided by 0", text)
    return Fraction(numerator, denominator)


def sum_of_terms(text: str) -> Number:
    """Read a number of several terms, or with square roots."""
    well_formed(text[:1] != "+", "a number, as a string", text)
    count = text.count("+") + text.count("-") + (text[:1] != "-")
    within_limits(count <= MAX_TERMS, f"a number of at most {MAX_TERMS} terms", count)
    terms = re.split("(?<=.)(?=[+-])", text)  # before every sign but the first
    total: Number = 0
    for term in terms:
        match = TERM_PATTERN.fullmatch(term)
        if match is None:
            raise Rejected("malformed", "a number, as a string", text)
        above = int(match["integer"] or match["factor"] or 1)
        x = divided(-above if match["sign"] == "-" else above, int(match["divisor"] or 1), text)
        if match["radicand"] is not None:
            x = x * square_root(int(match["radicand"]))
        total = total + x
        check_length(total)
    return total


def square_root(n: int) -> Number:
    """Return √n for n < 10^9."""
    squarefree, root = 1, 1  # the number so far is root·√squarefree
    divisor = 2
    while divisor**3 <= n:
        power = 0
        while n % divisor == 0:
            n //= divisor
            power += 1
        root *= divisor ** (power // 2)
        squarefree *= divisor ** (power % 2)
        divisor += 1
    # What is left of n has no divisor up to its cube root: it is 0, 1, a prime, two primes, or
    # the square of one.
    if math.isqrt(n) ** 2 == n:
        return from_roots({squarefree: root * math.isqrt(n)}, 1)
    return from_roots({squarefree * n: root}, 1)


def written_number(x: Number) -> str:
    """Return the text of a number, as it could stand in a certificate."""
    try:
        if not isinstance(x, Surd):
            return str(x)
        text = ""
        for n, c in sorted(x.roots.items()):
            coefficient = Fraction(c, x.denominator)
            sign = "-" if coefficient < 0 else "+" if text else ""
            size = abs(coefficient)
            if n == 1:
                text += f"{sign}{size}"
            elif size == 1:
                text += f"{sign}sqrt({n})"
            else:
                text += f"{sign}{size}*sqrt({n})"
        return text
    except ValueError:  # Python prints integers of at most 4,300 digits
        return "a long number"


# ==============================================================================
# Affine functions: Σ c·[key] + constant, where keys are numbers of variables, or of nodes
# ==============================================================================


class Linear(NamedTuple):
    """Σ numerators[i]·[keys[i]] / denominator: in lowest terms, with increasing keys, without
    zeros.

    So two of them are the same function exactly if they are equal.
    """

    denominator: int
    keys: tuple[int, ...]
    numerators: tuple[Whole, ...]


class Affine(NamedTuple):
    """A linear function and a constant."""

    linear: Linear
    constant: Number


NOTHING = Linear(1, (), ())


def just(key: int) -> Linear:
    """Return the function [key]."""
    return Linear(1, (key,), (1,))


def common_denominator(denominators: Iterable[int]) -> int:
    """Return the least common multiple; give up as soon as it is too long."""
    common = 1
    for denominator in denominators:
        if common % denominator != 0:
            common = math.lcm(common, denominator)
            bits = common.bit_length()
            within_limits(bits <= MAX_BITS, "a common denominator with fewer bits", bits)
    return common


def linear_of(coefficients: Mapping[int, Number], work: Work) -> Linear:
    """Return Σ coefficients[key]·[key]."""
    keys = sorted([key for key, c in coefficients.items() if c != 0])
    common = common_denominator([coefficients[key].denominator for key in keys])
    work.spend(len(keys) * (1 + common.bit_length() // 64))
    numerators: list[Any] = []
    for key in keys:
        c = coefficients[key]
        numerators.append(c.numerator * (common // c.denominator))
    return in_lowest_terms(keys, numerators, common, work)


def combine(pairs: Sequence[tuple[Linear, Number]], divisor: int, work: Work) -> Linear:
    """Return Σ factor·linear / divisor, for pairs (linear, factor)."""
    denominators = [linear.denominator * factor.denominator for linear, factor in pairs]
    common = common_denominator(denominators)
    bits = common.bit_length() + max([length(factor) for _, factor in pairs], default=0)
    for linear, factor in pairs:
        work.spend(weight(factor) * sum(map(weight, linear.numerators)) * (1 + bits // 64))
    total: dict[int, Any] = {}
    for (linear, factor), denominator in zip(pairs, denominators, strict=True):
        multiple = factor.numerator * (common // denominator)
        for key, numerator in zip(linear.keys, linear.numerators, strict=True):
            total[key] = total.get(key, 0) + multiple * numerator
    keys = sorted([key for key, numerator in total.items() if numerator != 0])
    return in_lowest_terms(keys, [total[key] for key in keys], common * divisor, work)


def multiple_of(linear: Linear, factor: Number, work: Work) -> Linear:
    """Return factor·linear."""
    if factor == 1:
        return linear
    if factor == 0:
        return NOTHING
    work.spend(weight(factor) * sum(map(weight, linear.numerators)) * (1 + length(factor) // 64))
    numerators: list[Any] = [numerator * factor.numerator for numerator in linear.numerators]
    return in_lowest_terms(linear.keys, numerators, linear.denominator * factor.denominator, work)


def add_constants(pairs: Iterable[tuple[Number, Number]], plus: Number, work: Work) -> Number:
    """Return Σ factor·constant + plus, for pairs (constant, factor)."""
    total = plus
    for constant, factor in pairs:
        if constant != 0:
            work.spend(cost_of_length(length(constant) + length(factor)))
            total = total + factor * constant
            check_length(total)
    return total


def in_lowest_terms(
    keys: Sequence[int], numerators: Sequence[Whole], denominator: int, work: Work
) -> Linear:
    """Return Σ numerators[i]·[keys[i]] / denominator, for increasing keys and numerators other
    than 0."""
    integers: list[int] = []
    for numerator in numerators:
        if isinstance(numerator, Surd):
            integers.extend(numerator.roots.values())
        else:
            integers.append(numerator)
    longest = max(denominator.bit_length(), *map(int.bit_length, integers), 1)
    within_limits(longest <= MAX_BITS, "a number with fewer bits", longest)
    work.spend(len(integers) * (longest // 256) + cost_of_length(longest))
    divisor = math.gcd(denominator, *integers)
    if divisor > 1:
        numerators = [shortened(numerator, divisor) for numerator in numerators]
    return Linear(denominator // divisor, tuple(keys), tuple(numerators))


def shortened(numerator: Whole, divisor: int) -> Whole:
    """Return numerator / divisor, for a divisor of all its coefficients."""
    if isinstance(numerator, Surd):
        return Surd({n: c // divisor for n, c in numerator.roots.items()}, 1)
    return numerator // divisor


def add_up(pairs: Sequence[tuple[Affine, Number]], plus: Number, work: Work) -> Affine:
    """Return Σ factor·affine + plus, for pairs (affine, factor)."""
    linear = combine([(affine.linear, factor) for affine, factor in pairs], 1, work)
    constants = [(affine.constant, factor) for affine, factor in pairs]
    return Affine(linear, add_constants(constants, plus, work))


def substitute(affine: Affine, values: Callable[[int], Affine], work: Work) -> Affine:
    """Return the affine function with values(key) in place of every [key]."""
    denominator, keys, numerators = affine.linear
    found = [values(key) for key in keys]
    pairs = [(value.linear, c) for value, c in zip(found, numerators, strict=True)]
    constants = [(value.constant, c) for value, c in zip(found, numerators, strict=True)]
    constant = add_constants(constants, 0, work) * quotient(1, denominator) + affine.constant
    check_length(constant)
    return Affine(combine(pairs, denominator, work), constant)


def range_of(linear: Linear) -> tuple[Number, Number]:
    """Return the least and the largest value of a linear function of keys with values in [0,1]."""
    low: Whole = 0
    high: Whole = 0
    for numerator in linear.numerators:
        if numerator < 0:
            low = low + numerator  # type: ignore[assignment]
        else:
            high = high + numerator  # type: ignore[assignment]
    return quotient(low, linear.denominator), quotient(high, linear.denominator)


# ==============================================================================
# Networks and formulas (§3)
# ==============================================================================

RELU, CLIPPED, IDENTITY = "relu", "crelu", "identity"
ACTIVATIONS = (RELU, CLIPPED, IDENTITY)


def activate(activation: str, x: Number) -> Number:
    """Return the value of a neuron with argument x."""
    if activation == IDENTITY:
        return x
    positive = larger(x, 0)
    return positive if activation == RELU else smaller(positive, 1)


class Layer(NamedTuple):
    """A layer of neurons: the variable of the first one, and their arguments as functions of
    variables.

    Variables are numbered as in §8: inputs first, from 0 on, with values in [0,1], then neurons
    in order.
    """

    first: int
    activation: str
    arguments: list[Affine]

    @property
    def stop(self) -> int:
        """Return the first variable after this layer."""
        return self.first + len(self.arguments)


class Network(NamedTuple):
    """A network over the unit cube, onto which its box was mapped."""

    inputs: list[str]
    outputs: list[str]
    box: list[tuple[Number, Number]]
    layers: list[Layer]

    def is_on_unit_cube(self) -> bool:
        """Return whether the box was the unit cube from the start."""
        return all(ends == (0, 1) for ends in self.box)


def without_doubles(pairs: list[tuple[str, object]]) -> dict[str, object]:
    """Return a JSON object; no key may stand in it twice."""
    well_formed(len(dict(pairs)) == len(pairs), "different keys in an object", "one of them twice")
    return dict(pairs)


def no_such_number(text: str) -> NoReturn:
    """Reject a JSON number with a fraction or an exponent, NaN or Infinity."""
    raise Rejected("malformed", "integers, and other numbers as strings", text)


DECODER = json.JSONDecoder(
    object_pairs_hook=without_doubles, parse_float=no_such_number, parse_constant=no_such_number
)


def decoded(text: str) -> Any:
    """Return the value of a JSON text."""
    try:
        return DECODER.decode(text)
    except (ValueError, RecursionError) as error:
        raise Rejected("malformed", "JSON", error) from None


def integer(value: object) -> int:
    """Return a JSON value that must be an integer."""
    if type(value) is not int:
        raise Rejected("malformed", "an integer", value)
    return value


def natural(value: object) -> int:
    """Return a JSON value that must be an integer ≥ 0."""
    if type(value) is not int or value < 0:
        raise Rejected("malformed", "an integer that is not negative", value)
    return value


def string(value: object) -> str:
    """Return a JSON value that must be a string."""
    if type(value) is not str:
        raise Rejected("malformed", "a string", value)
    return value


def array(value: object) -> list[Any]:
    """Return a JSON value that must be a list."""
    if type(value) is not list:
        raise Rejected("malformed", "a list", value)
    return value


def with_keys(value: object, *keys: str) -> list[Any]:
    """Return the entries of a JSON object that must have exactly these keys."""
    if type(value) is not dict or value.keys() != set(keys):
        raise Rejected("malformed", ("an object with the keys", *keys), value)
    return [value[key] for key in keys]


def read_network(text: str, first: int | None, work: Work) -> Network:
    """Read a network. Its first neuron is the variable after the inputs; for the second network
    of a difference it is `first`."""
    keys = ("format", "version", "inputs", "box", "layers", "outputs")
    name, version, inputs, box, layers, outputs = with_keys(decoded(text), *keys)
    well_formed(name == "verimv-network", "the format verimv-network", name)
    well_formed(integer(version) == 1, "version 1", version)
    ends = [read_interval(interval) for interval in array(box)]
    found: list[Layer] = []
    width = len(ends)
    start = len(ends) if first is None else first
    box_map = [Affine(linear_of({j: high - low}, work), low) for j, (low, high) in enumerate(ends)]
    for data in array(layers):
        activation, arguments = read_layer(data, width, work)
        if not found:  # the box is mapped onto the unit cube
            arguments = [substitute(argument, box_map.__getitem__, work) for argument in arguments]
        else:  # entry j of the layer below is the variable found[-1].first + j
            arguments = [moved(argument, found[-1].first) for argument in arguments]
        found.append(Layer(start, activation, arguments))
        start = found[-1].stop
        width = len(arguments)
    well_formed(bool(found), "at least one layer", "none")
    return Network(read_names(inputs, len(ends)), read_names(outputs, width), ends, found)


def read_interval(value: object) -> tuple[Number, Number]:
    """Read the range of an input."""
    ends = [number(end) for end in array(value)]
    well_formed(len(ends) == 2, "an interval [low, high]", value)
    well_formed(ends[0] <= ends[1], "an interval [low, high]", value)
    return ends[0], ends[1]


def read_layer(data: object, width: int, work: Work) -> tuple[str, list[Affine]]:
    """Read a layer above `width` entries: its activation, and its arguments over entries 0, 1, …"""
    weights, bias, activation = with_keys(data, "weights", "bias", "activation")
    well_formed(activation in ACTIVATIONS, "relu, crelu or identity", activation)
    well_formed(width > 0, "at least one column", width)
    well_formed(len(array(weights)) > 0, "at least one row", len(weights))
    well_formed(len(array(bias)) == len(weights), "a bias for each row", len(bias))
    return activation, [read_row(row, b, width, work) for row, b in zip(weights, bias, strict=True)]


def read_row(row: object, bias: object, width: int, work: Work) -> Affine:
    """Read a row of weights, a list or an object {"width": n, "index": weight, …}, and its bias."""
    constant = number(bias)
    if type(row) is list:
        well_formed(len(row) == width, f"a row of {width} weights", len(row))
        weights = {j: number(weight) for j, weight in enumerate(row)}
    elif type(row) is dict:
        well_formed("width" in row, "a row with a width", row)
        well_formed(integer(row["width"]) == width, f"a row of width {width}", row["width"])
        weights = {
            read_index(key, width): number(weight) for key, weight in row.items() if key != "width"
        }
    else:
        raise Rejected("malformed", "a row of weights", row)
    return Affine(linear_of(weights, work), constant)


def read_index(key: str, width: int) -> int:
    """Read the index of a weight: decimal, without leading zeros."""
    well_formed(re.fullmatch("0|[1-9][0-9]{0,9}", key) is not None, "an index", key)
    well_formed(int(key) < width, f"an index below {width}", key)
    return int(key)


def moved(affine: Affine, by: int) -> Affine:
    """Return an affine function of variables whose numbers are larger."""
    denominator, keys, numerators = affine.linear
    return Affine(
        Linear(denominator, tuple([key + by for key in keys]), numerators), affine.constant
    )


def read_names(value: object, count: int) -> list[str]:
    """Read the names of inputs or outputs."""
    names = [string(name) for name in array(value)]
    well_formed(len(names) > 0, "at least one name", names)
    well_formed(len(names) == count, f"{count} names", names)
    well_formed(len(set(names)) == len(names), "different names", names)
    return names


NAME_PATTERN = re.compile(r"(?!(?:inputs|outputs)$)[A-Za-z_][A-Za-z0-9_.']*")
OPERAND_PATTERN = re.compile(r"((?: *(?:¬|[δΔ]\[[^] ]*\]))*+) *([A-Za-z0-9_.']+) *")
PREFIX_PATTERN = re.compile(r"¬|[δΔ]\[[^]]*\]")
FACTOR_PATTERN = re.compile(r"d\[([0-9]+)\]|D\[([^] ]*)\]")

Operation: TypeAlias = tuple[Any, ...]
PLUS, TIMES, NOT = "⊕", "⊙", "¬"


class Nodes:
    """The nodes of formulas (§3), by number: 0 and 1 are the constants, then come inputs, then
    operations.

    Two nodes with the same operation on the same nodes are one. A factor is an operation by its
    text: "d[2]", "D[1/2]".
    """

    def __init__(self, inputs: Sequence[str]) -> None:
        self.inputs = inputs
        self.operations: list[Operation] = [("constant", 0), ("constant", 1)]
        self.operations += [("input", j) for j in range(len(inputs))]
        self.interned: dict[Operation, int] = {}
        self.factors: dict[str, Number] = {}  # by their texts

    def make(self, *operation: Any) -> int:
        """Return the node of an operation."""
        node = self.interned.get(operation)
        if node is None:
            node = len(self.operations)
            self.interned[operation] = node
            self.operations.append(operation)
        return node

    def fresh(self) -> int:
        """Return a node that occurs in no formula."""
        self.operations.append(("unit",))
        return len(self.operations) - 1

    def negation(self, node: int) -> int:
        """Return the node ¬node; ¬0 is 1, ¬1 is 0, and ¬¬x is x."""
        if node <= 1:
            return 1 - node
        if self.operations[node][0] == NOT:
            operand: int = self.operations[node][1]
            return operand
        return self.make(NOT, node)

    def chain(self, connective: str, nodes: Iterable[int]) -> int:
        """Return the node that connects all nodes, from the left."""
        return functools.reduce(functools.partial(self.make, connective), nodes)

    def factor(self, text: str) -> Number:
        """Return the factor of "d[i]", which is 1/i, or of "D[r]", which is r."""
        factor = self.factors.get(text)
        if factor is None:
            factor = self.factors[text] = read_factor(text)
        return factor


def read_factor(text: str) -> Number:
    """Read "d[i]" or "D[r]"; the factor lies in [0,1]."""
    match = FACTOR_PATTERN.fullmatch(text)
    if match is None:
        raise Rejected("malformed", "d[i] or D[r]", text)
    factor = number(match[2]) if match[1] is None else number(f"1/{match[1]}")
    well_formed(factor >= 0, "a factor that is not negative", text)
    well_formed(factor <= 1, "a factor that is at most 1", text)
    return factor


def inputs_of_formula(text: str) -> list[str]:
    """Return the names of the inputs of a formula.

    Nodes have to know them before the formula is read. If this finds the wrong line, then
    :func:`read_formula` rejects the formula.
    """
    for line in text.split("\n"):
        words = line.split()
        if words[:1] == ["inputs"]:
            return words[1:]
    return []


def read_formula(text: str, nodes: Nodes) -> tuple[list[str], list[int]]:
    """Read a formula over the inputs of `nodes`: the names of its outputs, and their nodes."""
    lines = [line for line in map(str.strip, text.split("\n")) if line and not line.startswith("#")]
    well_formed(len(lines) >= 3, "a header, inputs and outputs", lines)
    well_formed(lines[0].split() == ["verimv-formula", "1"], "verimv-formula 1", lines[0])
    keyword, *inputs = lines[1].split()
    well_formed(keyword == "inputs", "inputs", lines[1])
    need(inputs == list(nodes.inputs), ("the inputs", *nodes.inputs), lines[1])
    names = {"0": 0, "1": 1}
    for node, name in enumerate(inputs, start=2):
        define(names, name, node)
    for line in lines[2:-1]:
        name, equals, body = line.partition("=")
        well_formed(equals == "=", "a definition name = expression", line)
        define(names, name.strip(), read_expression(body, names, nodes))
    keyword, *outputs = lines[-1].split()
    well_formed(keyword == "outputs", "outputs", lines[-1])
    well_formed(len(outputs) > 0, "at least one output", lines[-1])
    well_formed(len(set(outputs)) == len(outputs), "different outputs", lines[-1])
    for name in outputs:
        well_formed(name in names and name not in ("0", "1"), "outputs that are defined", name)
    return outputs, [names[name] for name in outputs]


def define(names: dict[str, int], name: str, node: int) -> None:
    """Give a node a name that is new."""
    well_formed(NAME_PATTERN.fullmatch(name) is not None, "a name", name)
    well_formed(name not in names, "a name that is not yet defined", name)
    names[name] = node


def read_expression(text: str, names: Mapping[str, int], nodes: Nodes) -> int:
    """Read operands with one kind of connective between them; return the node."""
    connective = PLUS if PLUS in text else TIMES
    operands = []
    for operand in text.split(connective):
        match = OPERAND_PATTERN.fullmatch(operand)
        if match is None:
            raise Rejected("malformed", "names with prefixes, and one connective", text)
        node = names.get(match[2])
        if node is None:
            raise Rejected("malformed", "a name that is defined above", match[2])
        for prefix in reversed(PREFIX_PATTERN.findall(match[1])):
            node = apply_prefix(prefix, node, nodes)
        operands.append(node)
    return nodes.chain(connective, operands)


def apply_prefix(prefix: str, node: int, nodes: Nodes) -> int:
    """Return the node ¬node, δ[i] node or Δ[r] node."""
    if prefix == NOT:
        return nodes.negation(node)
    text = prefix.replace("δ", "d").replace("Δ", "D")
    nodes.factor(text)  # it must be one
    return nodes.make(text, node)


# ==============================================================================
# Two networks (§3): their difference, with shared neurons
# ==============================================================================


def difference(network: Network, other: Network, work: Work) -> list[Layer]:
    """Return the layers of both networks, then a layer of the differences of their outputs."""
    ends = range(network.layers[-1].first, network.layers[-1].stop)
    other_ends = range(other.layers[-1].first, other.layers[-1].stop)
    arguments = [
        Affine(linear_of({a: 1, b: -1}, work), 0) for a, b in zip(ends, other_ends, strict=True)
    ]
    return share(
        [*network.layers, *other.layers, Layer(other_ends.stop, IDENTITY, arguments)], work
    )


def share(layers: Sequence[Layer], work: Work) -> list[Layer]:
    """Return layers whose arguments mention no neuron that is a number, or a multiple of an
    earlier one."""
    # For a neuron what it is: a number, or p·[the first of its multiples], perhaps 1·[itself].
    known: dict[int, Affine] = {}
    originals: dict[
        tuple[str, Affine], tuple[int, int | Fraction]
    ] = {}  # a scaled argument → its first neuron, and the scale
    result = []
    for layer in layers:
        arguments = []
        for k, given in enumerate(layer.arguments, start=layer.first):
            argument = substitute(given, lambda j: known.get(j) or Affine(just(j), 0), work)
            arguments.append(argument)
            if not argument.linear.keys:
                known[k] = Affine(NOTHING, activate(layer.activation, argument.constant))
                continue
            scale = scale_of(layer.activation, argument)
            work.spend(cost_of_length(length(scale)) * (1 + len(argument.linear.keys)))
            normal = add_up([(argument, inverse(scale))], 0, work)
            original, its_scale = originals.setdefault((layer.activation, normal), (k, scale))
            known[k] = Affine(linear_of({original: scale * inverse(its_scale)}, work), 0)
        result.append(Layer(layer.first, layer.activation, arguments))
    return result


def scale_of(activation: str, argument: Affine) -> int | Fraction:
    """Return the number > 0 by which the argument is divided before it is compared with others."""
    lead = argument.constant
    if lead == 0:
        lead = quotient(argument.linear.numerators[0], argument.linear.denominator)
    if isinstance(lead, Surd) or activation == CLIPPED:  # σ(p·t) is not p·σ(t)
        return 1
    return -lead if lead < 0 else lead


def inverse(x: int | Fraction) -> Fraction:
    """Return 1/x, for x ≠ 0."""
    return Fraction(x.denominator, x.numerator)


# ==============================================================================
# Claims and forms (§5)
# ==============================================================================


class Form(NamedTuple):
    """An affine function of nodes: the number of its linear part in the table of the checker,
    and its constant."""

    part: int
    constant: Number


class Claim(NamedTuple):
    """Says that at every point the value of the node is σ(the value of the form)."""

    node: int
    form: Form


class Part(NamedTuple):
    """What a certificate, or one of its two parts, is about."""

    nodes: Nodes
    layers: Sequence[Layer]
    goals: Sequence[Any]  # for each output its node, or those of both formulas; or else None


class Checker:
    """What has been shown so far, line by line.

    Of a certificate in two parts, the first one ends with the line "formula", which begins the
    second one.
    """

    def __init__(self, part: Part, work: Work, second: Part | None = None) -> None:
        self.work = work
        self.second = second  # the part that is still to come
        self.errors: list[
            tuple[Number, Number]
        ] = []  # for each output its low and its high bound, from the first of two parts
        self.begin(part)

    def begin(self, part: Part) -> None:
        """Begin a part, of which nothing has been shown: whatever is set here is set anew."""
        self.nodes, self.layers, self.goals = part
        self.claims: list[Claim | None] = [None]  # they are numbered from 1
        # Linear parts of forms, each with its range over nodes in [0,1]; and where to find them.
        self.parts: list[Linear] = []
        self.ranges: list[tuple[Number, Number]] = []
        self.number_of_part: dict[Linear, int] = {}
        self.number_of_total: dict[tuple[tuple[int, Number], ...], int] = {}
        # The network: values of variables, as functions of nodes, as far as they are known.
        self.values = [Affine(just(2 + j), 0) for j in range(len(self.nodes.inputs))]
        # So many layers have arguments. The last one of these is the current one; layers are
        # numbered from 1, so this is also its number.
        self.entered = 0
        self.arguments: list[Affine] = []  # of the current layer, as functions of nodes
        self.facts: dict[
            tuple[int, str], Number
        ] = {}  # (variable, "low" or "high") → bound of its argument
        self.twins: dict[int, Twin] = {}  # of neurons
        self.changes: dict[
            tuple[int, str], Number
        ] = {}  # (variable, "low" or "high") → bound of its change
        self.assumed = 0  # bounds without evidence
        self.system: System | None = None  # the variables of the network, for evidence of bounds
        self.proved: list[
            tuple[Number, Number]
        ] = []  # for each output that is proved, scale and offset
        self.enter_layers()

    # ---- forms ----

    def form(self, affine: Affine) -> Form:
        """Return the form of an affine function of nodes."""
        return Form(self.part(affine.linear), affine.constant)

    def part(self, linear: Linear) -> int:
        """Return the number of a linear part."""
        found = self.number_of_part.get(linear)
        if found is None:
            self.work.spend(20 + 2 * len(linear.keys))
            found = len(self.parts)
            self.ranges.append(range_of(linear))
            self.parts.append(linear)
            self.number_of_part[linear] = found
        return found

    def total(self, pairs: Sequence[tuple[Form, Number]], plus: Number = 0) -> Form:
        """Return the form Σ factor·form + plus, for pairs (form, factor)."""
        key = tuple([(form.part, factor) for form, factor in pairs])
        part = self.number_of_total.get(key)
        if part is None:
            if len(key) == 1:
                linear = multiple_of(self.parts[key[0][0]], key[0][1], self.work)
            else:
                linear = combine(
                    [(self.parts[number], factor) for number, factor in key], 1, self.work
                )
            part = self.number_of_total[key] = self.part(linear)
        constants = [(form.constant, factor) for form, factor in pairs]
        return Form(part, add_constants(constants, plus, self.work))

    def written(self, form: Form) -> dict[int, Number]:
        """Return a form as {node: coefficient}; the constant is the coefficient of the node 1."""
        linear = self.parts[form.part]
        terms = {
            key: quotient(numerator, linear.denominator)
            for key, numerator in zip(linear.keys, linear.numerators, strict=True)
        }
        return terms if form.constant == 0 else terms | {1: form.constant}

    def range(self, form: Form) -> tuple[Number, Number]:
        """Return the range of a form, with every node in [0,1]."""
        low, high = self.ranges[form.part]
        if form.constant == 0:
            return low, high
        self.work.spend(cost_of_length(length(form.constant)) * weight(form.constant))
        return low + form.constant, high + form.constant

    def need_at_least(self, least: Number, form: Form) -> None:
        """Require that a form is never smaller than `least`."""
        low = self.range(form)[0]
        need(least <= low, ("a form that is at least", least), ("one that may be", low))

    def need_at_most(self, most: Number, form: Form) -> None:
        """Require that a form is never larger than `most`."""
        high = self.range(form)[1]
        need(high <= most, ("a form that is at most", most), ("one that may be", high))

    # ---- claims ----

    def claim(self, c: int) -> Claim:
        """Return claim number c."""
        found = self.claims[c] if 0 < c < len(self.claims) else None
        if found is None:
            raise Rejected("invalid", f"a claim from 1 to {len(self.claims) - 1}", c)
        return found

    def node_of(self, c: int, form: Form) -> int:
        """Return the node of claim c, which must be about this form."""
        node, found = self.claim(c)
        if found != form:
            expected = f"claim {c} about the form {self.text(form)}"
            raise Rejected("invalid", expected, self.text(found))
        return node

    def text(self, form: Form) -> str:
        """Return a form for a message, with its first terms."""
        terms = list(self.written(form).items())[:9]
        return " + ".join(f"{written_number(c)}·[{key}]" for key, c in terms) or "0"

    def add_claim(self, node: int, form: Form) -> None:
        """Add what a rule has concluded."""
        self.work.spend(cost_of_length(length(form.constant)))
        self.claims.append(Claim(node, form))

    # ---- layers (§7) ----

    def enter_layers(self) -> None:
        """Compute the arguments of the next layer once all values below are known.

        A layer with the activation identity passes its arguments on as values.
        """
        while (
            self.entered < len(self.layers) and len(self.values) == self.layers[self.entered].first
        ):
            layer = self.layers[self.entered]
            self.arguments = [
                substitute(argument, self.values.__getitem__, self.work)
                for argument in layer.arguments
            ]
            self.entered += 1
            if layer.activation == IDENTITY:
                self.values += self.arguments

    def has_all_values(self) -> bool:
        """Return whether every neuron has its value."""
        return bool(self.layers) and len(self.values) == self.layers[-1].stop

    def give_value(self, value: Affine) -> None:
        """Give the neuron that is due its value, a function of nodes."""
        self.values.append(value)
        self.enter_layers()

    def argument(self, layer: int, index: int) -> Affine:
        """Return the argument of a neuron of the current layer."""
        need(bool(self.layers), "a certificate of a network", "one of two formulas")
        need(layer == self.entered, f"the current layer, {self.entered}", layer)
        need(index < len(self.arguments), f"one of {len(self.arguments)} neurons", index)
        return self.arguments[index]

    def due_argument(self, layer: int, index: int) -> tuple[str, Affine, Form, Number, Number]:
        """Return the activation of the neuron that is due, and its argument, as a form too,
        with its range."""
        argument = self.argument(layer, index)
        current = self.layers[layer - 1]
        due = len(self.values) - current.first
        need(index == due, f"neuron {due}, which is due", index)
        form = self.form(argument)
        low, high = self.narrowed(current.first + index, form)
        return current.activation, argument, form, low, high

    def narrowed(self, variable: int, form: Form) -> tuple[Number, Number]:
        """Return the range of the argument of a variable: as a form, and by the bounds of
        earlier lines."""
        low, high = self.range(form)
        low = larger(low, self.facts.get((variable, "low"), low))
        high = smaller(high, self.facts.get((variable, "high"), high))
        return low, high

    # ---- lines ----

    def follow(self, line: object) -> None:
        """Apply the rule of a line."""
        if type(line) is not list or not line:
            raise Rejected("malformed", "a list that begins with the name of a rule", line)
        name, *arguments = line
        rule = RULES.get(name) if type(name) is str else None
        if rule is None:
            raise Rejected("malformed", "the name of a rule", name)
        well_formed(
            len(arguments) >= len(rule.kinds),
            f"at least {len(rule.kinds)} argument(s)",
            len(arguments),
        )
        if rule.rest is None:
            well_formed(
                len(arguments) <= len(rule.kinds), f"{len(rule.kinds)} argument(s)", len(arguments)
            )
        self.work.spend(10 + 2 * len(arguments))
        read = [kind(argument) for kind, argument in zip(rule.kinds, arguments, strict=False)]
        if rule.rest is None:
            rule.apply(self, *read)
        else:
            rest = rule.rest
            rule.apply(self, *read, [rest(argument) for argument in arguments[len(rule.kinds) :]])

    def finish(self) -> list[tuple[Number, Number]]:
        """Return what is proved: scale and offset of each output, or else its bounds. Reject if
        anything is missing."""
        proved = self.finish_part()
        if self.second is not None:
            raise Rejected("incomplete", "a line formula, and a second part", "none")
        return proved

    def finish_part(self) -> list[tuple[Number, Number]]:
        """Return what this part proves, and reject if anything is missing in it."""
        if self.assumed > 0:
            raise Rejected("incomplete", "evidence for every bound", f"{self.assumed} without")
        if self.goals[0] is None:
            return [self.bounds_of_output(k) for k in range(len(self.goals))]
        if len(self.proved) < len(self.goals):
            expected = f"proofs of {len(self.goals)} outputs"
            raise Rejected("incomplete", expected, len(self.proved))
        return self.proved

    def bounds_of_output(self, k: int) -> tuple[Number, Number]:
        """Return the bounds of an output, after its activation."""
        last = self.layers[-1]
        low, high = (self.facts.get((last.first + k, side)) for side in ("low", "high"))
        if low is None or high is None:
            raise Rejected(
                "incomplete", f"a low and a high bound of output {k}", "none, or only one"
            )
        return activate(last.activation, low), activate(last.activation, high)


# ==============================================================================
# Evidence of bounds (§8)
# ==============================================================================


class Variable(NamedTuple):
    """Free, with values in [0,1]; or an activation of an affine function of the variables
    before it."""

    activation: str | None  # None: free
    argument: Affine


FREE = Variable(None, Affine(NOTHING, 0))


class Twin(NamedTuple):
    """An earlier variable act(z), with which a neuron act(y) is compared, by way of
    z' = factor·z + offset: for every z, act(z') = of_value·act(z) + of_argument·z + offset."""

    variable: int
    factor: Number
    offset: int
    of_value: Number
    of_argument: Number


NO_TWINS: Mapping[int, Twin] = {}


def twin_of(activation: str, twin: int, factor: Number) -> Twin:
    """Return the twin of a neuron with this activation; the factor of a clipped one is 1 or −1."""
    if activation == CLIPPED and factor < 0:
        return Twin(twin, factor, 1, factor, 0)  # σ(1 − z) = 1 − σ(z)
    if activation == RELU and factor < 0:
        return Twin(twin, factor, 0, -factor, factor)  # ρ(−z) = ρ(z) − z
    return Twin(twin, factor, 0, factor, 0)


#: For each variable: low and high of its argument, and the values there.
Ranges: TypeAlias = list[tuple[Any, Any, Any, Any]]

#: Scales are multiples of this, so that bounds with a few binary digits become integers.
LEAST_SCALE = 1 << 48
#: Default slopes are multiples of 1 / SLOPE_UNIT.
SLOPE_UNIT = 1 << 16


def picker(keys: Sequence[int]) -> Callable[[Sequence[Any]], Sequence[Any]]:
    """Return a quick function from a list to its entries at these places."""
    if len(keys) >= 2:
        return operator.itemgetter(*keys)
    return operator.itemgetter(slice(keys[0], keys[0] + 1) if keys else slice(0, 0))


def dot(weights: Sequence[Any], values: Sequence[Any]) -> Any:
    """Return Σ weight·value."""
    return sum(map(operator.mul, weights, values))


class ScaledVariable:
    """A variable of a system, with its argument over the scaled variables before it."""

    def __init__(self, variable: Variable, scale: int, scales: Sequence[int]) -> None:
        self.activation = variable.activation
        self.scale = scale
        self.constant: Any = times(variable.argument.constant, scale)
        denominator, self.keys, numerators = variable.argument.linear
        # The argument is Σ weight·(variable times its own scale) + constant.
        self.weights: list[Any] = [
            n * (scale // (denominator * scales[j]))
            for j, n in zip(self.keys, numerators, strict=True)
        ]
        pairs = list(zip(self.keys, self.weights, strict=True))
        self.rising = [weight for _, weight in pairs if weight > 0]
        self.falling = [weight for _, weight in pairs if weight < 0]
        self.pick_rising = picker([j for j, weight in pairs if weight > 0])
        self.pick_falling = picker([j for j, weight in pairs if weight < 0])

    def add_argument(self, slope: Any, coefficients: list[Any]) -> None:
        """Add slope·(the argument without its constant) to a sum of variables."""
        if slope != 0:
            for j, weight in zip(self.keys, self.weights, strict=True):
                coefficients[j] = coefficients[j] + slope * weight

    def interval(self, least: Sequence[Any], largest: Sequence[Any]) -> tuple[Any, Any]:
        """Return the interval range of the argument, over those of the variables before it."""
        low = self.constant + dot(self.rising, self.pick_rising(least))
        low = low + dot(self.falling, self.pick_falling(largest))
        high = self.constant + dot(self.rising, self.pick_rising(largest))
        high = high + dot(self.falling, self.pick_falling(least))
        return low, high


def kinks_between(activation: str | None, low: Any, high: Any, one: int) -> list[tuple[Any, Any]]:
    """Return the kinks between two ends, as pairs (argument, value), all of them times `one`."""
    found = []
    if activation in (RELU, CLIPPED) and low < 0 < high:
        found.append((0, 0))
    if activation == CLIPPED and low < one < high:
        found.append((one, one))
    return found


def value_at(activation: str | None, x: Any, one: int) -> Any:
    """Return the value of a variable with argument x, both times `one`; a free one is its own
    argument."""
    if activation in (RELU, CLIPPED):
        x = 0 if x < 0 else x
    if activation == CLIPPED:
        x = one if x > one else x
    return x


class Piece(NamedTuple):
    """A part of the range of an argument t on which act(t) = slope·t + shift."""

    low: Any
    high: Any
    slope: int  # 0 or 1
    shift: int  # 0 or the scale


def pieces_of(activation: str, low: Any, high: Any, scale: int) -> list[Piece]:
    """Return the parts into which kinks cut a range; activations have their second kink at
    `scale`."""
    if activation == IDENTITY:
        return [Piece(low, high, 1, 0)]
    found = []
    if low < 0 or high <= 0:
        found.append(Piece(low, smaller(high, 0), 0, 0))
    if activation == RELU and high > 0:
        found.append(Piece(larger(low, 0), high, 1, 0))
    if activation == CLIPPED and high > 0 and low < scale:
        found.append(Piece(larger(low, 0), smaller(high, scale), 1, 0))
    if activation == CLIPPED and (high > scale or low >= scale):
        found.append(Piece(larger(low, scale), high, 0, scale))
    return found


class Comparison(NamedTuple):
    """A neuron act(y) and its twin act(z), with z' = factor·z + offset: the range of the change
    d = y − z', and the cells, which are pairs of a piece for z' and one for y that have a point
    in common. All are scaled as the neuron is."""

    change: tuple[Any, Any]
    cells: list[tuple[Piece, Piece]]

    def peak(self, c: Any, mu: Any, nu: Any) -> Any:
        """Return a number that c·(act(y) − act(z')) − μ·d − ν·z' never exceeds.

        On a cell this is A·z' + B·d + C. As y = z' + d, A·z' + B·d is also (A − B)·z' + B·y,
        and A·y + (B − A)·d; each of the three is at most the sum of the largest values of its
        two terms.
        """
        peaks = []
        for of_z, of_y in self.cells:
            a = c * (of_y.slope - of_z.slope) - nu
            b = c * of_y.slope - mu
            z, y = of_z[:2], of_y[:2]
            height = largest(a, z) + largest(b, self.change)
            height = smaller(height, largest(a - b, z) + largest(b, y))
            height = smaller(height, largest(a, y) + largest(b - a, self.change))
            peaks.append(height + c * (of_y.shift - of_z.shift))
        return functools.reduce(larger, peaks)

    def default_slopes(self, c: Any) -> tuple[Any, Any]:
        """Return μ and ν that are chosen by the format: μ is c times the slope of a line above
        max(0, d), for c > 0, or below min(0, d)."""
        low, high = self.change
        if low >= 0:
            return (c if c > 0 else 0), 0
        if high <= 0:
            return (0 if c > 0 else c), 0
        if isinstance(low, Surd) or isinstance(high, Surd):
            return 0, 0
        end = high if c > 0 else -low
        return divided_by_slope_unit(c * (end * SLOPE_UNIT // (high - low))), 0


def largest(c: Any, ends: tuple[Any, Any]) -> Any:
    """Return the largest c·x for x between two ends."""
    return c * (ends[1] if c > 0 else ends[0])


def times(x: Number, scale: int) -> Number:
    """Return x·scale, as an int if it is one."""
    product = x * scale
    if isinstance(product, Fraction) and product.denominator == 1:
        return product.numerator
    return product


def divided_by_slope_unit(x: Any) -> Any:
    """Return x / SLOPE_UNIT: an integer for almost all x, because scales leave room for it."""
    if type(x) is int and x % SLOPE_UNIT == 0:
        return x // SLOPE_UNIT
    return x * Fraction(1, SLOPE_UNIT)


class Bounds(NamedTuple):
    """Bounds of arguments of variables, each times the scale of its variable."""

    low: dict[int, Number]
    high: dict[int, Number]

    def replaced_by(self, others: Bounds) -> Bounds:
        """Return both; where both have a bound of the same side, that of the others."""
        low = {**self.low, **others.low} if others.low else self.low
        high = {**self.high, **others.high} if others.high else self.high
        return Bounds(low, high)

    def fractions(self, count: int) -> list[Number]:
        """Return the bounds of the first `count` variables that are not integers."""
        ends = (*self.low.items(), *self.high.items())
        return [x for k, x in ends if k < count and type(x) is not int]


class Situation(NamedTuple):
    """A target over the first `stop` variables, which must be ≤ 0 wherever some bounds hold:
    those that splits and lemmas have given."""

    target: Affine
    stop: int
    bounds: Bounds
    split: frozenset[int]  # variables with a bound from a split

    def with_split(self, k: int, bounds: Bounds) -> Situation:
        """Return one side of a split of variable k."""
        return self._replace(bounds=self.bounds.replaced_by(bounds), split=self.split | {k})

    def with_lemma(self, bounds: Bounds) -> Situation:
        """Return what is left to be shown after a lemma; it makes no multiplier necessary."""
        return self._replace(bounds=self.bounds.replaced_by(bounds))


def bound_target(argument: Affine, side: str, value: Number, work: Work) -> Affine:
    """Return what must be ≤ 0 for an argument to be ≤ value ("high"), or ≥ value ("low")."""
    if side == "high":
        return add_up([(argument, 1)], -value, work)
    return add_up([(argument, -1)], value, work)


class System:
    """Variables of a proof by cases, scaled so that almost all numbers are integers.

    Variable k, its argument and their ranges are kept times scales[k]; the weight of variable j
    in the argument of k times scales[k] / scales[j]; in a leaf, with `common` a multiple of all
    scales, a coefficient or a slope of k times common / scales[k], and the total times common.
    So weight·value, coefficient·value and slope·argument need no further factor. Nothing is
    rounded: a bound that is not an integer after scaling stays a fraction.
    """

    def __init__(
        self, definitions: Sequence[Variable], work: Work, twins: Mapping[int, Twin] = NO_TWINS
    ) -> None:
        self.definitions = definitions
        self.twins = twins
        self.variables: list[ScaledVariable] = []
        self.scales: list[int] = []
        self.known = Bounds({}, {})  # of arguments, by what was shown before
        self.changes = Bounds({}, {})  # of changes of neurons with a twin
        self.kept_count = 0  # of variables whose ranges are kept
        self.kept_ranges: Ranges | None = []
        self.sweeper: Sweeper | None = None  # made when it is needed
        self.common = [1]  # common[k] is a multiple of the scales of the first k variables
        self.weights = [0]  # weights[k] is the number of weights of the first k variables
        radicands: set[int] = set()
        for k, definition in enumerate(definitions):
            scale = self.scale_for(k, definition)
            linear, constant = definition.argument
            work.spend(10 + len(linear.keys) * (1 + scale.bit_length() // 64))
            self.variables.append(ScaledVariable(definition, scale, self.scales))
            self.scales.append(scale)
            self.common.append(math.lcm(self.common[-1], scale))
            within_limits(
                self.common[-1].bit_length() <= MAX_BITS, "a common scale with fewer bits", "more"
            )
            self.weights.append(self.weights[-1] + len(linear.keys) + (constant != 0))
            factor = twins[k].factor if k in twins else 1
            for x in (constant, factor, *linear.numerators):
                radicands.update(roots_of(x))
        self.radicands = radicands

    def scale_for(self, k: int, definition: Variable) -> int:
        """Return a scale that makes all weights in the argument of a variable integers, even if
        they are divided by SLOPE_UNIT: so products with default slopes are integers, too. It is
        a multiple of the scale of a twin."""
        linear, constant = definition.argument
        scale = math.lcm(LEAST_SCALE, constant.denominator)
        if k in self.twins:
            twin = self.twins[k]
            scale = math.lcm(scale, self.scales[twin.variable] * twin.factor.denominator)
        for j in linear.keys:
            scale = math.lcm(scale, linear.denominator * self.scales[j])
            within_limits(
                scale.bit_length() <= MAX_BITS, "a common scale with fewer bits", scale.bit_length()
            )
        return scale * SLOPE_UNIT

    def cost_of_leaf(self, count: int, bits: int, radicands: set[int], is_whole: bool) -> int:
        """Return the units of work for a leaf over `count` variables; `bits` and `radicands` are
        those of bounds and multipliers, and `is_whole` says that all bounds are integers."""
        bits += self.common[count].bit_length()
        cost = 4 * count + 30 * len(self.twins)
        cost += self.weights[count] * (1 + (bits // 512) ** 2) // 4
        cost += len(self.variables) // 16
        if not is_whole:  # sums of fractions have to be brought to a common denominator
            cost *= 30
        roots = min(2 ** len((self.radicands | radicands) - {1}), MAX_ROOTS)
        if roots > 1:  # products of sums of so many roots
            cost *= 10 + 3 * roots**2
        return cost

    def learn_change(self, k: int, side: str, bound: Number) -> None:
        """Take note of a bound that is known of the change of a neuron with a twin."""
        ends = self.changes.low if side == "low" else self.changes.high
        ends[k] = times(bound, self.scales[k])

    def learn(self, k: int, side: str, bound: Number) -> None:
        """Take note of a bound that is known of the argument of a variable."""
        ends = self.known.low if side == "low" else self.known.high
        ends[k] = times(bound, self.scales[k])
        if k < self.kept_count:
            self.kept_count = 0

    def ranges(self, count: int, given: Bounds) -> Ranges | None:
        """Return the ranges of the first `count` variables. Those without splits and lemmas are
        kept for the next leaf, until something new is known of one of these variables."""
        if given.low or given.high:
            return self.measured(count, given)
        if count != self.kept_count:
            self.kept_count, self.kept_ranges = count, self.measured(count, given)
        return self.kept_ranges

    def measured(self, count: int, given: Bounds) -> Ranges | None:
        """Return low and high of each argument, and the values there, all scaled; None if a
        range is empty."""
        found = []
        least: list[Any] = []  # the least value of each variable so far
        largest: list[Any] = []
        for k, variable in enumerate(self.variables[:count]):
            if variable.activation is None:
                low, high = 0, variable.scale
            else:
                low, high = variable.interval(least, largest)
            # A bound from a split or a lemma replaces one that is known.
            bound: Any = given.low.get(k, self.known.low.get(k))
            if bound is not None and bound > low:
                low = bound
            bound = given.high.get(k, self.known.high.get(k))
            if bound is not None and bound < high:
                high = bound
            check_length(low)
            check_length(high)
            if low > high:
                return None
            low_value = value_at(variable.activation, low, variable.scale)
            high_value = value_at(variable.activation, high, variable.scale)
            least.append(low_value)
            largest.append(high_value)
            found.append((low, high, low_value, high_value))
        return found

    def leaf(
        self,
        situation: Situation,
        multipliers: list[Number],
        twins: Mapping[int, Twin] = NO_TWINS,
    ) -> Number | None:
        """Return an upper bound of the target; None if the situation has no point (§8).

        From the last variable to the first, c·(its value) is replaced by slope·(its argument) +
        peak, which is never smaller: the peak is the largest value of c·act(z) − slope·z over
        the range of the argument z. This is largest at an end of the range or at a kink,
        because act is affine between them. Any slopes will do. A variable with a twin is
        replaced by a multiple of this twin, multiples of both arguments, and a peak.
        """
        count = situation.stop
        ranges = self.ranges(count, situation.bounds)
        if ranges is None:
            return None
        linear, constant = situation.target
        # Coefficients of variable k are multiplied by common / scales[k]: then they fit to scaled
        # variables. They are complete when k is due: what comes after k has been replaced.
        denominators = [linear.denominator, constant.denominator]
        denominators += [multiplier.denominator for multiplier in multipliers]
        common = common_denominator(denominators) * self.common[count] * SLOPE_UNIT
        coefficients: list[Any] = [0] * count
        for k, numerator in zip(linear.keys, linear.numerators, strict=True):
            coefficients[k] = numerator * (common // (linear.denominator * self.scales[k]))
        total: Any = times(constant, common)
        slopes: list[Any] = [0] * count  # of arguments, from comparisons
        remaining = multipliers[::-1]
        for k in range(count - 1, -1, -1):
            variable = self.variables[k]
            low, high, low_value, high_value = ranges[k]
            c = coefficients[k]
            if variable.activation is None:
                total = total + c * (high if c > 0 else low)
                continue
            slope: Any = 0
            kinks = kinks_between(variable.activation, low, high, variable.scale)
            if not kinks and k not in situation.split:
                # The activation is affine on the range: the argument itself, then the slope is c
                # and the peak 0; or a constant, then the slope is 0 and the peak c·constant.
                if low_value == low and high_value == high:
                    slope = c
                else:
                    total = total + c * low_value
            elif k in twins:
                found = self.compared(k, ranges)
                if not found.cells:
                    return None
                of_z, of_y = found.cells[0]
                if len(found.cells) == 1 and not (multipliers and k in situation.split):
                    mu, nu = c * of_y.slope, c * (of_y.slope - of_z.slope)
                elif multipliers:
                    well_formed(len(remaining) >= 2, "two multipliers for a twin", "too few")
                    mu = times(remaining.pop(), common // self.scales[k])
                    nu = times(remaining.pop(), common // self.scales[k])
                else:
                    mu, nu = found.default_slopes(c)
                check_length(mu)
                check_length(nu)
                # c·act(y) ≤ c·act(z') + μ·(y − z') + ν·z' + peak
                twin, factor, offset, of_value, of_argument = self.scaled_twin(k)
                slope = mu
                coefficients[twin] = coefficients[twin] + c * of_value
                slopes[twin] = slopes[twin] + c * of_argument + (nu - mu) * factor
                total = total + (c + nu - mu) * offset + found.peak(c, mu, nu)
            else:
                if multipliers:
                    well_formed(bool(remaining), "a multiplier for every kink", "too few")
                    slope = times(remaining.pop(), common // self.scales[k])
                else:
                    slope = self.default_slope(variable.activation, c, ranges[k])
                check_length(slope)
                peak = c * low_value - slope * low
                for z, value in ((high, high_value), *kinks):
                    height = c * value - slope * z
                    if height > peak:
                        peak = height
                total = total + peak
            slope = slope + slopes[k]
            total = total + slope * variable.constant
            variable.add_argument(slope, coefficients)
        well_formed(not remaining, "no more multipliers", len(remaining))
        return total * Fraction(1, common)  # type: ignore[no-any-return]

    def scaled_twin(self, k: int) -> Twin:
        """Return the twin of variable k for values that are scaled: numbers by which the twin is
        multiplied are times the scale of k, divided by that of the twin."""
        twin, factor, offset, of_value, of_argument = self.twins[k]
        ratio = self.scales[k] // self.scales[twin]
        parts = times(factor, ratio), times(of_value, ratio), times(of_argument, ratio)
        return Twin(twin, parts[0], offset * self.scales[k], parts[1], parts[2])

    def compared(self, k: int, ranges: Ranges) -> Comparison:
        """Return what is known of variable k and its twin together, times the scale of k."""
        twin = self.scaled_twin(k)
        twin_low, twin_high = ranges[twin.variable][:2]
        if twin.factor < 0:
            twin_low, twin_high = twin_high, twin_low
        z = (twin.factor * twin_low + twin.offset, twin.factor * twin_high + twin.offset)
        low, high = ranges[k][:2]
        least = larger(low - z[1], self.changes.low.get(k, low - z[1]))
        most = smaller(high - z[0], self.changes.high.get(k, high - z[0]))
        activation, scale = self.variables[k].activation or IDENTITY, self.scales[k]
        cells = [
            (of_z, of_y)
            for of_z in pieces_of(activation, *z, scale)
            for of_y in pieces_of(activation, low, high, scale)
            if of_z.low + least <= of_y.high and of_y.low <= of_z.high + most
        ]
        return Comparison((least, most), cells)

    def default_slope(self, activation: str, c: Any, ends: tuple[Any, Any, Any, Any]) -> Any:
        """Return c times a slope that is chosen by the format: that of the chord, or that of
        one of the sides."""
        low, high, low_value, high_value = ends
        is_rational = not isinstance(low, Surd) and not isinstance(high, Surd)
        if low < high and is_rational and (c > 0 or activation != RELU):
            chord = (high_value - low_value) * SLOPE_UNIT // (high - low)
            return divided_by_slope_unit(c * chord)
        return c if low + high > 0 else 0

    def swept(self, situation: Situation, work: Work) -> Situation:
        """Return what is left to be shown after a sweep: the same, with its bounds (§8)."""
        if self.sweeper is None:
            self.sweeper = Sweeper(self.definitions, work)
        count = situation.stop
        need(count <= len(self.sweeper.variables), "rational weights", "one with a square root")
        bounds = self.known.replaced_by(situation.bounds)
        work.spend(len(bounds.low) + len(bounds.high))
        lows, highs = [
            {
                k: rounded(bound * RANGE_UNIT, self.scales[k])
                for k, bound in ends.items()
                if k < count and not isinstance(bound, Surd)
            }
            for ends, rounded in ((bounds.low, divided_down), (bounds.high, divided_up))
        ]
        found = self.sweeper.sweep(count, lows, highs, work)
        return situation.with_lemma(
            Bounds(
                {k: low * (self.scales[k] // RANGE_UNIT) for k, (low, _) in found.items()},
                {k: high * (self.scales[k] // RANGE_UNIT) for k, (_, high) in found.items()},
            )
        )

    def prove(
        self, count: int, targets: Sequence[Affine], cases: Sequence[list[Any]], work: Work
    ) -> None:
        """Follow trees of cases that show, one after the other, that targets over `count`
        variables are ≤ 0.

        The cases of a tree stand in preorder.
        """
        work.spend(count + len(self.known.low) + len(self.known.high))
        known = self.known.fractions(count) + self.changes.fractions(count)
        known_bits = sum([x.denominator.bit_length() for x in known])
        known_radicands = set().union(*map(roots_of, known))
        open_situations = [
            Situation(target, count, Bounds({}, {}), frozenset()) for target in reversed(targets)
        ]  # the last one is due
        for kind, *arguments in cases:
            need(bool(open_situations), "no more cases", kind)
            situation = open_situations.pop()
            work.spend(3 + 3 * (len(situation.bounds.low) + len(situation.bounds.high)))
            if kind == "split":
                well_formed(len(arguments) == 2, "a variable and a point", arguments)
                k, point = natural(arguments[0]), number(arguments[1])
                need(k < situation.stop, f"one of {situation.stop} variables", k)
                bound = times(point, self.scales[k])
                open_situations.append(situation.with_split(k, Bounds({k: bound}, {})))
                open_situations.append(situation.with_split(k, Bounds({}, {k: bound})))  # first
            elif kind == "lemma":
                well_formed(len(arguments) == 3, "a variable, a side and a value", arguments)
                k, side, value = natural(arguments[0]), arguments[1], number(arguments[2])
                well_formed(side in ("low", "high"), "low or high", side)
                need(k < situation.stop, f"one of {situation.stop} variables", k)
                variable = self.definitions[k]
                need(variable.activation is not None, "a variable that is not free", k)
                bound = times(value, self.scales[k])
                lemma = Bounds({k: bound}, {}) if side == "low" else Bounds({}, {k: bound})
                target = bound_target(variable.argument, side, value, work)
                open_situations.append(situation.with_lemma(lemma))
                open_situations.append(situation._replace(target=target, stop=k))  # first
            elif kind == "sweep":
                well_formed(not arguments, "a sweep without arguments", arguments)
                open_situations.append(self.swept(situation, work))
            else:
                well_formed(kind in ("leaf", "pair"), "split, lemma, sweep, leaf or pair", kind)
                multipliers = [number(argument) for argument in arguments]
                given = situation.bounds.fractions(situation.stop)
                bits = sum([x.denominator.bit_length() for x in (*given, *multipliers)])
                radicands = known_radicands.union(*map(roots_of, (*given, *multipliers)))
                is_whole = not known and not given
                bits += known_bits
                work.spend(self.cost_of_leaf(situation.stop, bits, radicands, is_whole))
                twins = self.twins if kind == "pair" else NO_TWINS
                gap = self.leaf(situation, multipliers, twins)
                need(gap is None or gap <= 0, "multipliers that prove the case", ("a gap of", gap))
        need(not open_situations, "a leaf for every case", f"{len(open_situations)} open")


# ==============================================================================
# Sweeps (§8): bounds of all arguments, computed afresh with short numbers
# ==============================================================================

RANGE_UNIT = 1 << 32  # ends of coarse ranges are multiples of 1 / RANGE_UNIT
MU_UNIT = 1 << 20  # slopes of a coarse walk are multiples of 1 / MU_UNIT
SUM_UNIT = 1 << 40  # what a coarse walk adds up are multiples of 1 / SUM_UNIT


def divided_down(x: Any, divisor: int) -> int:
    """Return x / divisor, rounded down; x is an integer or a fraction."""
    return x // divisor  # type: ignore[no-any-return]


def divided_up(x: Any, divisor: int) -> int:
    """Return x / divisor, rounded up; x is an integer or a fraction."""
    return -(-x // divisor)  # type: ignore[no-any-return]


class CoarseRange(NamedTuple):
    """Ends of the argument of a variable, and the values there, all times RANGE_UNIT; the kinks
    between them; and the slopes that a coarse walk chooses, times SLOPE_UNIT: one for
    coefficients c > 0, and one for c ≤ 0."""

    low: int
    high: int
    low_value: int
    high_value: int
    kinks: list[tuple[int, int]]
    slope_if_positive: int
    slope_if_not: int

    def is_nothing(self) -> bool:
        """Return whether the variable is 0 on all of the range, and has the slope 0."""
        return self.high_value == 0 and self.slope_if_positive == 0


def coarse_range(activation: str | None, low: int, high: int) -> CoarseRange:
    """Return the range of a variable whose argument has these ends."""
    low_value = value_at(activation, low, RANGE_UNIT)
    high_value = value_at(activation, high, RANGE_UNIT)
    kinks = kinks_between(activation, low, high, RANGE_UNIT)
    if not kinks:  # on the range, the variable is its argument, or a constant
        slope = SLOPE_UNIT if (low_value, high_value) == (low, high) else 0
        return CoarseRange(low, high, low_value, high_value, kinks, slope, slope)
    chord = (high_value - low_value) * SLOPE_UNIT // (high - low)
    side = SLOPE_UNIT if low + high > 0 else 0
    other = side if activation == RELU else chord
    return CoarseRange(low, high, low_value, high_value, kinks, chord, other)


class CoarseVariable(ScaledVariable):
    """A variable of a sweep. Its argument, over variables that are times RANGE_UNIT, is
    (Σ weight·variable + constant) / denominator, for integers.

    Its coefficients in a walk are kept times unit·MU_UNIT. The unit is a multiple of the
    denominators of its constant, and of all arguments in which the variable occurs.
    """

    def __init__(self, variable: Variable, scales: Sequence[int]) -> None:
        linear, constant = variable.argument
        self.denominator = math.lcm(linear.denominator, constant.denominator)
        super().__init__(variable, self.denominator * RANGE_UNIT, scales)

    def set_users(self, users: Sequence[tuple[int, CoarseVariable, int]], work: Work) -> None:
        """Take note of the variables in whose arguments this one occurs: (number, variable,
        weight)."""
        self.unit = common_denominator(
            [self.denominator, *[user.denominator for _, user, _ in users]]
        )
        work.spend((1 + len(users)) * (1 + self.unit.bit_length() // 64))
        self.constant_in_units = self.constant * (self.unit // self.denominator)
        self.first_user = users[0][0] if users else None
        self.user_weights = [weight * (self.unit // user.denominator) for _, user, weight in users]
        self.pick_users = picker([k for k, _, _ in users])
        self.mu_divisor = self.unit * SLOPE_UNIT
        self.sum_divisor = self.unit * (RANGE_UNIT * MU_UNIT // SUM_UNIT)


class Sweeper:
    """Bounds the arguments of variables, in order, each by means of the bounds before it.

    All numbers are integers, of a few machine words if weights are such numbers: ranges, slopes
    and sums are rounded, so that they do not grow from layer to layer. Ranges become larger by
    that, sums too, and any slopes give true bounds.
    """

    def __init__(self, definitions: Sequence[Variable], work: Work) -> None:
        self.variables: list[CoarseVariable] = []  # those before the first irrational number
        users: list[list[tuple[int, CoarseVariable, int]]] = [[] for _ in definitions]
        scales = [RANGE_UNIT] * len(definitions)
        for k, definition in enumerate(definitions):
            linear, constant = definition.argument
            if any(isinstance(x, Surd) for x in (constant, *linear.numerators)):
                break
            work.spend(10 + len(linear.keys))
            variable = CoarseVariable(definition, scales)
            self.variables.append(variable)
            for j, weight in zip(variable.keys, variable.weights, strict=True):
                users[j].append((k, variable, weight))
        for variable, its_users in zip(self.variables, users, strict=False):
            variable.set_users(its_users, work)

    def sweep(
        self, count: int, lows: Mapping[int, int], highs: Mapping[int, int], work: Work
    ) -> dict[int, tuple[int, int]]:
        """Return the ends of those of the first `count` arguments that have kinks, times
        RANGE_UNIT, as far as no range is empty. `lows` and `highs` are bounds that are known."""
        found: dict[int, tuple[int, int]] = {}
        ranges: list[CoarseRange] = []
        least: list[int] = []  # the least value of each variable so far
        largest: list[int] = []
        for k, variable in enumerate(self.variables[:count]):
            low, high = 0, RANGE_UNIT
            if variable.activation is not None:
                low, high = variable.interval(least, largest)
                low = divided_down(low, variable.denominator)
                high = divided_up(high, variable.denominator)
            work.spend(cost_of_sum(2 * len(variable.keys), high - low))
            low = max(low, lows.get(k, low))
            high = min(high, highs.get(k, high))
            if low > high:
                break
            if kinks_between(variable.activation, low, high, RANGE_UNIT):
                high = min(high, self.walk(k, 1, ranges, work))
                low = max(low, -self.walk(k, -1, ranges, work))
                found[k] = low, high
                if low > high:
                    break
            ranges.append(coarse_range(variable.activation, low, high))
            least.append(ranges[-1].low_value)
            largest.append(ranges[-1].high_value)
        return found

    def walk(self, k: int, sign: int, ranges: Sequence[CoarseRange], work: Work) -> int:
        """Return an upper bound of sign·(argument of variable k), times RANGE_UNIT, for ranges of
        the variables before it. See :meth:`System.leaf`; slopes are chosen and rounded here."""
        work.spend(len(self.variables) // 8)
        bounded = self.variables[k]
        slopes = [0] * len(self.variables)  # times MU_UNIT
        slopes[k] = sign * MU_UNIT
        weights = dict(zip(bounded.keys, bounded.weights, strict=True))
        last = -1  # the last variable before k that has a slope
        total = 0  # times SUM_UNIT
        for i in range(k - 1, -1, -1):
            variable, ends = self.variables[i], ranges[i]
            if variable.first_user is None or variable.first_user > k or ends.is_nothing():
                continue
            if variable.first_user > last:  # it occurs in the argument of k only
                c = slopes[k] * weights.get(i, 0) * (variable.unit // bounded.denominator)
            else:
                c = dot(variable.user_weights, variable.pick_users(slopes))
            work.spend(cost_of_sum(len(variable.user_weights), c))
            if variable.activation is None:
                total += divided_up(c * (ends.high if c > 0 else ends.low), variable.sum_divisor)
                continue
            slope = ends.slope_if_positive if c > 0 else ends.slope_if_not
            mu = c * slope // variable.mu_divisor
            in_units = mu * variable.unit
            peak = max(
                c * ends.low_value - in_units * ends.low,
                c * ends.high_value - in_units * ends.high,
                *[c * value - in_units * z for z, value in ends.kinks],
            )
            total += divided_up(peak + mu * variable.constant_in_units, variable.sum_divisor)
            slopes[i] = mu
            if mu != 0:
                last = max(last, i)
        # The constant of an argument is kept times denominator·RANGE_UNIT.
        ratio = SUM_UNIT // RANGE_UNIT
        whole = sign * bounded.constant * ratio + total * bounded.denominator
        return divided_up(whole, bounded.denominator * ratio)


def cost_of_sum(count: int, result: int) -> int:
    """Return the units of work for a sum of so many products of integers, and what is done with
    it."""
    bits = result.bit_length()
    if bits > MAX_BITS:
        raise Rejected("incomplete", "a number with fewer bits", bits)
    return (48 + count) * (1 + (bits // 512) ** 2) // 16


# ==============================================================================
# Rules that make claims (§6)
# ==============================================================================


def value_of_node(node: int) -> Affine:
    """Return [node] as an affine function; the nodes 0 and 1 count as numbers."""
    return Affine(NOTHING, node) if node <= 1 else Affine(just(node), 0)


def rule_node(checker: Checker, k: int) -> None:
    """["node", k]: a constant or an input is σ of itself, because its value lies in [0,1]."""
    need(k < 2 + len(checker.nodes.inputs), "0, 1, or 2 + the number of an input", k)
    checker.add_claim(k, checker.form(value_of_node(k)))


def rule_atom(checker: Checker, c: int) -> None:
    """["atom", c]: the node of a claim is σ of itself."""
    node = checker.claim(c).node
    checker.add_claim(node, checker.form(value_of_node(node)))


def rule_not(checker: Checker, c: int) -> None:
    """["not", c]: ¬σ(f) is σ(1 − f)."""
    node, form = checker.claim(c)
    checker.add_claim(checker.nodes.negation(node), checker.total([(form, -1)], plus=1))


def rule_scale(checker: Checker, text: str, c: int) -> None:
    """["scale", "d[i]" or "D[r]", c]: r·σ(f) is σ(r·f), if f ≤ 1."""
    factor = checker.nodes.factor(text)
    node, form = checker.claim(c)
    checker.need_at_most(1, form)
    checker.add_claim(checker.nodes.make(text, node), checker.total([(form, factor)]))


def rule_plus(checker: Checker, first: int, rest: list[int]) -> None:
    """["plus", c_1, …]: σ(f_1) ⊕ σ(f_2) ⊕ … is σ(f_1 + f_2 + …), if all f_i ≥ 0; and σ(f) ⊕
    σ(f) is σ(2f)."""
    checker.work.spend(10 * len(rest))
    claims = [checker.claim(c) for c in (first, *rest)]
    if rest != [first]:
        for claim in claims:
            checker.need_at_least(0, claim.form)
    node = checker.nodes.chain(PLUS, [claim.node for claim in claims])
    checker.add_claim(node, checker.total([(claim.form, 1) for claim in claims]))


def rule_times(checker: Checker, first: int, rest: list[int]) -> None:
    """["times", c_1, …]: σ(f_1) ⊙ … ⊙ σ(f_m) is σ(f_1 + … + f_m − (m − 1)), if all f_i ≤ 1; or
    if m = 2 and both are the same claim."""
    checker.work.spend(10 * len(rest))
    claims = [checker.claim(c) for c in (first, *rest)]
    if rest != [first]:
        for claim in claims:
            checker.need_at_most(1, claim.form)
    node = checker.nodes.chain(TIMES, [claim.node for claim in claims])
    checker.add_claim(node, checker.total([(claim.form, 1) for claim in claims], plus=-len(rest)))


def rule_lemma(checker: Checker, g: int, h: int, c: int) -> None:
    """["lemma", g, h, c]: (σ(g) ⊕ σ(h)) ⊙ σ(g + 1) is σ(g + h), if h lies in [0,1]. Claim c is
    about g + 1."""
    node_g, form_g = checker.claim(g)
    node_h, form_h = checker.claim(h)
    checker.need_at_least(0, form_h)
    checker.need_at_most(1, form_h)
    node_c = checker.node_of(c, Form(form_g.part, form_g.constant + 1))
    node = checker.nodes.make(TIMES, checker.nodes.make(PLUS, node_g, node_h), node_c)
    checker.add_claim(node, checker.total([(form_g, 1), (form_h, 1)]))


def rule_cut(checker: Checker, f: int, g: int, c: int, lam: Number, mu: Number) -> None:
    """["cut", f, g, c, λ, μ]: (σ(f) ⊙ σ(g + 1)) ⊕ σ(g) is σ(f + g), if f ≤ 1 wherever g ≤ 0,
    and f ≥ 0 wherever g ≥ 0. Multipliers λ, μ ≥ 0 with f − λ·g ≤ 1 and f − μ·g ≥ 0 show this:
    where g ≤ 0, f ≤ 1 + λ·g ≤ 1; where g ≥ 0, f ≥ μ·g ≥ 0. Claim c is about g + 1."""
    node_f, form_f = checker.claim(f)
    node_g, form_g = checker.claim(g)
    need(mu >= 0, "a multiplier μ that is not negative", mu)
    need(lam >= 0, "a multiplier λ that is not negative", lam)
    checker.need_at_least(0, checker.total([(form_f, 1), (form_g, -mu)]))
    checker.need_at_most(1, checker.total([(form_f, 1), (form_g, -lam)]))
    node_c = checker.node_of(c, Form(form_g.part, form_g.constant + 1))
    node = checker.nodes.make(PLUS, checker.nodes.make(TIMES, node_f, node_c), node_g)
    checker.add_claim(node, checker.total([(form_f, 1), (form_g, 1)]))


def first_form(checker: Checker, claims: Sequence[int]) -> Form:
    """Return the form of the first claim of a sequence."""
    need(len(claims) > 0, "at least one claim", "none")
    return checker.claim(claims[0]).form


def nodes_of_steps(checker: Checker, form: Form, claims: Sequence[int]) -> list[int]:
    """Return the nodes of claims that must be about form, form − 1, form − 2, …"""
    return [checker.node_of(c, Form(form.part, form.constant - k)) for k, c in enumerate(claims)]


def good_sequence(checker: Checker, claims: Sequence[int]) -> tuple[Form, list[int]]:
    """Return a form within [0, the number of claims], and the nodes of claims about form, form
    − 1, …"""
    form = first_form(checker, claims)
    checker.need_at_least(0, form)
    checker.need_at_most(len(claims), form)
    return form, nodes_of_steps(checker, form, claims)


def rule_sort(checker: Checker, count: int, claims: list[int]) -> None:
    """["sort", p, c_1, …, c_p, d_1, …]: merging the units of F and those of G gives the units
    of F + G."""
    form_f, nodes_f = good_sequence(checker, claims[:count])
    form_g, nodes_g = good_sequence(checker, claims[count:])
    longer = max(len(nodes_f), len(nodes_g))
    checker.work.spend(10 * len(claims) * (longer.bit_length() + 1))
    for k, node in enumerate(merge(checker.nodes, nodes_f, nodes_g)):
        checker.add_claim(node, checker.total([(form_f, 1), (form_g, 1)], plus=-k))


def merge(nodes: Nodes, a: list[int], b: list[int]) -> list[int]:
    """Return Batcher's merge of two sequences of nodes. The recursion is as deep as the
    logarithm of their length."""
    if not a or not b:
        return a + b
    if len(a) == len(b) == 1:
        return [nodes.make(PLUS, a[0], b[0]), nodes.make(TIMES, a[0], b[0])]
    odd = merge(nodes, a[::2], b[::2])  # the first, third, … entries
    even = merge(nodes, a[1::2], b[1::2])
    merged = [odd[0]]
    pairs = min(len(even), len(odd) - 1)
    for x, y in zip(even[:pairs], odd[1 : pairs + 1], strict=True):
        merged += [nodes.make(PLUS, x, y), nodes.make(TIMES, x, y)]
    return merged + even[pairs:] + odd[pairs + 1 :]


def rule_average(checker: Checker, s: int, ones: int, a: int, claims: list[int]) -> None:
    """["average", s, p, a, c_0, …, c_m−1]: (p + σ(f) + σ(f − 1) + … + σ(f − m + 1)) / s is σ((f
    + p) / s), if the s − m units that are left out are 1, for the first p, and 0, for the
    others. Claim a is about the left-hand side."""
    need(ones + len(claims) <= s, f"at most {s} units", ones + len(claims))
    form = first_form(checker, claims)
    if ones > 0:
        checker.need_at_least(0, form)
    if ones + len(claims) < s:
        checker.need_at_most(len(claims), form)
    nodes = nodes_of_steps(checker, form, claims)
    share = Fraction(1, s)
    average = add_up([(value_of_node(node), share) for node in nodes], ones * share, checker.work)
    node = checker.node_of(a, checker.form(average))
    checker.add_claim(node, checker.total([(form, share)], plus=ones * share))


def rule_same(checker: Checker, a: int, b: int) -> None:
    """["same", a, b]: two nodes have the same value, if both are σ(f), or both are 1, or both
    are 0."""
    node_a, form_a = checker.claim(a)
    node_b, form_b = checker.claim(b)
    low_a, high_a = checker.range(form_a)
    low_b, high_b = checker.range(form_b)
    is_one_form = form_a == form_b
    are_ones = low_a >= 1 and low_b >= 1
    are_zeros = high_a <= 0 and high_b <= 0
    need(is_one_form or are_ones or are_zeros, f"claims {a} and {b} about one form", "two forms")
    checker.add_claim(node_b, checker.form(value_of_node(node_a)))


def rule_equals(checker: Checker, a: int, b: int, cone: list[Any], cases: list[list[Any]]) -> None:
    """["equals", a, b, cone, case, …] (§8): node(b) has the value of node(a), by cases over the
    nodes of the cone."""
    checker.work.spend(60 * len(cone))
    place: dict[int, int] = {}  # node → its variable
    variables: list[Variable] = []

    def over_variables(affine: Affine) -> Affine:
        """Replace nodes by their variables; they must stand in the cone so far."""
        for node in affine.linear.keys:
            need(node in place, "a node that stands before in the cone", node)
        return substitute(affine, lambda node: Affine(just(place[node]), 0), checker.work)

    for c in cone:
        node, form = checker.claim(integer(c))
        need(node > 1, "a node other than 0 and 1", node)
        affine = Affine(checker.parts[form.part], form.constant)
        if affine == value_of_node(node):
            variables.append(FREE)
        else:
            variables.append(Variable(CLIPPED, over_variables(affine)))
        place[node] = len(variables) - 1
    node_a, form_a = checker.claim(a)
    node_b = checker.claim(b).node
    value_a = over_variables(value_of_node(node_a))
    value_b = over_variables(value_of_node(node_b))
    down = add_up([(value_a, 1), (value_b, -1)], 0, checker.work)
    up = add_up([(value_b, 1), (value_a, -1)], 0, checker.work)
    system = System(variables, checker.work)
    system.prove(len(variables), [down, up], cases, checker.work)
    checker.add_claim(node_b, form_a)


# ==============================================================================
# Rules about the network (§7)
# ==============================================================================


def rule_unit(checker: Checker, layer: int, index: int, factor: Number, shift: int) -> None:
    """["unit", ℓ, i, r, s]: a new node, whose value is σ(r·t − s) for the argument t of a
    neuron: a definition."""
    form = checker.form(checker.argument(layer, index))
    checker.add_claim(checker.nodes.fresh(), checker.total([(form, factor)], plus=-shift))


def rule_affine(checker: Checker, layer: int, index: int) -> None:
    """["affine", ℓ, i]: the value of a neuron is its argument, which is ≥ 0, and ≤ 1 if the
    neuron is clipped."""
    activation, argument, _, low, high = checker.due_argument(layer, index)
    need(low >= 0, "an argument that is not negative", low)
    if activation == CLIPPED:
        need(high <= 1, "an argument that is at most 1", high)
    checker.give_value(argument)


def rule_clip(
    checker: Checker, layer: int, index: int, factor: Number, ones: int, units: list[int]
) -> None:
    """["clip", ℓ, i, B, p, u_1, …, u_m]: ρ(t) is B·(p + σ(t/B − p) + … + σ(t/B − p − m + 1)),
    where the first p units are 1; and σ(t) is one unit, or none. Unit −c stands for 1 minus
    claim c."""
    activation, _, form, low, high = checker.due_argument(layer, index)
    if activation == RELU:
        need_relu_covered(factor, ones, len(units), low, high)
    else:
        need_clipped_covered(factor, ones, len(units), low, high)
    pairs = []
    constant: Number = factor * ones
    for k, unit in enumerate(units, start=ones):
        claim = checker.claim(abs(unit))
        # For u > 0 the unit is σ(f), and B·f must be t − B·k.
        # For u < 0 it is 1 − σ(f) = σ(1 − f), and B·(1 − f) must be t − B·k.
        if unit > 0:
            found = checker.total([(claim.form, factor)], plus=factor * k)
            pairs.append((value_of_node(claim.node), factor))
        else:
            found = checker.total([(claim.form, -factor)], plus=factor * (k + 1))
            pairs.append((value_of_node(claim.node), -factor))
            constant = constant + factor
        need(found == form, ("a unit about the argument less", k, "units"), ("claim", unit))
    checker.give_value(add_up(pairs, constant, checker.work))


def need_relu_covered(factor: Number, ones: int, units: int, low: Number, high: Number) -> None:
    """Require that units of height `factor`, the first of them constantly 1, reach from 0 to
    the largest argument."""
    need(factor > 0, "a factor that is positive", factor)
    if ones > 0:
        need(low >= factor * ones, ("an argument that is at least", factor * ones), low)
    most = factor * (ones + units)
    need(high <= most, ("an argument that is at most", most), high)


def need_clipped_covered(factor: Number, ones: int, units: int, low: Number, high: Number) -> None:
    """Require that a clipped neuron is one unit, or constantly 1, or constantly 0."""
    need(factor == 1, "the factor 1", factor)
    if (ones, units) == (1, 0):
        need(low >= 1, "an argument that is at least 1", low)
    elif (ones, units) == (0, 0):
        need(high <= 0, "an argument that is at most 0", high)
    else:
        need((ones, units) == (0, 1), "one unit, or none", (ones, "and", units))


def rule_bound(
    checker: Checker, layer: int, index: int, side: str, value: Number, cases: list[list[Any]]
) -> None:
    """["bound", ℓ, i, side, value, case, …] (§8): the argument of a neuron is ≤ value ("high"),
    or ≥ value ("low").

    Without a case it is assumed, and the certificate stays incomplete."""
    well_formed(side in ("low", "high"), "low or high", side)
    first, _, arguments = layer_of_neuron(checker, layer, index)
    prove_bound(checker, first, arguments[index], side, value, cases)
    checker.facts[first + index, side] = value
    if checker.system is not None:
        checker.system.learn(first + index, side, value)


def rule_twin(checker: Checker, layer: int, index: int, twin: int, factor: Number) -> None:
    """["twin", ℓ, i, m, p] (§7): a neuron will be compared with variable m. This claims
    nothing."""
    first, activation, _ = layer_of_neuron(checker, layer, index)
    k = first + index
    need(twin < k, "a variable before the neuron", twin)
    its_activation = variable_of(checker, twin).activation
    need(its_activation == activation, "a twin with the same activation", its_activation)
    need(k not in checker.twins, "a neuron that has no twin", k)
    need(factor != 0, "a factor other than 0", factor)
    if activation == CLIPPED:
        need(factor == 1 or factor == -1, "the factor 1 or -1", factor)
    checker.twins[k] = twin_of(activation, twin, factor)
    checker.system = None  # it is made again, because scales depend on twins


def rule_apart(
    checker: Checker, layer: int, index: int, side: str, value: Number, cases: list[list[Any]]
) -> None:
    """["apart", ℓ, i, side, value, case, …] (§8): the change y − (p·z + q) of a neuron with a
    twin, where y and z are their arguments, is ≤ value ("high"), or ≥ value ("low")."""
    well_formed(side in ("low", "high"), "low or high", side)
    first, _, arguments = layer_of_neuron(checker, layer, index)
    k = first + index
    if k not in checker.twins:
        raise Rejected("invalid", "a neuron with a twin", k)
    twin = checker.twins[k]
    its_argument = variable_of(checker, twin.variable).argument
    pairs = [(arguments[index], 1), (its_argument, -twin.factor)]
    change = add_up(pairs, -twin.offset, checker.work)
    prove_bound(checker, first, change, side, value, cases)
    checker.changes[k, side] = value
    if checker.system is not None:
        checker.system.learn_change(k, side, value)


def layer_of_neuron(checker: Checker, layer: int, index: int) -> Layer:
    """Return a layer, which must have a neuron with this index."""
    need(0 < layer <= len(checker.layers), f"one of {len(checker.layers)} layers", layer)
    found = checker.layers[layer - 1]
    need(index < len(found.arguments), f"one of {len(found.arguments)} neurons", index)
    return found


def prove_bound(
    checker: Checker, count: int, bounded: Affine, side: str, value: Number, cases: list[list[Any]]
) -> None:
    """Follow cases that show a bound of a function of the first `count` variables; without a
    case, note that it is assumed."""
    if not cases:
        checker.assumed += 1
        return
    target = bound_target(bounded, side, value, checker.work)
    if checker.system is None:
        checker.system = System(variables_of(checker), checker.work, checker.twins)
        for (k, its_side), bound in checker.facts.items():
            checker.system.learn(k, its_side, bound)
        for (k, its_side), bound in checker.changes.items():
            checker.system.learn_change(k, its_side, bound)
    checker.system.prove(count, [target], cases, checker.work)


def variable_of(checker: Checker, k: int) -> Variable:
    """Return variable k of the network; it must have one."""
    checker.work.spend(len(checker.layers) // 8)
    for layer in checker.layers:
        if layer.first <= k < layer.stop:
            return Variable(layer.activation, layer.arguments[k - layer.first])
    return FREE


def variables_of(checker: Checker) -> list[Variable]:
    """Return the inputs and neurons of the network as variables."""
    variables = [FREE] * len(checker.nodes.inputs)
    for layer in checker.layers:
        variables += [Variable(layer.activation, argument) for argument in layer.arguments]
    return variables


# ==============================================================================
# Rules about outputs (§9)
# ==============================================================================


def rule_output(checker: Checker, k: int, c: int, scale: Number, offset: Number) -> None:
    """["output", k, c, scale, offset]: output k of the network is scale·(output k of the
    formula) + offset."""
    node, form = checker.claim(c)
    need(checker.has_all_values(), "values of all neurons", f"{len(checker.values)} values")
    need(k == len(checker.proved), f"output {len(checker.proved)}, which is due", k)
    need(k < len(checker.goals), f"one of {len(checker.goals)} outputs", k)
    need(node == checker.goals[k], f"a claim about output {k} of the formula", ("claim", c))
    last = checker.layers[-1]
    value = checker.form(checker.values[last.first + k])
    if last.activation == IDENTITY:  # then a bound of the argument is one of the output
        low, high = checker.narrowed(last.first + k, value)
    else:
        low, high = checker.range(value)
    found = checker.total([(form, scale)], plus=offset)
    wanted = value if low < high else checker.form(Affine(NOTHING, low))
    need(found == wanted, ("the value", checker.text(wanted)), checker.text(found))
    need(scale != 0, "a scale other than 0", scale)
    need(
        low >= smaller(offset, offset + scale),
        "an output that is not below [0,1] before the map",
        low,
    )
    need(
        high <= larger(offset, offset + scale),
        "an output that is not above [0,1] before the map",
        high,
    )
    checker.proved.append((scale, offset))


def rule_equal(checker: Checker, k: int, a: int, b: int) -> None:
    """["equal", k, a, b]: output k of the original is output k of the formula, because both are
    σ of one form."""
    node_a, form = checker.claim(a)
    need(not checker.layers, "a certificate of two formulas", "one of a network")
    need(k == len(checker.proved), f"output {len(checker.proved)}, which is due", k)
    need(k < len(checker.goals), f"one of {len(checker.goals)} outputs", k)
    node_b = checker.node_of(b, form)
    goal_a, goal_b = checker.goals[k]
    need(node_a == goal_a, f"a claim about output {k} of the original", ("claim", a))
    need(node_b == goal_b, f"a claim about output {k} of the formula", ("claim", b))
    checker.proved.append((1, 0))


def rule_formula(checker: Checker) -> None:
    """["formula"]: the first part, about the network and the other, is complete, and its bounds
    are those of the errors. The second part is about the other and the formula."""
    if checker.second is None:
        raise Rejected("invalid", "a line formula between two parts only", "another one")
    checker.errors = checker.finish_part()
    checker.begin(checker.second)
    checker.second = None


# ==============================================================================
# The table of rules: the kinds of their arguments, and that of any number of further ones
# ==============================================================================


class Rule(NamedTuple):
    """A rule: its function, how its arguments are read, and how further ones are, if it may
    have any."""

    apply: Callable[..., None]
    kinds: tuple[Callable[[Any], Any], ...]
    rest: Callable[[Any], Any] | None = None


def case(value: object) -> list[Any]:
    """Return a JSON value that must be a list with at least one entry; what it holds is read
    later."""
    if type(value) is not list or not value:
        raise Rejected("malformed", "a case", value)
    return value


RULES = {
    "node": Rule(rule_node, (natural,)),
    "atom": Rule(rule_atom, (integer,)),
    "not": Rule(rule_not, (integer,)),
    "scale": Rule(rule_scale, (string, integer)),
    "plus": Rule(rule_plus, (integer,), integer),
    "times": Rule(rule_times, (integer,), integer),
    "lemma": Rule(rule_lemma, (integer, integer, integer)),
    "cut": Rule(rule_cut, (integer, integer, integer, number, number)),
    "sort": Rule(rule_sort, (natural,), integer),
    "average": Rule(rule_average, (natural, natural, integer), integer),
    "same": Rule(rule_same, (integer, integer)),
    "equals": Rule(rule_equals, (integer, integer, array), case),
    "unit": Rule(rule_unit, (natural, natural, number, integer)),
    "affine": Rule(rule_affine, (natural, natural)),
    "clip": Rule(rule_clip, (natural, natural, number, natural), integer),
    "bound": Rule(rule_bound, (natural, natural, string, number), case),
    "twin": Rule(rule_twin, (natural, natural, natural, number)),
    "apart": Rule(rule_apart, (natural, natural, string, number), case),
    "output": Rule(rule_output, (natural, integer, number, number)),
    "equal": Rule(rule_equal, (natural, integer, integer)),
    "formula": Rule(rule_formula, ()),
}


# ==============================================================================
# Files and verdict (§1, §4)
# ==============================================================================

FILES = {
    "network": "network.json",
    "source": "source.json",
    "other": "other.json",
    "original": "original.mv",
    "formula": "formula.mv",
}
CERTIFICATE_FILES = ("certificate.jsonl", "certificate.jsonl.gz")

#: Which files a certificate can be about.
SUBJECTS = (
    {"network", "formula"},
    {"network", "formula", "source"},
    {"original", "formula"},
    {"network"},
    {"network", "other"},
    {"network", "other", "formula"},
)
MAX_LINE = 1 << 23  # bytes, with the newline
MAX_FILE = 1 << 30  # bytes


class Subjects(NamedTuple):
    """What a certificate is about, ready to be checked, and the words for it."""

    checker: Checker
    kind: frozenset[str]
    outputs: list[str]
    domain: str
    cube: str


class Statement(NamedTuple):
    """What a valid certificate proves: in words, a line for each output; and as numbers.

    The numbers of an output are the scale and the offset of its formula, or without a formula
    its low and its high bound. If there is a formula and another network, `errors` has for each
    output a low and a high bound of what it is more than its formula; otherwise it is empty.
    """

    lines: list[str]
    kind: frozenset[str]
    outputs: list[str]
    numbers: list[tuple[Number, Number]]
    errors: list[tuple[Number, Number]]


def start(
    texts: Mapping[str, str], size: int, certificate_size: int = 0, effort: int = 0
) -> Subjects:
    """Read the subjects of a certificate, in the order of §1, and compare them; sizes are in
    bytes, as stored."""
    work = Work(size + certificate_size, effort)
    kind = frozenset(texts)
    layers: Sequence[Layer] = []
    goals: list[Any]
    first: Part | None = None  # of two parts
    if "original" in texts:
        nodes = Nodes(inputs_of_formula(texts["original"]))
        outputs, originals = about("original", read_formula, texts["original"], nodes)
        is_unit_cube = True
    else:
        network = about("network", read_network, texts["network"], None, work)
        nodes, outputs, layers = Nodes(network.inputs), network.outputs, network.layers
        is_unit_cube = network.is_on_unit_cube()
        if "source" in texts:
            source = about("source", read_network, texts["source"], None, work)
            need(source.inputs == network.inputs, "a source with the same inputs", "others")
            need(source.outputs == network.outputs, "a source with the same outputs", "others")
            need(
                source.layers == network.layers,
                "a network that is the source, its box mapped",
                "another one",
            )
        if "other" in texts:
            other = about("other", read_network, texts["other"], network.layers[-1].stop, work)
            need(other.inputs == network.inputs, "another network with the same inputs", "others")
            need(
                other.outputs == network.outputs, "another network with the same outputs", "others"
            )
            need(other.box == network.box, "another network with the same box", "another box")
            layers = difference(network, other, work)
            if "formula" in texts:  # the second part is about the other alone, numbered by itself
                first = Part(Nodes(network.inputs), layers, [None] * len(outputs))
                layers = about("other", read_network, texts["other"], None, work).layers
    if "formula" in texts:
        names, found = about("formula", read_formula, texts["formula"], nodes)
        need(names == outputs, ("the outputs", *outputs), (*names,))
        goals = list(zip(originals, found, strict=True)) if "original" in texts else found
    else:
        goals = [None] * len(outputs)
    cube = "[0,1]" if len(nodes.inputs) == 1 else f"[0,1]{superscript(len(nodes.inputs))}"
    domain = cube
    if not is_unit_cube:
        domain = f"its box, mapped onto {cube}" if "formula" in texts else "its box"
    part = Part(nodes, layers, goals)
    checker = Checker(part, work) if first is None else Checker(first, work, part)
    return Subjects(checker, kind, outputs, domain, cube)


def about(subject: str, read: Callable[..., Any], *arguments: Any) -> Any:
    """Call a reader; a rejection names the subject."""
    try:
        return read(*arguments)
    except Rejected as rejected:
        rejected.subject = subject
        raise


def superscript(n: int) -> str:
    """Return a number in raised digits."""
    return "".join("⁰¹²³⁴⁵⁶⁷⁸⁹"[int(digit)] for digit in str(n))


def statement(
    subjects: Subjects,
    proved: list[tuple[Number, Number]],
    errors: Sequence[tuple[Number, Number]] = (),
) -> Statement:
    """Return what a certificate proves, for the two numbers of each output, and the bounds of its
    error if there are any."""
    lines = []
    names = [safe_name(name) for name in subjects.outputs]
    for k, (name, (first, second)) in enumerate(zip(names, proved, strict=True)):
        if "original" in subjects.kind:
            said = f"{name}: original = formula"
        elif "formula" in subjects.kind and "other" in subjects.kind:
            said = f"{name} = {mapped_formula(first, second)} ± {written_error(*errors[k])}"
        elif "formula" in subjects.kind:
            said = f"{name} = {mapped_formula(first, second)}"
        elif "other" in subjects.kind:
            said = f"{written_number(first)} ≤ {name} − other {name} ≤ {written_number(second)}"
        else:
            said = f"{written_number(first)} ≤ {name} ≤ {written_number(second)}"
        lines.append(f"{said} on {subjects.domain}")
    if "source" in subjects.kind:
        lines.append(f"network = source with its box mapped onto {subjects.cube}")
    return Statement(lines, subjects.kind, subjects.outputs, proved, list(errors))


def mapped_formula(scale: Number, offset: Number) -> str:
    """Return "scale·formula + offset", as short as it may be."""
    text = "formula"
    if isinstance(scale, Surd):
        text = f"({written_number(scale)})·formula"
    elif scale != 1:
        text = f"{written_number(scale)}·formula"
    if isinstance(offset, Surd):
        return f"{text} + ({written_number(offset)})"
    if offset < 0:
        return f"{text} − {written_number(-offset)}"
    return text if offset == 0 else f"{text} + {written_number(offset)}"


def written_error(low: Number, high: Number) -> str:
    """Return the largest size of a number that lies between two bounds."""
    error = larger(-low, high)
    return f"({written_number(error)})" if isinstance(error, Surd) else written_number(error)


MOST_CHARACTERS_OF_A_NAME = 100


def safe_name(name: str) -> str:
    """Return a name as it is if it is a plain one, and otherwise as a JSON string: it cannot
    break a line."""
    if re.fullmatch(r"[A-Za-z_][A-Za-z0-9_.']*", name) and len(name) <= MOST_CHARACTERS_OF_A_NAME:
        return name
    escaped = json.dumps(name)[1:-1]
    cut = "…" if len(escaped) > MOST_CHARACTERS_OF_A_NAME else ""
    return f'"{escaped[:MOST_CHARACTERS_OF_A_NAME]}"{cut}'


def read_header(line: object) -> dict[str, object]:
    """Return the hashes of the subjects that the first line of a certificate names."""
    if type(line) is not dict:
        raise Rejected("malformed", "a header", line)
    named = [subject for subject in FILES if f"{subject}_sha256" in line]
    form, version, *hashes = with_keys(
        line, "format", "version", *(f"{subject}_sha256" for subject in named)
    )
    well_formed(form == "verimv-certificate", "the format verimv-certificate", form)
    well_formed(integer(version) == 1, "version 1", version)
    well_formed(set(named) in SUBJECTS, "a set of subjects that belong together", (*named,))
    return dict(zip(named, hashes, strict=True))


def verify(
    lines: Iterator[bytes],
    contents: Callable[[str], bytes],
    at_hand: Collection[str],
    stored_bytes: int,
    effort: int = 0,
) -> Statement:
    """Check a certificate; return what it proves, or raise Rejected.

    `contents` gives the bytes of a subject; `at_hand` names those that there are;
    `stored_bytes` is the size of the certificate as it is stored; `effort` is about how many
    seconds of work are allowed, if that is more than files of their size may cost.
    """
    number_of_line: int | None = 1
    rule: object = None
    try:
        header = read_header(decoded_line(next(lines, b"")))
        number_of_line = None
        subjects = start(*read_subjects(header, contents, at_hand), stored_bytes, effort)
        work = subjects.checker.work
        for number_of_text, text in enumerate(lines, start=2):
            number_of_line, rule = number_of_text, None
            work.spend(2 * len(text) + 60 * text.count(b"sqrt"))
            line = decoded_line(text)
            rule = line[0] if type(line) is list and line else None
            subjects.checker.follow(line)
        number_of_line, rule = None, None
        return statement(subjects, subjects.checker.finish(), subjects.checker.errors)
    except Rejected as rejected:
        rejected.line = number_of_line
        rejected.rule = None if rule is None else shown(rule)
        raise
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise Rejected("malformed", "gzipped text", error) from None


def read_subjects(
    header: Mapping[str, object], contents: Callable[[str], bytes], at_hand: Collection[str]
) -> tuple[dict[str, str], int]:
    """Return the texts of the subjects that a header names, and the number of their bytes."""
    for subject in at_hand:
        well_formed(
            subject in header, f"a certificate that names the {subject} beside it", "another"
        )
    data = {subject: contents(subject) for subject in header}
    for subject, digest in header.items():
        found = hashlib.sha256(data[subject]).hexdigest()
        need(found == digest, f"the {subject} that the certificate names", "another one")
    texts = {subject: about(subject, utf8, data[subject]) for subject in data}
    return texts, sum(map(len, data.values()))


def utf8(data: bytes) -> str:
    """Return the text of bytes in UTF-8."""
    try:
        return data.decode("utf-8")
    except UnicodeDecodeError as error:
        raise Rejected("malformed", "UTF-8", error) from None


def decoded_line(line: bytes) -> Any:
    """Return the value of a line of a certificate."""
    well_formed(line.endswith(b"\n"), "a whole line", "one that is cut off, or too long")
    well_formed(line.isascii(), "a line of ASCII characters", line)
    return decoded(line.decode("ascii"))


def opened(path: str | os.PathLike[str]) -> BinaryIO:
    """Open a regular file of bounded size; never wait for a pipe."""
    descriptor = os.open(
        path, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0)
    )
    if not is_regular(descriptor):
        os.close(descriptor)
        raise Rejected("malformed", f"a regular file of at most {MAX_FILE} bytes", path)
    return os.fdopen(descriptor, "rb")


def is_regular(descriptor: int) -> bool:
    """Return whether this is a regular file of bounded size: no directory, pipe or device."""
    found = os.fstat(descriptor)
    return stat.S_ISREG(found.st_mode) and found.st_size <= MAX_FILE


def contents_of(path: str | os.PathLike[str]) -> bytes:
    """Return the bytes of a file."""
    with opened(path) as file:
        data = file.read(MAX_FILE + 1)
    well_formed(len(data) <= MAX_FILE, f"a regular file of at most {MAX_FILE} bytes", path)
    return data


def lines_of(path: str | os.PathLike[str]) -> Iterator[bytes]:
    """Yield the lines of a certificate, with their newlines; what is too long is cut."""
    with opened(path) as file:
        unpacked = gzip.GzipFile(fileobj=file) if os.fspath(path).endswith(".gz") else file
        while line := unpacked.readline(MAX_LINE):
            yield line


def files_of(
    path: str | os.PathLike[str], given: Mapping[str, str | None]
) -> tuple[pathlib.Path, dict[str, pathlib.Path]]:
    """Return a certificate, and the files that are given or stand beside it in its directory."""
    certificate = folder = pathlib.Path(path)
    files = {subject: pathlib.Path(file) for subject, file in given.items() if file is not None}
    if folder.is_dir():
        found = [
            folder.joinpath(name)
            for name in CERTIFICATE_FILES
            if os.path.lexists(folder.joinpath(name))
        ]
        well_formed(len(found) == 1, f"one of {' and '.join(CERTIFICATE_FILES)}", folder)
        certificate = found[0]
        for subject, name in FILES.items():
            if subject not in files and os.path.lexists(folder.joinpath(name)):
                files[subject] = folder.joinpath(name)
    return certificate, files


def check(
    path: str | os.PathLike[str], given: Mapping[str, str | None], effort: int = 0
) -> Statement:
    """Check a directory, or a certificate with the files that are given; return what it proves,
    or raise Rejected. See :func:`verify` for `effort`."""
    certificate, files = files_of(path, given)

    def contents(subject: str) -> bytes:
        """Return the bytes of a subject."""
        if subject not in files:
            missing = FILES[subject] if os.path.isdir(path) else f"--{subject}"
            raise Rejected("malformed", "readable files", f"no {missing}")
        return contents_of(files[subject])

    with opened(certificate) as file:
        stored_bytes = os.fstat(file.fileno()).st_size
    return verify(lines_of(certificate), contents, files, stored_bytes, effort)


MOST_EFFORT = 1_000_000


def read_effort(text: str | None) -> int:
    """Read the number of seconds of work that are allowed; 0 if none is given."""
    if text is None:
        return 0
    expected = f"--effort with an integer from 1 to {MOST_EFFORT}"
    well_formed(re.fullmatch("[0-9]{1,9}", text) is not None, expected, text)
    well_formed(1 <= int(text) <= MOST_EFFORT, expected, text)
    return int(text)


def main() -> int:
    """Check what the command line names, print the verdict, and return the exit code."""
    parser = argparse.ArgumentParser(description="Check a certificate of verimv, without a solver.")
    parser.add_argument("path", help="a directory written by verimv, or a certificate")
    for subject in FILES:
        parser.add_argument(f"--{subject}", help=f"the {subject} that the certificate is about")
    effort_help = "allow about so many seconds of work, if files of this size may cost less"
    parser.add_argument("--effort", metavar="SECONDS", help=effort_help)
    options = vars(parser.parse_args())
    sys.set_int_max_str_digits(MAX_DIGITS)  # whatever the environment says
    try:
        effort = read_effort(options.pop("effort"))
        lines = ["valid", *check(options.pop("path"), options, effort).lines]
        status = "valid"
    except Rejected as rejected:
        lines, status = [str(rejected)], rejected.status
    except OSError as error:
        lines, status = [str(Rejected("malformed", "readable files", error))], "malformed"
    except (MemoryError, KeyboardInterrupt) as error:
        lines, status = (
            [str(Rejected("incomplete", "enough memory and time", type(error).__name__))],
            "incomplete",
        )
    if sys.stdout is not None:  # it may have been closed
        sys.stdout.reconfigure(errors="backslashreplace")  # type: ignore[union-attr]
        sys.stdout.write("\n".join(lines) + "\n")
    return EXIT_CODES[status]


if __name__ == "__main__":
    sys.exit(main())
