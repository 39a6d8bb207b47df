"""What solvers say of certificates that tests hold in memory."""

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

#: What is said of certificates that no solver is asked about.
_WORDS = {"invalid": "refuted", "incomplete": "undecided", "malformed": "malformed"}
#: What is said of those of which a kernel says…
EXPECTED = {"valid": "proved", **_WORDS}
_LINE = re.compile(r"\bline ([0-9]+)")


class Said(NamedTuple):
    """Proved, refuted, undecided or malformed; and the line that is named."""

    status: str
    line: int | None
    reason: str


def collected(text: str, subjects: Mapping[str, str]) -> Task:
    """The obligations of a certificate about these texts."""
    contents = {name: content.encode() for name, content in subjects.items()}
    lines = text.encode().splitlines(keepends=True)
    return collect(iter(lines), contents.__getitem__, contents.keys())


def proved(task: Task, solver: str = "z3") -> Verdict:
    """In this process, which is quicker than a child for each of many small certificates."""
    return prove(task, Search(solvers=[solver], memory=None))


def said(text: str, subjects: Mapping[str, str], solver: str = "z3") -> Said:
    return _said(lambda: collected(text, subjects), solver)


def said_of(directory: Path, solver: str = "z3") -> Said:
    """The same of files."""
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
