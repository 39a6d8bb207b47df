"""All queries of a certificate, by number; the replies of solvers, and the meaning of a refuted query."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from verimv.core.effort import Deadline
from verimv.core.errors import InputError, InternalError
from verimv.exact import ZERO, Number, format_number
from verimv.solvers.obligations.asking import SESSIONS, Reply, Session
from verimv.solvers.obligations.case_systems import (
    Evidence,
    EvidenceLeaf,
    LeafProgram,
    VariableSystem,
    above_the_bound,
    halves,
)
from verimv.solvers.obligations.collect import Task
from verimv.solvers.obligations.linear import LinearObligation
from verimv.solvers.obligations.rules import Rule
from verimv.solvers.obligations.script import Script
from verimv.solvers.verdict import Witness

#: Queries per session: after that, a new session is faster.
_PER_SESSION = 50
#: A query may take this share of the remaining time, and at most so many seconds.
_SHARE, _SECONDS = 0.2, 30.0
#: Times that a case is split in two if both solvers leave it undecided.
_HALVINGS = 4


class CaseQuery(NamedTuple):
    """A case of the evidence of a line, over the system of its variables."""

    line: int
    evidence: Evidence
    case: EvidenceLeaf

    def program(self, system: VariableSystem) -> LeafProgram | None:
        try:
            return system.program(self.evidence.facts, self.case, self.evidence.twins)
        except InputError as error:
            raise InputError(f"line {self.line}: {error.message}") from None

    def text(self, system: VariableSystem) -> str:
        """Return an SMT-LIB 2 script; empty if the case has no point."""
        program = self.program(system)
        if program is None:
            return ""
        asked = above_the_bound(program)
        logic = system.logic(asked)
        script = system.definitions(self.case.stop, logic)
        script.variables |= asked.variables
        script.assertions += asked.assertions
        comment = f"line {self.line}, case {self.case.number}: no point of the linear program is above the bound"
        return script.text(comment, logic)


Query = Rule | LinearObligation | CaseQuery


class Open(NamedTuple):
    """A query that a solver did not prove, with its reply: a reason, or a model that may refute the query."""

    number: int
    reply: Reply


class Refutation(NamedTuple):
    """A false obligation: its origin, what is expected there, and an exact point."""

    what: str
    witness: Witness


class Queries:
    """All queries: first those that lines share, then the cases of the evidence."""

    def __init__(self, task: Task) -> None:
        self.task = task
        cases = [CaseQuery(line, found, case) for line, found in task.obligations.cases for case in found.cases]
        self.all: list[Query] = [*task.obligations.queries, *cases]

    def groups(self) -> list[list[int]]:
        """Return groups of queries, by number; each group is asked in one session."""
        found: list[list[int]] = []
        previous: object = None
        for number, query in enumerate(self.all):
            kind = id(query.evidence.variables) if isinstance(query, CaseQuery) else type(query)
            if kind != previous or len(found[-1]) == _PER_SESSION:
                found.append([])
            found[-1].append(number)
            previous = kind
        return found

    def open_after(self, solver: str, deadline: Deadline, numbers: Sequence[int]) -> list[Open]:
        """Return the queries of a group that a solver does not prove. Runs in a worker."""
        session = _Asking(solver, [self.all[number] for number in numbers], deadline)
        replies = [(number, session.ask(self.all[number])) for number in numbers]
        return [Open(number, reply) for number, reply in replies if reply.status != "unsat"]

    def is_proved_in_halves(self, solver: str, deadline: Deadline, number: int) -> bool:
        """Return whether a solver proves a case after its box is split repeatedly in two. Runs in a worker."""
        query = self.all[number]
        if not isinstance(query, CaseQuery):
            return False
        session = _Asking(solver, [query], deadline)
        program = query.program(session.system)
        pending = [] if program is None else [(program, 0)]
        while pending:
            part, depth = pending.pop()
            if depth and session.about(part).status == "unsat":
                continue
            parts = halves(part)
            if not parts or depth == _HALVINGS or not deadline.left:
                return False
            pending += [(half, depth + 1) for half in parts]
        return True

    def line(self, number: int) -> int:
        """Return the first line that needs a query."""
        query = self.all[number]
        return query.line if isinstance(query, CaseQuery) else self.task.obligations.queries[query].lines[0]

    def place(self, number: int) -> str:
        """Return the origin of a query, for messages."""
        line, query = self.line(number), self.all[number]
        if line not in self.task.rules:
            return "the files that the certificate names"
        case = f", case {query.case.number}" if isinstance(query, CaseQuery) else ""
        return f"line {line}, rule {self.task.rules[line]}{case}"

    def refutation(self, found: Open) -> Refutation | None:
        """Return the refutation that a model gives, if its exact replay succeeds."""
        query = self.all[found.number]
        if isinstance(query, Rule):  # rules hold for all numbers, so this is no error of the certificate
            raise InternalError(f"a solver refutes the rule {query.name}", query.text())
        place, model = self.place(found.number), found.reply.model
        if isinstance(query, LinearObligation):
            return self._refuted_form(query, place, model)
        system = VariableSystem(query.evidence.variables)
        program = query.program(system)
        if program is None or not system.is_refuted_by(program, model):
            _check_logic(query.text(system))
            return None
        values = system.values_at(program, model)
        claimed, by_evidence = query.case.target(values), system.excess(program, model)
        at = {self._name(query.evidence.nodes[k]): values[k] for k in sorted(program.ends)}
        excess = {"value − bound": claimed, "by the evidence": by_evidence}
        return Refutation(f"{place}: expected evidence of the bound", _witness(at, excess))

    def _refuted_form(self, query: LinearObligation, place: str, model: Mapping[str, Number]) -> Refutation | None:
        served = self.task.obligations.queries[query]
        point = [model.get(name, ZERO) for name in query.variables]
        if not query.is_refuted_by(point) or served.form is None:
            _check_logic(query.text())
            return None
        values = {j: ZERO for j, _ in served.form.terms} | dict(zip(served.nodes, point, strict=True))
        if not query.both:  # variables with a positive coefficient are complemented there
            values = {j: 1 - values[j] if w > 0 else values[j] for j, w in served.form.terms}
        off = served.form.constant + sum((w * values[j] for j, w in served.form.terms), ZERO)
        at = {self._name(node): value for node, value in sorted(values.items())}
        return Refutation(
            f"{place}: expected {served.what}", _witness(at, {"difference" if query.both else "excess": off})
        )

    def _name(self, node: int) -> str:
        inputs = self.task.inputs
        return inputs[node - 2] if 2 <= node < 2 + len(inputs) else f"[{node}]"


def _check_logic(text: str) -> None:
    """Raise if the query is linear: its models are exact, so a wrong one is an error of the solver. With square roots a
    model may be approximate."""
    if "(set-logic QF_LRA)" in text:
        raise InternalError("a solver gives a model that does not satisfy the query", text)


def _witness(at: Mapping[str, Number], values: Mapping[str, Number]) -> Witness:
    point, found = ({name: format_number(x) for name, x in part.items()} for part in (at, values))
    return Witness(point, found)


class _Asking:
    """A solver that is asked queries of one kind."""

    def __init__(self, solver: str, queries: Sequence[Query], deadline: Deadline) -> None:
        self._start = SESSIONS[solver]
        self._deadline = deadline
        self._sessions: dict[str, Session] = {}
        cases = [query for query in queries if isinstance(query, CaseQuery)]
        self.system = VariableSystem(cases[0].evidence.variables if cases else ())
        self._count = max((query.evidence.count for query in cases), default=0)

    def ask(self, query: Query) -> Reply:
        if isinstance(query, CaseQuery):
            program = query.program(self.system)
            return Reply("unsat", {}) if program is None else self.about(program)
        if query.logic == "QF_NRA" or isinstance(query, Rule):
            return self._start(query.logic, Script()).ask(query.script(), self._seconds())
        return self._session(query.logic, Script).ask(query.script(), self._seconds())

    def about(self, program: LeafProgram) -> Reply:
        asked = above_the_bound(program)
        logic = self.system.logic(asked)
        return self._session(logic, lambda: self.system.definitions(self._count, logic)).ask(asked, self._seconds())

    def _session(self, logic: str, definitions: Callable[[], Script]) -> Session:
        if logic not in self._sessions:
            self._sessions[logic] = self._start(logic, definitions())
        return self._sessions[logic]

    def _seconds(self) -> float:
        return min(_SECONDS, _SHARE * self._deadline.left)
