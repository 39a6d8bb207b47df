"""Length, size, depth and logic of terms, each by one fold."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import gmpy2

from verimv.exact import Number
from verimv.formulas.dag import DIVIDE, SCALE, VARIABLE, Algebra, Dag, fold, reachable

#: Lengths with more decimal digits than this are shown, and computed, as ~2^K.
MAX_LENGTH_DIGITS = 10_000
_MAX_LENGTH_BITS = math.ceil(MAX_LENGTH_DIGITS * math.log2(10))


class _Length(Algebra[int]):
    """The paper's length: occurrences of variables in the written-out formula."""

    def variable(self, name: str) -> int:
        return 1

    def constant(self, value: int) -> int:
        return 0

    def neg(self, a: int) -> int:
        return a

    def oplus(self, a: int, b: int) -> int:
        return a + b

    odot = oplus

    def divide(self, divisor: int, a: int) -> int:
        return a

    def scale(self, factor: Number, a: int) -> int:
        return a


class _LengthWithinReason(_Length):
    """The length, exact up to 10,000 digits, then its logarithm (a float), so that 10⁶ doublings are cheap."""

    def oplus(self, a: int | float, b: int | float) -> int | float:  # type: ignore[override]
        if isinstance(a, float) or isinstance(b, float):
            small, large = sorted((_log2(a), _log2(b)))
            return large + math.log2(1 + 2.0 ** (small - large))
        total = a + b
        return total if total.bit_length() <= _MAX_LENGTH_BITS else _log2(total)

    odot = oplus  # type: ignore[assignment]


def _log2(length: int | float) -> float:
    if isinstance(length, float):
        return length
    return math.log2(length) if length else -math.inf


class _Depth(Algebra[int]):
    """Number of operators on the longest path, including ¬."""

    def variable(self, name: str) -> int:
        return 0

    def constant(self, value: int) -> int:
        return 0

    def neg(self, a: int) -> int:
        return a + 1

    def oplus(self, a: int, b: int) -> int:
        return (a if a > b else b) + 1

    odot = oplus

    def divide(self, divisor: int, a: int) -> int:
        return a + 1

    def scale(self, factor: Number, a: int) -> int:
        return a + 1


class _WeightedLength(_Length):
    """The length if variables are replaced by terms of these lengths."""

    def __init__(self, weights: Mapping[str, int]) -> None:
        self._weights = weights

    def variable(self, name: str) -> int:
        return self._weights[name]


def lengths(dag: Dag, roots: Sequence[int], weights: Mapping[str, int] | None = None) -> list[int]:
    """Return the exact length of each root, however large; a variable counts its entry of `weights`, or 1."""
    return fold(dag, roots, _Length() if weights is None else _WeightedLength(weights))


def format_length(length: int | float) -> str:
    """Return a decimal string, or ``~2^K`` for a length of which only the logarithm is known."""
    if isinstance(length, float):
        return f"~2^{round(length)}"
    return str(gmpy2.mpz(length))  # Python's own int refuses to print more than 4,300 digits


@dataclass(frozen=True)
class Measures:
    """Results of `verimv measure`. `length` sums over the outputs; `size` counts shared nodes once."""

    length: int | float
    size: int
    depth: int
    logic: str
    operators: dict[str, int]

    @property
    def length_text(self) -> str:
        return format_length(self.length)


_OPERATOR_NAMES = ("variable", "0", "1", "¬", "⊕", "⊙", "δ", "Δ")


def logic_of(dag: Dag, roots: Sequence[int]) -> str:
    """Return the smallest of "mv", "dmv", "rmv" whose operators suffice."""
    kinds = {dag.kinds[number] for number in reachable(dag, roots)[0]}
    return "rmv" if SCALE in kinds else "dmv" if DIVIDE in kinds else "mv"


def measure(dag: Dag, roots: Sequence[int]) -> Measures:
    counts = [0] * len(_OPERATOR_NAMES)
    for number in reachable(dag, roots)[0]:
        counts[dag.kinds[number]] += 1
    total: int | float = 0
    adding = _LengthWithinReason()
    for length in fold(dag, roots, adding):
        total = adding.oplus(total, length)
    return Measures(
        length=total,
        size=sum(counts),
        depth=max(fold(dag, roots, _Depth()), default=0),
        logic=logic_of(dag, roots),
        operators={name: count for name, count in zip(_OPERATOR_NAMES, counts, strict=True) if count},
    )


def tree_nodes(dag: Dag, roots: Sequence[int], limit: int) -> int:
    """Number of nodes of the written-out trees; counting stops at about `limit`."""
    counts: dict[int, int] = {}
    for number in reachable(dag, roots)[0]:
        counts[number] = min(limit, 1 + sum(counts[operand] for operand in dag.operands(number)))
    return sum(counts[root] for root in roots)


def variables(dag: Dag, roots: Sequence[int]) -> list[str]:
    """Return the names of the variables that occur, in building order."""
    return [dag.payload(n) for n in reachable(dag, roots)[0] if dag.kinds[n] == VARIABLE]
