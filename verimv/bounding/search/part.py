"""The tree of a search: parts of the cube, with what is guessed and what is proved about each."""

from __future__ import annotations

import math
from typing import Any

from verimv.bounding.guess.relaxation import Relaxation
from verimv.bounding.situation import Case, LeafCase, Place, Situation, SplitCase
from verimv.core.errors import InternalError
from verimv.exact import Number


class Part:
    """A node of the tree: a situation with what is guessed and what is proved about it."""

    __slots__ = (
        "bends",
        "bound",
        "children",
        "leaf",
        "linear",
        "middle",
        "multipliers",
        "ranges",
        "relaxation",
        "scores",
        "situation",
        "split",
        "upper",
    )

    def __init__(self, situation: Situation) -> None:
        self.situation = situation
        self.upper = math.inf  # guessed, as are the multipliers
        self.linear = math.inf  # guessed, with the default slopes of the kernel
        self.multipliers: list[Any] = []
        self.ranges: list[Any] = []
        self.relaxation: Relaxation | None = None  # of the box, shared by all phases in it
        self.bends = 0
        self.middle = -math.inf  # the value in the middle of the box, guessed
        self.scores: Any = None  # of inputs: which one to halve
        self.split: tuple[int | Place, Number] | None = None
        self.children: tuple[Part, ...] = ()
        self.leaf: list[Number] | None = None
        self.bound: Number | None = None  # proved by the leaf; None where the situation is empty

    def divide(self, variable: int | Place, point: Number) -> list[Part]:
        """Split at a point and return both sides; phases of one box share its linear program and its guesses."""
        self.split = (variable, point)
        self.children = tuple(Part(half) for half in self.situation.split(variable, point))
        if not isinstance(variable, int):
            for child, end in zip(self.children, (1, 0), strict=True):
                child.relaxation, child.upper, child.multipliers = self.relaxation, self.upper, self.multipliers
                child.ranges = _cut(self.ranges, variable, end, float(point))
        self._forget()
        return list(self.children)

    def close(self, leaf: list[Number], bound: Number | None) -> None:
        """Mark the part as proved by the multipliers of a leaf."""
        self.leaf, self.bound = leaf, bound
        self._forget()

    def _forget(self) -> None:
        """Drop guesses that are needed no more."""
        self.multipliers = self.ranges = []
        self.relaxation = self.scores = None

    def cases(self) -> list[Case]:
        """Return the tree in preorder."""
        cases: list[Case] = []
        pending = [self]
        while pending:
            part = pending.pop()
            if part.leaf is not None:
                cases.append(LeafCase(tuple(part.leaf)))
            elif part.split is not None:
                cases.append(SplitCase(*part.split))
                pending += reversed(part.children)
            else:
                raise InternalError("a part of a proof was left open")
        return cases


def _cut(ranges: list[Any], place: Place, end: int, point: float) -> list[Any]:
    """Return guessed ranges with a new end (0: low, 1: high) for one neuron; those of other neurons stay."""
    depth = place[0] - 1
    ends = list(ranges[depth])
    ends[end] = ends[end].copy()
    ends[end][place[1]] = point
    return [*ranges[:depth], tuple(ends), *ranges[depth + 1 :]]
