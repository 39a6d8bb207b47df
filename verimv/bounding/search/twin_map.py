"""Which neurons of two networks correspond to each other: those whose arguments are nearly multiples of each other.

Layer by layer: arguments of the second network are written over the neurons of the first that correspond to those
below. Any map of twins is sound, so floats suffice to choose one.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import Floats, as_float
from verimv.bounding.prove.twin_layers import Twin
from verimv.exact import ONE, Number, Rational
from verimv.networks.network import Layer, Network

#: A neuron at another place must be closer by this factor to be preferred to the one at the same place.
_CLEARLY = 4.0
#: Neurons whose arguments differ by more than this, relatively, have no twin at another place.
_FAR = 0.5
#: Factors are rounded to fractions with denominators up to the first number, if these are as close as the second.
_SIMPLE, _NEAR = 1000, 1e-6


def are_comparable(a: Network, b: Network) -> bool:
    """Return whether two rational networks have the same activations, layer by layer."""
    kinds = [[layer.activation for layer in network.layers] for network in (a, b)]
    return kinds[0] == kinds[1] and all(side.number_kind != "algebraic" for side in (a, b))


def twins_of(a: Network, b: Network) -> dict[tuple[int, int], Twin]:
    """Return a twin in the first network for each neuron of the second that bends, if there is one like it."""
    result: dict[tuple[int, int], Twin] = {}
    #: values of the second network below, as multiples of those of the first
    below: Any = np.eye(len(a.inputs))
    for depth, (layer, other) in enumerate(zip(a.layers, b.layers, strict=True)):
        own, moved = _arguments(layer), _arguments(other)
        moved = np.hstack([moved[:, :1], moved[:, 1:] @ below])
        indices, factors = _closest(own, moved, layer.activation)
        below = np.zeros((len(moved), len(own)))
        for i, (index, factor) in enumerate(zip(indices, factors, strict=True)):
            if index is not None:
                below[i, index] = float(factor)
                if layer.activation != "identity":
                    result[depth, i] = Twin(index, factor)
    return result


def _arguments(layer: Layer) -> Floats:
    """Return bias and weights of a layer."""
    rows = [[as_float(row.constant), *map(as_float, row.dense(layer.width_in))] for row in layer.rows]
    return np.array(rows, dtype=float)


def _closest(own: Floats, moved: Floats, activation: str) -> tuple[list[int | None], list[Number]]:
    """Return for each row of the second network the closest of the first, and the factor between them."""
    sizes = np.maximum((own * own).sum(axis=1), 1e-300)
    products = moved @ own.T
    factors = np.ones_like(products) if activation == "crelu" else np.maximum(products / sizes, 0.0)
    norms = (moved * moved).sum(axis=1)[:, None]
    distances = np.maximum(norms - 2 * factors * products + factors**2 * sizes, 0.0)
    indices: list[int | None] = []
    found: list[Number] = []
    for i, row in enumerate(distances):
        best = int(np.argmin(row))
        if i < len(row) and (moved[i] - own[i]) @ (moved[i] - own[i]) <= _CLEARLY**2 * row[best]:
            indices.append(i)
            found.append(ONE)
            continue
        is_near = factors[i, best] > 0 and row[best] <= _FAR**2 * norms[i, 0]
        same = i if i < len(row) else None
        indices.append(best if is_near else same)
        found.append(_short(float(factors[i, best])) if is_near else ONE)
    return indices, found


def _short(factor: float) -> Number:
    """Return a fraction near a factor, a simple one if possible."""
    simple = Fraction(factor).limit_denominator(_SIMPLE)
    if simple > 0 and abs(float(simple) - factor) <= _NEAR * factor:
        return Rational(simple.numerator, simple.denominator)
    mantissa, exponent = np.frexp(factor)
    return Rational(round(float(mantissa) * 2**20)) * Rational(2) ** (int(exponent) - 20)
