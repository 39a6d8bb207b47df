"""Read verimv.toml, or [tool.verimv] of pyproject.toml: models, and what must hold of each.

    effort = 60                                   # of every promise, unless it says otherwise

    [models.valve]
    file = "valve.onnx"
    box = [0, 1]
    promises = [
        { equal-to = "valve.mv" },
        { within = "1/100", of = "teacher.onnx" },
        { certified-by = "certified" },
        { spec = "window = 1 -> valve <= 0.1" },
    ]

Reading is strict: unknown keys and wrong types are errors. Numbers are exact, as TOML numbers or as text.
"""

from __future__ import annotations

import os
import re
import tomllib
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verimv.core.effort import SECOND
from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.core.suggest import did_you_mean
from verimv.exact import Number, floor, parse_number, shown
from verimv.promises.promise import Promise

FILE_NAME = "verimv.toml"
PROJECT = "pyproject.toml"

#: Seconds of work, counted in steps, and the most that may be asked for.
DEFAULT_EFFORT = 60
_MOST_EFFORT = 1_000_000

_TOP = ("effort", "models")
_MODEL = ("file", "logits", "box", "names", "output", "margin", "effort", "promises")
#: What is promised, by one of these keys.
KINDS = ("equal-to", "within", "certified-by", "spec")
_PROMISE = ("name", *KINDS, "of", "networks", "box", "output", "margin", "effort")


class _Decimal(str):
    """The text of a TOML float."""

    __slots__ = ()


@dataclass(frozen=True)
class PromiseFile:
    """The promises of a file, in order, and the models of which nothing is promised."""

    path: str
    promises: list[Promise]
    without: list[str]


def find_promise_file(start: str = ".") -> str:
    """Return verimv.toml, or pyproject.toml with [tool.verimv], in a directory or the nearest one above it."""
    folder = Path(start).resolve()
    for parent in (folder, *folder.parents):
        if (parent / FILE_NAME).is_file():
            return _relative(parent / FILE_NAME)
        project = parent / PROJECT
        if project.is_file() and has_promises(project):
            return _relative(project)
    raise InputError(f"no {FILE_NAME} here or above, nor [tool.verimv] in {PROJECT} (`verimv ci init` writes one)")


def has_promises(project: Path) -> bool:
    """Return whether a pyproject.toml has the table of verimv, without parsing most of those that do not."""
    text = read_text(project)
    return "verimv" in text and "verimv" in _parsed(text, str(project)).get("tool", {})


def read_promises(path: str | os.PathLike[str]) -> PromiseFile:
    """Read a file of promises; errors name the file, the table and the key."""
    source = _relative(Path(path))
    text = read_text(path)
    data: Any = _parsed(text, source)
    prefix = ""
    if Path(path).name == PROJECT:
        prefix = "tool.verimv."
        data = data.get("tool", {}).get("verimv")
        if data is None:
            raise InputError("no table [tool.verimv]", source=source)
    found = _PromiseReader(source, text, prefix).file(data)
    if not found.promises:
        raise InputError(
            'nothing is promised: expected a model with promises, such as [models.NAME] file = "model.onnx" '
            'promises = [{ equal-to = "other.onnx" }]',
            source=source,
        )
    return found


def _relative(path: Path) -> str:
    try:
        return os.path.relpath(path)
    except ValueError:  # on another drive
        return str(path)


def _parsed(text: str, source: str) -> dict[str, Any]:
    try:
        return tomllib.loads(text, parse_float=_Decimal)
    except tomllib.TOMLDecodeError as error:
        message = str(error)
        place = re.search(r" \(at line (\d+), column (\d+)\)$", message)
        at = (int(place[1]), int(place[2])) if place else (None, None)
        reason = message[: place.start()] if place else message
        raise InputError(f"not TOML: {reason}", source=source, line=at[0], column=at[1]) from None
    except (ValueError, RecursionError):  # an integer of thousands of digits; tables in tables without end
        raise InputError("not TOML: a number that is too long, or tables nested too deep", source=source) from None


