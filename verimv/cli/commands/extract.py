"""`verimv extract`: from a network to a formula, certificate, summary and report."""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable, Mapping
from pathlib import Path

from verimv.certificate.certificate import holds_certificate
from verimv.certificate.from_extraction import CertifiedExtraction, extract
from verimv.certificate.from_simplification import simplify_extraction
from verimv.cli.arguments import network_argument, pair
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import abbreviated, brief_text, counted, formula_text
from verimv.core.errors import InputError, InternalError, KernelsDisagree, Undecided
from verimv.core.files import Replaceable, check_directory, write_directory
from verimv.formulas.printing import quoted
from verimv.kernels.judge import build_for
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.networks.ballots import Vote, ballot, in_words, input_words
from verimv.show.report.page import report_html
from verimv.show.report.subject import of_extraction
from verimv.show.saving import summary_bytes

#: Files that `extract` may replace in an existing directory.
EXTRACTION_FILES = (
    "network.json",
    "source.json",
    "other.json",
    "formula.mv",
    *CERTIFICATE_FILES,
    "summary.json",
    "report.html",
)


_LOGIC_NAMES = {"mv": "MV", "dmv": "DMV (Rational Łukasiewicz)", "rmv": "RMV (Riesz)"}


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    check_place(arguments)
    report("reading the network")
    network = network_argument(arguments, report)
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
    if arguments.within is not None:
        from verimv.approximation.extracting import extract as extract_within  # it loads what searches
        from verimv.approximation.extracting import is_exact

        if arguments.simplify and not is_exact(arguments.within):
            raise InputError("--simplify and --within exclude each other: what is extracted is short already")
        extraction = extract_within(network, within=arguments.within, **options)
    elif arguments.minimise == "constants":
        raise InputError("the constants of an exact formula are given: --minimise constants needs --within")
    else:
        is_checked_next = not arguments.simplify and not arguments.no_check
        extraction = extract(network, **options, kernel=arguments.kernel if is_checked_next else "python")
    if arguments.simplify:
        extraction = simplify_extraction(extraction, arguments.minimise, progress=report)
    return delivered(extraction, arguments, report)


def _replaceable(arguments: argparse.Namespace) -> Replaceable:
    advice = f"{Replaceable.advice}, or give --force"
    return Replaceable(EXTRACTION_FILES, holds_certificate, arguments.force, advice)


def check_place(arguments: argparse.Namespace) -> None:
    """Raise, before any work is done, if the directory cannot be written or there is no such kernel."""
    if arguments.directory is not None:
        check_directory(arguments.directory, _replaceable(arguments))
    if not arguments.no_check:
        build_for(arguments.kernel)


def delivered(extraction: CertifiedExtraction, arguments: argparse.Namespace, report: Reporter) -> Result:
    """Have an extraction checked, write its directory, and tell what it is."""
    replaceable = _replaceable(arguments)
    formula, summary = extraction.formula, extraction.summary
    if report.warnings:
        summary["warnings"] = report.warnings
    report("writing the certificate")
    certificate = extraction.certificate
    try:
        lacking = "not checked (--no-check)" if arguments.no_check else _checked(extraction, arguments, report)
    except InternalError as error:
        where = arguments.directory or tempfile.mkdtemp(prefix="verimv-")
        write_directory(where, {**certificate.files(), "summary.json": summary_bytes(summary)}, replaceable)
        raise type(error)(f"{error}; the files are in {Path(where)}/: please report it") from None
    claims = counted(extraction.derivation.claims, "claim")
    if arguments.directory is not None:
        report("writing files")
        files = {name: list(pieces) for name, pieces in certificate.files().items()}
        if not arguments.no_report:
            report("writing the report")
            files["report.html"] = [_page(extraction, arguments, files, lacking).encode()]
        write_directory(arguments.directory, {**files, "summary.json": summary_bytes(summary)}, replaceable)
    labels = extraction.source.labels
    text = formula_text(formula, arguments.numbers, labels) if formula.is_short() else None
    lines = [text] if text is not None else [f"(the formula is too long to show; {_where(arguments.directory)})"]
    if arguments.votes or text is None:
        lines += ["", *_votes_told(extraction, arguments.numbers)]
    lines += [
        "",
        f"{_LOGIC_NAMES[summary['logic']]} formula: "
        f"length {_length_text(summary['length'])}, {summary['size']:,} nodes, depth {summary['depth']:,}",
        f"from {counted(summary['neurons'], 'neuron')} by {counted(summary['units'], 'clipped unit')} "
        f"({summary['bounds']} bounds)",
        f"not certified: {lacking}" if lacking else f"certified: {claims}, checked by {certificate.checked_by}",
    ]
    if "exact" in summary:
        lines.append(f"exact: {summary['exact']}")
    if extraction.near is not None:
        lines += _error_told(summary["within"], arguments.numbers, labels, is_checked=not lacking)
        if summary["length"] == "0":
            lines.append("a constant is close enough: no input changes the output by more than that")
        elif "exact_length" in summary:
            lines.append(f"the exact formula has length {_length_text(summary['exact_length'])}")
    if kept := summary.get("simplified", {}).get("kept"):
        lines.append(f"not simplified: {kept}")
    lines += _maps_told(summary["outputs"], arguments.numbers, labels)
    if arguments.directory is not None:
        lines.append(f"written to {Path(arguments.directory)}/")
    data = {**summary, "formula": formula.text() if text is not None else None, "directory": arguments.directory}
    return Result(data, "\n".join(lines), Undecided.exit_code if lacking and not arguments.no_check else 0)


