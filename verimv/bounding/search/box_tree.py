"""A tree of boxes, each halved along one input, with what floats say about every box."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from verimv.bounding.search.vertex import rational
from verimv.bounding.situation import Case, SplitCase
from verimv.networks.network import Box


@dataclass(eq=False)
class BoxNode:
    """A box with its corners; `upper` is the bound that floats find, and `scores` says how much each input matters."""

    low: Any
    high: Any
    upper: float
    scores: Any
    split: int | None = None
    children: tuple[BoxNode, ...] = ()
    #: cases that prove the box, if it is at the end of the tree
    cases: Sequence[Case] = ()

    def halves(self, j: int) -> list[tuple[Any, Any]]:
        """Return the corners of the two halves along an input."""
        middle = (self.low[j] + self.high[j]) / 2
        below, above = self.high.copy(), self.low.copy()
        below[j] = above[j] = middle
        return [(self.low, below), (above, self.high)]

    def divide(self, j: int, halves: Sequence[BoxNode]) -> None:
        """Put two halves below this box."""
        self.split, self.children = j, tuple(halves)

    @property
    def box(self) -> Box:
        """The box in exact numbers."""
        return tuple((rational(low), rational(high)) for low, high in zip(self.low, self.high, strict=True))


def in_preorder(root: BoxNode) -> list[BoxNode]:
    """Return all boxes of a tree, each before its parts."""
    result, pending = [], [root]
    while pending:
        node = pending.pop()
        result.append(node)
        pending += reversed(node.children)
    return result


def ends_of(root: BoxNode) -> list[BoxNode]:
    """Return the boxes that are not divided, in order."""
    return [node for node in in_preorder(root) if not node.children]


def cases_of(root: BoxNode) -> list[Case]:
    """Return the cases of a tree all of whose ends are proved."""
    result: list[Case] = []
    for node in in_preorder(root):
        if node.split is None:
            result += node.cases
        else:
            result.append(SplitCase(node.split, rational((node.low[node.split] + node.high[node.split]) / 2)))
    return result
