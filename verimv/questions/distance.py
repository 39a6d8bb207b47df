"""How far apart are two networks or formulas? An interval for max |a − b|: attained at a point, proved from above."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from verimv.certificate.certificate import Certificate
from verimv.certificate.from_ranges import certify_difference, certify_evidence
from verimv.core.errors import InputError
from verimv.exact import ZERO, Number, as_number, format_number, parse_number, sign
from verimv.networks.network import Network
from verimv.questions.compared_pair import two_subjects
from verimv.questions.distance_ends import Distance
from verimv.questions.distance_search import DistanceSearch
from verimv.solvers.point_search import Search


def distance(
    a: Any,
    b: Any,
    *,
    tolerance: Any = None,
    within: Any = 0,
    effort: float | None = None,
    search: Search | None = None,
) -> Distance:
    """Return an interval for max |a − b|, per output and overall.

    Each is a formula or network, a path or expression, or anything else that :func:`verimv.load` takes. Numbers are
    int, float, Fraction or text. Stops when both ends meet, when they are `within` this relative gap (1/10: proved ≤
    1.1 · attained), when it is decided whether the distance is at most the `tolerance`, or after an `effort` of about
    so many seconds of work (60), which is counted in steps: the result is the same on every run.
    """
    a, b = two_subjects(a, b)
    limit, gap = None if tolerance is None else allowed(tolerance), allowed(within, "relative gap")
    search = search or Search()
    closing = DistanceSearch(a, b, search if effort is None else replace(search, effort=effort), limit, gap)
    return closing.run()


def allowed(number: Any, what: str = "tolerance") -> Number:
    """Return an exact number ≥ 0."""
    limit = as_number(number)
    if sign(limit) < 0:
        raise InputError(f"the {what} {format_number(limit)} is negative")
    return limit


def certify_distance(a: Any, b: Any, found: Distance, seconds: float) -> Certificate | None:
    """Return a certificate of the bounds `found` of |a − b| for two networks, or None if no evidence is found."""
    a, b = two_subjects(a, b)
    if not isinstance(a, Network) or not isinstance(b, Network):
        return None
    certificate = None if found.evidence is None else certify_evidence(a, b, found.evidence)
    return certificate or certify_difference(a, b, found.proved, seconds)


def certified_bounds(certificate: Certificate) -> dict[int, Number]:
    """Return the bounds of |a − b| that a certificate of a difference proves, by output: those of its last layer."""
    bounds = [line for line in map(json.loads, certificate.body) if line[0] == "bound"]
    last = max(layer for _, layer, *_ in bounds)
    found: dict[int, Number] = {}
    for _, layer, k, _, value, *_ in bounds:
        if layer == last:
            found[k] = max(abs(parse_number(value)), found.get(k, ZERO))
    return found


def certified_bound(certificate: Certificate) -> Number:
    """Return the largest of these bounds."""
    return max(certified_bounds(certificate).values())
