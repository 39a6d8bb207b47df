"""The parser's words: commands in groups, and mistakes in one line, with what was probably meant."""

from __future__ import annotations

import argparse
import json
import os
import re
import shutil
import sys
import textwrap
from collections.abc import Mapping, Sequence
from typing import Any, NoReturn

from verimv.core.suggest import did_you_mean

EXIT_CODES = "exit codes: 0 done, 1 refuted, 2 malformed input or call, 3 undecided, 4 a bug in verimv"

#: What most people want, as they would type it.
_START = (
    ("verimv extract model.onnx -o out", "its formula, a certificate, and a report"),
    ("verimv check out", "check the certificate, without a solver"),
    ("verimv equiv old.onnx new.onnx", "are they equal? If not: where they differ"),
)

#: Commands by what one wants to do. `verimv --help` lists a command that is not here at the end.
GROUPS: Mapping[str, Sequence[str]] = {
    "extract a formula, and shorten or convert it": ("extract", "approximate", "simplify", "convert"),
    "check and prove": ("check", "prove", "verify", "ci"),
    "compare two networks or formulas": ("equiv", "distance"),
    "ask about a network": ("eval", "explain", "range", "bounds"),
    "ask about a formula": ("valid", "sat", "entails", "measure"),
    "look": ("report", "plot"),
    "research": ("reproduce", "bench"),
    "your shell": ("completion",),
}
_WIDTH, _INDENT = 100, 15


class Parser(argparse.ArgumentParser):
    """A parser that takes options as they are written in full, and reports errors in one line."""

    def __init__(self, **options: Any) -> None:
        super().__init__(allow_abbrev=False, **options)
        # what begins like a negative number is a value, such as -5% or -1/2, not an option
        self._negative_number_matcher = re.compile(r"-\.?\d")

    def error(self, message: str) -> NoReturn:
        sys.stderr.write(f"{self.prog}: {message} (see {self.prog} --help)\n")
        if "--json" in sys.argv:
            sys.stdout.write(json.dumps({"status": "malformed", "reason": message}) + "\n")
        sys.exit(2)

    def _check_value(self, action: argparse.Action, value: Any) -> None:
        """Say which of the choices was probably meant (argparse does so from Python 3.14 on)."""
        if action.choices is not None and value not in action.choices:
            known = list(map(str, action.choices))
            raise argparse.ArgumentError(action, f"{value!r} is none of {', '.join(known)}{did_you_mean(value, known)}")


class Commands(Parser):
    """The parser of `verimv` itself."""

    commands: argparse._SubParsersAction[Parser]
    #: a line about each command
    summaries: dict[str, str]

    def parse_args(self, args: Sequence[str] | None = None, namespace: Any = None) -> Any:  # type: ignore[override]
        words = list(sys.argv[1:] if args is None else args)
        if not words:
            self.error(f"expected a command, such as {_START[0][0]}")
        if not words[0].startswith("-") and words[0] not in self.commands.choices:
            self.error(self._unknown_command(words[0]))
        found, left = self.parse_known_args(words, namespace)
        if left:
            command = self.commands.choices[found.command]
            command.error(_unexpected(left[0], [flag for action in command._actions for flag in action.option_strings]))
        return found

    def _unknown_command(self, word: str) -> str:
        if os.path.exists(word):
            return f"{word} is a file, and a command comes first; did you mean verimv extract {word}?"
        return f"there is no command {word!r}{did_you_mean(word, self.commands.choices)}"

    def format_help(self) -> str:
        """Return the commands in groups, after what most people want."""
        width = min(_WIDTH, shutil.get_terminal_size().columns)
        wide = max(len(typed) for typed, _ in _START)
        lines = ["usage: verimv COMMAND …, or verimv --version", "", *textwrap.wrap(self.description or "", width)]
        lines += ["", "start here:"]
        lines += [f"  {typed.ljust(wide)}  {does}" for typed, does in _START]
        told = {name for names in GROUPS.values() for name in names}
        others = [name for name in self.commands.choices if name not in told]
        for title, names in (*GROUPS.items(), *([("others", others)] if others else [])):
            lines += ["", f"{title}:"]
            for name in names:
                if name in self.summaries:
                    wrapped = textwrap.wrap(self.summaries[name], width - _INDENT)
                    lines += [f"  {name}".ljust(_INDENT) + wrapped[0], *(" " * _INDENT + line for line in wrapped[1:])]
        lines += ["", "verimv COMMAND --help has the options of a command and an example.", EXIT_CODES, ""]
        return "\n".join(lines)


def _unexpected(word: str, options: Sequence[str]) -> str:
    if not word.startswith("-"):
        return f"{word!r} is one argument too many; put what contains spaces in quotes"
    name = word.partition("=")[0]
    known = {option.lstrip("-"): option for option in options if option.startswith("--")}
    return f"there is no option {name}{did_you_mean(name.lstrip('-'), known, known)}"
