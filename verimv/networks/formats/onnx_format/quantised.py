"""Quantised weights: QuantizeLinear and DequantizeLinear of constants, in exact numbers.

What is rounded while a network runs (a QuantizeLinear of values that depend on the input) is a staircase, and is
refused: no continuous piecewise linear function equals it.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from verimv.core.errors import InputError
from verimv.exact import Rational
from verimv.networks.formats.onnx_format.node import Node, Operator, axis_in
from verimv.networks.formats.onnx_format.tensors import (
    Array,
    Tensor,
    as_objects,
    constant,
    exact,
    four_bit_type,
    mapped,
)

_STAIRCASE = (
    "it rounds values that depend on the input, which is a staircase, not a continuous piecewise linear function. "
    "Quantise the weights only, or remove the QuantizeLinear/DequantizeLinear pairs from the activations: each moves "
    "a value in its range by at most scale/2"
)
#: Integer types by TensorProto.DataType, with their ranges.
_RANGES = {
    2: (0, 255), 3: (-128, 127), 4: (0, 65535), 5: (-32768, 32767), 6: (-(2**31), 2**31 - 1), 21: (0, 15), 22: (-8, 7),
}  # fmt: skip
_TYPES = {"uint8": 2, "int8": 3, "uint16": 4, "int16": 5, "int32": 6, "uint4": 21, "int4": 22}
_UINT8 = 2


def dequantize_linear(node: Node) -> Tensor:
    """Return (x − zero point) · scale, with no rounding: runtimes round the product to a float."""
    data, scale, zero = node.input(0), node.input(1), node.optional(2)
    _check_constant(node)
    kind = _type_of(data)
    if kind not in _RANGES:
        raise InputError(f"expected integers of 4, 8, 16 or 32 bits, found a tensor of {data.array.dtype}")
    if zero is not None and _type_of(zero) != kind:
        raise InputError(f"a zero point of {zero.array.dtype} for integers of {data.array.dtype}")
    factors, zeros = _spread(node, data, scale, zero)
    return constant(mapped(lambda x, z, s: (x - z) * s, _integers(data.array), zeros, factors))


def quantize_linear(node: Node) -> Tensor:
    """Return x / scale, rounded half to even, plus the zero point, and cut to the range of the type.

    Numbers that the file stores as floats are divided in their type, as runtimes do: so the integers are the same.
    """
    data, scale, zero = node.input(0), node.input(1), node.optional(2)
    _check_constant(node)
    kind = node.integer("output_dtype", 0) or (_UINT8 if zero is None else _type_of(zero))
    if kind not in _RANGES or (zero is not None and _type_of(zero) != kind):
        raise InputError("expected a zero point, or output_dtype, of integers of 4, 8, 16 or 32 bits")
    factors, zeros = _spread(node, data, scale, zero)
    low, high = _RANGES[kind]
    entries = [
        min(max(round(q) + z, low), high) for q, z in zip(_quotients(data, scale, factors), zeros.flat, strict=True)
    ]
    return constant(_stored(np.array(entries, dtype=np.int64).reshape(data.shape), kind))


def _check_constant(node: Node) -> None:
    tensors = [tensor for tensor in (node.input(0), node.input(1), node.optional(2)) if tensor is not None]
    if any(tensor.forms for tensor in tensors):
        raise InputError(_STAIRCASE)


def _type_of(tensor: Tensor) -> int:
    """Return the type of stored integers, or 0."""
    return _TYPES.get(tensor.array.dtype.name, 0)


def _integers(array: Array) -> Array:
    return as_objects([Rational(int(x)) for x in array.astype(np.int64).flat], array.shape)


def _stored(array: Array, kind: int) -> Array:
    """Return integers as an array of their type."""
    name = next(name for name, number in _TYPES.items() if number == kind)
    return array.astype(four_bit_type(name) if name.endswith("4") else np.dtype(name))


def _spread(node: Node, data: Tensor, scale: Tensor, zero: Tensor | None) -> tuple[Array, Array]:
    """Return the scale and the zero point of each entry: one for all, one along an axis, or one for each block."""
    if zero is not None and zero.array.size != scale.array.size:
        raise InputError(f"a zero point of shape {zero.shape} for a scale of shape {scale.shape}")
    factors = exact(scale)
    if any(factor <= 0 for factor in factors.flat):
        raise InputError("expected positive scales")
    zeros = as_objects([0] * factors.size, factors.shape) if zero is None else _integers(zero.array)
    places = _places(node, data, factors)
    return factors.reshape(-1)[places], zeros.reshape(-1)[places]


def _places(node: Node, data: Tensor, factors: Array) -> Array:
    """Return for each entry the number of its scale."""
    size = node.integer("block_size", 0)
    numbers = np.arange(factors.size).reshape(factors.shape)
    if factors.size == 1 and not size:
        return np.zeros(data.shape, dtype=np.int64)
    axis = axis_in(node.integer("axis", 1), len(data.shape))
    if size < 0:
        raise InputError(f"attribute block_size: expected an integer ≥ 0, found {size}")
    if not size:
        if factors.shape != (data.shape[axis],):
            raise InputError(f"a scale of shape {factors.shape} for axis {axis} of a tensor of shape {data.shape}")
        shape = [1] * len(data.shape)
        shape[axis] = -1
        return np.broadcast_to(numbers.reshape(shape), data.shape)
    blocks = list(data.shape)
    blocks[axis] = -(-blocks[axis] // size)
    if list(factors.shape) != blocks:
        raise InputError(f"a scale of shape {factors.shape} for blocks of {size} of a tensor of shape {data.shape}")
    return np.repeat(numbers, min(size, data.shape[axis]), axis=axis).take(np.arange(data.shape[axis]), axis=axis)


def _quotients(data: Tensor, scale: Tensor, factors: Array) -> list[Fraction]:
    """Return x / scale for each entry; of stored floats rounded as a float of their type."""
    if data.array.dtype.kind == "f" and data.array.dtype == scale.array.dtype:
        exact(data)  # refuses NaN and infinities
        divisors = np.array([float(factor) for factor in factors.flat]).astype(data.array.dtype)
        with np.errstate(over="ignore"):
            found = data.array.ravel() / divisors
        if not np.isfinite(found).all():
            raise InputError("a quotient that is too large for a float")
        return [Fraction(float(x)) for x in found]
    numbers = mapped(lambda x, s: x / s, exact(data), factors)
    return [Fraction(int(x.numerator), int(x.denominator)) for x in numbers.flat]


QUANTISED: dict[str, Operator] = {
    "DequantizeLinear": dequantize_linear,
    "QuantizeLinear": quantize_linear,
}
