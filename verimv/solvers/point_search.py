"""Search the unit cube for a point at which a condition holds. Points are replayed exactly; solvers prove absence."""

from __future__ import annotations

import itertools
import math
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from verimv.core.choices import EFFORT
from verimv.core.effort import SECOND, Meter
from verimv.core.errors import InternalError, Undecided
from verimv.core.progress import Progress, no_progress
from verimv.core.workers import Workers
from verimv.exact import ONE, ZERO, Algebraic, Number, Rational, floor
from verimv.networks.network import Box
from verimv.networks.program import Program
from verimv.solvers.encode import Condition, logic_of, to_smtlib
from verimv.solvers.engines import SOLVERS, Answer, version_of
from verimv.solvers.limited import DEFAULT_MEMORY, Deadline, OutOfBudget, limited

Point = tuple[Number, ...]

#: Work for the query about the whole box, if smaller boxes may follow, and for each of these.
_WHOLE_WORK, BOX_WORK = 30 * SECOND, 2 * SECOND
#: Work of a query beside that of the solver; and more than any work.
_QUERY, _ALL = 20_000, 10**18


@dataclass(frozen=True)
class Question:
    """Whether a condition holds somewhere. `build` encodes it on a box, `holds` decides it exactly at a point."""

    inputs: Sequence[str]
    build: Callable[[Box], tuple[Program, Condition]]
    holds: Callable[[Point], bool]


@dataclass
class Search:
    """Solvers, their budget, and a record of queries."""

    solvers: Sequence[str] = ("z3",)
    #: a clock ends the search after so long, without a result
    seconds: float = math.inf
    memory: int = DEFAULT_MEMORY
    #: workers for independent queries
    workers: Workers = 1
    #: try smaller boxes if the query about the whole box is undecided
    split: bool = True
    #: about so many seconds of work, counted in steps: then it is undecided
    effort: float = EFFORT
    #: work for the query about the whole box. None: all, or at most half a minute's work if smaller boxes follow
    work: int | None = None
    progress: Progress = no_progress
    #: called with the name and the SMT-LIB text of every query
    emit: Callable[[str, str], None] | None = None
    evidence: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.deadline = Deadline(self.seconds)
        self._meter = Meter(int(self.effort * SECOND))
        self._queries = 0

    def find(self, question: Question) -> Point | None:
        """Return a simple point at which the condition holds; None if there is none.

        Raises :class:`Undecided` if the budget runs out first.
        """
        box: Box = ((ZERO, ONE),) * len(question.inputs)
        for point in quick_points(len(box)):
            if question.holds(point):
                return simplest(question.holds, point)
        split = self.split and bool(box)
        answer = self._ask(question, box, self.work or min(self._meter.work, _WHOLE_WORK if split else _ALL))
        if answer.status == "unknown":
            if not split:
                raise Undecided(answer.reason)
            return self._split(question, box)
        return self._settled(question, answer)

    def _settled(self, question: Question, answer: Answer) -> Point | None:
        return None if answer.point is None else simplest(question.holds, answer.point)

    def _split(self, question: Question, box: Box) -> Point | None:
        """Halve boxes until each is decided: on a smaller box fewer activations change sign."""
        pending, done = [box], 0
        while pending:
            if self._meter.is_used_up or not self.deadline.left:
                parts = f"the box was divided, and {done:,} of {done + len(pending):,} parts are decided"
                reason = "the effort is used up" if self._meter.is_used_up else "no answer in time"
                raise Undecided(f"{reason}: {parts}")
            self.progress("splitting boxes", done, done + len(pending))
            current = pending.pop()
            centre = tuple((low + high) / 2 for low, high in current)
            if question.holds(centre):
                return simplest(question.holds, centre)
            answer = self._ask(question, current, BOX_WORK, record=False)
            if answer.point is not None:
                return self._settled(question, answer)
            if answer.status == "unsat":
                done += 1
                continue
            widest = max(range(len(current)), key=lambda i: current[i][1] - current[i][0])
            for half in ((current[widest][0], centre[widest]), (centre[widest], current[widest][1])):
                pending.append((*current[:widest], half, *current[widest + 1 :]))
        self.evidence.append({"solver": "+".join(self.solvers), "answer": "unsat", "boxes": done})
        return None

    def _ask(self, question: Question, box: Box, work: int, record: bool = True) -> Answer:
        """Ask every chosen solver one query; answer sat only with a point that was replayed."""
        program, condition = question.build(box)
        if is_impossible(program, condition):
            if record:
                self.evidence.append({"solver": "ranges", "answer": "unsat", "seconds": 0.0})
            return Answer("unsat")
        if self.emit is not None:
            self._queries += 1
            self.emit(f"query-{self._queries:03}.smt2", to_smtlib(program, condition, question.inputs))
        answers: dict[str, Answer] = {}
        for name in self.solvers:
            self.deadline.check()
            start, left = time.perf_counter(), self.deadline.left
            if record:
                self.progress(f"asking {name} about the whole box", 0, 1)
            try:
                answer = limited(
                    SOLVERS[name], program, condition, question.inputs, left, work, seconds=left, memory=self.memory
                )
            except OutOfBudget as error:
                answer = Answer("unknown", reason=f"{name} gave {error}", work=work)
            self._meter.spend(_QUERY + answer.work)
            if answer.point is not None and not question.holds(answer.point):
                if logic_of(program, condition) == "QF_LRA":
                    raise InternalError(
                        f"{name} gives a model that does not satisfy the query",
                        to_smtlib(program, condition, question.inputs),
                    )
                answer = Answer("unknown", None, f"{name}: its model is only close to a solution", True)
            answers[name] = answer
            if record:
                spent = round(time.perf_counter() - start, 3)
                said = {"solver": name, "version": version_of(name), "answer": answer.status, "seconds": spent}
                self.evidence.append(said)
        return self._agreed(answers, program, condition, question.inputs)

    def _agreed(
        self, answers: dict[str, Answer], program: Program, condition: Condition, names: Sequence[str]
    ) -> Answer:
        decided = [answer for answer in answers.values() if answer.status != "unknown"]
        if len({answer.status for answer in decided}) > 1:
            said = ", ".join(f"{name} says {answer.status}" for name, answer in answers.items())
            raise InternalError(f"the solvers disagree ({said})", to_smtlib(program, condition, names, said))
        unconfirmed = any(answer.unconfirmed for answer in answers.values())
        if decided and not (unconfirmed and decided[0].status == "unsat"):
            return decided[0]
        return Answer("unknown", reason="; ".join(a.reason for a in answers.values() if a.reason))


