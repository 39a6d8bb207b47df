"""Step 2, compact, for integer weights: the shortest way to build a form from halving, cuts and sorting.

Lengths add up, so the shortest way is a matter of dynamic programming over forms: each is looked at once, the ways to
build it in the order of what they need at least (a form Σ m_i·ℓ_i + c that is not constant needs m_i occurrences of
ℓ_i, because a term rises no faster than it has occurrences), and only until none can be better than the best so far.

A cut f = f1 + f2 is allowed where f2 ≤ 0 ⇒ f1 ≤ 1 and f2 ≥ 0 ⇒ f1 ≥ 0: two fractional knapsacks. All cuts are tried
while there are few; of a large form, those into nearly proportional parts and single literals.
"""

from __future__ import annotations

import math
import operator
from collections import Counter
from collections.abc import Iterator, Sequence
from itertools import combinations_with_replacement, product
from typing import NamedTuple

from verimv.core.errors import InternalError, Undecided
from verimv.exact import Rational, format_count
from verimv.extraction.strategies.plan import Choice, Cut, Halve, Key, Sort, good_sequence
from verimv.formulas.good_sequence import merge

#: What all searches for one network may take, about in microseconds; then only the last limits are tried.
MAX_WORK = 4_000_000.0
#: Larger sums are not sorted, and larger coefficients not as repeated literals, or (True) by doubling sequences.
_MAX_SORTED = 20_000
_MAX_REPEATED = {False: 4, True: 64}
#: Sums of more literals than this are sorted if they can be: peeling one after the other takes a square of them.
MAX_PEELED = 100

#: ((coefficient, length of its literal), …), in order: what the length of a form depends on, besides its constant
Shape = tuple[tuple[int, int], ...]
Vector = tuple[int, ...]


class Construction(NamedTuple):
    """One way to build a form; a cut has the coefficients of f2, in the order of the shape, and minus its constant."""

    choice: type[Halve] | type[Cut] | Sort
    second: Vector = ()
    t: int = 0


class _Frame:
    """A form whose ways are being compared."""

    def __init__(self, form: tuple[Shape, int], ways: list[tuple[int, Construction]]) -> None:
        self.form = form
        self.ways = ways
        self.next = 0
        self.best: tuple[int, Construction | None] = (-1, None)

    def offer(self, length: int, way: Construction) -> None:
        if self.best[1] is None or length < self.best[0]:
            self.best = (length, way)


class SearchLimits(NamedTuple):
    """Limits of one attempt of the search."""

    #: all cuts of a form are tried while their number times the form's total is no more than this
    all_cuts: int
    #: of larger forms, this many sizes of f2
    sizes: int
    #: and what it may take, about in microseconds
    work: float


#: Tried in turn until one is finished. The last is halving and Lemma 3.3: quick for all but very wide forms.
SEARCH_LIMITS = (
    SearchLimits(7_000, 24, 600_000),
    SearchLimits(1_000, 3, 300_000),
    SearchLimits(200, 1, 100_000),
    SearchLimits(0, 0, 50_000_000),
)


class _TooMuch(Exception):
    """A search has reached its limits."""


