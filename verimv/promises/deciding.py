"""Decide promises: from what was kept of an earlier run, or else by a proof whose certificate is kept for the next."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial

from verimv.core.errors import InputError, Refuted, Undecided, VerimvError
from verimv.core.workers.child import WorkerStopped
from verimv.core.workers.processes import Processes
from verimv.promises.comparing import compared
from verimv.promises.keeper import Keeper
from verimv.promises.outcome import PromiseOutcome
from verimv.promises.promise import Promise
from verimv.promises.verifying import verified


def decide_all(
    promises: Sequence[Promise], keeper: Keeper, workers: int, memory: int | None = None
) -> Iterator[PromiseOutcome]:
    """Yield the outcomes in the order in which they are found. One that cannot be decided does not stop the others.

    Workers that would have no promise of their own help with another one.
    """
    team = Processes(workers, memory=memory, nested=True)
    each = partial(decide, keeper=keeper, workers=max(1, workers // max(1, len(promises))))
    for promise, outcome in team.answers(each, promises):
        if isinstance(outcome, WorkerStopped):
            outcome = PromiseOutcome(promise, "undecided", str(outcome))
        yield outcome


def decide(promise: Promise, keeper: Keeper, workers: int = 1) -> PromiseOutcome:
    """Return what became of a promise; an error is an outcome, too. The answer does not depend on the workers."""
    began = time.perf_counter()
    try:
        found = (verified if promise.kind == "spec" else compared)(promise, keeper, workers)
    except InputError as error:
        found = PromiseOutcome(promise, "malformed", _located(promise, error))
    except Refuted as error:  # a certificate is invalid
        found = PromiseOutcome(promise, "refuted", str(error))
    except Undecided as error:
        found = PromiseOutcome(promise, "undecided", str(error))
    except Exception as error:
        told = str(error) if isinstance(error, VerimvError) else f"{type(error).__name__}: {error}"
        found = PromiseOutcome(promise, "bug", f"a bug in verimv: {told}")
    return replace(found, seconds=round(time.perf_counter() - began, 3))


def _located(promise: Promise, error: InputError) -> str:
    """Return the message with the place of the promise, in words of the file: its keys have the names of options."""
    if error.source == promise.source:
        return str(error)
    return str(promise.error(promise.kind, str(error).replace("--", "")))
