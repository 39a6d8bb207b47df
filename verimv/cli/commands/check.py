"""`verimv check`: the verdict of one kernel or both on certificates. Loads only what that needs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verimv import kernel
from verimv.cli.reporter import Reporter
from verimv.cli.result import Case, Result
from verimv.core.errors import InputError, InternalError
from verimv.kernels.verdicts import CERTIFICATE_FILES, ranges_of, verdict
from verimv.kernels.verified import verified_verdict

#: Files that extract writes: each stands for its directory.
_FILES = (*kernel.FILES.values(), *CERTIFICATE_FILES, "summary.json", "report.html")


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    files = {name: getattr(arguments, name) for name in kernel.FILES}
    given = any(files.values())
    paths = list(dict.fromkeys(path if given else _subject(path) for path in arguments.paths))
    if len(paths) > 1 and given:
        raise InputError(f"--{', --'.join(files)} need exactly one certificate")
    results = []
    for number, path in enumerate(paths):
        report("checking certificates" if len(paths) > 1 else "checking the certificate", number, len(paths))
        report.reading(_certificate(path))
        results.append(_KERNELS[arguments.kernel](path, files))
    if len(results) == 1:
        return results[0]
    cases = [Case(path, result.exit_code, result.text) for path, result in zip(paths, results, strict=True)]
    worst = min(results, key=lambda result: result.exit_code or len(kernel.EXIT_CODES) + 1)  # invalid before incomplete
    data = {"verdict": worst.data["verdict"], "certificates": [result.data for result in results]}
    told = [f"{case.name}: {case.text}".replace("\n", "\n  ") for case in cases]
    return Result(data, "\n".join(told), worst.exit_code, cases)


def _subject(path: str) -> str:
    """Return the directory of a file that extract wrote: hooks give files."""
    return str(Path(path).parent) if Path(path).name in _FILES and Path(path).is_file() else path


def _certificate(path: str) -> str:
    """Return the certificate of a directory, which takes the time."""
    inside = (Path(path, name) for name in CERTIFICATE_FILES)
    return str(next(filter(Path.exists, inside), path))


def _by_python(path: str, files: Mapping[str, str | None]) -> Result:
    found = verdict(lambda: kernel.check(path, files))
    if isinstance(found, kernel.Rejected):
        why = {"line": found.line, "rule": found.rule, "expected": found.expected, "got": found.got}
        return _result(found.status, str(found), path, "python", **why)
    ranges = ranges_of(found)
    return _valid(found.lines, path, "python", **({} if ranges is None else {"ranges": ranges}))


def _by_verified(path: str, files: Mapping[str, str | None]) -> Result:
    verdict = verified_verdict(path, files)
    if verdict.status == "valid":
        return _valid(list(verdict.statement), path, "verified")
    return _result(verdict.status, str(verdict), path, "verified", place=verdict.place, reason=verdict.reason)


def _by_both(path: str, files: Mapping[str, str | None]) -> Result:
    python, verified = _by_python(path, files), _by_verified(path, files)
    agree = python.exit_code == verified.exit_code and python.data.get("statement") == verified.data.get("statement")
    if not agree:
        raise InternalError(
            f"the kernels disagree: the Python kernel says {python.text!r}, the verified one {verified.text!r}"
        )
    return Result({**python.data, "kernel": "both"}, python.text, python.exit_code)


_KERNELS = {"python": _by_python, "verified": _by_verified, "both": _by_both}


def _valid(statement: list[str], path: str, by: str, **found: Any) -> Result:
    """Return the verdict, followed by what is proved."""
    return _result("valid", "\n".join(["valid", *statement]), path, by, statement=statement, **found)


def _result(status: str, text: str, path: str, by: str, **found: Any) -> Result:
    return Result({"verdict": status, "path": path, "kernel": by, **found}, text, kernel.EXIT_CODES[status])
