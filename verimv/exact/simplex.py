"""Small linear programs, exactly: the simplex method with Bland's rule, which always ends."""

from __future__ import annotations

from collections.abc import Sequence

from verimv.exact.numerals import ONE, ZERO, Number


def minimised(
    costs: Sequence[Number], rows: Sequence[Sequence[Number]], right: Sequence[Number]
) -> tuple[Number, list[Number]] | None:
    """Return the least costs·z over z ≥ 0 with rows·z = right, and such a z; None if there is no such z.

    The least value must exist: the costs must be bounded from below.
    """
    width, height = len(costs), len(rows)
    table = []
    for i, (row, end) in enumerate(zip(rows, right, strict=True)):
        way = -ONE if end < 0 else ONE
        table.append([*(way * x for x in row), *(ONE if k == i else ZERO for k in range(height)), way * end])
    basis = list(range(width, width + height))
    surplus = [*[ZERO] * width, *[ONE] * height]
    _descend(table, basis, surplus, width + height)
    if any(j >= width and row[-1] for j, row in zip(basis, table, strict=True)):
        return None
    _drop_artificial(table, basis, width)
    _descend(table, basis, [*costs, *[ZERO] * height], width)
    found: list[Number] = [ZERO] * width
    for j, row in zip(basis, table, strict=True):
        if j < width:
            found[j] = row[-1]
    total = ZERO + sum((c * x for c, x in zip(costs, found, strict=True) if x), ZERO)
    return total, found


def _descend(table: list[list[Number]], basis: list[int], costs: Sequence[Number], usable: int) -> None:
    """Exchange variables of the basis until no exchange makes the costs less; only the first columns may enter it."""
    reduced = [*costs, ZERO]
    for j, row in zip(basis, table, strict=True):
        if costs[j]:
            factor = costs[j]
            reduced = [r - factor * x for r, x in zip(reduced, row, strict=True)]
    while (entering := next((j for j in range(usable) if reduced[j] < 0), None)) is not None:
        ratios = [(row[-1] / row[entering], basis[i], i) for i, row in enumerate(table) if row[entering] > 0]
        if not ratios:
            raise ValueError("the costs have no least value")
        leaving = min(ratios)[2]
        _pivot(table, basis, leaving, entering)
        factor = reduced[entering]
        reduced = [r - factor * x for r, x in zip(reduced, table[leaving], strict=True)]


def _pivot(table: list[list[Number]], basis: list[int], leaving: int, entering: int) -> None:
    pivot = table[leaving][entering]
    table[leaving] = [x / pivot for x in table[leaving]]
    for i, row in enumerate(table):
        if i != leaving and row[entering]:
            factor = row[entering]
            table[i] = [x - factor * y for x, y in zip(row, table[leaving], strict=True)]
    basis[leaving] = entering


def _drop_artificial(table: list[list[Number]], basis: list[int], width: int) -> None:
    """Exchange variables that only helped to begin, which are 0 now; a row without others says nothing."""
    for i in range(len(table) - 1, -1, -1):
        if basis[i] >= width:
            entering = next((j for j in range(width) if table[i][j]), None)
            if entering is None:
                del table[i], basis[i]
            else:
                _pivot(table, basis, i, entering)
