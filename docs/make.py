"""Write the parts of the documentation that are made from code: cli.md, api.md, design/modules.md, pictures/*.svg.

    python docs/make.py

tests/test_docs.py fails while one of them is out of date.
"""

from __future__ import annotations

import argparse
import ast
import dataclasses
import inspect
import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import verimv
from verimv import testing
from verimv.cli.parser import EXIT_CODES, build_parser
from verimv.paper.experiments.families import deep_sawtooth
from verimv.show.pictures.curves import curves, curves_svg
from verimv.show.pictures.graph import graph_svg
from verimv.show.pictures.maps import box_of, map_svg, region_maps

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "design"))
from draw_rooms import FLOORS, rooms_svg  # noqa: E402

#: Rooms from the lowest level up.
ROOMS = [name for _, *rooms in reversed(FLOORS) for name, _ in rooms if name != "testing"]

# -- cli.md ------------------------------------------------------------------------------------------------------------


def cli_reference() -> str:
    parser = build_parser()
    [subparsers] = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    lines = ["# Commands and options", "", "Written by `docs/make.py` from the parser: do not edit.", ""]
    lines += ["| command | does |", "|---|---|"]
    summaries = {choice.dest: choice.help for choice in subparsers._choices_actions}
    lines += [f"| [`{name}`](#verimv-{name}) | {_cell(summaries[name])} |" for name in subparsers.choices]
    some_command = next(iter(subparsers.choices.values()))
    lines += ["", "## Every command takes", "", *_table(_common(some_command))]
    lines += ["", f"{EXIT_CODES.capitalize()}.", ""]
    for name, sub in subparsers.choices.items():
        lines += [*_command(name, sub), ""]
    return "\n".join(lines).rstrip() + "\n"


def _common(sub: argparse.ArgumentParser) -> list[argparse.Action]:
    [group] = [group for group in sub._action_groups if group.title == "every command"]
    return [action for action in group._group_actions if "--junit" not in action.option_strings]


def _command(name: str, sub: argparse.ArgumentParser) -> Iterator[str]:
    common = {flag for action in _common(sub) for flag in action.option_strings} | {"-h", "--help"}
    own = [action for action in sub._actions if not common & set(action.option_strings)]
    own.sort(key=lambda action: (bool(action.option_strings), "--junit" in action.option_strings))
    arguments = [action for action in own if not action.option_strings]
    words = [_argument(action) for action in arguments]
    yield f"## verimv {name}"
    yield ""
    yield f"`verimv {' '.join([name, *words, '[options]'])}`: {sub.description}."
    yield ""
    yield from _table(own)
    yield ""
    yield "```text"
    yield from (line[2:] for line in _example(sub).splitlines())
    yield "```"


def _example(sub: argparse.ArgumentParser) -> str:
    return (sub.epilog or "").removeprefix("example:\n").removesuffix(f"\n\n{EXIT_CODES}")


def _argument(action: argparse.Action) -> str:
    name = str(action.metavar or action.dest)
    return {"?": f"[{name}]", "+": f"{name} …"}.get(str(action.nargs), name)


def _table(actions: list[argparse.Action]) -> Iterator[str]:
    yield "| argument | meaning |"
    yield "|---|---|"
    for action in actions:
        flags = ", ".join(f"`{flag}{_value(action)}`" for flag in action.option_strings) or f"`{_argument(action)}`"
        chosen = [str(choice) for choice in action.choices or ()]
        untold = not all(word in str(action.help) for word in chosen)
        words = f" ({', '.join(f'`{word}`' for word in chosen)})" if untold else ""
        yield f"| {flags.replace('|', chr(92) + '|')} | {_cell(action.help)}{words} |"


def _value(action: argparse.Action) -> str:
    if action.nargs == 0:
        return ""
    if isinstance(action.metavar, tuple):
        return " " + " ".join(action.metavar)
    return f" {action.metavar or (action.choices and 'WORD') or action.dest.upper()}"


def _cell(text: str | None) -> str:
    return (text or "").replace("|", r"\|")


# -- api.md ------------------------------------------------------------------------------------------------------------


def api_reference() -> str:
    lines = ["# The Python interface", "", "Written by `docs/make.py` from the docstrings: do not edit.", ""]
    lines += ["Everything here is an attribute of `verimv`, loaded when it is first used.", ""]
    for name in verimv.__all__:
        if not name.startswith("_"):
            lines += [*_described(f"verimv.{name}", getattr(verimv, name)), ""]
    lines += ["# Assertions for tests", "", "In `verimv.testing`. With pytest, both are also fixtures.", ""]
    for name in testing.__all__:
        lines += [*_described(name, getattr(testing, name)), ""]
    return "\n".join(lines).rstrip() + "\n"


def _described(name: str, subject: Any) -> Iterator[str]:
    yield f"## {name}"
    yield ""
    if not inspect.isclass(subject):
        yield f"`{name.rpartition('.')[2]}{_signature(subject)}`"
        yield ""
    yield _docstring(subject)
    if dataclasses.is_dataclass(subject):
        yield ""
        yield f"Fields: {', '.join(f'`{field.name}`' for field in dataclasses.fields(subject))}."
    if inspect.isclass(subject) and not issubclass(subject, Exception):
        members = [
            (member, value)
            for member, value in vars(subject).items()
            if not member.startswith("_") and inspect.getdoc(value) and _is_documented(value)
        ]
        if members:
            yield ""
            yield "| member | |"
            yield "|---|---|"
        for member, value in members:
            told = _docstring(value).split("\n\n")[0].replace("\n", " ")
            head = member if _is_attribute(value) else f"{member}{_signature(value, short=True)}"
            yield f"| `{head}` | {_cell(told)} |"


