"""Are two networks or formulas equal, or close? Several methods, the cheapest first."""

from __future__ import annotations

import math
import time
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cache
from itertools import product
from typing import Any

from verimv.bounding.methods import neuron_bounds
from verimv.bounding.results import NetworkBounds
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_extraction import extract
from verimv.certificate.from_pair import certify, certify_formulas
from verimv.certificate.from_ranges import certify_difference, certify_evidence, certify_sharing
from verimv.core.choices import EFFORT
from verimv.core.effort import SECOND
from verimv.core.errors import InputError, Refuted, Undecided
from verimv.exact import ZERO, Number, sign
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.questions.compared_pair import two_subjects
from verimv.questions.distance import allowed
from verimv.questions.distance_ends import Evidence
from verimv.questions.distance_search import DistanceSearch
from verimv.solvers.decide import equal_by_solver
from verimv.solvers.point_search import BOX_WORK, Search
from verimv.solvers.verdict import Verdict

#: How a formula may have been extracted, the usual way first: strategy, measure, and logics to try after the formula's
#: own (a formula may use only some operators of the logic in which it was extracted).
_STRATEGIES = (("compact", "length", "rmv"), ("compact", "size", "rmv"), ("paper", "length", "auto", "rmv"))
#: Formulas with fewer nodes are decided by one query.
_EXTRACTED_FROM = 200
#: Shares of the effort for one query about everything, and for the range of the difference. Little at first: each may
#: be quick where the other is slow. The rest is for queries about smaller boxes.
_ROUNDS = ((1 / 60, 3 / 60), (20 / 60, 30 / 60))
_REST = 6 / 60
#: Work for how far apart subjects are that are not equal, if nobody gave a tolerance.
_HOW_FAR = SECOND


@dataclass(frozen=True)
class EqualityAnswer:
    """A verdict, and the evidence of the search, if it has any, from which a certificate is made."""

    verdict: Verdict
    evidence: Evidence | None = None


def equivalent(a: Any, b: Any, *, tolerance: Any = ZERO, search: Search | None = None) -> Verdict:
    """Decide whether |a − b| ≤ tolerance everywhere; refuted with an exact point where it is not.

    Each is a formula or network, a path or expression, or anything else that :func:`verimv.load` takes. The tolerance
    is an int, float, Fraction or text such as "1/2".

    If a large formula is what extraction gives for the network, the kernel checks the certificate of that extraction.
    Otherwise the methods are shared neurons, points, one query, the range of the difference, and queries about smaller
    boxes. A verdict other than "proved" says how far apart both are.
    """
    return answer_equality(*two_subjects(a, b), allowed(tolerance), search).verdict


def answer_equality(
    a: Formula | Network, b: Formula | Network, tolerance: Number, search: Search | None
) -> EqualityAnswer:
    """Decide as :func:`equivalent` does, and keep the evidence."""
    search = search or Search()
    network, formula = (a, b) if isinstance(a, Network) else (b, a)
    if isinstance(network, Network) and isinstance(formula, Formula) and len(formula.dag) > _EXTRACTED_FROM:
        verdict = _by_extraction(network, formula, search)
        if verdict is not None:
            return EqualityAnswer(verdict)
    search.progress("comparing neurons", 0, 1)
    closing = DistanceSearch(a, b, search, tolerance, ZERO)
    verdict = closing.difference.by_structure()
    if verdict is not None:
        return EqualityAnswer(verdict)
    closing.look()
    verdict = _decided(closing)
    if verdict is None:  # a refuted verdict is false
        verdict = _by_rounds(a, b, tolerance, search, closing)
    if verdict.refuted and not sign(tolerance):
        closing.tolerance = None
        closing.close(_HOW_FAR)
    return EqualityAnswer(_apart(verdict, closing), closing.evidence_within(tolerance))


def _decided(closing: DistanceSearch) -> Verdict | None:
    """Return the verdict if an end of the interval decides the tolerance."""
    tolerance = ZERO if closing.tolerance is None else closing.tolerance
    if closing.attained > tolerance:
        return closing.difference.refuted(closing.points.farthest.point)
    if closing.networks is not None and closing.proved is not None and closing.proved <= tolerance:
        return closing.difference.proved("differences of neurons")
    return None


