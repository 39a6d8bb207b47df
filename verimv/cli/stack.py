"""A stack of certificates: checked on all cores, told in a table, in the order in which they were named."""

from __future__ import annotations

import argparse
import os
import time
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import partial
from typing import Any
from urllib.parse import quote

from verimv import kernel
from verimv.cli.columns import columns
from verimv.cli.commands.check import judge_path
from verimv.cli.reporter import Reporter
from verimv.cli.result import Case, Result
from verimv.core.errors import VerimvError
from verimv.core.files import write_file
from verimv.core.workers.child import WorkerStopped
from verimv.core.workers.processes import Processes, cores
from verimv.kernels.verdicts import CERTIFICATE_FILES

#: Exit codes, the one first that decides that of several answers.
WORST = (4, 1, 2, 3, 0)
#: Words for verdicts, in the order of the summary.
_VERDICTS = ("valid", "invalid", "malformed", "incomplete", "bug")
#: Characters of a name.
_WIDTH = 42


@dataclass(frozen=True)
class Checked:
    """One certificate of the stack, and the verdict on it."""

    path: str
    verdict: str
    exit_code: int
    text: str
    seconds: float
    #: why it fails, and which kernel gave up
    notes: Sequence[str] = ()
    statement: Sequence[str] = ()
    #: a short word for the kernels that gave the verdict
    kernels: str = "–"
    data: dict[str, Any] = field(default_factory=dict)

    @property
    def row(self) -> tuple[str, ...]:
        size = _size(self.path)
        return (
            shortened(printable(self.path), _WIDTH),
            self.verdict,
            self.kernels,
            _size_text(size),
            f"{self.seconds:.1f} s",
        )


def check_stack(paths: Sequence[str], arguments: argparse.Namespace, report: Reporter, skipped: int = 0) -> Result:
    """Check every certificate. One that is malformed or missing does not stop the others.

    `skipped` is how many directories were left out because they have no certificate.
    """
    begin = time.perf_counter()
    found: dict[str, Checked] = {}
    report("checking certificates", 0, len(paths))
    for checked in _results(paths, arguments):
        found[checked.path] = checked
        report("checking certificates", len(found), len(paths))
    stack = [found[path] for path in paths]
    seconds = round(time.perf_counter() - begin, 3)
    worst = min(stack, key=lambda checked: WORST.index(checked.exit_code))
    counts = Counter(checked.verdict for checked in stack)
    summary = _summary(counts, len(stack), seconds)
    if skipped:
        summary += f"; no certificate in {skipped:,} more {'directory' if skipped == 1 else 'directories'}"
    text = "\n".join([*_table(stack, arguments.statements), "", summary])
    if arguments.html is not None:
        _write_page(arguments.html, stack, summary)
    data = {
        "verdict": worst.verdict,
        "counts": {verdict: counts[verdict] for verdict in _VERDICTS if counts[verdict]},
        "seconds": seconds,
        "without_certificate": skipped,
        "certificates": [checked.data for checked in stack],
    }
    cases = [Case(checked.path, checked.exit_code, checked.text, checked.seconds) for checked in stack]
    return Result(data, text, worst.exit_code, cases)


def _results(paths: Sequence[str], arguments: argparse.Namespace) -> Iterator[Checked]:
    """Yield the verdicts in the order in which they are found. A worker that is killed costs one certificate."""
    team = Processes(arguments.workers or cores(), memory=arguments.memory)
    for path, checked in team.answers(partial(_checked, arguments.kernel, arguments.effort), paths):
        if isinstance(checked, WorkerStopped):
            checked = _failed(path, checked.exit_code, str(checked), 0.0)
        yield checked


