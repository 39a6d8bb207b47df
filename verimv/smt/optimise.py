"""Exact minima and maxima over a box, with attaining points.

A solver is asked for a point above the best value so far; on the linear piece around that point the best value is found
exactly by linear programming; and again, until the solver proves that nothing lies above. Every value is replayed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from verimv.errors import InternalError
from verimv.exact import ONE, ZERO, Number, format_number
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Network
from verimv.networks.program import Program
from verimv.smt.encode import logic_of, positive
from verimv.smt.functions import Function
from verimv.smt.limited import DEFAULT_MEMORY, Deadline, OutOfBudget, limited
from verimv.smt.search import Point, is_impossible, quick_points, simplest
from verimv.smt.solvers import SOLVERS, Answer, z3_number
from verimv.terms.formula import Formula

#: After the exact search has used its share, the rest goes into proving the best bound short of exact.
_EXACT_SHARE = 0.7


@dataclass(frozen=True)
class Optimum:
    """value ≤ true maximum ≤ upper; the value is attained at the point. Exact when the two are equal."""

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
    seconds: float,
    solver: str = "z3",
    memory: int = DEFAULT_MEMORY,
) -> Optimum:
    """The largest value of a form of a program over its box. `value_at` is the same value by other means."""
    box = program.ranges[: program.inputs]
    point: Point = tuple(low for low, _ in box)
    best = value_at(point)
    for unit in quick_points(len(box)):
        candidate = tuple(low + (high - low) * u for (low, high), u in zip(box, unit, strict=True))
        value = value_at(candidate)
        if value > best:
            point, best = candidate, value
    upper = program.range_of(form)[1]
    if best < upper:
        start = (program, form, names, solver, point, best, seconds)
        with suppress(OutOfBudget):  # then what is known already stands
            point, upper = limited(_climb, *start, seconds=seconds, memory=memory)
        best = value_at(point)
    if upper < best:
        raise InternalError(f"{solver} bounds by {format_number(upper)} what is {format_number(best)} at a point")
    attained = best

    def as_good(candidate: Point) -> bool:
        inside = all(low <= x <= high for x, (low, high) in zip(candidate, box, strict=True))
        return inside and value_at(candidate) >= attained

    return Optimum(best, simplest(as_good, point), upper)


def _climb(
    program: Program, form: Affine, names: Sequence[str], solver: str, point: Point, best: Number, seconds: float
) -> tuple[Point, Number]:
    """Runs in the child: the best point found and a proven upper bound."""
    deadline = Deadline(seconds)
    ask = SOLVERS[solver]
    linear = logic_of(program, [[positive(form)]]) == "QF_LRA"
    while True:
        above = [[positive(form.shifted(-best))]]
        if is_impossible(program, above):
            return point, best
        answer = ask(program, above, names, _EXACT_SHARE * deadline.left)
        if answer.status == "unsat":
            return point, best
        if answer.point is None:
            return point, _best_provable(program, form, names, ask, best, deadline)
        higher = best_on_piece(program, form, answer.point) if linear else answer.point
        if _value(program, form, higher) <= best:  # an irrational model, rounded: no way up from here
            return point, _best_provable(program, form, names, ask, best, deadline)
        point, best = higher, _value(program, form, higher)


def _best_provable(
    program: Program, form: Affine, names: Sequence[str], ask: Callable[..., Answer], best: Number, deadline: Deadline
) -> Number:
    """A bound between the best value and the interval's, by bisection with what is left of the time."""
    upper = program.range_of(form)[1]
    low = best
    for probes_left in range(4, 0, -1):
        middle = (low + upper) / 2
        answer = ask(program, [[positive(form.shifted(-middle))]], names, deadline.left / probes_left)
        if answer.status == "unsat":
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
    """The point with the largest value among those on which every case acts as it does at `point` (exact LP)."""
    import z3

    optimise = z3.Optimize()
    inputs = [z3.Real(f"x!{i}") for i in range(program.inputs)]

    def term(affine: Affine) -> Any:
        return z3.Sum([z3.RealVal(str(affine.constant)), *(z3.RealVal(str(w)) * inputs[j] for j, w in affine.terms)])

    for x, (low, high) in zip(inputs, program.ranges, strict=False):
        optimise.add(x >= z3.RealVal(str(low)), x <= z3.RealVal(str(high)))
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
    """Exact ends of a function's range with points (of the unit cube), or proven bounds of them."""

    output: str
    lower: Optimum  # of the negated value
    upper: Optimum

    @property
    def exact(self) -> bool:
        return self.lower.exact and self.upper.exact


def output_ranges(
    subject: Formula | Network, seconds: float = 60.0, solver: str = "z3", memory: int = DEFAULT_MEMORY
) -> list[FunctionRange]:
    """The range of every output over the box."""
    function = Function(subject)
    unit: Box = ((ZERO, ONE),) * len(function.inputs)
    deadline = Deadline(seconds)
    ranges = []
    for index, name in enumerate(function.outputs):
        program = Program(unit)
        form = function.add_to(program)[index]

        def value(point: Point, index: int = index) -> Number:
            return function.at(point)[index]

        share = deadline.left / (2 * (len(function.outputs) - index))
        lower = maximum(program, -form, lambda point: -value(point), function.inputs, share, solver, memory)
        upper = maximum(program, form, value, function.inputs, share, solver, memory)
        ranges.append(FunctionRange(name, lower, upper))
    return ranges
