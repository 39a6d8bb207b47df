"""The shortest formulas: every function of a few variables that a formula up to a given length computes, once.

A function is known by its exact values on a grid of Farey points. Two functions that agree there are taken for one,
so whoever uses an entry has it proved first; what a coincidence costs is an opportunity, never soundness. (In two
variables a much finer grid tells 15,098 functions of length 6 apart, this one 15,002; up to length 5 they agree.)
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from verimv.formulas.dag import ODOT, OPLUS, Dag

Values = NDArray[np.int8]

#: Values are in units of 1/60, so that the Farey points of order 6 are whole and a sum of two values fits into a byte.
ONE = 60

#: number of variables → coordinates of the grid: all multiples of 1/60, the Farey points of order 6, of order 4
COORDINATES: dict[int, Values] = {
    1: np.arange(ONE + 1, dtype=np.int8),
    2: np.array([0, 10, 12, 15, 20, 24, 30, 36, 40, 45, 48, 50, 60], dtype=np.int8),
    3: np.array([0, 15, 20, 30, 40, 45, 60], dtype=np.int8),
}

#: number of variables → length up to which all functions are known
TABLE_LENGTHS = {1: 11, 2: 6, 3: 5}


def grid_axis(leaf: int, leaves: int) -> Values:
    """The values of one of `leaves` variables on the grid, as an array that broadcasts against the others."""
    return COORDINATES[leaves].reshape([-1 if i == leaf else 1 for i in range(leaves)])


def whole_grid(leaves: int) -> Values:
    """The function 0."""
    return np.zeros((len(COORDINATES[leaves]),) * leaves, dtype=np.int8)


def grid_points(leaves: int) -> Values:
    """The points of the grid: a row of coordinates for every variable."""
    return np.stack([(whole_grid(leaves) + grid_axis(i, leaves)).ravel() for i in range(leaves)])


@dataclass(frozen=True)
class Entry:
    """A shortest formula of its function: a node of the table's Dag, and how often each variable occurs."""

    node: int
    occurrences: tuple[int, ...]
    #: nodes of the written-out tree
    nodes: int

    @property
    def length(self) -> int:
        return sum(self.occurrences)


class _Level:
    """All functions whose shortest formula has one given length. An even place and the next are each other's ¬."""

    def __init__(self) -> None:
        self.rows: list[Values] = []
        self.nodes: list[int] = []
        self.sizes: list[int] = []
        self.occurrences: list[NDArray[np.int8]] = []

    def add(self, row: Values, occurrences: NDArray[np.int8], written: Sequence[tuple[int, int]]) -> None:
        """A function and its negation; `written` has node and tree size of both."""
        for values, (node, size) in zip((row, np.int8(ONE) - row), written, strict=True):
            self.rows.append(values)
            self.nodes.append(node)
            self.sizes.append(size)
            self.occurrences.append(occurrences)


class ShortFormulas:
    """All functions of formulas up to a length, with a shortest formula for each. Values at the points of the grid tell
    functions apart, or at others: `points` has a row of coordinates for every variable."""

    def __init__(self, leaves: int, max_length: int, points: Values | None = None) -> None:
        self.leaves, self.max_length = leaves, max_length
        self.dag = Dag()
        self.names = tuple(f"v{i + 1}" for i in range(leaves))
        self.points = grid_points(leaves) if points is None else points
        self._entries: dict[bytes, Entry] = {}
        for value in (0, 1):
            key = np.full(self.points.shape[1], ONE * value, dtype=np.int8).tobytes()
            self._entries[key] = Entry(self.dag.constant(value), (0,) * leaves, 1)
        self._levels = [self._literals()]
        for length in range(2, max_length + 1):
            self._enter(self._levels[-1])
            self._levels.append(self._next_level(length))
        self._enter(self._levels[-1])

    def find(self, values: Values) -> Entry | None:
        """The entry of a function given by its values at all points."""
        return self._entries.get(values.tobytes())

    def functions(self) -> list[tuple[Entry, Values]]:
        """Every entry with its values, flat."""
        return [(entry, np.frombuffer(key, dtype=np.int8)) for key, entry in self._entries.items()]

    def of_length(self, length: int) -> list[Entry]:
        return [entry for entry in self._entries.values() if entry.length == length]

    def _literals(self) -> _Level:
        level = _Level()
        for i, name in enumerate(self.names):
            variable = self.dag.variable(name)
            occurrences = np.eye(self.leaves, dtype=np.int8)[i]
            level.add(self.points[i], occurrences, [(variable, 1), (self.dag.neg(variable), 2)])
        return level

    def _enter(self, level: _Level) -> None:
        for row, node, occurrences, size in zip(level.rows, level.nodes, level.occurrences, level.sizes, strict=True):
            self._entries[row.tobytes()] = Entry(node, tuple(int(count) for count in occurrences), size)

    def _next_level(self, length: int) -> _Level:
        """a ⊕ b for all a, b whose lengths add up; ⊙ is its dual, so the negations complete the level."""
        level = _Level()
        found: set[bytes] = set()
        for shorter in range(1, length // 2 + 1):
            left, right = self._levels[shorter - 1], self._levels[length - shorter - 1]
            table = np.array(right.rows)
            for i, row in enumerate(left.rows):
                for j, total in enumerate(np.minimum(np.int8(ONE), row + table)):
                    key = total.tobytes()
                    if key not in found and key not in self._entries:
                        found |= {key, (np.int8(ONE) - total).tobytes()}
                        occurrences = left.occurrences[i] + right.occurrences[j]
                        level.add(total, occurrences, self._written(left, i, right, j))
        return level

    def _written(self, left: _Level, i: int, right: _Level, j: int) -> list[tuple[int, int]]:
        """Nodes and tree sizes of a ⊕ b and of its negation, each written the shorter way: ¬ outside or inside."""
        plain = 1 + left.sizes[i] + right.sizes[j]
        dual = 1 + left.sizes[i ^ 1] + right.sizes[j ^ 1]
        if plain > dual + 1:
            odot = self.dag.node(ODOT, left.nodes[i ^ 1], right.nodes[j ^ 1])
            return [(self.dag.neg(odot), dual + 1), (odot, dual)]
        oplus = self.dag.node(OPLUS, left.nodes[i], right.nodes[j])
        if dual > plain + 1:
            return [(oplus, plain), (self.dag.neg(oplus), plain + 1)]
        return [(oplus, plain), (self.dag.node(ODOT, left.nodes[i ^ 1], right.nodes[j ^ 1]), dual)]


@cache
def short_formulas(leaves: int, max_length: int | None = None) -> ShortFormulas:
    """The table for so many variables, made once."""
    return ShortFormulas(leaves, TABLE_LENGTHS[leaves] if max_length is None else max_length)
