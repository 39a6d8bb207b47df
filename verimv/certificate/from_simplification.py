"""Simplification with its certificate: each of its steps becomes a few claims.

A step says that two nodes are equal, whatever values its leaves take, or because they are one operator on operands that
are equal already. Classes of equal nodes are kept as claims "this node reads as that one": later steps see them.
"""

from __future__ import annotations

import json
import math
from dataclasses import replace

from verimv.certificate.certificate import Certificate
from verimv.certificate.claims import Claims, NotMatched
from verimv.certificate.from_extraction import CertifiedExtraction
from verimv.certificate.from_pair import checked
from verimv.certificate.lines import Derivation
from verimv.certificate.writer import EVIDENCE_WORK
from verimv.core.effort import Deadline, Meter
from verimv.core.errors import Undecided
from verimv.core.progress import Progress, no_progress
from verimv.exact import format_number
from verimv.formulas.dag import DIVIDE, NOT, ONE, OPLUS, SCALE, VARIABLE, ZERO, reachable
from verimv.formulas.mvfile import write_mv
from verimv.simplification.equalities import CONGRUENCE, EqualityStep
from verimv.simplification.simplification import DEFAULT_WORK, Simplification, simplify


def certify_simplification(simplification: Simplification, seconds: float = math.inf) -> Certificate | None:
    """A certificate that the simplified formula equals the original, if every step finds its evidence in time."""
    proof = _Proof(simplification, Derivation())
    try:
        if not proof.follow_all(Meter(EVIDENCE_WORK, Deadline(seconds))):
            return None
    except Undecided:
        return None
    for k, (a, b) in enumerate(proof.pairs):
        proof.derivation.line("equal", k, proof.reading(a)[1], proof.reading(b)[1])
    formulas = {"original": simplification.original, "formula": simplification.formula}
    return checked({name: "".join(write_mv(formula)) for name, formula in formulas.items()}, proof.derivation)


def simplify_extraction(
    extraction: CertifiedExtraction,
    minimise: str = "length",
    seconds: float = math.inf,
    progress: Progress = no_progress,
    work: int = DEFAULT_WORK,
) -> CertifiedExtraction:
    """Return the same network with an equivalent formula that is never longer (or larger), certified. The summary
    says so under "simplified", or why the formula stays as it is. Raises :class:`Undecided` after `seconds`."""
    deadline = Deadline(seconds)
    summary = extraction.summary
    found = simplify(extraction.formula, minimise=minimise, seconds=deadline.left, work=work, progress=progress)
    count = len(extraction.formula.roots)
    lines = extraction.derivation.lines
    proof = _Proof(found, extraction.derivation.without_last(count))
    if not found.steps or not proof.follow_all(Meter(EVIDENCE_WORK, deadline)):
        why = (
            f"no evidence was found for length {found.formula.measure().length_text}"
            if found.steps
            else "nothing shorter was found"
        )
        return replace(extraction, summary={**summary, "simplified": {"kept": why}})
    for k, ((a, b), line) in enumerate(zip(proof.pairs, lines[-count:], strict=True)):
        _, _, claim, *maps = json.loads(line)
        proof.derivation.line("output", k, proof.carried(claim, a, b), *maps)
    measures = found.formula.measure()
    shorter = {"length": measures.length_text, "size": measures.size, "depth": measures.depth}
    before = {name: summary[name] for name in shorter}
    return replace(
        extraction,
        formula=found.formula,
        derivation=proof.derivation,
        summary={**summary, **shorter, "simplified": {"before": before, "seconds": round(found.seconds, 3)}},
    )


