"""`verimv reproduce`: run the paper's experiments; write numbers, figures, and which of its claims hold."""

from __future__ import annotations

import argparse
import os
from pathlib import Path
from typing import Any

from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.core.errors import InputError
from verimv.core.files import write_into
from verimv.paper.experiments import figures
from verimv.paper.experiments import means as curves
from verimv.paper.experiments import sentences as claims
from verimv.paper.experiments.campaign import EXPERIMENTS, ExperimentRecord, perform
from verimv.show.pictures.matplotlib_files import available
from verimv.solvers.verdict import EXIT_CODES

NO_FIGURES = "no figures: matplotlib is not installed (pip install 'verimv[figures]')"


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    directory = arguments.directory
    if directory is not None:
        _make(directory)
    names = list(EXPERIMENTS) if arguments.figure == "all" else [arguments.figure]
    records = {name: _record(name, str(arguments.seed), directory) for name in names}
    perform(list(records.values()), arguments.runs, report)
    texts, data = [], {}
    for name, record in records.items():
        report(f"writing {name}")
        text = claims.text(record, arguments.runs)
        texts.append(text)
        data[name] = _data(record, arguments.runs)
        if directory is not None:
            _write(directory, record, arguments.runs, text)
    if directory is not None and not available():
        texts.append(NO_FIGURES)
    unverified = sum(record.unverified(arguments.runs) for record in records.values())
    return Result(data, "\n\n".join(texts), EXIT_CODES["undecided"] if unverified else 0)


def _make(directory: str) -> None:
    if os.path.exists(directory) and not os.path.isdir(directory):
        raise InputError("exists and is not a directory", source=directory)
    try:
        os.makedirs(directory, exist_ok=True)
    except OSError as error:
        raise InputError(f"cannot write: {(error.strerror or str(error)).lower()}", source=directory) from None


def _record(name: str, seed: str, directory: str | None) -> ExperimentRecord:
    path = None if directory is None else Path(directory) / f"{name}-runs.csv"
    return ExperimentRecord(EXPERIMENTS[name], seed, path)


def _data(record: ExperimentRecord, runs: int) -> dict[str, Any]:
    return {
        "claims": [claim._asdict() for claim in claims.claims(record, runs)],
        "curves": {
            name: [
                {"x": point.x, "mean": float(point.mean), "low": point.low, "high": point.high, "runs": point.runs}
                for point in curves.curve(record, name, runs)
            ]
            for name in record.experiment.columns
        },
    }


def _write(directory: str, record: ExperimentRecord, runs: int, text: str) -> None:
    name = record.experiment.name
    write_into(directory, f"{name}.csv", curves.to_csv(record, runs))
    write_into(directory, f"{name}.txt", text + "\n")
    if available():
        for kind, data in figures.draw(record, runs).items():
            write_into(directory, f"{name}.{kind}", data)
