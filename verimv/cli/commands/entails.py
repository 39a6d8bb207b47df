"""`verimv entails`: is one formula 1 wherever another is 1?"""

from __future__ import annotations

import argparse

from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.verdict_text import make_search, verdict_result, with_pairing
from verimv.questions.subjects import read_subject
from verimv.questions.validity import entails


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    premise, conclusion = read_subject(arguments.premise), read_subject(arguments.conclusion)
    report("deciding")
    verdict = entails(premise, conclusion, search=make_search(arguments, report))
    result = verdict_result(verdict, {"proved": "entailed", "refuted": "not entailed"})
    return with_pairing(result, premise, conclusion)