def _is_attribute(value: Any) -> bool:
    return isinstance(value, property) or not (inspect.isfunction(value) or isinstance(value, staticmethod))


def _is_documented(value: Any) -> bool:
    return inspect.isfunction(value) or isinstance(value, property | staticmethod) or hasattr(value, "func")


def _docstring(subject: Any) -> str:
    """Return a docstring with Sphinx roles as plain code."""
    text = inspect.getdoc(getattr(subject, "func", subject)) or ""
    return re.sub(r":\w+:`~?(?:verimv\.)?([^`]*)`", r"`\1`", text).replace("``", "`")


def _signature(subject: Any, *, short: bool = False) -> str:
    """Return names, types and defaults as they are written; `short` leaves the types out."""
    subject = subject.__func__ if isinstance(subject, staticmethod) else subject
    signature = inspect.signature(subject)
    parts, starred = [], False
    for parameter in signature.parameters.values():
        if parameter.name == "self":
            continue
        if parameter.kind is parameter.KEYWORD_ONLY and not starred:
            parts.append("*")
        starred = starred or parameter.kind in (parameter.KEYWORD_ONLY, parameter.VAR_POSITIONAL)
        stars = {parameter.VAR_POSITIONAL: "*", parameter.VAR_KEYWORD: "**"}.get(parameter.kind, "")
        annotated = "" if short or parameter.annotation is parameter.empty else f": {parameter.annotation}"
        parts.append(f"{stars}{parameter.name}{annotated}{_default(parameter)}")
    silent = short or signature.return_annotation in (signature.empty, "None")
    return f"({', '.join(parts)})" + ("" if silent else f" → {signature.return_annotation}")


def _default(parameter: inspect.Parameter) -> str:
    if parameter.default is parameter.empty:
        return ""
    text = str(parameter.default) if hasattr(parameter.default, "numerator") else repr(parameter.default)
    return f"={text}" if len(text) < 20 else "=…"


# -- design/modules.md -------------------------------------------------------------------------------------------------


def modules() -> str:
    """Every module with the first line of its docstring, package by package, from the lowest level up."""
    package = Path(verimv.__file__).parent
    lines = ["# Every module, in a line", "", "Written by `docs/make.py` from the docstrings: do not edit.", ""]
    for room in [*ROOMS, "testing.py", "pytest_plugin.py", "kernel.py"]:
        lines += [f"## {room}", "", "| module | holds |", "|---|---|"]
        paths = sorted((package / room).rglob("*.py")) if (package / room).is_dir() else [package / room]
        for path in paths:
            docstring = ast.get_docstring(ast.parse(path.read_text(encoding="utf-8"))) or ""
            name = path.relative_to(package).as_posix().replace("/__init__.py", "/")
            lines.append(f"| `{name}` | {_cell(' '.join(docstring.split(chr(10) * 2)[0].split()))} |")
        lines.append("")
    return "\n".join(lines).rstrip() + "\n"


# -- pictures ----------------------------------------------------------------------------------------------------------


def pictures() -> dict[str, str]:
    hat = verimv.parse("(x ⊕ x) ⊙ ¬(x ⊙ x)")
    operators = verimv.read_mv(
        "verimv-formula 1\ninputs x\nstrong = x ⊙ x\nweak = x ⊕ x\nnegation = ¬x\noutputs strong weak negation\n"
    )
    steps = verimv.Network.of(
        [verimv.Layer.of([[3], [3], [3]], [0, -1, -2], "crelu")], ["x"], outputs=["s0", "s1", "s2"]
    )
    drawn = {
        "operators": curves_svg(curves(operators), "x"),
        "hat": curves_svg(curves(hat), "x"),
        "sawtooth": curves_svg(curves(verimv.extract(deep_sawtooth(4)).formula), "x1"),
        "steps": curves_svg(curves(steps), "x"),
        "dag": graph_svg(verimv.extract(deep_sawtooth(2)).formula),
        "rooms": rooms_svg(),
    }
    vote = verimv.Network.of([verimv.Layer.of([[2, 1]], [-1], "crelu")], ["x", "y"], outputs=["z"])
    for name, subject in (("plus", verimv.parse("x ⊕ y")), ("times", verimv.parse("x ⊙ y")), ("vote", vote)):
        [region_map] = region_maps(subject)
        drawn[name] = map_svg(region_map, subject.inputs, box_of(subject), name, size=240)
    # a picture in a file of its own has no text around it whose colour it could have
    colours = 'class="vmv" style="background:#fff;color:#222"'
    return {name: svg.replace('class="vmv"', colours, 1) for name, svg in drawn.items()}


def written() -> dict[Path, str]:
    """Return all generated files and their contents."""
    files = {
        HERE / "cli.md": cli_reference(),
        HERE / "api.md": api_reference(),
        HERE / "design" / "modules.md": modules(),
    }
    return files | {HERE / "pictures" / f"{name}.svg": svg + "\n" for name, svg in pictures().items()}


if __name__ == "__main__":
    for path, text in written().items():
        path.write_text(text, encoding="utf-8")
