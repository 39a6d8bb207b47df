"""How far apart are two networks of one shape, with few inputs? Boxes are halved, with differences of all neurons.

On each box, differences of corresponding neurons are bounded (:mod:`verimv.bounding.prove.change_boxes`). Every bound
is proved, so no separate proof is needed at the end, and the bounds hold at any time before. But there is no
certificate: tens of thousands of boxes would take the kernels hours.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from verimv.bounding.guess.floats import Floats, product
from verimv.bounding.prove.change_boxes import BoxChanges, ChangeBoxes, are_paired
from verimv.bounding.results import Point
from verimv.bounding.search.box_search import MOST_INPUTS
from verimv.bounding.search.vertex import rational
from verimv.core.effort import Meter
from verimv.exact import Number
from verimv.networks.network import Network

#: Boxes that are bounded at once: fewer if networks are wide, so that arrays have at most so many numbers.
_BATCH, _NUMBERS = 32, 4_000_000
#: Boxes are not made narrower than this: their corners must have few bits.
_NARROW = 2.0**-20
#: What counts when an input is chosen: how much the bound depends on it, and, with this factor, how much neurons with
#: a kink do.
_OF_KINKS = 0.3
#: A neuron passes on so much of a change, on average, when it is estimated how much inputs change neurons.
_PASSED_ON = 0.5
#: Work: for each batch of boxes, and one unit for so many products.
_PER_BATCH, _PRODUCTS = 3_000, 5_000


@dataclass(frozen=True)
class _Box:
    """Corners, upper bounds of all rows on the box, and the input along which it should be halved."""

    low: Floats
    high: Floats
    upper: Floats
    input: int

    @property
    def is_narrow(self) -> bool:
        """Whether it is too narrow to be halved."""
        return bool(self.high[self.input] - self.low[self.input] < 2 * _NARROW)

    def halves(self) -> list[tuple[Floats, Floats]]:
        """Return the corners of both halves."""
        below, above = self.high.copy(), self.low.copy()
        below[self.input] = above[self.input] = (self.low[self.input] + self.high[self.input]) / 2
        return [(self.low, below), (above, self.high)]


def can_be_searched(a: Network, b: Network) -> bool:
    """Return whether boxes of two networks on the unit cube can be halved with differences of neurons."""
    return len(a.inputs) <= MOST_INPUTS and are_paired(a, b)


class ChangeSearch:
    """Two networks of one shape on the unit cube, and boxes that cover it, each with bounds of the differences."""

    def __init__(self, a: Network, b: Network) -> None:
        self._boxes = ChangeBoxes(a, b)
        self._moves = _moves(self._boxes)
        self._outputs = len(a.outputs)
        widest = max(len(layer.rows) for layer in a.layers)
        self._batch = min(_BATCH, max(2, _NUMBERS // (2 * widest**2)))
        #: boxes that were bounded
        self.bounded = 0
        corners = np.zeros(len(a.inputs)), np.ones(len(a.inputs))
        self._open = self._bounded([corners], [np.full(2 * self._outputs, np.inf)], np.zeros(2 * self._outputs))
        self._closed: list[_Box] = []
        self._narrow: list[_Box] = []  # open, and too narrow to be halved

    @property
    def leaves(self) -> list[_Box]:
        """All boxes; together they cover the cube."""
        return [*self._closed, *self._narrow, *self._open]

    @property
    def upper(self) -> list[Number]:
        """Proved upper bounds of the differences of all outputs."""
        highest = np.maximum.reduce([box.upper for box in self.leaves])
        return [rational(max(highest[k], highest[k + self._outputs], 0.0)) for k in range(self._outputs)]

    @property
    def point(self) -> Point:
        """The middle of the box with the largest bound."""
        worst = max(self.leaves, key=lambda box: float(box.upper.max()))
        return tuple(rational(x) for x in (worst.low + worst.high) / 2)

    @property
    def has_closed_some(self) -> bool:
        """Whether the goals are reached on some boxes."""
        return bool(self._closed)

    def run(self, goals: Sequence[Number], meter: Meter) -> bool:
        """Halve boxes until the difference of each output is at most its goal, or the work is used up.

        Returns whether the goals are reached.
        """
        limits = np.nextafter(np.array([float(goal) for goal in goals] * 2), -np.inf)
        is_closed = [bool((box.upper <= limits).all()) for box in self.leaves]
        boxes = list(zip(self.leaves, is_closed, strict=True))
        self._closed, self._narrow, self._open = (
            [box for box, closed in boxes if closed],
            [box for box, closed in boxes if not closed and box.is_narrow],
            [box for box, closed in boxes if not closed and not box.is_narrow],
        )
        while self._open and not meter.is_used_up:
            batch = self._open[-self._batch // 2 :]
            corners = [half for box in batch for half in box.halves()]
            known = [box.upper for box in batch for _ in range(2)]
            halves = self._bounded(corners, known, limits)
            del self._open[-len(batch) :]
            for box in halves:
                self._put(box, limits)
            meter.spend(_PER_BATCH + len(halves) * self._boxes.products // _PRODUCTS)
        return not self._open and not self._narrow

    def _put(self, box: _Box, limits: Floats) -> None:
        """Put a box among those that are closed, too narrow, or open."""
        is_closed = bool((box.upper <= limits).all())
        (self._closed if is_closed else self._narrow if box.is_narrow else self._open).append(box)

    def _bounded(
        self, corners: Sequence[tuple[Floats, Floats]], known: Sequence[Floats], limits: Floats
    ) -> list[_Box]:  # fmt: skip
        """Return boxes with their bounds, which are at most those that are known."""
        low, high = (np.array(ends) for ends in zip(*corners, strict=True))
        found = self._boxes.bound(low, high)
        self.bounded += len(low)
        upper = np.minimum(found.upper, known)
        rows = (upper - limits).argmax(axis=1)
        inputs = self._scores(found, high - low, rows).argmax(axis=1)
        return [_Box(*box) for box in zip(low, high, upper, inputs.tolist(), strict=True)]

    def _scores(self, found: BoxChanges, widths: Floats, rows: Floats) -> Floats:
        """Return how much each input matters to a row of each box."""
        each = np.arange(len(rows))
        scores = np.abs(found.of_inputs[each, rows]) / 2
        for layer, c, moves in zip(reversed(found.layers), found.of_changes, reversed(self._moves), strict=True):
            size = np.maximum(np.abs(layer.d[0]), np.abs(layer.d[1])) * layer.is_bent
            gain = np.abs(c[each, rows]) * size / np.maximum(layer.z[1] - layer.z[0], _NARROW)
            scores = scores + _OF_KINKS * product(gain, moves[layer.kept])
        return np.where(widths < 2 * _NARROW, -1.0, scores * widths)


def _moves(boxes: ChangeBoxes) -> list[Floats]:
    """Return, for each hidden layer, about how much each neuron moves with each input."""
    result: list[Floats] = []
    chain = boxes.first[0].weights
    for matrix in boxes.first[1:]:
        result.append(np.abs(chain))
        chain = product(_PASSED_ON * matrix.weights, chain)
    return result
