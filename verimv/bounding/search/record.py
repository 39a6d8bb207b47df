"""A file of bounds that grows while they are found, so that an interrupted run can be resumed.

A row is the result of one task, which depends only on the network, the effort and the rows of the layers below. So a
resumed run asks for the same tasks in the same order, finds the first ones here, and ends with the same result. Nothing
trusts the file: what is read ends up in a certificate, which the kernel checks.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from verimv.bounding.results import Point
from verimv.bounding.situation import Case, LeafCase, SplitCase
from verimv.core.choices import TIGHTENING
from verimv.core.errors import InputError, InternalError
from verimv.core.files import append_to, read_text, write_file
from verimv.exact import Number, format_number, parse_number
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Network

_VERSION = 3


@dataclass(frozen=True)
class End:
    """way·argument ≤ value, proved by `method`, with `cases` where intervals are not enough; attained at `point`.

    `work` is what it took; `hurried` if more work may give a better bound.
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
    """The ends found so far; every new one is on disk before the search for the next one starts."""

    def __init__(self, path: Path, network: Network, effort: Mapping[str, Any]) -> None:
        digest = hashlib.sha256("".join(write_network(network)).encode()).hexdigest()
        self.path = path
        header = {"format": "verimv-bounds", "version": _VERSION, "network_sha256": digest, **effort}
        self._header = json.dumps(header) + "\n"
        self._widths = [len(network.inputs), *(len(layer.rows) for layer in network.layers)]
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
        complete = [line for line in lines if line.endswith("\n")]  # the last may have been cut off
        for number, line in enumerate(complete[1:], start=2):
            try:
                self._add_row(*json.loads(line))
            except (ValueError, TypeError, KeyError, InputError):
                raise InputError("expected a bound", source=str(self.path), line=number) from None
        if len(complete) < len(lines):
            write_file(self.path, complete)

    def _add_row(
        self, layer: Any, index: Any, way: Any, allowed: Any, value: Any, method: Any, cases: Any, point: Any,
        hurried: Any, work: Any,
    ) -> None:  # fmt: skip
        if not 1 < layer < len(self._widths) or not 0 <= index < self._widths[layer]:
            raise ValueError
        if way not in (-1, 1) or method not in TIGHTENING or type(hurried) is not bool or work < 0:
            raise ValueError
        if point is not None and len(point) != self._widths[0]:
            raise ValueError
        self.found[layer, index, way, allowed] = End(
            parse_number(value),
            method,
            None if cases is None else [self._case(layer, *case) for case in cases],
            None if point is None else tuple(map(parse_number, point)),
            hurried,
            work,
        )

    def _case(self, layer: int, kind: Any, *words: Any) -> Case:
        """Return a case of evidence about a neuron of a layer; it may split the inputs and the layers below."""
        if kind == "leaf":
            return LeafCase(tuple(map(parse_number, words)))
        depth, index, point = words
        if kind != "split" or depth not in range(layer) or index not in range(self._widths[depth]):
            raise ValueError
        return SplitCase((depth, index) if depth else index, parse_number(point))

    def add(self, key: Key, end: End) -> None:
        """Append a new end to the file."""
        cases = None if end.cases is None else [_row(case) for case in end.cases]
        point = None if end.point is None else [format_number(x) for x in end.point]
        row = [*key, format_number(end.value), end.method, cases, point, end.hurried, end.work]
        append_to(self.path, json.dumps(row) + "\n")


def _row(case: Case) -> list[int | str]:
    """Return a case as a row of JSON; inputs are layer 0."""
    if isinstance(case, LeafCase):
        return ["leaf", *map(format_number, case.multipliers)]
    if not isinstance(case, SplitCase):
        raise InternalError("lemmas and sweeps inside cases are not recorded")
    depth, index = (0, case.variable) if isinstance(case.variable, int) else case.variable
    return ["split", depth, index, format_number(case.point)]
