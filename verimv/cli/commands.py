"""extract, eval, measure, convert: each takes parsed arguments and returns what to print."""

from __future__ import annotations

import argparse
import csv
import io
import json
import sys
import time
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any

from verimv import kernel
from verimv.certificate.certificate import Certificate, holds_certificate
from verimv.certificate.from_extraction import CertifiedExtraction, extract
from verimv.certificate.from_pair import certify
from verimv.certificate.from_simplification import simplify_extraction
from verimv.cli.domain import ExtractedFormula, FloatColumns, check_inside, evaluated_argument, network_argument, pair
from verimv.cli.float_gap import FloatGap
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.core.errors import InputError, InternalError, Undecided
from verimv.core.files import Replaceable, check_directory, read_text, write_directory, write_file
from verimv.exact import Number, format_number, parse_number, shown
from verimv.formulas.formula import Formula
from verimv.formulas.mvfile import write_mv
from verimv.formulas.printing import ASCII, SYMPY, UNICODE, Style
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.networks.formats.export import Export, export_nnet, export_onnx
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Box, Network
from verimv.networks.transforms.from_formula import to_network
from verimv.questions.subjects import read_formula, read_subject
from verimv.show.report.page import report_html
from verimv.show.report.subject import of_extraction
from verimv.solvers.functions import function_smtlib

#: Names that `extract` may replace in an existing directory.
EXTRACTION_FILES = ("network.json", "source.json", "formula.mv", *CERTIFICATE_FILES, "summary.json", "report.html")

#: What `eval` takes.
Evaluated = Formula | Network | ExtractedFormula

_LOGIC_NAMES = {"mv": "MV", "dmv": "DMV (Rational Łukasiewicz)", "rmv": "RMV (Riesz)"}


def console_style() -> Style:
    """Unicode where stdout can show it."""
    try:
        "⊕⊙¬Δδ·→".encode(sys.stdout.encoding or "ascii")
    except UnicodeEncodeError:
        return ASCII
    return UNICODE


def run_extract(arguments: argparse.Namespace, report: Reporter) -> Result:
    advice = f"{Replaceable.advice}, or give --force"
    replaceable = Replaceable(EXTRACTION_FILES, holds_certificate, arguments.force, advice)
    if arguments.directory is not None:
        check_directory(arguments.directory, replaceable)
    report("reading the network")
    network = network_argument(arguments)
    options = {
        "logic": arguments.logic,
        "strategy": arguments.strategy,
        "minimise": arguments.minimise,
        "bounds": arguments.bounds,
        "output": arguments.output,
        "margin": pair(arguments),
        "clip_output": arguments.clip_output,
        "scale_output": arguments.scale_output,
        "workers": arguments.workers,
        "resume": arguments.resume,
        "progress": report,
    }
    extraction = extract(network, **options)
    if arguments.simplify:
        extraction = simplify_extraction(extraction, arguments.minimise, progress=report)
    formula, summary = extraction.formula, extraction.summary
    if report.warnings:
        summary["warnings"] = report.warnings
    report("writing the certificate")
    certificate = extraction.certificate
    lacking = "not checked (--no-check)" if arguments.no_check else _checked(extraction, arguments.resume, report)
    claims = _counted(extraction.derivation.claims, "claim")
    if arguments.directory is not None:
        report("writing files")
        files = {name: list(pieces) for name, pieces in certificate.files().items()}
        if not arguments.no_report:
            report("writing the report")
            files["report.html"] = [_page(extraction, arguments, files, lacking).encode()]
        files["summary.json"] = [(json.dumps(summary, indent=1, ensure_ascii=False) + "\n").encode()]
        write_directory(arguments.directory, files, replaceable)
    text = formula.shown(console_style()) if formula.is_short() else None
    length = summary["length"] if len(summary["length"]) <= 40 else _abbreviated(summary["length"])
    lines = [text] if text is not None else [f"(the formula is too long to show; {_where(arguments.directory)})"]
    lines += [
        "",
        f"{_LOGIC_NAMES[summary['logic']]} formula: "
        f"length {length}, {summary['size']:,} nodes, depth {summary['depth']:,}",
        f"from {_counted(summary['neurons'], 'neuron')} by {_counted(summary['units'], 'clipped unit')} "
        f"({summary['bounds']} bounds)",
        f"not certified: {lacking}" if lacking else f"certified: {claims}, checked by the kernel",
    ]
    if kept := summary.get("simplified", {}).get("kept"):
        lines.append(f"not simplified: {kept}")
    lines += _maps_told(summary["outputs"])
    if arguments.directory is not None:
        lines.append(f"written to {Path(arguments.directory)}/")
    data = {**summary, "formula": formula.text() if text is not None else None, "directory": arguments.directory}
    return Result(data, "\n".join(lines), Undecided.exit_code if lacking and not arguments.no_check else 0)


