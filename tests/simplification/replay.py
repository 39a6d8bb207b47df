"""An independent check of what a simplification claims: every step by itself, and that together they reach the outputs."""

from __future__ import annotations

from tests.oracle import formula_values, grid
from verimv.formulas.formula import Formula
from verimv.simplification.equalities import EqualityStep
from verimv.simplification.simplification import Simplification
from verimv.solvers import decide
from verimv.solvers.point_search import Search


class Refused(Exception):
    pass


def replay(found: Simplification, steps: tuple[EqualityStep, ...] | None = None) -> None:
    """Raises Refused unless the steps prove every output of the original equal to that of the result."""
    dag = found.dag
    classes: dict[int, int] = {}

    def find(node: int) -> int:
        while node in classes:
            node = classes[node]
        return node

    for step in found.steps if steps is None else steps:
        if step.leaves is None:
            check(step.reason == "congruence", f"{step} has no leaves")
            same_operator = dag.kinds[step.old] == dag.kinds[step.new]
            payloads = [dag.payload(n) for n in (step.old, step.new)] if dag.kinds[step.old] >= 6 else [0, 0]
            check(same_operator and payloads[0] == payloads[1], f"{step}: different operators")
            pairs = zip(dag.operands(step.old), dag.operands(step.new), strict=True)
            check(all(find(a) == find(b) for a, b in pairs), f"{step}: operands are not known to be equal")
        else:
            check(equal_over_leaves(found.local(step)), f"{step}: not equal")
        if find(step.old) != find(step.new):
            classes[find(step.old)] = find(step.new)
    pairs = zip(found.original.roots, found.formula.roots, strict=True)
    check(all(find(a) == find(b) for a, b in pairs), "the outputs are not reached")


def equal_over_leaves(local: Formula) -> bool:
    """On exact points first, then by the solver."""
    for point in grid(len(local.inputs), 2 if len(local.inputs) > 3 else 4):
        left, right = formula_values(local, dict(zip(local.inputs, point, strict=True)))
        if left != right:
            return False
    left, right = (Formula(local.dag, local.inputs, [root]) for root in local.roots)
    return decide.equal_by_solver(left, right, search=Search(seconds=600)).proved


def check(holds: bool, what: str) -> None:
    if not holds:
        raise Refused(what)
