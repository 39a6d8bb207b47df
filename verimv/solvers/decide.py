"""Solvers decide that a condition holds nowhere; in particular, that two functions differ nowhere."""

from __future__ import annotations

import time
from collections.abc import Callable

from verimv.core.errors import InputError, Undecided
from verimv.exact import ZERO, Number, format_number
from verimv.formulas.formula import Formula
from verimv.networks.network import Box, Network
from verimv.networks.program import Program
from verimv.solvers.encode import Condition, positive
from verimv.solvers.functions import aligned
from verimv.solvers.point_search import Point, Question, Search
from verimv.solvers.verdict import Verdict, Witness

Subject = Formula | Network


def equal_by_solver(a: Subject, b: Subject, *, tolerance: Number = ZERO, search: Search | None = None) -> Verdict:
    """Decide by solvers alone whether |a − b| ≤ tolerance on the whole box, for every output."""
    question, witness = difference_question(a, b, tolerance)
    return nowhere(question, witness, search)


def difference_question(a: Subject, b: Subject, tolerance: Number) -> tuple[Question, Callable[[Point], Witness]]:
    """Return the question where two subjects differ by more than a tolerance, and what to say about such a point."""
    if tolerance < 0:
        raise InputError(f"the tolerance {format_number(tolerance)} is negative")
    left, right = aligned(a, b)

    def build(box: Box) -> tuple[Program, Condition]:
        program = Program(box)
        differences = [x + (-y) for x, y in zip(left.add_to(program), right.add_to(program), strict=True)]
        return program, [[positive(d.shifted(-tolerance)) for x in differences for d in (x, -x)]]

    def holds(point: Point) -> bool:
        return any(abs(x - y) > tolerance for x, y in zip(left.at(point), right.at(point), strict=True))

    def witness(point: Point) -> Witness:
        values = {}
        for name, x, y in zip(left.outputs, left.at(point), right.at(point), strict=True):
            if abs(x - y) > tolerance:
                values = {"left": format_number(x), "right": format_number(y)}
                values |= {"output": name} if len(left.outputs) > 1 else {}
                break
        return Witness(left.named(point), values)

    return Question(left.inputs, build, holds), witness


def nowhere(question: Question, witness: Callable[[Point], Witness], search: Search | None) -> Verdict:
    """Return "proved" if the condition holds nowhere, "refuted" with a witness if it holds somewhere."""
    search = search or Search()
    start = time.perf_counter()
    try:
        point = search.find(question)
    except Undecided as error:
        return Verdict("undecided", None, str(error), tuple(search.evidence), time.perf_counter() - start)
    seconds = time.perf_counter() - start
    if point is None:
        return Verdict("proved", None, "", tuple(search.evidence), seconds)
    return Verdict("refuted", witness(point), "", tuple(search.evidence), seconds)
