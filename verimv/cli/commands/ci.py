"""`verimv ci`: prove every promise about the models of a repository. `verimv ci init` writes a first file of them."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections import Counter
from collections.abc import Iterator, Sequence

from verimv.cli.annotations import github_error, github_lines, github_summary, sarif
from verimv.cli.columns import columns
from verimv.cli.reporter import Reporter
from verimv.cli.result import Case, Result
from verimv.cli.stack import WORST, printable, shortened
from verimv.core.errors import InputError
from verimv.core.files import append_to, write_file
from verimv.core.suggest import did_you_mean
from verimv.core.workers.processes import cores
from verimv.promises.deciding import decide_all
from verimv.promises.keeper import FOLDER, Keeper
from verimv.promises.outcome import CODES, WORDS, PromiseOutcome
from verimv.promises.promise import Promise
from verimv.promises.promise_file import PromiseFile, find_promise_file, read_promises

#: Characters of a model's name, of a promise, and of what it rests on.
_WIDTHS = (24, 44, 40)
_STAGE = "proving promises"


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    if arguments.action == "init":
        return _init(arguments, report)
    report("reading")
    began = time.perf_counter()
    try:
        file = read_promises(arguments.file or find_promise_file())
        promises = _chosen(file, arguments.only)
    except InputError as error:
        if arguments.github:
            sys.stderr.write(f"{github_error(error)}\n")
        raise
    keeper = Keeper(arguments.cache or os.path.join(os.path.dirname(file.path), FOLDER), arguments.fresh)
    report(_STAGE, 0, len(promises))
    found: dict[str, PromiseOutcome] = {}
    for outcome in decide_all(promises, keeper, arguments.workers or cores(), arguments.memory):
        found[outcome.promise.table] = outcome
        report(_STAGE, len(found), len(promises))
    if not arguments.only:
        keeper.tidy(len(promises))
    return _result([found[promise.table] for promise in promises], file, arguments, time.perf_counter() - began)


def _chosen(file: PromiseFile, patterns: Sequence[str] | None) -> list[Promise]:
    """Return the promises that match a pattern, each of which must match some."""
    for pattern in patterns or ():
        if not any(promise.matches(pattern) for promise in file.promises):
            names = dict.fromkeys([name for promise in file.promises for name in (promise.model, promise.title)])
            hint = (
                did_you_mean(pattern, names) or f" (models: {', '.join(dict.fromkeys(p.model for p in file.promises))})"
            )
            raise InputError(f"--only {pattern}: no such model or promise{hint}", source=file.path)
    return [promise for promise in file.promises if not patterns or any(map(promise.matches, patterns))]


def _result(outcomes: list[PromiseOutcome], file: PromiseFile, arguments: argparse.Namespace, seconds: float) -> Result:
    worst = min(outcomes, key=lambda outcome: WORST.index(outcome.exit_code))
    counts = Counter(outcome.status for outcome in outcomes)
    summary = _summary(outcomes, counts, seconds)
    text = "\n".join([*_table(outcomes), "", summary, *_notes(outcomes), *_unpromised(file, arguments)])
    if arguments.sarif is not None:
        write_file(arguments.sarif, [sarif(outcomes)])
    if arguments.github:
        lines = github_lines(outcomes)
        if arguments.json:
            sys.stderr.write("".join(f"{line}\n" for line in lines))
        else:
            text = "\n".join([text, *lines])
        if page := os.environ.get("GITHUB_STEP_SUMMARY"):
            append_to(page, github_summary(outcomes, summary))
    data = {
        "status": worst.status,
        "file": file.path,
        "counts": {status: counts[status] for status in CODES if counts[status]},
        "without_promises": file.without,
        "promises": [outcome.data() for outcome in outcomes],
        "seconds": round(seconds, 3),
    }
    cases = [
        Case(outcome.promise.full_name, outcome.exit_code, outcome.reason, outcome.seconds) for outcome in outcomes
    ]
    return Result(data, text, worst.exit_code, cases)


def _table(outcomes: Sequence[PromiseOutcome]) -> Iterator[str]:
    """Yield the lines of the table: below a row why the promise is not proved."""
    rows = columns([("model", "promise", "answer", "evidence", "time"), *map(_row, outcomes)], left=4)
    for row, outcome in zip(rows, [None, *outcomes], strict=True):
        yield row
        if outcome is not None:
            yield from (f"    {printable(line)}" for line in outcome.reason.splitlines())


def _row(outcome: PromiseOutcome) -> tuple[str, ...]:
    evidence = ", ".join(filter(None, [outcome.evidence, "unchanged" if outcome.unchanged else ""])) or "–"
    texts = (outcome.promise.model, outcome.promise.title, evidence)
    model, title, told = (shortened(printable(text), width) for text, width in zip(texts, _WIDTHS, strict=True))
    return model, title, outcome.word, told, f"{outcome.seconds:.1f} s"


def _summary(outcomes: Sequence[PromiseOutcome], counts: Counter[str], seconds: float) -> str:
    told = ", ".join(f"{counts[status]:,} {WORDS.get(status, status)}" for status in CODES if counts[status])
    unchanged = sum(outcome.unchanged for outcome in outcomes)
    note = f" ({unchanged:,} unchanged, checked again)" if unchanged else ""
    return f"{told} of {len(outcomes):,}{note}, {seconds:.1f} s"


def _notes(outcomes: Sequence[PromiseOutcome]) -> list[str]:
    """Return what else is to be said, once for each model."""
    found = ((outcome.promise.model, note) for outcome in outcomes for note in outcome.notes)
    return [f"note: {printable(model)}: {printable(note)}" for model, note in dict.fromkeys(found)]


def _unpromised(file: PromiseFile, arguments: argparse.Namespace) -> list[str]:
    if not file.without or arguments.only:
        return []
    return [f"nothing is promised of {', '.join(file.without)}"]


def _init(arguments: argparse.Namespace, report: Reporter) -> Result:
    from verimv.promises.first_file import write_first_file

    report("looking for models")
    path, models, promises = write_first_file(arguments.file, report)
    text = f"written: {path} (models: {models:,}, promises: {promises:,})\nread it, change it, then run verimv ci"
    return Result({"file": path, "models": models, "promises": promises}, text)
