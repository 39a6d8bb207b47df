"""How a group of units is built by the compact strategy: a list of steps, each about forms made before it.

A step is one rule of the certificate, so a plan is read twice: nodes are made from it, and its claims are written
down. Forms are in *literal form*: m·x with m < 0 is |m|·¬x plus an integer.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from verimv.core.errors import InternalError, Undecided
from verimv.exact import ZERO, Number, Rational, floor
from verimv.extraction.strategies.paper import Group
from verimv.formulas.dag import Algebra, Dag, fold
from verimv.formulas.good_sequence import merge, merge_sort
from verimv.networks.affine import Affine

#: A plan with more positions than this (about 2 GB) is not finished.
MAX_POSITIONS = 5_000_000

#: ((variable, is positive, coefficient > 0), …)
Terms = tuple[tuple[int, bool, int], ...]
#: terms and the constant, an integer
Key = tuple[Terms, int]


class PlanStep(NamedTuple):
    """Makes a form (a `sort`: all entries of a sequence) from forms at earlier positions.

    zero, one; positive and negative literals (the operand is a variable); plus, times, double, square, lemma as in
    the certificate; cut (f1, f2, f2 + 1); sort (two good sequences).
    """

    kind: str
    operands: tuple[int, ...]
    #: of a cut: λ, μ ≥ 0 with f1 − λ·f2 ≤ 1 and f1 − μ·f2 ≥ 0 on the cube
    multipliers: tuple[Rational, ...] = ()
    #: of a sort: how many of the operands are the first sequence
    first: int = 0


class Plan(NamedTuple):
    steps: list[PlanStep]
    #: the positions of the units asked for; 0 and 1 are the constants
    results: list[int]


class PlannedUnits(NamedTuple):
    """The recipe of a group of units with integer weights: one plan for all of them."""

    group: Group
    plan: Plan

    def nodes(self, dag: Dag, atoms: Sequence[int]) -> list[int]:
        """Make the nodes of the units; `atoms` are the nodes of the variables."""
        return planned_nodes(dag, atoms, self.plan)


class Halve(NamedTuple):
    """σ(2s) = σ(s) ⊕ σ(s), σ(2s−1) = σ(s) ⊙ σ(s)."""


class Cut(NamedTuple):
    """The split rule, σ(f1 + f2) = (σ(f1) ⊙ σ(f2 + 1)) ⊕ σ(f2); with one literal as f1 it is Lemma 3.3."""

    first: Key
    second: Key


class Sort(NamedTuple):
    """An entry of the terms' good sequence; `halved` doubles the sequence of the halves and merges the odd rest."""

    halved: bool


Choice = Halve | Cut | Sort


def literal_form(form: Affine) -> Key:
    constant = form.constant + sum((w for _, w in form.terms if w < 0), ZERO)
    return tuple((j, w > 0, floor(abs(w))) for j, w in form.terms), floor(constant)


def total(terms: Terms) -> int:
    return sum(m for _, _, m in terms)


