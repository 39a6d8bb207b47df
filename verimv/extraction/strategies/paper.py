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
from verimv.extraction.recorder import Recorder, TableRow
from verimv.formulas.dag import Dag, multiple
from verimv.networks.affine import Affine

#: Told how many table entries have just been filled.
Tick = Callable[[int], None]

Linear = tuple[tuple[int, Number], ...]


#: Nodes for the units of a group, or None to leave them to the lemma.
Builder = Callable[[Dag, Sequence[int], "Group", Sequence[Affine]], "list[int] | None"]


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


def lemma_table(
    dag: Dag,
    atoms: Sequence[int],
    steps: Sequence[LemmaStep],
    base: Number,
    asked: ShiftWindow,
    tick: Tick,
    recorder: Recorder,
) -> Row:
    """The nodes of σ(Σ steps + base + j) for the shifts j asked for. `atoms` are the nodes of the variables."""
    windows = _windows(steps, base, asked)
    window = windows[-1]
    row = Row(dag, window, [dag.scale(base + j, dag.constant(1)) for j in window.shifts()])  # the empty form
    recorder.table(base)
    for step, window in zip(reversed(steps), reversed(windows[:-1]), strict=True):
        atom = dag.scale(step.piece, atoms[step.variable])
        if step.positive:
            nodes = [dag.odot(dag.oplus(row[j], atom), row[j + 1]) for j in window.shifts()]
        else:
            nodes = [dag.neg(dag.odot(dag.oplus(dag.neg(row[j]), atom), dag.neg(row[j - 1]))) for j in window.shifts()]
        below, row = row, Row(dag, window, nodes)
        recorder.row(TableRow(step, below, row))
        tick(len(nodes))
    return row


def _windows(steps: Sequence[LemmaStep], base: Number, asked: ShiftWindow) -> list[ShiftWindow]:
    """For each number k of steps taken, the shifts that are asked for and not constant."""
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


def sigma_units(
    dag: Dag,
    atoms: Sequence[int],
    forms: Sequence[Affine],
    logic: str,
    tick: Tick,
    recorder: Recorder,
    build: Builder | None = None,
) -> list[int]:
    """The nodes of σ(form) for all units of a layer; units with the same weights share one table.

    `logic` is "mv" (integer forms), "dmv" (rational: the s-fold splitting of Theorem 6.2) or "rmv" (Lemma 6.4).
    `build` may build a group of units in another way.
    """
    nodes = [-1] * len(forms)
    for group in group_units(forms, logic):
        built = build(dag, atoms, group, [forms[member] for member in group.members]) if build is not None else None
        if built is not None:
            for member, node in zip(group.members, built, strict=True):
                nodes[member] = node
            continue
        members = [forms[member] for member in group.members]
        for member, node in zip(group.members, group_nodes(dag, atoms, group, tick, recorder, members), strict=True):
            nodes[member] = node
    recorder.layer(forms)
    return nodes


def group_nodes(
    dag: Dag,
    atoms: Sequence[int],
    group: Group,
    tick: Tick,
    recorder: Recorder,
    forms: Sequence[Affine] | None = None,
) -> list[int]:
    """The nodes of a group of units by the paper's lemmas; the recorder is told of `forms` if there are any."""
    steps = integer_steps(group.linear) if group.integer else real_steps(group.linear)
    row = lemma_table(dag, atoms, steps, group.base, group.asked, tick, recorder)
    nodes = []
    for position, shift in enumerate(group.shifts):
        nodes.append(row[shift] if group.split == 1 else split_sum(dag, row, shift, group.split))
        if forms is not None:
            recorder.unit(forms[position], shift, group.split, row)
    return nodes


def split_sum(dag: Dag, row: Row, shift: int, split: int) -> int:
    """⊕ δ_s σ(s·form − i) over i < s (Theorem 6.2): the sum is at most 1, so ⊕ adds. The first are often all 1."""
    lowest = shift - split + 1
    ones = min(split, max(0, shift - row.window.last))
    share = dag.divide(split, dag.constant(1))
    node = multiple(dag, ones, share) if ones else dag.constant(0)
    for j in range(shift - ones, max(lowest, row.window.first) - 1, -1):
        node = dag.oplus(node, dag.divide(split, row[j]))
    return node


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
