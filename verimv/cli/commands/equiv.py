"""`verimv equiv`: are two networks or formulas equal everywhere, up to a tolerance?"""

from __future__ import annotations

import argparse
import math
from dataclasses import replace

from verimv.cli.arguments import labels_of, pair_argument
from verimv.cli.certificates import with_certificate
from verimv.cli.options import number_option
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.verdict_text import make_search, verdict_result, with_pairing
from verimv.exact import Number, format_number
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.questions.equality import answer_equality, certify_answer
from verimv.solvers.verdict import Verdict


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    a, b = pair_argument(arguments, report)
    tolerance = number_option("--tolerance", arguments.tolerance)
    report("comparing")
    answer = answer_equality(a, b, tolerance, make_search(arguments, report))
    verdict = answer.verdict
    within = f" within {format_number(tolerance)}" if tolerance else ""
    where = " (the network's box is mapped onto the unit cube)" if _is_mapped(a, b) else ""
    words = {"proved": f"equal{within}{where}", "refuted": f"not equal{within}{where}"}
    told = verdict_result(verdict, words, arguments.numbers, _middle(a, b), {**labels_of(b), **labels_of(a)})
    result = with_pairing(_with_distance(told, verdict), a, b)
    if not arguments.certify or not verdict.proved:
        return result
    report("certifying")
    certificate = certify_answer(a, b, answer, tolerance, arguments.timeout or math.inf)
    return with_certificate(result, certificate, arguments.certify)


def _is_mapped(a: Formula | Network, b: Formula | Network) -> bool:
    """Whether a formula is compared with a network whose box is not the unit cube."""
    networks = [subject for subject in (a, b) if isinstance(subject, Network)]
    return len(networks) == 1 and not networks[0].is_on_unit_cube()


def _middle(a: Formula | Network, b: Formula | Network) -> dict[str, Number] | None:
    """Return the middle of the box of two networks."""
    if not (isinstance(a, Network) and isinstance(b, Network)):
        return None
    return {name: (low + high) / 2 for name, (low, high) in zip(a.inputs, a.box, strict=True)}


def _with_distance(result: Result, verdict: Verdict) -> Result:
    """Add how far apart two subjects are that are not equal."""
    attained, proved = verdict.apart
    if not verdict.refuted or attained is None:
        return result
    how = "exactly" if attained == proved else "at least"
    most = "" if proved is None or attained == proved else f", at most {rounded_up(proved)}"
    return replace(result, text=f"{result.text}\nthe largest difference is {how} {rounded_down(attained)}{most}")
