"""Operators that move entries and compute nothing, for constants and for variable tensors."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from verimv.core.errors import InputError
from verimv.exact import ZERO
from verimv.networks.affine import Affine
from verimv.networks.formats.onnx_format.node import Node, Operator, axes_in, axis_in
from verimv.networks.formats.onnx_format.tensors import (
    MAX_MADE,
    Array,
    Tensor,
    as_objects,
    check_size,
    constant,
    exact,
    fitting,
    forms,
    integer,
    integer_type,
    integers,
    room,
    scalar,
)

#: Float and integer types to which a constant can be cast, by TensorProto.DataType.
_FLOATS = {1: np.float32, 10: np.float16, 11: np.float64}
_INTEGERS: dict[int, type[np.integer[Any]]] = {
    2: np.uint8, 3: np.int8, 4: np.uint16, 5: np.int16, 6: np.int32, 7: np.int64, 12: np.uint32, 13: np.uint64,
}  # fmt: skip
_BFLOAT16 = 16


def identity(node: Node) -> Tensor:
    return node.input(0)


def dropout(node: Node) -> list[Tensor]:
    """Return the input: in inference, Dropout is the identity."""
    training = node.optional(2)
    if training is not None and (training.forms or training.array.any()):
        raise InputError("Dropout in training mode is random; export the network for inference (model.eval())")
    if node.outputs > 1:
        raise InputError("the mask of Dropout is not supported")
    return [node.input(0)]


def flatten(node: Node) -> Tensor:
    tensor = node.input(0)
    rank = len(tensor.shape)
    axis = node.integer("axis", 1)
    if not -rank <= axis <= rank:
        raise InputError(f"axis {axis} of a tensor with {rank} axes")
    axis = axis + rank if axis < 0 else axis
    rows = int(np.prod(tensor.shape[:axis], dtype=np.int64))
    columns = int(np.prod(tensor.shape[axis:], dtype=np.int64))
    return tensor.with_array(tensor.array.reshape(rows, columns))


def reshape(node: Node) -> Tensor:
    tensor = node.input(0)
    wanted = node.list_input(1, "shape")
    if wanted is None:
        raise InputError("expected a shape")
    keeps_zero = node.flag("allowzero", False)
    shape = []
    for axis, length in enumerate(wanted):
        if length == 0 and not keeps_zero:
            if axis >= len(tensor.shape):
                raise InputError(f"shape {wanted} copies an axis that the input does not have")
            length = tensor.shape[axis]
        if length < -1:
            raise InputError(f"shape {wanted}")
        shape.append(length)
    return tensor.with_array(_reshaped(tensor.array, shape))


def _reshaped(array: Array, shape: Sequence[int]) -> Array:
    check_size([max(1, length) for length in shape])
    try:
        return array.reshape(tuple(shape))
    except (ValueError, OverflowError):
        raise InputError(f"a tensor of shape {array.shape} cannot be reshaped to {tuple(shape)}") from None


def squeeze(node: Node) -> Tensor:
    tensor = node.input(0)
    axes = node.list_input(1, "axes")
    if axes is None:
        return tensor.with_array(np.squeeze(tensor.array))
    if not axes and 1 in tensor.shape:  # onnxruntime reads it as all axes, onnx's reference implementation as none
        raise InputError("an empty list of axes: name them, or leave the list out for all of length 1")
    found = axes_in(axes, len(tensor.shape))
    if any(tensor.shape[axis] != 1 for axis in found):
        raise InputError(f"axes {axes} of shape {tensor.shape} are not all of length 1")
    return tensor.with_array(np.squeeze(tensor.array, found))


def unsqueeze(node: Node) -> Tensor:
    tensor = node.input(0)
    axes = node.list_input(1, "axes")
    if axes is None:
        raise InputError("expected axes")
    check_size([1] * (len(tensor.shape) + len(axes)))
    return tensor.with_array(np.expand_dims(tensor.array, axes_in(axes, len(tensor.shape) + len(axes))))


def transpose(node: Node) -> Tensor:
    tensor = node.input(0)
    order = node.integer_list("perm")
    if order is not None and sorted(order) != list(range(len(tensor.shape))):
        raise InputError(f"perm {order} is not a permutation of {len(tensor.shape)} axes")
    return tensor.with_array(np.transpose(tensor.array, order))


def concat(node: Node) -> Tensor:
    tensors = node.all_inputs()
    rank = len(tensors[0].shape)
    if not rank:
        raise InputError("scalars cannot be joined")
    axis = axis_in(node.integer("axis", 1), rank)
    for tensor in tensors:
        if len(tensor.shape) != rank or any(
            a != b for k, (a, b) in enumerate(zip(tensor.shape, tensors[0].shape, strict=True)) if k != axis
        ):
            raise InputError(f"shapes {tensors[0].shape} and {tensor.shape} cannot be joined along axis {axis}")
    distinct = {id(tensor): tensor.array.size for tensor in tensors}
    check_size([sum(tensor.array.size for tensor in tensors)], max(MAX_MADE, sum(distinct.values())))
    if any(tensor.forms for tensor in tensors):
        return Tensor(np.concatenate([forms(tensor) for tensor in tensors], axis), True)
    if len({tensor.array.dtype for tensor in tensors}) > 1:
        return constant(np.concatenate([exact(tensor) for tensor in tensors], axis))
    return constant(np.concatenate([tensor.array for tensor in tensors], axis))


def split(node: Node) -> list[Tensor]:
    tensor = node.input(0)
    if not tensor.shape:
        raise InputError("a scalar cannot be split")
    axis = axis_in(node.integer("axis", 0), len(tensor.shape))
    length = tensor.shape[axis]
    lengths = node.list_input(1, "split")
    if lengths is None:
        parts = node.integer("num_outputs", node.outputs)
        if parts != node.outputs or parts < 1:
            raise InputError(f"{parts} parts for {node.outputs} outputs")
        each = -(-length // parts)
        lengths = [max(0, min(each, length - each * part)) for part in range(parts)]
    if sum(lengths) != length or min(lengths, default=0) < 0 or len(lengths) != node.outputs:
        raise InputError(f"parts of lengths {lengths} do not make up {length}")
    ends = np.cumsum(lengths)[:-1].tolist()
    return [tensor.with_array(part) for part in np.split(tensor.array, ends, axis)]


def slice_(node: Node) -> Tensor:
    tensor = node.input(0)
    starts, ends = node.list_input(1, "starts"), node.list_input(2, "ends")
    if starts is None or ends is None or len(starts) != len(ends):
        raise InputError("expected as many starts as ends")
    axes = node.list_input(3, "axes")
    axes = list(range(len(starts))) if axes is None else axes
    steps_input = node.optional(4)
    steps = [1] * len(starts) if steps_input is None else integers(steps_input, "steps")
    if len(axes) != len(starts) or len(steps) != len(starts) or 0 in steps:
        raise InputError("expected an axis and a step other than 0 for each start")
    found = axes_in(axes, len(tensor.shape))
    if not tensor.shape:
        return tensor
    cuts = [slice(None)] * len(tensor.shape)
    for axis, start, end, step in zip(found, starts, ends, steps, strict=True):
        cuts[axis] = _cut(start, end, step, tensor.shape[axis])
    return tensor.with_array(tensor.array[tuple(cuts)])


def _cut(start: int, end: int, step: int, length: int) -> slice:
    """Return Python's slice, except for an end before the first entry when stepping back."""
    if step < 0 and end < -length:
        if start < -length < 0:  # onnxruntime returns the first entry, onnx's reference implementation nothing
            raise InputError(f"stepping back from {start} on an axis of length {length}")
        return slice(start, None, step)
    return slice(start, end, step)


