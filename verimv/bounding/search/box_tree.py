"""A tree of boxes, each halved along one input, with what floats say about every box."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from verimv.bounding.guess.box_floats import BoxRanges, KnownRanges
from verimv.bounding.search.vertex import rational
from verimv.networks.network import Box

#: For each hidden layer: the low ends, and the high ends, that lemmas of a box give; not a number where there is none.
LemmaEnds = Sequence[tuple[Any, Any]]


@dataclass(eq=False)
class BoxNode:
    """A box with its corners, and the ranges that are known of its neurons, those of its own lemmas included."""

    low: Any
    high: Any
    upper: float
    form: Any
    known: KnownRanges
    #: how much each input matters
    scores: Any
    #: about the work of proving its lemmas exactly
    work: int = 0
    depth: int = 0
    split: int | None = None
    children: tuple[BoxNode, ...] = ()
    parent: BoxNode | None = field(default=None, repr=False)

    @property
    def middle(self) -> float:
        """Where the box is halved."""
        if self.split is None:
            return 0.0
        return float(self.low[self.split] + self.high[self.split]) / 2

    def halves(self, j: int) -> list[tuple[Any, Any]]:
        """Return the corners of the two halves along an input."""
        middle = (self.low[j] + self.high[j]) / 2
        below, above = self.high.copy(), self.low.copy()
        below[j] = above[j] = middle
        return [(self.low, below), (above, self.high)]

    def divide(self, j: int, halves: Sequence[BoxNode]) -> None:
        """Put two halves below this box."""
        self.split, self.children = j, tuple(halves)
        for half in halves:
            half.parent, half.depth = self, self.depth + 1

    def join(self) -> None:
        """Take away the parts of this box."""
        self.split, self.children = None, ()

    def ancestors(self) -> Iterator[BoxNode]:
        node = self.parent
        while node is not None:
            yield node
            node = node.parent

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


def joined_ranges(known: Sequence[KnownRanges]) -> KnownRanges:
    """Return the ranges of several boxes, a row for each."""
    return [(np.array([k[d][0] for k in known]), np.array([k[d][1] for k in known])) for d in range(len(known[0]))]


def own_ranges(ranges: Sequence[BoxRanges], position: int) -> KnownRanges:
    """Return the ranges of one of several boxes."""
    return [(found.low[position], found.high[position]) for found in ranges]


def lemma_ends(ranges: Sequence[BoxRanges]) -> LemmaEnds:
    """Return the ends that are new in some boxes, a row for each."""
    return [
        (np.where(found.low_is_new, found.low, np.nan), np.where(found.high_is_new, found.high, np.nan))
        for found in ranges
    ]


def count_of(ends: LemmaEnds) -> int:
    """Return the number of lemmas."""
    return sum(int((~np.isnan(end)).sum()) for pair in ends for end in pair)
