"""What are the exact minimum and maximum of every output over the box?"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass

from verimv.bounding.search.box_ranges import tightened_ranges
from verimv.bounding.search.output_range import searched_ranges
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_ranges import certify_range
from verimv.core.choices import RANGE_ENGINES
from verimv.core.effort import Deadline
from verimv.core.errors import InputError, InternalError, Undecided, check_type
from verimv.exact import Number
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.solvers.functions import Function
from verimv.solvers.optimise import FunctionRange, Optimum, output_ranges
from verimv.solvers.point_search import Search


@dataclass(frozen=True)
class RangeEnd:
    """A minimum or maximum: `value` is attained at the point `at`, and `bound` is proved. Exact if they are equal."""

    value: Number
    at: dict[str, str]
    bound: Number

    @property
    def exact(self) -> bool:
        return self.value == self.bound


@dataclass(frozen=True)
class OutputRange:
    """The least and the largest value of one output over the box."""

    output: str
    lower: RangeEnd
    upper: RangeEnd

    @property
    def exact(self) -> bool:
        return self.lower.exact and self.upper.exact


def output_range(
    subject: Formula | Network, *, engine: str = "auto", search: Search | None = None
) -> list[OutputRange]:
    """Return the range of every output of a network over its box, or of a formula over the unit cube.

    `engine` is "search" (verimv's own), "smt" (the solvers of `search`), "both" (they must agree), or "auto": the
    search, then solvers if it does not find the exact range. An end that is not exact has a value that is attained and
    a bound that is proved.
    """
    check_type(subject, Formula, Network)
    if engine not in RANGE_ENGINES:
        raise InputError(f"unknown engine {engine}: choose one of {', '.join(RANGE_ENGINES)}")
    function = Function(subject)
    return [
        OutputRange(found.output, _end(function, found.lower, -1), _end(function, found.upper, 1))
        for found in _function_ranges(subject, engine, search or Search())
    ]


def certify_output_range(network: Network, ranges: list[OutputRange], seconds: float) -> Certificate | None:
    """Return a certificate of the proved bounds, or None if no evidence is found in time."""
    return certify_range(network, [(found.lower.bound, found.upper.bound) for found in ranges], seconds)


def _end(function: Function, optimum: Optimum, direction: int) -> RangeEnd:
    return RangeEnd(optimum.value * direction, function.named(optimum.point), optimum.upper * direction)


def _function_ranges(subject: Formula | Network, engine: str, search: Search) -> list[FunctionRange]:
    found: list[FunctionRange | None] = [None] * len(subject.outputs)
    if engine in ("search", "both") or (engine == "auto" and len(search.solvers) == 1):
        with suppress(Undecided):  # out of time: report what is known
            found = searched_ranges(subject, workers=search.workers, progress=search.progress, deadline=search.deadline)
    if engine == "auto" and None not in found:
        return [own for own in found if own is not None]
    deadline = search.deadline if engine != "search" else Deadline(0)
    ranges, *others = (output_ranges(subject, solver, search.memory, deadline) for solver in search.solvers)
    merged = [own or other for own, other in zip(found, ranges, strict=True)]
    if engine != "smt" and isinstance(subject, Network):
        merged = tightened_ranges(subject, merged, search.deadline)
    for other in (ranges, *others):
        _check_agreement(merged, other)
    return merged


def _check_agreement(ranges: list[FunctionRange], others: list[FunctionRange]) -> None:
    """Raise an error if one engine attains a value that another excludes."""
    for a, b in zip(ranges, others, strict=True):
        for x, y in ((a.lower, b.lower), (a.upper, b.upper)):
            if x.value > y.upper or y.value > x.upper:
                raise InternalError(f"the engines disagree about the range of {a.output}")
