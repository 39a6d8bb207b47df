"""A specification: the unsafe points as cases, each a box of inputs and a conjunction of linear constraints.

It holds of a network if no point of the network's box is in any case. Points are of all inputs, and constraints of all
inputs and outputs, of the networks that a specification is about: one, or several side by side.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import chain

from verimv.core.errors import InputError
from verimv.exact import Number, clip, format_number
from verimv.exact.decimals import decimal, rounded
from verimv.formulas.formula import Formula
from verimv.formulas.printing import quoted
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Network
from verimv.specifications.conditions import Conjunction, Interval, LinearConstraint

#: Bounds and constraints of a case that are put into words; more are counted.
_TOLD = 24


@dataclass(frozen=True)
class System:
    """The networks that a specification is about, by name; a single one may have no name.

    Values are numbered: the inputs of all networks, then their outputs, then the values of `formula`, if there is one.
    """

    networks: Mapping[str, Network]
    formula: Formula | None = None

    @cached_property
    def inputs(self) -> list[str]:
        return self._named(lambda network: network.inputs)

    @cached_property
    def outputs(self) -> list[str]:
        return self._named(lambda network: network.outputs)

    def _named(self, chosen: Callable[[Network], Sequence[str]]) -> list[str]:
        several = len(self.networks) > 1
        return [
            f"{name}.{own}" if several else own for name, network in self.networks.items() for own in chosen(network)
        ]

    @property
    def box(self) -> Box:
        return tuple(chain.from_iterable(network.box for network in self.networks.values()))

    @cached_property
    def told(self) -> list[str]:
        """The values in words: full names, quoted if needed."""
        several = len(self.networks) > 1
        names = [
            (f"{name}." if several else "") + quoted(_told(network, own))
            for own_names in ("inputs", "outputs")
            for name, network in self.networks.items()
            for own in getattr(network, own_names)
        ]
        return (
            names
            if self.formula is None
            else [*names, *(f"({self.formula.output(k).shown()})" for k in self.formula.outputs)]
        )

    def values(self, point: Sequence[Number]) -> list[Number]:
        """Return all values at a point of the inputs, exactly."""
        result, start = list(point), 0
        for network in self.networks.values():
            width = len(network.inputs)
            result += network.at(point[start : start + width])
            start += width
        if self.formula is not None:
            known = dict(zip((*self.inputs, *self.outputs), map(clip, result), strict=True))
            result += self.formula.at({name: known[name] for name in self.formula.inputs})
        return result


@dataclass(frozen=True)
class UnsafeCase:
    """A box of inputs, without its open ends, and constraints on inputs and outputs that all hold there."""

    box: Box
    constraints: tuple[LinearConstraint, ...]
    #: strict bounds of single inputs: ends of the box that do not belong to the case
    open_ends: tuple[LinearConstraint, ...] = ()
    #: for each input the first one that has the same value throughout the case
    same: tuple[int, ...] = ()

    def is_open(self, index: int) -> bool:
        """Return whether an end of the range of an input does not belong to the case."""
        return any(index == j for one in self.open_ends for j, _ in one.form.terms)

    def contains(self, values: Sequence[Number]) -> bool:
        """Return whether a point with these inputs and outputs is in the case."""
        inside = all(low <= x <= high for x, (low, high) in zip(values, self.box, strict=False))
        alike = all(values[j] == values[first] for j, first in enumerate(self.same))
        return inside and alike and all(one.is_met(values) for one in (*self.constraints, *self.open_ends))


@dataclass(frozen=True)
class Specification:
    """What must never happen: the cases. `text` is what it was read from, of the `kind` "vnnlib", "language" or
    "formula"."""

    text: str
    kind: str
    system: System
    cases: tuple[UnsafeCase, ...]
    #: cases that no input satisfies, which are left out
    left_out: int = 0
    #: whether inputs are bounded by the networks' boxes, and not by the text alone
    uses_box: bool = True

    def words(self, case: UnsafeCase) -> list[str]:
        """Return what holds in a case."""
        return [text for part in self.parts(case) for text in part]

    def parts(self, case: UnsafeCase) -> tuple[list[str], list[str]]:
        """Return bounds of inputs, those of the networks' boxes apart, and the constraints, in words."""
        names, own = self.system.told, self.system.box if self.uses_box else ()
        bounds = [
            _interval_text(names[j], ends, case.open_ends, j)
            for j, ends in enumerate(case.box)
            if case.same[j] == j and (own[j : j + 1] != (ends,) or case.is_open(j))
        ]
        alike = [f"{names[first]} = {names[j]}" for j, first in enumerate(case.same) if first != j]
        return _cut([*bounds, *alike]), _cut([constraint_text(one, names) for one in case.constraints])


def unsafe_cases(
    cases: Iterable[Conjunction], inputs: int, box: Box | None, names: Sequence[str]
) -> tuple[list[UnsafeCase], int]:
    """Return cases with boxes, and the number of those that no input satisfies. Every input needs both ends, from its
    own bounds or from `box`."""
    result, empty = [], 0
    for case in cases:
        found = _with_box(case, inputs, box, names)
        if found is None:
            empty += 1
        else:
            result.append(found)
    return result, empty


