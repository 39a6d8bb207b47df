"""A system of two networks, and ranges of it, as floats for linear programs; and multipliers back as exact numbers.

Weights of differences are computed exactly and rounded once: so a difference of 2^−60 is seen as clearly as one of 1.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import Floats, as_float
from verimv.bounding.guess.twin_relaxation import FloatTwinLayer, FloatTwinRange, TwinMultipliers
from verimv.bounding.prove.twin_layers import TwinLayer, TwinSystem
from verimv.bounding.prove.twin_ranges import Compared, TwinRange
from verimv.bounding.prove.twin_walk import LayerSlopes
from verimv.bounding.prove.walk import Integers
from verimv.exact import Number, Rational


def _floats(numerators: Integers, denominator: int) -> Floats:
    found = [as_float(Rational(int(x), denominator)) if x else 0.0 for x in numerators.ravel()]
    return np.array(found, dtype=float).reshape(numerators.shape)


def float_layers(system: TwinSystem) -> list[FloatTwinLayer]:
    """Return the layers of a system, with the difference of a neuron and its twin instead of the neuron."""
    result = []
    below: TwinLayer | None = None
    for layer in system.layers:
        outer, inner, bias, denominator = layer.rows("d")
        own = _floats(layer.own.entries, layer.denominator), _floats(layer.own_bias, layer.denominator)
        of_changes = _floats(inner, denominator)
        if below is not None:  # w = e + p·v
            outer, denominator = outer * below.unit, denominator * below.unit
            for j, (twin, factor) in enumerate(zip(below.twins, below.factors, strict=True)):
                outer[:, twin] += inner[:, j] * factor
            bias = bias * below.unit
        factors = _floats(layer.factors, layer.unit)
        result.append(
            FloatTwinLayer(
                layer.activation,
                *own,
                of_changes,
                _floats(outer, denominator),
                _floats(bias, denominator),
                layer.twins,
                factors,
                layer.is_used,
            )
        )
        below = layer
    return result


def float_range(found: TwinRange) -> FloatTwinRange:
    """Return the ranges of a layer as floats."""
    one, compared = found.denominator, found.compared
    polygons, cells = {}, {}
    sides = [
        np.array([_floats(end, compared.denominator) for end in ends]) for ends in (compared.z, compared.y, compared.d)
    ]
    shifts = _shifts(compared)
    for n, i in enumerate(compared.at.tolist()):
        if compared.is_multiplied[n]:
            polygons[i] = [(float(ends[0, n]), float(ends[1, n])) for ends in sides]
        else:
            of_y, of_z = (float(slopes[n]) for slopes in compared.slopes)
            cells[i] = (of_y, of_y - of_z, shifts[n])
    z, y = (np.array([_floats(end, one) for end in ends]) for ends in (found.z, found.y))
    return FloatTwinRange(z, y, found.z_bends, found.y_bends, polygons, cells)


def _shifts(compared: Compared) -> list[float]:
    """Return act(y) − act(p·z) in the only cell of each neuron, less its multiples of y and p·z."""
    result: Any = np.zeros(len(compared.at), dtype=object)
    for cell in compared.cells:
        result[cell.exists] = cell.of_y[1] - cell.of_z[1]
    return [float(x) for x in _floats(result, compared.denominator)]


def exact_slopes(multipliers: Sequence[TwinMultipliers], bits: int) -> list[LayerSlopes]:
    """Return multipliers that are rounded: the largest of each layer and kind has so many bits, others fewer."""
    return [LayerSlopes(*(_rounded(part, bits) for part in (m.of_z, m.of_y, m.mu, m.nu))) for m in multipliers]


def _rounded(values: Floats, bits: int) -> list[Number]:
    largest = float(np.abs(values).max(initial=0.0))
    if not 0 < largest < math.inf:
        return [Rational(0)] * len(values)
    unit = bits - math.frexp(largest)[1]
    return [Rational(round(math.ldexp(float(x), unit))) / Rational(2) ** unit for x in values]
