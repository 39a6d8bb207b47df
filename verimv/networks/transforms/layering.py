"""Arrange values, each ρ or σ of an affine form over earlier ones, in the layers of a network.

A value is one layer above the highest value that it uses. What a later layer needs is carried up: a value that is
never negative by ρ(v) = v, an input that may be negative by ρ(v) − ρ(−v). A layer has activation σ if all its values
allow it; otherwise σ(t) is written as ρ(t) − ρ(t−1).
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence

from verimv.core.errors import InputError
from verimv.exact import ONE
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Layer
from verimv.networks.program import PiecewiseValue

#: Limit on copies, summed over values and the layers that carry them: a small file can need any number.
MAX_COPIES = 1_000_000


def layers_of(
    cases: Mapping[int, PiecewiseValue], outputs: Sequence[Affine], inputs: int, signed: Collection[int] = ()
) -> list[Layer]:
    """Return layers that compute `outputs` from the values 0, …, inputs − 1, at least one. Each of `cases` uses earlier
    values only; the inputs in `signed` may be negative."""
    levels = _levels(cases, inputs)
    top = max((levels[j] for form in outputs for j, _ in form.terms), default=0)
    last = _last_levels(cases, levels, outputs, top)
    carried = sum(level - levels[number] for number, level in last.items())
    if carried > MAX_COPIES:
        raise InputError(f"the network needs {carried:,} neurons that copy values, more than {MAX_COPIES:,}")
    by_level: list[list[int]] = [[] for _ in range(top + 1)]
    for number in cases:
        if number in last:
            by_level[levels[number]].append(number)
    if top and _are_all(outputs, by_level[top]):
        by_level[top] = [form.terms[0][0] for form in outputs]
    below = {number: Affine.variable(number) for number in range(inputs)}
    layers: list[Layer] = []
    width = inputs
    for level in range(1, top + 1):
        copies = [number for number in below if last.get(number, 0) >= level]
        layer, below = _layer(cases, by_level[level], copies, below, width, signed)
        layers.append(layer)
        width = len(layer.rows)
    rows = tuple(map(_substitution(below), outputs))
    if not layers or rows != tuple(Affine.variable(j) for j in range(width)):
        layers.append(Layer(rows, width, "identity"))
    return layers


def _levels(cases: Mapping[int, PiecewiseValue], inputs: int) -> dict[int, int]:
    levels = dict.fromkeys(range(inputs), 0)
    for number, case in cases.items():
        levels[number] = 1 + max((levels[j] for j, _ in case.argument.terms), default=0)
    return levels


def _last_levels(
    cases: Mapping[int, PiecewiseValue], levels: Mapping[int, int], outputs: Sequence[Affine], top: int
) -> dict[int, int]:
    """Return the highest level at which each used value is needed."""
    last = {j: top for form in outputs for j, _ in form.terms}
    for number in reversed(list(cases)):
        if number in last:
            for j, _ in cases[number].argument.terms:
                last[j] = max(last.get(j, 0), levels[number] - 1)
    return last


def _are_all(outputs: Sequence[Affine], numbers: Sequence[int]) -> bool:
    """Return whether the outputs are exactly these values, in some order."""
    plain = [form.terms[0][0] for form in outputs if _is_variable(form)]
    return len(plain) == len(outputs) and len(set(plain)) == len(plain) and set(plain) == set(numbers)


def _layer(
    cases: Mapping[int, PiecewiseValue],
    fresh: Sequence[int],
    copies: Sequence[int],
    below: Mapping[int, Affine],
    width: int,
    signed: Collection[int],
) -> tuple[Layer, dict[int, Affine]]:
    """Return the layer with these new values and copies, and each value as a form over it."""
    clipped = all(number in cases and cases[number].kind == "clip" for number in (*fresh, *copies))
    activation: Activation = "crelu" if clipped else "relu"
    rows: list[Affine] = []
    values: dict[int, Affine] = {}

    def neuron(argument: Affine) -> Affine:
        rows.append(argument)
        return Affine.variable(len(rows) - 1)

    over = _substitution(below)
    for number in fresh:
        argument = over(cases[number].argument)
        values[number] = neuron(argument)
        if cases[number].kind == "clip" and not clipped:
            values[number] = values[number] + -neuron(argument.shifted(-ONE))
    for number in copies:
        form = below[number]
        values[number] = neuron(form) + -neuron(-form) if number in signed else neuron(form)
    return Layer(tuple(rows), width, activation), values


def _substitution(values: Mapping[int, Affine]) -> Callable[[Affine], Affine]:
    """Return a function that substitutes values into a form. If all are single neurons, it only renumbers."""
    numbers = {number: form.terms[0][0] for number, form in values.items() if _is_variable(form)}
    if len(numbers) == len(values):
        return lambda form: form.renumbered(numbers)
    return lambda form: form.substitute(values)


def _is_variable(form: Affine) -> bool:
    return len(form.terms) == 1 and form == Affine.variable(form.terms[0][0])
