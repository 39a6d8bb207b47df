"""Exact continuous piecewise linear functions [0,1] → ℝ: breakpoints and pieces of formulas and networks.

They are computed in two independent ways. :func:`function_of` follows the breakpoints through every operator, in all
three logics. :func:`sampled` is the paper's procedure: a term of length L bends only at fractions with denominators up
to L, so its values at the Farey points of order L determine it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

from verimv.core.errors import InputError
from verimv.exact import ONE, ZERO, Algebraic, Number, Rational, is_integer
from verimv.formulas.dag import Algebra, fold
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Network
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.solvers.limited import Deadline


@dataclass(frozen=True)
class Piece:
    """The function slope·x + intercept on [left, right]."""

    left: Number
    right: Number
    slope: Number
    intercept: Number

    @property
    def form(self) -> Affine:
        return Affine([(0, self.slope)], self.intercept)


@dataclass(frozen=True)
class Piecewise:
    """A piecewise linear function: its values at 0 = points[0] < … < points[-1] = 1, linear in between.

    Every inner point is a breakpoint, so equal functions are equal objects.
    """

    points: tuple[Number, ...]
    values: tuple[Number, ...]

    @staticmethod
    def through(points: Sequence[Number], values: Sequence[Number]) -> Piecewise:
        """Return the linear interpolation of these values, without points at which it does not bend."""
        if len(points) != len(values) or len(points) < 2 or points[0] != 0 or points[-1] != 1:
            raise InputError("expected a value for each of the points 0 < … < 1")
        kept_x, kept_y = [points[0]], [values[0]]
        last = len(points) - 1
        for i in range(1, last):
            x, y = points[i], values[i]
            rise, run = y - kept_y[-1], x - kept_x[-1]
            if rise * (points[i + 1] - x) != (values[i + 1] - y) * run:
                kept_x.append(x)
                kept_y.append(y)
        return Piecewise((*kept_x, points[last]), (*kept_y, values[last]))

    @staticmethod
    def constant(value: Number) -> Piecewise:
        return Piecewise((ZERO, ONE), (value, value))

    @staticmethod
    def identity() -> Piecewise:
        return Piecewise((ZERO, ONE), (ZERO, ONE))

    @property
    def breakpoints(self) -> tuple[Number, ...]:
        """The points of the open interval (0,1) at which the function bends."""
        return self.points[1:-1]

    def pieces(self) -> list[Piece]:
        result = []
        for (a, b), (u, v) in zip(pairwise(self.points), pairwise(self.values), strict=True):
            slope = (v - u) / (b - a)
            result.append(Piece(a, b, slope, u - slope * a))
        return result

    @property
    def number_kind(self) -> str:
        """The kind of the pieces' coefficients, which says what logic fits: "integer", "rational" or "algebraic"."""
        numbers = [number for piece in self.pieces() for number in (piece.slope, piece.intercept)]
        if any(isinstance(number, Algebraic) for number in (*numbers, *self.points)):
            return "algebraic"
        return "integer" if all(map(is_integer, numbers)) else "rational"

    def check_unit_interval(self) -> None:
        if min(self.values) < 0 or max(self.values) > 1:
            raise InputError("expected a function with values in [0,1]: formulas have no other values")

    def __call__(self, x: Number) -> Number:
        return _values_at(self, [x])[0]

    def clamped(self, low: Number | None, high: Number | None) -> Piecewise:
        """Return min(high, max(low, f)); None means no limit."""
        if (low is None or min(self.values) >= low) and (high is None or max(self.values) <= high):
            return self
        bends = [bend for bend in (low, high) if bend is not None]
        points, values = [self.points[0]], [self.values[0]]
        for i in range(1, len(self.points)):
            x, y, u, v = self.points[i - 1], self.values[i - 1], self.points[i], self.values[i]
            crossings = [(bend - y) / (v - y) for bend in bends if (y - bend) * (v - bend) < 0]
            for share in sorted(crossings):
                points.append(x + share * (u - x))
                values.append(y + share * (v - y))
            points.append(u)
            values.append(v)
        if low is not None:
            values = [y if y > low else low for y in values]
        if high is not None:
            values = [y if y < high else high for y in values]
        return Piecewise.through(points, values)


def combination(parts: Sequence[tuple[Number, Piecewise]], constant: Number = ZERO) -> Piecewise:
    """Return constant + Σ factor·function."""
    if not parts:
        return Piecewise.constant(constant)
    grid = parts[0][1].points
    if any(function.points != grid for _, function in parts):
        grid = tuple(sorted({x for _, function in parts for x in function.points}))
    totals = [constant] * len(grid)
    for factor, function in parts:
        for i, y in enumerate(_values_at(function, grid)):
            totals[i] = totals[i] + factor * y
    return Piecewise.through(grid, totals)