def _with_box(case: Conjunction, inputs: int, box: Box | None, names: Sequence[str]) -> UnsafeCase | None:
    same, constraints = _merged(case.constraints, inputs)
    whole = Conjunction()
    for j in range(inputs):
        if box is not None:
            whole.narrow(same[j], Interval(*box[j]))
        if j in case.intervals:
            whole.narrow(same[j], case.intervals[j])
    for one in constraints:  # constraints on two inputs that are the same are about one
        whole.add(one, range(inputs))
    _add_implied_bounds(whole, same)
    if whole.is_empty:
        return None
    ends, open_ends = [], []
    for j in range(inputs):
        interval = whole.intervals.get(same[j], Interval())
        if interval.low is None or interval.high is None:
            side = "lower" if interval.low is None else "upper"
            raise InputError(f"{names[j]} has no {side} bound: every input needs a range, in the file or by --box")
        ends.append((interval.low, interval.high))
        if same[j] == j:
            variable = Affine.variable(j)
            if interval.low_open:
                open_ends.append(LinearConstraint((-variable).shifted(interval.low), True))
            if interval.high_open:
                open_ends.append(LinearConstraint(variable.shifted(-interval.high), True))
    return UnsafeCase(tuple(ends), tuple(whole.constraints), tuple(open_ends), tuple(same))


def _add_implied_bounds(case: Conjunction, same: Sequence[int]) -> None:
    """Bound inputs without bounds of their own by constraints with others, such as x − y ≤ 0.1."""
    found = True
    while found:
        found = False
        for one in case.constraints:
            for j, weight in one.form.terms:
                known = case.intervals.get(j, Interval())
                if j >= len(same) or (known.high if weight > 0 else known.low) is not None:
                    continue
                rest = [(k, w, case.intervals.get(k, Interval())) for k, w in one.form.terms if k != j]
                ends = [(w, interval.low if w > 0 else interval.high) for _, w, interval in rest]
                if any(end is None for _, end in ends) or any(k >= len(same) for k, _, _ in rest):
                    continue
                least = sum((w * end for w, end in ends if end is not None), one.form.constant)
                end = -least / weight
                case.narrow(j, Interval(high=end) if weight > 0 else Interval(low=end))
                found = True


def _merged(constraints: Iterable[LinearConstraint], inputs: int) -> tuple[list[int], list[LinearConstraint]]:
    """Return for each input the first one that equals it by x ≤ y and y ≤ x, and the other constraints."""
    same = list(range(inputs))
    given = list(constraints)
    known = set(given)

    def first(j: int) -> int:
        while same[j] != j:
            j = same[j]
        return j

    rest = []
    for one in given:
        terms = one.form.terms
        if (
            len(terms) == 2
            and terms[1][0] < inputs
            and not one.strict
            and not one.form.constant
            and terms[0][1] + terms[1][1] == 0
            and LinearConstraint(-one.form, False) in known
        ):
            a, b = sorted(first(j) for j, _ in terms)
            same[b] = a
        else:
            rest.append(one)
    same = [first(j) for j in range(inputs)]
    if same == list(range(inputs)):
        return same, rest
    numbers = [Affine.variable(j) for j in same]

    def renamed(form: Affine) -> Affine:
        return form.substitute({j: numbers[j] if j < inputs else Affine.variable(j) for j, _ in form.terms})

    return same, [LinearConstraint(renamed(one.form), one.strict) for one in rest]


# -- words -------------------------------------------------------------------------------------------------------------


def _cut(texts: list[str]) -> list[str]:
    """Return a list, without its middle if it is long."""
    if len(texts) <= _TOLD:
        return texts
    half = _TOLD // 2
    return [*texts[:half], f"… ({len(texts) - 2 * half:,} more) …", *texts[-half:]]


def _told(network: Network, name: str) -> str:
    """Return the full name of an input or output; the short one if another value might be meant, or lines be broken."""
    label = network.label(name)
    others = [other for other in (*network.inputs, *network.outputs) if other != name]
    is_clear = label.isprintable() and label.strip() and all(label not in (x, network.label(x)) for x in others)
    return label if is_clear else name


#: Significant digits of an exact decimal in words, and characters of an exact fraction.
_DIGITS = 20


def number_text(x: Number) -> str:
    """Return a number of a statement: an exact decimal or fraction; a long one is rounded, after ≈."""
    told, is_exact = decimal(x, _DIGITS)
    exact = format_number(x)
    if is_exact and len(told) <= len(exact):
        return told
    return exact if len(exact) <= _DIGITS else told if is_exact else rounded(x)


def _interval_text(name: str, ends: tuple[Number, Number], open_ends: Sequence[LinearConstraint], index: int) -> str:
    low, high = ends
    if low == high:
        return f"{name} = {number_text(low)}"
    signs = ["≤", "≤"]
    for one in open_ends:
        [(j, weight)] = one.form.terms
        if j == index:
            signs[weight > 0] = "<"
    return f"{number_text(low)} {signs[0]} {name} {signs[1]} {number_text(high)}"


def constraint_text(constraint: LinearConstraint, names: Sequence[str]) -> str:
    """Return a constraint as people write it: positive terms on the left, the constant on the right."""
    form = constraint.form
    sign = "<" if constraint.strict else "≤"
    if all(weight < 0 for _, weight in form.terms):
        form, sign = -form, {"<": ">", "≤": "≥"}[sign]
    left = [(j, w) for j, w in form.terms if w > 0]
    right = [(j, -w) for j, w in form.terms if w < 0]
    constant = -form.constant
    told = _sum_text(right, names)
    if constant or not right:
        number = number_text(abs(constant))
        told = f"{told} {'−' if constant < 0 else '+'} {number}" if right else f"{'-' if constant < 0 else ''}{number}"
    return f"{_sum_text(left, names)} {sign} {told}"


def _sum_text(terms: Sequence[tuple[int, Number]], names: Sequence[str]) -> str:
    return " + ".join(names[j] if w == 1 else f"{number_text(w)}·{names[j]}" for j, w in terms)