def is_impossible(program: Program, condition: Condition) -> bool:
    """Return whether the proven ranges already exclude a group of alternatives of the condition."""
    for group in condition:
        highest = [program.range_of(c.form)[1] for c in group]
        if all(high < 0 or (c.strict and high <= 0) for c, high in zip(group, highest, strict=True)):
            return True
    return False


def quick_points(dimension: int) -> Iterator[Point]:
    """Yield corners, points with small denominators and a few random points, which show most differences."""
    if dimension == 0:
        yield ()
        return
    yield from itertools.islice(itertools.product((ZERO, ONE), repeat=dimension), 64)
    for denominator in (2, 3, 5):
        steps = [Rational(i, denominator) for i in range(denominator + 1)]
        if len(steps) ** dimension <= 256:
            yield from itertools.product(steps, repeat=dimension)
    source = random.Random(0)
    for _ in range(40):
        yield tuple(Rational(source.randint(0, 60), 60) for _ in range(dimension))


def simplest(holds: Callable[[Point], bool], point: Point) -> Point:
    """Return a point with smaller denominators at which the condition still holds."""
    for denominator in range(1, 65):
        rounded = tuple(_rounded(x, denominator) for x in point)
        if holds(rounded):
            return rounded
    result = list(point)
    for i, x in enumerate(point):
        for bits in range(1, 200):
            if not isinstance(x, Algebraic) and x.denominator.bit_length() <= bits:
                break
            candidate = [*result[:i], _rounded(x, 1 << bits), *result[i + 1 :]]
            if holds(tuple(candidate)):
                result = candidate
                break
    return tuple(result)


def _rounded(x: Number, denominator: int) -> Rational:
    return Rational(floor(x * denominator + Rational(1, 2)), denominator)