def _checked(choice: str | None, effort: int | None, path: str) -> Checked:
    """Check one certificate, in a worker."""
    begin = time.perf_counter()
    try:
        judgement = judge_path(path, {}, choice, effort=effort)
    except Exception as error:  # an answer, too: the others are checked all the same
        told = str(error) if isinstance(error, VerimvError) else f"{type(error).__name__}: {error}"
        return _failed(path, getattr(error, "exit_code", 4), told, time.perf_counter() - begin)
    seconds = round(time.perf_counter() - begin, 3)
    status, notes = judgement.status, judgement.given_up
    if judgement.reason:
        notes = [judgement.reason, *(note for note in notes if note not in judgement.reason)]
    names = judgement.names
    return Checked(
        path,
        status,
        kernel.EXIT_CODES[status],
        "\n".join([judgement.text, *judgement.statement]),
        seconds,
        notes,
        judgement.statement,
        "both" if len(names) > 1 else names[0].removeprefix("the ").removesuffix(" kernel"),
        {"path": path, **judgement.data(), "seconds": seconds},
    )


def _failed(path: str, exit_code: int, reason: str, seconds: float) -> Checked:
    verdict = {2: "malformed", 3: "incomplete"}.get(exit_code, "bug")
    data = {"path": path, "verdict": verdict, "reason": reason}
    return Checked(path, verdict, exit_code, f"{verdict}: {reason}", round(seconds, 3), [reason], data=data)


def _table(stack: Sequence[Checked], with_statements: bool) -> Iterator[str]:
    """Yield the lines of the table: below a row the reason why it fails, or what is proved."""
    header = ("certificate", "verdict", "kernels", "size", "time")
    rows = columns([header, *(checked.row for checked in stack)], left=3)
    for row, checked in zip(rows, [None, *stack], strict=True):
        yield row
        if checked is not None:
            statement = checked.statement if with_statements else ()
            yield from (f"    {printable(line)}" for line in (*checked.notes, *statement))


def _summary(counts: Counter[str], total: int, seconds: float) -> str:
    told = ", ".join(f"{counts[verdict]:,} {verdict}" for verdict in _VERDICTS if counts[verdict])
    return f"{told} of {total:,}, {seconds:.1f} s"


def _write_page(file: str, stack: Sequence[Checked], summary: str) -> None:
    from verimv.show.stack_page import StackRow, stack_html  # little of this is needed otherwise

    folder = os.path.dirname(os.path.abspath(file))
    rows = [
        StackRow(
            printable(checked.path),
            checked.verdict,
            checked.kernels,
            _size(checked.path),
            checked.seconds,
            checked.statement,
            [printable(note) for note in checked.notes],
            _report(checked.path, folder),
        )
        for checked in stack
    ]
    write_file(file, [stack_html(rows, summary)])


def _report(path: str, folder: str) -> str | None:
    """Return the address of a certificate's report, seen from a folder."""
    report = os.path.join(path, "report.html")
    if not os.path.isfile(report):
        return None
    return quote(os.path.relpath(os.path.abspath(report), folder).replace(os.sep, "/")) + "#check"


def _size(path: str) -> int | None:
    """Return the size of the certificate's file."""
    files = (*(os.path.join(path, name) for name in CERTIFICATE_FILES), path)
    return next((os.path.getsize(file) for file in files if os.path.isfile(file)), None)


def _size_text(size: int | None) -> str:
    if size is None:
        return "–"
    return f"{size} B" if size < 1000 else f"{size / 1e3:,.1f} kB" if size < 1e6 else f"{size / 1e6:,.1f} MB"


def printable(name: str) -> str:
    """Return a name of a file in which nothing moves the cursor, breaks the line or turns the direction of writing."""
    return "".join(c if c.isprintable() else c.encode("unicode_escape", "surrogatepass").decode() for c in name)


def shortened(text: str, width: int) -> str:
    """Cut out the middle of a text that is longer than `width`; the end says more than the start."""
    if len(text) <= width:
        return text
    head = (width - 1) // 3
    return f"{text[:head]}…{text[head + 1 - width :]}"
