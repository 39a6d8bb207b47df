"""The command line: `main` parses, runs one command, prints its result, and turns every error into an exit code."""

from __future__ import annotations

import json
import os
import sys
import traceback
from collections.abc import Sequence

from verimv.cli.limits import Terminated, limits
from verimv.cli.parser import build_parser
from verimv.cli.reporter import Reporter
from verimv.errors import VerimvError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run one command; returns the exit code (0 done, 1 refuted, 2 malformed, 3 undecided, 4 a bug in verimv)."""
    arguments = build_parser().parse_args(argv)
    try:
        with limits(arguments.timeout, arguments.memory), Reporter(arguments.quiet) as report:
            result = arguments.run(arguments, report)
        print(json.dumps(result.data, ensure_ascii=False) if arguments.json else result.text)  # noqa: T201
        sys.stdout.flush()
    except VerimvError as error:
        return _fail(arguments.debug, str(error), error.exit_code)
    except KeyboardInterrupt:
        return _fail(arguments.debug, "interrupted", 130)
    except Terminated:
        return _fail(arguments.debug, "terminated", 143)
    except BrokenPipeError:  # the reader of our output has gone
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 141
    except Exception as error:
        reason = f"a bug in verimv: {type(error).__name__}: {error} (--debug shows where; please report it)"
        return _fail(arguments.debug, reason.replace("\n", " "), 4)
    return 0


def _fail(debug: bool, reason: str, exit_code: int) -> int:
    if debug:
        traceback.print_exc()
    sys.stderr.write(f"verimv: {reason}\n".encode(errors="replace").decode())
    return exit_code
