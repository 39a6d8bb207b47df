"""Prove a certificate by solvers: every distinct query is asked once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from verimv.errors import Undecided
from verimv.smt.obligations.collect import Task
from verimv.smt.obligations.queries import Open, Queries, Refutation
from verimv.smt.search import Search
from verimv.smt.solvers import SOLVERS, is_installed, version_of
from verimv.smt.verdict import Status, Verdict
from verimv.workers import team

#: Seconds for a solver to notice that its time is over, before it is stopped.
_GRACE = 0.3


@dataclass(frozen=True)
class _Outcome:
    """What came of asking one solver; `helped` is what others did of it."""

    refutation: Refutation | None = None
    open: str = ""
    helped: tuple[tuple[str, int], ...] = ()

    @property
    def answer(self) -> str:
        return "sat" if self.refutation else "unknown" if self.open else "unsat"


def prove(task: Task, search: Search) -> Verdict:
    """Whether a certificate holds: proved by every chosen solver, refuted with an exact point, or undecided."""
    start = time.perf_counter()
    evidence: list[dict[str, Any]] = []

    def verdict(status: Status, reason: str = "", refutation: Refutation | None = None) -> Verdict:
        witness = None if refutation is None else refutation.witness
        return Verdict(status, witness, reason, tuple(evidence), time.perf_counter() - start)

    queries = Queries(task)
    for name in search.solvers:
        began = time.perf_counter()
        outcome = _by(name, queries, search)
        evidence.append(
            {
                "solver": name,
                "version": version_of(name),
                "mode": "certificate",
                "answer": outcome.answer,
                "obligations": task.obligations.count,
                "queries": len(queries.all),
                **({"helped": dict(outcome.helped)} if outcome.helped else {}),
                "seconds": round(time.perf_counter() - began, 3),
            }
        )
        if outcome.refutation is not None:
            return verdict("refuted", outcome.refutation.what, outcome.refutation)
        if task.wrong:  # in its last line; nothing before it is refuted
            return verdict("refuted", task.wrong)
        if outcome.open:
            return verdict("undecided", outcome.open)
    if task.missing:
        return verdict("undecided", f"the certificate is incomplete: {task.missing}")
    return verdict("proved")


def _by(solver: str, queries: Queries, search: Search) -> _Outcome:
    """One solver; what it leaves open, another one; what that leaves open, in halves."""
    helped: list[tuple[str, int]] = []
    try:
        left, refutation = _asked(solver, queries, queries.groups(), search)
        helper = next((name for name in SOLVERS if name != solver and is_installed(name)), None)
        if left and refutation is None and helper is not None:
            before = len(left)
            left, refutation = _asked(helper, queries, [[found.number] for found in left], search)
            helped.append((helper, before - len(left)))
        if refutation is not None:
            return _Outcome(refutation, helped=tuple(helped))
        still = [found for found in left if not queries.is_proved_in_halves(solver, search.deadline, found.number)]
    except Undecided as error:
        return _Outcome(open=f"{solver}: {error}")
    if len(still) < len(left):
        helped.append(("halves", len(left) - len(still)))
    if not still:
        return _Outcome(helped=tuple(helped))
    first = still[0]
    why = first.reply.reason or f"{solver} gives a point that is none"
    count = f"{len(still):,} of {len(queries.all):,} queries are open"
    return _Outcome(open=f"{count}, the first of {queries.place(first.number)}: {why}", helped=tuple(helped))


def _asked(
    solver: str, queries: Queries, groups: Sequence[Sequence[int]], search: Search
) -> tuple[list[Open], Refutation | None]:
    """What a solver leaves open, in the order of lines; and the first of it that is refuted, by a point that was
    replayed."""
    ask: Callable[[Sequence[int]], list[Open]] = partial(queries.open_after, solver, search.deadline)
    total, done = sum(map(len, groups)), 0
    found: list[Open] = []
    with (
        team(search.workers, search.memory) as workers,
        closing(workers.results(ask, groups, search.deadline.left + _GRACE)) as answered,
    ):
        for numbers, left in answered:
            done += len(numbers)
            found += left
            search.progress(f"asking {solver}", done, total)
    found.sort(key=lambda item: (queries.line(item.number), item.number))
    refutations = (queries.refutation(item) for item in found if item.reply.status == "sat")
    return found, next((refutation for refutation in refutations if refutation is not None), None)
