"""Linear equations over the rationals, for a few unknowns."""

from __future__ import annotations

from collections.abc import Sequence

from verimv.exact import Number, Rational


class Equations:
    """Equations Σ a_j·u_j = b, each solved for one unknown; an equation that others imply or contradict is dropped."""

    def __init__(self, unknowns: int) -> None:
        self.unknowns = unknowns
        self._solved: dict[int, tuple[list[Number], Number]] = {}

    @property
    def is_full(self) -> bool:
        """Whether all unknowns are determined."""
        return len(self._solved) == self.unknowns

    def add(self, row: Sequence[Number], right: Number) -> None:
        """Add the equation row·u = right."""
        row = list(row)
        for pivot, (other, value) in self._solved.items():
            if factor := row[pivot]:
                row = [a - factor * b for a, b in zip(row, other, strict=True)]
                right -= factor * value
        candidates = [j for j, a in enumerate(row) if a]
        if not candidates:
            return
        pivot = max(candidates, key=lambda j: abs(row[j]))
        scale = row[pivot]
        row, right = [a / scale for a in row], right / scale
        for j, (other, value) in self._solved.items():
            if factor := other[pivot]:
                reduced = [a - factor * b for a, b in zip(other, row, strict=True)]
                self._solved[j] = (reduced, value - factor * right)
        self._solved[pivot] = (row, right)

    def solution(self, guess: Sequence[Number]) -> list[Number]:
        """Return the unknowns; those that no equation determines are as guessed."""
        result = list(guess)
        for pivot, (row, right) in self._solved.items():
            others = (a * guess[j] for j, a in enumerate(row) if a and j != pivot and j not in self._solved)
            result[pivot] = right - sum(others, Rational(0))
        return result
