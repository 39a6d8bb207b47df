"""A neuron compared with its twin: FORMAT §8, *Twins*, word by word, for numbers of any kind."""

from __future__ import annotations

import math
from typing import NamedTuple

from verimv.exact.algebraic import Algebraic, Number

KINKS = {"relu": (0,), "crelu": (0, 1), "identity": ()}
Ends = tuple[Number, Number]


class Part(NamedTuple):
    """A piece of a range, on which the activation is a·t + b."""

    low: Number
    high: Number
    a: int
    b: int


def pieces(activation: str, low: Number, high: Number) -> list[Part]:
    """The parts into which kinks cut a range."""
    inside = [kink for kink in KINKS[activation] if low < kink < high]
    if activation == "identity":
        return [Part(low, high, 1, 0)]
    if not inside:
        if high <= 0:
            return [Part(low, high, 0, 0)]
        return [Part(low, high, 0, 1) if activation == "crelu" and low >= 1 else Part(low, high, 1, 0)]
    found = []
    for left, right in zip([low, *inside], [*inside, high], strict=True):
        if right <= 0:
            found.append(Part(left, right, 0, 0))
        else:
            found.append(Part(left, right, 0, 1) if activation == "crelu" and left >= 1 else Part(left, right, 1, 0))
    return found


def offset_of(activation: str, p: Number) -> int:
    """What is added to p·z, so that an activation of it is one of z again."""
    return 1 if activation == "crelu" and p < 0 else 0


def reduced(activation: str, p: Number) -> Ends:
    """The coefficients of act(z) and of z in act(p·z + offset)."""
    return (-p, p) if activation == "relu" and p < 0 else (p, 0 * p)


class Compared:
    """What is known of act(y) and act(x) together, where x comes from the twin: ranges of y and of x, and that of the
    change, if bounds of it are known."""

    def __init__(self, activation: str, y: Ends, z: Ends, known: tuple[Number | None, Number | None]) -> None:
        low, high = y[0] - z[1], y[1] - z[0]
        if known[0] is not None and known[0] > low:
            low = known[0]
        if known[1] is not None and known[1] < high:
            high = known[1]
        self.change = low, high
        pairs = [(of_z, of_y) for of_z in pieces(activation, *z) for of_y in pieces(activation, *y)]
        self.cells = [
            pair for pair in pairs if pair[0].low + low <= pair[1].high and pair[1].low <= pair[0].high + high
        ]

    def exact_slopes(self, c: Number) -> Ends:
        """μ and ν, if there is one cell only."""
        ((of_z, of_y),) = self.cells
        return c * of_y.a, c * (of_y.a - of_z.a)

    def default_slopes(self, c: Number) -> Ends:
        low, high = self.change
        if c > 0:
            share = 1 if low >= 0 else 0 if high <= 0 else self.quotient(high)
        else:
            share = 0 if low >= 0 else 1 if high <= 0 else self.quotient(-low)
        return c * share, 0 * c

    def quotient(self, end: Number) -> Number:
        low, high = self.change
        if isinstance(low, Algebraic) or isinstance(high, Algebraic):
            return 0
        return type(high)(math.floor(end / (high - low) * 2**16), 2**16)

    def peak(self, c: Number, mu: Number, nu: Number) -> Number:
        """The largest of the terms for each cell."""
        return max(self.height(cell, c, mu, nu) for cell in self.cells)

    def height(self, cell: tuple[Part, Part], c: Number, mu: Number, nu: Number) -> Number:
        (z1, z2, a_z, b_z), (y1, y2, a_y, b_y) = cell
        a, b, constant = c * (a_y - a_z) - nu, c * a_y - mu, c * (b_y - b_z)
        z, y = (z1, z2), (y1, y2)
        sums = [(a, z, b, self.change), (a - b, z, b, y), (a, y, b - a, self.change)]
        return constant + min(most(first, x) + most(second, t) for first, x, second, t in sums)


def most(c: Number, ends: Ends) -> Number:
    """The largest product with a number of a range."""
    return c * (ends[1] if c > 0 else ends[0])
