"""`verimv prove`: solvers prove every line of a certificate, or that network and formula are equal."""

from __future__ import annotations

import argparse
import json
from pathlib import Path
from typing import Any

from verimv import kernel
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.verdict_text import make_search, verdict_result
from verimv.core.errors import InputError
from verimv.core.files import write_into
from verimv.kernels.verdicts import as_error
from verimv.networks.transforms.outputs import mapped
from verimv.questions.extracted import output_maps, read_summary
from verimv.questions.subjects import read_as_network, read_formula
from verimv.solvers.decide import equal_by_solver
from verimv.solvers.verdict import EXIT_CODES, Verdict

#: The default of `--timeout`.
DEFAULT_SECONDS = 600.0


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    directory = Path(arguments.directory)
    if not directory.is_dir():
        raise InputError(
            "expected a directory with a certificate, as verimv extract writes it", source=arguments.directory
        )
    summary = read_summary(directory / "summary.json")
    arguments.timeout = arguments.timeout or DEFAULT_SECONDS
    by_certificate = arguments.mode == "layered"
    result, verdict = (_by_certificate if by_certificate else _monolithic)(directory, arguments, report)
    if summary is not None:
        summary["proofs"] = [*summary["proofs"], *_entries(verdict, "certificate" if by_certificate else "equality")]
        write_into(directory, "summary.json", json.dumps(summary, indent=1, ensure_ascii=False) + "\n")
    return result


def _by_certificate(directory: Path, arguments: argparse.Namespace, report: Reporter) -> tuple[Result, Verdict]:
    from verimv.solvers.obligations.collect import collect_files
    from verimv.solvers.obligations.emit import emit
    from verimv.solvers.obligations.proof import prove

    search = make_search(arguments, report)
    try:
        task = collect_files(directory, report, search.deadline)
        if arguments.emit is not None:
            _remove_queries(Path(arguments.emit))
            for number, (name, text) in enumerate(emit(task)):
                report("writing queries", number, 0)
                write_into(arguments.emit, name, text)
        verdict = prove(task, search)
    except kernel.Rejected as rejected:
        if rejected.status == "malformed":
            raise as_error(rejected, str(directory)) from None
        status: Any = "refuted" if rejected.status == "invalid" else "undecided"
        verdict = Verdict(status, None, f"{rejected}")
        return Result(verdict.data(), f"{status}: {rejected}", EXIT_CODES[verdict.status]), verdict
    except OSError as error:
        raise InputError((error.strerror or str(error)).lower(), source=error.filename) from None
    data = {**verdict.data(), "statement": list(task.statement) if verdict.proved else []}
    lines = [_headline(verdict, task.statement), *(_told(item) for item in verdict.evidence)]
    return Result(data, "\n".join(lines), EXIT_CODES[verdict.status]), verdict


def _remove_queries(directory: Path) -> None:
    """Remove the queries of an earlier proof, by its index: they do not belong to this one."""
    try:
        entries = json.loads((directory / "index.json").read_text(encoding="utf-8"))["queries"]
        names = [Path(entry["file"]) for entry in entries if entry["file"]]
    except (OSError, ValueError, TypeError, KeyError):
        return  # verimv did not write it
    for name in names:
        if name.name == str(name) and name.suffix == ".smt2":
            (directory / name).unlink(missing_ok=True)
            (directory / name).with_suffix(".unsat").unlink(missing_ok=True)


def _headline(verdict: Verdict, statement: Any) -> str:
    if verdict.proved:
        return "\n".join(["proved", *statement])
    point = "" if verdict.witness is None else f"; {verdict.witness}"
    return f"{verdict.status}: {verdict.reason}{point}"


def _told(item: Any) -> str:
    """Return what a solver did, in a line."""
    said = {"unsat": "proved", "sat": "refuted one of", "unknown": "did not prove all"}[item["answer"]]
    counts = f"{item['obligations']:,} obligations by {item['queries']:,} queries"
    helped = "".join(f", {count:,} of them by {name}" for name, count in item.get("helped", {}).items())
    return f"{item['solver']} {item['version']} {said} {counts}{helped}, {item['seconds']:.1f} s"


def _monolithic(directory: Path, arguments: argparse.Namespace, report: Reporter) -> tuple[Result, Verdict]:
    """Ask one query about everything, for comparison."""
    if (directory / kernel.FILES["other"]).exists():
        reason = "a formula within an error of a network is not equal to it: --mode layered proves the certificate"
        raise InputError(reason, source=str(directory))
    network = read_as_network(str(directory / "network.json"))
    formula = read_formula(str(directory / "formula.mv"))
    search = make_search(arguments, report)
    if set(network.outputs) != set(formula.outputs) or not set(formula.inputs) <= set(network.inputs):
        raise InputError("network.json and formula.mv name different inputs or outputs", source=str(directory))
    maps = output_maps(directory, network.outputs)
    report("proving")
    verdict = equal_by_solver(mapped(network, maps), formula, search=search)
    words = {"proved": "proved: network = formula, as scaled", "refuted": "not equal"}
    if all(scale == 1 and offset == 0 for scale, offset in maps):
        words["proved"] = "proved: network = formula"
    return verdict_result(verdict, words), verdict


def _entries(verdict: Verdict, claim: str) -> list[dict[str, Any]]:
    """Return the entries of a proof in summary.json: one for each solver, or one for a point that refutes."""
    evidence: Any = verdict.evidence
    if verdict.witness is not None or not evidence:
        evidence = [{"solver": "replay", "witness": str(verdict.witness)}] if verdict.witness else [{"solver": "none"}]
    names = {"certificate": "every line of the certificate", "equality": "network = formula"}
    return [{"claim": names[claim], "verdict": verdict.status, **item} for item in evidence]
