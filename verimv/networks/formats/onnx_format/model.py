"""The bytes of an ONNX file as plain tensors, with every length checked before anything is allocated.

Nothing in a model is run. Data outside the file is read only from regular files in the model's own folder.
"""

from __future__ import annotations

import math
import os
import stat
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from google.protobuf.message import DecodeError, Message

from verimv.core.errors import InputError
from verimv.core.files import unreadable
from verimv.exact import shown
from verimv.networks.formats.onnx_format.tensors import Array, check_size, four_bit_type

MAX_BYTES = 1 << 30

_DTYPES: dict[int, str] = {
    onnx.TensorProto.FLOAT: "<f4", onnx.TensorProto.UINT8: "|u1", onnx.TensorProto.INT8: "|i1",
    onnx.TensorProto.UINT16: "<u2", onnx.TensorProto.INT16: "<i2", onnx.TensorProto.INT32: "<i4",
    onnx.TensorProto.INT64: "<i8", onnx.TensorProto.BOOL: "|b1", onnx.TensorProto.FLOAT16: "<f2",
    onnx.TensorProto.DOUBLE: "<f8", onnx.TensorProto.UINT32: "<u4", onnx.TensorProto.UINT64: "<u8",
}  # fmt: skip
_FIELDS: dict[int, str] = {
    onnx.TensorProto.FLOAT: "float_data",
    onnx.TensorProto.DOUBLE: "double_data",
    onnx.TensorProto.INT64: "int64_data",
    onnx.TensorProto.UINT32: "uint64_data",
    onnx.TensorProto.UINT64: "uint64_data",
}
#: Integers of four bits, two in each byte.
_FOUR_BITS: dict[str, str] = {"UINT4": "uint4", "INT4": "int4"}


def parse_model(data: bytes) -> onnx.ModelProto:
    model = onnx.ModelProto()
    try:
        model.ParseFromString(data)
    except DecodeError:
        raise InputError("not an ONNX model: the protobuf is damaged") from None
    if not model.graph.node and not model.graph.output:
        raise InputError("not an ONNX model: it has no graph")
    if any(not isinstance(text, str) for text in _texts(model)):
        raise InputError("not an ONNX model: a name in it is not UTF-8 text")
    return model


def _texts(model: onnx.ModelProto) -> Iterator[Any]:
    """Yield every name of the model; protobuf returns bytes for a name that is not text."""
    graph = model.graph
    yield from (entry.domain for entry in model.opset_import)
    for pair in model.metadata_props:
        yield from (pair.key, pair.value)
    yield from (value.name for value in (*graph.input, *graph.output))
    tensors = list(graph.initializer)
    for node in graph.node:
        yield from (node.name, node.op_type, node.domain, *node.input, *node.output)
        for attribute in node.attribute:
            yield from (attribute.name, attribute.ref_attr_name)
            tensors.append(attribute.t)
    for tensor in tensors:
        yield tensor.name
        for entry in tensor.external_data:
            yield from (entry.key, entry.value)


def read_bytes(path: Path, limit: int = MAX_BYTES) -> bytes:
    """Read a regular file of bounded size."""
    try:
        with open(path, "rb", opener=_without_waiting) as file:
            found = os.fstat(file.fileno())
            if not stat.S_ISREG(found.st_mode):
                raise InputError("not a regular file", source=str(path))
            if found.st_size > limit:
                raise InputError(f"{found.st_size:,} bytes, more than the limit of {limit:,}", source=str(path))
            return file.read(limit + 1)
    except OSError as error:
        raise unreadable(error, path) from None


def _without_waiting(path: str, flags: int) -> int:
    """Open without waiting: a pipe must be refused at once, not when a process writes to it."""
    return os.open(path, flags | getattr(os, "O_NONBLOCK", 0))


def tensor_array(tensor: onnx.TensorProto, folder: Path | None) -> Array:
    """Return the numbers of a stored tensor. `folder` is where external data may be; None forbids it."""
    kind = tensor.data_type
    if _type_name(kind) in _FOUR_BITS:
        return _four_bit_integers(tensor, folder)
    if kind not in _DTYPES:
        raise InputError(f"tensor {shown(tensor.name)}: numbers of type {_type_name(kind)} are not supported")
    dtype, shape = np.dtype(_DTYPES[kind]), list(tensor.dims)
    check_size(shape)
    count = math.prod(shape)
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        raw = _external(tensor, folder, count * dtype.itemsize)
    elif tensor.HasField("raw_data"):
        raw = tensor.raw_data
    else:
        return _typed(tensor, dtype, count).reshape(shape)
    if len(raw) != count * dtype.itemsize:
        raise InputError(
            f"tensor {shown(tensor.name)}: expected {count * dtype.itemsize:,} bytes for shape {shape}, "
            f"found {len(raw):,}"
        )
    return np.frombuffer(raw, dtype).reshape(shape)


