"""`verimv equiv`: are two networks or formulas equal everywhere, up to a tolerance?"""

from __future__ import annotations

import argparse
from dataclasses import replace

from verimv.cli.arguments import pair_argument
from verimv.cli.certificates import with_certificate
from verimv.cli.options import number_option
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.verdict_text import DEFAULT_SECONDS, make_search, verdict_result, with_pairing
from verimv.exact import format_number
from verimv.exact.decimals import rounded_down
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.questions.equality import answer_equality, certify_answer
from verimv.solvers.verdict import Verdict


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    a, b = pair_argument(arguments)
    tolerance = number_option("--tolerance", arguments.tolerance)
    report("comparing")
    answer = answer_equality(a, b, tolerance, make_search(arguments, report))
    verdict = answer.verdict
    within = f" within {format_number(tolerance)}" if tolerance else ""
    where = " (the network's box is mapped onto the unit cube)" if _is_mapped(a, b) else ""
    words = {"proved": f"equal{within}{where}", "refuted": f"not equal{within}{where}"}
    result = with_pairing(_with_distance(verdict_result(verdict, words, arguments.numbers), verdict), a, b)
    if not arguments.certify or not verdict.proved:
        return result
    report("certifying")
    certificate = certify_answer(a, b, answer, tolerance, arguments.timeout or DEFAULT_SECONDS)
    return with_certificate(result, certificate, arguments.certify)


def _is_mapped(a: Formula | Network, b: Formula | Network) -> bool:
    """Whether a formula is compared with a network whose box is not the unit cube."""
    networks = [subject for subject in (a, b) if isinstance(subject, Network)]
    return len(networks) == 1 and not networks[0].is_on_unit_cube()


def _with_distance(result: Result, verdict: Verdict) -> Result:
    """Add how far apart two subjects are that are not equal."""
    attained, proved = verdict.apart
    if not verdict.refuted or attained is None:
        return result
    how = "exactly" if attained == proved else "at least"
    return replace(result, text=f"{result.text}\nthe largest difference is {how} {rounded_down(attained)}")
