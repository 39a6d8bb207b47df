"""The obligations of a certificate: distinct queries with the lines that need them, and the evidence of bounds."""

from __future__ import annotations

from array import array
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import NamedTuple

from verimv.networks.affine import Affine
from verimv.solvers.obligations.case_systems import Evidence
from verimv.solvers.obligations.linear import LinearObligation, always_zero, never_positive
from verimv.solvers.obligations.rules import PIECES, RULES, Rule


@dataclass
class Served:
    """The lines that need a query, with the expectation and the form of the first of them."""

    what: str
    form: Affine | None = None
    nodes: list[int] = field(default_factory=list)  # the variables of the form, in the order of the query
    lines: array[int] = field(default_factory=lambda: array("i"))


class CasesOfLine(NamedTuple):
    """The evidence of one line."""

    line: int
    evidence: Evidence


class Obligations:
    """Collects what has to be proved, each distinct query once."""

    def __init__(self) -> None:
        #: the line whose obligations are collected
        self.line = 0
        self.count = 0
        self.queries: dict[Rule | LinearObligation, Served] = {}
        self.cases: list[CasesOfLine] = []

    def rule(self, name: str, times: int = 1) -> None:
        """Record that the line uses a rule so many times."""
        self._serve(RULES[name], f"the rule {name}", times)

    def never_positive(self, form: Affine, what: str) -> None:
        """Require that a form over values in [0,1] is never positive; `what` is the condition in words."""
        self._canonical(never_positive, form, what)

    def always_zero(self, form: Affine, what: str) -> None:
        self._canonical(always_zero, form, what)

    def evidence(self, evidence: Evidence) -> None:
        """Add evidence: each case is a query, and each of its variables has a range and a line."""
        self.cases.append(CasesOfLine(self.line, evidence))
        activations = {variable.activation for variable in evidence.variables[: evidence.count]}
        used = ["split"] * (len(evidence.cases) > 1) + ["interval"]
        for activation in ("relu", "crelu", "identity"):
            if activation in activations:
                used += [f"between {activation}"] * (activation != "identity") + [f"line {activation}"]
        for name in used:
            self.rule(name, len(evidence.cases))
        compared = {evidence.variables[k].activation for k in evidence.twins.of if k < evidence.count}
        pairs = sum(case.is_pair for case in evidence.cases)
        if compared:
            for name in ("split", "compared", "sums", "cell"):
                self.rule(name, pairs)
        for activation in ("relu", "crelu"):
            if activation in compared:
                for name in PIECES[activation]:
                    self.rule(name, pairs)
        self.count += len(evidence.cases)

    def _canonical(
        self, canonical: Callable[[Affine], tuple[LinearObligation, list[int]]], form: Affine, what: str
    ) -> None:
        query, nodes = canonical(form)
        if query not in self.queries:
            self.queries[query] = Served(what, form, nodes)
        self._serve(query, what, 1)

    def _serve(self, query: Rule | LinearObligation, what: str, times: int) -> None:
        if not times:
            return
        self.count += times
        served = self.queries.get(query)
        if served is None:
            served = self.queries[query] = Served(what)
        if not served.lines or served.lines[-1] != self.line:
            served.lines.append(self.line)
