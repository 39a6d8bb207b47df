"""Exact values of the term function (Definition A.3 of the paper) at a point."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from verimv.exact import ONE, ZERO, Number
from verimv.formulas.dag import Algebra, Dag, fold


class _Exact(Algebra[Number]):
    def __init__(self, point: Mapping[str, Number]) -> None:
        self.point = point

    def variable(self, name: str) -> Number:
        return self.point[name]

    def constant(self, value: int) -> Number:
        return ONE if value else ZERO

    def neg(self, a: Number) -> Number:
        return 1 - a

    def oplus(self, a: Number, b: Number) -> Number:
        total = a + b
        return total if total < 1 else ONE

    def odot(self, a: Number, b: Number) -> Number:
        total = a + b - 1
        return total if total > 0 else ZERO

    def divide(self, divisor: int, a: Number) -> Number:
        return a / divisor

    def scale(self, factor: Number, a: Number) -> Number:
        return factor * a


def evaluate(dag: Dag, roots: Sequence[int], point: Mapping[str, Number]) -> list[Number]:
    """Return exact values at one point."""
    return fold(dag, roots, _Exact(point))
