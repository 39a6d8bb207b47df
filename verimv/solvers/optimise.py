"""Exact minima and maxima over a box, with attaining points.

A solver is asked for a point above the best value so far. Linear programming finds the best value on the linear piece
around that point. This is repeated until the solver proves that no higher value exists. Every value is replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from verimv.core.effort import NEVER, SECOND, Deadline, Meter
from verimv.core.errors import InternalError
from verimv.exact import ONE, ZERO, Number, format_number
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Network
from verimv.networks.program import Program
from verimv.solvers.encode import logic_of, positive
from verimv.solvers.engines import SOLVERS, Answer, z3_number
from verimv.solvers.functions import Function
from verimv.solvers.limited import DEFAULT_MEMORY, OutOfBudget, limited
from verimv.solvers.point_search import Point, is_impossible, quick_points, simplest

#: Share of the work for the exact search; the rest is for proving a good upper bound.
_EXACT_SHARE = 0.7
#: Work for both ends of the ranges of all outputs.
_WORK = 60 * SECOND
#: Work of a step of the search, without that of the solver.
_STEP = 1000


@dataclass(frozen=True)
class Optimum:
    """Bounds of a maximum: value ≤ maximum ≤ upper. The value is attained at the point; exact if both are equal."""

    value: Number
    point: Point
    upper: Number

    @property
    def exact(self) -> bool:
        return self.value == self.upper


Evaluate = Callable[[Point], Number]


def maximum(
    program: Program,
    form: Affine,
    value_at: Evaluate,
    names: Sequence[str],
    meter: Meter,
    solver: str = "z3",
    memory: int = DEFAULT_MEMORY,
) -> Optimum:
    """Return the maximum of a form of a program over its box. `value_at` computes the value independently, to replay.

    If the work is used up or the deadline has passed, return the bounds that are known then.
    """
    box = program.ranges[: program.inputs]
    point: Point = tuple(low for low, _ in box)
    best = value_at(point)
    for unit in quick_points(len(box)):
        candidate = tuple(low + (high - low) * u for (low, high), u in zip(box, unit, strict=True))
        value = value_at(candidate)
        if value > best:
            point, best = candidate, value
    upper = program.range_of(form)[1]
    if best < upper and not meter.is_used_up and meter.deadline.left:
        start = (program, form, names, solver, point, best, meter)
        with suppress(OutOfBudget):  # then the known bounds remain
            point, upper, work = limited(_climb, *start, seconds=meter.deadline.left, memory=memory)
            meter.spend(work)
        best = value_at(point)
    if upper < best:
        raise InternalError(
            f"{solver} proves a maximum of {format_number(upper)}, but a point has {format_number(best)}"
        )
    attained = best

    def as_good(candidate: Point) -> bool:
        inside = all(low <= x <= high for x, (low, high) in zip(candidate, box, strict=True))
        return inside and value_at(candidate) >= attained

    return Optimum(best, simplest(as_good, point), upper)


def _climb(
    program: Program, form: Affine, names: Sequence[str], solver: str, point: Point, best: Number, meter: Meter
) -> tuple[Point, Number, int]:
    """Return, in the child process, the best point found, a proven upper bound, and the work done."""
    before = meter.spent

    def ask(value: Number, share: float) -> Answer:
        """Ask whether the form exceeds a value somewhere, with a share of the remaining work."""
        above = [[positive(form.shifted(-value))]]
        if is_impossible(program, above):
            return Answer("unsat")
        answer = SOLVERS[solver](program, above, names, meter.deadline.left, max(1, int(share * meter.left)))
        meter.spend(_STEP + answer.work)
        return answer

    linear = logic_of(program, [[positive(form)]]) == "QF_LRA"
    while (answer := ask(best, _EXACT_SHARE)).point is not None:
        higher = best_on_piece(program, form, answer.point) if linear else answer.point
        if _value(program, form, higher) <= best:  # a rounded irrational model that is not better
            break
        point, best = higher, _value(program, form, higher)
    upper = best if answer.status == "unsat" else _best_provable(best, program.range_of(form)[1], ask)
    return point, upper, meter.spent - before


def _best_provable(low: Number, upper: Number, ask: Callable[[Number, float], Answer]) -> Number:
    """Return an upper bound, found by bisection between the best value and `upper` with the remaining work."""
    for probes_left in range(4, 0, -1):
        middle = (low + upper) / 2
        if ask(middle, 1 / probes_left).status == "unsat":
            upper = middle
        else:
            low = middle
    return upper


def _value(program: Program, form: Affine, point: Point) -> Number:
    values: list[Number] = list(point)
    for case in program.cases.values():
        t = case.argument(values)
        values.append(ZERO if t <= 0 else ONE if case.kind == "clip" and t >= 1 else t)
    return form(values)


def best_on_piece(program: Program, form: Affine, point: Point) -> Point:
    """Return the point with the largest value on the linear piece around `point`, by exact linear programming."""
    import z3

    context = z3.Context()  # a new one, since answers depend on what a context was asked before
    optimise = z3.Optimize(ctx=context)
    inputs = [z3.Real(f"x!{i}", context) for i in range(program.inputs)]

    def number(value: Number) -> Any:
        return z3.RealVal(str(value), context)

    def term(affine: Affine) -> Any:
        return z3.Sum([number(affine.constant), *(number(w) * inputs[j] for j, w in affine.terms)])

    for x, (low, high) in zip(inputs, program.ranges, strict=False):
        optimise.add(x >= number(low), x <= number(high))
    pieces = [Affine.variable(j) for j in range(program.inputs)]
    for case in program.cases.values():
        argument = case.argument.substitute(pieces)
        value = argument(point)
        if value <= 0:
            optimise.add(term(argument) <= 0)
            pieces.append(Affine(()))
        elif case.kind == "clip" and value >= 1:
            optimise.add(term(argument) >= 1)
            pieces.append(Affine((), ONE))
        else:
            optimise.add(term(argument) >= 0)
            if case.kind == "clip":
                optimise.add(term(argument) <= 1)
            pieces.append(argument)
    optimise.maximize(term(form.substitute(pieces)))
    if str(optimise.check()) != "sat":
        return point
    model = optimise.model()
    return tuple(z3_number(model.eval(x, model_completion=True)) for x in inputs)


@dataclass(frozen=True)
class FunctionRange:
    """Exact ends of the range of a function with attaining points of the unit cube, or proven bounds of them."""

    output: str
    lower: Optimum  # of the negated value
    upper: Optimum

    @property
    def exact(self) -> bool:
        return self.lower.exact and self.upper.exact


def output_ranges(
    subject: Formula | Network,
    solver: str = "z3",
    memory: int = DEFAULT_MEMORY,
    deadline: Deadline = NEVER,
    work: int = _WORK,
) -> list[FunctionRange]:
    """Return the range of every output over the box; bounds of it if work or time are used up."""
    function = Function(subject)
    unit: Box = ((ZERO, ONE),) * len(function.inputs)
    meter = Meter(work, deadline)
    ranges = []
    for index, name in enumerate(function.outputs):
        program = Program(unit)
        form = function.add_to(program)[index]

        def value(point: Point, index: int = index) -> Number:
            return function.at(point)[index]

        share = meter.left // (2 * (len(function.outputs) - index))
        ends = (Meter(share, deadline), Meter(share, deadline))
        lower = maximum(program, -form, lambda point: -value(point), function.inputs, ends[0], solver, memory)
        upper = maximum(program, form, value, function.inputs, ends[1], solver, memory)
        meter.left -= ends[0].spent + ends[1].spent
        ranges.append(FunctionRange(name, lower, upper))
    return ranges
