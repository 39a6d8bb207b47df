"""Affine forms c + Σ w_j·v_j with exact coefficients: rows of layers, arguments of units, keys to merge equal units."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from verimv.exact import ZERO, Number


class Affine:
    """An immutable sparse affine form; variables are numbered, zero coefficients are dropped."""

    __slots__ = ("_hash", "constant", "terms")

    def __init__(self, terms: Iterable[tuple[int, Number]], constant: Number = ZERO) -> None:
        self.terms: tuple[tuple[int, Number], ...] = tuple(sorted((j, w) for j, w in terms if w))
        self.constant = constant
        self._hash: int | None = None

    @staticmethod
    def of(coefficients: Mapping[int, Number], constant: Number = ZERO) -> Affine:
        return Affine(coefficients.items(), constant)

    @staticmethod
    def variable(index: int) -> Affine:
        return Affine([(index, ZERO + 1)])

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, Affine):
            return NotImplemented
        return self.constant == other.constant and self.terms == other.terms

    def __hash__(self) -> int:
        if self._hash is None:
            self._hash = hash((self.terms, self.constant))
        return self._hash

    def __repr__(self) -> str:
        return "Affine(" + " + ".join([str(self.constant), *(f"{w}·v{j}" for j, w in self.terms)]) + ")"

    def __add__(self, other: Affine) -> Affine:
        return combination([(ZERO + 1, self), (ZERO + 1, other)])

    def __neg__(self) -> Affine:
        return self.scaled(ZERO - 1)

    def shifted(self, amount: Number | int) -> Affine:
        """Return the form plus a constant."""
        result = Affine((), self.constant + amount)
        result.terms = self.terms
        return result

    def scaled(self, factor: Number) -> Affine:
        return Affine(((j, w * factor) for j, w in self.terms), self.constant * factor)

    def complement(self) -> Affine:
        """Return 1 − form, the form of the negated unit, since σ(1−t) = ¬σ(t)."""
        return Affine(((j, -w) for j, w in self.terms), 1 - self.constant)

    def __call__(self, values: Sequence[Number]) -> Number:
        total = self.constant
        for j, w in self.terms:
            total = total + w * values[j]
        return total

    def substitute(self, forms: Sequence[Affine] | Mapping[int, Affine]) -> Affine:
        """Replace variables by forms."""
        return combination([(w, forms[j]) for j, w in self.terms], self.constant)

    def range_over(self, box: Sequence[tuple[Number, Number]]) -> tuple[Number, Number]:
        """Return the exact minimum and maximum if each variable ranges over its interval independently."""
        low = high = self.constant
        for j, w in self.terms:
            lower, upper = box[j]
            if w > 0:
                low, high = low + w * lower, high + w * upper
            else:
                low, high = low + w * upper, high + w * lower
        return low, high

    def range_over_unit_cube(self) -> tuple[Number, Number]:
        low = high = self.constant
        for _, w in self.terms:
            if w > 0:
                high = high + w
            else:
                low = low + w
        return low, high

    def renumbered(self, numbers: Mapping[int, int]) -> Affine:
        return Affine(((numbers[j], w) for j, w in self.terms), self.constant)

    def dense(self, width: int) -> list[Number]:
        row: list[Any] = [ZERO] * width
        for j, w in self.terms:
            row[j] = w
        return row


def combination(parts: Iterable[tuple[Number, Affine]], constant: Number = ZERO) -> Affine:
    """Return constant + Σ factor·form."""
    total: dict[int, Number] = {}
    for factor, form in parts:
        constant = constant + factor * form.constant
        for j, w in form.terms:
            total[j] = total[j] + factor * w if j in total else factor * w
    return Affine.of(total, constant)
