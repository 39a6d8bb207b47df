"""Boxes as people give them: pairs of numbers, a file of these, or data whose ranges or percentiles they are."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from typing import Any

from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.exact import Number, as_number, floor, format_number, parse_number
from verimv.networks.formats.json_format import read_box
from verimv.networks.network import Box, Network
from verimv.networks.tables import DataTable, placed_columns, read_data

_TABLE = re.compile(r"(?P<path>.+\.(?:csv|tsv))(?::(?P<low>[^%:]*)%-(?P<high>[^%:]*)%)?", re.IGNORECASE | re.DOTALL)
#: The whole range of the data, in percent.
_ALL = (0, 100)


def on_given_box(network: Network, box: Any) -> Network:
    """Return the network on a box: a pair of numbers for each input, a data frame, or the name of a file.

    Files are JSON, VNN-LIB, or a table: ``data.csv`` is the range of every column, ``data.csv:1%-99%`` these
    percentiles. Columns of tables and data frames are those with the names of the inputs; a network without names gets
    those of the columns, if there is one for each input.
    """
    if hasattr(box, "columns"):
        return _on_data(network, _frame(box, network), "the data frame", _ALL)
    if not isinstance(box, str | os.PathLike):
        return network.on_box(box)
    path = os.fspath(box)
    if (table := _TABLE.fullmatch(path)) is None:
        return network.on_box(read_box(read_text(path), len(network.inputs), path))
    percent = _ALL if table["low"] is None else (_percent(table["low"], path), _percent(table["high"], path))
    return _on_data(network, read_data(table["path"], network, None), table["path"], percent)


def box_of(data: Any, percent: tuple[Any, Any] = _ALL) -> Box:
    """Return the range of each column of a data frame, an array or rows of numbers, or its `percent`iles.

    Percentiles are interpolated linearly between neighbours, as numpy does by default, but exactly.
    """
    rows = data.to_numpy() if hasattr(data, "to_numpy") else data
    return _ranges([[as_number(x) for x in row] for row in rows], percent)


def _on_data(network: Network, table: DataTable, source: str, percent: tuple[Any, Any]) -> Network:
    if table.is_in_order and table.names and not _has_default_names(network):
        raise InputError(
            f"no column has the name of an input: expected {network.label(network.inputs[0])} and so on, "
            f"found {table.names[0]}",
            source=source,
        )
    try:
        return table.named(network).on_box(_ranges(table.points, percent))
    except InputError as error:
        raise error.located(source) from None


def _has_default_names(network: Network) -> bool:
    return network.inputs == tuple(f"x{i + 1}" for i in range(len(network.inputs)))


def _frame(frame: Any, network: Network) -> DataTable:
    """Return the columns of a data frame that are inputs."""
    header = [" ".join(str(name).split()) for name in frame.columns]
    places, is_in_order = placed_columns("the data frame", header, network)
    points = [[as_number(row[place]) for place in places] for row in frame.to_numpy()]
    if not points:
        raise InputError("expected rows of numbers, found none", source="the data frame")
    return DataTable(points, None, [header[place] for place in places], is_in_order)


def _percent(text: str, path: str) -> Number:
    try:
        return parse_number(text.strip())
    except InputError:
        raise InputError("expected percentiles such as data.csv:1%-99%", source=path) from None


def _ranges(points: Sequence[Sequence[Number]], percent: tuple[Any, Any]) -> Box:
    low, high = map(as_number, percent)
    if not 0 <= low < high <= 100:
        found = f"{format_number(low)}% and {format_number(high)}%"
        raise InputError(f"expected percentiles 0% ≤ low < high ≤ 100%, found {found}")
    if not points:
        raise InputError("expected rows of numbers, found none")
    columns = [sorted(column) for column in zip(*points, strict=True)]
    return tuple((_percentile(column, low), _percentile(column, high)) for column in columns)


def _percentile(column: Sequence[Number], percent: Number) -> Number:
    place = (len(column) - 1) * percent / 100
    below = floor(place)
    if below + 1 == len(column):
        return column[below]
    return column[below] + (column[below + 1] - column[below]) * (place - below)
