"""Shorter parts of a term, judged in their context: what a part may be without a change of the whole.

Where a ⊕ b is 1, b may be larger than it is; where a ⊙ b is 0, smaller. So every part of a term has a lowest and a
highest function, and each formula in between may stand for it (:mod:`verimv.simplification.between`): logic synthesis
calls this resubstitution with don't-cares. Negations are pushed down to the variables, so that the whole rises with
every part; chains of ⊕ or ⊙ are taken together, and a part is any few of their operands. Values at points decide here,
which is a guess: the solver proves what is found.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from verimv.core.effort import SECOND
from verimv.exact import Number
from verimv.formulas.dag import DIVIDE, NOT, ODOT, ONE, OPLUS, SCALE, VARIABLE, ZERO, Dag
from verimv.formulas.evaluate import evaluate
from verimv.formulas.formula import copy
from verimv.simplification.between import Assembling, Assembly, Bounds, entries_between
from verimv.simplification.cone_solver import ConeProver, Obligation
from verimv.simplification.cones import cone, growing_cuts
from verimv.simplification.cuts import MAX_LEAVES
from verimv.simplification.equalities import SOLVER, Equalities, EqualityStep
from verimv.simplification.objective import TreeCosts
from verimv.simplification.table import ONE as GRID_UNIT
from verimv.simplification.table import Entry

#: Longer terms are not searched.
MAX_LENGTH = 40
#: Operands of a chain that are replaced together, at most.
_TOGETHER = 3
#: Values are in units of 1/5040; and at so many points besides the table's what is found is compared.
UNIT, _CHECKS = 84 * GRID_UNIT, 4000
#: Work of a lookup, of a comparison at all points, and of preparing a window.
_LOOKUP, _COMPARISON, _WINDOW = 120, 300, 500
#: Work of a search for formulas that are longer than the table's: of the whole, and of a part.
_WHOLE, _PART = SECOND, SECOND // 20
#: What a question about a window may take of the solver: it is larger than others.
_QUESTION = 2 * SECOND
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

    def bounds(self, points: int) -> Bounds:
        """The two functions, at the points of the table."""
        low, high = (values[:points] // (UNIT // GRID_UNIT) for values in (self.low, self.high))
        return Bounds(low.astype(np.int8), high.astype(np.int8))


class ContextSearch:
    """A search for a shorter term with the values of a given one, over up to three variables."""

    def __init__(self, leaves: int) -> None:
        self.dag = Dag()
        self._between = entries_between(leaves)
        self.names = self._between.table.names
        self._assembling = Assembling(self._between)
        #: points at which a term that was found differs from the one that was given
        self._learned: list[dict[str, Number]] = []
        self._entry_trees: dict[int, Tree] = {}
        self._literals: dict[tuple[str, bool], Tree] = {}
        points = self._between.points.astype(np.int32) * (UNIT // GRID_UNIT)
        checks = np.random.default_rng(0).integers(0, UNIT, (leaves, _CHECKS), dtype=np.int32, endpoint=True)
        for name, values in zip(self.names, np.hstack([points, checks]), strict=True):
            node = self.dag.variable(name)
            self._literals[name, True] = Tree(VARIABLE, node, (), values, 1)
            self._literals[name, False] = Tree(VARIABLE, self.dag.neg(node), (), UNIT - values, 1)
        ones = np.full_like(values, UNIT)
        self._constants = {
            ZERO: Tree(ZERO, self.dag.constant(0), (), 0 * ones, 0),
            ONE: Tree(ONE, self.dag.constant(1), (), ones, 0),
        }

    @property
    def work(self) -> int:
        """Work so far."""
        return self._assembling.work

    # -- terms as trees ------------------------------------------------------------------------------------------------

    def tree(self, dag: Dag, top: int, leaves: Sequence[int]) -> Tree | None:
        """The tree of a node over a cut; None if it is too long."""
        names = dict(zip(leaves, self.names, strict=True))
        return self._tree(dag, top, [*leaves, *cone(dag, [top], leaves)], names)

    def _entry_tree(self, entry: Entry) -> Tree:
        """The tree of an entry of the table."""
        known = self._entry_trees.get(entry.node)
        if known is None:
            dag = self._between.table.dag
            names = {dag.variable(name): name for name in self.names}
            tree = self._tree(dag, entry.node, [*names, *cone(dag, [entry.node], [*names])], names)
            known = self._constants[ZERO] if tree is None else tree  # an entry is never too long
            self._entry_trees[entry.node] = known
        return known

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

    def shorter(self, tree: Tree, work: int) -> list[Tree]:
        """Shorter and shorter trees with the same values: one part is replaced after the other, as long as there is
        something shorter. When so much work is done, only entries of the table are tried."""
        wanted, end = self._at_learned(tree), self.work + work
        trees: list[Tree] = []
        while (found := self._with_shorter_part(trees[-1] if trees else tree, wanted, end)) is not None:
            trees.append(found)
        return trees

    def _at_learned(self, tree: Tree) -> list[Number]:
        return [evaluate(self.dag, [tree.node], point)[0] for point in self._learned]

    def _with_shorter_part(self, tree: Tree, wanted: list[Number], end: int) -> Tree | None:
        for part, assembly in itertools.chain(self._entries(tree), self._assemblies(tree, end)):
            self._assembling.work += _COMPARISON
            new = self._assembled(assembly)
            if (part.low <= new.values).all() and (new.values <= part.high).all():
                found = self._replaced(part, new)
                if self._at_learned(found) == wanted:
                    return found
        return None

    def _entries(self, tree: Tree) -> Iterator[tuple[TermPart, Assembly]]:
        """Parts, and shorter entries of the table for them."""
        for part in parts(tree):
            self._assembling.work += _LOOKUP
            for entry in self._between.find(self._bounds(part), part.tree.length - 1):
                yield part, Assembly((), entry)

    def _assemblies(self, tree: Tree, end: int) -> Iterator[tuple[TermPart, Assembly]]:
        """Parts, the whole first, and shorter formulas for them that are put together from entries of the table."""
        search, longest_entry = self._assembling, self._between.table.max_length
        long = [part for part in parts(tree) if part.tree.length > longest_entry + 1]
        for part in sorted(long, key=lambda part: (part.tree is not tree, part.tree.length)):
            bounds = self._bounds(part)
            part_end = min(end, self.work + (_WHOLE if part.tree is tree else _PART))
            longest = min(part.tree.length - 1, search.max_length + 2)
            for length in range(max(search.needed(bounds), longest_entry + 1), longest + 1):
                if self.work >= part_end:
                    break
                for assembly in search.find(bounds, length, part_end - self.work):
                    yield part, assembly

    def _bounds(self, part: TermPart) -> Bounds:
        return part.bounds(self._between.points.shape[1])

    def _assembled(self, assembly: Assembly) -> Tree:
        tree = self._entry_tree(assembly.last)
        for kind, entry in reversed(assembly.parts):
            tree = self._joined(kind, [self._entry_tree(entry), tree])
        return tree

    def _replaced(self, part: TermPart, tree: Tree) -> Tree:
        """The whole with another part."""
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
        #: work that is left for formulas longer than the table's
        self._left = prover.meter.left // 4

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
        if tree is None or tree.length <= entries_between(len(leaves)).table.max_length:  # the table has those
            return None
        for _ in range(_TRIES):
            before = search.work
            trees = search.shorter(tree, min(self._left, self.prover.meter.left))
            self._left -= search.work - before
            self.prover.meter.spend(search.work - before)
            new, point = self._proved(node, leaves, search, trees)
            if point is None:
                return new
            search.learn(dict(zip(search.names, point, strict=True)))
        return None

    def _proved(
        self, node: int, leaves: tuple[int, ...], search: ContextSearch, trees: Sequence[Tree]
    ) -> tuple[int | None, Sequence[Number] | None]:
        """The shortest tree that is proved equal, as a node; or a point at which one differs. What the solver leaves
        open, it may decide of a tree in which fewer parts are replaced."""
        nodes = dict(zip(search.names, leaves, strict=True))
        for tree in reversed(trees):
            new = copy(self.equalities.dag, [tree.node], search.dag, nodes)[0]
            if self.costs[new] >= self.costs[node]:
                break
            (answer,) = self.prover.decide([Obligation(node, new, leaves)], _QUESTION)
            if answer.status == "unsat":
                self._searched.add((new, leaves))
                return new, None
            if answer.point is not None:
                return None, answer.point
        return None, None
