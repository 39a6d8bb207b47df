"""Operators that are affine in the input: sums, products with constants, convolutions, means."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from verimv.core.errors import InexactWarning, InputError
from verimv.exact import ONE, ZERO, Number, Rational
from verimv.networks.affine import Affine
from verimv.networks.formats.onnx_format.node import Node, Operator, axes_in
from verimv.networks.formats.onnx_format.sliding import SlidingWindows
from verimv.networks.formats.onnx_format.tensors import (
    Array,
    Tensor,
    as_objects,
    check_size,
    constant,
    exact,
    fitting,
    forms,
    integer_type,
    mapped,
    room,
    total,
    variable,
    wrapped,
)
from verimv.networks.transforms.circuit import Circuit

_NOT_LINEAR = "the product of two tensors that both depend on the input is not piecewise linear"


def add(node: Node) -> Tensor:
    return _sum(node.circuit, node.input(0), node.input(1))


def subtract(node: Node) -> Tensor:
    a, b = node.input(0), node.input(1)
    if kind := integer_type(a, b):
        return wrapped(mapped(lambda x, y: int(x) - int(y), a.array, b.array), kind)
    return _sum(node.circuit, a, _negated(b))


def negate(node: Node) -> Tensor:
    tensor = node.input(0)
    if kind := integer_type(tensor):
        if kind.kind == "u":
            raise InputError(f"the negative of {kind}, which is unsigned")
        return wrapped(mapped(lambda x: -int(x), tensor.array), kind)
    return _negated(tensor)


def sum_(node: Node) -> Tensor:
    result, *others = node.all_inputs()
    for other in others:
        result = _sum(node.circuit, result, other)
    return result


def mean(node: Node) -> Tensor:
    if any(tensor.is_integer for tensor in node.all_inputs()):
        raise InputError("the mean of integers; ONNX has it for floats only")
    return _scaled(sum_(node), Rational(1, len(node.inputs)))


def _sum(circuit: Circuit, a: Tensor, b: Tensor) -> Tensor:
    if a.forms and b.forms:
        return variable(mapped(circuit.sum, a.array, b.array))
    if not a.forms and not b.forms:
        if kind := integer_type(a, b):
            return wrapped(mapped(lambda x, y: int(x) + int(y), a.array, b.array), kind)
        return constant(mapped(lambda x, y: x + y, exact(a), exact(b)))
    moving, fixed = (a, b) if a.forms else (b, a)
    return Tensor(mapped(lambda form, number: form.shifted(number), moving.array, exact(fixed)), True)


def _negated(tensor: Tensor) -> Tensor:
    return tensor.with_array(mapped(lambda x: -x, tensor.array if tensor.forms else exact(tensor)))


def _scaled(tensor: Tensor, factor: Number) -> Tensor:
    if not tensor.forms:
        return constant(mapped(lambda number: number * factor, exact(tensor)))
    return variable(mapped(lambda form: form.scaled(factor), tensor.array))


def multiply(node: Node) -> Tensor:
    a, b = node.input(0), node.input(1)
    if a.forms and b.forms:
        raise InputError(_NOT_LINEAR)
    if kind := integer_type(a, b):
        return wrapped(mapped(lambda x, y: int(x) * int(y), a.array, b.array), kind)
    if not a.forms and not b.forms:
        return constant(mapped(lambda x, y: x * y, exact(a), exact(b)))
    moving, fixed = (a, b) if a.forms else (b, a)
    return _multiplied(node.circuit, moving, exact(fixed))


def _multiplied(circuit: Circuit, moving: Tensor, factors: Array) -> Tensor:
    def product(form: Affine, factor: Number) -> Affine:
        circuit.spend(len(form.terms))
        return form.scaled(factor)

    return variable(mapped(product, moving.array, factors))


def divide(node: Node) -> Tensor:
    a, b = node.input(0), node.input(1)
    if b.forms:
        raise InputError("division by a tensor that depends on the input is not piecewise linear")
    divisors = exact(b)
    if any(not divisor for divisor in divisors.flat):
        raise InputError("division by zero")
    if kind := integer_type(a, b):  # towards zero
        return wrapped(mapped(lambda x, y: int(Rational(int(x), int(y))), a.array, b.array), kind)
    if not a.forms:
        return constant(mapped(lambda x, y: x / y, exact(a), divisors))
    return _multiplied(node.circuit, a, mapped(lambda y: 1 / y, divisors))


def matmul(node: Node) -> Tensor:
    return product(node.circuit, node.input(0), node.input(1))


def product(circuit: Circuit, a: Tensor, b: Tensor) -> Tensor:
    """Return a matrix product, by numpy's rules for vectors and stacks of matrices."""
    if a.forms and b.forms:
        raise InputError(_NOT_LINEAR)
    if not a.shape or not b.shape:
        raise InputError("a matrix product of a scalar")
    left = a.array[None, :] if len(a.shape) == 1 else a.array
    right = b.array[:, None] if len(b.shape) == 1 else b.array
    if left.shape[-1] != right.shape[-2]:
        raise InputError(f"shapes {a.shape} and {b.shape} do not fit together")
    try:
        stack = np.broadcast_shapes(left.shape[:-2], right.shape[:-2])
    except ValueError:
        raise InputError(f"shapes {a.shape} and {b.shape} do not fit together") from None
    shape = (*stack, left.shape[-2], right.shape[-1])
    check_size(shape, room(left, right))
    circuit.check_room(math.prod(shape) * left.shape[-1])
    count = math.prod(stack)
    lefts = np.broadcast_to(left, (*stack, *left.shape[-2:])).reshape(count, *left.shape[-2:])
    rights = np.broadcast_to(right, (*stack, *right.shape[-2:])).reshape(count, *right.shape[-2:])
    multiplied: Callable[..., Iterator[Any]] = _forms_times if a.forms else _times_forms if b.forms else _times
    entries = [entry for x, y in zip(lefts, rights, strict=True) for entry in multiplied(circuit, x, y)]
    result = as_objects(entries, shape)
    if len(a.shape) == 1:
        result = result[..., 0, :]
    if len(b.shape) == 1:
        result = result[..., 0]
    if a.forms or b.forms:
        return variable(result)
    kind = integer_type(a, b)
    return wrapped(result, kind) if kind else constant(result)


