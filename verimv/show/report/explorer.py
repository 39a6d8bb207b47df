"""The shared DAG as compact data for the page; of a very large one, only the part near the outputs."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from verimv.exact import format_number
from verimv.formulas.dag import DIVIDE, SCALE, VARIABLE
from verimv.formulas.formula import Formula
from verimv.show.pictures.graph import top_of
from verimv.show.report.markup import signed_sum
from verimv.show.report.reading import ReadClaim, Reading

#: Nodes in a page; it draws a few hundred at a time.
MAX_NODES = 60_000
#: Terms of a claim, and characters of a certificate's line, that are shown.
MAX_TERMS, MAX_LINE = 12, 160

RULES = {
    "node": "An input or a constant stands for itself.",
    "atom": "The node stands for itself. Layers above use it as a variable.",
    "not": "¬a = 1 − a.",
    "scale": "δ and Δ multiply a form that is at most 1.",
    "plus": "⊕ adds forms that are at least 0. Also, σ(2t) = σ(t) ⊕ σ(t) for every t.",
    "times": "⊙ adds forms that are at most 1, and subtracts 1. Also, σ(2t − 1) = σ(t) ⊙ σ(t) for every t.",
    "lemma": "Lemma 3.3: σ(g + h) = (σ(g) ⊕ h) ⊙ σ(g + 1), for h in [0,1].",
    "cut": "Split: σ(f + g) = (σ(f) ⊙ σ(g + 1)) ⊕ σ(g), if f ≤ 1 wherever g ≤ 0, and f ≥ 0 wherever g ≥ 0.",
    "sort": "Batcher's merge of two good sequences is the good sequence of the sum.",
    "average": "Theorem 6.2: σ(f) is the mean of σ(s·f − i), i = 0, …, s − 1.",
    "same": "Two nodes that clip the same form are equal.",
    "equals": "Two nodes are equal, by a case split with exact dual multipliers.",
    "unit": "A unit that the formula does not need.",
}


def explorer_data(formula: Formula, reading: Reading, names: Mapping[int, str], lines: list[str]) -> dict[str, Any]:
    """Return the nodes as columns, operands before users, and their claims. A missing operand is −1."""
    dag = reading.dag
    whole = Formula(dag, formula.inputs, reading.roots, formula.outputs)
    kept = top_of(whole, MAX_NODES).nodes
    place = {node: i for i, node in enumerate(kept)}
    payloads: dict[str, int] = {}
    lefts, rights = [], []
    for node in kept:
        kind, operands = dag.kinds[node], dag.operands(node)
        lefts.append(place.get(operands[0], -1) if operands else -1)
        if kind in (VARIABLE, DIVIDE, SCALE):
            text = format_number(dag.payload(node)) if kind == SCALE else str(dag.payload(node))
            rights.append(payloads.setdefault(text, len(payloads)))
        else:
            rights.append(place.get(operands[1], -1) if len(operands) == 2 else -1)
    claims = _claims(reading, place)
    return {
        "kinds": "".join(str(dag.kinds[node]) for node in kept),
        "left": lefts,
        "right": rights,
        "payloads": list(payloads),
        "outputs": [[name, place[root]] for name, root in zip(formula.outputs, reading.roots, strict=True)],
        "names": {place[node]: name for node, name in names.items() if node in place},
        "left_out": reading.size - len(kept),
        "rules": RULES,
        "claims": {
            place[node]: [claim.rule, claim.line, _form(claim, place, names), _line(lines, claim.line)]
            for node, claim in claims.items()
        },
        "inside": {
            place[node]: place.get(reading.claim(claim).node, -1)
            for node, claim in reading.inside.items()
            if node in place and node not in claims
        },
    }


def _claims(reading: Reading, place: Mapping[int, int]) -> dict[int, ReadClaim]:
    """Return one claim for each node: the first that says more than "it stands for itself", if there is one."""
    found: dict[int, ReadClaim] = {}
    for claim in reading.claims:
        if claim.node in place and (claim.node not in found or found[claim.node].rule == "atom"):
            found[claim.node] = claim
    return found


def _form(claim: ReadClaim, place: Mapping[int, int], names: Mapping[int, str]) -> str | None:
    """Return a claim's form as text, in which [12] is a node of the page."""
    if claim.form is None:
        return None
    shown = [(weight, node) for node, weight in claim.form.terms]
    parts = [(w, f"[{place[n]}]" if n in place else names.get(n, "(not in the formula)")) for w, n in shown]
    return signed_sum(parts, claim.form.constant, MAX_TERMS)


def _line(lines: list[str], number: int) -> str:
    text = lines[number - 2]
    return text if len(text) <= MAX_LINE else f"{text[:MAX_LINE]}…"
