"""Values of the term function at many points: in floats, in machine integers, or in exact numbers."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verimv.exact import ONE, Algebraic, Number, Rational
from verimv.formulas.dag import Algebra, Dag, fold
from verimv.formulas.evaluate import evaluate
from verimv.formulas.measure import logic_of


class Arrays(Algebra[Any]):
    """Values as arrays, in units of 1/`one`: one = 1 for floats and exact objects, one = D for integers (an array if
    each point has its own D)."""

    def __init__(self, columns: Mapping[str, NDArray[Any]], one: Any) -> None:
        self.columns = columns
        self.one = one
        first = next(iter(columns.values()))
        self.zeros: NDArray[Any] = first * 0
        self.ones: NDArray[Any] = self.zeros + one

    def variable(self, name: str) -> Any:
        return self.columns[name]

    def constant(self, value: int) -> Any:
        return self.ones if value else self.zeros

    def neg(self, a: Any) -> Any:
        return self.one - a

    def oplus(self, a: Any, b: Any) -> Any:
        return np.minimum(self.one, a + b)

    def odot(self, a: Any, b: Any) -> Any:
        return np.maximum(0 * self.one, a + b - self.one)

    def divide(self, divisor: int, a: Any) -> Any:
        return a / divisor

    def scale(self, factor: Number, a: Any) -> Any:
        return a * (factor if a.dtype == object else float(factor))


def evaluate_floats(dag: Dag, roots: Sequence[int], columns: Mapping[str, NDArray[Any]]) -> list[NDArray[Any]]:
    """Return floating-point values, for a column of points per variable. For plots and guesses; they prove nothing."""
    return fold(dag, roots, Arrays(columns, 1.0))


def evaluate_points(dag: Dag, roots: Sequence[int], columns: Mapping[str, Sequence[Number]]) -> list[list[Number]]:
    """Return exact values at many points, for a column of numbers per variable.

    MV terms map multiples of 1/D to multiples of 1/D, so for them the columns are machine integers over the common
    denominator if that is small enough; otherwise the arithmetic is on exact numbers, element by element.
    """
    if not columns:
        return [[value] for value in evaluate(dag, roots, {})]
    scaled = _over_common_denominator(columns) if logic_of(dag, roots) == "mv" else None
    if scaled is None:
        objects = {name: np.array(column, dtype=object) for name, column in columns.items()}
        return [list(result) for result in fold(dag, roots, Arrays(objects, ONE))]
    integers, denominator = scaled
    results = fold(dag, roots, Arrays(integers, np.int64(denominator)))
    return [[Rational(int(value), denominator) for value in result] for result in results]


def _over_common_denominator(
    columns: Mapping[str, Sequence[Number]],
) -> tuple[dict[str, NDArray[np.int64]], int] | None:
    denominator = 1
    for column in columns.values():
        for x in column:
            if isinstance(x, Algebraic):
                return None
            denominator = math.lcm(denominator, int(x.denominator))
            if denominator >= 1 << 61:  # a sum of two values must fit in 63 bits
                return None
    return {
        name: np.array([int(x * denominator) for x in column], dtype=np.int64)  # type: ignore[arg-type]
        for name, column in columns.items()
    }, denominator