def _forms_times(circuit: Circuit, x: Array, y: Array) -> Iterator[Affine]:
    """Yield a matrix of forms times one of numbers, row by row."""
    matrix = exact(constant(y)).T
    for row in x:
        yield from _weighted(circuit, matrix, row)


def _times_forms(circuit: Circuit, x: Array, y: Array) -> Iterator[Affine]:
    matrix = exact(constant(x))
    columns = [_weighted(circuit, matrix, column) for column in y.T]
    for i in range(len(matrix)):
        yield from (column[i] for column in columns)


def _times(circuit: Circuit, x: Array, y: Array) -> Iterator[Number]:
    circuit.spend(x.shape[0] * x.shape[1] * y.shape[1])
    columns = exact(constant(y)).T
    for row in exact(constant(x)):
        yield from (total([p * q for p, q in zip(row, column, strict=True)]) for column in columns)


def _weighted(circuit: Circuit, matrix: Array, vector: Sequence[Affine]) -> list[Affine]:
    """Return a matrix of numbers times a vector of forms; faster if all forms are single values of weight 1."""
    numbers = [form.terms[0][0] for form in vector if len(form.terms) == 1 and form.terms[0][1] == 1]
    if len(numbers) < len(vector) or len(set(numbers)) < len(numbers):
        return [circuit.combination(list(zip(row, vector, strict=True))) for row in matrix]
    circuit.spend(matrix.size)
    constants = [(k, form.constant) for k, form in enumerate(vector) if form.constant]
    return [
        Affine(zip(numbers, row, strict=True), total([row[k] * number for k, number in constants])) for row in matrix
    ]


def gemm(node: Node) -> Tensor:
    a, b, c = node.input(0), node.input(1), node.optional(2)
    if len(a.shape) != 2 or len(b.shape) != 2:
        raise InputError(f"expected two matrices, found shapes {a.shape} and {b.shape}")
    a = a.with_array(a.array.T) if node.integer("transA", 0) else a
    b = b.with_array(b.array.T) if node.integer("transB", 0) else b
    alpha, beta = node.number("alpha", 1.0), node.number("beta", 1.0)
    result = _fitting_product(node.circuit, a, b)
    if (alpha != 1 and result.is_integer) or (beta != 1 and c is not None and c.is_integer):
        raise InputError("integers scaled by alpha or beta; leave them at 1")
    if alpha != 1:
        result = _scaled(result, alpha)
    if c is None:
        return result
    shifted = _fitting_sum(node.circuit, result, _scaled(c, beta) if beta != 1 else c)
    if shifted.shape != result.shape:
        raise InputError(f"a bias of shape {c.shape} for a product of shape {result.shape}")
    return shifted


