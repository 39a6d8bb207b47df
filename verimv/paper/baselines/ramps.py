"""Terms for σ(ax − b) in one variable with integers a and b: 0 up to b/a, 1 from (b+1)/a, a ramp in between.

Two identities are used; a procedure chooses between them:

* copies: σ(d·t) = d·σ(t), the d-fold ⊕, and σ(d·t − (d−1)) the d-fold ⊙ of σ(t). The first applies for every d that
  divides a and b, the second for every d that divides a and b + 1;
* split: let c/k lie on the ramp, b/a ≤ c/k ≤ (b+1)/a, and write f1 = (a−k)x − (b−c), f2 = kx − c. f1 increases and
  f1(c/k) = a·c/k − b lies in [0,1], so f2 ≤ 0 ⇒ f1 ≤ 1 and f2 ≥ 0 ⇒ f1 ≥ 0, and under these conditions
  σ(f1 + f2) = (σ(f1) ⊙ σ(f2+1)) ⊕ σ(f2). The split at b/(a−1) takes off one x, as Lemma 3.3 does.

"quadratic" is the optimised procedure of Aguzzoli (1998) as in the paper: copies where a has a divisor in common with b
or b + 1, else Lemma 3.3. Let T(a) be the greatest length over all b. One of b and b + 1 is even; so if
there are no copies then a is odd, a − 1 is even, and both parts of the lemma, σ((a−1)x − b) and σ((a−1)x − (b−1)), are
copies. With T(1) = 1, T(a) ≤ d·T(a/d) for copies and T(a) ≤ 1 + 2·2·T((a−1)/2) for the lemma, induction gives
T(a) ≤ a(a+2)/3. That order is reached, more than a²/4 for a = 3·2^k − 1; but the length is only a for a = 2^k.

"shortest" takes the shortest of these ways and of the split at the simplest fraction of the ramp, at every step; so it
is never longer than "quadratic", and in practice grows little faster than a.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple, TypeVar

from verimv.formulas.dag import ODOT, OPLUS, Dag, multiple

V = TypeVar("V")


class Ramp(NamedTuple):
    """The function σ(a·x − b), 0 ≤ b < a; for other b it is constant."""

    a: int
    b: int


class RampConstruction(NamedTuple):
    """A construction of a ramp: `copies` of one ramp joined by ⊕ or ⊙ (`kind`), or (f1 ⊙ (f2 + 1)) ⊕ f2.

    Parts may be constant.
    """

    parts: tuple[Ramp, ...]
    copies: int = 1
    kind: int = OPLUS


def quadratic_ways(ramp: Ramp) -> list[RampConstruction]:
    """Return the one construction of Aguzzoli's procedure."""
    a, b = ramp
    if b > 0 and a % (b + 1) == 0:  # a ⊙ of multiples of x: length a
        return [_conjunction(ramp, b + 1)]
    if (common := math.gcd(a, b)) > 1:
        return [_sum(ramp, common)]
    if (common := math.gcd(a, b + 1)) > 1:
        return [_conjunction(ramp, common)]
    return [_split(ramp, b, a - 1)]


def shortest_ways(ramp: Ramp) -> list[RampConstruction]:
    """Return Aguzzoli's construction, the other kind of copies, and the split at the simplest fraction."""
    a, b = ramp
    ways = quadratic_ways(ramp)
    if a % (b + 1) == 0 or a % (a - b) == 0:  # length a: none is shorter
        return ways
    if (common := math.gcd(a, b + 1)) > 1:
        ways.append(_conjunction(ramp, common))
    return [*ways, _split(ramp, *simplest_fraction(ramp))]


def _sum(ramp: Ramp, count: int) -> RampConstruction:
    return RampConstruction((Ramp(ramp.a // count, ramp.b // count),), count, OPLUS)


def _conjunction(ramp: Ramp, count: int) -> RampConstruction:
    return RampConstruction((Ramp(ramp.a // count, (ramp.b + 1) // count - 1),), count, ODOT)


def _split(ramp: Ramp, c: int, k: int) -> RampConstruction:
    return RampConstruction((Ramp(ramp.a - k, ramp.b - c), Ramp(k, c - 1), Ramp(k, c)))


def simplest_fraction(ramp: Ramp) -> tuple[int, int]:
    """Return the fraction c/k of [b/a, (b+1)/a] with the smallest denominator, for 0 < b < a − 1."""
    (p, q), (r, s) = (0, 1), (1, 1)
    while True:
        c, k = p + r, q + s
        if c * ramp.a < ramp.b * k:
            p, q = c, k
        elif c * ramp.a > (ramp.b + 1) * k:
            r, s = c, k
        else:
            return c, k


#: Procedures by name.
PROCEDURES: dict[str, Callable[[Ramp], list[RampConstruction]]] = {
    "quadratic": quadratic_ways,
    "shortest": shortest_ways,
}


class RampBuilder:
    """Builds nodes of σ(a·x − b) over the node of x, each ramp once."""

    def __init__(self, dag: Dag, atom: int, procedure: str) -> None:
        self.dag = dag
        self._ways_of = PROCEDURES[procedure]
        self._ways: dict[Ramp, list[RampConstruction]] = {}
        self._lengths = {Ramp(1, 0): 1}
        self._nodes = {Ramp(1, 0): atom}

    def node(self, ramp: Ramp) -> int:
        """Return the node of σ(a·x − b), for any b."""
        if _is_constant(ramp):
            return self._node(ramp)
        _settle(ramp, self._lengths, lambda one: [part for way in self._all_ways(one) for part in way.parts], self._try)
        return _settle(ramp, self._nodes, lambda one: self._best(one).parts, self._join)

    def _all_ways(self, ramp: Ramp) -> list[RampConstruction]:
        if ramp not in self._ways:
            self._ways[ramp] = self._ways_of(ramp)
        return self._ways[ramp]

    def _best(self, ramp: Ramp) -> RampConstruction:
        return min(self._all_ways(ramp), key=self._length)

    def _length(self, way: RampConstruction) -> int:
        return way.copies * sum(self._lengths.get(part, 0) for part in way.parts)

    def _try(self, ramp: Ramp) -> int:
        return self._length(self._best(ramp))

    def _node(self, ramp: Ramp) -> int:
        return self.dag.constant(int(ramp.b < 0)) if _is_constant(ramp) else self._nodes[ramp]

    def _join(self, ramp: Ramp) -> int:
        way = self._best(ramp)
        nodes = [self._node(part) for part in way.parts]
        if len(nodes) == 1:
            return multiple(self.dag, way.copies, nodes[0], way.kind)
        first, second_above, second = nodes
        return self.dag.oplus(self.dag.odot(first, second_above), second)


def _is_constant(ramp: Ramp) -> bool:
    return not 0 <= ramp.b < ramp.a


def _settle(
    wanted: Ramp, known: dict[Ramp, V], below: Callable[[Ramp], Sequence[Ramp]], settled: Callable[[Ramp], V]
) -> V:
    """Return the value of a ramp, after computing those of all non-constant ramps below it."""
    pending = [wanted]
    while pending:
        current = pending[-1]
        if current in known:
            pending.pop()
            continue
        missing = [part for part in below(current) if part not in known and not _is_constant(part)]
        if missing:
            pending += missing
        else:
            known[current] = settled(current)
    return known[wanted]
