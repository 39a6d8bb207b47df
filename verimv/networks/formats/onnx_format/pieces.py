"""Piecewise linear operators, written exactly with ρ and σ."""

from __future__ import annotations

from collections.abc import Callable

from verimv.core.errors import InputError
from verimv.exact import Number
from verimv.networks.affine import Affine
from verimv.networks.formats.onnx_format.arithmetic import grouped, reduction, spatial_axes
from verimv.networks.formats.onnx_format.node import Node, Operator
from verimv.networks.formats.onnx_format.sliding import SlidingWindows
from verimv.networks.formats.onnx_format.tensors import (
    Tensor,
    as_objects,
    exact,
    forms,
    integer_type,
    mapped,
    scalar,
    variable,
    wrapped,
)


def _typed(result: Tensor, *inputs: Tensor) -> Tensor:
    """Give a result of integers the type of its inputs: |−128| is −128 in eight bits."""
    kind = integer_type(*inputs)
    return wrapped(result.array, kind) if kind else result


def relu(node: Node) -> Tensor:
    data = node.input(0)
    return _typed(variable(mapped(node.circuit.relu, forms(data))), data)


def leaky_relu(node: Node) -> Tensor:
    slope = node.number("alpha", 0.01)
    return variable(mapped(lambda form: node.circuit.leaky(form, slope), forms(node.input(0))))


def parametric_relu(node: Node) -> Tensor:
    data, slopes = node.input(0), node.input(1)
    if slopes.forms:
        raise InputError("a slope that depends on the input is not piecewise linear")
    result = variable(mapped(node.circuit.leaky, forms(data), exact(slopes)))
    if result.shape != data.shape:
        raise InputError(f"slopes of shape {slopes.shape} for an input of shape {data.shape}")
    return _typed(result, data, slopes)


def clip(node: Node) -> Tensor:
    data, low, high = node.input(0), _end(node, 1, "min"), _end(node, 2, "max")
    result = variable(mapped(lambda form: node.circuit.clamp(form, low, high), forms(data)))
    ends = [tensor for tensor in node.inputs[1:3] if tensor is not None]
    return _typed(result, data, *ends) if ends or low is high is None else result


def _end(node: Node, index: int, name: str) -> Number | None:
    """Return an end of a Clip: an input since opset 11, an attribute before. None for min = −∞ and max = ∞."""
    tensor, nowhere = node.optional(index), float("-inf") if name == "min" else float("inf")
    if tensor is None:
        value = node.attributes.get(name, nowhere)
        return None if isinstance(value, float) and value == nowhere else node.number(name, 0.0)
    is_float = not tensor.forms and tensor.array.dtype.kind == "f" and tensor.array.size == 1
    return None if is_float and float(tensor.array.ravel()[0]) == nowhere else scalar(tensor, name)


def hard_sigmoid(node: Node) -> Tensor:
    slope, offset = node.number("alpha", 0.2), node.number("beta", 0.5)
    return variable(mapped(lambda form: node.circuit.clip(form.scaled(slope).shifted(offset)), forms(node.input(0))))


def absolute(node: Node) -> Tensor:
    data = node.input(0)
    return _typed(variable(mapped(node.circuit.absolute, forms(data))), data)


def maximum(node: Node) -> Tensor:
    return _joined(node, node.circuit.maximum)


def minimum(node: Node) -> Tensor:
    return _joined(node, node.circuit.minimum)


def _joined(node: Node, join: Callable[[Affine, Affine], Affine]) -> Tensor:
    tensors = node.all_inputs()
    arrays = [forms(tensor) for tensor in tensors]
    return _typed(variable(mapped(lambda *entries: node.circuit.folded(entries, join), *arrays)), *tensors)


def max_pool(node: Node) -> Tensor:
    data = node.input(0)
    if node.outputs > 1:
        raise InputError("the indices of MaxPool are not supported")
    kernel = node.integer_list("kernel_shape")
    if len(data.shape) < 3 or kernel is None:
        raise InputError(f"expected kernel_shape and an input (N, C, …), found shape {data.shape}")
    windows = SlidingWindows.of(node, data.shape[2:], kernel)
    pooled = windows.pooled(forms(data), lambda _, entries: node.circuit.folded(entries, node.circuit.maximum))
    return _typed(variable(pooled), data)


def global_max_pool(node: Node) -> Tensor:
    return _extreme(node, node.circuit.maximum, spatial_axes(node), True)


def reduce_max(node: Node) -> Tensor:
    return _extreme(node, node.circuit.maximum, *reduction(node))


def reduce_min(node: Node) -> Tensor:
    return _extreme(node, node.circuit.minimum, *reduction(node))


def _extreme(node: Node, join: Callable[[Affine, Affine], Affine], axes: tuple[int, ...], keeps: bool) -> Tensor:
    data = node.input(0)
    rows, shape = grouped(data.with_array(forms(data)), axes, keeps)
    if not rows.shape[1]:
        raise InputError("the maximum or minimum of an empty tensor")
    return _typed(variable(as_objects([node.circuit.folded(list(row), join) for row in rows], shape)), data)


PIECES: dict[str, Operator] = {
    "Abs": absolute,
    "Clip": clip,
    "GlobalMaxPool": global_max_pool,
    "HardSigmoid": hard_sigmoid,
    "LeakyRelu": leaky_relu,
    "Max": maximum,
    "MaxPool": max_pool,
    "Min": minimum,
    "PRelu": parametric_relu,
    "ReduceMax": reduce_max,
    "ReduceMin": reduce_min,
    "Relu": relu,
}
