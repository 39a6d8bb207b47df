"""What a way to build units costs, so that the compact strategy can choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from verimv.extraction.strategies.paper import Group, LemmaTable
from verimv.formulas.dag import ODOT, OPLUS, Dag, reachable
from verimv.formulas.measure import lengths


class Cost(NamedTuple):
    """The length of every unit, and how many ⊕ and ⊙ they share."""

    lengths: list[int]
    size: int

    def by(self, minimise: str) -> tuple[int, int]:
        """Return the key for comparisons: the measure asked for, then the other."""
        length = sum(self.lengths)
        return (length, self.size) if minimise == "length" else (self.size, length)


def cost(weights: Sequence[int], build: Callable[[Dag, Sequence[int]], Sequence[int]]) -> Cost:
    """Return the cost of the nodes that `build` makes in an empty table, over variables that stand for terms of these
    lengths."""
    dag = Dag()
    names = [f"v{j}" for j in range(len(weights))]
    roots = build(dag, [dag.variable(name) for name in names])
    size = sum(dag.kinds[node] in (OPLUS, ODOT) for node in reachable(dag, roots)[0])
    return Cost(lengths(dag, roots, dict(zip(names, weights, strict=True))), size)


def table_cost(group: Group, weights: Sequence[int]) -> Cost:
    """Return the cost of the paper's construction."""
    return cost(weights, LemmaTable(group).nodes)
