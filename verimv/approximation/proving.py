"""Is a simple network within tolerances of the original, everywhere? The proof, with its certificate."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from verimv.certificate.certificate import Certificate
from verimv.certificate.from_ranges import certify_evidence
from verimv.core.effort import SECOND
from verimv.core.progress import Progress
from verimv.exact import ONE, ZERO, Number
from verimv.networks.network import Network
from verimv.questions.distance import Distance, DistanceSearch, certified_bounds
from verimv.solvers.point_search import Search

#: Work of the rounds of a proof.
_ROUNDS = (SECOND, 3 * SECOND, 9 * SECOND)
#: Bounds that are so many times too large are not improved in the last round; earlier, they may be larger.
_FAR = 2


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
    """Search a proof that the outputs of two networks are at most `tolerances` apart, with a fixed amount of work."""
    unlimited = Search(seconds=math.inf, progress=progress)
    search = DistanceSearch(network, other, unlimited, ONE, ZERO, tolerances, certifiable=True)
    search.look()
    for work in _ROUNDS:
        if search.is_over or _excess(search.result(), tolerances) > _FAR * (_ROUNDS[-1] // work):
            break
        search.round(work)
    found = search.result()
    if _excess(found, tolerances) > 1:
        return Closeness(found, None)
    evidence = search.evidence
    certificate = None if evidence is None else certify_evidence(network, other, evidence)
    if certificate is not None:
        proved = certified_bounds(certificate)
        if any(proved[k] > tolerance for k, tolerance in enumerate(tolerances)):
            certificate = None
    return Closeness(found, certificate)


def _excess(found: Distance, tolerances: Sequence[Number]) -> Number:
    """Return the largest proved difference, in tolerances."""
    return max(output.proved / tolerance for output, tolerance in zip(found.outputs, tolerances, strict=True))
