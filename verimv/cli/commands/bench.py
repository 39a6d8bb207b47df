"""`verimv bench`: run benchmarks, print their tables, write their numbers."""

from __future__ import annotations

import argparse
import json
import os
from collections.abc import Sequence

from verimv.cli.columns import columns
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.core.choices import BENCHMARKS, FOLDER_BENCHMARKS, QUICK_BENCHMARKS
from verimv.core.errors import InputError
from verimv.core.files import write_into
from verimv.paper.benchmarks.benchmark import run_benchmark

#: Options that only `bench verify` has, as its function `run` calls them.
VERIFY_OPTIONS = ("nets", "only", "expected", "effort", "seconds", "all_kernels", "marabou_seconds", "certificates")


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    if (
        arguments.directory is not None
        and os.path.exists(arguments.directory)
        and not os.path.isdir(arguments.directory)
    ):
        raise InputError("exists and is not a directory", source=arguments.directory)
    if arguments.folder is not None and arguments.name not in FOLDER_BENCHMARKS:
        raise InputError(f"FOLDER is only for: {', '.join(FOLDER_BENCHMARKS)}")
    if arguments.quick and arguments.name not in QUICK_BENCHMARKS:
        raise InputError(f"--quick is only for: {', '.join(QUICK_BENCHMARKS)}")
    own = {key: value for key in VERIFY_OPTIONS if (value := getattr(arguments, key)) is not None}
    if own and arguments.name != "verify":
        raise InputError(f"only for verify: {', '.join(map(_option, own))}")
    names = [arguments.name] if arguments.name else list(BENCHMARKS)
    data, texts = {}, []
    for name in names:
        benchmark = run_benchmark(name, report, arguments.folder, arguments.quick, own)
        data[name] = benchmark.data()
        texts += [f"{name}: {table.title}\n{aligned(table.header, table.rows)}" for table in benchmark.tables]
        if arguments.directory is not None:
            write_into(arguments.directory, f"{name}.json", json.dumps(data[name], indent=1) + "\n")
    return Result(data, "\n\n".join(texts))


def _option(name: str) -> str:
    return f"--{name.replace('_', '-')}"


def aligned(header: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return a table with aligned columns, all but the first to the right."""
    return "\n".join(f"  {line}" for line in columns([header, *rows], left=1))
