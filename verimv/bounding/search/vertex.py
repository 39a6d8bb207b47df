"""Exact points that attain a maximum, from floats that are near them.

A piecewise linear function has its maximum where inputs are at ends of the box and neurons at kinks: the floats say
which, linear equations say where.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from verimv.bounding.prove.elimination import Equations
from verimv.bounding.prove.walk import value_at
from verimv.bounding.situation import KINKS
from verimv.exact import ONE, ZERO, Number, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Box, Network

#: Distance at which an input counts as being at an end, or a neuron at a kink.
_NEAR = 1e-6
#: Denominators up to this one are simple.
_SIMPLE = 64


def rational(x: float) -> Number:
    """Return a float as the rational that it is."""
    return Rational(*float(x).as_integer_ratio())


def simple(x: float) -> Number:
    """Return a rational with a small denominator near a float, or the float itself if there is none."""
    guess = Fraction(float(x)).limit_denominator(_SIMPLE)
    return Rational(guess.numerator, guess.denominator) if abs(float(guess) - x) < 1e-9 else rational(x)


def exact_point(
    network: Network, layer: int, index: int, way: int, near: Sequence[float], box: Box
) -> tuple[tuple[Number, ...], Number] | None:
    """Return an exact point near a float point, a vertex if that is as good, with the value of way·argument there."""
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
    """Return the point where the kinks and ends of inputs near a float point meet."""
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
    found = equations.solution([simple(at) for at in x])
    return [min(max(value, ZERO), ONE) for value in found]


def _piece(activation: Activation, argument: Affine, value: float, near: float) -> Affine:
    """Return the linear piece of an activation at a value; at a kink the lower one."""
    if activation == "identity" or (value > near and (activation == "relu" or value < 1 + near)):
        return argument
    return Affine((), ZERO if value <= near else ONE)
