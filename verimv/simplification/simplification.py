"""Formula → an equivalent formula, never longer (or larger), with a reason for every replacement."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from verimv.core.display import Headed, cut, html_table
from verimv.core.effort import SECOND, Deadline, Meter
from verimv.core.errors import InputError, check_type
from verimv.core.progress import Progress, no_progress
from verimv.formulas.dag import Dag
from verimv.formulas.formula import Formula, copy
from verimv.simplification.chains import Sharing
from verimv.simplification.cone_solver import ConeProver
from verimv.simplification.cones import cone, local_formula
from verimv.simplification.contexts import ContextPass
from verimv.simplification.equalities import Equalities, EqualityStep
from verimv.simplification.laws import LawBook, lattice_laws, laws
from verimv.simplification.objective import TreeCosts, check_measure, objective
from verimv.simplification.scaling import apply_scaling
from verimv.simplification.simulate import Simulation
from verimv.simplification.sweep import Sweep
from verimv.simplification.windows import WindowPass
from verimv.solvers.limited import DEFAULT_MEMORY

#: Work that a simplification may take by default.
DEFAULT_WORK = 20 * SECOND
#: To try all laws on a node.
_LAWS = 40
#: Rounds of windows and sweeping; most formulas are settled after two or three.
MAX_ROUNDS = 40


@dataclass(frozen=True, repr=False)
class Simplification(Headed):
    """`original` and `formula` are equal, and share one table; `steps` prove it.

    Each step says that two nodes of the table are equal: by congruence, from steps before it, or whatever values its
    leaves take. The last steps reach the outputs.
    """

    original: Formula
    formula: Formula
    steps: tuple[EqualityStep, ...]
    #: "finished", or "stopped" when the effort was used up: then the formula might have become shorter
    status: str
    solver_calls: int
    #: questions that the solver left open; none of them is used
    undecided: int
    seconds: float

    @property
    def dag(self) -> Dag:
        return self.formula.dag

    def cone(self, step: EqualityStep) -> list[int]:
        """The nodes from which both sides of a step are built, down to its leaves. A step by congruence has no cone."""
        return cone(self.dag, [step.old, step.new], _leaves(step))

    def local(self, step: EqualityStep) -> Formula:
        """Both sides of a step as one formula with two outputs, over its leaves as variables v1, v2, …"""
        return local_formula(self.dag, [step.old, step.new], _leaves(step))

    def _repr_html_(self) -> str:
        """HTML for notebooks: the new formula and the measures before and after."""
        rows = [("formula", self.formula._repr_latex_())]
        for name, formula in (("before", self.original), ("after", self.formula)):
            measures = formula.measure()
            rows.append((name, f"length {cut(measures.length_text, 40)}, {measures.size:,} nodes"))
        return html_table(f"simplified in {len(self.steps):,} steps ({self.status})", rows)

    def _headline(self) -> str:
        return f"{self.status}: {self.formula!r}"


def _leaves(step: EqualityStep) -> tuple[int, ...]:
    if step.leaves is None:
        raise InputError("a step by congruence rests on the steps before it, not on leaves")
    return step.leaves


def simplify(
    formula: Formula,
    *,
    minimise: str = "length",
    seconds: float = math.inf,
    memory: int = DEFAULT_MEMORY,
    progress: Progress = no_progress,
    work: int = DEFAULT_WORK,
) -> Simplification:
    """Return an equivalent formula whose length (or size) is as small as laws, windows and sweeping make it with so
    much `work`, of which a million units take about a second.

    Every merge is a law of MV algebras or was proved by the solver; what the solver leaves open is not merged. Raises
    :class:`Undecided` after `seconds`, or when the solver needs to add more than `memory` (in MB).
    """
    check_type(formula, Formula)
    check_measure(minimise)
    start = time.perf_counter()
    dag = Dag()
    original = Formula(dag, formula.inputs, copy(dag, formula.roots, formula.dag), formula.outputs)
    run = _Run(original, minimise, ConeProver(dag, Meter(work, Deadline(seconds)), memory), progress)
    roots = run.best_roots()
    return Simplification(
        original=original,
        formula=Formula(dag, formula.inputs, roots, formula.outputs),
        steps=tuple(run.equalities.proof(zip(original.roots, roots, strict=True))),
        status="finished" if run.finished else "stopped",
        solver_calls=run.prover.calls,
        undecided=run.prover.undecided,
        seconds=time.perf_counter() - start,
    )


class _Run:
    """Laws, then rounds of windows, sweeping and parts in their contexts, as long as something becomes better."""

    def __init__(self, original: Formula, minimise: str, prover: ConeProver, progress: Progress) -> None:
        self.original = original
        self.minimise = minimise
        self.progress = progress
        self.prover = prover
        self.meter = prover.meter
        self.dag = original.dag
        self.equalities = Equalities(self.dag)
        self.windows = WindowPass(self.equalities, self.prover)
        self.costs = TreeCosts(self.dag)
        self.contexts = ContextPass(self.equalities, self.prover, self.costs)
        self.laws = LawBook(self.dag, laws(minimise))
        self.sharing = Sharing(self.dag)
        self._lawful_nodes: set[int] = set()
        self.finished = False
        self._best: tuple[Any, Sequence[int]] = (self._objective(original.roots), original.roots)

    def best_roots(self) -> Sequence[int]:
        """Rounds until nothing changes; for the size, then some for the length, which now and then finds better."""
        roots: Sequence[int] = self._lawful(self.original.roots)
        for minimise in dict.fromkeys((self.minimise, "length")):
            roots = self._rounds(roots, minimise)
        self.finished = not self.meter.is_used_up
        return self._readable(self._best[1]) if self.minimise == "length" else self._best[1]

    def _readable(self, roots: Sequence[int]) -> Sequence[int]:
        """Return the roots with ∧ and ∨ in their usual form, where that is not longer; it may take a node more."""
        lattice = LawBook(self.dag, lattice_laws())
        rebuilt = self.equalities.rebuild(roots, lattice.apply)
        return rebuilt if self._objective(rebuilt)[0] <= self._best[0][0] else roots

    def _rounds(self, roots: Sequence[int], minimise: str) -> Sequence[int]:
        simulation = Simulation(self.dag, self.original.inputs, roots)
        sweep = Sweep(self.equalities, simulation, self.prover, self.costs, self.minimise)
        for _ in range(MAX_ROUNDS):
            before = (tuple(roots), len(self.windows.given_up))
            roots = self._lawful(self.windows.run(roots, minimise, self._stage("rewriting windows")))
            roots = self._lawful(sweep.run(roots, self._stage("sweeping")))
            is_settled = (tuple(roots), len(self.windows.given_up)) == before
            if is_settled and minimise == "length" and not self.meter.is_used_up:
                roots = self._lawful(self.contexts.run(roots, self._stage("searching contexts")))
                is_settled = tuple(roots) == before[0]
            if is_settled or self.meter.is_used_up:
                break
        return roots

    def _lawful(self, roots: Sequence[int]) -> Sequence[int]:
        """The roots after a pass of laws; the best roots so far are remembered."""
        self.progress("applying laws", 0, 1)
        roots = self.equalities.rebuild(roots, self._improve)
        value = self._objective(roots)
        if value < self._best[0]:
            self._best = (value, roots)
        return roots

    def _improve(self, node: int) -> EqualityStep | None:
        """A step by some law. Nodes never change, so none is looked at twice."""
        if node in self._lawful_nodes or self.meter.is_used_up:
            return None
        self.meter.spend(_LAWS)
        step = self.laws.apply(node) or apply_scaling(self.dag, node) or self.sharing.apply(node)
        if step is None:
            self._lawful_nodes.add(node)
        return step

    def _objective(self, roots: Sequence[int]) -> tuple[int | float, ...]:
        return objective(self.dag, self.costs, roots, self.minimise)

    def _stage(self, name: str) -> Callable[[int, int], None]:
        return lambda done, total: self.progress(name, done, total)
