"""Shorter parts of a term, judged in their context: what a part may be without a change of the whole.

Where a ⊕ b is 1, b may be larger than it is; where a ⊙ b is 0, smaller. So every part of a term has a lowest and a
highest function, and each of the table's formulas in between may stand for it: logic synthesis calls this
resubstitution with don't-cares. Negations are pushed down to the variables, so that the whole rises with every part;
chains of ⊕ or ⊙ are taken together, and a part is any few of their operands. Values on a grid decide here, which is
a guess: the solver proves what is found.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray

from verimv.exact import Number
from verimv.formulas.dag import DIVIDE, NOT, ODOT, ONE, OPLUS, SCALE, VARIABLE, ZERO, Dag, fold, reachable
from verimv.formulas.evaluate import evaluate
from verimv.formulas.evaluate_arrays import Arrays
from verimv.formulas.formula import copy
from verimv.simplification.cone_solver import ConeProver, Obligation
from verimv.simplification.cones import cone, growing_cuts
from verimv.simplification.cuts import MAX_LEAVES
from verimv.simplification.equalities import SOLVER, Equalities, EqualityStep
from verimv.simplification.objective import TreeCosts
from verimv.simplification.table import ONE as GRID_UNIT
from verimv.simplification.table import TABLE_LENGTHS, Entry, grid_axis, short_formulas

#: Longer terms are not searched.
MAX_LENGTH = 40
#: Operands of a chain that are replaced together, at most.
_TOGETHER = 3
#: Values are in units of 1/5040; and so many points are not on the table's grid.
UNIT, _OTHERS = 84 * GRID_UNIT, 300
#: Points at which entries are compared one after the other; so many entries are then compared at all points.
_ONE_BY_ONE, _MOST_FOUND = 24, 128
#: Work of a lookup, and of preparing a window.
_LOOKUP, _WINDOW = 250, 500
#: Searches in one window: each knows the points at which the terms of those before it were wrong.
_TRIES = 4
#: How far down a window reaches.
_OPENED = 60

#: Values that may be sums of many.
Sums = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class Tree:
    """A literal, a constant, or a chain of ⊕ or ⊙ that are no chains of the same operator, as a node of some table."""

    kind: int
    node: int
    operands: tuple[Tree, ...]
    values: Sums
    length: int


@dataclass(frozen=True)
class TermPart:
    """A part of a term, the functions between which it may be, and what is around it, from the inside out."""

    tree: Tree
    low: Sums
    high: Sums
    around: tuple[tuple[int, tuple[Tree, ...]], ...]


class EntriesBetween:
    """The table's entries between two functions, which are given by their values at points: the table's grid, and
    others, since very different functions agree on the grid."""

    def __init__(self, leaves: int) -> None:
        table = short_formulas(leaves)
        axes = np.broadcast_arrays(*(grid_axis(i, leaves).astype(np.int32) for i in range(leaves)))
        grid = np.stack(axes).reshape(leaves, -1) * (UNIT // GRID_UNIT)
        others = np.random.default_rng(0).integers(0, UNIT, (leaves, _OTHERS), dtype=np.int32, endpoint=True)
        self.points: dict[str, Sums] = dict(zip(table.names, np.hstack([grid, others]), strict=True))
        self._entries = sorted((entry for entry, _ in table.functions()), key=lambda entry: entry.length)
        self._lengths: NDArray[np.int64] = np.array([entry.length for entry in self._entries])
        rows = fold(table.dag, [entry.node for entry in self._entries], Arrays(self.points, UNIT))
        #: values by point, then entry
        self._columns: NDArray[np.int16] = np.array(rows, dtype=np.int16).T.copy()

    def find(self, low: Sums, high: Sums, length: int) -> list[Entry]:
        """Some entries of at most this length, the shortest first."""
        count = int(np.searchsorted(self._lengths, length, side="right"))
        first, *others = np.argsort(high - low, kind="stable")[:_ONE_BY_ONE]
        values = self._columns[first, :count]
        places = np.flatnonzero((low[first] <= values) & (values <= high[first]))
        for point in others:
            values = self._columns[point, places]
            places = places[(low[point] <= values) & (values <= high[point])]
        places = places[:_MOST_FOUND]
        values = self._columns[:, places]
        return [self._entries[i] for i in places[((low[:, None] <= values) & (values <= high[:, None])).all(axis=0)]]


@cache
def entries_between(leaves: int) -> EntriesBetween:
    """The entries for so many variables, made once."""
    return EntriesBetween(leaves)


class ContextSearch:
    """A search for a shorter term with the values of a given one, over up to three variables."""

    def __init__(self, leaves: int) -> None:
        self.dag = Dag()
        self.names = short_formulas(leaves).names
        #: lookups in the table so far
        self.lookups = 0
        #: points at which a term that was found differs from the one that was given
        self._learned: list[dict[str, Number]] = []
        self._table, self._between = short_formulas(leaves), entries_between(leaves)
        self._literals: dict[tuple[str, bool], Tree] = {}
        for name, values in self._between.points.items():
            node = self.dag.variable(name)
            self._literals[name, True] = Tree(VARIABLE, node, (), values, 1)
            self._literals[name, False] = Tree(VARIABLE, self.dag.neg(node), (), UNIT - values, 1)
        ones = np.full_like(values, UNIT)
        self._constants = {
            ZERO: Tree(ZERO, self.dag.constant(0), (), 0 * ones, 0),
            ONE: Tree(ONE, self.dag.constant(1), (), ones, 0),
        }

    # -- terms as trees ------------------------------------------------------------------------------------------------

    def tree(self, dag: Dag, top: int, leaves: Sequence[int]) -> Tree | None:
        """The tree of a node over a cut; None if it is too long."""
        names = dict(zip(leaves, self.names, strict=True))
        return self._tree(dag, top, [*leaves, *cone(dag, [top], leaves)], names)

    def _entry_tree(self, entry: Entry) -> Tree:
        """The tree of an entry of the table."""
        dag = self._table.dag
        order = reachable(dag, [entry.node])[0]
        tree = self._tree(dag, entry.node, order, {n: dag.payload(n) for n in order if dag.kinds[n] == VARIABLE})
        return self._constants[ZERO] if tree is None else tree  # an entry is never too long

    def _tree(self, dag: Dag, top: int, order: Sequence[int], names: dict[int, str]) -> Tree | None:
        """The tree of a node, and on the way the trees of all nodes before it and of their negations."""
        images: dict[int, tuple[Tree, Tree]] = {}
        for node in order:
            kind = dag.kinds[node]
            below = [images[operand] for operand in dag.operands(node)] if node not in names else []
            if node in names:
                images[node] = self._literals[names[node], True], self._literals[names[node], False]
            elif kind in (ZERO, ONE):
                images[node] = self._constants[kind], self._constants[ZERO + ONE - kind]
            elif kind == NOT:
                images[node] = below[0][1], below[0][0]
            elif sum(plain.length for plain, _ in below) > MAX_LENGTH:
                return None
            else:
                dual = OPLUS + ODOT - kind
                images[node] = (
                    self._joined(kind, [plain for plain, _ in below]),
                    self._joined(dual, [negated for _, negated in below]),
                )
        return images[top][0]

    def _joined(self, kind: int, trees: Sequence[Tree]) -> Tree:
        """The ⊕ or ⊙ of trees, as a chain; constants vanish."""
        neutral, absorbing = (ZERO, ONE) if kind == OPLUS else (ONE, ZERO)
        operands: list[Tree] = []
        for tree in trees:
            if tree.kind == absorbing:
                return tree
            if tree.kind != neutral:
                operands += tree.operands if tree.kind == kind else (tree,)
        if len(operands) < 2:
            return operands[0] if operands else self._constants[neutral]
        node = operands[0].node
        for operand in operands[1:]:
            node = self.dag.node(kind, node, operand.node)
        return Tree(kind, node, tuple(operands), _total(kind, operands), sum(tree.length for tree in operands))

    # -- the search ----------------------------------------------------------------------------------------------------

    def learn(self, point: Mapping[str, Number]) -> None:
        """Have later searches keep the value at a point, too."""
        self._learned.append(dict(point))

    def shortest(self, tree: Tree) -> Tree:
        """A tree with the same values, with shorter parts as long as there are any."""
        wanted = self._at_learned(tree)
        while (shorter := self._with_shorter_part(tree, wanted)) is not None:
            tree = shorter
        return tree

    def _at_learned(self, tree: Tree) -> list[Number]:
        return [evaluate(self.dag, [tree.node], point)[0] for point in self._learned]

    def _with_shorter_part(self, tree: Tree, wanted: list[Number]) -> Tree | None:
        for part in parts(tree):
            self.lookups += 1
            for entry in self._between.find(part.low, part.high, part.tree.length - 1):
                found = self._replaced(part, entry)
                if self._at_learned(found) == wanted:
                    return found
        return None

    def _replaced(self, part: TermPart, entry: Entry) -> Tree:
        """The whole with another part."""
        tree = self._entry_tree(entry)
        for kind, others in part.around:
            tree = self._joined(kind, [*others, tree])
        return tree


def parts(whole: Tree) -> Iterator[TermPart]:
    """The term, and all parts of it."""
    stack = [TermPart(whole, whole.values, whole.values, ())]
    while stack:
        part = stack.pop()
        yield part
        operands = part.tree.operands
        for size in range(1, min(_TOGETHER + 1, len(operands))):
            for chosen in itertools.combinations(range(len(operands)), size):
                inner = _inner(part, chosen)
                if size == 1:
                    stack.append(inner)
                else:
                    yield inner


def _inner(part: TermPart, chosen: Sequence[int]) -> TermPart:
    """Some operands of a chain, in their context."""
    kind, operands = part.tree.kind, part.tree.operands
    inside = [operands[i] for i in chosen]
    others = tuple(tree for i, tree in enumerate(operands) if i not in chosen)
    rest = _total(kind, others)
    if kind == OPLUS:
        low, high = np.maximum(0, part.low - rest), np.where(part.high == UNIT, UNIT, part.high - rest)
    else:
        low, high = np.where(part.low == 0, 0, part.low + UNIT - rest), np.minimum(UNIT, part.high + UNIT - rest)
    tree = inside[0]
    if len(inside) > 1:  # only its length and its operands are asked for
        tree = Tree(kind, -1, tuple(inside), _total(kind, inside), sum(one.length for one in inside))
    return TermPart(tree, low, high, ((kind, others), *part.around))


def _total(kind: int, trees: Sequence[Tree]) -> Sums:
    """The values of a chain."""
    total: Sums = np.sum([tree.values for tree in trees], axis=0, dtype=np.int32)
    return np.minimum(UNIT, total) if kind == OPLUS else np.maximum(0, total - UNIT * (len(trees) - 1))


class ContextPass:
    """Searches the windows under some roots from the top, has what is found proved, and records the equalities."""

    def __init__(self, equalities: Equalities, prover: ConeProver, costs: TreeCosts) -> None:
        self.equalities = equalities
        self.prover = prover
        self.costs = costs
        self._searched: set[tuple[int, tuple[int, ...]]] = set()

    def run(self, roots: Sequence[int], progress: Callable[[int, int], None]) -> list[int]:
        """The roots after one pass."""
        dag, meter = self.equalities.dag, self.prover.meter
        found: list[tuple[int, int, tuple[int, ...]]] = []
        seen, stack = set(roots), list(roots)
        while stack and not meter.is_used_up:
            progress(len(seen) - len(stack), len(seen))
            node = stack.pop()
            leaves = self._window(node)
            if leaves and (new := self._shorter(node, leaves)) is not None:
                found.append((node, new, leaves))
            new_nodes = {*(leaves or dag.operands(node))} - seen
            seen |= new_nodes
            stack += sorted(new_nodes)
        for one in found:
            self.equalities.add(EqualityStep(*one, SOLVER))
        return self.equalities.rebuild(roots)

    def _window(self, node: int) -> tuple[int, ...]:
        """The deepest cut of up to three leaves above which there are ¬, ⊕ and ⊙ only, if the table lacks its term."""
        dag = self.equalities.dag
        if dag.kinds[node] not in (OPLUS, ODOT):
            return ()
        self.prover.meter.spend(_WINDOW)
        deepest: tuple[int, ...] = ()
        for leaves in growing_cuts(dag, (node,), MAX_LEAVES, _OPENED):
            above = cone(dag, [node], leaves)
            if any(dag.kinds[one] in (DIVIDE, SCALE) for one in above):
                break
            deepest = leaves
        return deepest

    def _shorter(self, node: int, leaves: tuple[int, ...]) -> int | None:
        """A node with a shorter tree that is proved equal, if one is found."""
        if (node, leaves) in self._searched:
            return None
        self._searched.add((node, leaves))
        search = ContextSearch(len(leaves))
        tree = search.tree(self.equalities.dag, node, leaves)
        if tree is None or tree.length <= TABLE_LENGTHS[len(leaves)]:  # the table has those
            return None
        for _ in range(_TRIES):
            before = search.lookups
            shortest = search.shortest(tree)
            self.prover.meter.spend(_LOOKUP * (search.lookups - before))
            nodes = dict(zip(search.names, leaves, strict=True))
            new = copy(self.equalities.dag, [shortest.node], search.dag, nodes)[0]
            if shortest.length >= tree.length or self.costs[new] >= self.costs[node]:
                return None
            (answer,) = self.prover.decide([Obligation(node, new, leaves)])
            if answer.status == "unsat":
                self._searched.add((new, leaves))
                return new
            if answer.point is None:
                return None
            search.learn(dict(zip(search.names, answer.point, strict=True)))
        return None