def _fitting_product(circuit: Circuit, a: Tensor, b: Tensor) -> Tensor:
    """Return a product, and refuse overflow of integers: ONNX does not define it for Gemm, onnxruntime has no Gemm of
    integers, and onnx's reference implementation uses floats."""
    if kind := integer_type(a, b):
        return fitting(product(circuit, constant(exact(a)), constant(exact(b))).array, kind, "a product")
    return product(circuit, a, b)


def _fitting_sum(circuit: Circuit, a: Tensor, b: Tensor) -> Tensor:
    if kind := integer_type(a, b):
        return fitting(_sum(circuit, constant(exact(a)), constant(exact(b))).array, kind, "a sum")
    return _sum(circuit, a, b)


def conv(node: Node) -> Tensor:
    """Return the correlation of the input with constant kernels, in any number of dimensions."""
    data, kernels, bias = node.input(0), node.input(1), node.optional(2)
    if kernels.forms:
        raise InputError("kernels that depend on the input" + (f": {_NOT_LINEAR}" if data.forms else ""))
    if len(data.shape) < 3 or len(kernels.shape) != len(data.shape):
        raise InputError(f"expected (N, C, …) and (M, C, …), found shapes {data.shape} and {kernels.shape}")
    group, weights = node.integer("group", 1), exact(kernels)
    channels, maps = data.shape[1], kernels.shape[0]
    if group < 1 or channels != group * kernels.shape[1] or maps % group:
        raise InputError(f"{channels} channels and kernels of shape {kernels.shape} in {group} groups")
    windows = SlidingWindows.of(node, data.shape[2:], kernels.shape[2:])
    shape = (data.shape[0], maps, *windows.output_shape)
    check_size(shape)
    node.circuit.spend(math.prod(shape) * math.prod(kernels.shape[1:]))
    offsets = _bias(bias, maps)
    values = forms(data)
    result = np.empty(shape, dtype=object)
    for image in range(shape[0]):
        for place, cells in windows.places():
            for m in range(maps):
                first = m // (maps // group) * kernels.shape[1]
                parts = [
                    (weights[(m, c, *cell)], values[(image, first + c, *position)])
                    for cell, position in cells
                    for c in range(kernels.shape[1])
                ]
                result[(image, m, *place)] = node.circuit.combination(parts, offsets[m])
    return variable(result)


def _bias(bias: Tensor | None, count: int) -> list[Rational]:
    if bias is None:
        return [ZERO] * count
    if bias.forms or bias.shape != (count,):
        raise InputError(f"expected a constant bias of {count} numbers")
    return list(exact(bias))


def average_pool(node: Node) -> Tensor:
    data = node.input(0)
    if len(data.shape) < 3:
        raise InputError(f"expected (N, C, …), found shape {data.shape}")
    kernel = node.integer_list("kernel_shape")
    if kernel is None:
        raise InputError("expected kernel_shape")
    windows = SlidingWindows.of(node, data.shape[2:], kernel)
    counts_padding = node.flag("count_include_pad", False)

    def average(place: Sequence[int], entries: Sequence[Affine]) -> Affine:
        count = windows.padded_count(place) if counts_padding else len(entries)
        return node.circuit.combination([(Rational(1, count), entry) for entry in entries])

    return variable(windows.pooled(forms(data), average))


def global_average_pool(node: Node) -> Tensor:
    return _reduced(node, node.input(0), spatial_axes(node), keeps=True, divide=True)


def spatial_axes(node: Node) -> tuple[int, ...]:
    """Return the axes of the input (N, C, …) after the first two."""
    shape = node.input(0).shape
    if len(shape) < 3:
        raise InputError(f"expected (N, C, …), found shape {shape}")
    return tuple(range(2, len(shape)))


def reduce_sum(node: Node) -> Tensor:
    return _reduced(node, node.input(0), *reduction(node), divide=False)


def reduce_mean(node: Node) -> Tensor:
    return _reduced(node, node.input(0), *reduction(node), divide=True)


def reduction(node: Node) -> tuple[tuple[int, ...], bool]:
    """Return the axes of a reduction, and whether they are kept with length 1."""
    rank = len(node.input(0).shape)
    axes = node.list_input(1, "axes")
    keeps = node.flag("keepdims", True)
    noop = node.flag("noop_with_empty_axes", False)
    if not axes:
        return () if noop else tuple(range(rank)), keeps
    return axes_in(axes, rank), keeps