def gather(node: Node) -> Tensor:
    tensor, indices = node.input(0), node.input(1)
    if not tensor.shape:
        raise InputError("a scalar has no entries to gather")
    axis = axis_in(node.integer("axis", 0), len(tensor.shape))
    length = tensor.shape[axis]
    wanted = integers(indices, "indices")
    if any(not -length <= index < length for index in wanted):
        raise InputError(f"an index outside an axis of length {length}")
    shape = (*tensor.shape[:axis], *indices.shape, *tensor.shape[axis + 1 :])
    check_size(shape, room(tensor.array, indices.array))
    places = np.array([index % length for index in wanted], dtype=np.int64)
    return tensor.with_array(np.take(tensor.array, places, axis).reshape(shape))


def pad(node: Node) -> Tensor:
    """Pad with a constant, or by mode reflect or edge."""
    tensor = node.input(0)
    pads = node.list_input(1, "pads")
    if pads is None:
        raise InputError("expected pads")
    rank = len(tensor.shape)
    axes_input = node.optional(3)
    axes = axes_in(integers(axes_input, "axes"), rank) if axes_input is not None else tuple(range(rank))
    if len(pads) != 2 * len(axes):
        raise InputError(f"expected {2 * len(axes)} pads, found {len(pads)}")
    mode = node.text("mode", "constant")
    if mode not in _PAD_MODES:
        raise InputError(f"mode {mode}: expected one of {', '.join(_PAD_MODES)}")
    widths = [(0, 0)] * rank
    for k, axis in enumerate(axes):
        widths[axis] = (pads[k], pads[len(axes) + k])
        if max(0, -pads[k]) + max(0, -pads[len(axes) + k]) > tensor.shape[axis]:
            raise InputError(f"pads {pads} cut more off axis {axis} than its length, {tensor.shape[axis]}")
    cuts = tuple(
        slice(max(0, -before), length - max(0, -after))
        for (before, after), length in zip(widths, tensor.shape, strict=True)
    )
    if not rank:
        return tensor
    array = tensor.array[cuts]
    grown = [(max(0, before), max(0, after)) for before, after in widths]
    lengths = [length + before + after for (before, after), length in zip(grown, array.shape, strict=True)]
    check_size(lengths, room(array))
    if mode != "constant":
        return tensor.with_array(_moved(array, grown, mode))
    return _padded(tensor.with_array(array), grown, _pad_value(node))


