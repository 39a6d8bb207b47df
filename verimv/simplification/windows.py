"""Rewriting on small windows: a node whose function of a few nodes below it has a shorter formula gets that one.

A window is a node with one of its cuts; the table of short formulas has the shortest formula of every short function
of the leaves (:mod:`verimv.simplification.table`). The solver proves each use.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from verimv.formulas.dag import VARIABLE, Dag, reachable
from verimv.formulas.formula import copy
from verimv.simplification.cone_solver import ConeProver, Obligation
from verimv.simplification.cones import cone, is_small
from verimv.simplification.cuts import Cuts
from verimv.simplification.decompose import decomposer
from verimv.simplification.equalities import SOLVER, Equalities, EqualityStep
from verimv.simplification.objective import TreeCost, combined
from verimv.simplification.table import Entry, ShortFormulas, Values, short_formulas, whole_grid

#: Windows with more ⊕ and ⊙ than this wait until what is inside has become smaller: a proof grows with its window.
MAX_OPERATIONS = 32
#: Work of looking up the windows of a node, and of a search for a longer formula.
_LOOKUPS, _SEARCH = 500, 8_000


@dataclass(frozen=True)
class Window:
    """A node, a cut below it, and the shortest formula of the same values over the cut."""

    node: int
    leaves: tuple[int, ...]
    table: ShortFormulas
    entry: Entry

    def cost(self, costs: Mapping[int, TreeCost]) -> TreeCost:
        """The cost of the formula, given those of the leaves."""
        counted = zip(self.entry.occurrences, (costs[leaf] for leaf in self.leaves), strict=True)
        each = [(count, cost) for count, cost in counted if count]
        length = sum(count * cost[0] for count, cost in each)
        return length, self.entry.nodes + sum(count * (cost[1] - 1) for count, cost in each)

    def build(self, dag: Dag) -> int:
        """The formula over the leaves, as a node."""
        nodes = dict(zip(self.table.names, self.leaves, strict=True))
        return copy(dag, [self.entry.node], self.table.dag, nodes)[0]


class Choice(ABC):
    """Chooses windows: offered all of them first, nodes in building order."""

    @abstractmethod
    def consider(self, node: int, windows: Iterable[Window]) -> None: ...

    @abstractmethod
    def best(self, node: int) -> Window | None: ...

    def chosen(self, dag: Dag, roots: Sequence[int]) -> list[Window]:
        """The best windows of the nodes that are left when they are taken from the top, inputs first."""
        needed, windows = set(roots), []
        stack = list(roots)
        while stack:
            node = stack.pop()
            window = self.best(node)
            if window is not None:
                windows.append(window)
            for below in dag.operands(node) if window is None else window.leaves:
                if below not in needed:
                    needed.add(below)
                    stack.append(below)
        return sorted(windows, key=lambda window: window.node)


class ByLength(Choice):
    """The shortest tree for every node, given the shortest trees of the nodes below. Lengths add up, so this is the
    best that the windows can do together."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self.costs: dict[int, TreeCost] = {}
        self._best: dict[int, Window] = {}

    def consider(self, node: int, windows: Iterable[Window]) -> None:
        operands = [self.costs[operand] for operand in self.dag.operands(node)]
        self.costs[node] = combined(operands, int(self.dag.kinds[node] == VARIABLE))
        for window in windows:
            cost = window.cost(self.costs)
            if cost[0] < self.costs[node][0] and is_small(self.dag, node, window.leaves, MAX_OPERATIONS):
                self.costs[node] = cost
                self._best[node] = window

    def best(self, node: int) -> Window | None:
        return self._best.get(node)


