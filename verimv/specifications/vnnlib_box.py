"""The input box of a VNN-LIB file, for commands that ask about a box only."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from verimv.core.errors import InputError, UnusedWarning
from verimv.exact import Number
from verimv.networks.network import Box, checked_box
from verimv.specifications.conditions import Conjunction, Interval, LinearConstraint, cases_of, constraints_in
from verimv.specifications.vnnlib_query import VnnlibQuery, read_query

_FREE = Interval()


def read_vnnlib_box(text: str, inputs: int, source: str | None = None) -> Box:
    """Read the box that a file gives the inputs; each needs both ends. Inputs of several networks must be the same.

    Assertions about outputs are not used, with an :class:`UnusedWarning`. A union of boxes is refused, and so are
    conditions that compare inputs.
    """
    query = read_query(text, source)
    try:
        box = _box(query, inputs)
    except InputError as error:
        raise error.located(source) from None
    if any(variable.role == "Y" for variable in query.variables):
        name = source or "FILE.vnnlib"
        told = f"{name}: only the box is used here, not what it asserts about outputs: verimv verify NETWORK {name}"
        warnings.warn(UnusedWarning(told), stacklevel=2)
    return box


def _box(query: VnnlibQuery, inputs: int) -> Box:
    if query.networks[0].name and any(network.size("input") != inputs for network in query.networks):
        sizes = sorted({network.size("input") for network in query.networks})
        raise InputError(f"expected networks with {inputs} inputs, found {', '.join(map(str, sizes))}")
    places = {number: v.place for number, v in enumerate(query.variables) if v.role == "X"}
    for number, index in places.items():
        if index >= inputs:
            name = query.variables[number].name
            raise InputError(f"{name} is bounded, but there are only {inputs} inputs")
    for line, condition in query.assertions:
        for constraint in constraints_in(condition):
            _check_bound(query, constraint, line)
    cases, _ = cases_of(query.condition, places, lambda constraint: _is_bound(constraint, places))
    if not cases:
        raise InputError(
            "no point satisfies the conditions on inputs: a lower end is above an upper end, or false is asserted"
        )
    found = {_ends(query, case, inputs) for case in cases}
    if len(found) > 1:
        raise InputError(f"expected one box, found a union of {len(found)} (or); ask about one of them at a time")
    return checked_box([_both(query, j, pair) for j, pair in enumerate(found.pop())], inputs)


def _is_bound(constraint: LinearConstraint, places: dict[int, int]) -> bool:
    terms = constraint.form.terms
    return not terms or (len(terms) == 1 and terms[0][0] in places)


def _check_bound(query: VnnlibQuery, constraint: LinearConstraint, line: int) -> None:
    """Check that a constraint with inputs bounds one of them, or says that inputs of two networks are the same."""
    used = [query.variables[j] for j, _ in constraint.form.terms]
    inputs = [variable for variable in used if variable.role == "X"]
    if not inputs or len(used) == 1:
        return
    weights = [w for _, w in constraint.form.terms]
    same = len(used) == len(inputs) == 2 and inputs[0].place == inputs[1].place and sum(weights) == 0
    if not same or constraint.form.constant:
        raise InputError(
            f"expected a bound of one input by a number; {inputs[0].name!r} is compared otherwise", line=line
        )


def _ends(query: VnnlibQuery, case: Conjunction, inputs: int) -> tuple[tuple[Number | None, Number | None], ...]:
    """Return the ends of each input; those of several networks are the same inputs, so all bounds hold."""
    whole = Conjunction()
    for number, interval in case.intervals.items():
        whole.narrow(query.variables[number].place, interval._replace(low_open=False, high_open=False))
    return tuple((found.low, found.high) for found in (whole.intervals.get(j) or _FREE for j in range(inputs)))


def _both(query: VnnlibQuery, index: int, pair: Sequence[object]) -> Sequence[object]:
    for end, side in zip(pair, ("lower", "upper"), strict=True):
        if end is None:
            raise InputError(f"{input_name(query, 0, index)} has no {side} bound")
    return pair


def input_name(query: VnnlibQuery, network: int, index: int) -> str:
    """Return how a file calls an input that it may never mention."""
    for tensor in query.networks[network].tensors:
        if tensor.role == "input" and tensor.start <= index < tensor.start + tensor.size:
            rest, indices = index - tensor.start, []
            for length in reversed(tensor.shape):
                rest, place = divmod(rest, length)
                indices.append(str(place))
            return tensor.name + (f"[{','.join(reversed(indices))}]" if indices else "")
    return f"X_{index}"
