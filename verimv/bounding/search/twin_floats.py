"""A system of two networks, and ranges of it, as floats for linear programs; and multipliers back as exact numbers.

Weights of differences are computed exactly and rounded once: so a difference of 2^−60 is seen as clearly as one of 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import Floats, as_float
from verimv.bounding.guess.twin_relaxation import FloatTwinRanges, FloatTwins, TwinMultipliers
from verimv.bounding.prove.twin_layers import TwinIdentity, TwinSystem, identity_of
from verimv.bounding.prove.twin_ranges import Compared, TwinRange
from verimv.bounding.prove.twin_walk import LayerSlopes
from verimv.bounding.prove.walk import Integers
from verimv.exact import ONE, ZERO, Number, Rational
from verimv.networks.affine import Affine, combination
from verimv.networks.network import Activation


def _floats(numerators: Integers, denominator: int) -> Floats:
    found = [as_float(Rational(int(x), denominator)) if x else 0.0 for x in numerators.ravel()]
    return np.array(found, dtype=float).reshape(numerators.shape)


def float_twins(system: TwinSystem) -> FloatTwins:
    """Return a system over the differences of neurons and twins, instead of the neurons."""
    #: values and arguments of all variables over u: act(y) − act(x) of those with a twin, act(y) of the others
    values, arguments = [Affine.variable(j) for j in range(system.inputs)], [Affine(())] * system.inputs
    changes: list[Affine] = []
    activations: list[Activation] = []
    identities: list[TwinIdentity] = []
    for k, row in enumerate(system.arguments, start=system.inputs):
        activations.append(system.layers[system.places[k][0]].activation)
        twin = system.twins.get(k)
        identity = identity_of(activations[-1], ZERO if twin is None else twin.factor)
        argument, own = row.substitute(values), Affine.variable(k)
        arguments.append(argument)
        identities.append(identity)
        if twin is None:
            changes.append(argument)
            values.append(own)
        else:
            z, value = arguments[twin.variable], values[twin.variable]
            changes.append(combination([(ONE, argument), (-identity.factor, z)], ZERO - identity.offset))
            parts = [(ONE, own), (identity.of_value, value), (identity.of_argument, z)]
            values.append(combination(parts, ZERO + identity.offset))
    weights = np.zeros((len(changes), len(values)))
    for i, row in enumerate(changes):
        for j, w in row.terms:
            weights[i, j] = as_float(w)
    is_used = np.concatenate([layer.is_used for layer in system.layers[1:]])
    return FloatTwins(
        system.inputs,
        system.layers[-1].width,
        activations,
        weights,
        np.array([as_float(row.constant) for row in changes]),
        np.array([system.twins[k].variable if k in system.twins else -1 for k in range(system.inputs, len(values))]),
        np.array([[as_float(ZERO + x) for x in identity] for identity in identities]),
        is_used,
    )


def float_ranges(system: TwinSystem, ranges: Sequence[TwinRange]) -> FloatTwinRanges:
    """Return the ranges of all neurons as floats."""
    polygons, cells = {}, {}
    for layer, found in zip(system.layers[1:], ranges[1:], strict=False):
        compared, start = found.compared, layer.start - system.inputs
        sides = [
            np.array([_floats(end, compared.denominator) for end in ends])
            for ends in (compared.x, compared.y, compared.d)
        ]
        shifts = _shifts(compared)
        for n, i in enumerate(compared.at.tolist()):
            if compared.is_multiplied[n]:
                polygons[start + i] = [(float(ends[0, n]), float(ends[1, n])) for ends in sides]
            else:
                of_y, of_x = (float(slopes[n]) for slopes in compared.slopes)
                cells[start + i] = (of_y, of_y - of_x, shifts[n])
    y = [np.array([_floats(end, found.denominator) for end in found.y]) for found in ranges[1:]]
    bends = [found.bends for found in ranges[1:]]
    return FloatTwinRanges(np.concatenate(y, axis=1), np.concatenate(bends), polygons, cells)


def _shifts(compared: Compared) -> list[float]:
    """Return act(y) − act(x) in the only cell of each neuron, less its multiples of y and x."""
    result: Any = np.zeros(len(compared.at), dtype=object)
    for cell in compared.cells:
        result[cell.exists] = cell.of_y[1] - cell.of_x[1]
    return [float(x) for x in _floats(result, compared.denominator)]


def exact_slopes(system: TwinSystem, multipliers: TwinMultipliers, bits: int) -> list[LayerSlopes]:
    """Return multipliers that are rounded: the largest of each layer and kind has so many bits, others fewer."""
    result = [LayerSlopes((), (), ())]
    for layer in system.layers[1 : system.top]:
        start = layer.start - system.inputs
        part = slice(start, start + layer.width)
        result.append(
            LayerSlopes(*(_rounded(m[part], bits) for m in (multipliers.of_y, multipliers.mu, multipliers.nu)))
        )
    return result


def _rounded(values: Floats, bits: int) -> list[Number]:
    largest = float(np.abs(values).max(initial=0.0))
    if not 0 < largest < math.inf:
        return [Rational(0)] * len(values)
    unit = bits - math.frexp(largest)[1]
    return [Rational(round(math.ldexp(float(x), unit))) / Rational(2) ** unit for x in values]
