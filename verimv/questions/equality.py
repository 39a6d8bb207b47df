"""Are two networks or formulas equal, or close? Several ways to decide that, the cheapest first."""

from __future__ import annotations

import time
from contextlib import suppress
from dataclasses import replace
from functools import cache
from itertools import product

from verimv.bounding.methods import neuron_bounds
from verimv.bounding.results import NetworkBounds
from verimv.bounding.search.difference import Difference
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_extraction import extract
from verimv.certificate.from_pair import certify, certify_formulas
from verimv.certificate.from_ranges import certify_difference
from verimv.core.effort import SECOND
from verimv.core.errors import InputError, Refuted, Undecided, check_type
from verimv.exact import ZERO, Number, sign
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.solvers.decide import equal_by_solver
from verimv.solvers.point_search import BOX_WORK, Search
from verimv.solvers.verdict import Verdict

#: How a formula may have been extracted, the usual way first: strategy, measure, and logics besides the formula's own
#: (it may not use all operators that its logic has).
_STRATEGIES = (("compact", "length", "rmv"), ("compact", "size", "rmv"), ("paper", "length", "auto", "rmv"))
#: Smaller formulas are decided by one query.
_EXTRACTED_FROM = 200
#: For one query about everything, and for the range of the difference: little at first, since either may be quick
#: where the other is slow.
_ROUNDS = ((SECOND, 3 * SECOND), (20 * SECOND, 30 * SECOND))


def equivalent(
    a: Formula | Network, b: Formula | Network, *, tolerance: Number = ZERO, search: Search | None = None
) -> Verdict:
    """|a − b| ≤ tolerance everywhere, or an exact point where it is not.

    A large formula may be what extraction gives for the network: then the kernel checks a certificate of that. Anything
    else is decided by shared neurons, by one query, by the range of the difference, or by queries about smaller boxes.
    """
    check_type(a, Formula, Network)
    check_type(b, Formula, Network)
    search = search or Search()
    network, formula = (a, b) if isinstance(a, Network) else (b, a)
    if isinstance(network, Network) and isinstance(formula, Formula) and len(formula.dag) > _EXTRACTED_FROM:
        verdict = _by_extraction(network, formula, search)
        if verdict is not None:
            return verdict
    search.progress("comparing neurons", 0, 1)
    difference = Difference(a, b, tolerance)
    verdict = difference.by_structure()
    if verdict is not None:
        return verdict
    for query_work, search_work in _ROUNDS:
        asking = replace(search, seconds=search.deadline.left, work=query_work, split=False)
        verdict = equal_by_solver(a, b, tolerance=tolerance, search=asking)
        if verdict.undecided and search.deadline.left:
            search.progress("finding the range of the difference", 0, 1)
            with suppress(Undecided):  # the time is over
                verdict = difference.by_search(search_work, search.deadline) or verdict
        if not verdict.undecided or not search.deadline.left:
            return verdict
    asking = replace(search, seconds=search.deadline.left, work=BOX_WORK)
    return equal_by_solver(a, b, tolerance=tolerance, search=asking)


def certify_equality(
    a: Formula | Network, b: Formula | Network, *, tolerance: Number = ZERO, seconds: float = 60.0
) -> Certificate | None:
    """Return a certificate that a and b are equal (two networks: up to a tolerance), or None if none is found."""
    if isinstance(a, Network) and isinstance(b, Network):
        return certify_difference(a, b, tolerance, seconds)
    if sign(tolerance):
        raise InputError("--certify with a tolerance is for two networks")
    if isinstance(a, Formula) and isinstance(b, Formula):
        return certify_formulas(*_same_inputs(a, b), seconds)
    network, formula = (a, b) if isinstance(a, Network) else (b, a)
    check_type(network, Network)
    check_type(formula, Formula)
    return certify(network, formula, seconds)  # type: ignore[arg-type]


def _same_inputs(a: Formula, b: Formula) -> tuple[Formula, Formula]:
    """Return both with all inputs, and the outputs of the first: what a certificate of two formulas is about."""
    inputs = list(dict.fromkeys((*a.inputs, *b.inputs)))
    return Formula(a.dag, inputs, a.roots, a.outputs), Formula(b.dag, inputs, b.roots, a.outputs)


def _by_extraction(network: Network, formula: Formula, search: Search) -> Verdict | None:
    """Proved by a certificate, if the formula is what some way of extraction gives; None otherwise."""
    began = time.perf_counter()
    is_integer = to_unit_cube(network).number_kind == "integer"

    @cache
    def proven(method: str, integer_ends: bool) -> NetworkBounds:
        return neuron_bounds(network, method, integer_ends=integer_ends)

    for bounds, (strategy, minimise, *others) in product(("auto", "interval"), _STRATEGIES):
        for logic in dict.fromkeys((formula.logic, *others)):
            if not search.deadline.left:
                return None
            search.progress(f"extracting again by {strategy} {minimise} {logic} with {bounds} bounds", 0, 1)
            try:
                known = proven(bounds, is_integer or strategy == "paper")  # as extraction asks for them
                found = extract(network, bounds=known, logic=logic, strategy=strategy, minimise=minimise)
            except (InputError, Refuted, Undecided):  # no formula in this logic, none at all, or too large a one
                continue
            if found.formula == formula and not found.check():
                seconds = time.perf_counter() - began
                evidence = {"solver": "verimv (certificate)", "answer": "unsat", "seconds": round(seconds, 3)}
                return Verdict("proved", None, "", (evidence,), seconds)
    return None
