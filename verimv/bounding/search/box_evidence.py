"""Evidence for a tree of boxes: which boxes have lemmas, about which neurons; then everything in exact arithmetic.

A lemma about a neuron costs the kernel a backward pass, and holds in all boxes inside. So the tree is made small first,
in floats: parts of a box that is closed as a whole are joined; only some boxes have lemmas, chosen so that few are
needed in all; and in each box at the end, lemmas without which the bound still holds are left out. What remains is
evaluated exactly as the kernel does it. Lemmas get the values that are proved, rounded outwards to a few bits.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from verimv.bounding.guess.box_floats import BoxFloats, BoxGuess, KnownRanges
from verimv.bounding.guess.floats import Floats
from verimv.bounding.prove.box_walk import BoxAscent, BoxLayerRange, BoxWalk
from verimv.bounding.search.box_tree import (
    BoxNode,
    LemmaEnds,
    count_of,
    in_preorder,
    joined_ranges,
    lemma_ends,
    own_ranges,
)
from verimv.bounding.search.vertex import rational
from verimv.bounding.situation import Case, Ends, LeafCase, LemmaCase, Place, SplitCase, lemma
from verimv.core.effort import Meter
from verimv.core.errors import InternalError
from verimv.exact import Algebraic, Number, Rational
from verimv.exact import ceil as exact_ceil

#: Boxes that are bounded at once.
_AT_ONCE = 128
#: A box with at most so many boxes at the end of its parts may have lemmas: choices that are tried. 0: all boxes have.
_POLICIES = ((0,), (), (24,), (8,), (4, 24), (8, 64))
#: New bounds of neurons are kept if they make a range smaller by this share.
WORTH = 0.1
#: A choice is tried if so many times its work is left.
_ROOM = 5
#: Steps of the search for the least number of lemmas of a box.
_STEPS = 7
#: Rounds in which boxes that are no longer closed get the lemmas of all boxes around them back.
_ROUNDS = 3
#: Ends of lemmas are multiples of a power of 2, this much smaller than the range: where there is room, and otherwise.
_GRID_BITS, _FINE_BITS = 8, 20
#: Work in floats: for each time, for each box, and one unit for so many products. Exactly: for a row and each product.
_TIME, _BOX, _PRODUCTS = 2_000, 150, 3_000
_ROW, _PRODUCTS_OF_ROW = 40, 12


@dataclass(frozen=True)
class BoxStatistics:
    """What a search has done: boxes that were bounded, boxes at the end, lemmas as found and as written."""

    bounded: int
    leaves: int
    found_lemmas: int
    lemmas: int
    #: the largest bound in floats, when the search ended
    upper: float


def lemma_work(floats: BoxFloats, guess: BoxGuess) -> Floats:
    """Return about how much work it is to prove all new lemmas exactly, for each box."""
    products, total = 0, np.zeros(len(guess.upper))
    for found, weights in zip(guess.ranges, floats.weights, strict=False):
        count = found.low_is_new.sum(axis=1) + found.high_is_new.sum(axis=1)
        total = total + count * (_ROW + products // _PRODUCTS_OF_ROW)
        products += weights.size
    return total


def choice_work(floats: BoxFloats) -> int:
    """Return about how much work it is to choose the lemmas of a box at the end, once."""
    return (_STEPS + 2) * (_BOX + int(floats.products) // _PRODUCTS)


class BoxEvidence:
    """Makes evidence that row·(values of the last hidden layer) + constant is at most a goal, from a tree of boxes."""

    def __init__(
        self, floats: BoxFloats, walk: BoxWalk, row: Floats, constant: float, output: int, way: int
    ) -> None:  # fmt: skip
        self.floats, self.walk, self.row, self.constant = floats, walk, row, constant
        self.output, self.way = output, way

    def nothing(self, bounded: int, upper: float) -> BoxStatistics:
        """Return the statistics of a search that proves nothing."""
        return BoxStatistics(bounded, 0, 0, 0, upper)

    def prove(
        self, root: BoxNode, limit: float, goal: Number | None, first: KnownRanges, known: Mapping[Place, Ends],
        bounded: int, meter: Meter,
    ) -> tuple[Number, list[Case], BoxStatistics]:  # fmt: skip
        """Return the bound that is proved, its cases, and statistics; the work for it is spent in any case."""
        for node in in_preorder(root):
            if node.children and node.upper <= limit:
                node.join()
        choice = _LemmaChoice(self, root, limit, first, meter)
        ends_of = choice.best()
        value, cases = self._exactly(root, ends_of, choice.full, goal, known, meter)
        written = sum(isinstance(case, LemmaCase) for case in cases)
        leaves = sum(not node.children for node in in_preorder(root))
        return value, cases, BoxStatistics(bounded, leaves, choice.found, written, limit)

    # -- in exact arithmetic -----------------------------------------------------------------------------------

    def _exactly(
        self, root: BoxNode, ends_of: Mapping[int, LemmaEnds], full: Mapping[int, LemmaEnds], goal: Number | None,
        known: Mapping[Place, Ends], meter: Meter,
    ) -> tuple[Number, list[Case]]:  # fmt: skip
        """Follow the tree from the top; return the largest bound at its ends, and the cases."""
        largest: Number | None = None
        cases: list[Case] = []
        first: list[dict[int, Ends]] = [{} for _ in self.walk.layers[:-1]]
        for (depth, i), ends in known.items():
            if depth <= len(first):
                first[depth - 1][i] = ends
        pending = [(root, first)]
        while pending:
            node, lemmas = pending.pop()
            if node.children:
                if id(node) in ends_of:
                    lemmas, words, _ = self._lemmas(node, lemmas, ends_of[id(node)], _GRID_BITS, meter)
                    cases += words
                if node.split is None:
                    raise InternalError("a box with parts that is not split")
                cases.append(SplitCase(node.split, Rational(*node.middle.as_integer_ratio())))
                pending += [(half, lemmas) for half in reversed(node.children)]
                continue
            bound: Number | None = None
            for chosen, bits in ((ends_of, _GRID_BITS), (full, _FINE_BITS)):
                if id(node) in chosen and (bound is None or (goal is not None and bound > goal)):
                    _, words, ascent = self._lemmas(node, lemmas, chosen[id(node)], bits, meter)
                    meter.spend(_ROW + self._products(len(self.walk.layers) - 1) // _PRODUCTS_OF_ROW)
                    (bound,) = ascent.bounds([(self.output, self.way)])
                    best = words
            if bound is None:
                raise InternalError("a box without lemmas to choose from")
            cases += [*best, LeafCase()]
            largest = bound if largest is None or bound > largest else largest
        if largest is None:
            raise InternalError("a tree without an end")
        return (lemma(largest, 1) if goal is None or largest > goal else goal), cases

    def _products(self, depth: int) -> int:
        return sum(layer.weights.size for layer in self.walk.layers[:depth])

    def _lemmas(
        self, node: BoxNode, lemmas: Sequence[Mapping[int, Ends]], ends: LemmaEnds, bits: int, meter: Meter
    ) -> tuple[list[dict[int, Ends]], list[Case], BoxAscent]:
        """Prove the lemmas of a box; return all that hold there, the cases, and the way up to the last layer."""
        ascent = self.walk.start(node.box)
        now = [dict(layer) for layer in lemmas]
        cases: list[Case] = []
        for depth, sides in enumerate(ends):
            found = _there(ascent.ranges(now[depth]))
            wanted = [
                (int(i), way) for way, side in zip((-1, 1), sides, strict=True) for i in np.flatnonzero(~np.isnan(side))
            ]
            if wanted:
                meter.spend(len(wanted) * (_ROW + self._products(depth) // _PRODUCTS_OF_ROW))
                for (i, way), upper in zip(wanted, ascent.bounds(wanted), strict=True):
                    low, high = found.ends(i)
                    value = way * max(rational(way * sides[way > 0][i]), _short(upper, high - low, bits))
                    if (value < high) if way > 0 else (value > low):
                        old = now[depth].get(i, (None, None))
                        now[depth][i] = (old[0], value) if way > 0 else (value, old[1])
                        cases += [LemmaCase((depth + 1, i), way, value), LeafCase()]
                found = _there(ascent.ranges(now[depth]))
            ascent.go_on(found)
        return now, cases, ascent


def _there(found: BoxLayerRange | None) -> BoxLayerRange:
    if found is None:
        raise InternalError("a box has no point")
    return found


def _short(upper: Number, width: Number, bits: int) -> Number:
    """Round a bound up, to a number that is short for a range of some width."""
    if isinstance(width, Algebraic) or not width:
        return upper
    exponent = int(width.numerator).bit_length() - int(width.denominator).bit_length()
    grid = Rational(2) ** (exponent - bits)
    return grid * exact_ceil(upper / grid)


class _LemmaChoice:
    """Chooses, in floats, the lemmas of each box."""

    def __init__(self, evidence: BoxEvidence, root: BoxNode, limit: float, first: KnownRanges, meter: Meter) -> None:
        self.evidence, self.floats, self.root, self.limit, self.meter = evidence, evidence.floats, root, limit, meter
        self.first = first
        self.nodes = in_preorder(root)
        self.ends: dict[int, int] = {}
        for node in reversed(self.nodes):
            self.ends[id(node)] = sum(self.ends[id(half)] for half in node.children) or 1
        #: all lemmas that help at the end, for each box there; and the number of lemmas before any is left out
        self.full: dict[int, LemmaEnds] = {}
        self.found = 0

    def best(self) -> dict[int, LemmaEnds]:
        """Return the choice with the fewest lemmas, of a few."""
        best: tuple[int, dict[int, LemmaEnds], dict[int, LemmaEnds]] | None = None
        cost = 0
        for policy in _POLICIES:
            before = self.meter.left
            if best is not None and before < _ROOM * cost:
                break
            found = self._tried(policy)
            cost = max(cost, before - self.meter.left)
            if found is not None and (best is None or found[0] < best[0]):
                best = found
        if best is None:
            raise InternalError("no choice of lemmas closes all boxes")
        self.full = best[2]
        return best[1]

    def _writers(self, policy: tuple[int, ...]) -> set[int]:
        """Return the boxes with parts that have lemmas."""
        inner = [node for node in self.nodes if node.children]
        if 0 in policy:
            return {id(node) for node in inner}
        return {
            id(node)
            for node in inner
            for most in policy
            if self.ends[id(node)] <= most and (node.parent is None or self.ends[id(node.parent)] > most)
        }

    def _tried(self, policy: tuple[int, ...]) -> tuple[int, dict[int, LemmaEnds], dict[int, LemmaEnds]] | None:
        """Return the number of lemmas of a choice, and those of each box: chosen ones, and all of those at the end."""
        writers = self._writers(policy)
        for _ in range(_ROUNDS):
            inner, known = self._going_down(writers)
            ends_of, full, open_boxes = self._at_the_end(known)
            if not open_boxes:
                break
            writers |= {id(around) for node in open_boxes for around in node.ancestors()}
        else:
            if 0 not in policy:
                return None
        ends_of = {**inner, **ends_of}
        if 0 in policy:
            self.found = sum(map(count_of, (*inner.values(), *full.values())))
        return sum(map(count_of, ends_of.values())), ends_of, full

    def _guess(
        self, nodes: Sequence[BoxNode], known: KnownRanges, worth: float, allowed: LemmaEnds | None = None
    ) -> BoxGuess:
        self.meter.spend(_TIME + len(nodes) * (_BOX + self.floats.products // _PRODUCTS))
        low, high = np.array([node.low for node in nodes]), np.array([node.high for node in nodes])
        return self.floats.guess(self.evidence.row, self.evidence.constant, low, high, known, worth, allowed)

    def _going_down(self, writers: set[int]) -> tuple[dict[int, LemmaEnds], dict[int, KnownRanges]]:
        """Return the lemmas of boxes with parts, and what is known of each box at the end from the boxes around it."""
        ends_of: dict[int, LemmaEnds] = {}
        known: dict[int, KnownRanges] = {id(self.root): self.first}
        level = [self.root]
        while level:
            chosen = [node for node in level if id(node) in writers]
            for start in range(0, len(chosen), _AT_ONCE):
                part = chosen[start : start + _AT_ONCE]
                guess = self._guess(part, joined_ranges([known[id(node)] for node in part]), WORTH)
                new = lemma_ends(guess.ranges)
                for n, node in enumerate(part):
                    ends_of[id(node)] = [(low[n], high[n]) for low, high in new]
                    known[id(node)] = own_ranges(guess.ranges, n)
            for node in level:
                for half in node.children:
                    known[id(half)] = known[id(node)]
            level = [half for node in level for half in node.children]
        return ends_of, known

    def _at_the_end(
        self, known: Mapping[int, KnownRanges]
    ) -> tuple[dict[int, LemmaEnds], dict[int, LemmaEnds], list[BoxNode]]:
        """Return the lemmas that boxes at the end need, all that they could have, and the boxes that are not closed."""
        ends_of: dict[int, LemmaEnds] = {}
        full: dict[int, LemmaEnds] = {}
        open_boxes: list[BoxNode] = []
        ends = [node for node in self.nodes if not node.children]
        for start in range(0, len(ends), _AT_ONCE):
            part = ends[start : start + _AT_ONCE]
            around = joined_ranges([known[id(node)] for node in part])
            guess = self._guess(part, around, WORTH)
            open_boxes += [node for node, upper in zip(part, guess.upper, strict=True) if upper > self.limit]
            every, fewest = lemma_ends(guess.ranges), self._fewest(part, around, guess)
            for n, node in enumerate(part):
                full[id(node)] = [(low[n], high[n]) for low, high in every]
                ends_of[id(node)] = [(low[n], high[n]) for low, high in fewest]
        return ends_of, full, open_boxes

    def _fewest(self, nodes: Sequence[BoxNode], known: KnownRanges, guess: BoxGuess) -> LemmaEnds:
        """Return few lemmas that still close each box, by halving: those that matter most come first."""
        influence = self.floats.influence(guess)
        scores = [
            tuple(size * gain + is_new * 1e-30 for gain, is_new in ends)
            for size, ends in (
                (size, ((found.low_gain, found.low_is_new), (found.high_gain, found.high_is_new)))
                for size, found in zip(influence, guess.ranges, strict=True)
            )
        ]
        every = np.concatenate([part for pair in scores for part in pair], axis=1)
        ordered = -np.sort(-every, axis=1)
        ordered = np.concatenate([ordered, np.zeros((len(nodes), 1))], axis=1)
        each = np.arange(len(nodes))
        least, most = np.zeros(len(nodes), dtype=int), (every > 0).sum(axis=1)
        best = lemma_ends(guess.ranges)
        for _ in range(_STEPS):
            count = (least + most) // 2
            line = ordered[each, count][:, None]
            allowed = [(low > line, high > line) for low, high in scores]
            tried = self._guess(nodes, known, WORTH, allowed)
            closed = tried.upper <= self.limit
            better = closed & (count < most)
            best = [
                (np.where(better[:, None], a, x), np.where(better[:, None], b, y))
                for (a, b), (x, y) in zip(lemma_ends(tried.ranges), best, strict=True)
            ]
            most, least = np.where(closed, count, most), np.where(closed, least, np.minimum(count + 1, most))
        return best
