"""Layout of a DAG: ranks by height, an order with few crossings, places without overlap.

The usual three steps (Sugiyama): an edge over several ranks gets a place on each; the items of a rank are ordered by
the means of their neighbours; then they are put as near to these means as their widths allow, by isotonic regression.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Hashable, Mapping, Sequence
from typing import NamedTuple

#: Sweeps up and down; more of them change little.
SWEEPS = 12

#: A node, or the place of an edge on a rank between its ends.
Item = Hashable


class Layout(NamedTuple):
    """`places` are (x, rank) of nodes, rank 0 at the bottom; `edges` go from user to operand through such places."""

    places: Mapping[int, tuple[float, int]]
    edges: Mapping[tuple[int, int], Sequence[tuple[float, int]]]
    width: float
    ranks: int


def layout(
    order: Sequence[int], operands: Callable[[int], Sequence[int]], width: Callable[[int], float], gap: float = 18
) -> Layout:
    """Return a layout of nodes; `order` has operands before their users."""
    ranks: dict[int, int] = {}
    for node in order:
        ranks[node] = 1 + max((ranks[operand] for operand in operands(node)), default=-1)
    rows: list[list[Item]] = [[] for _ in range(max(ranks.values(), default=-1) + 1)]
    for node in order:
        rows[ranks[node]].append(node)
    chains: dict[tuple[int, int], list[Item]] = {}
    for node in order:
        for operand in dict.fromkeys(operands(node)):
            between: list[Item] = [(node, operand, rank) for rank in range(ranks[node] - 1, ranks[operand], -1)]
            for item, rank in zip(between, range(ranks[node] - 1, ranks[operand], -1), strict=True):
                rows[rank].append(item)
            chains[node, operand] = [node, *between, operand]
    widths = {item: width(item) + gap if isinstance(item, int) else gap / 2 for row in rows for item in row}
    x = _placed(rows, *_neighbours(chains), widths)
    left = min((x[item] - widths[item] / 2 for row in rows for item in row), default=0.0)
    right = max((x[item] + widths[item] / 2 for row in rows for item in row), default=0.0)
    height = {item: rank for rank, row in enumerate(rows) for item in row}
    return Layout(
        {node: (x[node] - left, ranks[node]) for node in order},
        {ends: [(x[item] - left, height[item]) for item in chain] for ends, chain in chains.items()},
        right - left,
        len(rows),
    )


Neighbours = Mapping[Item, Sequence[Item]]


def _neighbours(chains: Mapping[tuple[int, int], Sequence[Item]]) -> tuple[Neighbours, Neighbours]:
    """Return the neighbours one rank below, and those one rank above."""
    below: dict[Item, list[Item]] = {}
    above: dict[Item, list[Item]] = {}
    for chain in chains.values():
        for upper, lower in itertools.pairwise(chain):
            below.setdefault(upper, []).append(lower)
            above.setdefault(lower, []).append(upper)
    return below, above


def _placed(
    rows: list[list[Item]], below: Neighbours, above: Neighbours, widths: Mapping[Item, float]
) -> dict[Item, float]:
    x: dict[Item, float] = {}
    for row in rows:
        x |= spread(row, [0.0] * len(row), widths)
    for sweep in range(SWEEPS):
        for row in rows[1:] if sweep % 2 == 0 else rows[-2::-1]:
            sides = (below, above) if sweep >= SWEEPS - 2 else (above if sweep % 2 else below,)
            wanted = {item: _mean([x[n] for side in sides for n in side.get(item, ())], x[item]) for item in row}
            if sweep < SWEEPS - 2:
                row.sort(key=wanted.__getitem__)
            x |= spread(row, [wanted[item] for item in row], widths)
    return x


def _mean(numbers: Sequence[float], default: float) -> float:
    return sum(numbers) / len(numbers) if numbers else default


def spread(row: Sequence[Item], wanted: Sequence[float], widths: Mapping[Item, float]) -> dict[Item, float]:
    """Return places in this order, without overlap, as near to the wanted ones as possible (least squares)."""
    offsets, total = [], 0.0
    for item in row:
        offsets.append(total + widths[item] / 2)
        total += widths[item]
    blocks: list[tuple[float, int]] = []  # (mean of wanted − offset, items); means must grow
    for want, offset in zip(wanted, offsets, strict=True):
        mean, count = want - offset, 1
        while blocks and blocks[-1][0] > mean:
            other, more = blocks.pop()
            mean, count = (mean * count + other * more) / (count + more), count + more
        blocks.append((mean, count))
    means = [mean for mean, count in blocks for _ in range(count)]
    return {item: mean + offset for item, mean, offset in zip(row, means, offsets, strict=True)}
