"""What a way to build units costs, so that the compact strategy can choose."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verimv.extract.recorder import Recorder
from verimv.extract.step2_lemma import Group, group_nodes
from verimv.terms.dag import ODOT, OPLUS, Dag
from verimv.terms.measure import lengths

#: (length, size) or (size, length)
Cost = tuple[int, int]


def cost(group: Group, minimise: str, build: Callable[[Dag, Sequence[int]], Sequence[int]]) -> Cost:
    """Of the nodes that `build` makes in an empty table, over variables."""
    dag = Dag()
    atoms = [dag.variable(f"v{j}") for j in range(max((j for j, _ in group.linear), default=-1) + 1)]
    roots = build(dag, atoms)
    size = sum(kind in (OPLUS, ODOT) for kind in dag.kinds)
    length = sum(lengths(dag, roots))
    return (length, size) if minimise == "length" else (size, length)


def table_cost(group: Group, minimise: str) -> Cost:
    """Of the paper's construction."""
    return cost(group, minimise, lambda dag, atoms: group_nodes(dag, atoms, group, lambda entries: None, Recorder()))