class BySize(Choice):
    """The window that saves most nodes of the shared DAG: those that only its node needs, less those that are new."""

    def __init__(self, dag: Dag, roots: Sequence[int]) -> None:
        self.dag = dag
        order = reachable(dag, roots)[0]
        self.uses = dict.fromkeys(order, 0)
        for used in [*roots, *(operand for node in order for operand in dag.operands(node))]:
            self.uses[used] += 1
        self._best: dict[int, tuple[int, Window]] = {}

    def consider(self, node: int, windows: Iterable[Window]) -> None:
        for window in windows:
            gain = self._gain(window) if is_small(self.dag, node, window.leaves, MAX_OPERATIONS) else 0
            if gain > 0 and (node not in self._best or gain > self._best[node][0]):
                self._best[node] = (gain, window)

    def best(self, node: int) -> Window | None:
        return self._best[node][1] if node in self._best else None

    def _gain(self, window: Window) -> int:
        freed = self._only_needed_by(window.node, window.leaves)
        if len(freed) < 2:
            return 0
        added = cone(self.dag, [window.build(self.dag)], window.leaves)
        return len(freed) - sum(node not in self.uses or node in freed for node in added)

    def _only_needed_by(self, top: int, leaves: Sequence[int]) -> set[int]:
        """The nodes above the leaves that no other node would use once this one is gone."""
        left: dict[int, int] = {}
        freed = {top}
        stack = [top]
        while stack:
            for operand in self.dag.operands(stack.pop()):
                left[operand] = left.get(operand, self.uses[operand]) - 1
                if not left[operand] and operand not in leaves and self.dag.kinds[operand] != VARIABLE:
                    freed.add(operand)
                    stack.append(operand)
        return freed


class WindowPass:
    """Finds windows, has them proved, and records the equalities."""

    def __init__(self, equalities: Equalities, prover: ConeProver) -> None:
        self.equalities = equalities
        self.prover = prover
        #: windows that were not proved: they are not asked about again
        self.given_up: set[tuple[int, tuple[int, ...]]] = set()
        self._searched: set[bytes] = set()

    def run(self, roots: Sequence[int], minimise: str, progress: Callable[[int, int], None]) -> list[int]:
        """The roots after one pass: the windows that promise most, as far as they are proved. Half of the work is kept
        for the proofs: windows that are not found by then are for the next pass."""
        dag = self.equalities.dag
        order = reachable(dag, roots)[0]
        cuts = Cuts(dag)
        choice = ByLength(dag) if minimise == "length" else BySize(dag, roots)
        meter = self.prover.meter
        kept = meter.left // 2
        for number, node in enumerate(order):
            progress(number, len(order))
            if meter.left <= kept:
                break
            meter.spend(_LOOKUPS)
            cuts.add(node)
            choice.consider(node, self._windows(node, cuts))
        self._prove(choice.chosen(dag, roots))
        return self.equalities.rebuild(roots)

    def _windows(self, node: int, cuts: Cuts) -> Iterator[Window]:
        """The windows whose function is in a table."""
        for number, cut in enumerate(cuts.of(node)):
            if cut.leaves and cut.leaves != (node,) and (node, cut.leaves) not in self.given_up:
                table = short_formulas(len(cut.leaves))
                values = np.broadcast_to(cut.values, whole_grid(len(cut.leaves)).shape)
                entry = table.find(values)
                if entry is None and not number:  # the deepest cut has the largest cone: there it is worth a search
                    entry = self._found(len(cut.leaves), values)
                if entry is not None:
                    yield Window(node, cut.leaves, table, entry)

    def _found(self, leaves: int, values: Values) -> Entry | None:
        """Return a longer formula. A search cached in this process is charged too: results do not depend on it."""
        key = values.tobytes()
        if key not in self._searched:
            self._searched.add(key)
            self.prover.meter.spend(_SEARCH)
        return decomposer(leaves).find(values)

    def _prove(self, windows: Sequence[Window]) -> None:
        """Record what is proved; the other windows are not tried again."""
        built = [(window, window.build(self.equalities.dag)) for window in windows]
        asked = [(window, new) for window, new in built if new != window.node]
        answers = self.prover.decide([Obligation(window.node, new, window.leaves) for window, new in asked])
        for (window, new), answer in zip(asked, answers, strict=True):
            if answer.status == "unsat":
                self.equalities.add(EqualityStep(window.node, new, window.leaves, SOLVER))
            else:
                self.given_up.add((window.node, window.leaves))
