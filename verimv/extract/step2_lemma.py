"""Step 2 of the paper: the term of one clipped unit σ(m·x + b), and of all units that share its weights.

Lemmas 3.3 and 6.4: for a piece 0 < w ≤ 1 of the coefficient of x,

    σ(g + w·x) = (σ(g) ⊕ Δ_w x) ⊙ σ(g+1),

and by σ(f) = ¬σ(1−f) for a negative coefficient

    σ(g − w·x) = ¬((¬σ(g) ⊕ Δ_w x) ⊙ ¬σ(g−1)).

The order of elimination is fixed, so only σ(g_k + b + j) with integer shifts j is ever needed: a table of
(steps × range) shared nodes, where the written-out term has up to 2^m − 1 variables (Lemma 3.4).
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from verimv.exact import ONE, Algebraic, Number, Rational, ceil, floor, is_integer
from verimv.networks.affine import Affine
from verimv.terms.dag import Dag

#: Told how many table entries have just been filled.
Tick = Callable[[int], None]

Linear = tuple[tuple[int, Number], ...]


class Step(NamedTuple):
    """Eliminate `piece`·x_variable, with its sign."""

    variable: int
    piece: Number
    positive: bool


def integer_steps(linear: Linear) -> list[Step]:
    """Lemma 3.3's order: one from the largest |m_i| each time; among equals positive first, then by index."""
    queue = [(-abs(w), w < 0, j) for j, w in linear]
    heapq.heapify(queue)
    steps = []
    while queue:
        size, negative, j = queue[0]
        steps.append(Step(j, ONE, not negative))
        if size == -1:
            heapq.heappop(queue)
        else:
            heapq.heapreplace(queue, (size + 1, negative, j))
    return steps


def real_steps(linear: Linear) -> list[Step]:
    """Lemma 6.4's order, as in the paper's example: positive coefficients first, the largest first, a piece min(1, m_i)
    each time."""
    queue = [(w < 0, -abs(w), j) for j, w in linear]
    heapq.heapify(queue)
    steps = []
    while queue:
        negative, size, j = queue[0]
        piece = min(ONE, -size)
        steps.append(Step(j, piece, not negative))
        if size + piece == 0:
            heapq.heappop(queue)
        else:
            heapq.heapreplace(queue, (negative, size + piece, j))
    return steps


class _Window(NamedTuple):
    """Shifts j with first ≤ j ≤ last have a node of their own; below the unit is 0, above it is 1."""

    first: int
    last: int


def _open_window(low: Number, high: Number) -> _Window:
    """The shifts at which σ of a form with range [low, high] is not constant: high + j > 0 and low + j < 1."""
    return _Window(floor(-high) + 1, ceil(1 - low) - 1)


def lemma_table(
    dag: Dag, atoms: Sequence[int], steps: Sequence[Step], base: Number, shifts: Sequence[int], tick: Tick
) -> list[int]:
    """The nodes of σ(Σ steps + base + j) for each shift j. `atoms` are the nodes of the variables."""
    windows = _windows(steps, base, min(shifts), max(shifts))
    zero, one = dag.constant(0), dag.constant(1)
    # the empty form: σ(base + j)
    window = windows[-1]
    row = [dag.scale(base + j, one) for j in range(window.first, window.last + 1)]
    for k in range(len(steps) - 1, -1, -1):
        step = steps[k]
        atom = dag.scale(step.piece, atoms[step.variable])
        above, above_row = window, row

        def known(j: int, window: _Window = above, row: list[int] = above_row) -> int:
            return zero if j < window.first else one if j > window.last else row[j - window.first]

        window = windows[k]
        tick(len(row))
        if step.positive:
            row = [dag.odot(dag.oplus(known(j), atom), known(j + 1)) for j in range(window.first, window.last + 1)]
        else:
            row = [
                dag.neg(dag.odot(dag.oplus(dag.neg(known(j)), atom), dag.neg(known(j - 1))))
                for j in range(window.first, window.last + 1)
            ]
    return [zero if j < window.first else one if j > window.last else row[j - window.first] for j in shifts]


def _windows(steps: Sequence[Step], base: Number, first: int, last: int) -> list[_Window]:
    """For each number k of steps taken, the shifts that are asked for and not constant."""
    low = base - sum((s.piece for s in steps if not s.positive), Rational(0))
    high = base + sum((s.piece for s in steps if s.positive), Rational(0))
    windows = []
    for step in [*steps, None]:
        free = _open_window(low, high)
        first, last = max(first, free.first), min(last, free.last)
        windows.append(_Window(first, last))
        if step is None or first > last:
            break
        if step.positive:
            high, last = high - step.piece, last + 1
        else:
            low, first = low + step.piece, first - 1
    # once nothing is asked for, nothing ever is
    return windows + [_Window(0, -1)] * (len(steps) + 1 - len(windows))


def sigma_units(dag: Dag, atoms: Sequence[int], forms: Sequence[Affine], logic: str, tick: Tick) -> list[int]:
    """The nodes of σ(form) for all units of a layer; units with the same weights share one table.

    `logic` is "mv" (integer forms), "dmv" (rational: the s-fold splitting of Theorem 6.2) or "rmv" (Lemma 6.4).
    """
    nodes = [-1] * len(forms)
    for group in group_units(forms, logic):
        steps = integer_steps(group.linear) if group.integer else real_steps(group.linear)
        shifts = [shift - i for shift in group.shifts for i in range(group.split)]
        found = iter(lemma_table(dag, atoms, steps, group.base, shifts, tick))
        for member in group.members:
            node = dag.constant(0)
            for _ in range(group.split):  # h = Σ h_i/s ≤ 1, so ⊕ is the sum
                node = dag.oplus(node, dag.divide(group.split, next(found)))
            nodes[member] = node
    return nodes


class Group(NamedTuple):
    """Units σ(linear·x + base + shift) with the same linear part, or their s-fold splitting σ(s·form − i), i < s."""

    linear: Linear
    base: Number
    split: int
    members: list[int]
    shifts: list[int]

    @property
    def integer(self) -> bool:
        return all(is_integer(w) for _, w in self.linear) and is_integer(self.base)

    def table_size(self) -> int:
        """About how many table entries, and so nodes, the group needs (an upper bound)."""
        steps = sum(ceil(abs(w)) for _, w in self.linear)
        asked = max(self.shifts) - min(self.shifts) + self.split
        # step k has at most asked + k shifts, of which at most steps − k + 1 are not constant
        crossing = max(0, min(steps, (steps + 1 - asked) // 2))
        return crossing * asked + crossing * (crossing + 1) // 2 + (steps - crossing) * (steps - crossing + 3) // 2


def group_units(forms: Sequence[Affine], logic: str) -> Iterable[Group]:
    groups: dict[tuple[Linear, Number, int], Group] = {}
    for member, form in enumerate(forms):
        split = _common_denominator(form) if logic == "dmv" else 1
        scaled = form.scaled(Rational(split)) if split > 1 else form
        shift = floor(scaled.constant)
        base = scaled.constant - shift
        group = groups.setdefault((scaled.terms, base, split), Group(scaled.terms, base, split, [], []))
        group.members.append(member)
        group.shifts.append(shift)
    return groups.values()


def _common_denominator(form: Affine) -> int:
    numbers = [form.constant, *(w for _, w in form.terms)]
    return math.lcm(*(int(x.denominator) for x in numbers if not isinstance(x, Algebraic)))
