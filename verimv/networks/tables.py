"""Tables of points: a column for each input, and perhaps one of labels."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.exact import Number, parse_number, shown
from verimv.networks.names import identifiers, named, separator
from verimv.networks.network import Network

#: Names that a message lists.
_TOLD = 5


class PointTable(NamedTuple):
    """A CSV file: the names in its first line, and the cells of the others with their line numbers."""

    header: list[str]
    rows: list[tuple[int, list[str]]]


def read_table(path: str) -> PointTable:
    text = read_text(path).removeprefix("\ufeff")
    try:
        rows = list(csv.reader(io.StringIO(text, newline=None), delimiter=separator(text.split("\n", 1)[0])))
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", source=path) from None
    header = [" ".join(name.split()) for name in rows[0]] if rows else []
    return PointTable(header, [(line, row) for line, row in enumerate(rows[1:], start=2) if row])


@dataclass(frozen=True)
class DataTable:
    """Points in the order of the network's inputs, and their labels as they are written."""

    points: list[list[Number]]
    labels: list[str] | None
    #: the names of the columns of the inputs, if there is a header
    names: list[str]
    #: whether the columns are the inputs in their order, since none has the name of an input
    is_in_order: bool

    def named(self, network: Network) -> Network:
        """Return the network with the names of the table, if it has none of its own."""
        if not self.names or any(name in network.labels for name in network.inputs):
            return network
        return named_by(network, self.names) if self.is_in_order else named(network, self.names)


def read_data(path: str, network: Network, label: str | None) -> DataTable:
    """Read a table: inputs by the names in its header or, if none of them is there, all columns in their order."""
    table = read_table(path)
    if all(map(_is_number, table.header)):  # no header
        if label is not None:
            raise InputError(f"no column {shown(label)}: the first line has numbers, no names", source=path, line=1)
        table = PointTable([], [(1, list(table.header)), *table.rows] if table.header else [])
    places, is_in_order = placed_columns(path, table.header, network, label)
    at = None if label is None else table.header.index(label)
    width = len(table.header) or len(network.inputs)
    points, labels = [], []
    for line, cells in table.rows:
        if len(cells) != width:
            raise InputError(f"expected {width} cells, found {len(cells)}", source=path, line=line)
        try:
            points.append([parse_number(cells[place].strip()) for place in places])
        except InputError as error:
            raise error.located(path, line) from None
        if at is not None:
            labels.append(cells[at].strip())
    if not points:
        raise InputError("expected rows of numbers, found none", source=path)
    names = [table.header[place] for place in places] if table.header else []
    return DataTable(points, None if at is None else labels, names, is_in_order)


def named_by(network: Network, header: Sequence[str]) -> Network:
    """Return the network with these names of its inputs, if they are as many and it has none of them."""
    known = {*network.inputs, *network.labels.values()}
    return named(network, header) if len(header) == len(network.inputs) and not known & set(header) else network


def placed_columns(
    source: str, header: Sequence[str], network: Network, label: str | None = None
) -> tuple[list[int], bool]:
    """Return the column of each input, and whether they are just in their order: none has the name of an input.

    A column "mean radius" is that of an input mean_radius, too.
    """
    if label is not None and header.count(label) != 1:
        problem = "occurs twice" if label in header else f"does not exist: there are {_listed(header)}"
        raise InputError(f"--label: the column {shown(label)} {problem}", source=source, line=1)
    columns = [place for place, name in enumerate(header) if name != label]
    found, missing = [], []
    for name in network.inputs:
        places = [p for p in columns if header[p] in (name, network.label(name)) or identifiers([header[p]]) == [name]]
        if len(places) > 1:
            raise InputError(f"the column {network.label(name)} occurs twice", source=source, line=1)
        found += places
        missing += [network.label(name)] * (not places)
    if not missing:
        return found, False
    if found:
        raise InputError(f"no column for {_listed(missing)}", source=source, line=1)
    if not header:
        return list(range(len(network.inputs))), True
    if len(columns) != len(network.inputs):
        raise InputError(
            f"expected columns named {_listed(missing)}, or {len(network.inputs)} columns in the order of the inputs, "
            f"found {len(columns)} (--names gives the inputs names)",
            source=source,
            line=1,
        )
    return columns, True


def _is_number(cell: str) -> bool:
    try:
        parse_number(cell.strip())
    except InputError:
        return False
    return True


def _listed(names: Sequence[str]) -> str:
    more = f" and {len(names) - _TOLD:,} more" if len(names) > _TOLD else ""
    return ", ".join(map(shown, names[:_TOLD])) + more
