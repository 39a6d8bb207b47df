"""Points on the command line: x1=1/3,"mean radius"=0.5, a row of a table (FILE.csv:ROW), or JSON."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.core.suggest import did_you_mean, listed
from verimv.exact import Number, parse_number, shown
from verimv.networks.network import Network
from verimv.networks.tables import named_by, read_table

_ITEM = re.compile(r'\s*(?:"(?P<quoted>[^"]*)"|(?P<plain>[^,="]*?))\s*(?:=(?P<number>[^,]*))?(?:,|$)')
_ROW = re.compile(r"(?P<path>.+\.(?:csv|tsv)):(?P<row>[0-9]{1,9})", re.IGNORECASE | re.ASCII)


def given_point(inputs: Sequence[str], text: str, labels: Mapping[str, str] | None = None) -> dict[str, Number]:
    """Return the values that --at gives, for some inputs or all. `labels` are their full names."""
    if not text.strip():
        return {}
    if row := _ROW.fullmatch(text):
        return _row_point(inputs, row["path"], int(row["row"]), labels or {})
    if text.lstrip().startswith(("{", "[")):
        pairs = _json_pairs(inputs, text, "--at")
    elif text.endswith(".json"):
        pairs = _json_pairs(inputs, read_text(text), text)
    else:
        pairs = _typed_pairs(text)
    return _point(inputs, pairs, labels or {})


def whole_point(inputs: Sequence[str], text: str, labels: Mapping[str, str] | None = None) -> dict[str, Number]:
    point = given_point(inputs, text, labels)
    missing = [name for name in inputs if name not in point]
    if missing:
        told = [(labels or {}).get(name, name) for name in missing]
        raise InputError(f"no value for {', '.join(told)}: give it with --at {missing[0]}=1/2")
    return point


def named_by_header(network: Network, text: str) -> Network:
    """Return the network with the names in the header of the table FILE.csv:ROW, if the network has no such names."""
    row = _ROW.fullmatch(text)
    return named_by(network, read_table(row["path"]).header if row else [])


def _typed_pairs(text: str) -> list[tuple[str, str]]:
    pairs, position = [], 0
    while position < len(text):
        item = _ITEM.match(text, position)
        if item is None or (item["number"] is None and item[0].strip(", ")):
            found = text[position:].split(",")[0].strip()
            has_comma = position and found.isdigit()
            hint = f"write decimals with a point: 0.{found}" if has_comma else "such as x1=1/3,x2=0.5"
            raise InputError(f"--at: expected name=number, found {shown(found)} ({hint})")
        if item["number"] is not None:
            pairs.append((item["plain"] if item["quoted"] is None else item["quoted"], item["number"]))
        position = item.end()
    return pairs


def _json_pairs(inputs: Sequence[str], text: str, source: str) -> list[tuple[str, str]]:
    """Return what a JSON object says of inputs by name, or a list in their order."""
    try:
        found: Any = json.loads(text, parse_int=str, parse_float=str, parse_constant=str, object_pairs_hook=list)
    except (ValueError, RecursionError):
        raise InputError(f"{source}: is not JSON") from None
    if found and text.lstrip().startswith("["):
        if len(found) != len(inputs):
            raise InputError(f"{source}: expected {len(inputs)} numbers, found {len(found)}")
        found = list(zip(inputs, found, strict=True))
    if not isinstance(found, list) or not all(isinstance(number, str) for _, number in found):
        raise InputError(f'{source}: expected an object such as {{"{(*inputs, "x")[0]}": "1/2"}}, or a list of numbers')
    return found


def _point(inputs: Sequence[str], pairs: Sequence[tuple[str, str]], labels: Mapping[str, str]) -> dict[str, Number]:
    meant = {**{labels[name]: name for name in inputs if name in labels}, **{name: name for name in inputs}}
    point: dict[str, Number] = {}
    for given, number in pairs:
        name = meant.get(" ".join(given.split()))
        if name is None or name in point:
            known = [labels.get(name, name) for name in inputs]
            problem = f"is not an input: the inputs are {listed(known) or 'none'}{did_you_mean(given, known)}"
            raise InputError(f"--at: {given} {problem if name is None else 'is given twice'}")
        try:
            point[name] = parse_number(number.strip())
        except InputError as error:
            raise InputError(f"{given}: {error.message} (write 1/3 or 0.25)") from None
    return point


def _row_point(inputs: Sequence[str], path: str, number: int, labels: Mapping[str, str]) -> dict[str, Number]:
    """Return the inputs in a row, counted from 1 below the header; other columns are ignored."""
    table = read_table(path)
    if not 1 <= number <= len(table.rows):
        raise InputError(f"no row {number}: there are {len(table.rows):,} below the header", source=path)
    line, cells = table.rows[number - 1]
    if len(cells) != len(table.header):
        raise InputError(f"expected {len(table.header)} numbers, found {len(cells)}", source=path, line=line)
    known = {*inputs, *(labels.get(name, name) for name in inputs)}
    pairs = [(name, cell) for name, cell in zip(table.header, cells, strict=True) if name in known]
    try:
        return _point(inputs, pairs, labels)
    except InputError as error:
        raise error.located(path, line) from None