def half(key: Key) -> Key:
    """Return s, where the form is 2s or 2s − 1."""
    terms, constant = key
    return tuple((j, positive, m // 2) for j, positive, m in terms), (constant + 1) // 2


def without_one(key: Key, index: int) -> Key:
    """The form less one literal."""
    terms, constant = key
    j, positive, m = terms[index]
    return (*terms[:index], *(((j, positive, m - 1),) if m > 1 else ()), *terms[index + 1 :]), constant


def peel(key: Key, index: int) -> Cut:
    """Lemma 3.3 for the literal of one term."""
    j, positive, _ = key[0][index]
    return Cut((((j, positive, 1),), 0), without_one(key, index))


class PlanBuilder:
    """Collects the steps of a plan; equal steps are kept once."""

    def __init__(self) -> None:
        self.steps = [PlanStep("zero", ()), PlanStep("one", ())]
        self._positions = 2
        self._known: dict[PlanStep, list[int]] = {}

    def literal(self, variable: int, positive: bool) -> int:
        return self._step(PlanStep("positive" if positive else "negative", (variable,)))[0]

    def halved(self, position: int, is_double: bool) -> int:
        return self._step(PlanStep("double" if is_double else "square", (position,)))[0]

    def added(self, cut: Cut, first: int, second: int, above: int) -> int:
        """σ(f1 + f2) from the positions of f1, f2 and f2 + 1."""
        if second == 0:  # f2 ≤ 0
            step = PlanStep("times", (first, above))
        elif above == 1:  # f2 ≥ 0
            step = PlanStep("plus", (second, first))
        elif total(cut.first[0]) == 1:
            step = PlanStep("lemma", (second, first, above))
        else:
            step = PlanStep("cut", (first, second, above), multipliers(cut))
        return self._step(step)[0]

    def sorted(self, a: list[int], b: list[int]) -> list[int]:
        return self._step(PlanStep("sort", (*a, *b), (), len(a)), len(a) + len(b))

    def _step(self, step: PlanStep, makes: int = 1) -> list[int]:
        known = self._known.get(step)
        if known is None:
            begin, self._positions = self._positions, self._positions + makes
            if self._positions > MAX_POSITIONS:
                raise Undecided(f"a unit needs more than {MAX_POSITIONS:,} nodes: its weights are too large")
            known = self._known[step] = list(range(begin, self._positions))
            self.steps.append(step)
        return known


def multipliers(cut: Cut) -> tuple[Rational, Rational]:
    """Return λ and μ of a cut. Both maxima are at 0 or where a coefficient of f1 − λ·f2 vanishes."""
    (first, c1), (second, c2) = cut
    others = {j: m for j, _, m in second}
    pairs = [(m, others.pop(j, 0)) for j, _, m in first] + [(0, m) for m in others.values()]
    ratios = sorted({ZERO, *(Rational(a, b) for a, b in pairs if b)}, key=lambda r: (r.denominator, r))
    upper = (r for r in ratios if c1 - r * c2 + sum(a - r * b for a, b in pairs if a > r * b) <= 1)
    lower = (r for r in ratios if c1 - r * c2 + sum(a - r * b for a, b in pairs if a < r * b) >= 0)
    try:
        return next(upper), next(lower)
    except StopIteration:
        raise InternalError(f"the split rule does not hold for {cut}") from None


class Planner:
    """Builds forms as `choose` decides; equal forms are built once."""

    def __init__(self, builder: PlanBuilder, choose: Callable[[Key], Choice]) -> None:
        self._builder = builder
        self._choose = choose
        self._known: dict[Key, int] = {}
        self._sequences: dict[tuple[Terms, bool], list[int]] = {}

    def position(self, key: Key) -> int:
        pending = [key]
        choices: dict[Key, Choice] = {}
        while pending:
            current = pending[-1]
            if current in self._known or self._is_plain(current):
                pending.pop()
                continue
            if current not in choices:
                choices[current] = self._choose(current)
            needed = _below(current, choices[current])
            missing = [child for child in needed if child not in self._known and not self._is_plain(child)]
            if missing:
                pending += missing
            else:
                self._known[current] = self._made(current, choices[current], [self._known[child] for child in needed])
        return self._known[key]

    def _is_plain(self, key: Key) -> bool:
        """Return whether the form is a constant or a literal, which needs no choice."""
        terms, constant = key
        if constant >= 1 or constant + total(terms) <= 0:
            self._known[key] = int(constant >= 1)
        elif total(terms) == 1:
            self._known[key] = self._builder.literal(*terms[0][:2])
        return key in self._known

    def _made(self, key: Key, choice: Choice, below: list[int]) -> int:
        terms, constant = key
        if isinstance(choice, Halve):
            return self._builder.halved(below[0], constant % 2 == 0)
        if isinstance(choice, Cut):
            return self._builder.added(choice, *below)
        return self._sequence(terms, choice.halved)[-constant]

    def _sequence(self, terms: Terms, is_halved: bool) -> list[int]:
        """The positions of σ(Σ terms − k), k = 0, 1, …"""
        known = self._sequences.get((terms, is_halved))
        if known is None:
            literal = self._builder.literal
            known = good_sequence(
                [(literal(j, positive), m) for j, positive, m in terms],
                is_halved,
                self._builder.sorted,
                lambda a: (self._builder.halved(a, True), self._builder.halved(a, False)),
            )
            self._sequences[terms, is_halved] = known
        return known


def good_sequence(
    terms: Sequence[tuple[int, int]],
    is_halved: bool,
    merged: Callable[[list[int], list[int]], list[int]],
    doubled: Callable[[int], tuple[int, int]],
) -> list[int]:
    """The good sequence of Σ m·literal, for (literal, m); `doubled` gives σ(2s) and σ(2s−1) from σ(s)."""
    if not is_halved:
        return merge_sort([literal for literal, m in terms for _ in range(m)], merged)
    sequence: list[int] = []
    for bit in reversed(range(max(m for _, m in terms).bit_length())):
        sequence = [entry for position in sequence for entry in doubled(position)]
        odd = merge_sort([literal for literal, m in terms if m >> bit & 1], merged)
        sequence = merged(sequence, odd) if sequence and odd else sequence or odd
    return sequence


def _below(key: Key, choice: Choice) -> list[Key]:
    if isinstance(choice, Halve):
        return [half(key)]
    if isinstance(choice, Cut):
        terms, constant = choice.second
        return [choice.first, choice.second, (terms, constant + 1)]
    return []


def planned_nodes(dag: Dag, atoms: Sequence[int], plan: Plan) -> list[int]:
    """The nodes of the units that a plan builds. Of a sorting network, only what they need gets into the table."""
    if not any(step.kind == "sort" for step in plan.steps):
        return _all_nodes(dag, atoms, plan)
    draft = Dag()
    roots = _all_nodes(draft, [draft.variable(str(j)) for j in range(len(atoms))], plan)
    return fold(draft, roots, _Transplanted(dag, atoms))


class _Transplanted(Algebra[int]):
    """Nodes of one table built again in another, with its atoms for the variables 0, 1, …"""

    def __init__(self, dag: Dag, atoms: Sequence[int]) -> None:
        self._dag = dag
        self._atoms = atoms

    def variable(self, name: str) -> int:
        return self._atoms[int(name)]

    def constant(self, value: int) -> int:
        return self._dag.constant(value)

    def neg(self, a: int) -> int:
        return self._dag.neg(a)

    def oplus(self, a: int, b: int) -> int:
        return self._dag.oplus(a, b)

    def odot(self, a: int, b: int) -> int:
        return self._dag.odot(a, b)

    def divide(self, divisor: int, a: int) -> int:
        return self._dag.divide(divisor, a)

    def scale(self, factor: Number, a: int) -> int:
        return self._dag.scale(factor, a)


def _all_nodes(dag: Dag, atoms: Sequence[int], plan: Plan) -> list[int]:
    nodes: list[int] = []

    def compare(a: int, b: int) -> tuple[int, int]:
        return dag.oplus(a, b), dag.odot(a, b)

    for step in plan.steps:
        if step.kind in ("positive", "negative"):
            atom = atoms[step.operands[0]]
            nodes.append(atom if step.kind == "positive" else dag.neg(atom))
            continue
        below = [nodes[i] for i in step.operands]
        if step.kind == "sort":
            nodes += merge(below[: step.first], below[step.first :], compare)
        else:
            nodes.append(step_node(dag, step.kind, below))
    return [nodes[i] for i in plan.results]


def step_node(dag: Dag, kind: str, below: Sequence[int]) -> int:
    """The node of a step that makes one, from the nodes of its operands."""
    if kind in ("zero", "one"):
        return dag.constant(int(kind == "one"))
    if kind == "lemma":
        g, literal, above = below
        return dag.odot(dag.oplus(g, literal), above)
    if kind == "cut":
        first, second, above = below
        return dag.oplus(dag.odot(first, above), second)
    return (dag.oplus if kind in ("plus", "double") else dag.odot)(below[0], below[-1])