def _length_text(digits: str) -> str:
    return digits if len(digits) <= 40 else abbreviated(digits)


def _error_told(within: list[dict[str, str]], numbers: str, labels: Mapping[str, str], is_checked: bool) -> list[str]:
    """Return the errors that are proved, or that an unchecked certificate claims, and the largest that were seen."""
    told = []
    where = "at every point" if is_checked else "at every point if the certificate is valid (verimv check)"
    for entry in within[:_MAPS_TOLD]:
        tolerance, attained = (brief_text(entry[key], numbers) for key in ("tolerance", "attained"))
        which = f"{quoted(labels.get(entry['name'], entry['name']))} is " if len(within) > 1 else ""
        told.append(f"{which}within {tolerance} of the network {where}; the largest error seen is {attained}")
    return told


#: Units that are told as votes; the report has more.
_UNITS_TOLD = 12


def _votes_told(extraction: CertifiedExtraction, numbers: str) -> list[str]:
    """Return each unit as a vote in words, over the inputs in their own units, or over the units below."""
    source, clipped = extraction.source, extraction.clipped

    def named(layer: int) -> Callable[[Vote], str]:
        def name(vote: Vote) -> str:
            if layer == 0:
                own = source.label(source.inputs[vote.node])
                return input_words(own, source.box[vote.node], vote.negated, numbers)
            return f"{'not ' if vote.negated else ''}u{layer}.{vote.node + 1}"

        return name

    told = [
        f"  u{layer + 1}.{number}: {in_words(ballot(form), named(layer), numbers)}"
        for layer, forms in enumerate(clipped.layers)
        for number, form in enumerate(forms[:_UNITS_TOLD], start=1)
    ][:_UNITS_TOLD]
    if (more := sum(map(len, clipped.layers)) - len(told)) > 0:
        told.append(f"  … and {counted(more, 'more unit')}")
    told += [
        f"  {quoted(source.label(name))}: {in_words(ballot(form), named(len(clipped.layers)), numbers)}"
        for name, form in zip(source.outputs[:_MAPS_TOLD], clipped.outputs, strict=False)
    ]
    return ["as votes: up to the threshold a unit is 0, one vote above it is 1", *told]


def _page(
    extraction: CertifiedExtraction, arguments: argparse.Namespace, files: Mapping[str, list[bytes]], lacking: str
) -> str:
    """Return report.html, and add its time to the summary."""
    begin = time.perf_counter()
    title = "stdin" if arguments.network == "-" else Path(arguments.network).name
    page = report_html(of_extraction(extraction, title, files, lacking, not arguments.no_check))
    extraction.summary["seconds"]["report"] = round(time.perf_counter() - begin, 3)
    return page


#: Maps of outputs that are listed; summary.json has all.
_MAPS_TOLD = 20


def _maps_told(outputs: list[dict[str, str]], numbers: str, labels: Mapping[str, str]) -> list[str]:
    """Return how the formula's values become the network's, where they differ."""
    told = []
    for entry in outputs:
        if (entry["scale"], entry["offset"]) != ("1", "0"):
            scale, offset = (brief_text(entry[key], numbers) for key in ("scale", "offset"))
            name = quoted(labels.get(entry["name"], entry["name"]))
            plus = "" if offset == "0" else f" + {offset}".replace("+ -", "- ").replace("+ ≈-", "- ≈")
            told.append(f"{name} = {scale}·(value of the formula){plus}")
    more = [f"… and {len(told) - _MAPS_TOLD:,} more outputs (see summary.json)"] if len(told) > _MAPS_TOLD else []
    return told[:_MAPS_TOLD] + more


def _checked(extraction: CertifiedExtraction, arguments: argparse.Namespace, report: Reporter) -> str:
    """Return what the certificate lacks. If --resume gave wrong bounds, its file is at fault, not verimv."""
    try:
        return extraction.check(report, arguments.kernel)
    except KernelsDisagree:
        raise
    except InternalError:
        if arguments.resume is None:
            raise
        raise InputError(
            "the kernel rejects a certificate with these bounds: delete the file and start again",
            source=arguments.resume,
        ) from None


def _where(directory: str | None) -> str:
    return f"see {Path(directory) / 'formula.mv'}" if directory is not None else "-o DIR writes it to a file"
