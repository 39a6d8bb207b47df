"""`verimv check`: ask a kernel, or both, for a verdict."""

from __future__ import annotations

import argparse
from collections.abc import Mapping

from verimv import kernel
from verimv.certificate.certificate import rejection
from verimv.certificate.verified import verified_verdict
from verimv.cli.commands import Result
from verimv.cli.reporter import Reporter
from verimv.errors import InternalError

#: Which kernels `--kernel` may ask.
KERNELS = ("python", "verified", "both")


def run_check(arguments: argparse.Namespace, report: Reporter) -> Result:
    files = {name: getattr(arguments, name) for name in kernel.FILES}
    if arguments.kernel == "python":
        report("checking the certificate")
        return _by_python(arguments.path, files)
    report("checking the certificate with the verified kernel")
    verified = _by_verified(arguments.path, files)
    if arguments.kernel == "verified":
        return verified
    report("checking the certificate with the Python kernel")
    python = _by_python(arguments.path, files)
    if python.exit_code != verified.exit_code:
        raise InternalError(f"the kernels disagree: Python's says {python.text!r}, the verified one {verified.text!r}")
    return Result({**python.data, "kernel": "both"}, python.text, python.exit_code)


def _by_python(path: str, files: Mapping[str, str | None]) -> Result:
    rejected = rejection(lambda: kernel.check(path, files))
    told = {"path": path, "kernel": "python"}
    if rejected is None:
        return Result({"verdict": "valid", **told}, "valid")
    found = {"line": rejected.line, "rule": rejected.rule, "expected": rejected.expected, "got": rejected.got}
    return Result({"verdict": rejected.status, **told, **found}, str(rejected), kernel.EXIT_CODES[rejected.status])


def _by_verified(path: str, files: Mapping[str, str | None]) -> Result:
    verdict = verified_verdict(path, files)
    told = {"verdict": verdict.status, "path": path, "kernel": "verified"}
    if verdict.status == "valid":
        return Result(told, "valid")
    found = {"place": verdict.place, "reason": verdict.reason}
    return Result({**told, **found}, str(verdict), kernel.EXIT_CODES[verdict.status])
