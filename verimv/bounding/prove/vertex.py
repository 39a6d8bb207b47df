"""From floats to exact rationals: points that attain a maximum, and multipliers that prove it.

An optimum of a piecewise linear function lies where inputs are at ends of the box and neurons at kinks: the floats say
which, linear equations say where. In the same way a multiplier is a slope of the hull times its coefficient, or one of
the few unknowns that make coefficients of inputs vanish.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import FloatNetwork, act, product, slopes_of
from verimv.bounding.guess.linear_program import INFINITY, LinearProgram
from verimv.bounding.prove.elimination import Equations
from verimv.bounding.prove.situation import KINKS
from verimv.bounding.prove.walk import LayerRange, Multipliers, Walk, integers, over, value_at
from verimv.exact import ONE, ZERO, Number, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Box, Network, activate

_NEAR = 1e-6
#: Multipliers count as equal to a slope times the coefficient when they differ by less than this share.
_SAME = 1e-7
_SIMPLE = 64


def rational(x: float) -> Number:
    return Rational(*float(x).as_integer_ratio())


def dyadic(values: Any, bits: int) -> Multipliers:
    """Multiples of one power of 2, the largest with so many bits; what is no number becomes 0."""
    values = np.where(np.isfinite(values), values, 0.0)
    largest = float(np.abs(values).max(initial=0.0))
    power = bits - math.frexp(largest)[1]
    wholes = integers(int(x) for x in np.rint(np.ldexp(values, power)).tolist())
    return (wholes, 1 << power) if power >= 0 else (wholes * (1 << -power), 1)


def _simple(x: float) -> Number:
    """A number with a small denominator that is close, or the float itself."""
    guess = Fraction(float(x)).limit_denominator(_SIMPLE)
    return Rational(guess.numerator, guess.denominator) if abs(float(guess) - x) < 1e-9 else rational(x)


def exact_point(
    network: Network, layer: int, index: int, way: int, near: Sequence[float], box: Box
) -> tuple[tuple[Number, ...], Number] | None:
    """A point of the cube beside a float point, with the exact value of way·argument; at a vertex if there is one."""
    if not np.isfinite(near).all():
        return None
    inside = [min(max(float(x), 0.0), 1.0) for x in near]
    candidates = [[rational(x) for x in inside], _vertex(network, layer, inside, box)]
    valued = [(way * value_at(network, layer, index, point), point) for point in candidates]
    value, point = max(valued, key=lambda pair: pair[0])
    if valued[1][0] == value:
        point = candidates[1]
    return tuple(point), value


def _vertex(network: Network, layer: int, x: Sequence[float], box: Box) -> list[Number]:
    """Where the kinks and ends that are near a point meet."""
    equations = Equations(len(x))
    unit = [[Rational(i == j) for j in range(len(x))] for i in range(len(x))]
    for j, at in enumerate(x):
        for side in (ZERO, ONE):
            if abs(at - float(side)) < _NEAR:
                equations.add(unit[j], side)
    forms = [Affine.variable(j) for j in range(len(x))]
    for current in network.layers[: layer - 1]:
        if equations.is_full:
            break
        arguments = [row.substitute(forms) for row in current.rows]
        forms = []
        for argument in arguments:
            slopes = [float(w) for _, w in argument.terms]
            value = float(argument.constant) + sum(s * x[j] for s, (j, _) in zip(slopes, argument.terms, strict=True))
            near = _NEAR * max((abs(s) for s in slopes), default=1.0)
            for kink in KINKS[current.activation]:
                if abs(value - kink) < near:
                    equations.add(argument.dense(len(x)), kink - argument.constant)
            forms.append(_piece(current.activation, argument, value, near))
    for j, (low, high) in enumerate(box):
        for end in (low, high):
            if abs(x[j] - float(end)) < _NEAR:
                equations.add(unit[j], end)
    found = equations.solution([_simple(at) for at in x])
    return [min(max(value, ZERO), ONE) for value in found]


def _piece(activation: Activation, argument: Affine, value: float, near: float) -> Affine:
    """The activation's linear piece at a value; the lower one at a kink."""
    if activation == "identity" or (value > near and (activation == "relu" or value < 1 + near)):
        return argument
    return Affine((), ZERO if value <= near else ONE)


def climb(network: FloatNetwork, layer: int, index: int, way: int, start: Any, steps: int = 6) -> Any:
    """A better point by linear programs on the linear pieces around the best point so far."""
    point, best = start, way * network.values(start[None], layer)[0, index]
    for _ in range(steps):
        cost, rows, low, high = _cell(network, layer, index, way, point)
        answer = LinearProgram(np.zeros(len(point)), np.ones(len(point)), rows, low, high).maximise(cost)
        if answer.status != "optimal" or not np.isfinite(answer.point).all():
            break
        candidate = np.clip(answer.point, 0, 1)
        value = way * network.values(candidate[None], layer)[0, index]
        if not value > best + 1e-12 * (1 + abs(best)):
            break
        point, best = candidate, value
    return point