def _four_bit_integers(tensor: onnx.TensorProto, folder: Path | None) -> Array:
    """Return integers of four bits; the first of two is in the lower half of its byte."""
    shape = list(tensor.dims)
    check_size(shape)
    count = math.prod(shape)
    size = (count + 1) // 2
    if tensor.data_location == onnx.TensorProto.EXTERNAL:
        raw = _external(tensor, folder, size)
    elif tensor.HasField("raw_data"):
        raw = tensor.raw_data
    else:
        raw = bytes(value & 0xFF for value in tensor.int32_data)
    if len(raw) != size:
        raise InputError(f"tensor {shown(tensor.name)}: expected {size:,} bytes for shape {shape}, found {len(raw):,}")
    packed = np.frombuffer(raw, np.uint8)
    halves = np.stack([packed & 15, packed >> 4], axis=1).ravel()[:count].astype(np.int8)
    name = _FOUR_BITS[_type_name(tensor.data_type)]
    signed = np.where(halves > 7, halves - 16, halves) if name == "int4" else halves
    return signed.astype(four_bit_type(name)).reshape(shape)


def _typed(tensor: onnx.TensorProto, dtype: np.dtype[Any], count: int) -> Array:
    """Return numbers that are stored one by one; half floats are stored as their bits."""
    stored = list(getattr(tensor, _FIELDS.get(tensor.data_type, "int32_data")))
    if len(stored) != count:
        raise InputError(f"tensor {shown(tensor.name)}: expected {count:,} numbers, found {len(stored):,}")
    try:
        if dtype.kind == "f" and dtype.itemsize == 2:
            return np.array(stored, dtype=np.uint16).view(np.float16)
        return np.array(stored, dtype=dtype)
    except (OverflowError, ValueError):
        raise InputError(f"tensor {shown(tensor.name)}: a number does not fit the type {dtype}") from None


def _external(tensor: onnx.TensorProto, folder: Path | None, length: int) -> bytes:
    entries = {entry.key: entry.value for entry in tensor.external_data}
    location = entries.get("location", "")
    if folder is None:
        raise InputError(f"tensor {shown(tensor.name)} has external data, but the model was not read from a file")
    root = Path(os.path.realpath(folder))
    if not location or "\0" in location or os.path.isabs(location):
        raise InputError(f"tensor {shown(tensor.name)}: external data at {shown(location)}, not a relative path")
    path = Path(os.path.realpath(root / location))
    if not path.is_relative_to(root) or path == root:
        raise InputError(f"tensor {shown(tensor.name)}: external data at {shown(location)}, outside the model's folder")
    data = read_bytes(path)
    start = _whole(entries.get("offset", "0"))
    size = _whole(entries["length"]) if "length" in entries else length
    if start + size > len(data):
        raise InputError(f"tensor {shown(tensor.name)}: the external data is too short")
    return data[start : start + size]


def _whole(text: str) -> int:
    if not text.isascii() or not text.isdigit() or len(text) > 18:
        raise InputError(f"external data: expected an integer, found {shown(text)}")
    return int(text)


def _type_name(kind: int) -> str:
    return str(onnx.TensorProto.DataType.Name(kind)) if kind in onnx.TensorProto.DataType.values() else str(kind)


def attribute_values(node: onnx.NodeProto, folder: Path | None) -> Mapping[str, Any]:
    """Return attributes as Python values. Graphs and sparse tensors, which no operator accepts, are not converted."""
    values: dict[str, Any] = {}
    for attribute in node.attribute:
        if attribute.ref_attr_name:
            raise InputError(f"attribute {shown(attribute.name)} refers to a function")
        if attribute.name in values:
            raise InputError(f"attribute {shown(attribute.name)} is given twice")
        values[attribute.name] = _attribute(attribute, folder)
    return values


def _attribute(attribute: onnx.AttributeProto, folder: Path | None) -> Any:
    types = onnx.AttributeProto
    if attribute.type == types.FLOAT:
        return float(attribute.f)
    if attribute.type == types.INT:
        return int(attribute.i)
    if attribute.type == types.STRING:
        return attribute.s.decode("utf-8", "replace")
    if attribute.type == types.TENSOR:
        return tensor_array(attribute.t, folder)
    if attribute.type == types.FLOATS:
        return list(attribute.floats)
    if attribute.type == types.INTS:
        return list(attribute.ints)
    unread: Message = attribute
    return unread
