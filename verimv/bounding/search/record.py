"""Bounds in a file that grows while they are found, so that an interrupted run goes on where it was.

A row is the result of one task, which depends on nothing but the network, the effort and the rows of the layers below.
So a run that goes on asks for the same tasks in the same order, finds the first ones here, and ends with the same
result. What is read from a file is believed by nobody: it ends up in a certificate, which the kernel checks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verimv.bounding.situation import Case
from verimv.core.choices import TIGHTENING
from verimv.core.errors import InputError
from verimv.core.files import append_to, read_text, write_file
from verimv.exact import Number, format_number, parse_number
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Network

Point = tuple[Number, ...]


@dataclass(frozen=True)
class End:
    """way·argument ≤ value, by `method`; with cases where that takes any; attained at `point` if exact.

    `work` is what it took; `hurried` if more of it may give something better.
    """

    value: Number
    method: str
    cases: Sequence[Case] | None = None
    point: Point | None = None
    hurried: bool = False
    work: int = 0


#: Layer and index of a neuron, the side (1 above, −1 below), and the work that was allowed.
Key = tuple[int, int, int, int]


class BoundsRecord:
    """The ends found so far; every new one is on disk before the next is looked for."""

    def __init__(self, path: Path, network: Network, effort: Mapping[str, Any]) -> None:
        digest = hashlib.sha256("".join(write_network(network)).encode()).hexdigest()
        self.path = path
        self._header = json.dumps({"format": "verimv-bounds", "version": 2, "network_sha256": digest, **effort}) + "\n"
        self._shape = [len(layer.rows) for layer in network.layers]
        self.found: dict[Key, End] = {}
        if path.exists():
            self._read()
        else:
            write_file(path, [self._header])

    def _read(self) -> None:
        lines = read_text(self.path).splitlines(keepends=True)
        if lines[:1] != [self._header]:
            raise InputError(
                "holds bounds of another network, method or version: choose another file", source=str(self.path)
            )
        whole = [line for line in lines if line.endswith("\n")]  # the last may have been cut off
        for number, line in enumerate(whole[1:], start=2):
            try:
                self._take(*json.loads(line))
            except (ValueError, TypeError, KeyError, InputError):
                raise InputError("expected a bound", source=str(self.path), line=number) from None
        if len(whole) < len(lines):
            write_file(self.path, whole)

    def _take(
        self, layer: Any, index: Any, way: Any, allowed: Any, value: Any, method: Any, cases: Any, point: Any,
        hurried: Any, work: Any,
    ) -> None:  # fmt: skip
        if not 1 < layer <= len(self._shape) or not 0 <= index < self._shape[layer - 1]:
            raise ValueError
        if way not in (-1, 1) or method not in TIGHTENING or type(hurried) is not bool or work < 0:
            raise ValueError
        self.found[layer, index, way, allowed] = End(
            parse_number(value),
            method,
            None if cases is None else list(map(tuple, cases)),
            None if point is None else tuple(map(parse_number, point)),
            hurried,
            work,
        )

    def add(self, key: Key, end: End) -> None:
        point = None if end.point is None else [format_number(x) for x in end.point]
        row = [*key, format_number(end.value), end.method, end.cases, point, end.hurried, end.work]
        append_to(self.path, json.dumps(row) + "\n")
