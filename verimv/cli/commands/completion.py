"""`verimv completion SHELL`: a script for bash, zsh or fish, made from the parser."""

from __future__ import annotations

import argparse
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from verimv.cli.parser import build_parser
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result


@dataclass(frozen=True)
class Option:
    flags: Sequence[str]
    help: str
    takes_value: bool
    words: Sequence[str]


@dataclass(frozen=True)
class Command:
    name: str
    help: str
    options: Sequence[Option]
    #: values of arguments; if empty, arguments are files
    words: Sequence[str]


def commands(parser: argparse.ArgumentParser) -> list[Command]:
    """Return the commands of a parser, in order."""
    [subparsers] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    summaries = {choice.dest: choice.help or "" for choice in subparsers._choices_actions}
    return [_command(name, summaries[name], sub) for name, sub in subparsers.choices.items()]


def _command(name: str, summary: str, parser: argparse.ArgumentParser) -> Command:
    options, words = [], []
    for action in parser._actions:
        chosen = [str(word) for word in action.choices or ()]
        if action.option_strings:
            options.append(Option(action.option_strings, action.help or "", action.nargs != 0, chosen))
        else:
            words += chosen
    return Command(name, summary, options, words)


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    text = "\n".join(_WRITERS[arguments.shell](commands(build_parser())))
    return Result({"shell": arguments.shell, "script": text}, text)


def _flags(command: Command) -> list[str]:
    return [flag for option in command.options for flag in option.flags]


def _bash(known: Sequence[Command]) -> Iterator[str]:
    """Complete options, commands and values of options; bash completes the rest as files."""
    yield "# bash: source <(verimv completion bash)"
    yield "_verimv() {"
    yield '  local current="${COMP_WORDS[COMP_CWORD]}" previous="${COMP_WORDS[COMP_CWORD-1]}" words=""'
    yield '  if [ "$COMP_CWORD" -eq 1 ]; then'
    yield f'    words="{" ".join(command.name for command in known)} --help --version"'
    yield "  else"
    yield '    case "${COMP_WORDS[1]} $previous" in'
    for command in known:
        for option in command.options:
            if option.takes_value:
                pattern = "|".join(f'"{command.name} {flag}"' for flag in option.flags)
                yield f'      {pattern}) words="{" ".join(option.words)}" ;;'
    yield '      *) case "${COMP_WORDS[1]}" in'
    for command in known:
        yield f"        {command.name})"
        yield f'          words="{" ".join(command.words)}"'
        yield f'          if [ "${{current:0:1}}" = - ]; then words="{" ".join(_flags(command))}"; fi ;;'
    yield "      esac ;;"
    yield "    esac"
    yield "  fi"
    yield '  COMPREPLY=($(compgen -W "$words" -- "$current"))'
    yield "}"
    yield "complete -o bashdefault -o default -F _verimv verimv"


def _zsh(known: Sequence[Command]) -> Iterator[str]:
    yield "#compdef verimv"
    yield "# zsh: source <(verimv completion zsh), after compinit"
    yield "_verimv() {"
    yield "  local -a commands=("
    for command in known:
        yield f"    {_quoted(command.name + ':' + command.help)}"
    yield "  )"
    yield "  if (( CURRENT == 2 )); then _describe -t commands command commands; return; fi"
    yield '  local command="${words[2]}"'
    yield "  shift words; (( CURRENT-- ))"
    yield '  case "$command" in'
    for command in known:
        specs = [_zsh_option(option, flag) for option in command.options for flag in option.flags]
        rest = f"({' '.join(command.words)})" if command.words else "_files"
        yield f"    {command.name}) _arguments {' '.join(map(_quoted, [*specs, f'*:argument:{rest}']))} ;;"
    yield "  esac"
    yield "}"
    yield "compdef _verimv verimv"


def _zsh_option(option: Option, flag: str) -> str:
    told = re.sub(r"([\[\]:\\])", r"\\\1", option.help)
    if not option.takes_value:
        return f"{flag}[{told}]"
    return f"{flag}[{told}]:value:" + (f"({' '.join(option.words)})" if option.words else "_files")


def _fish(known: Sequence[Command]) -> Iterator[str]:
    yield "# fish: verimv completion fish | source"
    yield "complete -c verimv -n __fish_use_subcommand -l help -d 'show help'"
    yield "complete -c verimv -n __fish_use_subcommand -l version -d 'show the version'"
    for command in known:
        yield f"complete -c verimv -f -n __fish_use_subcommand -a {command.name} -d {_quoted(command.help)}"
    for command in known:
        seen = f"complete -c verimv -n '__fish_seen_subcommand_from {command.name}'"
        for option in command.options:
            flags = " ".join(f"-l {flag[2:]}" if flag.startswith("--") else f"-s {flag[1:]}" for flag in option.flags)
            value = f" -x -a {_quoted(' '.join(option.words))}" if option.words else " -r" if option.takes_value else ""
            yield f"{seen} {flags}{value} -d {_quoted(option.help)}"
        if command.words:
            yield f"{seen} -f -a {_quoted(' '.join(command.words))}"


def _quoted(text: str) -> str:
    return "'" + text.replace("'", r"'\''") + "'"


_WRITERS: dict[str, Callable[[Sequence[Command]], Iterator[str]]] = {"bash": _bash, "zsh": _zsh, "fish": _fish}
