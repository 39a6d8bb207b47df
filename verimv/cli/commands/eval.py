"""`verimv eval`: exact values at a point, or at the points of a table."""

from __future__ import annotations

import argparse
import csv
import io
import os
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from verimv.cli.arguments import given_box, with_options
from verimv.cli.extracted import ExtractedFormula, check_inside, extracted_formula
from verimv.cli.points import whole_point
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.exact import Number, format_number, parse_number, shown
from verimv.formulas.formula import Formula
from verimv.networks.network import Box, Network
from verimv.networks.transforms.outputs import OutputMap
from verimv.questions.subjects import read_subject

if TYPE_CHECKING:
    from verimv.cli.float_values import FloatColumns, FloatGap

#: Subjects of `eval`.
Evaluated = Formula | Network | ExtractedFormula


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    subject = _subject(arguments)
    box = subject.box if isinstance(subject, Network) and arguments.box is not None else None
    report("evaluating")
    gap = _float_gap(arguments, subject) if arguments.float_gap else None
    if arguments.csv is not None:
        if arguments.at is not None:
            raise InputError("give either --at or --csv, not both")
        floats = _float_columns(arguments, subject) if arguments.floats else None
        return _eval_csv(subject, arguments.csv, box, floats, gap)
    if arguments.floats:
        raise InputError("--floats needs a table of points: give one with --csv")
    if gap is not None and arguments.at is None:
        gaps = gap.on_box(report)
        lines = [
            f"{name}: float32 is within {bound} of the exact value, anywhere in the box" for name, bound in gaps.items()
        ]
        return Result({"float_gap": gaps}, "\n".join(lines))
    point = whole_point(subject.inputs, arguments.at or "")
    values = dict(zip(subject.outputs, map(format_number, _values(subject, point, box)), strict=True))
    text = "\n".join(values.values() if len(values) == 1 else (f"{name} = {value}" for name, value in values.items()))
    data: dict[str, Any] = {"point": {name: format_number(x) for name, x in point.items()}, "outputs": values}
    if gap is not None:
        data["float_gap"] = gap.at([point[name] for name in subject.inputs])
        text += f"\nfloat32 is within {data['float_gap']} of this"
    return Result(data, text)


def _subject(arguments: argparse.Namespace) -> Evaluated:
    """Read the subject: also a directory that extract wrote, or a formula with inputs in a box."""
    if os.path.isdir(arguments.subject):
        return extracted_formula(arguments.subject)
    subject = read_subject(arguments.subject)
    if isinstance(subject, Formula) and arguments.box is not None:
        return ExtractedFormula(
            subject, given_box(arguments.box, len(subject.inputs)), [OutputMap()] * len(subject.outputs)
        )
    return with_options(subject, arguments)


def _float_gap(arguments: argparse.Namespace, subject: Evaluated) -> FloatGap:
    from verimv.cli.float_values import FloatGap  # loads the search for bounds

    return FloatGap(arguments, subject)


def _float_columns(arguments: argparse.Namespace, subject: Evaluated) -> FloatColumns:
    from verimv.cli.float_values import FloatColumns

    return FloatColumns(arguments.subject, subject)


def _values(subject: Evaluated, point: Mapping[str, Number], box: Box | None) -> list[Number]:
    if isinstance(subject, Network):
        if box is not None:
            check_inside(point, subject.inputs, box)
        return subject.at([point[name] for name in subject.inputs])
    return subject.at(point)


def _eval_csv(
    subject: Evaluated, path: str, box: Box | None, floats: FloatColumns | None, gap: FloatGap | None
) -> Result:
    try:
        rows = list(csv.reader(io.StringIO(read_text(path), newline=None)))
    except csv.Error as error:
        raise InputError(f"not CSV: {error}", source=path) from None
    rows[:1] = [[name.strip() for name in row] for row in rows[:1]]
    if not rows or sorted(rows[0]) != sorted(subject.inputs):
        raise InputError(
            f"expected a header with the inputs {', '.join(subject.inputs)}, found "
            f"{shown(','.join(rows[0]) if rows else '')}",
            source=path,
            line=1,
        )
    table: list[dict[str, str]] = []
    for line, row in enumerate(rows[1:], start=2):
        if not row:
            continue
        if len(row) != len(rows[0]):
            raise InputError(f"expected {len(rows[0])} numbers, found {len(row)}", source=path, line=line)
        try:
            point = {name: parse_number(cell.strip()) for name, cell in zip(rows[0], row, strict=True)}
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
    columns = [*rows[0], *subject.outputs, *(floats.names if floats else ()), *([gap.column] if gap else [])]
    text = io.StringIO()
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    writer.writerows(table)
    data = {"columns": columns, "rows": table} | ({"largest_gap": floats.largest} if floats else {})
    return Result(data, text.getvalue().rstrip("\n"))
