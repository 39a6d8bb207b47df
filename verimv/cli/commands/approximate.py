"""`verimv approximate`: a choice of formulas near a network, each with its length and its proved error."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from verimv.approximation.front import Front, approximate, read_tolerances, row_number
from verimv.cli.arguments import network_argument, pair
from verimv.cli.commands.extract import check_place, delivered
from verimv.cli.options import signed_option
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import formula_text
from verimv.core.errors import InputError
from verimv.core.files import write_file
from verimv.networks.tables import read_data
from verimv.show.pictures.front_chart import front_svg

#: Characters of a formula that is shown below the table.
_SHORT = 160


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    _check_call(arguments)
    report("reading the network")
    network = network_argument(arguments, report)
    options: dict[str, Any] = {}
    is_in_order = False
    if arguments.data is not None:
        report("reading the data")
        table = read_data(arguments.data, network, arguments.label)
        network = network if arguments.names is not None else table.named(network)
        is_in_order = table.is_in_order
        options = {"data": table.points, "labels": table.labels}
    if arguments.threshold is not None:
        options["threshold"] = signed_option("--threshold", arguments.threshold)
    front = approximate(
        network,
        arguments.within,
        minimise=arguments.minimise,
        output=arguments.output,
        margin=pair(arguments),
        progress=report,
        **options,
    )
    return _delivered(front, arguments, report, is_in_order)


def _check_call(arguments: argparse.Namespace) -> None:
    """Raise for what is wrong in the call, before any work is done."""
    most = 1 + len(read_tolerances(arguments.within))
    if arguments.pick is not None:
        number = row_number(arguments.pick)
        if number is not None and number > most:
            raise InputError(f"--pick {number}: there are at most {most} rows")
    elif arguments.directory is not None:
        raise InputError("-o writes one formula: choose it with --pick")
    if arguments.label is not None and arguments.data is None:
        raise InputError("--label is a column of a table: give that with --data")
    if arguments.plot is not None and Path(arguments.plot).suffix.lower() != ".svg":
        raise InputError("expected a file name that ends in .svg", source=arguments.plot)
    if arguments.plot is not None and not Path(arguments.plot).resolve().parent.is_dir():
        raise InputError("cannot write: no such directory", source=arguments.plot)
    check_place(arguments)


def _delivered(front: Front, arguments: argparse.Namespace, report: Reporter, is_in_order: bool) -> Result:
    """Return the table; draw it, and deliver the formula that was picked."""
    data, lines = front.to_dict(), [front.text(arguments.numbers)]
    if is_in_order:
        lines.append("no column of the data has the name of an input: they are taken in the order of the inputs")
        data["data"]["in_order"] = True
    picked = None if arguments.pick is None else front.picked(arguments.pick)
    if picked is None:
        lines += _formulas_told(front, arguments.numbers)
    exit_code = 0
    if picked is not None:
        result = delivered(picked.extraction, arguments, report)
        data["picked"] = {"number": picked.number, **result.data}
        lines += ["", f"row {picked.number}:", result.text]
        exit_code = result.exit_code
    if arguments.plot is not None:
        write_file(arguments.plot, [front_svg(front)])
        data["plot"] = arguments.plot
        lines.append(f"drawn in {arguments.plot}")
    return Result(data, "\n".join(lines), exit_code)


def _formulas_told(front: Front, numbers: str) -> list[str]:
    """Return the formulas that fit into a line or two."""
    told = []
    for row in front.rows:
        if row.formula.is_short():
            text = formula_text(row.formula, numbers, front.network.labels)
            if len(text) <= _SHORT and "\n" not in text:
                told.append(f"{row.number}: {text}")
    return ["", *told] if told else []
