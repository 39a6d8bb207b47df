"""Cones: the nodes between some tops and some leaves. What is proved over a cone holds for all values of its leaves,
so a small cone makes a short proof."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from heapq import heapify, heappop, heappush

from verimv.formulas.dag import ODOT, ONE, OPLUS, VARIABLE, ZERO, Dag, reachable
from verimv.formulas.formula import Formula
from verimv.simplification.equalities import with_operands


class NotACut(ValueError):
    """Some top is not built from the leaves alone."""


def cone(dag: Dag, tops: Sequence[int], leaves: Sequence[int]) -> list[int]:
    """The nodes from which the tops are built, down to the leaves, in building order; leaves are not among them.

    Raises :class:`NotACut` if a variable that is no leaf is under the tops.
    """
    cut = set(leaves)
    found = set(tops) - cut
    stack = list(found)
    while stack:
        node = stack.pop()
        if dag.kinds[node] == VARIABLE:
            raise NotACut(f"variable {dag.payload(node)} is under the tops but no leaf")
        for operand in dag.operands(node):
            if operand not in cut and operand not in found:
                found.add(operand)
                stack.append(operand)
    return sorted(found)


def is_small(dag: Dag, top: int, leaves: Sequence[int], max_operations: int) -> bool:
    """Return whether the cone has at most so many ⊕ and ⊙, in at most that many steps."""
    seen = {top, *leaves}
    stack = [top] if top not in leaves else []
    operations = 0
    while stack:
        node = stack.pop()
        operations += dag.kinds[node] in (OPLUS, ODOT)
        if operations > max_operations:
            return False
        for operand in dag.operands(node):
            if operand not in seen:
                seen.add(operand)
                stack.append(operand)
    return True


def local_formula(dag: Dag, tops: Sequence[int], leaves: Sequence[int]) -> Formula:
    """The tops as one formula in which the leaves are variables v1, v2, …"""
    local = Dag()
    names = [f"v{i + 1}" for i in range(len(leaves))]
    image = {leaf: local.variable(name) for leaf, name in zip(leaves, names, strict=True)}
    for node in cone(dag, tops, leaves):
        image[node] = with_operands(dag, node, [image[operand] for operand in dag.operands(node)], local)
    return Formula(local, names, [image[top] for top in tops])


def growing_cuts(dag: Dag, tops: Sequence[int], max_leaves: int, max_nodes: int) -> Iterator[tuple[int, ...]]:
    """Cuts under the tops, from close by to far down: the uppermost leaf is opened again and again.

    The uppermost top is always opened; another one may be a leaf, if the first is built from it.
    """
    first = max(tops)
    leaves = {top for top in tops if dag.kinds[top] not in (ZERO, ONE)}
    closed = [-leaf for leaf in leaves if dag.kinds[leaf] > ONE]
    heapify(closed)
    for _ in range(max_nodes):
        if not closed:
            return
        node = -heappop(closed)
        leaves.discard(node)
        for operand in dag.operands(node):
            if operand not in leaves and dag.kinds[operand] not in (ZERO, ONE):
                leaves.add(operand)
                if dag.kinds[operand] > ONE:
                    heappush(closed, -operand)
        if first not in leaves and len(leaves) <= max_leaves:
            yield tuple(sorted(leaves))


def inputs_under(dag: Dag, tops: Sequence[int]) -> tuple[int, ...]:
    """The variables under the tops: the cut that every other one lies above."""
    return tuple(node for node in reachable(dag, tops)[0] if dag.kinds[node] == VARIABLE)
