"""`verimv eval`: exact values at a point, or at the points of a table."""

from __future__ import annotations

import argparse
import csv
import io
import os
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from verimv.cli.arguments import labels_of, noted, with_options
from verimv.cli.points import whole_point
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.exact import Number, format_number, parse_number, shown
from verimv.exact.decimals import decimal, readable
from verimv.formulas.formula import Formula
from verimv.networks.formats.json_format import read_box
from verimv.networks.network import UNIT_CUBE, Box, Network
from verimv.networks.tables import read_table
from verimv.networks.transforms.outputs import OutputMap
from verimv.questions.extracted import ExtractedFormula, check_inside, extracted_formula
from verimv.questions.subjects import read_subject

if TYPE_CHECKING:
    from verimv.cli.float_values import FloatColumns, FloatGap

#: Significant digits of decimals in a table: those of a float.
_CELL_DIGITS = 17
#: Subjects of `eval`.
Evaluated = Formula | Network | ExtractedFormula


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    subject = _subject(arguments)
    if isinstance(subject, Network):  # values at points need no box
        noted(replace(subject, notes=tuple(note for note in subject.notes if note != UNIT_CUBE)), report)
    box = subject.box if isinstance(subject, Network) and arguments.box is not None else None
    report("evaluating")
    gap = _float_gap(arguments, subject) if arguments.float_gap else None
    if arguments.csv is not None:
        if arguments.at is not None:
            raise InputError("give either --at or --csv, not both")
        floats = _float_columns(arguments, subject) if arguments.floats else None
        return _eval_csv(subject, arguments, box, floats, gap)
    if arguments.floats:
        raise InputError("--floats needs a table of points: give one with --csv")
    if gap is not None and arguments.at is None:
        gaps = gap.on_box(report)
        lines = [
            f"{name}: float32 is within {bound} of the exact value, anywhere in the box" for name, bound in gaps.items()
        ]
        return Result({"float_gap": gaps}, "\n".join(lines))
    labels = labels_of(subject)
    point = whole_point(subject.inputs, arguments.at or "", labels)
    found = dict(zip(subject.outputs, _values(subject, point, box), strict=True))
    values = {name: format_number(value) for name, value in found.items()}
    told = {labels.get(name, name): readable(value, arguments.numbers) for name, value in found.items()}
    text = "\n".join(told.values() if len(told) == 1 else (f"{name} = {value}" for name, value in told.items()))
    data: dict[str, Any] = {"point": {name: format_number(x) for name, x in point.items()}, "outputs": values}
    if gap is not None:
        data["float_gap"] = gap.at([point[name] for name in subject.inputs])
        text += f"\nfloat32 is within {data['float_gap']} of this"
    return Result(data, text)


def _subject(arguments: argparse.Namespace) -> Evaluated:
    """Read the subject: also a directory that extract wrote, or a formula with inputs in a box."""
    if os.path.isdir(arguments.subject):
        extracted = extracted_formula(arguments.subject)
        return extracted if arguments.names is None else extracted.named(arguments.names)
    subject = read_subject(arguments.subject, arguments.logits)
    if isinstance(subject, Formula) and arguments.box is not None and arguments.names is None:
        box = read_box(read_text(arguments.box), len(subject.inputs), arguments.box)
        return ExtractedFormula(subject, box, [OutputMap()] * len(subject.outputs))
    return with_options(subject, arguments)


def _float_gap(arguments: argparse.Namespace, subject: Evaluated) -> FloatGap:
    from verimv.cli.float_values import FloatGap  # loads the search for bounds

    return FloatGap(arguments, subject)


def _float_columns(arguments: argparse.Namespace, subject: Evaluated) -> FloatColumns:
    from verimv.cli.float_values import FloatColumns

    return FloatColumns(arguments, subject)


def _cell(exact: str, numbers: str) -> str:
    """Return a number of a table: exactly, unless decimals are asked for, which spreadsheets can read."""
    if numbers in ("auto", "exact"):
        return exact
    text = decimal(parse_number(exact), _CELL_DIGITS)[0]
    return text if numbers == "decimal" or text == exact else f"{exact} ({text})"


def _values(subject: Evaluated, point: Mapping[str, Number], box: Box | None) -> list[Number]:
    if isinstance(subject, Network):
        if box is not None:
            check_inside(point, subject.inputs, box)
        return subject.at([point[name] for name in subject.inputs])
    return subject.at(point)


def _eval_csv(
    subject: Evaluated,
    arguments: argparse.Namespace,
    box: Box | None,
    floats: FloatColumns | None,
    gap: FloatGap | None,
) -> Result:
    path, labels = arguments.csv, labels_of(subject)
    header, rows = read_table(path)
    meant = {labels.get(name, name): name for name in subject.inputs}
    header = [meant.get(name, name) for name in header]
    if sorted(header) != sorted(subject.inputs):
        raise InputError(
            f"expected a header with the inputs {', '.join(meant)}, found {shown(','.join(header))}",
            source=path,
            line=1,
        )
    table: list[dict[str, str]] = []
    for line, row in rows:
        if len(row) != len(header):
            raise InputError(f"expected {len(header)} numbers, found {len(row)}", source=path, line=line)
        try:
            point = {name: parse_number(cell.strip()) for name, cell in zip(header, row, strict=True)}
            values = _values(subject, point, box)
        except InputError as error:
            raise error.located(path, line) from None
        table.append(
            {
                **{name: format_number(x) for name, x in point.items()},
                **dict(zip(subject.outputs, map(format_number, values), strict=True)),
                **(floats.at([point[name] for name in subject.inputs], values) if floats else {}),
                **({gap.column: gap.at([point[name] for name in subject.inputs])} if gap else {}),
            }
        )
    columns = [*header, *subject.outputs, *(floats.names if floats else ()), *([gap.column] if gap else [])]
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([labels.get(name, name) for name in columns])
    exact = {*subject.inputs, *subject.outputs}
    writer.writerows(
        [_cell(row[name], arguments.numbers) if name in exact else row[name] for name in columns] for row in table
    )
    data = {"columns": columns, "rows": table} | ({"largest_gap": floats.largest} if floats else {})
    return Result(data, text.getvalue().rstrip("\n"))
