"""Is a simple network within tolerances of the original, everywhere? The proof, with its certificate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from verimv.bounding.prove.twin_layers import Twin
from verimv.bounding.results import Point
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_ranges import certify_evidence
from verimv.core.effort import SECOND
from verimv.core.progress import Progress
from verimv.exact import ONE, ZERO, Number, Rational, ceil
from verimv.networks.network import Network
from verimv.questions.distance import certified_bounds
from verimv.questions.distance_ends import Distance
from verimv.questions.distance_search import DistanceSearch
from verimv.solvers.point_search import Search

#: Work of the rounds of a proof.
_ROUNDS = (SECOND, 3 * SECOND, 9 * SECOND)
#: Bounds that are so many times too large are not improved in the last round; earlier, they may be larger.
_FAR = 2
#: In larger networks, only bounds that need no search are used: a round takes minutes there, and gains little.
MOST_WEIGHTS = 6_000
#: Seconds of work that a kernel may need: the certificate becomes part of a larger one, which may cost more.
_EFFORT = 60
#: Within the tolerances, a bound is improved until it is at most so many times what is attained.
_CLOSE = Rational(11, 10)


@dataclass(frozen=True)
class Closeness:
    """How far apart two networks are, and the certificate if that is within the tolerances."""

    distance: Distance
    certificate: Certificate | None
    #: points of the unit cube where the outputs are as far apart as was seen
    points: Sequence[Point]

    @property
    def slack(self) -> float:
        """The largest proved difference as a multiple of the attained one, for the output where it is largest."""
        return max((float(o.proved / o.attained) for o in self.distance.outputs if o.attained), default=1.0)


def closeness(
    network: Network,
    other: Network,
    tolerances: Sequence[Number],
    progress: Progress,
    factors: Sequence[Sequence[float]] | None = None,
) -> Closeness:
    """Search a proof that the outputs of two networks are at most `tolerances` apart, with a fixed amount of work.

    If there is one, as much work again makes the proved difference smaller. `factors` say, if that is known, of which
    multiples the hidden neurons of the other network are near.
    """
    unlimited = Search(seconds=math.inf, progress=progress)
    search = DistanceSearch(network, other, unlimited, ONE, ZERO, tolerances, certifiable=True)
    if factors is not None:
        search.twins = _twins(network, factors)
    search.look()
    rounds = _ROUNDS if _weights(network) <= MOST_WEIGHTS else ()
    for work in rounds:
        if search.is_over or (work > _ROUNDS[0] and _excess(search, tolerances) > _FAR * (_ROUNDS[-1] // work)):
            break
        search.round(work)
    if _excess(search, tolerances) > 1:
        return Closeness(search.result(), None, _points(search))
    proofs = [(search.result(), search.evidence)]
    for work in rounds:
        attained = max(o.attained / tolerance for o, tolerance in zip(proofs[-1][0].outputs, tolerances, strict=True))
        search.tolerance = short_above(attained * _CLOSE) if attained else ZERO
        if search.is_over:
            break
        search.round(work)
        proofs.append((search.result(), search.evidence))
    for found, evidence in reversed(proofs):  # the last one is best, but may be too much for a kernel
        effort = _EFFORT if found is proofs[0][0] else None
        certificate = None if evidence is None else certify_evidence(network, other, evidence, effort)
        if certificate is not None and _is_within(certificate, tolerances):
            return Closeness(found, certificate, _points(search))
    return Closeness(proofs[0][0], None, _points(search))


def _weights(network: Network) -> int:
    return sum(len(row.terms) for layer in network.layers for row in layer.rows)


def _twins(network: Network, factors: Sequence[Sequence[float]]) -> dict[int, Twin] | None:
    """Return the twins of a network whose neurons are multiples of those of another, at the same places."""
    widths = [len(layer.rows) for layer in network.layers]
    if widths[:-1] != [len(layer) for layer in factors]:  # there are layers in between
        return None
    start, second = len(network.inputs), sum(widths)
    flat = [Rational(float(factor)) for layer in factors for factor in layer]
    return {start + second + n: Twin(start + n, factor) for n, factor in enumerate(flat)}


def _points(search: DistanceSearch) -> list[Point]:
    return [best.point for best in search.points.best]


def _is_within(certificate: Certificate, tolerances: Sequence[Number]) -> bool:
    proved = certified_bounds(certificate)
    return all(proved[k] <= tolerance for k, tolerance in enumerate(tolerances))


def _excess(search: DistanceSearch, tolerances: Sequence[Number]) -> Number:
    """Return the largest proved difference, in tolerances."""
    outputs = search.result().outputs
    return max(output.proved / tolerance for output, tolerance in zip(outputs, tolerances, strict=True))


def power_of_ten(x: Number, digits: int) -> Number:
    """Return the power of ten that makes x > 0 a number with so many digits before its point."""
    return Rational(10) ** (digits - 1 - math.floor(math.log10(float(x))))


def short_above(x: Number) -> Number:
    """Return a number of two decimal digits at or above x > 0."""
    power = power_of_ten(x, 2)
    return Rational(ceil(x * power)) / power
