"""Formulas twice as long as the table's: a function as a ⊕ b or a ⊙ b of two functions that the table has.

a ⊕ b = f says that a ≤ f, that b = f − a wherever f < 1, and that b ≥ 1 − a wherever f = 1. So the entries below f,
looked up by their values where f < 1, give all such pairs at once. ⊙ is the dual.
"""

from __future__ import annotations

from collections import defaultdict
from functools import cache

import numpy as np
from numpy.typing import NDArray

from verimv.formulas.dag import ODOT, OPLUS
from verimv.simplification.table import ONE, Entry, ShortFormulas, Values, short_formulas

#: Pairs that are tried for one function.
MAX_PAIRS = 20_000


class Decomposer:
    """Finds the shortest a ⊕ b or a ⊙ b with a and b from one table. A function is looked at once."""

    def __init__(self, table: ShortFormulas) -> None:
        self.table = table
        entries = sorted(table.functions(), key=lambda pair: pair[0].length)
        self.entries = [entry for entry, _ in entries]
        self.rows: Values = np.array([values for _, values in entries])
        self.lengths: NDArray[np.int64] = np.array([entry.length for entry in self.entries])
        self._known: dict[bytes, Entry | None] = {}

    def find(self, values: Values) -> Entry | None:
        """The entry of a function given by its values on the grid; its node is new in the table's Dag."""
        key = values.tobytes()
        if key not in self._known:
            flat = values.ravel()
            found = [
                (OPLUS, self._summands(flat, self.rows)),
                (ODOT, self._summands(np.int8(ONE) - flat, np.int8(ONE) - self.rows)),
            ]
            entries = [self._joined(kind, *pair) for kind, pair in found if pair is not None]
            self._known[key] = min(entries, key=lambda entry: (entry.length, entry.nodes), default=None)
        return self._known[key]

    def _joined(self, kind: int, a: Entry, b: Entry) -> Entry:
        occurrences = tuple(x + y for x, y in zip(a.occurrences, b.occurrences, strict=True))
        return Entry(self.table.dag.node(kind, a.node, b.node), occurrences, 1 + a.nodes + b.nodes)

    def _summands(self, f: Values, table: Values) -> tuple[Entry, Entry] | None:
        """The shortest pair of rows of the table with a ⊕ b = f (dually: of negated rows, with a ⊙ b = ¬f)."""
        below = np.nonzero((table <= f).all(axis=1))[0]
        open_ = f < np.int8(ONE)
        rows = np.ascontiguousarray(table[below][:, open_])
        full = table[below][:, ~open_]
        places: dict[bytes, list[int]] = defaultdict(list)
        for place, row in enumerate(rows):
            places[row.tobytes()].append(place)
        lengths = self.lengths[below]
        best: tuple[int, int, int] | None = None
        tried = 0
        for place, rest in enumerate(f[open_] - rows):
            if best is not None and 2 * lengths[place] >= best[0]:
                break  # the other one is no shorter
            for other in places.get(rest.tobytes(), ()):
                total = int(lengths[place] + lengths[other])
                tried += 1
                if tried > MAX_PAIRS or (best is not None and total >= best[0]):
                    break
                if (full[place] + full[other] >= np.int8(ONE)).all():
                    best = (total, place, other)
                    break
        if best is None:
            return None
        return self.entries[below[best[1]]], self.entries[below[best[2]]]


@cache
def decomposer(leaves: int) -> Decomposer:
    """The decomposer for so many variables, made once."""
    return Decomposer(short_formulas(leaves))
