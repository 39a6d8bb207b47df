"""Step 2, compact, for integer weights: halving, σ(2s) = σ(s) ⊕ σ(s) and σ(2s−1) = σ(s) ⊙ σ(s) for every real s.

In literal form every coefficient is positive. Literals with an odd coefficient are peeled off by Lemma 3.3, then all
coefficients are halved, and so on; equal forms are built once. A neuron with n inputs and largest coefficient M gets
O(n² log M) nodes, where the lemma's table grows with the sum of the coefficients.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from verimv.errors import Undecided
from verimv.exact import ZERO, floor
from verimv.extract.cost import cost, table_cost
from verimv.extract.step2_lemma import Group
from verimv.networks.affine import Affine
from verimv.terms.dag import Dag

#: Larger tables are not built for comparison: halving is better by far.
_COMPARED = 20_000
#: A plan with more steps than this (about 2 GB) is not finished.
MAX_STEPS = 5_000_000

#: ((variable, is positive, coefficient > 0), …) and the constant in literal form
Key = tuple[tuple[tuple[int, bool, int], ...], int]


class Step(NamedTuple):
    """One form: how it is made from forms before it (by position in the plan)."""

    kind: str  # zero, one, positive, negative (literals), double, square, lemma
    operands: tuple[int, ...]


class Plan(NamedTuple):
    steps: list[Step]
    #: the positions of the units asked for
    results: list[int]


def halving_plan(forms: Sequence[Affine]) -> Plan:
    """How to build σ(form) for integer forms."""
    planner = _Planner()
    return Plan(planner.steps, [planner.position(_literal_form(form)) for form in forms])


def _literal_form(form: Affine) -> Key:
    constant = form.constant + sum((w for _, w in form.terms if w < 0), ZERO)
    return tuple((j, w > 0, floor(abs(w))) for j, w in form.terms), floor(constant)


class _Planner:
    def __init__(self) -> None:
        self.steps = [Step("zero", ()), Step("one", ())]
        self._known: dict[Key | tuple[int, bool], int] = {}

    def position(self, key: Key) -> int:
        pending = [key]
        while pending:
            current = pending[-1]
            if current in self._known:
                pending.pop()
                continue
            terms, constant = current
            if constant >= 1 or constant + sum(m for _, _, m in terms) <= 0:
                self._known[current] = int(constant >= 1)
                continue
            needed = self._below(current)
            missing = [child for child in needed if child not in self._known]
            if missing:
                pending += missing
            else:
                self._known[current] = self._add(current, [self._known[child] for child in needed])
        return self._known[key]

    @staticmethod
    def _odd(terms: tuple[tuple[int, bool, int], ...]) -> int | None:
        return next((i for i, (_, _, m) in enumerate(terms) if m % 2), None)

    def _below(self, key: Key) -> list[Key]:
        terms, constant = key
        odd = self._odd(terms)
        if odd is None:
            return [(tuple((j, positive, m // 2) for j, positive, m in terms), (constant + 1) // 2)]
        j, positive, m = terms[odd]
        rest = (*terms[:odd], *(((j, positive, m - 1),) if m > 1 else ()), *terms[odd + 1 :])
        return [(rest, constant), (rest, constant + 1)]

    def _add(self, key: Key, below: list[int]) -> int:
        terms, constant = key
        odd = self._odd(terms)
        if odd is None:
            return self._step("square" if constant % 2 else "double", *below)
        g, above = below
        return self._step("lemma", g, self._literal(*terms[odd][:2]), above)

    def _literal(self, variable: int, positive: bool) -> int:
        known = self._known.get((variable, positive))
        if known is None:
            kind = "positive" if positive else "negative"
            known = self._known[variable, positive] = self._step(kind, variable)
        return known

    def _step(self, kind: str, *operands: int) -> int:
        if len(self.steps) > MAX_STEPS:
            raise Undecided(f"halving needs more than {MAX_STEPS:,} nodes in one layer: try --logic rmv")
        self.steps.append(Step(kind, operands))
        return len(self.steps) - 1


def planned_nodes(dag: Dag, atoms: Sequence[int], plan: Plan) -> list[int]:
    """The nodes of the units that a plan builds."""
    nodes: list[int] = []
    for kind, operands in plan.steps:
        if kind in ("zero", "one"):
            node = dag.constant(int(kind == "one"))
        elif kind in ("positive", "negative"):
            node = atoms[operands[0]] if kind == "positive" else dag.neg(atoms[operands[0]])
        elif kind == "lemma":
            g, literal, above = (nodes[i] for i in operands)
            node = dag.odot(dag.oplus(g, literal), above)
        else:
            below = nodes[operands[0]]
            node = dag.oplus(below, below) if kind == "double" else dag.odot(below, below)
        nodes.append(node)
    return [nodes[i] for i in plan.results]


def better_plan(group: Group, forms: Sequence[Affine], minimise: str) -> Plan | None:
    """The plan for a group of units with the same weights, or None where the paper's table is as good."""
    plan = halving_plan(forms)
    if group.table_size() > _COMPARED:
        return plan
    halved = cost(group, minimise, lambda dag, atoms: planned_nodes(dag, atoms, plan))
    return plan if halved < table_cost(group, minimise) else None
