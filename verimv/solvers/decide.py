"""Questions about formulas and networks, each as the search for a point: equal? valid? satisfiable? entailed?"""

from __future__ import annotations

import time
from collections.abc import Callable

from verimv.core.errors import InputError, Undecided
from verimv.exact import ZERO, Number, format_number
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Network
from verimv.networks.program import Program
from verimv.solvers.encode import Condition, nonnegative, positive
from verimv.solvers.functions import Function, aligned, together
from verimv.solvers.point_search import Point, Question, Search
from verimv.solvers.verdict import Verdict, Witness

Subject = Formula | Network


def equivalent(a: Subject, b: Subject, *, tolerance: Number = ZERO, search: Search | None = None) -> Verdict:
    """|a − b| ≤ tolerance on the whole box, for every output; or an exact point where it is not."""
    question, witness = difference_question(a, b, tolerance)
    return _nowhere(question, witness, search)


def difference_question(a: Subject, b: Subject, tolerance: Number) -> tuple[Question, Callable[[Point], Witness]]:
    """Where do two subjects differ by more than a tolerance? With what to say about such a point."""
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


def valid(formula: Subject, *, search: Search | None = None) -> Verdict:
    """Is the value 1 everywhere?"""
    function = _single(Function(formula))
    question = _value_question(
        function, lambda y: [[positive(y.complement()), positive(y.shifted(-1))]], lambda value: value != 1
    )
    return _nowhere(question, _value_witness(function), search)


def satisfiable(formula: Subject, *, search: Search | None = None) -> Verdict:
    """Is the value 1 somewhere? Proved with the point, refuted without one."""
    function = _single(Function(formula))
    question = _value_question(
        function, lambda y: [[nonnegative(y.shifted(-1))], [nonnegative(y.complement())]], lambda value: value == 1
    )
    verdict = _nowhere(question, _value_witness(function), search)
    turned = {"proved": "refuted", "refuted": "proved", "undecided": "undecided"}
    return Verdict(turned[verdict.status], verdict.witness, verdict.reason, verdict.evidence, verdict.seconds)  # type: ignore[arg-type]


def entails(premise: Subject, conclusion: Subject, *, search: Search | None = None) -> Verdict:
    """Wherever the premise is 1, is the conclusion 1?"""
    f, g = (_single(function) for function in together(premise, conclusion))

    def build(box: Box) -> tuple[Program, Condition]:
        program = Program(box)
        (x,), (y,) = f.add_to(program), g.add_to(program)
        is_one = [[nonnegative(x.shifted(-1))], [nonnegative(x.complement())]]
        return program, [*is_one, [positive(y.complement()), positive(y.shifted(-1))]]

    def holds(point: Point) -> bool:
        return f.at(point)[0] == 1 and g.at(point)[0] != 1

    def witness(point: Point) -> Witness:
        values = {"premise": format_number(f.at(point)[0]), "conclusion": format_number(g.at(point)[0])}
        return Witness(f.named(point), values)

    return _nowhere(Question(f.inputs, build, holds), witness, search)


def _single(function: Function) -> Function:
    if len(function.outputs) != 1:
        raise InputError(f"expected one output, found {len(function.outputs)}: {', '.join(function.outputs)}")
    return function


def _value_question(
    function: Function, condition: Callable[[Affine], Condition], holds: Callable[[Number], bool]
) -> Question:
    def build(box: Box) -> tuple[Program, Condition]:
        program = Program(box)
        return program, condition(function.add_to(program)[0])

    return Question(function.inputs, build, lambda point: holds(function.at(point)[0]))


def _value_witness(function: Function) -> Callable[[Point], Witness]:
    return lambda point: Witness(function.named(point), {"value": format_number(function.at(point)[0])})


def _nowhere(question: Question, witness: Callable[[Point], Witness], search: Search | None) -> Verdict:
    """Proved if the condition holds nowhere, refuted with a witness if it does somewhere."""
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