def _reduced(node: Node, data: Tensor, axes: tuple[int, ...], keeps: bool, divide: bool) -> Tensor:
    rows, shape = grouped(data, axes, keeps)
    if divide and not rows.shape[1]:
        raise InputError("the mean of nothing")
    factor = Rational(1, rows.shape[1]) if divide else ONE
    if data.forms:
        entries = [node.circuit.combination([(factor, form) for form in row]) for row in rows]
        return variable(as_objects(entries, shape))
    if kind := integer_type(data):
        if divide:
            raise InputError(f"the mean of {kind}, which runtimes round differently; put a Cast to a float before")
        sums = as_objects([sum(map(int, row)) for row in rows], shape)
        return fitting(sums, kind, "a sum")  # onnxruntime saturates, others wrap around
    return constant(as_objects([factor * total(list(row)) for row in exact(data.with_array(rows))], shape))


def grouped(data: Tensor, axes: tuple[int, ...], keeps: bool) -> tuple[Array, tuple[int, ...]]:
    """Return a row for each entry of the result of a reduction over `axes`, and the shape of the result."""
    rest = [axis for axis in range(len(data.shape)) if axis not in axes]
    lengths = [data.shape[axis] for axis in rest]
    count = math.prod(data.shape[axis] for axis in axes)
    rows = np.transpose(data.array, (*rest, *axes)).reshape(math.prod(lengths), count)
    kept = tuple(1 if axis in axes else length for axis, length in enumerate(data.shape))
    return rows, kept if keeps else tuple(lengths)


_ROUNDED = (
    "BatchNormalization: 1/√(variance + ε) is irrational in {:,} of {:,} channels and rounded there to 60 bits "
    "(relative error below 2^-59): the network is that of the rounded numbers"
)


def batch_normalization(node: Node) -> Tensor:
    """Return scale·(x − mean)/√(variance + ε) + bias per channel.

    1/√… is usually irrational, and every channel would add another root to the network's numbers. So it is rounded to
    60 significant bits (a float has 24 or 53), with an :class:`InexactWarning`. No other number of a file is rounded.
    """
    data = node.input(0)
    if node.outputs > 1 or node.integer("training_mode", 0):
        raise InputError("BatchNormalization in training mode; export the network for inference (model.eval())")
    if len(data.shape) < 2:
        raise InputError(f"expected (N, C, …), found shape {data.shape}")
    channels = data.shape[1]
    scale, bias, means, variances = (_bias(node.input(k), channels) for k in range(1, 5))
    epsilon = node.number("epsilon", 1e-5)
    if any(variance + epsilon <= 0 for variance in variances):
        raise InputError("a variance that is not positive")
    roots = [_inverse_root(v + epsilon) for v in variances]
    rounded = sum(root * root * (v + epsilon) != 1 for root, v in zip(roots, variances, strict=True))
    if rounded:
        warnings.warn(InexactWarning(_ROUNDED.format(rounded, channels)), stacklevel=2)
    factors = [s * root for s, root in zip(scale, roots, strict=True)]
    shifts = [b - f * m for b, f, m in zip(bias, factors, means, strict=True)]
    shape = (channels, *[1] * (len(data.shape) - 2))
    scaled = variable(mapped(lambda form, f: form.scaled(f), forms(data), as_objects(factors, shape)))
    return _sum(node.circuit, scaled, constant(as_objects(shifts, shape)))


def _inverse_root(x: Rational) -> Rational:
    """Return 1/√x rounded down to at least 60 significant bits; exact if it is rational."""
    p, q = int(x.numerator), int(x.denominator)
    root_p, root_q = math.isqrt(p), math.isqrt(q)
    if root_p * root_p == p and root_q * root_q == q:
        return Rational(root_q, root_p)
    shift = 120 + 2 * max(0, p.bit_length() - q.bit_length())
    return Rational(math.isqrt((q << shift) // p), 1 << (shift // 2))


ARITHMETIC: dict[str, Operator] = {
    "Add": add,
    "AveragePool": average_pool,
    "BatchNormalization": batch_normalization,
    "Conv": conv,
    "Div": divide,
    "Gemm": gemm,
    "GlobalAveragePool": global_average_pool,
    "MatMul": matmul,
    "Mean": mean,
    "Mul": multiply,
    "Neg": negate,
    "ReduceMean": reduce_mean,
    "ReduceSum": reduce_sum,
    "Sub": subtract,
    "Sum": sum_,
}
