"""Is a simple network within tolerances of the original, everywhere? The proof, with its certificate."""

from __future__ import annotations

import math
from dataclasses import dataclass

from verimv.certificate.certificate import Certificate
from verimv.core.effort import SECOND
from verimv.core.progress import Progress
from verimv.exact import Number
from verimv.networks.network import Network
from verimv.questions.distance import Distance, DistanceSearch, certified_bound, certify_distance
from verimv.solvers.point_search import Search

#: Work of the rounds of a proof.
_ROUNDS = (SECOND, 3 * SECOND, 9 * SECOND)
#: Bounds that are so many times too large are not improved.
_FAR = 4


@dataclass(frozen=True)
class Closeness:
    """How far apart two networks are, and the certificate if that is within the tolerance."""

    distance: Distance
    certificate: Certificate | None


def closeness(network: Network, other: Network, tolerance: Number, progress: Progress) -> Closeness:
    """Search a proof that two networks are at most `tolerance` apart, with a fixed amount of work."""
    search = DistanceSearch(
        network, other, Search(seconds=math.inf, progress=progress), tolerance, within=tolerance * 0
    )
    search.look()
    for work in _ROUNDS:
        if search.is_over:
            break
        search.round(work)
        if search.proved is not None and search.proved > _FAR * tolerance:
            break
    found = search.result()
    if found.proved > tolerance:
        return Closeness(found, None)
    certificate = certify_distance(network, other, found, seconds=30.0)
    if certificate is not None and certified_bound(certificate) > tolerance:
        certificate = None
    return Closeness(found, certificate)
