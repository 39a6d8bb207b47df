"""Is a simple network within tolerances of the original, everywhere? The proof, with its certificate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from verimv.certificate.certificate import Certificate
from verimv.certificate.from_ranges import certify_evidence
from verimv.core.effort import SECOND
from verimv.core.progress import Progress
from verimv.exact import ONE, ZERO, Number, Rational
from verimv.networks.network import Network
from verimv.questions.distance import Distance, DistanceSearch, certified_bounds
from verimv.solvers.point_search import Search

#: Work of the rounds of a proof.
_ROUNDS = (SECOND, 3 * SECOND, 9 * SECOND)
#: Bounds that are so many times too large are not improved in the last round; earlier, they may be larger.
_FAR = 2
#: Within the tolerances, a bound is improved until it is at most so many times what is attained.
_CLOSE = Rational(11, 10)


@dataclass(frozen=True)
class Closeness:
    """How far apart two networks are, and the certificate if that is within the tolerances."""

    distance: Distance
    certificate: Certificate | None

    @property
    def slack(self) -> float:
        """The largest proved difference as a multiple of the attained one, for the output where it is largest."""
        return max((float(o.proved / o.attained) for o in self.distance.outputs if o.attained), default=1.0)


def closeness(network: Network, other: Network, tolerances: Sequence[Number], progress: Progress) -> Closeness:
    """Search a proof that the outputs of two networks are at most `tolerances` apart, with a fixed amount of work.

    If there is one, as much work again makes the proved difference smaller.
    """
    unlimited = Search(seconds=math.inf, progress=progress)
    search = DistanceSearch(network, other, unlimited, ONE, ZERO, tolerances)
    search.look()
    for work in _ROUNDS:
        if search.is_over or (work > _ROUNDS[0] and _excess(search, tolerances) > _FAR * (_ROUNDS[-1] // work)):
            break
        search.round(work)
    if _excess(search, tolerances) > 1:
        return Closeness(search.result(), None)
    proofs = [(search.result(), search.evidence)]
    for work in _ROUNDS:
        attained = max(o.attained / tolerance for o, tolerance in zip(proofs[-1][0].outputs, tolerances, strict=True))
        search.tolerance = attained * _CLOSE
        if search.is_over:
            break
        search.round(work)
        proofs.append((search.result(), search.evidence))
    for found, evidence in reversed(proofs):  # the last one is best, but may have no certificate
        certificate = None if evidence is None else certify_evidence(network, other, evidence)
        if certificate is not None and _is_within(certificate, tolerances):
            return Closeness(found, certificate)
    return Closeness(proofs[0][0], None)


def _is_within(certificate: Certificate, tolerances: Sequence[Number]) -> bool:
    proved = certified_bounds(certificate)
    return all(proved[k] <= tolerance for k, tolerance in enumerate(tolerances))


def _excess(search: DistanceSearch, tolerances: Sequence[Number]) -> Number:
    """Return the largest proved difference, in tolerances."""
    outputs = search.result().outputs
    return max(output.proved / tolerance for output, tolerance in zip(outputs, tolerances, strict=True))
