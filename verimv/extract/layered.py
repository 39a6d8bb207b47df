"""The layered proof that network and formula are equal: solvers discharge the obligations of an extraction."""

from __future__ import annotations

import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import replace
from functools import partial
from itertools import product
from typing import Any

from verimv.errors import InputError, InternalError, Refuted, Undecided
from verimv.exact import Number
from verimv.extract.built_forms import check
from verimv.extract.extraction import Extraction, extract
from verimv.extract.obligations import Obligations
from verimv.extract.queries import NAMES, Query
from verimv.networks.network import Box, Network
from verimv.networks.program import Program
from verimv.smt import Search, Verdict
from verimv.smt.encode import Condition, positive, to_smtlib
from verimv.smt.limited import Deadline
from verimv.smt.search import Point, Question
from verimv.smt.solvers import SOLVERS, version_of
from verimv.terms.formula import Formula
from verimv.workers import team

#: How a formula may have been extracted, the usual way first: strategy, measure, and logics besides the formula's own
#: (it may not use all operators that its logic has).
_STRATEGIES = (("compact", "length", "rmv"), ("compact", "size", "rmv"), ("paper", "length", "auto", "rmv"))
#: Seconds for a solver to notice that its time is over, before it is stopped.
_GRACE = 0.3


def prove_obligations(obligations: Obligations, search: Search) -> Verdict:
    """Ask every chosen solver about every query, and about every bound that intervals do not give."""
    start = time.perf_counter()
    queries = list(obligations.queries.values())
    evidence: list[dict[str, Any]] = []
    if search.emit is not None:
        for number, (program, condition) in enumerate(queries, start=1):
            search.emit(f"obligation-{number:03}.smt2", to_smtlib(program, condition, NAMES))
    for name in search.solvers:
        began = time.perf_counter()
        reason = _open_obligations(name, queries, search) or _open_bounds(obligations, name, search)
        evidence.append(
            {
                "solver": name,
                "version": version_of(name),
                "mode": "layered",
                "answer": "unknown" if reason else "unsat",
                "obligations": obligations.covered,
                "queries": len(queries),
                "bounds": len(obligations.bounds),
                "seconds": round(time.perf_counter() - began, 3),
            }
        )
        if reason:
            return Verdict("undecided", None, reason, tuple(evidence), time.perf_counter() - start)
    return Verdict("proved", None, "", tuple(evidence), time.perf_counter() - start)


def _open_obligations(solver: str, queries: Sequence[Query], search: Search) -> str:
    """Empty if the solver proves all, otherwise why not. Queries are independent: several workers may ask them."""
    ask = partial(_ask, solver, queries, search.deadline)
    try:
        with team(search.workers, search.memory) as workers:
            answered = workers.results(ask, range(len(queries)), search.deadline.left + _GRACE)
            with closing(answered):
                for done, (number, status) in enumerate(answered, start=1):
                    if status == "sat":
                        raise InternalError(f"{solver} refutes an obligation", to_smtlib(*queries[number], NAMES))
                    if status == "unknown":
                        return f"{solver} left obligation {number + 1} of {len(queries)} open"
                    search.progress(f"proving obligations with {solver}", done, len(queries))
    except Undecided as error:
        return f"{solver}: {error}"
    return ""


def _open_bounds(obligations: Obligations, solver: str, search: Search) -> str:
    """Step 1 rests on these bounds of the network's neurons: the solver must prove each itself."""
    for number, ((depth, index), ends) in enumerate(obligations.bounds.items()):
        search.progress(f"proving bounds with {solver}", number, len(obligations.bounds))
        asking = Search([solver], max(0.1, search.deadline.left), search.memory)
        try:
            point = asking.find(_bound_question(obligations.network, depth, index, ends))
        except Undecided as error:
            return f"the bound of neuron {depth + 1}:{index} is open: {error}"
        check(point is None, f"the bound of neuron {depth + 1}:{index} does not hold")
    return ""


def _bound_question(network: Network, depth: int, index: int, ends: tuple[Number | None, Number | None]) -> Question:
    """Is there a point at which a neuron's argument leaves its range?"""
    low, high = ends
    layer = network.layers[depth]
    neuron = replace(layer, rows=(layer.rows[index],), activation="identity")
    head = Network((*network.layers[:depth], neuron), network.inputs, network.box, ("t",))

    def build(box: Box) -> tuple[Program, Condition]:
        program = Program(box)
        (t,) = program.add_network(head)
        above = [] if high is None else [positive(t.shifted(-high))]
        below = [] if low is None else [positive((-t).shifted(low))]
        return program, [above + below]

    def holds(point: Point) -> bool:
        (t,) = head.at(point)
        return (high is not None and t > high) or (low is not None and t < low)

    return Question(network.inputs, build, holds)


def _ask(solver: str, queries: Sequence[Query], deadline: Deadline, number: int) -> str:
    """Runs in a worker. The budget of a query is what is left for all of them."""
    program, condition = queries[number]
    return SOLVERS[solver](program, condition, NAMES, deadline.left).status


def extract_and_prove(network: Network, search: Search, **options: Any) -> tuple[Extraction, Verdict]:
    """An extraction with its layered proof; what was proved by what goes into the summary."""
    obligations = Obligations()
    extraction = extract(network, recorder=obligations, **options)
    obligations.check_complete(extraction.formula)
    search.progress("proving", 0, 1)
    verdict = prove_obligations(obligations, search)
    extraction.summary["proofs"] = proof_entries(verdict)
    return extraction, verdict


def proof_entries(verdict: Verdict) -> list[dict[str, Any]]:
    """What summary.json says of a proof, an entry per solver; a point that refutes needs none."""
    evidence = verdict.evidence if verdict.witness is None else ({"solver": "replay", "witness": str(verdict.witness)},)
    return [{"claim": "network = formula", "verdict": verdict.status, **item} for item in evidence]


def prove_layered(network: Network, formula: Formula, search: Search) -> Verdict | None:
    """A layered proof for a formula that is what extraction gives; None for any other formula."""
    for bounds, (strategy, minimise, *others) in product(("auto", "interval"), _STRATEGIES):
        for logic in dict.fromkeys((formula.logic, *others)):
            obligations = Obligations()
            if not search.deadline.left:
                return None
            search.progress(f"extracting again by {strategy} {minimise} {logic} with {bounds} bounds", 0, 1)
            options: dict[str, Any] = {"bounds": bounds, "logic": logic, "strategy": strategy, "minimise": minimise}
            try:
                extraction = extract(network, recorder=obligations, **options)
            except (InputError, Refuted, Undecided):  # no formula in this logic, none at all, or too large a one
                continue
            if extraction.formula == formula:
                obligations.check_complete(extraction.formula)
                return prove_obligations(obligations, search)
    return None
