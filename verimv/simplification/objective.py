"""What is made small: the length of the written-out formula, or the size of the shared DAG."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence

from verimv.core.choices import MEASURES
from verimv.core.errors import InputError
from verimv.formulas.dag import VARIABLE, Dag, reachable

#: Lengths of more bits count as infinite: one is not shorter than another. It keeps 10⁶ doublings cheap.
MAX_BITS = 1 << 14

#: Length, then nodes, of a written-out tree.
TreeCost = tuple[int | float, int | float]


def check_measure(minimise: str) -> None:
    if minimise not in MEASURES:
        raise InputError(f"unknown measure {minimise}: choose one of {', '.join(MEASURES)}")


class TreeCosts:
    """Length and nodes of the trees under nodes, kept from one pass to the next: nodes never change."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self._known: dict[int, TreeCost] = {}

    def __getitem__(self, node: int) -> TreeCost:
        known = self._known
        stack = [node]
        while stack:
            top = stack[-1]
            missing = [operand for operand in self.dag.operands(top) if operand not in known]
            if missing and top not in known:
                stack += missing
                continue
            stack.pop()
            if top not in known:
                operands = [known[operand] for operand in self.dag.operands(top)]
                known[top] = combined(operands, int(self.dag.kinds[top] == VARIABLE))
        return known[node]


def combined(operands: Sequence[TreeCost], own_length: int = 0) -> TreeCost:
    """The cost of an operator on operands (each as often as it is written)."""
    length = own_length + sum(cost[0] for cost in operands)
    nodes = 1 + sum(cost[1] for cost in operands)
    return _bounded(length), _bounded(nodes)


def _bounded(count: int | float) -> int | float:
    return math.inf if isinstance(count, int) and count.bit_length() > MAX_BITS else count


def objective(dag: Dag, costs: TreeCosts, roots: Iterable[int], minimise: str) -> tuple[int | float, ...]:
    """What a simplification must not raise, most important first."""
    roots = list(roots)
    length, nodes = combined([costs[root] for root in roots])
    size = len(reachable(dag, roots)[0])
    return (length, size, nodes) if minimise == "length" else (size, length, nodes)
