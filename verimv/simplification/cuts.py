"""Cuts of a node: up to three nodes below it from which it is built, with the function that it is of them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from verimv.formulas import dag as build
from verimv.formulas.dag import NOT, ODOT, OPLUS, VARIABLE, ZERO, Dag
from verimv.simplification.table import COORDINATES, ONE, Values, grid_axis

MAX_LEAVES = max(COORDINATES)
#: Cuts kept at a node: the one of its operands, and those that reach deepest.
MAX_CUTS = 10

#: leaves → positions of the coarser grid of so many leaves in the finer grid of fewer
_COARSER = {
    (few, many): np.searchsorted(COORDINATES[few], COORDINATES[many])
    for many in COORDINATES
    for few in COORDINATES
    if few < many
}


@dataclass(frozen=True)
class NodeCut:
    """Leaves, and the values of the node above them as the leaves range over the grid."""

    leaves: tuple[int, ...]
    values: Values

    def over(self, leaves: tuple[int, ...]) -> Values:
        """The values over more leaves, as an array that broadcasts."""
        values = self.values
        if len(leaves) > len(self.leaves) > 0:
            positions = _COARSER[len(self.leaves), len(leaves)]
            values = values[np.ix_(*[positions] * len(self.leaves))]
        shape = iter(values.shape)
        return values.reshape([next(shape) if leaf in self.leaves else 1 for leaf in leaves])


class Cuts:
    """The cuts of the nodes under some roots, bottom-up; ¬ is no leaf, since it costs no length; δ and Δ are leaves."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self._cuts: dict[int, list[NodeCut]] = {}

    def of(self, node: int) -> list[NodeCut]:
        return self._cuts[node]

    def add(self, node: int) -> None:
        """Find the cuts of a node whose operands have theirs."""
        dag, kind = self.dag, self.dag.kinds[node]
        if kind in (ZERO, build.ONE):
            self._cuts[node] = [NodeCut((), np.array(ONE * (kind == build.ONE), dtype=np.int8))]
        elif kind == NOT:
            below = self._cuts[dag.lefts[node]]
            self._cuts[node] = [NodeCut(cut.leaves, np.int8(ONE) - cut.values) for cut in below]
        elif kind in (OPLUS, ODOT):
            self._cuts[node] = [*self._joined(node), _itself(node)]
        else:
            self._cuts[node] = [_itself(node)]

    def _joined(self, node: int) -> list[NodeCut]:
        """A cut of each operand together: few leaves, deep ones first, and always the nearest."""
        left, right = (self._cuts[operand] for operand in self.dag.operands(node))
        unions: dict[tuple[int, ...], tuple[NodeCut, NodeCut]] = {}
        for a in reversed(left):
            for b in reversed(right):
                leaves = tuple(sorted({*a.leaves, *b.leaves}))
                if len(leaves) <= MAX_LEAVES:
                    unions.setdefault(leaves, (a, b))
        nearest, *others = unions
        chosen = [*sorted(others, key=self._height)[: MAX_CUTS - 1], nearest]
        return [NodeCut(leaves, self._values(node, leaves, *unions[leaves])) for leaves in chosen]

    def _height(self, leaves: tuple[int, ...]) -> list[int]:
        """Small for cuts that reach deep: variables are as deep as can be."""
        return sorted((0 if self.dag.kinds[leaf] == VARIABLE else leaf for leaf in leaves), reverse=True)

    def _values(self, node: int, leaves: tuple[int, ...], a: NodeCut, b: NodeCut) -> Values:
        total: Values = a.over(leaves) + b.over(leaves)  # at most 120, which a byte holds
        if self.dag.kinds[node] == ODOT:
            total -= np.int8(ONE)
        return total.clip(np.int8(0), np.int8(ONE))


def _itself(node: int) -> NodeCut:
    return NodeCut((node,), grid_axis(0, 1))
