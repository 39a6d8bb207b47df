"""`verimv report`: a page about a directory that extract or --certify wrote."""

from __future__ import annotations

import argparse
from pathlib import Path

from verimv import kernel
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.core.errors import InputError
from verimv.core.files import write_file, write_into
from verimv.show.report.page import report_html
from verimv.show.report.subject import of_directory

PAGE = "report.html"


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    """Check the certificate and write the page, whatever the verdict."""
    if not Path(arguments.directory).is_dir():
        raise InputError("no such directory: give one that verimv extract -o wrote", source=arguments.directory)
    report("checking the certificate")
    subject = of_directory(arguments.directory, arguments.effort)
    report("writing the report")
    page = report_html(subject)
    if arguments.out:
        write_file(arguments.out, [page])
    else:
        write_into(arguments.directory, PAGE, page)
    status = subject.check.status
    out = arguments.out or str(Path(arguments.directory) / PAGE)
    data = {"out": out, "verdict": status, "reason": subject.check.reason or None}
    told = subject.check.reason or status
    return Result(data, f"written to {out} ({told})", kernel.EXIT_CODES.get(status, 0))
