"""What are the exact minimum and maximum of every output over the box?"""

from __future__ import annotations

from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from verimv.bounding.search.box_ranges import tightened_ranges
from verimv.bounding.search.output_range import searched_ranges
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_ranges import certify_range
from verimv.core.choices import RANGE_ENGINES
from verimv.core.display import Headed, html_table
from verimv.core.effort import SECOND, Deadline
from verimv.core.errors import InputError, InternalError, Undecided
from verimv.core.recorded import Recorded
from verimv.exact import Number, format_number, parse_number
from verimv.exact.decimals import point_words, readable
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.questions.subjects import as_subject
from verimv.solvers.functions import Function
from verimv.solvers.optimise import FunctionRange, Optimum, output_ranges
from verimv.solvers.point_search import Search


@dataclass(frozen=True, repr=False)
class RangeEnd(Headed):
    """A minimum or maximum: `value` is attained at the point `at`, and `bound` is proved. Exact if they are equal."""

    value: Number
    at: dict[str, str]
    bound: Number

    @property
    def exact(self) -> bool:
        return self.value == self.bound

    def to_dict(self) -> dict[str, Any]:
        """Return exact numbers, as text."""
        return {
            "value": format_number(self.value),
            "bound": format_number(self.bound),
            "at": self.at,
            "exact": self.exact,
        }

    def __str__(self) -> str:
        at = point_words({name: parse_number(x) for name, x in self.at.items()})
        text = readable(self.value) + (f" at {at}" if at else "")
        return text if self.exact else f"{text} (not proved: the bound proved is {readable(self.bound)})"

    def _headline(self) -> str:
        return str(self)


@dataclass(frozen=True, repr=False)
class OutputRange(Recorded, Headed):
    """The least and the largest value of one output over the box."""

    output: str
    lower: RangeEnd
    upper: RangeEnd

    @property
    def exact(self) -> bool:
        return self.lower.exact and self.upper.exact

    def to_dict(self) -> dict[str, Any]:
        ends = {"lower": self.lower.to_dict(), "upper": self.upper.to_dict()}
        return {"output": self.output, **ends, "exact": self.exact}

    def __str__(self) -> str:
        return f"{self.output}: minimum {self.lower}\n{self.output}: maximum {self.upper}"

    def _headline(self) -> str:
        low, high = readable(self.lower.bound), readable(self.upper.bound)
        return f"{self.output} in [{low}, {high}]" + ("" if self.exact else ", not exact")

    def _repr_html_(self) -> str:
        return html_table(f"range of {self.output}", [("minimum", str(self.lower)), ("maximum", str(self.upper))])


def output_range(subject: Any, *, engine: str = "auto", search: Search | None = None) -> list[OutputRange]:
    """Return the range of every output of a network over its box, or of a formula over the unit cube.

    `subject` is a formula or network, a path or expression, or anything else that :func:`verimv.load` takes. `engine`
    is "search" (verimv's own), "smt" (the solvers of `search`), "both" (they must agree), or "auto": the
    search, then solvers if it does not find the exact range. An end that is not exact has a value that is attained and
    a bound that is proved.
    """
    subject = as_subject(subject)
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
    work = int(search.effort * SECOND)
    found: list[FunctionRange | None] = [None] * len(subject.outputs)
    if engine in ("search", "both") or (engine == "auto" and len(search.solvers) == 1):
        with suppress(Undecided):  # out of time: report what is known
            found = searched_ranges(
                subject, work // 2, workers=search.workers, progress=search.progress, deadline=search.deadline
            )
    if engine == "auto" and None not in found:
        return [own for own in found if own is not None]
    deadline = search.deadline if engine != "search" else Deadline(0)
    ranges, *others = (output_ranges(subject, solver, search.memory, deadline, work) for solver in search.solvers)
    merged = [own or other for own, other in zip(found, ranges, strict=True)]
    if engine != "smt" and isinstance(subject, Network):
        merged = tightened_ranges(subject, merged, search.deadline, work)
    for other in (ranges, *others):
        _check_agreement(merged, other)
    return merged


def _check_agreement(ranges: list[FunctionRange], others: list[FunctionRange]) -> None:
    """Raise an error if one engine attains a value that another excludes."""
    for a, b in zip(ranges, others, strict=True):
        for x, y in ((a.lower, b.lower), (a.upper, b.upper)):
            if x.value > y.upper or y.value > x.upper:
                raise InternalError(f"the engines disagree about the range of {a.output}")
