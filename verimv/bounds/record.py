"""Bounds in a file that grows while they are found, so that an interrupted run goes on where it was.

Evidence for a neuron rests on the bounds of the layers below, as they were. So a layer is used again only on top of
the very layers on which it was proved: those of the file. What is read from a file is believed by nobody: it ends up
in a certificate, which the kernel checks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verimv.bounds.situation import Case
from verimv.choices import TIGHTENING
from verimv.errors import InputError
from verimv.exact import Number, format_number, parse_number
from verimv.files import append_to, read_text, write_file
from verimv.networks.json_format import write_network
from verimv.networks.network import Network

Point = tuple[Number, ...]


@dataclass(frozen=True)
class End:
    """way·argument ≤ value, by `method`; with cases where that takes any; attained at `point` if exact.

    `hurried` if only time was lacking for something better.
    """

    value: Number
    method: str
    cases: Sequence[Case] | None = None
    point: Point | None = None
    hurried: bool = False


#: Index of a neuron in its layer, and the side: 1 above, −1 below.
Ends = dict[tuple[int, int], End]


class Record:
    """The ends found so far, by layer; every new one is on disk before the next is looked for."""

    def __init__(self, path: Path, network: Network, effort: Mapping[str, Any]) -> None:
        digest = hashlib.sha256("".join(write_network(network)).encode()).hexdigest()
        self.path = path
        self._header = json.dumps({"format": "verimv-bounds", "version": 1, "network_sha256": digest, **effort}) + "\n"
        self._shape = [len(layer.rows) for layer in network.layers]
        self._layers: dict[int, Ends] = {}
        self._complete: set[int] = set()
        if path.exists():
            self._read()
        else:
            write_file(path, [self._header])

    def _read(self) -> None:
        lines = read_text(self.path).splitlines(keepends=True)
        if lines[:1] != [self._header]:
            raise InputError("holds bounds of another network or method: choose another file", source=str(self.path))
        whole = [line for line in lines if line.endswith("\n")]  # the last may have been cut off
        for number, line in enumerate(whole[1:], start=2):
            try:
                self._take(json.loads(line))
            except (ValueError, TypeError, KeyError, InputError):
                raise InputError("expected a bound", source=str(self.path), line=number) from None
        if len(whole) < len(lines):
            write_file(self.path, whole)

    def _take(self, row: Any) -> None:
        layer, *rest = row
        if not 1 < layer <= len(self._shape):
            raise ValueError
        if not rest:
            self._complete.add(layer)
            return
        index, way, value, method, cases, point = rest
        if not 0 <= index < self._shape[layer - 1] or way not in (-1, 1) or method not in TIGHTENING:
            raise ValueError
        self._layers.setdefault(layer, {})[index, way] = End(
            parse_number(value),
            method,
            None if cases is None else list(map(tuple, cases)),
            None if point is None else tuple(map(parse_number, point)),
        )

    def found(self, layer: int) -> Ends:
        return dict(self._layers.get(layer, {}))

    def is_complete(self, layer: int) -> bool:
        return layer in self._complete

    def add(self, layer: int, index: int, way: int, end: End) -> None:
        point = None if end.point is None else [format_number(x) for x in end.point]
        self._append([layer, index, way, format_number(end.value), end.method, end.cases, point])

    def complete(self, layer: int) -> None:
        """Nothing more will be found of this layer."""
        self._append([layer])

    def _append(self, row: list[Any]) -> None:
        append_to(self.path, json.dumps(row) + "\n")
