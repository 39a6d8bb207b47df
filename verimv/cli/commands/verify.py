"""`verimv verify`: does a network keep a specification?"""

from __future__ import annotations

import argparse
import math
from collections.abc import Mapping, Sequence
from dataclasses import replace

from verimv.certificate.verification_files import is_verification
from verimv.cli.arguments import noted, quiet_network_argument
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import counted, point_text
from verimv.core.effort import Deadline
from verimv.core.errors import InputError
from verimv.core.files import Replaceable, check_directory
from verimv.exact.decimals import rounded_down
from verimv.networks.network import Network
from verimv.questions.subjects import read_as_network
from verimv.questions.verification import EXIT_CODES, Verification, specification_for, verify, with_floats

#: Inputs and outputs of a point that are listed, and cases.
_TOLD, _CASES_TOLD = 12, 6
#: Seconds of work that kernels do for files of any size.
LITTLE_EFFORT = 4


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    network = quiet_network_argument(arguments)
    others = _others(arguments.networks)
    specification = specification_for(network, arguments.specification, others, uses_box=arguments.box is not None)
    noted(network if specification.uses_box else network.on_box(network.box), report)
    if arguments.certify is not None:
        check_directory(arguments.certify, Replaceable(force=True))
    found = verify(
        network,
        specification,
        effort=arguments.effort,
        deadline=Deadline(arguments.timeout or math.inf),
        workers=arguments.workers,
        progress=report,
    )
    found = with_floats(found, arguments.network)
    result = Result(found.data(), "\n".join(_lines(found, arguments.numbers)), EXIT_CODES[found.verdict])
    if arguments.certify is not None and not found.holds and is_verification(arguments.certify):
        left = f"{arguments.certify}/ is left as it was: it has the certificate of an earlier answer"
        return replace(result, text=f"{result.text}\n{left}")
    if arguments.certify is None or not found.holds:
        return result
    report("certifying")
    found.save(arguments.certify)
    effort = f" --effort {found.kernel_effort}" if found.kernel_effort > LITTLE_EFFORT else ""
    told = f"certified in {arguments.certify}/: verimv check {arguments.certify}{effort}"
    return replace(result, data={**result.data, "certificate": arguments.certify}, text=f"{result.text}\n{told}")


def _others(given: Sequence[str]) -> dict[str, Network]:
    """Return the further networks, by name."""
    result: dict[str, Network] = {}
    for name, network in map(_named, given):
        if name in result:
            raise InputError(f"--network: {name} is given twice")
        result[name] = network
    return result


def _named(given: str) -> tuple[str, Network]:
    name, equals, file = given.partition("=")
    if not name or not equals or not file:
        raise InputError(f"--network: expected NAME=FILE, found {given!r}")
    return name, read_as_network(file)


def _lines(found: Verification, numbers: str) -> list[str]:
    cases = len(found.cases)
    if found.holds:
        told = f"holds: {counted(cases, 'case')} excluded" if cases != 1 else "holds"
        return [told] + ([f"but it is vacuous: {found.vacuous}"] if found.vacuous else [])
    if found.undecided:
        return [f"undecided: {found.reason}", *_open_cases(found)]
    return _violation(found, numbers)


def _violation(found: Verification, numbers: str) -> list[str]:
    system, at, values = found.specification.system, found.at or {}, found.values or {}
    labels: dict[str, str] = {}
    for network in system.networks.values():
        labels |= network.labels
    case = found.specification.cases[found.violated_case or 0]
    lines = ["violated", f"  at {_point(at, numbers, labels)}", f"  {_point(values, numbers, labels)}"]
    lines.append(f"  where {' and '.join(found.specification.words(case)) or 'every point of the box is unsafe'}")
    if found.floats is not None:
        said = {True: "violated there, too", False: "not violated there", None: ""}[found.float_violated]
        told = ", ".join(f"{name}={x}" for name, x in list(found.floats.items())[:_TOLD])
        lines.append(f"  onnxruntime, in float32: {told}" + (f" ({said})" if said else ""))
    return lines


def _point(point: Mapping[str, str], numbers: str, labels: Mapping[str, str]) -> str:
    told = point_text(dict(list(point.items())[:_TOLD]), numbers, labels)
    return told + ", …" * (len(point) > _TOLD)


def _open_cases(found: Verification) -> list[str]:
    """Return for each undecided case how far it is from possible, as far as that is proved."""
    lines = []
    for k, (case, result) in enumerate(zip(found.specification.cases, found.cases, strict=True), start=1):
        if result.verdict == "undecided":
            bound = "no bound" if result.bound is None else f"margin at least {rounded_down(result.bound)}"
            attained = "" if result.attained is None else f", at some point {rounded_down(result.attained)}"
            what = " and ".join(found.specification.parts(case)[1])
            lines.append(f"  case {k} ({what}): {bound}{attained}")
    return lines[:_CASES_TOLD] + [f"  … and {len(lines) - _CASES_TOLD:,} more cases"] * (len(lines) > _CASES_TOLD)
