"""`verimv range`: exact minimum and maximum of every output, with points."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from verimv.cli.arguments import labels_of, subject_argument
from verimv.cli.certificates import with_certificate
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import point_text
from verimv.cli.verdict_text import make_search
from verimv.core.errors import InputError
from verimv.exact.decimals import readable
from verimv.networks.network import Network
from verimv.questions.compared_pair import with_scaled_outputs
from verimv.questions.ranges import RangeEnd, certify_output_range, output_range
from verimv.solvers.verdict import EXIT_CODES


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    subject = subject_argument(arguments, report)
    if arguments.certify is not None and not isinstance(subject, Network):
        raise InputError("--certify: expected a network, found a formula (verimv convert turns it into one)")
    if arguments.scale_output:
        if not isinstance(subject, Network):
            raise InputError("--scale-output needs a network; the values of formulas are in [0,1]")
        subject = with_scaled_outputs(subject)
    report("finding the range")
    search = make_search(arguments, report)
    ranges = output_range(subject, engine=arguments.engine, search=search)
    data, lines, labels = [], [], labels_of(subject)
    for found in ranges:
        data.append(found.to_dict())
        head = f"{labels.get(found.output, found.output)}: " if len(ranges) > 1 else ""
        lines += [
            f"{head}{name} {_told(end, arguments.numbers, labels)}"
            for name, end in (("minimum", found.lower), ("maximum", found.upper))
        ]
    exact = all(found.exact for found in ranges)
    result = Result({"outputs": data, "exact": exact}, "\n".join(lines), 0 if exact else EXIT_CODES["undecided"])
    if arguments.certify is None or not isinstance(subject, Network):
        return result
    report("certifying")
    return with_certificate(result, certify_output_range(subject, ranges, search.seconds), arguments.certify)


def _told(end: RangeEnd, numbers: str, labels: Mapping[str, str]) -> str:
    at = point_text(end.at, numbers, labels)
    text = readable(end.value, numbers) + (f" at {at}" if at else "")
    return text if end.exact else f"{text} (not proved: the bound proved is {readable(end.bound, numbers)})"
