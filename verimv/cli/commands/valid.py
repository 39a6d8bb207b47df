"""`verimv valid`: is a formula 1 everywhere?"""

from __future__ import annotations

import argparse

from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.verdict_text import make_search, verdict_result
from verimv.questions.subjects import read_subject
from verimv.questions.validity import valid


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    formula = read_subject(arguments.formula)
    report("deciding")
    verdict = valid(formula, search=make_search(arguments, report))
    return verdict_result(verdict, {"proved": "valid", "refuted": "not valid"})
