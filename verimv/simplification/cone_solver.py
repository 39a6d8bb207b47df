"""Equalities over cones, decided by the solver: many small questions at once, each with its own budget."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from verimv.core.effort import SECOND, Meter
from verimv.core.errors import InternalError
from verimv.exact import ONE, ZERO
from verimv.formulas.dag import Dag
from verimv.formulas.formula import Formula
from verimv.networks.program import Program
from verimv.simplification.cones import local_formula
from verimv.solvers.encode import Condition, logic_of, positive, to_smtlib
from verimv.solvers.engines import Answer, ask_z3
from verimv.solvers.limited import DEFAULT_MEMORY, limited
from verimv.solvers.point_search import is_impossible

#: What one question may take of the solver by default; the work of putting it, and of starting a process for a batch.
QUESTION_WORK = 2 * SECOND // 5
_PUT, _START = 300, 20_000
#: Questions that go to one child process.
BATCH = 48


@dataclass(frozen=True)
class Obligation:
    """left = right whatever values the leaves take."""

    left: int
    right: int
    leaves: tuple[int, ...]


class Query(NamedTuple):
    """An obligation as a formula with two outputs, and the condition that they differ."""

    formula: Formula
    program: Program
    condition: Condition


@dataclass
class ConeProver:
    """Decides obligations until the work is used up, and counts what it took. What was proved once is known."""

    dag: Dag
    meter: Meter
    memory: int = DEFAULT_MEMORY
    #: questions that went to the solver, and those that it left open
    calls: int = 0
    undecided: int = 0
    _proved: set[Any] = field(default_factory=set)

    def decide(self, obligations: Sequence[Obligation], question_work: int = QUESTION_WORK) -> list[Answer]:
        """Return for each: unsat if proved, sat with values of the leaves at which the nodes differ, or unknown."""
        answers: list[Answer] = []
        for start in range(0, len(obligations), BATCH):
            answers += self._decide_batch(obligations[start : start + BATCH], question_work)
        return answers

    def _decide_batch(self, obligations: Sequence[Obligation], question_work: int) -> list[Answer]:
        keys: list[Any] = []
        answers: dict[Any, Answer] = {}
        asked: dict[Any, Query] = {}
        for obligation in obligations:
            if self.meter.is_used_up:
                keys.append(None)
                answers[None] = _NO_ANSWER
                continue
            self.meter.spend(_PUT)
            formula = local_formula(self.dag, [obligation.left, obligation.right], obligation.leaves)
            keys.append(_key(formula))
            if keys[-1] in self._proved:
                answers[keys[-1]] = Answer("unsat")
            elif keys[-1] not in asked:
                asked[keys[-1]] = _query(formula)
        answers.update(zip(asked, self._ask(list(asked.values()), question_work), strict=True))
        self._proved.update(key for key, answer in answers.items() if answer.status == "unsat")
        return [answers[key] for key in keys]

    def _ask(self, queries: Sequence[Query], work: int) -> list[Answer]:
        """Proven ranges answer some queries, the solver the others."""
        easy = [is_impossible(query.program, query.condition) for query in queries]
        hard = [query for query, is_easy in zip(queries, easy, strict=True) if not is_easy]
        replies: list[Answer] = []
        if hard:
            self.calls += len(hard)
            replies = limited(_ask_all, hard, self.meter, work, seconds=self.meter.deadline.left, memory=self.memory)
            self.meter.spend(_START + sum(reply.work for reply in replies))
        confirmed = [_confirmed(query, reply) for query, reply in zip(hard, replies, strict=True)]
        self.undecided += sum(answer.status == "unknown" for answer in confirmed)
        answers = iter(confirmed)
        return [Answer("unsat") if is_easy else next(answers) for is_easy in easy]


_NO_ANSWER = Answer("unknown", reason="the effort is used up")


def _ask_all(queries: Sequence[Query], meter: Meter, most: int) -> list[Answer]:
    """Answer queries with so much work each, in a child process."""
    answers = []
    for formula, program, condition in queries:
        answer, work = _NO_ANSWER, min(most, meter.left)
        if work > 0:
            answer = ask_z3(program, condition, formula.inputs, meter.deadline.left, work)
            meter.spend(answer.work)
        answers.append(answer)
    return answers


def _query(formula: Formula) -> Query:
    """Ask the solver for a point at which the two outputs differ."""
    program = Program(((ZERO, ONE),) * len(formula.inputs))
    left, right = program.add_formula(formula, formula.inputs)
    return Query(formula, program, [[positive(left + (-right)), positive(right + (-left))]])


def _key(formula: Formula) -> Any:
    """Equal for formulas that are written alike."""
    dag = formula.dag
    return bytes(dag.kinds), dag.lefts.tobytes(), dag.rights.tobytes(), tuple(dag.payloads), formula.roots


def _confirmed(query: Query, answer: Answer) -> Answer:
    """A model is believed only when it is replayed: over rational numbers a false one is a bug."""
    if answer.point is None:
        return answer
    formula, program, condition = query
    left, right = formula.at(dict(zip(formula.inputs, answer.point, strict=True)))
    if left != right:
        return answer
    if logic_of(program, condition) == "QF_LRA":
        reproduction = to_smtlib(program, condition, formula.inputs)
        raise InternalError("z3 gives a model that does not satisfy the query", reproduction)
    return Answer("unknown", reason="z3: its model is only close to a solution")
