"""Verdicts of solvers: the options of a search, and verdicts as text."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from typing import Any

from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import point_text, short_text
from verimv.core.choices import EFFORT
from verimv.core.files import write_into
from verimv.exact import Number, format_number, parse_number
from verimv.exact.decimals import equated
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.solvers.engines import chosen
from verimv.solvers.functions import by_position
from verimv.solvers.limited import DEFAULT_MEMORY
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import EXIT_CODES, Verdict, Witness


def make_search(arguments: argparse.Namespace, report: Reporter) -> Search:
    """Return solvers and limits as given on the command line."""
    directory = getattr(arguments, "emit", None)
    return Search(
        solvers=chosen(arguments.solver),
        seconds=arguments.timeout or math.inf,
        effort=getattr(arguments, "effort", EFFORT),
        memory=arguments.memory or DEFAULT_MEMORY,
        workers=getattr(arguments, "workers", 1),
        progress=report,
        emit=None if directory is None else lambda name, text: write_into(directory, name, text),
    )


def verdict_result(
    verdict: Verdict,
    words: dict[str, str],
    numbers: str = "auto",
    middle: Mapping[str, Number] | None = None,
    labels: Mapping[str, str] | None = None,
) -> Result:
    """Return a verdict as a result; `words` has the texts for "proved" and "refuted", `labels` full names."""
    if verdict.undecided:
        hint = "\na longer --timeout may decide it" if "in time" in verdict.reason else ""
        return Result(verdict.data(), f"undecided: {verdict.reason}{hint}", EXIT_CODES["undecided"])
    lines = [words[verdict.status]]
    if verdict.witness is not None:
        lines = [f"{lines[0]}: {_witness(verdict.witness, numbers, middle or {}, labels or {})}"]
    told = [_told(item) for item in verdict.evidence if item["answer"] != "unknown"]
    if told and verdict.witness is None:
        lines.append("by " + ", ".join(told))
    return Result(verdict.data(), "\n".join(lines), EXIT_CODES[verdict.status])


def _witness(witness: Witness, numbers: str, middle: Mapping[str, Number], labels: Mapping[str, str]) -> str:
    """Return the point and the values there; of two sides that differ also by how much."""
    at = point_text(witness.point, numbers, labels, middle) or "the only point"
    values = dict(witness.values)
    output = values.pop("output", None)
    told = [equated(name, short_text(x, numbers)) for name, x in values.items()]
    if {"left", "right"} <= values.keys():
        apart = abs(parse_number(values["left"]) - parse_number(values["right"]))
        told.append(equated("|left − right|", short_text(format_number(apart), numbers)))
    return f"at {at}: {', '.join(told)}" + (f" (output {labels.get(output, output)})" if output is not None else "")


def _told(item: Any) -> str:
    if item["solver"] == "ranges":
        return "exact ranges"
    boxes = f" on {item['boxes']:,} boxes" if "boxes" in item else ""
    version = f" {item['version']}" if "version" in item else ""
    return f"{item['solver']}{version} ({item['answer']}{boxes})"


#: Pairs of inputs that are listed.
_PAIRS_TOLD = 4


def with_pairing(result: Result, a: Formula | Network, b: Formula | Network) -> Result:
    """Add which inputs were compared, if they were matched by position."""
    pairs = by_position(a, b)
    if not pairs:
        return result
    told = [f"{x} as {y}" for x, y in list(pairs.items())[:_PAIRS_TOLD]] + ["…"] * (len(pairs) > _PAIRS_TOLD)
    note = f"no input has the same name on both sides, so inputs are compared by position ({', '.join(told)})"
    return Result({**result.data, "by_position": pairs}, f"{result.text}\n{note}", result.exit_code)
