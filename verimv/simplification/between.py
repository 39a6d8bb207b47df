"""Short formulas between two functions: those of the table, and longer ones that are put together from several.

A formula that is longer than those of the table is g ⊕ h or g ⊙ h, where g is at most half as long. It lies between two
functions if g is below the upper one (for ⊙: above the lower one) and h is between what g leaves. So every such g of
the table is tried, and h is searched for in the same way. Most g are ruled out at once: where a function rises by k
times a step of x, each of its formulas has x at least k times. So the two functions that g leaves say how long h must
be, at least. Functions are given by their values at points, which is a guess; that no formula is found is proved.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from verimv.formulas.dag import NOT, ODOT, OPLUS, Dag
from verimv.simplification.table import ONE, TABLE_LENGTHS, Entry, ShortFormulas, Values, grid_points

#: Points at which functions are known together with their neighbours, one step along each variable: drawn at random,
#: more of them towards the corners, where functions differ most.
_BASES = 320
#: Points at which entries are compared one after the other; so many entries at once are then compared at all points.
_ONE_BY_ONE, _AT_ONCE = 32, 128
#: Work of a lookup in the table, and of eight entries that are tried as a part.
_LOOKUP, _EIGHT_ENTRIES = 120, 20


class Assembly(NamedTuple):
    """A formula, as entries of the table: ((last ∘ g) ∘ …) ∘ f, where `parts` has f, …, g with the operators."""

    parts: tuple[tuple[int, Entry], ...]
    last: Entry

    @property
    def length(self) -> int:
        return self.last.length + sum(entry.length for _, entry in self.parts)


class Bounds(NamedTuple):
    """Two functions, by their values at all points or at some."""

    low: Values
    high: Values

    def left_by(self, kind: int, rows: Values) -> Bounds:
        """Between what h must be so that g ⊕ h (or g ⊙ h) is between these two, for one g or for every row of g."""
        one = np.int8(ONE)
        if kind == OPLUS:
            return Bounds(np.maximum(np.int8(0), self.low - rows), np.where(self.high == one, one, self.high - rows))
        low = np.where(self.low == 0, np.int8(0), self.low + (one - rows))
        return Bounds(low, np.minimum(one, self.high + (one - rows)))


class EntriesBetween:
    """The entries of a table between two functions. Its points are the grid, and others: very different functions agree
    on the grid."""

    def __init__(self, leaves: int, max_length: int | None = None) -> None:
        self.leaves = leaves
        draws = np.random.default_rng(0).integers(0, ONE, (3, leaves, _BASES), dtype=np.int8)
        ends = np.where(draws[2] % 2, draws[:2].min(axis=0), draws[:2].max(axis=0))
        bases = np.where(np.arange(_BASES) % 2, ends, draws[0])
        steps = [bases + np.eye(leaves, dtype=np.int8)[:, i : i + 1] for i in range(leaves)]
        self.points: Values = np.hstack([bases, *steps, grid_points(leaves)])
        #: where steps are known
        self.stepped = slice(_BASES * (leaves + 1))
        self.table = ShortFormulas(leaves, max_length or TABLE_LENGTHS[leaves], self.points)
        functions = sorted(self.table.functions(), key=lambda function: function[0].length)
        self.entries = [entry for entry, _ in functions]
        self.lengths: NDArray[np.int64] = np.array([entry.length for entry in self.entries])
        self.rows: Values = np.array([values for _, values in functions])
        self.tops: NDArray[np.int64] = np.array([_top(self.table.dag, entry.node) for entry in self.entries])
        #: values by point, then entry
        self._columns: Values = self.rows.T.copy()

    def count(self, length: int) -> int:
        """How many entries are at most so long; they come first."""
        return int(np.searchsorted(self.lengths, length, side="right"))

    def find(self, bounds: Bounds, length: int) -> list[Entry]:
        """Some entries of at most this length, the shortest first."""
        low, high = bounds
        first, *others = np.argsort(high - low, kind="stable")[:_ONE_BY_ONE]
        values = self._columns[first, : self.count(length)]
        places = np.flatnonzero((low[first] <= values) & (values <= high[first]))
        for point in others:
            if not len(places):
                return []
            values = self._columns[point, places]
            places = places[(low[point] <= values) & (values <= high[point])]
        for start in range(0, len(places), _AT_ONCE):
            some = places[start : start + _AT_ONCE]
            values = self.rows[some]
            found = some[((low <= values) & (values <= high)).all(axis=1)]
            if len(found):
                return [self.entries[place] for place in found]
        return []

    def operands(self, bounds: Bounds, kind: int, places: NDArray[np.int64]) -> NDArray[np.int64]:
        """Those of some entries that may be an operand of a ⊕ or ⊙ between the bounds."""
        low, high = bounds
        order = np.argsort(high if kind == OPLUS else -low, kind="stable")[:_ONE_BY_ONE]
        for point in order:
            values = self._columns[point, places]
            places = places[values <= high[point] if kind == OPLUS else values >= low[point]]
        values = self.rows[places]
        fits = (values <= high) if kind == OPLUS else (values >= low)
        return places[fits.all(axis=1)]

    def needed(self, bounds: Bounds) -> NDArray[np.int64]:
        """Lower bounds of the lengths of formulas between some pairs of functions, given by their values where steps
        are known: x and ¬x occur as often as the function rises and falls at least, in multiples of a step of x."""
        low, high = (values.reshape(-1, self.leaves + 1, _BASES) for values in bounds)
        rises = (low[:, 1:] - high[:, :1]).max(axis=2)
        falls = (low[:, :1] - high[:, 1:]).max(axis=2)
        total: NDArray[np.int64] = (np.maximum(0, rises) + np.maximum(0, falls)).sum(axis=1, dtype=np.int64)
        return total


def _top(dag: Dag, node: int) -> int:
    """The operator of a node when negations are pushed down to the variables."""
    if dag.kinds[node] != NOT:
        return dag.kinds[node]
    below = dag.kinds[dag.lefts[node]]
    return OPLUS + ODOT - below if below in (OPLUS, ODOT) else below


@cache
def entries_between(leaves: int, max_length: int | None = None) -> EntriesBetween:
    """The entries for so many variables, made once."""
    return EntriesBetween(leaves, max_length)


@dataclass
class _Open:
    """Functions between which a formula is searched for, and the parts that are left to try."""

    bounds: Bounds
    length: int
    #: operator above, and the first place of an entry that may be its next operand
    above: tuple[int, int]
    parts: Iterator[tuple[int, int, Bounds]]
    #: how many formulas were found before
    found: int


class Assembling:
    """A search for formulas between two functions, within some work."""

    def __init__(self, entries: EntriesBetween) -> None:
        self.entries = entries
        self.work = 0
        #: whether the last search was complete
        self.is_complete = True
        self._found = 0
        self._failed: dict[tuple[int, bytes, bytes], tuple[int, int]] = {}

    @property
    def max_length(self) -> int:
        """No formula up to this length is missed: one of two operands is in the table."""
        return 2 * self.entries.table.max_length + 1

    def needed(self, bounds: Bounds) -> int:
        """A lower bound of the length of all formulas between two functions."""
        steps = self.entries.stepped
        return int(self.entries.needed(Bounds(bounds.low[steps], bounds.high[steps]))[0])

    def find(self, bounds: Bounds, length: int, work: int) -> Iterator[Assembly]:
        """Formulas of at most this length. If there are none and the search is complete, none has these values."""
        end = self.work + work
        self.is_complete = True
        path: list[tuple[int, Entry]] = []
        stack: list[_Open] = []
        if self.needed(bounds) <= length:
            stack.append(self._opened(bounds, length, (0, 0)))
            yield from self._direct(bounds, length, path)
        while stack:
            if self.work > end:
                self.is_complete = False
                return
            top = stack[-1]
            for kind, place, left in top.parts:
                rest = top.length - self.entries.entries[place].length
                if self._has_failed(kind, place, left, rest):
                    continue
                path.append((kind, self.entries.entries[place]))
                stack.append(self._opened(left, rest, (kind, place)))
                yield from self._direct(left, rest, path)
                break
            else:
                stack.pop()
                if path:
                    path.pop()
                if top.found == self._found:
                    kind, place = top.above
                    self._failed[kind, top.bounds.low.tobytes(), top.bounds.high.tobytes()] = top.length, place

    def _has_failed(self, kind: int, place: int, bounds: Bounds, length: int) -> bool:
        known_length, known_place = self._failed.get((kind, bounds.low.tobytes(), bounds.high.tobytes()), (0, 0))
        return known_length >= length and known_place <= place

    def _direct(self, bounds: Bounds, length: int, path: list[tuple[int, Entry]]) -> Iterator[Assembly]:
        """The entries of the table between two functions."""
        self.work += _LOOKUP
        for entry in self.entries.find(bounds, length):
            self._found += 1
            yield Assembly(tuple(path), entry)

    def _opened(self, bounds: Bounds, length: int, above: tuple[int, int]) -> _Open:
        return _Open(bounds, length, above, self._parts(bounds, length, above), self._found)

    def _parts(self, bounds: Bounds, length: int, above: tuple[int, int]) -> Iterator[tuple[int, int, Bounds]]:
        """Operators, places of entries, and what they leave. The operands of a chain come in the order of entries, and
        none is a chain of the same operator."""
        if length <= self.entries.table.max_length:
            return
        entries, steps = self.entries, self.entries.stepped
        for size in range(1, min(length // 2, entries.table.max_length) + 1):
            first, last = entries.count(size - 1), entries.count(size)
            for kind in (OPLUS, ODOT):
                places = np.arange(max(first, above[1]) if kind == above[0] else first, last)
                places = places[entries.tops[places] != kind]
                self.work += _LOOKUP
                places = entries.operands(bounds, kind, places)
                stepped = Bounds(bounds.low[steps], bounds.high[steps]).left_by(kind, entries.rows[places][:, steps])
                self.work += _EIGHT_ENTRIES * len(places) // 8
                for place in places[entries.needed(stepped) <= length - size]:
                    yield kind, int(place), bounds.left_by(kind, entries.rows[place])
