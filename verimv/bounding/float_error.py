"""Bounds on the error of execution in float32: rounding-error analysis, in exact arithmetic.

The layers of a network are taken as they are executed: each neuron is a sum of products and a bias, then an activation,
which is exact in floats. The bound holds for sums in any order and any blocking, with or without fused multiply-add,
with sums kept in float32 or wider, with gradual underflow or with tiny numbers flushed to zero; for IEEE float32
products and sums rounded to nearest. It does not hold for half precision, bfloat16, TF32 or quantised execution.

With u = 2⁻²⁴, a sum of N products and bias takes every product through at most N + 1 roundings, so (Higham, *Accuracy
and Stability of Numerical Algorithms*, Lemma 3.1 and Section 3.1) the computed sum is Σ ŵv̂(1 + θ) + b̂(1 + θ₀) with
|θ| ≤ γ = (N+1)u/(1 − (N+1)u), but for underflow, which adds at most 2⁻¹²⁶ per operation and operand.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verimv.bounding.interval import interval_bounds
from verimv.bounding.results import NetworkBounds
from verimv.bounding.situation import lemma
from verimv.core.errors import InputError, Undecided
from verimv.exact import ONE, ZERO, Number, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Network, activate

#: Half the distance from 1 to the next float; the smallest normal float; the largest float; the smallest float.
UNIT = Rational(1, 1 << 24)
TINY = Rational(1, 1 << 126)
LARGEST = Rational(((1 << 24) - 1) << 104)
SMALLEST = Rational(1, 1 << 149)
#: Relative error of the conversion to a float, perhaps through a double, which can round a near tie the other way.
_CONVERSION = UNIT * (1 + Rational(1, 1 << 20))
#: Results of products and of sums, and two operands of every sum, may each be flushed to zero.
_FLUSHES = 4


def float32_gaps(network: Network, bounds: NetworkBounds | None = None) -> list[Number]:
    """Return for each output a bound on |float32 execution − exact function|, at every point of the network's box.

    Points that are not floats are rounded to the nearest first, and this error is included. `bounds` are proven ranges
    of the neurons, by default intervals. Raises :class:`Undecided` where overflow cannot be excluded.
    """
    if network.number_kind == "algebraic":
        raise InputError("the error of floats is bounded for networks with rational weights only")
    bounds = bounds or interval_bounds(network)
    bounds.check_fits(network)
    errors: list[Number] = [_input_error(low, high) for low, high in network.box]
    sizes = [max(abs(low), abs(high)) for low, high in network.box]
    for depth, layer in enumerate(network.layers):
        computed = [size + error for size, error in zip(sizes, errors, strict=True)]
        found, ends = [], []
        for index, row in enumerate(layer.rows):
            bound = bounds.layers[depth][index]
            magnitude, error = _sum_error(row, computed, errors)
            if magnitude > LARGEST:
                raise Undecided(f"float32 may overflow in neuron {depth + 1}:{index}: no bound on its error")
            found.append(lemma(_activated(layer.activation, bound.lower, bound.upper, error), 1))
            ends.append((activate(layer.activation, bound.lower), activate(layer.activation, bound.upper)))
        errors, sizes = found, [lemma(max(abs(low), abs(high)), 1) for low, high in ends]
    return errors


def float32_gaps_at(network: Network, point: Sequence[Number]) -> list[Number]:
    """Return the bounds at one point, where they are much smaller."""
    return float32_gaps(replace(network, box=tuple((x, x) for x in point)))


def _input_error(low: Number, high: Number) -> Number:
    """Return a bound on the error of an input that is converted to a float."""
    size = max(abs(low), abs(high))
    if size > LARGEST:
        raise Undecided("float32 may overflow in an input: no bound on the error")
    return _rounding(low) if low == high else _CONVERSION * size + TINY


def _rounding(x: Number) -> Number:
    """Return a bound on the error of the float for a number, also where tiny floats are read as zero."""
    if abs(x) < TINY:
        return abs(x) + SMALLEST if x else ZERO
    return ZERO if is_float32(x) else _CONVERSION * abs(x)


def is_float32(x: Number) -> bool:
    """Return whether a number is a float32."""
    if not isinstance(x, Rational):
        return False
    numerator, denominator = abs(int(x.numerator)), int(x.denominator)
    if denominator & (denominator - 1) or denominator > 1 << 149 or abs(x) > LARGEST:
        return False
    return numerator == 0 or numerator.bit_length() - ((numerator & -numerator).bit_length() - 1) <= 24


def _sum_error(row: Affine, computed: Sequence[Number], errors: Sequence[Number]) -> tuple[Number, Number]:
    """Return bounds on every intermediate number of a computed sum, and on the error of the sum."""
    terms = len(row.terms) + (1 if row.constant else 0)
    if not terms:
        return ZERO, ZERO
    carried = _rounding(row.constant)
    magnitude = abs(row.constant) + carried
    for j, weight in row.terms:
        size, rounding = abs(weight), _rounding(weight)
        carried += size * errors[j] + rounding * computed[j]
        magnitude += (size + rounding) * computed[j]
    roundings = (terms + 1) * UNIT
    if roundings >= 1:
        raise Undecided(f"a sum of {terms:,} terms: too long for a bound on its error in float32")
    growth = roundings / (1 - roundings)
    underflow = _FLUSHES * terms * TINY * (1 + growth)
    return magnitude * (1 + growth) + underflow, carried + growth * magnitude + underflow


def _activated(activation: Activation, low: Number, high: Number, error: Number) -> Number:
    """Return the error after an activation, which is exact with slope at most 1; less where its value is constant."""
    left = error
    if activation != "identity" and high <= 0:
        left = min(left, max(ZERO, high + error))
    if activation == "crelu" and low >= 1:
        left = min(left, max(ZERO, ONE - low + error))
    return left + TINY if left else ZERO
