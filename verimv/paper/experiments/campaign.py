"""The paper's experiments as data, run in parallel, with a record from which an interrupted call continues.

The record of an experiment is a CSV file with a row per run. The seed of a run is made of the given seed, the
experiment, the point on the x axis and the number of the run. So results do not depend on which process does a run,
and more runs can be added to those of an earlier call.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from verimv.core.errors import InputError
from verimv.core.files import append_to, read_text, write_file
from verimv.core.progress import Progress
from verimv.core.workers import Processes, cores
from verimv.paper.experiments import comparison
from verimv.paper.experiments.comparison import METHODS, SAWTOOTH_LIMITS, Row

#: Runs that a worker does between two reports.
_CHUNK = 5

_KEYS = ("x", "run", "seed")


@dataclass(frozen=True)
class Experiment:
    """One figure of the paper; `run` returns the row of one run at one point of the x axis."""

    name: str
    title: str
    x_label: str
    xs: Sequence[int]
    columns: Sequence[str]
    run: Callable[[int, str], Row]
    #: nothing is random, so one run is enough
    deterministic: bool = False


_LENGTHS = tuple(range(4, 15))
_COUNTS = ("breakpoints", "unverified")
#: The true minimum where it is known, and simplified formulas without a certificate.
_SIMPLIFIED = ("minimum", "uncertified")

EXPERIMENTS = {
    experiment.name: experiment
    for experiment in (
        Experiment(
            "lengths",
            "Length of the formulas of g_s",
            "s",
            range(1, max(SAWTOOTH_LIMITS.values()) + 1),
            (*SAWTOOTH_LIMITS, *_COUNTS),
            comparison.run_lengths,
            deterministic=True,
        ),
        Experiment(
            "random",
            "Length of the formulas of random terms",
            "length L of the term",
            _LENGTHS,
            ("source", *METHODS, *_SIMPLIFIED, *_COUNTS),
            comparison.run_random,
        ),
        Experiment(
            "breakpoints",
            "Breakpoints of random terms",
            "length L of the term",
            _LENGTHS,
            ("breakpoints", "breakpoints_any", "unverified"),
            comparison.run_breakpoints,
        ),
        Experiment(
            "compositions",
            "Length of the formulas of composed random terms",
            "number s of terms composed",
            range(1, 6),
            ("source", *(method for method in METHODS if method != "shallow"), *_SIMPLIFIED, *_COUNTS),
            comparison.run_compositions,
        ),
        Experiment(
            "multivariate",
            "Length of the formulas of random terms in three variables",
            "length L of the term",
            _LENGTHS,
            ("source", "hyperplane_few", "deep", "compact", "simplified", *_SIMPLIFIED, "unverified"),
            comparison.run_multivariate,
        ),
    )
}


class ExperimentRecord:
    """The rows of an experiment by (x, run); with a path, new rows are on disk before the next chunk begins."""

    def __init__(self, experiment: Experiment, seed: str, path: Path | None = None) -> None:
        self.experiment = experiment
        self.seed = seed
        self.path = path
        self.header = [*_KEYS, *experiment.columns]
        self.rows: dict[tuple[int, int], Row] = {}
        if path is not None and path.is_symlink():  # rows are appended, which would change its target
            raise InputError("is a symbolic link: choose another directory", source=str(path))
        if path is not None and path.exists():
            self._read(path)

    def _read(self, path: Path) -> None:
        text = read_text(path)
        lines = text.splitlines(keepends=True)
        if not lines or next(csv.reader(lines[:1])) != self.header:
            raise InputError("is not a record of this experiment: choose another directory", source=str(path))
        whole = [line for line in lines[1:] if line.endswith("\n")]  # the last may have been cut off
        for number, cells in enumerate(csv.reader(whole), start=2):
            self._add_cells(cells, str(path), number)
        if len(whole) < len(lines) - 1:
            write_file(path, [lines[0], *whole])

    def _add_cells(self, cells: Sequence[str], source: str, line: int) -> None:
        named = dict(zip(self.header, cells, strict=False))
        if len(cells) != len(self.header) or not all(_is_whole(text) for key, text in named.items() if key != "seed"):
            raise InputError("expected an integer for each column", source=source, line=line)
        if named["seed"] != self.seed:
            raise InputError(
                f"holds runs with the seed {named['seed']}, not {self.seed}: choose another directory", source=source
            )
        row = {key: int(text) for key, text in named.items() if key not in _KEYS and text}
        if not row.get("unverified"):  # what the solver left undecided is done again
            self.rows[int(named["x"]), int(named["run"])] = row

    def add(self, rows: Iterable[tuple[int, int, Row]]) -> None:
        """Add the rows of finished runs."""
        text = io.StringIO()
        writer = csv.writer(text, lineterminator="\n")
        new = list(rows)
        for x, run, row in new:
            self.rows[x, run] = row
            writer.writerow([x, run, self.seed, *(row.get(column, "") for column in self.experiment.columns)])
        if self.path is not None:
            header = "" if self.path.exists() else ",".join(self.header) + "\n"
            append_to(self.path, header + text.getvalue())

    def missing(self, runs: int) -> list[tuple[int, int]]:
        """Return (x, run) of the runs still to be done, the largest x first: they take longest."""
        count = 1 if self.experiment.deterministic else runs
        wanted = ((x, run) for x in sorted(self.experiment.xs, reverse=True) for run in range(count))
        return [key for key in wanted if key not in self.rows]

    def unverified(self, runs: int) -> int:
        """Return the number of formulas that the solver did not confirm."""
        return sum(sum(self.column(x, "unverified", runs)) for x in self.experiment.xs)

    def column(self, x: int, name: str, runs: int) -> list[int]:
        """Return one column at one x, for the first `runs` runs; empty where the method is not tried."""
        return [row[name] for row in self.rows_at(x, runs) if name in row]

    def rows_at(self, x: int, runs: int) -> list[Row]:
        """Return the rows at one x, of the first `runs` runs."""
        count = 1 if self.experiment.deterministic else runs
        return [self.rows[x, run] for run in range(count) if (x, run) in self.rows]


def _is_whole(text: str) -> bool:
    return text == "" or (text.isascii() and text.isdigit() and len(text) <= 4000)


# -- running -----------------------------------------------------------------------------------------------------------

#: experiment, seed, and (x, run) of each run
Task = tuple[str, str, list[tuple[int, int]]]
#: experiment, and (x, run, row) of each run
Result = tuple[str, list[tuple[int, int, Row]]]


def perform(records: Sequence[ExperimentRecord], runs: int, progress: Progress, workers: int | None = None) -> None:
    """Do all missing runs, on all cores."""
    tasks = [task for record in records for task in _tasks(record, runs)]
    total = sum(len(keys) for _, _, keys in tasks)
    by_name = {record.experiment.name: record for record in records}
    done = 0
    # spawned, not forked: this process may have threads
    for _, (name, rows) in Processes(workers or cores(), "spawn").results(_perform, tasks):
        by_name[name].add(rows)
        done += len(rows)
        progress("runs", done, total)


def _tasks(record: ExperimentRecord, runs: int) -> Iterator[Task]:
    missing = record.missing(runs)
    size = 1 if record.experiment.deterministic else _CHUNK
    for start in range(0, len(missing), size):
        yield record.experiment.name, record.seed, missing[start : start + size]


def _perform(task: Task) -> Result:
    name, seed, keys = task
    experiment = EXPERIMENTS[name]
    return name, [(x, run, experiment.run(x, f"{seed}/{name}/{x}/{run}")) for x, run in keys]
