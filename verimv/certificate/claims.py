"""Claims about the nodes of a table, from the bottom up, in the words of proofs/FORMAT.md.

Every node gets a value, which is a form over nodes that really clip something, and the sums that it clips. Nodes that
clip the same sum, or complementary ones, are recognised. Whatever else is equal is proved by cases.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import NamedTuple

from verimv.bounding.prove.row import DerivedVariable
from verimv.bounding.search.cone import levels
from verimv.bounding.search.evidence import prove_row
from verimv.certificate.lines import Derivation
from verimv.certificate.numbering import case_words
from verimv.core.effort import Meter
from verimv.exact import ONE as ONE_
from verimv.exact import ZERO as ZERO_
from verimv.exact import Rational, format_number
from verimv.formulas.dag import DIVIDE, NOT, ONE, OPLUS, SCALE, VARIABLE, ZERO, Dag
from verimv.networks.affine import Affine

#: Sums are not flattened past this many terms.
MAX_TERMS = 256


class NotMatched(Exception):
    """The structures differ, or the work is used up: which says nothing about equality."""


class NodeClaim(NamedTuple):
    """The node is σ(form): claim `number` of the derivation. Atoms of forms are nodes."""

    node: int
    form: Affine
    number: int

    def is_within(self, low: int | None, high: int | None) -> bool:
        least, most = self.form.range_over_unit_cube()
        return (low is None or least >= low) and (high is None or most <= high)


class Claims:
    """What is claimed of the nodes of a table."""

    def __init__(self, dag: Dag, derivation: Derivation) -> None:
        self.dag = dag
        self.derivation = derivation
        #: a form in [0,1], so that σ changes nothing
        self.values: dict[int, NodeClaim] = {}
        #: what a node clips: with the operands' sums put in, and with their values
        self.sums: dict[int, list[NodeClaim]] = {}
        #: sums of nodes that stand for themselves
        self.known: dict[Affine, NodeClaim] = {}

    def assume(self, node: int, number: int) -> None:
        """A claim says that the node stands for itself: an input, or a node that may have any value here."""
        self.values[node] = NodeClaim(node, Affine.variable(node), number)

    def derive(self, nodes: Iterable[int]) -> None:
        """Claims for nodes, operands before what is built from them."""
        for node in nodes:
            kind, left = self.dag.kinds[node], self.dag.lefts[node]
            if kind in (ZERO, ONE):
                value = kind - ZERO
                number = self.derivation.constant(value)
                self.values[node] = NodeClaim(node, Affine((), Rational(value)), number)
            elif kind == NOT:
                self._negation(node, left)
            elif kind in (DIVIDE, SCALE):
                self._multiple(node, left, kind)
            elif kind != VARIABLE:
                self._sum(node, "plus" if kind == OPLUS else "times")

    def _unary(self, node: int, below: int, derive: Callable[[NodeClaim], NodeClaim], high: int | None = None) -> None:
        self.values[node] = derive(self.values[below])
        self.sums[node] = [derive(claim) for claim in self.sums.get(below, []) if claim.is_within(None, high)]

    def _negation(self, node: int, below: int) -> None:
        def derive(claim: NodeClaim) -> NodeClaim:
            return NodeClaim(node, claim.form.complement(), self.derivation.claim("not", claim.number))

        self._unary(node, below, derive)

    def _multiple(self, node: int, below: int, kind: int) -> None:
        payload = self.dag.payload(node)
        factor = Rational(1, payload) if kind == DIVIDE else payload
        text = f"d[{payload}]" if kind == DIVIDE else f"D[{format_number(payload)}]"

        def derive(claim: NodeClaim) -> NodeClaim:
            return NodeClaim(node, claim.form.scaled(factor), self.derivation.claim("scale", text, claim.number))

        self._unary(node, below, derive, high=1)

    def _sum(self, node: int, rule: str) -> None:
        """⊕ or ⊙ of two values, or of the sums that these clip where a rule allows that."""
        low, high, shift = (0, None, ZERO_) if rule == "plus" else (None, 1, -ONE_)
        operands = self.dag.operands(node)
        flat = [self._flat(operand, low, high) for operand in operands]
        sums: dict[Affine, NodeClaim] = {}
        for a, b in (flat, [self.values[operand] for operand in operands]):
            form = (a.form + b.form).shifted(shift)
            if form not in sums:
                sums[form] = NodeClaim(node, form, self.derivation.claim(rule, a.number, b.number))
        self.sums[node] = list(sums.values())
        self.values[node] = self._clipped(node, self.sums[node])

    def _flat(self, node: int, low: int | None, high: int | None) -> NodeClaim:
        usable = (c for c in self.sums.get(node, []) if len(c.form.terms) < MAX_TERMS and c.is_within(low, high))
        return next(usable, self.values[node])

    def _clipped(self, node: int, sums: list[NodeClaim]) -> NodeClaim:
        """The value: a sum that stays in [0,1], another node that clips the same sum, or the node itself."""
        derivation = self.derivation
        for claim in reversed(sums):
            if claim.is_within(0, 1):
                return claim
            for value, low, high in ((0, None, 0), (1, 1, None)):
                if claim.is_within(low, high):
                    number = derivation.claim("same", derivation.constant(value), claim.number)
                    return NodeClaim(node, Affine((), Rational(value)), number)
            if (known := self.known.get(claim.form)) is not None:
                number = derivation.claim("same", known.number, claim.number)
                return NodeClaim(node, Affine.variable(known.node), number)
            if (known := self.known.get(claim.form.complement())) is not None:  # ¬node clips the other's sum
                number = derivation.claim("same", known.number, derivation.claim("not", claim.number))
                return NodeClaim(node, Affine.variable(known.node).complement(), derivation.claim("not", number))
        for claim in sums:
            self.known[claim.form] = claim
        return NodeClaim(node, Affine.variable(node), derivation.claim("atom", sums[0].number))

    def by_cases(self, a: int, b: int, claim: int, meter: Meter) -> int:
        """The claim that node b has the form of a claim about node a, proved over all that both are made of."""
        definitions: dict[int, NodeClaim] = {}
        pending = [node for node in (a, b) if self.dag.kinds[node] not in (ZERO, ONE)]  # these are numbers
        while pending:
            node = pending.pop()
            if node not in definitions:
                definitions[node] = self._definition(node)
                pending += [other for other, _ in definitions[node].form.terms if other != node]
        cone, variables = _in_layers([definitions[node] for node in sorted(definitions)])
        places = {node: k for k, (node, _, _) in enumerate(cone)}
        cases: list[list[int | str]] = []
        for first, second in ((a, b), (b, a)):
            goal = self._reference(first, places) + self._reference(second, places).scaled(-ONE_)
            found = prove_row(variables, goal, meter)
            if found is None:
                raise NotMatched
            cases += case_words(found)
        return self.derivation.claim(
            "equals", claim, self.values[b].number, [definition.number for definition in cone], *cases
        )

    def _reference(self, node: int, places: dict[int, int]) -> Affine:
        return Affine.variable(places[node]) if node in places else self.values[node].form

    def _definition(self, node: int) -> NodeClaim:
        """A claim about the node whose form has earlier nodes only; an input stands for itself."""
        value = self.values[node]
        is_atom = value.form == Affine.variable(node) and node in self.sums
        return self.sums[node][0] if is_atom else value


def _in_layers(cone: list[NodeClaim]) -> tuple[list[NodeClaim], list[DerivedVariable | None]]:
    """Definitions, ordered so that each stands after all of a lower layer; and as variables numbered in that order."""
    order = [claim for _, claim in sorted(zip(levels(_variables(cone)), cone, strict=True), key=lambda pair: pair[0])]
    return order, _variables(order)


def _variables(cone: list[NodeClaim]) -> list[DerivedVariable | None]:
    places = {node: k for k, (node, _, _) in enumerate(cone)}
    return [
        None if form == Affine.variable(node) else DerivedVariable("crelu", form.renumbered(places))
        for node, form, _ in cone
    ]
