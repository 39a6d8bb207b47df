"""Exact multipliers from float ones: short dyadic numbers where there is room, solutions of equations elsewhere.

Where a maximum is attained, a multiplier is a slope of the activation's hull times its coefficient, or one of the few
unknowns that make coefficients of inputs vanish: the floats say which, linear equations give the values.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import FloatNetwork, product, slopes_of
from verimv.bounding.prove.elimination import Equations
from verimv.bounding.prove.walk import LayerRange, Multipliers, integers, over
from verimv.bounding.search.layer_context import LayerContext
from verimv.bounding.search.vertex import simple
from verimv.exact import ONE, ZERO, Number, Rational
from verimv.networks.network import Activation, Network, activate

#: Coefficients count as 0 when they are smaller than this share of the largest number around.
_NEAR = 1e-6
#: Multipliers count as equal to a slope times the coefficient when they differ by less than this share.
_SAME = 1e-7


def dyadic(values: Any, bits: int) -> Multipliers:
    """Return floats rounded to multiples of one power of 2, so many bits for the largest; NaN and infinity become 0."""
    values = np.where(np.isfinite(values), values, 0.0)
    largest = float(np.abs(values).max(initial=0.0))
    power = bits - math.frexp(largest)[1]
    rounded = integers(int(x) for x in np.rint(np.ldexp(values, power)).tolist())
    return (rounded, 1 << power) if power >= 0 else (rounded * (1 << -power), 1)


def short_multipliers(guess: Sequence[Any], ranges: Sequence[LayerRange], bits: int) -> list[Multipliers]:
    """Return short dyadic numbers near float multipliers, for the neurons that need one."""
    return [dyadic(values[found.free], bits) for values, found in zip(guess, ranges, strict=True)]


def exact_multipliers(
    context: LayerContext, layer: int, index: int, way: int, ranges: Sequence[LayerRange], near: Sequence[Any]
) -> list[Multipliers]:
    """Return exact multipliers near float ones.

    Each is a slope times its coefficient, or solves the equations that coefficients vanish.
    """
    classes, unknowns, zeros = _classify(context.network, context.floats, layer, index, way, ranges, near)
    equations = Equations(len(unknowns))
    network = context.network
    top = network.layers[layer - 1].rows[index]
    forms = [_constant(way * w, len(unknowns)) for w in top.dense(len(near[-1]) if near else len(network.inputs))]
    chosen: list[list[list[Number]]] = []
    for depth in range(layer - 1, 0, -1):
        rows = network.layers[depth - 1].rows
        for i in zeros[depth - 1]:
            equations.add(forms[i][1:], -forms[i][0])
        slopes: list[list[Number]] = []
        for i, kind in enumerate(classes[depth - 1]):
            if isinstance(kind, int):
                slopes.append([Rational(j == kind + 1) for j in range(len(unknowns) + 1)])
            else:
                slopes.append([kind * a for a in forms[i]])
        chosen.insert(0, slopes)
        width = network.layers[depth - 1].width_in
        forms = [_constant(ZERO, len(unknowns)) for _ in range(width)]
        for slope, row in zip(slopes, rows, strict=True):
            if any(slope):
                for j, w in row.terms:
                    forms[j] = [a + w * b for a, b in zip(forms[j], slope, strict=True)]
    scale = max([1.0, *(abs(float(v)) for v in unknowns)])
    guess = [simple(v) for v in unknowns]
    for form in forms:
        value = float(form[0]) + sum(float(a) * v for a, v in zip(form[1:], unknowns, strict=True))
        if abs(value) < _NEAR * scale * max(1.0, *(abs(float(a)) for a in form)):
            equations.add(form[1:], -form[0])
    solution = [ONE, *equations.solution(guess)]
    return [
        over([_dot(slopes[i], solution) for i in np.flatnonzero(found.free).tolist()])
        for slopes, found in zip(chosen, ranges, strict=True)
    ]


def _constant(value: Number, unknowns: int) -> list[Number]:
    return [value, *[ZERO] * unknowns]


def _dot(row: Sequence[Number], solution: Sequence[Number]) -> Number:
    return sum((a * b for a, b in zip(row, solution, strict=True) if a), ZERO)


def _classify(
    network: Network,
    floats: FloatNetwork,
    layer: int,
    index: int,
    way: int,
    ranges: Sequence[LayerRange],
    near: Sequence[Any],
) -> tuple[list[list[Any]], list[float], list[list[int]]]:
    """Return per neuron an exact share of its coefficient or the number of an unknown, and the floats of the unknowns;
    besides, the neurons whose coefficient and multiplier both vanish."""
    c = way * floats.layers[layer - 1].weights[index]
    classes: list[list[Any]] = [[] for _ in ranges]
    zeros: list[list[int]] = [[] for _ in ranges]
    unknowns: list[float] = []
    for depth in range(layer - 2, -1, -1):
        activation, found = network.layers[depth].activation, ranges[depth]
        slopes = np.zeros(len(c))
        for i, coefficient in enumerate(c):
            low, high = found.ends(i)
            if not found.free[i]:
                share: Any = ONE if _is_identity(activation, low, high) else ZERO
            else:
                value = float(near[depth][i])
                share = _share(activation, low, high, value, float(coefficient))
                if abs(value) < _SAME and abs(coefficient) < _SAME:
                    zeros[depth].append(i)
                if share is None:
                    share = len(unknowns)
                    unknowns.append(value)
                    slopes[i] = value
            if not isinstance(share, int):
                slopes[i] = float(share) * coefficient
            classes[depth].append(share)
        c = product(slopes, floats.layers[depth].weights)
    return classes, unknowns, zeros


def _is_identity(activation: Activation, low: Number, high: Number) -> bool:
    return activation == "identity" or (low >= 0 and (activation == "relu" or high <= 1))


def _share(activation: Activation, low: Number, high: Number, value: float, coefficient: float) -> Number | None:
    """Return the exact slope of the hull that gives a multiplier from its coefficient, if there is one."""
    near = _SAME * max(abs(coefficient), abs(value), 1e-300)
    guesses = slopes_of(activation, np.array([float(low)]), np.array([float(high)]))
    exact = _exact_slopes(activation, low, high)
    for guess, slope in zip(guesses, exact, strict=True):
        if abs(value - coefficient * float(guess[0])) <= near:
            return slope
    return None


def _exact_slopes(activation: Activation, low: Number, high: Number) -> list[Number]:
    """Return exactly what :func:`verimv.bounding.guess.floats.slopes_of` computes in floats."""
    if activation == "identity":
        return [ONE]
    ends = [(low, high)]
    if activation == "crelu":
        ends += [(low, min(max(ONE, low), high)), (min(max(ZERO, low), high), high)]
    result: list[Number] = [ZERO, ONE]
    for a, b in ends:
        rise = activate(activation, b) - activate(activation, a)
        result.append(rise / (b - a) if b > a else ZERO)
    return result