def _page(
    extraction: CertifiedExtraction, arguments: argparse.Namespace, files: Mapping[str, list[bytes]], lacking: str
) -> str:
    """report.html; how long it took is in the summary."""
    begin = time.perf_counter()
    title = "stdin" if arguments.network == "-" else Path(arguments.network).name
    page = report_html(of_extraction(extraction, title, files, lacking, not arguments.no_check))
    extraction.summary["seconds"]["report"] = round(time.perf_counter() - begin, 3)
    return page


#: Maps of more outputs are left to summary.json.
_MAPS_TOLD = 20


def _maps_told(outputs: list[dict[str, str]]) -> list[str]:
    """How the formula's values become the network's, where they are not the same."""
    told = [
        f"{entry['name']} = {entry['scale']}·(value of the formula) + {entry['offset']}".replace("+ -", "- ")
        for entry in outputs
        if (entry["scale"], entry["offset"]) != ("1", "0")
    ]
    more = [f"… and {len(told) - _MAPS_TOLD:,} more outputs (see summary.json)"] if len(told) > _MAPS_TOLD else []
    return told[:_MAPS_TOLD] + more


def _counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def _checked(extraction: CertifiedExtraction, resume: str | None, report: Reporter) -> str:
    """What the certificate lacks. Bounds of a file that somebody has changed are no bug of verimv's."""
    try:
        return extraction.check(report)
    except InternalError:
        if resume is None:
            raise
        raise InputError("the kernel refuses what these bounds lead to: start without them", source=resume) from None


def _where(directory: str | None) -> str:
    return f"see {Path(directory) / 'formula.mv'}" if directory is not None else "-o DIR writes it to a file"


def _abbreviated(digits: str) -> str:
    return digits if digits.startswith("~") else f"{digits[:12]}… ({len(digits):,} digits)"