def _values_at(function: Piecewise, grid: Sequence[Number]) -> Sequence[Number]:
    """Return the values at increasing points."""
    if grid == function.points:
        return function.values
    points, values, i, result = function.points, function.values, 0, []
    for x in grid:
        while points[i + 1] < x:
            i += 1
        a, b, u, v = points[i], points[i + 1], values[i], values[i + 1]
        result.append(u if u == v else u + (v - u) * (x - a) / (b - a))
    return result


class _Following(Algebra[Piecewise]):
    """Definition A.3, on functions instead of numbers."""

    def __init__(self, deadline: Deadline) -> None:
        self._deadline = deadline

    def variable(self, name: str) -> Piecewise:
        return Piecewise.identity()

    def constant(self, value: int) -> Piecewise:
        return Piecewise.constant(ONE if value else ZERO)

    def neg(self, a: Piecewise) -> Piecewise:
        return Piecewise(a.points, tuple(1 - y for y in a.values))

    def oplus(self, a: Piecewise, b: Piecewise) -> Piecewise:
        self._deadline.check()
        return combination([(ONE, a), (ONE, b)]).clamped(None, ONE)

    def odot(self, a: Piecewise, b: Piecewise) -> Piecewise:
        self._deadline.check()
        return combination([(ONE, a), (ONE, b)], -ONE).clamped(ZERO, None)

    def divide(self, divisor: int, a: Piecewise) -> Piecewise:
        return self.scale(Rational(1, divisor), a)

    def scale(self, factor: Number, a: Piecewise) -> Piecewise:
        return combination([(factor, a)])


_CLAMPS: dict[Activation, tuple[Number | None, Number | None]] = {
    "relu": (ZERO, None),
    "crelu": (ZERO, ONE),
    "identity": (None, None),
}


def function_of(subject: Formula | Network, seconds: float = math.inf) -> Piecewise:
    """Return the function of a formula or network with one output and at most one input, by following its breakpoints.

    Raise :class:`Undecided` if that takes too long.
    """
    check_univariate(subject)
    deadline = Deadline(seconds)
    if isinstance(subject, Formula):
        return fold(subject.dag, [subject.root], _Following(deadline))[0]
    values = [Piecewise.identity()]
    for layer in to_unit_cube(subject).layers:
        low, high = _CLAMPS[layer.activation]
        above = []
        for row in layer.rows:
            deadline.check()
            above.append(combination([(w, values[j]) for j, w in row.terms], row.constant).clamped(low, high))
        values = above
    return values[0]


class Names(NamedTuple):
    inputs: tuple[str, ...]
    outputs: tuple[str, ...] | None


def names_of(subject: Formula | Network | Piecewise, variable: str) -> Names:
    """Return the names of inputs and outputs of a formula made from a subject.

    They are the subject's, so that the two can be compared. A :class:`Piecewise` has no names and a constant no input:
    their input is called `variable`.
    """
    if isinstance(subject, Piecewise):
        return Names((variable,), None)
    clash = set(subject.inputs) & set(subject.outputs)  # an output may be named like an input only if it is that input
    return Names(subject.inputs or (variable,), None if clash else subject.outputs)


def check_univariate(subject: Formula | Network) -> None:
    if len(subject.inputs) > 1 or len(subject.outputs) != 1:
        raise InputError(
            f"expected one input and one output, found {len(subject.inputs)} and {len(subject.outputs)}: "
            "breakpoints need a function of one variable"
        )


def farey_points(order: int) -> Iterator[Rational]:
    """Yield all fractions of [0,1] with denominators up to `order`, increasing."""
    if order < 1:
        raise InputError(f"expected an order ≥ 1, found {order}")
    a, b, c, d = 0, 1, 1, order
    yield Rational(a, b)
    while c <= order:
        k = (order + b) // d
        a, b, c, d = c, d, k * c - a, k * d - b
        yield Rational(a, b)


def sampled(formula: Formula, order: int | None = None) -> Piecewise:
    """Return the function of an MV term by the paper's procedure: from its values at Farey points.

    Their order is the term's length, unless `order` says otherwise.
    """
    check_univariate(formula)
    if formula.logic != "mv":
        raise InputError(f"expected an MV term, found {formula.logic}: other terms may bend at any point")
    points = list(farey_points(max(1, formula.length) if order is None else order))
    if not formula.inputs:
        return Piecewise.constant(formula.at({})[0])
    return Piecewise.through(points, [values[0] for values in formula.at_points([[x] for x in points])])