class _Proof:
    """Claims (n: [m]), "node n reads as node m", for the nodes of a table. Numbers of claims are kept, not forms."""

    def __init__(self, simplification: Simplification, derivation: Derivation) -> None:
        self.simplification = simplification
        self.dag = simplification.dag
        self.derivation = derivation
        #: outputs of the original and of the simplified formula
        self.pairs = list(zip(simplification.original.roots, simplification.formula.roots, strict=True))
        self._inputs = {self.dag.variable(name): i for i, name in enumerate(simplification.formula.inputs)}
        self._atoms: dict[int, int] = {}
        #: node → (an equal node, the claim that it reads as that), towards the node that stands for the class
        self._next: dict[int, tuple[int, int]] = {}

    def follow_all(self, meter: Meter) -> bool:
        """Write the claims of all steps; return whether each has found its evidence."""
        try:
            for step in self.simplification.steps:
                self._follow(step, meter)
        except NotMatched:
            return False
        return True

    def _follow(self, step: EqualityStep, meter: Meter) -> None:
        old, new = step.old, step.new
        if step.reason == CONGRUENCE:
            read = {node: [self.reading(operand)[1] for operand in self.dag.operands(node)] for node in (old, new)}
            by_old, by_new = (self._built(node, operands) for node, operands in read.items())
            self._unite(old, new, self.derivation.claim("same", by_old, by_new))
            return
        claims = Claims(self.dag, self.derivation)
        for leaf in step.leaves or ():
            claims.assume(leaf, self._atom(leaf))
        claims.derive(self.simplification.cone(step))
        old_value, new_value = claims.values[old], claims.values[new]
        if old_value.form == new_value.form:
            self._unite(old, new, self.derivation.claim("same", old_value.number, new_value.number))
        else:
            self._unite(old, new, claims.by_cases(old, new, self._atom(old), meter))

    def reading(self, node: int) -> tuple[int, int]:
        """The node that stands for the class of a node, and the claim that it reads as that."""
        current, claim = node, self._atom(node)
        while current in self._next:
            following, onward = self._next[current]
            claim = onward if current == node else self._onward(claim, onward, following)
            current = following
        if current != node:
            self._next[node] = (current, claim)
        return current, claim

    def carried(self, claim: int, a: int, b: int) -> int:
        """A claim about node a, as a claim about node b, which is equal to it."""
        if a == b:
            return claim
        middle, by_a = self.reading(a)
        _, by_b = self.reading(b)  # (b: [middle])
        cone = [self._atom(middle), by_a, by_b]
        leaf: list[int | str] = ["leaf"]
        return self.derivation.claim("equals", claim, by_b, cone, leaf, leaf)

    def _unite(self, old: int, new: int, claim: int) -> None:
        """Unite two classes by a claim (new: [old])."""
        first, by_old = self.reading(old)
        second, by_new = self.reading(new)
        if first != second:
            claim = claim if first == old else self._onward(claim, by_old, first)  # (new: [first])
            claim = claim if second == new else self._onward(self._turned(by_new, second), claim, first)
            self._next[second] = (first, claim)

    def _onward(self, claim: int, onward: int, target: int) -> int:
        """(n: [m]) and (m: [target]) make (n: [target])."""
        return self.derivation.claim("same", self._turned(onward, target), claim)

    def _turned(self, claim: int, target: int) -> int:
        """(n: [target]) makes (target: [n])."""
        return self.derivation.claim("same", claim, self._atom(target))

    def _atom(self, node: int) -> int:
        """The claim that a node stands for itself."""
        if node not in self._atoms:
            for below in reachable(self.dag, [node])[0]:
                if below not in self._atoms:
                    built = self._built(below, [self._atoms[operand] for operand in self.dag.operands(below)])
                    self._atoms[below] = self.derivation.once("atom", built)
        return self._atoms[node]

    def _built(self, node: int, operands: list[int]) -> int:
        """A claim about a node, from claims about its operands that are in [0,1]."""
        kind, derivation = self.dag.kinds[node], self.derivation
        if kind == VARIABLE:
            return derivation.input(self._inputs[node])
        if kind in (ZERO, ONE):
            return derivation.constant(kind - ZERO)
        if kind == NOT:
            return derivation.once("not", *operands)
        if kind == DIVIDE:
            return derivation.once("scale", f"d[{self.dag.payload(node)}]", *operands)
        if kind == SCALE:
            return derivation.once("scale", f"D[{format_number(self.dag.payload(node))}]", *operands)
        return derivation.once("plus" if kind == OPLUS else "times", *operands)
