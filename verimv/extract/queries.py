"""What solvers are asked about the rules of an extraction: each rule once per kind and range of its operands.

A query is a program over two numbers g and h, and a condition that no values of them may meet.
"""

from __future__ import annotations

from collections.abc import Sequence

from verimv.exact import Number, Rational
from verimv.extract.good_sequence import merge
from verimv.networks.affine import Affine
from verimv.networks.program import Program, Range
from verimv.smt.encode import Condition, nonnegative, positive

Query = tuple[Program, Condition]
#: Whole ends of a range.
Ends = tuple[int, int]

G, H = Affine.variable(0), Affine.variable(1)
#: The variables of a query.
NAMES = ("g", "h")


class _Operators:
    """⊕ and ⊙ in a program."""

    def __init__(self, *ranges: Ends) -> None:
        self.program = Program(tuple((Rational(low), Rational(high)) for low, high in ranges))

    def clip(self, form: Affine) -> Affine:
        return self.program.clip(form)

    def oplus(self, a: Affine, b: Affine) -> Affine:
        return self.program.clip(a + b)

    def odot(self, a: Affine, b: Affine) -> Affine:
        return self.program.clip((a + b).shifted(-1))


def coarse(low: int, high: int) -> Ends:
    """A range around [low, high] with few different ends: exact integers near [0,1], powers of two further away."""
    if low < -2:
        low = -(1 << (-low).bit_length())
    if high > 2:
        high = 1 << high.bit_length()
    return min(low, 2), max(high, -2)


def differ(a: Affine, b: Affine) -> Condition:
    difference = a + (-b)
    return [[positive(difference), positive(-difference)]]


def lemma_query(is_positive: bool, first: int | None, second: int | None, range_: Ends) -> Query:
    """Lemmas 3.3 and 6.4 where operands that are constant on the whole range stand as constants."""
    op = _Operators(range_, (0, 1))

    def operand(constant: int | None, form: Affine) -> Affine:
        return op.clip(form) if constant is None else Affine((), Rational(constant))

    a, b = operand(first, G), operand(second, G.shifted(1 if is_positive else -1))
    if is_positive:
        return op.program, differ(op.clip(G + H), op.odot(op.oplus(a, H), b))
    built = op.odot(op.oplus(a.complement(), H), b.complement()).complement()
    return op.program, differ(op.clip(G + (-H)), built)


def plus_query(first: Ends, second: Ends) -> Query:
    """σ(g) ⊕ σ(h) = σ(g + h), in ranges ≥ 0."""
    op = _Operators(first, second)
    return op.program, differ(op.clip(G + H), op.oplus(op.clip(G), op.clip(H)))


def times_query(first: Ends, second: Ends) -> Query:
    """σ(g) ⊙ σ(h) = σ(g + h − 1), in ranges ≤ 1."""
    op = _Operators(first, second)
    return op.program, differ(op.clip((G + H).shifted(-1)), op.odot(op.clip(G), op.clip(H)))


def double_query(range_: Ends) -> Query:
    op = _Operators(range_)
    return op.program, differ(op.clip(G + G), op.oplus(op.clip(G), op.clip(G)))


def square_query(range_: Ends) -> Query:
    op = _Operators(range_)
    return op.program, differ(op.clip((G + G).shifted(-1)), op.odot(op.clip(G), op.clip(G)))


def cut_query(first: Ends, second: Ends) -> Query:
    """The split rule, for g = f1 and h = f2 with h ≤ 0 ⇒ g ≤ 1 and h ≥ 0 ⇒ g ≥ 0."""
    op = _Operators(first, second)
    built = op.oplus(op.odot(op.clip(G), op.clip(H.shifted(1))), op.clip(H))
    sides = [[positive(H), nonnegative(G.complement())], [positive(-H), nonnegative(G)]]
    return op.program, [*differ(op.clip(G + H), built), *sides]


def sort_query(p: int, q: int) -> Query:
    """The good sequences of g in [0,p] and h in [0,q] are merged into that of g + h."""
    op = _Operators((0, p), (0, q))
    first, second = ([op.clip(form.shifted(-k)) for k in range(count)] for form, count in ((G, p), (H, q)))
    merged = merge(first, second, lambda a, b: (op.oplus(a, b), op.odot(a, b)))
    differences = [differ(op.clip((G + H).shifted(-k)), entry)[0] for k, entry in enumerate(merged)]
    return op.program, [[constraint for pair in differences for constraint in pair]]


def rectified_query(ends: Range, constant: Number, shape: Sequence[tuple[Number, Number, Number]]) -> Query:
    """ρ(g) is a constant plus Σ weight·σ(direction·g + shift) over the shape."""
    program = Program((ends,))
    claimed = Affine((), constant)
    for weight, direction, shift in shape:
        claimed += program.clip(G.scaled(direction).shifted(shift)).scaled(weight)
    return program, differ(program.relu(G), claimed)


def split_query(split: int, first: int, last: int, range_: Range) -> Query:
    """σ(t/s) = Σ_{i<s} σ(t−i)/s, where units above `last` stand as 1 and units below `first` as 0."""
    program = Program((range_,))
    share = Rational(1, split)
    total = Affine((), share * min(split, max(0, -last)))
    for j in range(last, first - 1, -1):
        total += program.clip(G.shifted(j)).scaled(share)
    return program, differ(program.clip(G.scaled(share)), total)
