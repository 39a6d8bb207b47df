"""Is there a point of the unit cube at which a condition holds? Exact replays decide "yes", solvers decide "no"."""

from __future__ import annotations

import itertools
import random
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from verimv.core.effort import SECOND
from verimv.core.errors import InternalError, Undecided
from verimv.core.workers import Workers
from verimv.exact import ONE, ZERO, Algebraic, Number, Rational, floor
from verimv.networks.network import Box
from verimv.networks.program import Program
from verimv.solvers.encode import Condition, logic_of, to_smtlib
from verimv.solvers.engines import SOLVERS, Answer, version_of
from verimv.solvers.limited import DEFAULT_MEMORY, Deadline, OutOfBudget, limited

Point = tuple[Number, ...]

#: For the query about the whole box, if smaller ones may follow, and for each of these.
_WHOLE_WORK, BOX_WORK = 30 * SECOND, 2 * SECOND


@dataclass(frozen=True)
class Question:
    """Does the condition hold somewhere? `build` encodes it on a box, `holds` decides it exactly at a point."""

    inputs: Sequence[str]
    build: Callable[[Box], tuple[Program, Condition]]
    holds: Callable[[Point], bool]


@dataclass
class Search:
    """Solvers, budget, and the record of what was asked. A search that takes longer than `seconds` is undecided."""

    solvers: Sequence[str] = ("z3",)
    seconds: float = 60.0
    memory: int = DEFAULT_MEMORY
    #: who is asked where many queries are independent
    workers: Workers = 1
    #: after one query about the whole box has failed, try smaller boxes
    split: bool = True
    #: for the query about the whole box. None: as much as the time allows, or half a minute's if smaller boxes follow
    work: int | None = None
    progress: Callable[[str, int, int], None] = lambda stage, done, total: None
    #: told the name and the SMT-LIB text of every query
    emit: Callable[[str, str], None] | None = None
    evidence: list[dict[str, Any]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.deadline = Deadline(self.seconds)
        self._queries = 0

    def find(self, question: Question) -> Point | None:
        """A point at which the condition holds, as simple as can be; None if there is none.

        Raises :class:`Undecided` when the budget ends first.
        """
        box: Box = ((ZERO, ONE),) * len(question.inputs)
        for point in quick_points(len(box)):
            if question.holds(point):
                return simplest(question.holds, point)
        split = self.split and bool(box)
        answer = self._ask(question, box, self.work or (_WHOLE_WORK if split else None))
        if answer.status == "unknown":
            if not split:
                raise Undecided(answer.reason)
            return self._split(question, box, answer.reason)
        return self._settled(question, answer)

    def _settled(self, question: Question, answer: Answer) -> Point | None:
        return None if answer.point is None else simplest(question.holds, answer.point)

    def _split(self, question: Question, box: Box, reason: str) -> Point | None:
        """Halve boxes until each is decided: on a smaller box fewer cases can act."""
        pending, done = [box], 0
        while pending:
            if not self.deadline.left:
                raise Undecided(f"{reason}; {len(pending)} boxes left when the {self.seconds:g} s were used up")
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

    def _ask(self, question: Question, box: Box, work: int | None, record: bool = True) -> Answer:
        """One query, of every chosen solver; sat only with a point that was replayed."""
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
                answer = Answer("unknown", reason=f"{name}: {error}")
            if answer.point is not None and not question.holds(answer.point):
                if logic_of(program, condition) == "QF_LRA":
                    raise InternalError(
                        f"{name} gives a model that is none", to_smtlib(program, condition, question.inputs)
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
    """No solver needed: some group of the condition is out of the proven ranges."""
    for group in condition:
        highest = [program.range_of(c.form)[1] for c in group]
        if all(high < 0 or (c.strict and high <= 0) for c, high in zip(group, highest, strict=True)):
            return True
    return False


def quick_points(dimension: int) -> Iterator[Point]:
    """Corners, small denominators and a few random points: most differences show at once."""
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
    """A point with smaller denominators at which the condition still holds."""
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
