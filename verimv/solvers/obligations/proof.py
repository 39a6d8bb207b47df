"""Prove a certificate by solvers, which are asked every distinct query once."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import dataclass
from functools import partial
from typing import Any

from verimv.core.errors import InputError, Undecided
from verimv.core.workers import team
from verimv.solvers.engines import SOLVERS, is_installed, version_of
from verimv.solvers.obligations.collect import Task
from verimv.solvers.obligations.queries import Open, Queries, Refutation
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import Status, Verdict

#: Seconds after its time limit at which a solver is stopped.
_GRACE = 0.3


@dataclass(frozen=True)
class _Outcome:
    """The result of one solver; `helped` counts the queries that were proved by other means."""

    refutation: Refutation | None = None
    open: str = ""
    helped: tuple[tuple[str, int], ...] = ()

    @property
    def answer(self) -> str:
        return "sat" if self.refutation else "unknown" if self.open else "unsat"


def prove(task: Task, search: Search) -> Verdict:
    """Return whether a certificate holds: proved by every chosen solver (another may prove its undecided queries, which
    the verdict records), refuted with an exact point, or undecided."""
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
        if task.wrong:  # an error in the last line that was followed; no earlier line is refuted
            return verdict("refuted", task.wrong)
        if outcome.open:
            return verdict("undecided", outcome.open)
    if not search.solvers:
        raise InputError("expected at least one solver")
    if task.missing:
        return verdict("undecided", f"the certificate is incomplete: {task.missing}")
    return verdict("proved")


def _by(solver: str, queries: Queries, search: Search) -> _Outcome:
    """Ask one solver; then another about undecided queries; then split cases that are still undecided."""
    helped: list[tuple[str, int]] = []
    try:
        left, refutation = _asked(solver, queries, queries.groups(), search)
        helper = next((name for name in SOLVERS if name != solver and is_installed(name)), None)
        if _is_unconfirmed(left) or refutation is not None or not left:
            return _outcome(queries, left, refutation, helped)
        if helper is not None:
            before = len(left)
            left, refutation = _asked(helper, queries, [[found.number] for found in left], search)
            helped.append((helper, before - len(left)))
        if not _is_unconfirmed(left) and refutation is None:
            before = len(left)
            left = _after_halving(solver, queries, left, search)
            helped += [("halves", before - len(left))] * (len(left) < before)
    except Undecided as error:
        return _Outcome(open=f"{solver}: {error}")
    return _outcome(queries, left, refutation, helped)


def _is_unconfirmed(left: Sequence[Open]) -> bool:
    """Return whether some query is "sat" with an approximate point; "unsat" of another solver must not overrule it."""
    return any(reply.status == "sat" for _, reply in left)


def _outcome(
    queries: Queries, left: Sequence[Open], refutation: Refutation | None, helped: Sequence[tuple[str, int]]
) -> _Outcome:
    if refutation is not None or not left:
        return _Outcome(refutation, helped=tuple(helped))
    first = left[0]
    why = first.reply.reason or "the exact replay of a solver's point fails"
    count = f"{len(left):,} of {len(queries.all):,} queries are undecided"
    return _Outcome(open=f"{count}, the first of {queries.place(first.number)}: {why}", helped=tuple(helped))


def _after_halving(solver: str, queries: Queries, left: Sequence[Open], search: Search) -> list[Open]:
    """Return the queries that are still undecided after splitting cases in halves."""
    ask = partial(queries.is_proved_in_halves, solver, search.deadline)
    numbers = [found.number for found in left]
    with (
        team(search.workers, search.memory) as workers,
        closing(workers.results(ask, numbers, search.deadline.left + _GRACE)) as answered,
    ):
        proved = {number for number, is_proved in answered if is_proved}
    return [found for found in left if found.number not in proved]


def _asked(
    solver: str, queries: Queries, groups: Sequence[Sequence[int]], search: Search
) -> tuple[list[Open], Refutation | None]:
    """Return the queries that a solver does not prove, in the order of lines, and the first refutation by a replayed
    point."""
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
    if done != total:
        raise Undecided(f"{total - done:,} queries without an answer")
    found.sort(key=lambda item: (queries.line(item.number), item.number))
    refutations = (queries.refutation(item) for item in found if item.reply.status == "sat")
    return found, next((refutation for refutation in refutations if refutation is not None), None)
