"""The command line: `main` parses, runs one command, prints its result, and turns errors into exit codes."""

from __future__ import annotations

import argparse
import importlib
import io
import json
import os
import sys
import time
import traceback
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, TextIO

from verimv.cli.junit import junit
from verimv.cli.limits import Terminated, limits
from verimv.cli.parser import build_parser
from verimv.cli.reporter import Reporter
from verimv.cli.result import Case, Result, advised
from verimv.core.errors import InexactWarning, InputError, InternalError, UnusedWarning, VerimvError
from verimv.core.files import write_file

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["main", "run"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command and return the exit code (0 done, 1 refuted, 2 malformed, 3 undecided, 4 a bug in verimv)."""
    for stream in (sys.stdout, sys.stderr):
        if isinstance(stream, io.TextIOWrapper):  # escape what a stream cannot encode
            stream.reconfigure(errors="backslashreplace")
    arguments = build_parser().parse_args([_as_utf8(word) for word in (sys.argv[1:] if argv is None else argv)])
    arguments.started = time.perf_counter()
    try:
        command = command_function(arguments.command)
        grace = 0.05 * (arguments.timeout or 0) + 0.4 if arguments.budgeted else 0.0
        reporter = Reporter(arguments.quiet, arguments.verbose)
        with limits(arguments.timeout, arguments.memory, grace), reporter as report, _warning(report):
            if arguments.timeout is not None:
                report.within(arguments.timeout)
            result = advised(command(arguments, report), arguments)
        _write_junit(arguments, result.cases or [Case(_decided(arguments), result.exit_code, result.text)])
        told = {name: texts for name, texts in (("warnings", report.warnings), ("notes", report.notes)) if texts}
        data = {**result.data, **told}
        _print(json.dumps(data, ensure_ascii=not _shows_unicode()) if arguments.json else result.text)
    except InternalError as error:
        if error.reproduction:
            write_file("verimv-reproduce.smt2", [error.reproduction])
            return _fail(arguments, f"{error}; the query is in verimv-reproduce.smt2", 4)
        return _fail(arguments, str(error), 4)
    except VerimvError as error:
        return _fail(arguments, str(error), error.exit_code)
    except KeyboardInterrupt:
        kept = getattr(arguments, "resume", None)
        return _fail(arguments, "interrupted" + (f"; the same call continues from {kept}" if kept else ""), 130)
    except Terminated:
        return _fail(arguments, "terminated", 143)
    except BrokenPipeError:  # nobody reads stdout any more
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        reason = f"a bug in verimv: {type(error).__name__}: {error} (--debug shows where; please report it)"
        return _fail(arguments, reason.replace("\n", " "), 4)
    return result.exit_code


def command_function(name: str) -> Callable[[argparse.Namespace, Reporter], Result]:
    """Load the module of a command, with the engines that it needs, and return its function `run`."""
    found: Callable[[argparse.Namespace, Reporter], Result] = importlib.import_module(f"verimv.cli.commands.{name}").run
    return found


@contextmanager
def _warning(report: Reporter) -> Iterator[None]:
    """Print warnings about inexact or unused input in a line; other warnings are for developers."""
    with warnings.catch_warnings():
        show = warnings.showwarning

        def told(
            message: Warning | str,
            category: type[Warning],
            filename: str,
            lineno: int,
            file: TextIO | None = None,
            line: str | None = None,
        ) -> None:
            if issubclass(category, (InexactWarning, UnusedWarning)):
                report.warn(str(message))
            else:
                show(message, category, filename, lineno, file, line)

        for kind in (InexactWarning, UnusedWarning):
            warnings.simplefilter("always", kind)
        warnings.showwarning = told
        yield


def _as_utf8(word: str) -> str:
    """Decode again an argument that a non-UTF-8 locale has decoded byte by byte."""
    try:
        return os.fsencode(word).decode()
    except UnicodeError:
        return word


def _shows_unicode() -> bool:
    return sys.stdout is not None and (sys.stdout.encoding or "").lower().replace("-", "") == "utf8"


def _encodes(text: str) -> bool:
    try:
        text.encode(getattr(sys.stdout, "encoding", None) or "utf-8")
    except UnicodeEncodeError:
        return False
    return True


def _print(text: str) -> None:
    if sys.stdout is None:
        raise InputError("stdout is closed")
    if not _encodes("≈"):
        text = text.replace("≈", "~")
    try:
        sys.stdout.write(f"{text}\n")
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        sys.stdout = None  # or Python complains once more at exit
        raise InputError(f"stdout: cannot write: {(error.strerror or str(error)).lower()}") from None


def _decided(arguments: argparse.Namespace) -> str:
    """Return the subjects of the command, as they were typed."""
    told = (getattr(arguments, name) or "" for name in arguments.decides)
    return " ".join(" ".join(words) if isinstance(words, list) else words for words in told)


def _write_junit(arguments: argparse.Namespace, cases: Sequence[Case]) -> None:
    if arguments.junit is not None:
        write_file(arguments.junit, [junit(arguments.command, cases, time.perf_counter() - arguments.started)])


def _fail(arguments: argparse.Namespace, reason: str, exit_code: int) -> int:
    """Print a line on stderr; with --json also an object on stdout, with --junit a failed case."""
    with suppress(VerimvError):  # the file may be the problem
        _write_junit(arguments, [Case(_decided(arguments), exit_code, reason)])
    with suppress(OSError, AttributeError):  # stderr is closed
        if arguments.debug:
            traceback.print_exc()
        sys.stderr.write(f"verimv: {reason}\n")
        if arguments.json and exit_code in _STATUS:
            sys.stdout.write(json.dumps({"status": _STATUS[exit_code], "reason": reason}) + "\n")
            sys.stdout.flush()
    return exit_code


_STATUS = {1: "refuted", 2: "malformed", 3: "undecided", 4: "bug"}


def run() -> None:
    """Run `main` and exit without freeing memory, which takes long for a formula of 10⁶ nodes."""
    code = main()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, AttributeError, ValueError):
            stream.flush()
    os._exit(code)
