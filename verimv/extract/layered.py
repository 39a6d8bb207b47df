"""The layered proof that network and formula are equal: one small obligation per unit and node, no query about all.

Every claim of extraction is local. A node is built from nodes whose claims speak of the same form g, so the claim needs
only g (a fresh real variable in a range that holds for it) and the eliminated h ∈ [0,1]; a clipped ReLU needs only its
argument t. Obligations that differ in names alone are one query, so a formula of 10⁵ nodes asks a few dozen.

That a node really is the operator applied to these operands is checked on the formula's table; composition along the
layers is substitution. The ranges are those of Step 1 and of interval arithmetic on the form.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import Any

from verimv import smt
from verimv.errors import InputError, InternalError, Refuted, Undecided
from verimv.exact import ONE, ZERO, Number, Rational, ceil, floor
from verimv.extract.extraction import Extraction, extract
from verimv.extract.step2_lemma import Recorder, Row, TableRow, split_sum
from verimv.networks.affine import Affine
from verimv.networks.network import Network
from verimv.networks.program import Program, Range
from verimv.smt import Search, Verdict
from verimv.smt.encode import Condition, positive, to_smtlib
from verimv.smt.limited import Deadline, OutOfBudget, limited
from verimv.smt.solvers import SOLVERS, version_of
from verimv.terms.dag import ONE as ONE_NODE
from verimv.terms.dag import ZERO as ZERO_NODE
from verimv.terms.dag import Dag
from verimv.terms.formula import Formula

Query = tuple[Program, Condition]

_G, _H = Affine.variable(0), Affine.variable(1)
_NAMES = ("g", "h")

#: Smaller formulas are decided by one query.
_LAYERED_FROM = 200


class Obligations(Recorder):
    """Collects what must be proved while extraction runs, equal obligations once."""

    def __init__(self) -> None:
        self.queries: dict[Any, Query] = {}
        #: units and nodes that the queries cover
        self.covered = 0
        self._dag = Dag()
        self._low = self._high = Rational(0)  # type: Number

    def begin(self, dag: Dag) -> None:
        self._dag = dag

    def rectified(self, argument: Affine, low: Number, high: Number, value: Affine, units: Sequence[Affine]) -> None:
        self.covered += 1
        if not argument.terms:
            if value.terms or value.constant != max(argument.constant, Rational(0)):
                raise InternalError("Step 1 folded a constant ReLU wrongly")
            return
        shape = [(w, *_in_terms_of(argument, units[j])) for j, w in value.terms]
        ends = (Rational(floor(low)), Rational(max(0, ceil(high))))
        key = ("rectified", ends, value.constant, tuple(shape))
        if key not in self.queries:
            program = Program((ends,))
            claimed = Affine((), value.constant)
            for weight, direction, constant in shape:
                claimed += program.clip(_G.scaled(direction).shifted(constant)).scaled(weight)
            self.queries[key] = (program, _differ(program.relu(_G), claimed))

    def table(self, base: Number) -> None:
        self._low = self._high = base

    def row(self, row: TableRow) -> None:
        step, atom, below, new = row
        for j in new.window.shifts():
            self.covered += 1
            first, second = below[j], below[j + 1 if step.positive else j - 1]
            if new[j] != self._lemma(first, atom, second, step.positive):
                raise InternalError("a node is not what its row of the table claims")
            range_ = _coarse(self._low + j, self._high + j)
            key = ("row", step.positive, self._constant(first), self._constant(second), range_)
            if key not in self.queries:
                self.queries[key] = _lemma_query(*key[1:])
        if step.positive:
            self._high = self._high + step.piece
        else:
            self._low = self._low - step.piece

    def split_sum(self, row: Row, shift: int, split: int, node: int) -> None:
        self.covered += 1
        if node != split_sum(self._dag, row, shift, split):
            raise InternalError("a node is not the sum that it claims to be")
        # relative to t = s·form, whose unit is row[shift]
        range_ = (Rational(floor(self._low + shift)), Rational(ceil(self._high + shift)))
        first, last = row.window.first - shift, row.window.last - shift
        key = ("split", split, max(first, 1 - split), min(last, 0), range_)
        if key not in self.queries:
            self.queries[key] = _split_query(*key[1:])

    def _lemma(self, first: int, atom: int, second: int, is_positive: bool) -> int:
        dag = self._dag
        if is_positive:
            return dag.odot(dag.oplus(first, atom), second)
        return dag.neg(dag.odot(dag.oplus(dag.neg(first), atom), dag.neg(second)))

    def _constant(self, node: int) -> int | None:
        kind = self._dag.kinds[node]
        return {ZERO_NODE: 0, ONE_NODE: 1}.get(kind)


def _in_terms_of(argument: Affine, form: Affine) -> tuple[Number, Number]:
    """(±1, c) with form = ±argument + c."""
    for direction in (Rational(1), Rational(-1)):
        rest = form + argument.scaled(-direction)
        if not rest.terms:
            return direction, rest.constant
    raise InternalError("a clipped unit is not a shift of its ReLU's argument")


def _coarse(low: Number, high: Number) -> Range:
    """A range around [low, high] with few different ends: exact integers near [0,1], powers of two further away."""
    below, above = floor(low), ceil(high)
    if below < -2:
        below = -(1 << (-below).bit_length())
    if above > 2:
        above = 1 << above.bit_length()
    return Rational(min(below, 2)), Rational(max(above, -2))


def _differ(a: Affine, b: Affine) -> Condition:
    difference = a + (-b)
    return [[positive(difference), positive(-difference)]]


def _lemma_query(is_positive: bool, first: int | None, second: int | None, range_: Range) -> Query:
    """Lemmas 3.3 and 6.4 where operands that are constant on the whole range stand as constants."""
    program = Program((range_, (Rational(0), ONE)))

    def operand(constant: int | None, form: Affine) -> Affine:
        return program.clip(form) if constant is None else Affine((), Rational(constant))

    def oplus(a: Affine, b: Affine) -> Affine:
        return program.clip(a + b)

    def odot(a: Affine, b: Affine) -> Affine:
        return program.clip((a + b).shifted(-1))

    a, b = operand(first, _G), operand(second, _G.shifted(1 if is_positive else -1))
    if is_positive:
        return program, _differ(program.clip(_G + _H), odot(oplus(a, _H), b))
    built = odot(oplus(a.complement(), _H), b.complement()).complement()
    return program, _differ(program.clip(_G + (-_H)), built)


def _split_query(split: int, first: int, last: int, range_: Range) -> Query:
    """σ(t/s) = Σ_{i<s} σ(t−i)/s, where units above `last` stand as 1 and units below `first` as 0."""
    program = Program((range_,))
    share = Rational(1, split)
    total = Affine((), share * min(split, max(0, -last)))
    for j in range(last, first - 1, -1):
        total += program.clip(_G.shifted(j)).scaled(share)
    return program, _differ(program.clip(_G.scaled(share)), total)


def prove_obligations(obligations: Obligations, search: Search) -> Verdict:
    """Ask every chosen solver about every query."""
    start = time.perf_counter()
    queries = list(obligations.queries.values())
    evidence: list[dict[str, Any]] = []
    if search.emit is not None:
        for number, (program, condition) in enumerate(queries, start=1):
            search.emit(f"obligation-{number:03}.smt2", to_smtlib(program, condition, _NAMES))
    for name in search.solvers:
        began = time.perf_counter()
        try:
            statuses = limited(
                _ask_all, name, queries, search.deadline.left, seconds=search.deadline.left, memory=search.memory
            )
        except OutOfBudget as error:
            statuses = ["unknown"]
            reason = f"{name}: {error}"
        else:
            reason = f"{name} left {statuses.count('unknown')} of {len(queries)} obligations open"
        if "sat" in statuses:
            program, condition = queries[statuses.index("sat")]
            raise InternalError(f"{name} refutes an obligation", to_smtlib(program, condition, _NAMES))
        evidence.append({
            "solver": name,
            "version": version_of(name),
            "mode": "layered",
            "answer": "unknown" if "unknown" in statuses else "unsat",
            "obligations": obligations.covered,
            "queries": len(queries),
            "seconds": round(time.perf_counter() - began, 3),
        })  # fmt: skip
        if "unknown" in statuses:
            return Verdict("undecided", None, reason, tuple(evidence), time.perf_counter() - start)
    return Verdict("proved", None, "", tuple(evidence), time.perf_counter() - start)


def _ask_all(solver: str, queries: Sequence[Query], seconds: float) -> list[str]:
    """Runs in the child."""
    deadline = Deadline(seconds)
    statuses: list[str] = []
    for program, condition in queries:
        statuses.append(SOLVERS[solver](program, condition, _NAMES, deadline.left).status)
        if statuses[-1] != "unsat":
            break
    return statuses


def extract_and_prove(network: Network, search: Search, **options: Any) -> tuple[Extraction, Verdict]:
    """An extraction with its layered proof; what was proved by what goes into the summary."""
    obligations = Obligations()
    extraction = extract(network, recorder=obligations, **options)
    search.progress("proving", 0, 1)
    verdict = prove_obligations(obligations, search)
    extraction.summary["proofs"] = proof_entries(verdict)
    return extraction, verdict


def proof_entries(verdict: Verdict) -> list[dict[str, Any]]:
    """What summary.json says of a proof, an entry per solver."""
    return [{"claim": "network = formula", "verdict": verdict.status, **item} for item in verdict.evidence]


def prove_layered(network: Network, formula: Formula, search: Search) -> Verdict | None:
    """A layered proof for a formula that is what extraction gives; None for any other formula."""
    for bounds in ("auto", "interval"):
        for logic in dict.fromkeys((formula.logic, "auto", "rmv")):
            obligations = Obligations()
            try:
                extraction = extract(network, bounds=bounds, logic=logic, recorder=obligations)
            except (InputError, Refuted, Undecided):  # no formula in this logic, none at all, or too large a one
                continue
            if extraction.formula == formula:
                return prove_obligations(obligations, search)
    return None


def equivalent(
    a: Formula | Network, b: Formula | Network, *, tolerance: Number = ZERO, search: Search | None = None
) -> Verdict:
    """|a − b| ≤ tolerance everywhere, or an exact point where it is not.

    A network and a large formula are first tried layer by layer; everything else is one query, then smaller boxes.
    """
    search = search or Search()
    network, formula = (a, b) if isinstance(a, Network) else (b, a)
    if isinstance(network, Network) and isinstance(formula, Formula) and len(formula.dag) > _LAYERED_FROM:
        verdict = prove_layered(network, formula, search)
        if verdict is not None and verdict.proved:
            return verdict
    return smt.equivalent(a, b, tolerance=tolerance, search=search)