_PAD_MODES = ("constant", "reflect", "edge", "wrap")


def _moved(array: Array, widths: Sequence[tuple[int, int]], mode: str) -> Array:
    if not array.size:
        raise InputError(f"mode {mode} on an empty tensor")
    if mode == "reflect" and any(max(pair) >= length for pair, length in zip(widths, array.shape, strict=True)):
        raise InputError("reflect by more than the length of an axis")
    if mode == "reflect":
        return np.pad(array, widths, "reflect")
    return np.pad(array, widths, "edge") if mode == "edge" else np.pad(array, widths, "wrap")


def _pad_value(node: Node) -> Tensor:
    value = node.optional(2)
    if value is None:
        return constant(as_objects([node.number("value", 0.0)], ()))
    if value.forms or value.array.size != 1:
        raise InputError("the value to pad with: expected one constant number")
    return value.with_array(value.array.reshape(()))


def _padded(tensor: Tensor, widths: Sequence[tuple[int, int]], value: Tensor) -> Tensor:
    shape = [length + before + after for (before, after), length in zip(widths, tensor.shape, strict=True)]
    inner = tuple(slice(before, before + length) for (before, _), length in zip(widths, tensor.shape, strict=True))
    result = np.empty(tuple(shape), dtype=object if tensor.forms else exact(tensor).dtype)
    number = scalar(value, "the value to pad with")
    result[...] = as_objects([Affine((), number) if tensor.forms else number], ())
    result[inner] = tensor.array if tensor.forms else exact(tensor)
    kind = integer_type(tensor, value) if value.is_integer else integer_type(tensor)
    return fitting(result, kind, "a value to pad with") if kind else tensor.with_array(result)


def cast(node: Node) -> Tensor:
    """Cast a tensor. A cast to a float rounds stored constants; variable tensors and computed numbers stay exact. Only
    constants can be cast to integers."""
    tensor, to = node.input(0), node.integer("to", 0)
    if to in _FLOATS or to == _BFLOAT16:
        if tensor.forms or tensor.array.dtype == object:
            return tensor
        with np.errstate(over="ignore"):  # infinite numbers are refused where they are used
            return constant(_bfloat16(tensor.array) if to == _BFLOAT16 else tensor.array.astype(_FLOATS[to]))
    if to not in _INTEGERS or tensor.forms:
        raise InputError("a cast to anything but a float: what depends on the input stays a real number here")
    whole = [int(number) for number in exact(_numeric(tensor)).flat]
    limits = np.iinfo(_INTEGERS[to])
    if any(not limits.min <= number <= limits.max for number in whole):
        raise InputError(f"a cast to {np.dtype(_INTEGERS[to])} overflows")
    return constant(np.array(whole, dtype=_INTEGERS[to]).reshape(tensor.shape))


