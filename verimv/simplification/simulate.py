"""Exact values of all nodes at chosen points: nodes that differ somewhere are not equal, the others may be.

The points are directed: corners of the cube, Farey points, and points where some ⊕ or ⊙ bends (found in floats along
lines, so near a bend at least). Whatever the points, values at them are exact.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verimv.exact import ONE as UNITY
from verimv.exact import ZERO as NOTHING
from verimv.exact import Algebraic, Number, Rational, floor
from verimv.formulas.dag import ODOT, OPLUS, Dag, fold, reachable
from verimv.formulas.evaluate_arrays import Arrays, evaluate_floats
from verimv.formulas.measure import logic_of

Point = tuple[Number, ...]

#: How many points to start with: with machine integers, and with exact numbers of any size.
MACHINE_POINTS = 256
EXACT_POINTS = 64
#: Lines along which bends are looked for besides the diagonal, and points on each.
LINES, SAMPLES = 5, 33
#: More arguments than this are looked at in samples.
MAX_ARGUMENTS = 512
#: Values held at once.
MAX_VALUES = 1 << 22


def farey(order: int) -> list[Rational]:
    """The fractions in [0,1] with denominators up to `order`, ascending."""
    return sorted({Rational(p, q) for q in range(1, order + 1) for p in range(q + 1)})


class Simulation:
    """Points, and the values of nodes there."""

    def __init__(self, dag: Dag, inputs: Sequence[str], roots: Sequence[int]) -> None:
        self.dag = dag
        self.inputs = inputs
        self.logic = logic_of(dag, roots)
        order = reachable(dag, roots)[0]
        limit = min(MACHINE_POINTS if self.logic == "mv" else EXACT_POINTS, 16 + MAX_VALUES // len(order))
        dimension = len(inputs)
        chosen = (_corners(dimension), bends(dag, order, inputs, limit // 4), _farey_points(dimension, limit // 2))
        self.points: list[Point] = list(dict.fromkeys(itertools.chain(*chosen)))[:limit]

    def add(self, point: Mapping[str, Number]) -> None:
        """A point that tells two nodes apart; inputs that do not matter there are 0."""
        self.points.append(tuple(point.get(name, NOTHING) for name in self.inputs))

    def values(self, nodes: Sequence[int]) -> list[NDArray[Any]]:
        """The values of each node at all points, in units that depend on the point only: equal arrays, equal values."""
        columns, one = self._columns()
        return fold(self.dag, nodes, Arrays(columns, one))

    def ones(self) -> NDArray[Any]:
        """The values of the constant 1."""
        columns, one = self._columns()
        return Arrays(columns, one).ones

    def _columns(self) -> tuple[dict[str, NDArray[Any]], Any]:
        """MV terms keep to multiples of 1/D, so integers serve wherever D, point by point, is small enough."""
        denominators = [_denominator(point) for point in self.points] if self.logic == "mv" else []
        names = self.inputs or ("",)  # without inputs, a column that no term uses says how many points there are
        rows = self.points if self.inputs else [(NOTHING,)] * len(self.points)
        if not denominators or max(denominators) >= 1 << 61:
            columns = {name: np.array([row[i] for row in rows], dtype=object) for i, name in enumerate(names)}
            return columns, UNITY
        ones = np.array(denominators, dtype=np.int64)
        pairs = list(zip(rows, denominators, strict=True))
        return {name: np.array([_scaled(row[i], d) for row, d in pairs]) for i, name in enumerate(names)}, ones


def _scaled(x: Number, denominator: int) -> int:
    return floor(x * denominator)  # an integer


def _denominator(point: Point) -> int:
    """The common denominator; too large for a machine where there is none."""
    if any(isinstance(x, Algebraic) for x in point):
        return 1 << 62
    return math.lcm(*(int(x.denominator) for x in point if not isinstance(x, Algebraic)))


def _corners(dimension: int) -> list[Point]:
    return list(itertools.islice(itertools.product((NOTHING, UNITY), repeat=dimension), 64))


def _farey_points(dimension: int, count: int) -> list[Point]:
    """All with small denominators when they are few, otherwise some of them; always the same ones."""
    if dimension <= 2:
        order = {0: 1, 1: 17, 2: 5}[dimension]
        return list(itertools.islice(itertools.product(farey(order), repeat=dimension), count))
    source = random.Random(0)
    steps = farey(7)
    return [tuple(source.choice(steps) for _ in range(dimension)) for _ in range(count)]


def bends(dag: Dag, order: Sequence[int], inputs: Sequence[str], count: int) -> list[Point]:
    """Points at or near which the argument a+b−1 of some ⊕ or ⊙ changes its sign, along a few lines."""
    arguments = [dag.operands(node) for node in order if dag.kinds[node] in (OPLUS, ODOT)]
    arguments = arguments[:: 1 + len(arguments) // MAX_ARGUMENTS]
    source = random.Random(1)
    found: list[tuple[dict[str, tuple[float, float]], float]] = []
    lines = 1 + min(LINES, MAX_VALUES // (len(order) * SAMPLES * 16))
    for line in range(lines if arguments and inputs else 0):
        start = [source.random() if line else 0.0 for _ in inputs]  # first the diagonal, then through the centre
        columns = {name: (x, 1 - x) for name, x in zip(inputs, start, strict=True)}
        found += ((columns, float(t)) for t in _crossings(dag, arguments, columns))
    chosen = source.sample(found, min(count, len(found)))
    return [tuple(_near(a + (b - a) * t) for a, b in columns.values()) for columns, t in chosen]


def _near(x: float) -> Rational:
    """A short fraction close by: a bend itself, if its denominator is not large."""
    fraction = Fraction(x).limit_denominator(1 << 12)
    return Rational(fraction.numerator, fraction.denominator)


def _crossings(
    dag: Dag, arguments: Sequence[Sequence[int]], line: dict[str, tuple[float, float]]
) -> NDArray[np.float64]:
    """Parameters of a line at which an argument crosses 0; refined twice, since bends hide between samples."""
    nodes = sorted({node for pair in arguments for node in pair})
    at = np.linspace(0, 1, SAMPLES)
    crossings: list[NDArray[np.float64]] = []
    for _ in range(3):
        columns = {name: a + (b - a) * at for name, (a, b) in line.items()}
        values = dict(zip(nodes, evaluate_floats(dag, nodes, columns), strict=True))
        for left, right in arguments:
            argument = values[left] + values[right] - 1
            low, high = argument[:-1], argument[1:]
            changes = np.nonzero(low * high < 0)[0]
            share = low[changes] / (low[changes] - high[changes])
            crossings.append(at[changes] + share * (at[changes + 1] - at[changes]))
        at = np.unique(np.concatenate([at, *crossings]).round(9))[:MAX_ARGUMENTS]
    return np.unique(np.concatenate(crossings).round(9))