class _PromiseReader:
    """Reads the tables of one file. `prefix` is what precedes `models` in its headers."""

    def __init__(self, source: str, text: str, prefix: str) -> None:
        self._source, self._prefix = source, prefix
        self._lines = text.splitlines()

    def file(self, data: Any) -> PromiseFile:
        top = self._prefix.rstrip(".") or "the file"
        data = self._table(data, top, _TOP)
        models = self._table(data.get("models", {}), f"{self._prefix}models", None)
        promises: list[Promise] = []
        without = []
        for name, entry in models.items():
            found = list(self._model(name, entry, self._work(data, top, DEFAULT_EFFORT * SECOND)))
            promises += found
            if not found:
                without.append(name)
        return PromiseFile(self._source, promises, without)

    def _model(self, name: str, entry: Any, work: int) -> Iterator[Promise]:
        table = f"models.{name}"
        entry = self._table(entry, table, _MODEL)
        if "file" not in entry:
            raise self._error(table, "file: expected the path of a network")
        shared = {
            "source": self._source,
            "folder": os.path.dirname(self._source) or ".",
            "model": name,
            "file": self._text(entry, table, "file"),
            "names": self._names(entry, table),
            "logits": self._flag(entry, table, "logits"),
            **self._options(entry, table),
        }
        work = self._work(entry, table, work)
        promises = entry.get("promises", [])
        if not isinstance(promises, list):
            raise self._wrong(table, "promises", "a list of tables", promises)
        for index, one in enumerate(promises):
            here = f"{table}.promises[{index}]"
            one = self._table(one, here, _PROMISE)
            promised = self._promised(one, here)
            own = {key: value for key, value in self._options(one, here).items() if value is not None}
            if "output" in own or "margin" in own:  # instead of those of the model
                own = {"output": None, "margin": None, **own}
            yield Promise(
                **{**shared, **own, **promised},
                table=here,
                line=self._line(name, index, [word for word in promised.values() if isinstance(word, str)]),
                own=frozenset(one),
                name=self._text(one, here, "name") if "name" in one else "",
                work=self._work(one, here, work),
            )

    def _promised(self, one: Mapping[str, Any], table: str) -> dict[str, Any]:
        """Return what is promised: its kind, its target and, if there is one, its tolerance."""
        kinds = [key for key in KINDS if key in one]
        if len(kinds) != 1:
            found = " and ".join(kinds) or "none of them"
            raise self._error(table, f"expected one of the keys {', '.join(KINDS)}, found {found}")
        [kind] = kinds
        if (kind == "within") != ("of" in one):
            raise self._error(table, 'within and of belong together: { within = "1/100", of = "other.onnx" }')
        networks = self._table(one.get("networks", {}), f"{table}.networks", None)
        if networks and kind != "spec":
            raise self._error(table, "networks: only a specification can be about further networks")
        if kind != "within":
            files = {name: self._text(networks, f"{table}.networks", name) for name in networks}
            return {"kind": kind, "target": self._text(one, table, kind), "networks": files}
        return {
            "kind": kind,
            "target": self._text(one, table, "of"),
            "tolerance": self._number(one, table, "within", percent=True)[0],
        }

    def _options(self, entry: Mapping[str, Any], table: str) -> dict[str, Any]:
        """Return box, output and margin."""
        output, margin = entry.get("output"), entry.get("margin")
        if output is not None and not _is_output(output):
            raise self._wrong(table, "output", "the name of an output, or its index from 0", output)
        if margin is not None and not (isinstance(margin, list) and len(margin) == 2 and all(map(_is_output, margin))):
            raise self._wrong(table, "margin", "the names of two outputs", margin)
        if output is not None and margin is not None:
            raise self._error(table, "expected output or margin, found both")
        return {"box": self._box(entry, table), "output": output, "margin": None if margin is None else tuple(margin)}

    def _box(self, entry: Mapping[str, Any], table: str) -> Any:
        box = entry.get("box")
        if box is None or (isinstance(box, str) and not isinstance(box, _Decimal)):
            return box
        if isinstance(box, dict):
            return {name: self._pair(ends, table, f"box.{name}") for name, ends in box.items()}
        if isinstance(box, list) and box and all(isinstance(ends, list) for ends in box):
            return [self._pair(ends, table, f"box[{i}]") for i, ends in enumerate(box)]
        if isinstance(box, list):
            return tuple(self._pair(box, table, "box"))
        raise self._wrong(table, "box", "a file, [low, high], a list of such pairs, or pairs by name of input", box)

    def _pair(self, ends: Any, table: str, key: str) -> list[str]:
        if not isinstance(ends, list) or len(ends) != 2:
            raise self._wrong(table, key, "[low, high]", ends)
        return [self._number({key: end}, table, key)[0] for end in ends]

    def _names(self, entry: Mapping[str, Any], table: str) -> Any:
        names = entry.get("names")
        if names is None or (isinstance(names, str) and not isinstance(names, _Decimal)):
            return names
        lists = {"inputs": names} if isinstance(names, list) else names
        if isinstance(lists, dict):
            lists = self._table(lists, f"{table}.names", ("inputs", "outputs"))
            if all(isinstance(some, list) and all(isinstance(name, str) for name in some) for some in lists.values()):
                return lists
        raise self._wrong(
            table, "names", "a file, a list of names of inputs, or { inputs = […], outputs = […] }", names
        )

    def _work(self, entry: Mapping[str, Any], table: str, otherwise: int) -> int:
        if "effort" not in entry:
            return otherwise
        text, effort = self._number(entry, table, "effort")
        if not 0 < effort <= _MOST_EFFORT:
            raise self._error(
                table, f"effort: expected seconds of work, above 0 and at most {_MOST_EFFORT:,}, found {text}"
            )
        return max(1, floor(effort * SECOND))

    def _number(self, entry: Mapping[str, Any], table: str, key: str, percent: bool = False) -> tuple[str, Number]:
        """Return a number as text and as a value; one that may be a percentage is not negative."""
        value = entry[key]
        if isinstance(value, bool) or not isinstance(value, int | str):
            raise self._wrong(table, key, 'a number, such as 0.01 or "1/100"', value)
        text = str(value)
        try:
            number = parse_number(text.removesuffix("%") if percent else text)
        except InputError as error:
            raise self._error(table, f"{key}: {error.message}") from None
        if percent and number < 0:
            raise self._error(table, f"{key}: expected a number ≥ 0, found {text}")
        return text, number

    def _text(self, entry: Mapping[str, Any], table: str, key: str) -> str:
        value = entry[key]
        if not isinstance(value, str) or isinstance(value, _Decimal) or not value:
            raise self._wrong(table, key, "text", value)
        return value

    def _flag(self, entry: Mapping[str, Any], table: str, key: str) -> bool:
        value = entry.get(key, False)
        if not isinstance(value, bool):
            raise self._wrong(table, key, "true or false", value)
        return value

    def _table(self, data: Any, table: str, known: Collection[str] | None) -> dict[str, Any]:
        """Return a table, all of whose keys are known."""
        if not isinstance(data, dict):
            raise self._error(table, f"expected a table, found {_found(data)}")
        for key in data:
            if known is not None and key not in known:
                hint = did_you_mean(key, known) or f" (known: {', '.join(known)})"
                raise self._error(table, f"unknown key {shown(key)}{hint}")
        return data

    def _wrong(self, table: str, key: str, expected: str, found: Any) -> InputError:
        return self._error(table, f"{key}: expected {expected}, found {_found(found)}")

    def _error(self, table: str, message: str) -> InputError:
        return InputError(f"{table}: {message}", source=self._source)

    def _line(self, model: str, index: int, words: Sequence[str]) -> int:
        """Return the line of a promise, for annotations: its header, or else the line with the most of its words below
        the header of its model."""
        start = rf"\s*{re.escape(self._prefix)}models\s*\.\s*[\"']?{re.escape(model)}[\"']?\s*"
        own = [i for i, line in enumerate(self._lines) if re.match(rf"\s*\[\[{start}\.\s*promises\s*\]\]", line)]
        if index < len(own):
            return own[index] + 1
        below = next((i for i, line in enumerate(self._lines) if re.match(rf"\s*\[{start}\]", line)), 0)
        following = range(below, len(self._lines))
        found = max(following, key=lambda i: sum(word in self._lines[i] for word in words), default=0)
        return found + 1


def _is_output(value: Any) -> bool:
    return isinstance(value, int | str) and not isinstance(value, bool | _Decimal)


def _found(value: Any) -> str:
    """Return a value of TOML, or its type, for an error message."""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, str):
        return str(value) if isinstance(value, _Decimal) else shown(value)
    if isinstance(value, dict | list):
        return f"{'a table' if isinstance(value, dict) else 'a list'} of {len(value)}"
    return str(value)
