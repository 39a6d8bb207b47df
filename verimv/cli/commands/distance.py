"""`verimv distance`: how far apart are two networks or formulas? At least, at an exact point; at most, proved."""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping
from dataclasses import replace

from verimv.cli.arguments import labels_of, pair_argument
from verimv.cli.certificates import with_certificate
from verimv.cli.options import number_option
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import point_text
from verimv.cli.verdict_text import with_pairing
from verimv.core.errors import InputError
from verimv.exact import Number, format_number
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.networks.network import Network
from verimv.questions.distance import certified_bound, certify_distance, distance
from verimv.questions.distance_ends import Distance
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import EXIT_CODES

#: Outputs that are listed.
_OUTPUTS_TOLD = 12
#: Share of the time for the search, if a certificate is made of its result.
_SEARCH_SHARE = 0.75


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    a, b = pair_argument(arguments, report)
    if arguments.certify is not None and not (isinstance(a, Network) and isinstance(b, Network)):
        raise InputError("--certify: expected two networks (verimv convert turns a formula into one)")
    tolerance = None if arguments.tolerance is None else number_option("--tolerance", arguments.tolerance)
    within = number_option("--within", arguments.within)
    seconds = arguments.timeout or math.inf
    share = 1.0 if arguments.certify is None else _SEARCH_SHARE  # the rest is for the certificate
    search = Search(seconds=share * seconds, effort=arguments.effort, progress=report)
    found = distance(a, b, tolerance=tolerance, within=within, search=search)
    result = with_pairing(_result(found, tolerance, arguments.numbers, {**labels_of(b), **labels_of(a)}), a, b)
    if arguments.certify is None:
        return result
    report("certifying")
    certificate = certify_distance(a, b, found, (1 - share) * seconds)
    if certificate is None:
        return with_certificate(result, None, arguments.certify)
    bound = certified_bound(certificate)
    result = replace(result, data={**result.data, "certified": format_number(bound)})
    proved = f": at most {rounded_up(bound)}"
    if tolerance is not None and found.is_within(tolerance) and bound > tolerance:
        proved += f", which is more than {format_number(tolerance)}"
        result = replace(result, exit_code=EXIT_CODES["undecided"])
    return with_certificate(result, certificate, arguments.certify, proved)


def _result(found: Distance, tolerance: Number | None, numbers: str, labels: Mapping[str, str]) -> Result:
    lines = [f"{found.told(numbers)}{_point(found, numbers, labels)}"]
    if len(found.outputs) > 1:
        told = found.outputs[:_OUTPUTS_TOLD]
        ends = [(labels.get(o.output, o.output), rounded_down(o.attained), rounded_up(o.proved)) for o in told]
        width = max(len(name) for name, _, _ in ends)
        lines += [f"  {name.ljust(width)}  at least {low}, at most {high}" for name, low, high in ends]
        if len(found.outputs) > _OUTPUTS_TOLD:
            lines.append(f"  … and {len(found.outputs) - _OUTPUTS_TOLD:,} more outputs")
    if found.ended_by == "time":
        lines.append("the time is up: these are the ends so far, and another run may have others")
    if tolerance is None:
        return Result(found.data(), "\n".join(lines), EXIT_CODES["undecided"] if found.ended_by == "time" else 0)
    decided = found.is_within(tolerance)
    status, words = {True: ("proved", "within"), False: ("refuted", "not within"), None: ("undecided", "undecided:")}[
        decided
    ]
    lines.insert(0, f"{words} {format_number(tolerance)}")
    data = {**found.data(), "within": decided, "tolerance": format_number(tolerance)}
    return Result(data, "\n".join(lines), EXIT_CODES[status])  # type: ignore[index]


def _point(found: Distance, numbers: str, labels: Mapping[str, str]) -> str:
    """Return the point at which the difference is attained."""
    if not found.attained_at or not found.attained:
        return ""
    told = point_text(found.attained_at, numbers, labels)
    output = f" ({labels.get(found.farthest.output, found.farthest.output)})" if len(found.outputs) > 1 else ""
    return f"\n  at {told}{output}"
