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
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import NamedTuple

from verimv.core.errors import Undecided
from verimv.core.progress import Progress, ProgressCounter, no_progress
from verimv.exact import ONE, Algebraic, Number, Rational, ceil, floor, format_count, is_integer
from verimv.extraction.clipped import ClippedNetwork
from verimv.formulas.dag import Dag, multiple
from verimv.networks.affine import Affine

#: Tables with more nodes than this (about 2 GB) are not begun.
MAX_NODES = 10_000_000

#: Called with the number of table entries just filled.
Tick = Callable[[int], None]

Linear = tuple[tuple[int, Number], ...]


class LemmaStep(NamedTuple):
    """Eliminate `piece`·x_variable, with its sign."""

    variable: int
    piece: Number
    positive: bool


def integer_steps(linear: Linear) -> list[LemmaStep]:
    """Lemma 3.3's order: one from the largest |m_i| each time; among equals positive first, then by index."""
    queue = [(-abs(w), w < 0, j) for j, w in linear]
    heapq.heapify(queue)
    steps = []
    while queue:
        size, negative, j = queue[0]
        steps.append(LemmaStep(j, ONE, not negative))
        if size == -1:
            heapq.heappop(queue)
        else:
            heapq.heapreplace(queue, (size + 1, negative, j))
    return steps


def real_steps(linear: Linear) -> list[LemmaStep]:
    """Lemma 6.4's order, as in the paper's example: positive coefficients first, the largest first, a piece min(1, m_i)
    each time."""
    queue = [(w < 0, -abs(w), j) for j, w in linear]
    heapq.heapify(queue)
    steps = []
    while queue:
        negative, size, j = queue[0]
        piece = min(ONE, -size)
        steps.append(LemmaStep(j, piece, not negative))
        if size + piece == 0:
            heapq.heappop(queue)
        else:
            heapq.heapreplace(queue, (negative, size + piece, j))
    return steps


class ShiftWindow(NamedTuple):
    """Shifts j with first ≤ j ≤ last, where σ(form + j) is not constant; it is 0 below and 1 above."""

    first: int
    last: int

    def shifts(self) -> range:
        return range(self.first, self.last + 1)


def _open_window(low: Number, high: Number) -> ShiftWindow:
    """The shifts at which σ of a form with range [low, high] is not constant: high + j > 0 and low + j < 1."""
    return ShiftWindow(floor(-high) + 1, ceil(1 - low) - 1)


class Row:
    """One row of the table: the node of σ(form + j) for every shift j that was asked for."""

    def __init__(self, dag: Dag, window: ShiftWindow, nodes: list[int]) -> None:
        self.window = window
        self.nodes = nodes
        self._zero, self._one = dag.constant(0), dag.constant(1)

    def __getitem__(self, j: int) -> int:
        first, last = self.window
        return self._zero if j < first else self._one if j > last else self.nodes[j - first]


def _no_tick(entries: int) -> None:
    pass