def run_eval(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    subject = evaluated_argument(arguments)
    box = subject.box if isinstance(subject, Network) and arguments.box is not None else None
    report("evaluating")
    gap = FloatGap(arguments, subject) if arguments.float_gap else None
    if arguments.csv is not None:
        if arguments.at is not None:
            raise InputError("--at and --csv exclude each other")
        floats = FloatColumns(arguments.subject, subject) if arguments.floats else None
        return _eval_csv(subject, arguments.csv, box, floats, gap)
    if arguments.floats:
        raise InputError("--floats compares a table of points: it needs --csv")
    if gap is not None and arguments.at is None:
        gaps = gap.on_box(report)
        lines = [
            f"{name}: float32 is within {bound} of the exact value, anywhere in the box" for name, bound in gaps.items()
        ]
        return Result({"float_gap": gaps}, "\n".join(lines))
    point = _point(subject.inputs, arguments.at or "")
    values = dict(zip(subject.outputs, map(format_number, _values(subject, point, box)), strict=True))
    text = "\n".join(values.values() if len(values) == 1 else (f"{name} = {value}" for name, value in values.items()))
    data: dict[str, Any] = {"point": {name: format_number(x) for name, x in point.items()}, "outputs": values}
    if gap is not None:
        data["float_gap"] = gap.at([point[name] for name in subject.inputs])
        text += f"\nfloat32 is within {data['float_gap']} of this"
    return Result(data, text)


def _values(subject: Evaluated, point: Mapping[str, Number], box: Box | None) -> list[Number]:
    if isinstance(subject, Network):
        if box is not None:
            check_inside(point, subject.inputs, box)
        return subject.at([point[name] for name in subject.inputs])
    return subject.at(point)


def given_point(inputs: Iterable[str], text: str) -> dict[str, Number]:
    """What --at says, of some inputs or all."""
    point: dict[str, Number] = {}
    for item in filter(None, text.split(",")):
        name, equals, number = item.partition("=")
        name = name.strip()
        if not equals:
            raise InputError(f"--at: expected name=number, found {shown(item)}")
        if name not in inputs or name in point:
            problem = "is given twice" if name in point else f"is no input: there are {', '.join(inputs) or 'none'}"
            raise InputError(f"--at: {name} {problem}")
        point[name] = parse_number(number.strip())
    return point


def _point(inputs: Iterable[str], text: str) -> dict[str, Number]:
    point = given_point(inputs, text)
    missing = [name for name in inputs if name not in point]
    if missing:
        raise InputError(f"no value for {', '.join(missing)}: give it with --at {missing[0]}=1/2")
    return point


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


def run_measure(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading the formula")
    formula = read_formula(arguments.formula)
    report("measuring")
    measures = formula.measure()
    data = {
        "length": measures.length_text,
        "size": measures.size,
        "depth": measures.depth,
        "logic": measures.logic,
        "variables": list(formula.inputs),
        "outputs": list(formula.outputs),
        "operators": measures.operators,
    }
    length = data["length"] if len(measures.length_text) <= 60 else _abbreviated(measures.length_text)
    counts = ", ".join(f"{count:,} {name}" for name, count in measures.operators.items())
    text = "\n".join(
        [
            f"length     {length}",
            f"size       {measures.size:,} nodes ({counts})",
            f"depth      {measures.depth:,}",
            f"logic      {measures.logic}",
            f"variables  {' '.join(formula.inputs)}",
            f"outputs    {' '.join(formula.outputs)}",
        ]
    )
    return Result(data, text)


def _latex(formula: Formula) -> Iterable[str]:
    return [formula.latex(), "\n"]


def _text(style: Style) -> Callable[[Formula], Iterable[str]]:
    return lambda formula: [formula.text(style), "\n"]


#: format → (file suffixes, writer of a formula)
FORMULA_FORMATS: dict[str, tuple[tuple[str, ...], Callable[[Formula], Iterable[str]]]] = {
    "mv": ((".mv",), write_mv),
    "text": ((".txt",), _text(UNICODE)),
    "ascii": ((".asc", ".ascii"), _text(ASCII)),
    "latex": ((".tex",), _latex),
    "sympy": ((".py", ".sympy"), _text(SYMPY)),
    "smtlib": ((".smt2",), lambda formula: [function_smtlib(formula)]),
    "network": ((".json",), lambda formula: write_network(to_network(formula))),
}


#: format → (file suffixes, writer of a network)
NETWORK_FORMATS: dict[str, tuple[tuple[str, ...], Callable[[Network], Export]]] = {
    "onnx": ((".onnx",), export_onnx),
    "nnet": ((".nnet",), export_nnet),
}


def run_convert(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    subject = read_subject(arguments.subject)
    name = arguments.to or format_of(arguments.out, FORMULA_FORMATS | NETWORK_FORMATS, "; say it with --to")
    report("writing")
    if name in NETWORK_FORMATS:
        return _exported(subject, name, arguments)
    if isinstance(subject, Formula):
        pieces = FORMULA_FORMATS[name][1](subject)
    elif name == "network":
        pieces = write_network(subject)
    elif name == "smtlib":
        pieces = [function_smtlib(subject)]
    else:
        raise InputError(
            "a network becomes a formula by verimv extract; convert writes it as .json, .onnx, .nnet or .smt2"
        )
    certifiable = _certifiable(subject, name) if arguments.certify is not None else None
    if arguments.out != "-":
        write_file(arguments.out, pieces)
    if certifiable is not None:
        report("certifying")
        write_certificate(arguments.certify, _conversion(certifiable, arguments.out))
    if arguments.out == "-":
        return Result({"format": name, "text": (text := "".join(pieces))}, text.rstrip("\n"))
    data = {"format": name, "out": arguments.out, "certificate": arguments.certify}
    certified = f", certified in {arguments.certify}/" if arguments.certify is not None else ""
    return Result(data, f"written to {arguments.out}{certified}")


def write_certificate(directory: str, certificate: Certificate) -> None:
    owned = (*kernel.FILES.values(), *CERTIFICATE_FILES, "report.html")
    write_directory(directory, certificate.files(), Replaceable(owned, holds_certificate))


def _exported(subject: Formula | Network, name: str, arguments: argparse.Namespace) -> Result:
    """A file for other tools, which have floats or decimals where verimv has exact numbers."""
    if arguments.out == "-" or arguments.certify is not None:
        raise InputError(f"{name} is written to a file, and not certified: convert to network JSON for that")
    export = NETWORK_FORMATS[name][1](to_network(subject) if isinstance(subject, Formula) else subject)
    write_file(arguments.out, [export.data])
    note = f" ({_counted(export.rounded, 'number')} rounded)" if export.rounded else ""
    data = {"format": name, "out": arguments.out, "rounded": export.rounded}
    return Result(data, f"written to {arguments.out}{note}")


def _certifiable(subject: Formula | Network, name: str) -> Formula:
    if not isinstance(subject, Formula) or name != "network":
        raise InputError("--certify is for a formula that becomes a network; extract certifies by itself")
    return subject


def _conversion(formula: Formula, out: str) -> Certificate:
    """A certificate that what is written equals what was read."""
    certificate = certify(to_network(formula), formula)
    if certificate is None:
        raise Undecided(f"{out} is written, but no certificate was found; verimv equiv asks the solver")
    return certificate


def format_of(out: str, formats: Mapping[str, tuple[tuple[str, ...], Any]], hint: str = "") -> str:
    """The format of a file, by its name."""
    for name, (suffixes, _) in formats.items():
        if out.endswith(suffixes):
            return name
    known = ", ".join(suffix for suffixes, _ in formats.values() for suffix in suffixes)
    raise InputError(f"-o {out}: cannot tell the format from the name (known: {known}){hint}")