def _bfloat16(array: Array) -> Array:
    """Round to bfloat16 (eight significant bits, ties to even), as float32, since numpy has no bfloat16."""
    single = array.astype(np.float32)
    bits = single.view(np.uint32).astype(np.uint64)
    rounded = ((bits + 0x7FFF + (bits >> 16 & 1)) & 0xFFFF0000).astype(np.uint32).view(np.float32)
    return np.where(np.isfinite(single), rounded, single)


def _numeric(tensor: Tensor) -> Tensor:
    return constant(tensor.array.astype(np.int64)) if tensor.array.dtype.kind == "b" else tensor


def shape(node: Node) -> Tensor:
    tensor = node.input(0)
    lengths = list(tensor.shape)
    start, end = node.integer("start", 0), node.integer("end", len(lengths))
    return constant(np.array(lengths[start:end], dtype=np.int64))


def size(node: Node) -> Tensor:
    return constant(np.array(node.input(0).array.size, dtype=np.int64))


def constant_of_shape(node: Node) -> Tensor:
    lengths = integers(node.input(0), "shape")
    check_size(lengths, MAX_MADE)
    value = node.attributes.get("value")
    if value is None:
        return constant(as_objects([ZERO] * int(np.prod(lengths, dtype=np.int64)), lengths))
    if not isinstance(value, np.ndarray) or value.size != 1:
        raise InputError("attribute value: expected a tensor of one number")
    return constant(np.full(tuple(lengths), value.ravel()[0], dtype=value.dtype))


def expand(node: Node) -> Tensor:
    tensor, lengths = node.input(0), integers(node.input(1), "shape")
    if min(lengths, default=0) < 0:
        raise InputError(f"shape {lengths}")
    check_size([1] * len(lengths))
    try:
        target = np.broadcast_shapes(tensor.shape, tuple(lengths))
    except ValueError:
        raise InputError(f"shape {tensor.shape} cannot be expanded to {lengths}") from None
    check_size(target, room(tensor.array))
    return tensor.with_array(np.broadcast_to(tensor.array, target))


def constant_(node: Node) -> Tensor:
    given = [name for name in node.attributes if name.startswith("value")]
    value = node.attributes[given[0]] if len(given) == 1 else None
    if given == ["value"] and isinstance(value, np.ndarray):
        return constant(value)
    for name, kind, dtype in (("value_int", int, np.int64), ("value_float", float, np.float32)):
        entries = value if isinstance(value, list) else [value]
        if given == [f"{name}{'s' * isinstance(value, list)}"] and all(isinstance(entry, kind) for entry in entries):
            return constant(np.array(value, dtype=dtype))
    raise InputError("expected one value, a dense tensor or numbers")


def range_(node: Node) -> Tensor:
    tensors = [node.input(k) for k in range(3)]
    start, limit, step = (
        integer(tensor, name) for tensor, name in zip(tensors, ("start", "limit", "delta"), strict=True)
    )
    if not step:
        raise InputError("a range with step 0")
    numbers = range(start, limit, step)
    check_size([max(0, -(-(limit - start) // step))], MAX_MADE)
    return constant(np.array(numbers, dtype=integer_type(*tensors)))


SHAPES: dict[str, Operator] = {
    "Cast": cast,
    "Concat": concat,
    "Constant": constant_,
    "ConstantOfShape": constant_of_shape,
    "Dropout": dropout,
    "Expand": expand,
    "Flatten": flatten,
    "Gather": gather,
    "Identity": identity,
    "Pad": pad,
    "Range": range_,
    "Reshape": reshape,
    "Shape": shape,
    "Size": size,
    "Slice": slice_,
    "Split": split,
    "Squeeze": squeeze,
    "Transpose": transpose,
    "Unsqueeze": unsqueeze,
}