def _cell(network: FloatNetwork, layer: int, index: int, way: int, point: Any) -> tuple[Any, Any, Any, Any]:
    """The gradient at a point, and the inequalities of the linear piece around it."""
    values, constant = np.eye(len(point)), np.zeros(len(point))
    rows, low, high = [], [], []
    for current in network.layers[: layer - 1]:
        arguments, shift = product(current.weights, values), product(current.weights, constant) + current.bias
        at = product(arguments, point) + shift
        ends = np.full(len(at), -INFINITY), np.full(len(at), INFINITY)
        for kink in KINKS[current.activation]:
            ends[0][at >= kink], ends[1][at < kink] = kink, np.minimum(ends[1][at < kink], kink)
        rows.append(arguments)
        low.append(ends[0] - shift)
        high.append(ends[1] - shift)
        slope = act(current.activation, at + 1e-9) != act(current.activation, at)
        slope = slope if current.activation != "identity" else np.ones(len(at), dtype=bool)
        offset = act(current.activation, at) - np.where(slope, product(arguments, point), 0)
        values, constant = np.where(slope[:, None], arguments, 0), offset
    gradient = way * product(network.layers[layer - 1].weights[index], values)
    if not rows:
        return gradient, np.zeros((0, len(point))), [], []
    return gradient, np.concatenate(rows), np.concatenate(low), np.concatenate(high)


def exact_multipliers(
    walk: Walk, layer: int, index: int, way: int, box: Box, ranges: Sequence[LayerRange], near: Sequence[Any]
) -> list[Multipliers]:
    """Multipliers beside float ones: slopes times coefficients exactly, the others so that coefficients vanish."""
    classes, unknowns, zeros = _classify(walk, layer, index, way, ranges, near)
    equations = Equations(len(unknowns))
    top = walk.network.layers[layer - 1].rows[index]
    forms = [_constant(way * w, len(unknowns)) for w in top.dense(len(near[-1]) if near else len(box))]
    chosen: list[list[list[Number]]] = []
    for depth in range(layer - 1, 0, -1):
        rows = walk.network.layers[depth - 1].rows
        for i in zeros[depth - 1]:
            equations.add(forms[i][1:], -forms[i][0])
        slopes: list[list[Number]] = []
        for i, kind in enumerate(classes[depth - 1]):
            if isinstance(kind, int):
                slopes.append([Rational(j == kind + 1) for j in range(len(unknowns) + 1)])
            else:
                slopes.append([kind * a for a in forms[i]])
        chosen.insert(0, slopes)
        width = walk.network.layers[depth - 1].width_in
        forms = [_constant(ZERO, len(unknowns)) for _ in range(width)]
        for slope, row in zip(slopes, rows, strict=True):
            if any(slope):
                for j, w in row.terms:
                    forms[j] = [a + w * b for a, b in zip(forms[j], slope, strict=True)]
    scale = max([1.0, *(abs(float(v)) for v in unknowns)])
    guess = [_simple(v) for v in unknowns]
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
    walk: Walk, layer: int, index: int, way: int, ranges: Sequence[LayerRange], near: Sequence[Any]
) -> tuple[list[list[Any]], list[float], list[list[int]]]:
    """Per neuron an exact share of its coefficient, or the number of an unknown; the unknowns' floats; and where both
    coefficient and multiplier vanish."""
    network = walk.network
    c = way * walk.layers[layer - 1].floats[index]
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
        c = product(slopes, walk.layers[depth].floats)
    return classes, unknowns, zeros


def _is_identity(activation: Activation, low: Number, high: Number) -> bool:
    return activation == "identity" or (low >= 0 and (activation == "relu" or high <= 1))


def _share(activation: Activation, low: Number, high: Number, value: float, coefficient: float) -> Number | None:
    """The slope of the hull that makes a multiplier from a coefficient, if there is one."""
    near = _SAME * max(abs(coefficient), abs(value), 1e-300)
    guesses = slopes_of(activation, np.array([float(low)]), np.array([float(high)]))
    exact = _exact_slopes(activation, low, high)
    for guess, slope in zip(guesses, exact, strict=True):
        if abs(value - coefficient * float(guess[0])) <= near:
            return slope
    return None


def _exact_slopes(activation: Activation, low: Number, high: Number) -> list[Number]:
    """As :func:`verimv.bounding.guess.floats.slopes_of`, exactly."""
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
