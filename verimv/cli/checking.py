"""`verimv check`: what the kernel says of a certificate. Loads no more than that takes."""

from __future__ import annotations

import argparse

from verimv import kernel
from verimv.checking import rejection
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result


def run_check(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("checking the certificate")
    files = {name: getattr(arguments, name) for name in kernel.FILES}
    rejected = rejection(lambda: kernel.check(arguments.path, files))
    if rejected is None:
        return Result({"verdict": "valid", "path": arguments.path}, "valid")
    found = {"line": rejected.line, "rule": rejected.rule, "expected": rejected.expected, "got": rejected.got}
    return Result(
        {"verdict": rejected.status, "path": arguments.path, **found}, str(rejected), kernel.EXIT_CODES[rejected.status]
    )