class Group(NamedTuple):
    """Units σ(linear·x + base + shift) with the same linear part, or their s-fold splitting σ(s·form − i), i < s."""

    linear: Linear
    base: Number
    split: int
    #: of each unit: its place in the layer, its form, and its shift
    members: list[int]
    forms: list[Affine]
    shifts: list[int]

    @property
    def integer(self) -> bool:
        return all(is_integer(w) for _, w in self.linear) and is_integer(self.base)

    @property
    def asked(self) -> ShiftWindow:
        return ShiftWindow(min(self.shifts) - self.split + 1, max(self.shifts))

    def table_size(self) -> int:
        """About how many table entries, and so nodes, the group needs (an upper bound)."""
        steps = sum(ceil(abs(w)) for _, w in self.linear)
        asked = min(self.asked.last - self.asked.first, steps) + 1
        # step k has at most asked + k shifts, of which at most steps − k + 1 are not constant
        crossing = max(0, min(steps, (steps + 1 - asked) // 2))
        table = crossing * asked + crossing * (crossing + 1) // 2 + (steps - crossing) * (steps - crossing + 3) // 2
        sums = 0 if self.split == 1 else len(self.members) * (min(self.split, steps + 1) + self.split.bit_length())
        return table + sums


def group_units(forms: Sequence[Affine], logic: str) -> Iterable[Group]:
    """Return the units of a layer in groups that have the same linear part.

    `logic` is "mv" (integer forms), "dmv" (rational: the s-fold splitting of Theorem 6.2) or "rmv" (Lemma 6.4).
    """
    groups: dict[tuple[Linear, Number, int], Group] = {}
    for member, form in enumerate(forms):
        split = _common_denominator(form) if logic == "dmv" else 1
        scaled = form.scaled(Rational(split)) if split > 1 else form
        shift = floor(scaled.constant)
        base = scaled.constant - shift
        group = groups.setdefault((scaled.terms, base, split), Group(scaled.terms, base, split, [], [], []))
        group.members.append(member)
        group.forms.append(form)
        group.shifts.append(shift)
    return groups.values()


def _common_denominator(form: Affine) -> int:
    numbers = [form.constant, *(w for _, w in form.terms)]
    return math.lcm(*(int(x.denominator) for x in numbers if not isinstance(x, Algebraic)))


class LemmaTable:
    """The recipe of the paper: one table for all units of a group."""

    def __init__(self, group: Group, tick: Tick = _no_tick) -> None:
        self.group = group
        self.steps = integer_steps(group.linear) if group.integer else real_steps(group.linear)
        #: for each number of steps taken, the shifts that are asked for; all are taken in the first
        self.windows = _windows(self.steps, group.base, group.asked)
        self._tick = tick

    def nodes(self, dag: Dag, atoms: Sequence[int]) -> list[int]:
        """Make the nodes of the units; `atoms` are the nodes of the variables."""
        row = self._last_row(dag, atoms)
        split = self.group.split
        return [row[shift] if split == 1 else split_sum(dag, row, shift, split) for shift in self.group.shifts]

    def _last_row(self, dag: Dag, atoms: Sequence[int]) -> Row:
        """The nodes of σ(linear + base + j) for the shifts j asked for."""
        base, window = self.group.base, self.windows[-1]
        row = Row(dag, window, [dag.scale(base + j, dag.constant(1)) for j in window.shifts()])  # the empty form
        for step, window in self.rows():
            atom = dag.scale(step.piece, atoms[step.variable])
            if step.positive:
                nodes = [dag.odot(dag.oplus(row[j], atom), row[j + 1]) for j in window.shifts()]
            else:
                nodes = [
                    dag.neg(dag.odot(dag.oplus(dag.neg(row[j]), atom), dag.neg(row[j - 1]))) for j in window.shifts()
                ]
            row = Row(dag, window, nodes)
            self._tick(len(nodes))
        return row

    def rows(self) -> Iterator[tuple[LemmaStep, ShiftWindow]]:
        """The rows above the empty form: row[j] = σ(g + j ± h), where the row below has σ(g + j) and h = piece·x."""
        return zip(reversed(self.steps), reversed(self.windows[:-1]), strict=True)


def _windows(steps: Sequence[LemmaStep], base: Number, asked: ShiftWindow) -> list[ShiftWindow]:
    """Return, for each number k of steps taken, the shifts that are asked for and not constant."""
    low = base - sum((s.piece for s in steps if not s.positive), Rational(0))
    high = base + sum((s.piece for s in steps if s.positive), Rational(0))
    first, last = asked
    windows = []
    for step in [*steps, None]:
        free = _open_window(low, high)
        first, last = max(first, free.first), min(last, free.last)
        windows.append(ShiftWindow(first, last))
        if step is None or first > last:
            break
        if step.positive:
            high, last = high - step.piece, last + 1
        else:
            low, first = low + step.piece, first - 1
    # once nothing is asked for, nothing ever is
    return windows + [ShiftWindow(0, -1)] * (len(steps) + 1 - len(windows))


def split_sum(dag: Dag, row: Row, shift: int, split: int) -> int:
    """⊕ δ_s σ(s·form − i) over i < s (Theorem 6.2): the sum is at most 1, so ⊕ adds. The first are often all 1."""
    lowest = shift - split + 1
    ones = min(split, max(0, shift - row.window.last))
    share = dag.divide(split, dag.constant(1))
    node = multiple(dag, ones, share) if ones else dag.constant(0)
    for j in range(shift - ones, max(lowest, row.window.first) - 1, -1):
        node = dag.oplus(node, dag.divide(split, row[j]))
    return node


class Paper:
    """The strategy of the paper: Lemma 3.3 for integer weights, Theorem 6.2 in DMV and Lemma 6.4 in RMV logic."""

    def __init__(self, clipped: ClippedNetwork, logic: str, progress: Progress = no_progress) -> None:
        needed = table_nodes(clipped, logic)
        if needed > MAX_NODES:
            advice = "--logic rmv, which needs no common denominator" if logic == "dmv" else "--strategy compact"
            raise Undecided(
                f"the paper's construction needs up to {format_count(needed)} nodes, more than {MAX_NODES:,}: "
                f"try {advice}"
            )
        self._logic = logic
        self._tick = ProgressCounter(progress, "composing terms", needed)

    def recipes(self, units: Sequence[Affine]) -> Iterator[LemmaTable]:
        """Yield the tables of a layer."""
        return (LemmaTable(group, self._tick) for group in group_units(units, self._logic))


def table_nodes(clipped: ClippedNetwork, logic: str) -> int:
    """Upper bound on the table entries that :class:`Paper` would fill."""
    return sum(
        group.table_size() for layer in [*clipped.layers, clipped.outputs] for group in group_units(layer, logic)
    )
