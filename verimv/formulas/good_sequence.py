"""Good sequences (Mundici) and their merge: MV sorting networks.

For a form F with values in [0,p] the sequence σ(F), σ(F−1), …, σ(F−p+1) is *good*: non-increasing, and at most one
entry is neither 0 nor 1. Since a + b = (a ⊕ b) + (a ⊙ b), the pair (⊕, ⊙) is a comparator, and Batcher's odd-even merge
built from it turns the good sequences of F and G into that of F + G.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import TypeVar

V = TypeVar("V")

#: Maps a, b to (a ⊕ b, a ⊙ b), for any representation of nodes.
Comparator = Callable[[V, V], tuple[V, V]]


def merge(a: Sequence[V], b: Sequence[V], compare: Comparator[V]) -> list[V]:
    """Return the good sequence of the sum. The recursion depth is logarithmic in the longer sequence."""
    if not a or not b:
        return list(a or b)
    if len(a) == len(b) == 1:
        return list(compare(a[0], b[0]))
    odd = merge(a[::2], b[::2], compare)
    even = merge(a[1::2], b[1::2], compare)
    result = odd[:1]
    for x, y in zip(even, odd[1:], strict=False):
        result += compare(x, y)
    return result + even[len(odd) - 1 :] + odd[len(even) + 1 :]


def merge_sort(literals: Sequence[V], merged: Callable[[list[V], list[V]], list[V]]) -> list[V]:
    """Return the good sequence of a sum of literals, by merge sort."""
    if len(literals) <= 1:
        return list(literals)
    middle = len(literals) // 2
    return merged(merge_sort(literals[:middle], merged), merge_sort(literals[middle:], merged))
