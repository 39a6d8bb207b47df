"""`verimv equiv`: are two networks or formulas equal everywhere, up to a tolerance?"""

from __future__ import annotations

import argparse

from verimv.cli.arguments import with_box
from verimv.cli.certificates import with_certificate
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.verdict_text import DEFAULT_SECONDS, make_search, verdict_result, with_pairing
from verimv.core.errors import InputError
from verimv.exact import Number, format_number, parse_number, sign
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.questions.equality import certify_equality, equivalent
from verimv.questions.subjects import read_subject


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    a, b = read_subject(arguments.a), read_subject(arguments.b)
    if arguments.box is not None and not isinstance(a, Network) and not isinstance(b, Network):
        raise InputError("--box needs a network; a formula is a function on the unit cube")
    a, b = (with_box(subject, arguments.box) if isinstance(subject, Network) else subject for subject in (a, b))
    tolerance = _tolerance(arguments.tolerance)
    report("comparing")
    verdict = equivalent(a, b, tolerance=tolerance, search=make_search(arguments, report))
    within = f" within {format_number(tolerance)}" if tolerance else ""
    where = " (the network's box is mapped onto the unit cube)" if _is_mapped(a, b) else ""
    words = {"proved": f"equal{within}{where}", "refuted": f"not equal{within}{where}"}
    result = with_pairing(verdict_result(verdict, words), a, b)
    if not arguments.certify or not verdict.proved:
        return result
    report("certifying")
    certificate = certify_equality(a, b, tolerance=tolerance, seconds=arguments.timeout or DEFAULT_SECONDS)
    return with_certificate(result, certificate, arguments.certify)


def _is_mapped(a: Formula | Network, b: Formula | Network) -> bool:
    """Whether a formula is compared with a network whose box is not the unit cube."""
    networks = [subject for subject in (a, b) if isinstance(subject, Network)]
    return len(networks) == 1 and not networks[0].is_on_unit_cube()


def _tolerance(text: str) -> Number:
    try:
        tolerance = parse_number(text)
    except InputError as error:
        raise InputError(f"--tolerance: {error.message}") from None
    if sign(tolerance) < 0:
        raise InputError(f"--tolerance: expected a number ≥ 0, found {text}")
    return tolerance
