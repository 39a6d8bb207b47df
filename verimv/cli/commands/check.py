"""`verimv check`: the verdict of the kernels on certificates. Loads only what that needs."""

from __future__ import annotations

import argparse
import os
from collections.abc import Mapping
from pathlib import Path

from verimv import kernel
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.core.errors import InputError, InternalError
from verimv.core.progress import Progress, no_progress
from verimv.core.suggest import did_you_mean
from verimv.kernels.judge import STAGE, VERIFICATION, Judgement, build_for, judge_files
from verimv.kernels.verdicts import CERTIFICATE_FILES

#: Files that extract writes: each stands for its directory.
_FILES = (*kernel.FILES.values(), *CERTIFICATE_FILES, VERIFICATION, "summary.json", "report.html")


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    files = {name: getattr(arguments, name) for name in kernel.FILES}
    given = any(files.values())
    build_for(arguments.kernel)  # raises, before any work is done, if there is no such kernel
    if "" in arguments.paths:
        raise InputError("expected a directory or a certificate, got an empty name")
    named = list(dict.fromkeys(path if given else _subject(path) for path in arguments.paths))
    paths = list(dict.fromkeys(one for path in named for one in ([path] if given else _inside(path))))
    if len(paths) > 1 and given:
        raise InputError(f"--{', --'.join(files)} need exactly one certificate")
    if given and arguments.html is not None:
        raise InputError(f"--html is for directories: --{', --'.join(files)} cannot be given with it")
    if paths != named or len(paths) > 1 or arguments.html is not None:
        from verimv.cli.stack import check_stack  # with processes, which take a moment to load

        skipped = [
            inner for path in named if path not in paths for inner in _subdirectories(path) if inner not in paths
        ]
        return check_stack(paths, arguments, report, len(skipped))
    [path] = paths
    report(STAGE)
    report.reading(_certificate(path))
    try:
        judgement = judge_path(path, files, arguments.kernel, report, arguments.effort)
    except InternalError as error:
        raise type(error)(f"{path}: {error}", error.reproduction) from None
    text = judgement.text + (_advice(path) if judgement.status == "malformed" else "")
    return Result(
        {"path": path, **judgement.data()}, "\n".join([text, *judgement.statement]), kernel.EXIT_CODES[judgement.status]
    )


def judge_path(
    path: str,
    files: Mapping[str, str | None],
    choice: str | None,
    progress: Progress = no_progress,
    effort: int | None = None,
) -> Judgement:
    """Judge a certificate, or a verification, which needs readers of networks and specifications."""
    if any(files.values()) or not os.path.lexists(os.path.join(path, VERIFICATION)):
        return judge_files(path, files, choice, progress, effort)
    from verimv.certificate.verification_files import judge_verification

    return judge_verification(path, choice, progress, effort)


def _subject(path: str) -> str:
    """Return the directory of a file that extract wrote: hooks give files."""
    return str(Path(path).parent) if Path(path).name in _FILES and Path(path).is_file() else path


def _inside(path: str) -> list[str]:
    """Return the subdirectories with a certificate if the directory has none itself; otherwise the path."""
    if not os.path.isdir(path) or _has_certificate(path):
        return [path]
    return [found for found in _subdirectories(path) if _has_certificate(found)] or [path]


def _subdirectories(path: str) -> list[str]:
    """Return the subdirectories by name, without hidden ones: an extraction may be writing there."""
    try:
        return sorted(entry.path for entry in os.scandir(path) if entry.is_dir() and not entry.name.startswith("."))
    except OSError:  # the kernels say why
        return []


def _has_certificate(directory: str) -> bool:
    return any(os.path.lexists(os.path.join(directory, name)) for name in (*CERTIFICATE_FILES, VERIFICATION))


def _advice(path: str) -> str:
    """Return what to do about a path that has no certificate: in the subdirectories there may be none, either."""
    if not os.path.lexists(path):
        parent = os.path.dirname(path) or "."
        return did_you_mean(os.path.basename(path), os.listdir(parent) if os.path.isdir(parent) else ())
    if os.path.isfile(path) and not path.endswith(CERTIFICATE_FILES):
        return "; give the directory that verimv extract -o wrote"
    count = 0 if _has_certificate(path) or not os.path.isdir(path) else len(_subdirectories(path))
    return f"; nor has any of its {count:,} subdirectories a certificate" if count else ""


def _certificate(path: str) -> str:
    """Return the certificate of a directory, which takes the time."""
    inside = (Path(path, name) for name in CERTIFICATE_FILES)
    return str(next(filter(Path.exists, inside), path))
