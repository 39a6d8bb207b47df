"""`verimv simplify`: an equivalent formula, never longer."""

from __future__ import annotations

import argparse
from collections import Counter
from typing import Any

from verimv.certificate.from_simplification import certify_simplification
from verimv.cli.certificates import write_certificate
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import formula_text
from verimv.core.effort import SECOND
from verimv.core.errors import Undecided
from verimv.core.files import write_file
from verimv.formulas.formula import Formula
from verimv.questions.subjects import read_formula
from verimv.show.file_formats import FORMULA_FORMATS, format_of
from verimv.simplification.simplification import Simplification, simplify
from verimv.solvers.limited import DEFAULT_MEMORY


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    write = FORMULA_FORMATS[format_of(arguments.out, FORMULA_FORMATS)][1] if arguments.out is not None else None
    report("reading the formula")
    formula = read_formula(arguments.formula)
    found = simplify(
        formula,
        minimise=arguments.minimise,
        work=int(arguments.effort * SECOND),
        memory=arguments.memory or DEFAULT_MEMORY,
        progress=report,
    )
    report("certifying")
    certificate = certify_simplification(found)
    if write is not None:
        report("writing")
        write_file(arguments.out, write(found.formula))
    if arguments.certify is not None and certificate is not None:
        write_certificate(arguments.certify, certificate)
    data = {**_data(found, arguments), "certified": certificate is not None}
    lines = _lines(found, data, arguments)
    if certificate is None:
        lines.append("not certified: no evidence was found for some steps, which only the solver has proved")
        return Result(data, "\n".join(lines), Undecided.exit_code)
    lines.append(f"certified: {len(certificate.body)} lines, checked by {certificate.checked_by}")
    if arguments.certify is not None:
        lines.append(f"certificate written to {arguments.certify}/")
    return Result(data, "\n".join(lines))


def _data(found: Simplification, arguments: argparse.Namespace) -> dict[str, Any]:
    return {
        "status": found.status,
        "formula": found.formula.text() if found.formula.is_short() else None,
        "minimise": arguments.minimise,
        "before": _measured(found.original),
        "after": _measured(found.formula),
        "steps": dict(Counter(step.reason for step in found.steps).most_common()),
        "solver_calls": found.solver_calls,
        "undecided": found.undecided,
        "seconds": round(found.seconds, 3),
        "out": arguments.out,
    }


def _measured(formula: Formula) -> dict[str, Any]:
    measures = formula.measure()
    return {"length": measures.length_text, "size": measures.size}


def _lines(found: Simplification, data: dict[str, Any], arguments: argparse.Namespace) -> list[str]:
    before, after, out = data["before"], data["after"], arguments.out
    shown = found.formula.is_short()
    where = f"see {out}" if out is not None else "-o OUT writes it to a file"
    lines = [
        formula_text(found.formula, arguments.numbers) if shown else f"(the formula is too long to show; {where})",
        "",
        f"length {_short(before['length'])} → {_short(after['length'])}, "
        f"size {before['size']:,} → {after['size']:,} nodes, {data['seconds']:.1f} s",
        "equal: " + (", ".join(f"{count} by {reason}" for reason, count in data["steps"].items()) or "nothing changed"),
    ]
    if found.status != "finished":
        lines.append("the effort is used up: more (--effort) may make the formula shorter")
    if out is not None:
        lines.append(f"written to {out}")
    return lines


def _short(length: str) -> str:
    return length if len(length) <= 20 else f"{length[:6]}… ({len(length):,} digits)"
