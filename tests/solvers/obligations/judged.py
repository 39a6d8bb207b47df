"""Verdicts of solvers on certificates that tests hold in memory."""

import re
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import NamedTuple

from verimv import kernel
from verimv.core.errors import InputError
from verimv.solvers.obligations.collect import Task, collect, collect_files
from verimv.solvers.obligations.proof import prove
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import Verdict

#: Verdicts on certificates that are rejected without asking a solver.
_WORDS = {"invalid": "refuted", "incomplete": "undecided", "malformed": "malformed"}
#: Expected verdict of solvers for each verdict of a kernel.
EXPECTED = {"valid": "proved", **_WORDS}
_LINE = re.compile(r"\bline ([0-9]+)")


class Said(NamedTuple):
    """A verdict (proved, refuted, undecided or malformed), and the line that it names."""

    status: str
    line: int | None
    reason: str


def collected(text: str, subjects: Mapping[str, str]) -> Task:
    """Return the obligations of a certificate about these texts."""
    contents = {name: content.encode() for name, content in subjects.items()}
    lines = text.encode().splitlines(keepends=True)
    return collect(iter(lines), contents.__getitem__, contents.keys())


def proved(task: Task, solver: str = "z3") -> Verdict:
    """Prove in this process, which is faster for many small certificates than a child for each."""
    return prove(task, Search(solvers=[solver], memory=None))


def said(text: str, subjects: Mapping[str, str], solver: str = "z3") -> Said:
    return _said(lambda: collected(text, subjects), solver)


def said_of(directory: Path, solver: str = "z3") -> Said:
    """Return the verdict on the files of a directory."""
    return _said(lambda: collect_files(directory), solver)


def _said(collecting: Callable[[], Task], solver: str) -> Said:
    try:
        verdict = proved(collecting(), solver)
    except kernel.Rejected as rejected:
        return Said(_WORDS[rejected.status], rejected.line, str(rejected))
    except InputError as error:
        return Said("malformed", _line(error.message), error.message)
    return Said(verdict.status, _line(verdict.reason), verdict.reason)


def _line(reason: str) -> int | None:
    found = _LINE.search(reason)
    return int(found[1]) if found else None
