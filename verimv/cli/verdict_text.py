"""Verdicts of solvers: the options of a search, and verdicts as text."""

from __future__ import annotations

import argparse
from typing import Any

from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import brief_text, readable_text
from verimv.core.files import write_into
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.solvers.engines import chosen
from verimv.solvers.functions import by_position
from verimv.solvers.limited import DEFAULT_MEMORY
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import EXIT_CODES, Verdict, Witness

DEFAULT_SECONDS = 60.0


def make_search(arguments: argparse.Namespace, report: Reporter) -> Search:
    """Return solvers and limits as given on the command line."""
    directory = getattr(arguments, "emit", None)
    report.within(arguments.timeout or DEFAULT_SECONDS)
    return Search(
        solvers=chosen(arguments.solver),
        seconds=arguments.timeout or DEFAULT_SECONDS,
        memory=arguments.memory or DEFAULT_MEMORY,
        workers=getattr(arguments, "workers", 1),
        progress=report,
        emit=None if directory is None else lambda name, text: write_into(directory, name, text),
    )


def verdict_result(verdict: Verdict, words: dict[str, str], numbers: str = "exact") -> Result:
    """Return a verdict as a result; `words` has the texts for "proved" and "refuted"."""
    if verdict.undecided:
        return Result(verdict.data(), f"undecided: {verdict.reason}", EXIT_CODES["undecided"])
    lines = [words[verdict.status]]
    if (witness := verdict.witness) is not None:
        point = {name: brief_text(x, numbers) for name, x in witness.point.items()}
        values = {name: x if name == "output" else readable_text(x, numbers) for name, x in witness.values.items()}
        lines = [f"{lines[0]}: {Witness(point, values)}"]
    told = [_told(item) for item in verdict.evidence if item["answer"] != "unknown"]
    if told and verdict.witness is None:
        lines.append("by " + ", ".join(told))
    return Result(verdict.data(), "\n".join(lines), EXIT_CODES[verdict.status])


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
