"""Exact products of large matrices of integers, by products of floats.

Integers are cut into pieces of so few bits that every sum of products is exact in floating point. So no order of
additions matters, and a product of 256 × 256 × 784 integers of a hundred bits takes less than a second.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from verimv.bounding.prove.walk import Integers

#: Bits of a piece of an integer. Sums of fewer than 2^10 products of two pieces are exact in floats.
_PIECE, _MOST_TERMS = 21, 1 << 10
#: Smaller products are computed directly.
_FEW = 4_000


def _pieces(a: Integers) -> list[Any]:
    """Return floats whose sum, each times its power of 2^_PIECE, is the array."""
    sizes, signs = np.abs(a), np.where(a < 0, -1.0, 1.0)
    mask, result = (1 << _PIECE) - 1, []
    while True:
        result.append((sizes & mask).astype(np.float64) * signs)
        sizes = sizes >> _PIECE
        if not sizes.any():
            return result


def _joined(sums: list[Any]) -> Integers:
    """Return the sum of arrays of 64-bit integers, each times its power of 2^_PIECE.

    What exceeds a piece is carried to the next power. So three pieces fit into 64 bits, and what is carried at last is
    0 or −1.
    """
    total: Any = 0
    carry: Any = 0
    mask = (1 << _PIECE) - 1
    for start in range(0, len(sums) + 3, 3):
        joined: Any = 0
        for k in range(3):
            found = carry + (sums[start + k] if start + k < len(sums) else 0)
            joined = joined + ((found & mask) << (_PIECE * k))
            carry = found >> _PIECE
        total = total + (joined.astype(object) << (_PIECE * start))
    return total + (carry.astype(object) << (_PIECE * (start + 3)))  # 0 or −1


class IntegerMatrix:
    """A matrix of integers that is multiplied from the left."""

    def __init__(self, entries: Integers) -> None:
        self.entries = entries
        self.size = np.abs(entries)
        self.is_zero = not entries.any()
        self._kept: list[Any] | None = None
        places = np.argwhere(entries.astype(bool))
        #: the places of entries other than 0, if they are few
        self._few = places.tolist() if len(places) <= max(entries.shape) else None

    @property
    def _own_pieces(self) -> list[Any]:
        if self._kept is None:
            self._kept = _pieces(self.entries)
        return self._kept

    def times(self, rows: Integers) -> Integers:
        """Return rows @ matrix, exactly."""
        height, width = self.entries.shape
        if self.is_zero or not width:
            return np.zeros((len(rows), width), dtype=object)
        if self._few is not None:
            sparse: Any = np.zeros((len(rows), width), dtype=object)
            for i, j in self._few:
                sparse[:, j] += rows[:, i] * self.entries[i, j]
            return sparse
        if len(rows) * height * width <= _FEW or len(rows) == 1:
            return rows @ self.entries
        total: Any = np.zeros((len(rows), width), dtype=object)
        used = np.flatnonzero(rows.any(axis=0))  # neurons that do not matter to any row are often many
        for start in range(0, len(used), _MOST_TERMS):
            part = used[start : start + _MOST_TERMS]
            own = [right[part] for right in self._own_pieces]
            sums: dict[int, Any] = {}  # of few products for each power: they fit into 64 bits
            for i, left in enumerate(_pieces(rows[:, part])):
                for j, right in enumerate(own):
                    found = (left @ right).astype(np.int64)
                    sums[i + j] = sums[i + j] + found if i + j in sums else found
            total = total + _joined([sums[power] for power in range(len(sums))])
        return total

    def interval(self, low: Integers, high: Integers) -> tuple[Integers, Integers]:
        """Return twice the least and twice the largest values of matrix @ x, for x between two ends."""
        if self.is_zero:
            none = np.zeros(len(self.entries), dtype=object)
            return none, none
        centre, spread = self.entries @ (low + high), self.size @ (high - low)
        return centre - spread, centre + spread
