"""`verimv check`: what the kernel says of certificates. Loads no more than that takes."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from verimv import kernel
from verimv.checking import CERTIFICATE_FILES, rejection
from verimv.cli.reporter import Reporter
from verimv.cli.result import Case, Result
from verimv.errors import InputError

#: Files of a directory that extract wrote: each stands for the directory.
_FILES = (*kernel.FILES.values(), *CERTIFICATE_FILES, "summary.json", "report.html")


def run_check(arguments: argparse.Namespace, report: Reporter) -> Result:
    files = {name: getattr(arguments, name) for name in kernel.FILES}
    given = any(files.values())
    paths = list(dict.fromkeys(path if given else _subject(path) for path in arguments.paths))
    if len(paths) > 1 and given:
        raise InputError(f"--{', --'.join(files)} are for one certificate")
    results = []
    for number, path in enumerate(paths):
        report("checking certificates" if len(paths) > 1 else "checking the certificate", number, len(paths))
        report.reading(_certificate(path))
        results.append(_checked(path, files))
    if len(results) == 1:
        return results[0]
    cases = [Case(path, result.exit_code, result.text) for path, result in zip(paths, results, strict=True)]
    worst = min(results, key=lambda result: result.exit_code or len(kernel.EXIT_CODES) + 1)  # invalid before incomplete
    data = {"verdict": worst.data["verdict"], "certificates": [result.data for result in results]}
    return Result(data, "\n".join(f"{case.name}: {case.text}" for case in cases), worst.exit_code, cases)


def _subject(path: str) -> str:
    """The directory, where a file of it is named, as hooks do."""
    return str(Path(path).parent) if Path(path).name in _FILES and Path(path).is_file() else path


def _certificate(path: str) -> str:
    """The file that takes the time."""
    inside = (Path(path, name) for name in CERTIFICATE_FILES)
    return str(next(filter(Path.exists, inside), path))


def _checked(path: str, files: dict[str, str | None]) -> Result:
    rejected = rejection(lambda: kernel.check(path, files))
    data: dict[str, Any] = {"verdict": "valid" if rejected is None else rejected.status, "path": path}
    if rejected is None:
        return Result(data, "valid")
    found = {"line": rejected.line, "rule": rejected.rule, "expected": rejected.expected, "got": rejected.got}
    return Result(data | found, str(rejected), kernel.EXIT_CODES[rejected.status])