def _by_rounds(
    a: Formula | Network, b: Formula | Network, tolerance: Number, search: Search, closing: DistanceSearch
) -> Verdict:
    """Ask solvers and the search in turn, with more work each time; then solvers about smaller boxes.

    Solvers are good at formulas, the search at networks: so that one comes first, unless solvers were chosen.
    """
    search_first = isinstance(a, Network) and isinstance(b, Network) and len(search.solvers) == 1
    for query_share, search_share in _ROUNDS:
        query_work, search_work = (int(share * search.effort * SECOND) for share in (query_share, search_share))
        verdict: Verdict | None = None
        for by_search in (search_first, not search_first):
            if by_search and search.deadline.left:
                search.progress("finding the range of the difference", 0, 1)
                with suppress(Undecided):  # the time is over
                    if closing.networks is not None:
                        closing.close(search_work)
                        found = _decided(closing)
                    else:
                        found = closing.difference.by_search(search_work, search.deadline)
                    verdict = verdict if found is None else found
            elif not by_search:
                asking = replace(search, seconds=search.deadline.left, work=query_work, split=False)
                verdict = equal_by_solver(a, b, tolerance=tolerance, search=asking)
            if verdict is not None and not verdict.undecided:
                return verdict
        if verdict is not None and not search.deadline.left:
            return verdict
    asking = replace(search, seconds=search.deadline.left, work=BOX_WORK, effort=_REST * search.effort)
    return equal_by_solver(a, b, tolerance=tolerance, search=asking)


def _apart(verdict: Verdict, closing: DistanceSearch) -> Verdict:
    """Return the verdict with how far apart both subjects are, as far as that is known."""
    if verdict.proved:
        return verdict
    attained, proved = closing.attained, closing.proved
    if verdict.undecided and proved is not None:
        ends = f"the difference is at least {rounded_down(attained)} and at most {rounded_up(proved)}"
        return replace(verdict, reason=f"{verdict.reason}; {ends}", apart=(attained, proved))
    return replace(verdict, apart=(max(attained, closing.difference.at(verdict)), proved))


def certify_equality(
    a: Any, b: Any, *, tolerance: Any = ZERO, seconds: float = math.inf, effort: float = EFFORT
) -> Certificate | None:
    """Return a certificate that a and b are equal (two networks: up to a tolerance), or None if none is found."""
    (a, b), tolerance = two_subjects(a, b), allowed(tolerance)
    if isinstance(a, Network) and isinstance(b, Network):
        return _certify_networks(a, b, tolerance, seconds, effort)
    if sign(tolerance):
        raise InputError("equality up to a tolerance can be certified for two networks only")
    if isinstance(a, Formula) and isinstance(b, Formula):
        return certify_formulas(*_same_inputs(a, b), seconds)
    if isinstance(a, Network) and isinstance(b, Formula):
        return certify(a, b, seconds)
    return certify(b, a, seconds)


def certify_answer(
    a: Formula | Network,
    b: Formula | Network,
    answer: EqualityAnswer,
    tolerance: Number,
    seconds: float,
    effort: float = EFFORT,
) -> Certificate | None:
    """Return a certificate as :func:`certify_equality` does, from the evidence of an answer if it has any."""
    if answer.evidence is None or not isinstance(a, Network) or not isinstance(b, Network):
        return certify_equality(a, b, tolerance=tolerance, seconds=seconds, effort=effort)
    certificate = certify_sharing(a, b, tolerance) or certify_evidence(a, b, answer.evidence.loosened(tolerance))
    return certificate or certify_difference(a, b, tolerance, seconds)


def _certify_networks(a: Network, b: Network, tolerance: Number, seconds: float, effort: float) -> Certificate | None:
    """Return a certificate by shared neurons, by the evidence of the search for the distance of both networks, or by
    evidence about each network."""
    certificate = certify_sharing(a, b, tolerance)
    if certificate is None:
        seconds /= 2
        search = Search(seconds=seconds, effort=effort)
        evidence = DistanceSearch(a, b, search, tolerance, ZERO, certifiable=True).run().evidence_within(tolerance)
        certificate = None if evidence is None else certify_evidence(a, b, evidence.loosened(tolerance))
    return certificate or certify_difference(a, b, tolerance, seconds)


def _same_inputs(a: Formula, b: Formula) -> tuple[Formula, Formula]:
    """Return both formulas with the inputs of both and the outputs of the first, as a certificate needs them."""
    inputs = list(dict.fromkeys((*a.inputs, *b.inputs)))
    return Formula(a.dag, inputs, a.roots, a.outputs), Formula(b.dag, inputs, b.roots, a.outputs)


def _by_extraction(network: Network, formula: Formula, search: Search) -> Verdict | None:
    """Return "proved", by a certificate, if some options of extraction give this formula; None otherwise."""
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
                known = proven(bounds, is_integer or strategy == "paper")  # as extraction computes them
                found = extract(network, bounds=known, logic=logic, strategy=strategy, minimise=minimise)
            except (InputError, Refuted, Undecided):  # no formula in this logic, none at all, or too large
                continue
            if found.formula == formula and not found.check():
                seconds = time.perf_counter() - began
                evidence = {"solver": "verimv (certificate)", "answer": "unsat", "seconds": round(seconds, 3)}
                return Verdict("proved", None, "", (evidence,), seconds)
    return None
