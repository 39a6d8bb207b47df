"""Is one of several outputs above 0 at every point? Boxes of inputs are halved; in each, one output must be.

Put the other way round: the conditions "output ≤ 0" contradict each other everywhere. This is how a specification is
proved (:mod:`verimv.questions.verification`): no point of the box is in its unsafe set.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Literal

from verimv.bounding.prove.box_sweep import RANGE_BITS, BoxSweep
from verimv.bounding.results import Point
from verimv.bounding.search.box_search import BoxProgress, BoxStatistics, BoxTree, no_box_progress
from verimv.bounding.search.box_tree import BoxNode, cases_of, ends_of
from verimv.bounding.situation import Case, LeafCase, SweepCase
from verimv.core.effort import SECOND, Meter
from verimv.core.errors import InternalError
from verimv.core.workers import Workers
from verimv.exact import ZERO, Number, Rational
from verimv.networks.network import Box, Network

#: In floats, an output must be above 0 by so much.
_CLEARLY = 2.0**-22
#: Two trees grow in turn, by inputs chosen in different ways: work for the first turn; later ones have twice as much.
_FIRST_TURN = 4 * SECOND
#: The work of the kernels for a proof, relative to that of finding it.
_KERNEL = 4
#: Boxes from the top of an unfinished tree that are bounded exactly, to say how much was proved.
_MANY = 128


@dataclass(frozen=True)
class Conflict:
    """Whether some output is above 0 at every point ("holds").

    If so, the cases prove that Σ max(0, output) ≥ `threshold` > 0. Otherwise `point` is where the largest output is
    least, as far as was found: `value`, which is at most 0 if the answer is "violated". `bound` is a proved lower bound
    of the largest output.
    """

    verdict: Literal["holds", "violated", "undecided"]
    point: Point
    value: Number
    bound: Number
    threshold: Number
    cases: Sequence[Case]
    statistics: BoxStatistics
    #: about how many seconds of work the kernels need for the cases
    kernel_effort: int


class _Lows:
    """Lower bounds of all outputs on a box, in units of 2^−32, as the kernel finds them by a sweep.

    The outputs are the arguments of ReLUs there, so that those that may have both signs are bounded.
    """

    def __init__(self, network: Network) -> None:
        self._sweep = BoxSweep([*network.layers[:-1], replace(network.layers[-1], activation="relu")])

    def __call__(self, box: Box) -> list[int]:
        swept = self._sweep.ranges(box)
        if swept is None:
            raise InternalError("a box has no point")
        return [int(x) for x in swept[-1].low]


class ConflictSearch:
    """A proof that some output of a network on the unit cube is above 0 at every point, or a point where none is.

    The last layer must be affine, and weights rational.
    """

    def __init__(
        self, network: Network, meter: Meter, workers: Workers = 1, progress: BoxProgress = no_box_progress
    ) -> None:
        self._network, self._meter, self._workers, self._progress = network, meter, workers, progress
        rows = [(k, -1) for k in range(len(network.outputs))]
        lows = _Lows(network)
        self._trees = [BoxTree(network, rows, {}, lows, by_bends) for by_bends in (True, False)]

    @property
    def is_usable(self) -> bool:
        """Whether floats are a guide."""
        return self._trees[0].is_usable

    def run(self) -> Conflict:
        """Search until there is an answer, or the work is used up. Raises :class:`Undecided` at the deadline."""
        self._trees[0].look()
        turn, spent = _FIRST_TURN, 1
        while self._found < 0 and spent:  # otherwise a point is too close to the border, or boxes are too narrow
            spent = 0
            for tree in self._trees:
                leaves = len(ends_of(tree.root))
                share = min(turn, self._meter.left - tree.work_of_proofs(leaves))
                if share <= 0:  # no work is left to prove so many boxes
                    continue
                part = Meter(share, self._meter.deadline)
                closed = tree.close(-_CLEARLY, part, self._progress)
                self._meter.spend(part.spent)
                spent += part.spent
                if self._found >= 0:
                    break
                least = self._proved(tree) if closed else None
                if least is not None:
                    threshold = Rational(least, 1 << RANGE_BITS)
                    bound = threshold / len(self._network.outputs)
                    return self._answer("holds", tree, bound, threshold, cases_of(tree.root))
            turn *= 2
        if self._found < 0:
            return self._undecided()
        best = max(self._trees, key=lambda tree: tree.attained)
        return self._answer("violated", best, -best.attained)

    @property
    def _found(self) -> Number:
        """The best point so far: none of the outputs is above minus this number there."""
        return max(tree.attained for tree in self._trees)

    def _proved(self, tree: BoxTree[list[int]]) -> int | None:
        """Prove all boxes of a tree; return the least Σ max(0, output), in units of 2^−32.

        Boxes of which floats expected too much are halved, and None is returned.
        """
        ends = ends_of(tree.root)
        totals: list[int] = []
        failed: list[BoxNode] = []
        for node, lows in tree.proofs(ends, self._workers, self._meter):
            total = sum(max(0, low) for low in lows)
            totals.append(total)
            if total:
                node.cases = (SweepCase(), LeafCase())
            else:
                failed.append(node)
            self._progress(len(totals), len(ends))
        if not failed:
            return min(totals)
        tree.divide(failed, -_CLEARLY, self._meter)
        return None

    def _undecided(self) -> Conflict:
        """Say what is proved of the boxes at the top of the tree that is closed most."""
        best = min(self._trees, key=lambda tree: tree.statistics.upper)
        level = [best.root]
        while len(level) < _MANY and any(node.children for node in level):
            level = [part for node in level for part in (node.children or (node,))]
        bound = min(max(best.prove(node.box)) for node in level)
        return self._answer(
            "undecided", max(self._trees, key=lambda tree: tree.attained), Rational(bound, 1 << RANGE_BITS)
        )

    def _answer(
        self, verdict: Literal["holds", "violated", "undecided"], tree: BoxTree[list[int]], bound: Number,
        threshold: Number = ZERO, cases: Sequence[Case] = (),
    ) -> Conflict:  # fmt: skip
        effort = 1 + _KERNEL * tree.work_of_proofs(tree.statistics.leaves) // SECOND
        return Conflict(verdict, tree.point, -tree.attained, bound, threshold, cases, tree.statistics, effort)
