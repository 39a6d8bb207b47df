"""Is a formula 1 everywhere, or somewhere? Is one formula 1 wherever another is?"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from verimv.core.errors import InputError
from verimv.exact import Number, format_number
from verimv.networks.affine import Affine
from verimv.networks.network import Box
from verimv.networks.program import Program
from verimv.questions.subjects import as_subject
from verimv.solvers.decide import nowhere
from verimv.solvers.encode import Condition, nonnegative, positive
from verimv.solvers.functions import Function, together
from verimv.solvers.point_search import Point, Question, Search
from verimv.solvers.verdict import Verdict, Witness


def valid(formula: Any, *, search: Search | None = None) -> Verdict:
    """Decide whether a formula is 1 everywhere; refuted with an exact point where it is not."""
    function = _single(Function(as_subject(formula)))
    question = _value_question(
        function, lambda y: [[positive(y.complement()), positive(y.shifted(-1))]], lambda value: value != 1
    )
    return nowhere(question, _value_witness(function), search)


def satisfiable(formula: Any, *, search: Search | None = None) -> Verdict:
    """Decide whether a formula is 1 somewhere; proved with an exact point."""
    function = _single(Function(as_subject(formula)))
    question = _value_question(
        function, lambda y: [[nonnegative(y.shifted(-1))], [nonnegative(y.complement())]], lambda value: value == 1
    )
    verdict = nowhere(question, _value_witness(function), search)
    turned = {"proved": "refuted", "refuted": "proved", "undecided": "undecided"}
    return Verdict(turned[verdict.status], verdict.witness, verdict.reason, verdict.evidence, verdict.seconds)  # type: ignore[arg-type]


def entails(premise: Any, conclusion: Any, *, search: Search | None = None) -> Verdict:
    """Decide whether the conclusion is 1 wherever the premise is 1; refuted with an exact point where it is not."""
    f, g = (_single(function) for function in together(as_subject(premise), as_subject(conclusion)))

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

    return nowhere(Question(f.inputs, build, holds), witness, search)


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
