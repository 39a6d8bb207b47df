"""Write the queries of a certificate as files: SMT-LIB, an index of the lines that need them, and a Makefile."""

from __future__ import annotations

import json
import shlex
from collections.abc import Iterable, Iterator
from typing import Any

from verimv.solvers.obligations.case_systems import VariableSystem
from verimv.solvers.obligations.collect import Task
from verimv.solvers.obligations.linear import LinearObligation
from verimv.solvers.obligations.queries import CaseQuery, Queries
from verimv.solvers.obligations.rules import Rule

_MAKEFILE = """\
# Asks a solver about every query; each must be unsat. index.json says which lines of the certificate a query serves.
#   make -j2 SOLVER='z3 -T:60'
#   make -j2 SOLVER='cvc5 --tlimit=60000'
SOLVER ?= z3
QUERIES := $(wildcard *.smt2)

all: $(QUERIES:.smt2=.unsat)
\t@test $(words $(QUERIES)) -eq {files} || {{ echo "expected {files} queries, found $(words $(QUERIES))"; exit 1; }}
{trouble}\t@echo "$(words $(QUERIES)) queries, all unsat"

%.unsat: %.smt2
\t@$(SOLVER) $< > $@.said; grep -qx unsat $@.said || {{ echo "$<: $$(head -c 200 $@.said)"; rm $@.said; exit 1; }}
\t@mv $@.said $@

clean:
\trm -f *.unsat *.said

.PHONY: all clean
"""


def emit(task: Task) -> Iterator[tuple[str, str]]:
    """Yield names and contents of files: a script for each distinct query, then index.json and Makefile."""
    index: list[dict[str, Any]] = []
    counts: dict[str, int] = {}
    systems: dict[int, VariableSystem] = {}
    for query in Queries(task).all:
        if isinstance(query, CaseQuery):
            system = systems.setdefault(id(query.evidence.variables), VariableSystem(query.evidence.variables))
            name, lines = f"line-{query.line}-case-{query.case.number}.smt2", [query.line]
            text = query.text(system)
            says = "no point of the case is above the bound" if text else "the case has no point"
        else:
            served = task.obligations.queries[query]
            counts[query.name] = counts.get(query.name, 0) + 1
            name, text, lines = _file_name(query, counts[query.name]), query.text(), list(served.lines)
            says = query.says if isinstance(query, Rule) else f"needed first for {served.what}"
        if text:
            yield name, text
        index.append({"file": name if text else None, "says": says, "lines": _ranges(lines)})
    about = {
        "statement": list(task.statement),
        "wrong": task.wrong,
        "missing": task.missing,
        "obligations": task.obligations.count,
        "queries": index,
    }
    yield "index.json", json.dumps(about, indent=1, ensure_ascii=False) + "\n"
    files = sum(entry["file"] is not None for entry in index)
    yield "Makefile", _MAKEFILE.format(files=files, trouble=_trouble(task))


def _trouble(task: Task) -> str:
    """Return a command that fails if the certificate is wrong or incomplete, whatever solvers answer."""
    if not task.wrong and not task.missing:
        return ""
    why = shlex.quote(f"not proved: {task.wrong or task.missing}").replace("$", "$$")
    return f"\t@echo {why}; exit 1\n"


def _file_name(query: Rule | LinearObligation, number: int) -> str:
    if isinstance(query, Rule):
        return f"rule-{query.name.replace(' ', '-')}.smt2"
    return f"{query.name}-{number}.smt2"


def _ranges(lines: Iterable[int]) -> str:
    """Format increasing numbers as 2-5,9."""
    found: list[list[int]] = []
    for line in lines:
        if found and found[-1][1] + 1 == line:
            found[-1][1] = line
        else:
            found.append([line, line])
    return ",".join(str(first) if first == last else f"{first}-{last}" for first, last in found)