class LengthSearch:
    """Remembers every form, so that neurons of one network share the work; `work` bounds it for all of them."""

    def __init__(self, work: float = MAX_WORK) -> None:
        self._all_left = work
        self._left = 0.0
        self._best: dict[tuple[Shape, int], tuple[int, Construction | None]] = {}
        self._cuts: dict[Shape, dict[int, list[tuple[Vector, int]]]] = {}
        self._sorted: dict[tuple[Shape, bool], list[int]] = {}

    def choose(self, key: Key, weights: Sequence[int]) -> Choice:
        """Return how to build a form that is neither constant nor a literal, given the lengths of the literals."""
        terms, constant = key
        order = sorted(terms, key=lambda term: (term[2], weights[term[0]]))
        way = self.best(tuple((m, weights[j]) for j, _, m in order), constant)[1]
        if way is None:
            raise InternalError("a constant or a literal is not built")
        if not isinstance(way.choice, type):
            return way.choice
        if way.choice is Halve:
            return Halve()
        second = {j: (j, positive, b) for (j, positive, _), b in zip(order, way.second, strict=True) if b}
        first = tuple(
            (j, positive, m - second[j][2] if j in second else m)
            for j, positive, m in terms
            if j not in second or m > second[j][2]
        )
        rest = tuple(second[j] for j, _, _ in terms if j in second)
        return Cut((first, constant + way.t), (rest, -way.t))

    def length(self, key: Key, weights: Sequence[int]) -> int:
        terms, constant = key
        return self.best(tuple(sorted((m, weights[j]) for j, _, m in terms)), constant)[0]

    def best(self, shape: Shape, constant: int) -> tuple[int, Construction | None]:
        """Return the least length found, and the construction that has it."""
        for limits in SEARCH_LIMITS:
            begin = self._left = min(limits.work, self._all_left / 8) if limits.sizes else limits.work
            try:
                return self._search(shape, constant, limits)
            except _TooMuch:
                pass
            finally:
                self._all_left -= begin - self._left if limits.sizes else 0
        total = format_count(sum(m for m, _ in shape))
        raise Undecided(f"a unit with {len(shape):,} inputs and weights of {total} in all is too large to be planned")

    def _search(self, shape: Shape, constant: int, limits: SearchLimits) -> tuple[int, Construction | None]:
        frames: list[_Frame] = []
        while (found := self._known(shape, constant)) is None:
            missing = self._advance(frames[-1]) if frames else (shape, constant)
            if missing is not None:
                frames.append(self._frame(*missing, limits))
            else:
                done = frames.pop()
                self._best[done.form] = done.best
        return found

    def _spend(self, work: float) -> None:
        self._left -= work
        if self._left < 0:
            raise _TooMuch

    def _known(self, shape: Shape, constant: int) -> tuple[int, Construction | None] | None:
        total = sum(m for m, _ in shape)
        if constant >= 1 or constant + total <= 0:
            return 0, None
        if total == 1:
            return shape[0][1], None
        if constant == 0 or constant == 1 - total:  # a ⊕ or a ⊙ of literals, as short as can be
            return sum(m * w for m, w in shape), _plain_way([m for m, _ in shape], constant)
        return self._best.get((shape, constant))

    def _advance(self, frame: _Frame) -> tuple[Shape, int] | None:
        """Compare ways until one needs a form that is not known yet, which is returned."""
        shape, constant = frame.form
        while frame.next < len(frame.ways):
            least, way = frame.ways[frame.next]
            if frame.best[1] is not None and least >= frame.best[0]:
                break
            length = least if isinstance(way.choice, Sort) else 0
            for times, part in _parts(shape, constant, way):
                known = self._known(*part)
                if known is None:
                    return part
                length += times * known[0]
            frame.offer(length, way)
            frame.next += 1
            self._spend(4)
        return None

    def _frame(self, shape: Shape, constant: int, limits: SearchLimits) -> _Frame:
        m = tuple(coefficient for coefficient, _ in shape)
        weights = [w for _, w in shape]
        whole = sum(map(operator.mul, m, weights))
        ways = [
            (whole + sum(map(operator.mul, second, weights)), Construction(Cut, second, t))
            for second, t in self._likely_cuts(shape, constant, limits)
        ]
        if all(a % 2 == 0 for a in m):
            ways.append((whole, Construction(Halve)))
        for sort in sorts(m):
            ways.append((self._sequence(shape, sort.halved)[-constant], Construction(sort)))
        ways.sort(key=lambda item: item[0])  # among equals, sorting comes last
        self._spend(20 + len(m))
        return _Frame((shape, constant), ways)

    def _likely_cuts(self, shape: Shape, constant: int, limits: SearchLimits) -> list[tuple[Vector, int]]:
        """The cuts to try: all of them in a small form; in a large one a literal, and hyperplanes f2 = 0 nearly
        parallel to f = 0."""
        m = tuple(coefficient for coefficient, _ in shape)
        if len(m) > MAX_PEELED and sorts(m):
            return []
        if _count(shape) * sum(m) <= limits.all_cuts:
            return self._all_cuts(shape).get(constant, [])
        cuts = [] if all(a % 2 == 0 for a in m) else [(_plain_way(m, constant).second, -constant)]
        for second, near in _parallel(m, constant, limits.sizes):
            first = tuple(map(operator.sub, m, second))
            for t in range(max(near, 1), min(near + 2, sum(second))):
                self._spend(10 + 2 * len(m))
                if any(first) and _is_allowed(first, second, constant, t):
                    cuts.append((second, t))
        return cuts

    def _sequence(self, shape: Shape, is_halved: bool) -> list[int]:
        """The lengths of a good sequence."""
        known = self._sorted.get((shape, is_halved))
        if known is None:
            terms = [(w, m) for m, w in shape]
            known = good_sequence(terms, is_halved, _merged_lengths, lambda a: (2 * a, 2 * a))
            self._sorted[shape, is_halved] = known
            self._spend(len(known) * len(known).bit_length() ** 2 // 4)
        return known

    def _all_cuts(self, shape: Shape) -> dict[int, list[tuple[Vector, int]]]:
        """Return all cuts, by the constant of the form: the coefficients of f2, and minus its constant."""
        cuts = self._cuts.get(shape)
        if cuts is None:
            cuts = {}
            m = tuple(coefficient for coefficient, _ in shape)
            for second in _subvectors(shape):
                first = tuple(map(operator.sub, m, second))
                self._spend(5 + sum(second))
                for t, low, high in _allowed(first, second) if any(first) and any(second) else ():
                    for constant in range(max(low, 2 - sum(m)), min(high, -1) + 1):
                        cuts.setdefault(constant, []).append((second, t))
            self._cuts[shape] = cuts
        return cuts


def sorts(m: Sequence[int]) -> list[Sort]:
    """The ways to sort a sum with these coefficients that are worth a try."""
    if not 0 < sum(m) <= _MAX_SORTED:
        return []
    return [Sort(is_halved) for is_halved, most in _MAX_REPEATED.items() if max(m) <= most]


def _merged_lengths(a: list[int], b: list[int]) -> list[int]:
    return merge(a, b, lambda x, y: (x + y, x + y))


def _plain_way(m: Sequence[int], constant: int) -> Construction:
    """Halve, or peel a literal with an odd coefficient by Lemma 3.3."""
    odd = next((i for i, a in enumerate(m) if a % 2), None)
    return (
        Construction(Halve)
        if odd is None
        else Construction(Cut, tuple(a - (i == odd) for i, a in enumerate(m)), -constant)
    )


def _parallel(m: Vector, constant: int, sizes: int) -> Iterator[tuple[Vector, int]]:
    """Coefficients of f2 about proportional to m, and where to look for minus its constant.

    A small f2 is best where the form is nearly one-dimensional, a balanced cut where it is not.
    """
    if not sizes:
        return
    largest = max(m)
    scales: Sequence[int] = range(1, largest)
    if largest > sizes:
        shares = [largest * i // 12 for i in (6, 8, 9, 4, 3)[: sizes if sizes <= 3 else 5]]
        scales = sorted({*range(1, sizes // 3), *shares} - {0})
    roundings = (largest // 2, 0, largest - 1) if sizes > 1 else (largest // 2,)
    for scale in scales:
        vectors = [tuple((a * scale + rounding) // largest for a in m) for rounding in roundings]
        for second in dict.fromkeys(vectors):
            yield second, -constant * scale // largest


def _parts(shape: Shape, constant: int, way: Construction) -> Iterator[tuple[int, tuple[Shape, int]]]:
    """The forms that a way needs, and how often; a good sequence is taken as a whole."""
    if isinstance(way.choice, Sort):
        return
    if way.choice is Halve:
        yield 2, (tuple((m // 2, w) for m, w in shape), (constant + 1) // 2)
        return
    pairs = list(zip(shape, way.second, strict=True))
    second = tuple(sorted((b, w) for (_, w), b in pairs if b))
    yield 1, (second, -way.t)
    yield 1, (second, 1 - way.t)
    yield 1, (tuple(sorted((m - b, w) for (m, w), b in pairs if m > b)), constant + way.t)


def _count(shape: Shape) -> int:
    """Return the number of vectors that :func:`_subvectors` yields."""
    return math.prod(math.comb(m + count, count) for (m, _), count in Counter(shape).items())


def _subvectors(shape: Shape) -> Iterator[Vector]:
    """All vectors below the coefficients; among equal terms, up to their order."""
    classes = [combinations_with_replacement(range(m + 1), count) for (m, _), count in sorted(Counter(shape).items())]
    for parts in product(*classes):
        yield tuple(b for part in parts for b in part)


def _allowed(first: Vector, second: Vector) -> Iterator[tuple[int, int, int]]:
    """(t, low, high): f1 = first·ℓ + c + t and f2 = second·ℓ − t may be cut for low ≤ c ≤ high; 0 < t < Σ second.

    With K(t) = max first·ℓ where second·ℓ ≤ t, and k(t) = min first·ℓ where second·ℓ ≥ t (fractional knapsacks): the
    side conditions are K(t) + c + t ≤ 1 and k(t) + c + t ≥ 0.
    """
    free = sum(a for a, b in zip(first, second, strict=True) if not b)
    pairs = _by_ratio(first, second)
    least = _knapsack(pairs)
    most = _knapsack(pairs[::-1])
    for t, (low, high) in enumerate(zip(least, most, strict=True)):
        k, big = low[0] // low[1], free - (-high[0] // high[1])
        if t and big <= 1 + k:
            yield t, -t - k, 1 - t - big


def _by_ratio(first: Vector, second: Vector) -> list[tuple[int, int]]:
    pairs = [(a, b) for a, b in zip(first, second, strict=True) if b]
    if len(pairs) > 1:
        pairs.sort(key=lambda pair: Rational(*pair))
    return pairs


def _knapsack(pairs: Sequence[tuple[int, int]]) -> Iterator[tuple[int, int]]:
    """The value a·ℓ when ℓ is filled up in this order to b·ℓ = t, for t = 0, 1, … below Σ b, as a fraction."""
    value = 0
    for a, b in pairs:
        for filled in range(b):
            yield value * b + filled * a, b
        value += a


def _is_allowed(first: Vector, second: Vector, constant: int, t: int) -> bool:
    """Return whether one cut is allowed, as in :func:`_allowed`."""
    free = sum(a for a, b in zip(first, second, strict=True) if not b)
    pairs = _by_ratio(first, second)
    return _filled(pairs, t) >= -constant - t and free + _filled(pairs[::-1], t) <= 1 - constant - t


def _filled(pairs: Sequence[tuple[int, int]], t: int) -> Rational:
    """Return one value of :func:`_knapsack`."""
    value = 0
    for a, b in pairs:
        if t <= b:
            return value + Rational(a * t, b)
        value, t = value + a, t - b
    return Rational(value)
