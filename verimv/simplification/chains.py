"""Commutativity and associativity as sharing: of the chains a ⊕ b ⊕ … (or ⊙) with the same operands, however ordered
and bracketed, the first stands for all. Its form is left alone, so → and ∧ stay what a reader recognises."""

from __future__ import annotations

from verimv.formulas.dag import ODOT, ONE, OPLUS, ZERO, Dag
from verimv.simplification.equalities import EqualityStep

#: Longer chains are shared by their two operands only: the proof of a step grows with the chain.
MAX_CHAIN = 6


class Sharing:
    """The chains seen so far."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self._first: dict[tuple[int, ...], int] = {}

    def apply(self, node: int) -> EqualityStep | None:
        kind = self.dag.kinds[node]
        if kind not in (OPLUS, ODOT):
            return None
        pair = tuple(sorted(self.dag.operands(node)))
        operands = chain(self.dag, node)
        first = self._first.setdefault((kind, *operands), node)
        if first == node:
            return None
        same_pair = tuple(sorted(self.dag.operands(first))) == pair
        leaves = tuple(sorted({leaf for leaf in operands if self.dag.kinds[leaf] not in (ZERO, ONE)}))
        return EqualityStep(node, first, leaves, "commutativity" if same_pair else "associativity")


def chain(dag: Dag, node: int) -> tuple[int, ...]:
    """The operands of a chain of one operator, sorted; those of the node itself when the chain is long."""
    kind = dag.kinds[node]
    opened: list[int] = []
    closed = list(dag.operands(node))
    while closed:
        operand = closed.pop()
        if dag.kinds[operand] == kind and len(opened) + len(closed) < MAX_CHAIN:
            closed += dag.operands(operand)
        elif dag.kinds[operand] == kind:
            return tuple(sorted(dag.operands(node)))
        else:
            opened.append(operand)
    return tuple(sorted(opened)) if len(opened) <= MAX_CHAIN else tuple(sorted(dag.operands(node)))
