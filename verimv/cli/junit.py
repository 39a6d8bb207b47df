"""JUnit XML for continuous integration: a test case for each question that a command decides."""

from __future__ import annotations

import re
from collections.abc import Sequence
from xml.etree import ElementTree

from verimv.cli.result import Case

#: Characters that XML 1.0 does not allow, not even escaped.
_NOT_XML = re.compile("[^\t\n\r -\ud7ff\ue000-\ufffd\U00010000-\U0010ffff]")

#: Exit code → element and type. Undecided is an error: neither passed nor refuted.
_OUTCOMES = {1: ("failure", "refuted"), 2: ("error", "malformed"), 3: ("error", "undecided"), 4: ("error", "bug")}


def junit(command: str, cases: Sequence[Case], seconds: float) -> str:
    """Return one suite, which took so many seconds. They are divided evenly among cases that were not measured."""
    kinds = [_OUTCOMES.get(case.exit_code, ("error", "ended early")) for case in cases if case.exit_code]
    suite = ElementTree.Element(
        "testsuite",
        name=f"verimv {command}",
        tests=str(len(cases)),
        failures=str(sum(element == "failure" for element, _ in kinds)),
        errors=str(sum(element == "error" for element, _ in kinds)),
        skipped="0",
        time=f"{seconds:.3f}",
    )
    for case in cases:
        spent = seconds / len(cases) if case.seconds is None else case.seconds
        entry = ElementTree.SubElement(
            suite, "testcase", classname=f"verimv.{command}", name=_clean(case.name), time=f"{spent:.3f}"
        )
        if case.exit_code:
            element, kind = _OUTCOMES.get(case.exit_code, ("error", "ended early"))
            message = _clean(case.text)
            told = ElementTree.SubElement(entry, element, type=kind, message=message.split("\n")[0])
            told.text = message
    suites = ElementTree.Element("testsuites")
    suites.append(suite)
    ElementTree.indent(suites)
    return '<?xml version="1.0" encoding="UTF-8"?>\n' + ElementTree.tostring(suites, encoding="unicode") + "\n"


def _clean(text: str) -> str:
    return _NOT_XML.sub("�", text)
