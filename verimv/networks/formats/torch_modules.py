"""PyTorch networks: `nn.Sequential` of known layers, or safetensors with a list of layers. Nothing is unpickled or run.

Layers are recognised by the names of their classes and read through their attributes, so torch need not be installed.
They become the nodes of an ONNX model in memory, which the ONNX reader turns into a network.
"""

from __future__ import annotations

import json
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import onnx
from onnx import helper, numpy_helper

from verimv.core.errors import InputError
from verimv.exact import shown
from verimv.networks.formats.json_format import loads_strictly
from verimv.networks.formats.onnx_format.model import read_bytes
from verimv.networks.formats.onnx_format.reader import model_network
from verimv.networks.formats.onnx_format.tensors import check_size
from verimv.networks.network import Network

_OPSET = 17
_MAX_HEADER = 100_000_000
#: Limit on strides, lengths and similar options, which become ONNX attributes.
_MAX_OPTION = 1 << 40
_SKIPPED = ("Identity", "Dropout", "Dropout1d", "Dropout2d", "Dropout3d", "AlphaDropout")
_DTYPES = {"F64": "<f8", "F32": "<f4", "F16": "<f2", "I64": "<i8", "I32": "<i4", "I16": "<i2", "I8": "|i1", "U8": "|u1"}


@dataclass(frozen=True)
class _Step:
    """A layer: the name of its class, its options and its arrays."""

    kind: str
    options: Mapping[str, Any]
    arrays: Mapping[str, Any] = field(default_factory=dict)

    def option(self, name: str, default: Any) -> Any:
        value = self.options.get(name)
        return default if value is None else value

    def whole(self, name: str, default: int) -> int:
        """Return an option as an integer; also for options that are bool in torch."""
        value = self.option(name, default)
        if not isinstance(value, int) or abs(value) > _MAX_OPTION:
            raise InputError(f"{self.kind}: {name}: expected an integer, found {shown(str(value))}")
        return int(value)

    def real(self, name: str, default: float) -> float:
        value = self.option(name, default)
        if not isinstance(value, int | float) or not abs(value) < float("inf"):
            raise InputError(f"{self.kind}: {name}: expected a number, found {shown(str(value))}")
        return float(value)

    def array(self, name: str) -> Any:
        if name not in self.arrays:
            raise InputError(f"{self.kind}: no tensor {shown(name)}")
        return self.arrays[name]


def is_module(subject: Any) -> bool:
    return callable(getattr(subject, "named_modules", None)) and callable(getattr(subject, "state_dict", None))


def from_module(module: Any, shape: Sequence[int] | None = None, logits: bool = False) -> Network:
    """Return the network of a module made of known layers. `shape` is the shape of one input (without the batch),
    needed if the first layer does not determine it. With `logits`, a last Softmax or Sigmoid is left out."""
    return _network(list(_steps(module)), shape, logits)


def _steps(module: Any) -> Iterator[_Step]:
    """Yield the layers in order, as in inference. Classes that are not torch's are refused: their code is not run."""
    kind = type(module).__name__
    if not type(module).__module__.startswith("torch.nn."):
        raise InputError(
            f"module {kind} is not one of torch's own, and its code is not run; "
            "export it with torch.onnx.export and load that"
        )
    if getattr(module, "_forward_hooks", None) or getattr(module, "_forward_pre_hooks", None):
        raise InputError(f"module {kind} has hooks, which are not run")
    if kind == "Sequential":
        for child in module.children():
            yield from _steps(child)
        return
    if any(True for _ in module.children()):
        raise InputError(f"module {kind} with children is not supported; export it with torch.onnx.export first")
    arrays = {name: tensor.detach().cpu().numpy() for name, tensor in module.state_dict().items()}
    yield _Step(kind, {name: value for name, value in vars(module).items() if not name.startswith("_")}, arrays)


def read_safetensors(
    path: Path, architecture: Any = None, shape: Sequence[int] | None = None, logits: bool = False
) -> Network:
    """Read weights from safetensors. `architecture` is a list of names of torch layers, or of objects
    ``{"type": "Linear", "name": "fc1"}`` with their options. By default it is read from the same path with .json::

        {"format": "verimv-architecture", "version": 1, "input": [784], "layers": ["Linear", "ReLU", "Linear"]}
    """
    try:
        tensors = _tensors(read_bytes(path))
        if architecture is None:
            architecture, shape = _architecture(path.with_suffix(".json"), shape)
        return _network(list(_described(architecture, tensors)), shape, logits)
    except InputError as error:
        raise error.located(str(path)) from None


def _architecture(path: Path, shape: Sequence[int] | None) -> tuple[Any, Sequence[int] | None]:
    data = _json(read_bytes(path), str(path))
    if not isinstance(data, dict) or data.get("format") != "verimv-architecture" or data.get("version") != 1:
        raise InputError('expected {"format": "verimv-architecture", "version": 1, "layers": […]}', source=str(path))
    found = data.get("input", shape)
    if found is not None and not (_are_lengths(found) and all(0 < length < _MAX_OPTION for length in found)):
        raise InputError("input: expected a list of lengths", source=str(path))
    return data.get("layers"), found


def _json(data: bytes, source: str | None = None) -> Any:
    text = data.decode("utf-8", "replace")
    loads_strictly(text, source)
    try:
        return json.loads(text)
    except ValueError:  # an integer with thousands of digits
        raise InputError("a number that is too long", source=source) from None


def _described(architecture: Any, tensors: Mapping[str, Any]) -> Iterator[_Step]:
    """Yield layers with their tensors. Those of a layer without a name have torch's default names, such as 0.weight."""
    if not isinstance(architecture, list) or not architecture:
        raise InputError("layers: expected a list of layers")
    for index, layer in enumerate(architecture):
        entry = {"type": layer} if isinstance(layer, str) else layer
        if not isinstance(entry, dict) or not isinstance(entry.get("type"), str):
            raise InputError(f'layers[{index}]: expected a name or an object with "type"')
        prefix = f"{entry.get('name', index)}."
        arrays = {name.removeprefix(prefix): a for name, a in tensors.items() if name.startswith(prefix)}
        yield _Step(entry["type"], {k: v for k, v in entry.items() if k not in ("type", "name")}, arrays)


def _tensors(data: bytes) -> dict[str, Any]:
    """Read safetensors: the length of a JSON header, the header, the numbers."""
    length = int.from_bytes(data[:8], "little")
    if len(data) < 8 or length > min(len(data) - 8, _MAX_HEADER):
        raise InputError("not a safetensors file: the header is cut off")
    header, body = _json(data[8 : 8 + length]), memoryview(data)[8 + length :]
    if not isinstance(header, dict):
        raise InputError("not a safetensors file: the header is not an object")
    return {name: _tensor(name, entry, body) for name, entry in header.items() if name != "__metadata__"}


def _tensor(name: str, entry: Any, body: memoryview) -> Any:
    if not isinstance(entry, dict):
        raise InputError(f"tensor {shown(name)}: expected an object")
    kind: Any
    shape: Any
    offsets: Any
    kind, shape, offsets = (entry.get(key) for key in ("dtype", "shape", "data_offsets"))
    if not isinstance(kind, str) or kind not in _DTYPES:
        raise InputError(f"tensor {shown(name)}: numbers of type {shown(str(kind))} are not supported")
    if not _are_lengths(shape) or not _are_lengths(offsets) or len(offsets) != 2:
        raise InputError(f"tensor {shown(name)}: expected a shape and two offsets")
    dtype, (start, end) = np.dtype(_DTYPES[kind]), offsets
    if not start <= end <= len(body) or end - start != math.prod(shape) * dtype.itemsize:
        raise InputError(f"tensor {shown(name)}: its offsets do not fit its shape and the file")
    check_size(shape)
    return np.frombuffer(body[start:end], dtype).reshape(shape)


def _are_lengths(value: Any) -> bool:
    return isinstance(value, list) and all(_is_whole(n) and n >= 0 for n in value)


def _is_whole(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


def _network(steps: Sequence[_Step], shape: Sequence[int] | None, logits: bool) -> Network:
    if shape is None:
        shape = _first_shape(steps)
    check_size([1, *shape])
    model = _Model(1 + len(shape))
    for step in steps:
        if step.kind not in _SKIPPED:
            model.add(step)
    return model_network(model.proto([1, *shape]), logits=logits)


def _first_shape(steps: Sequence[_Step]) -> list[int]:
    for step in steps:
        if step.kind == "Linear":
            return [int(_matrix(step).shape[1])]
        if step.kind not in (*_SKIPPED, "Flatten", *_ELEMENTWISE):
            break
    raise InputError("the first layer does not determine the shape of the input; give it (shape=…)")


class _Model:
    """An ONNX model that is built layer by layer. `rank` counts the axes of the current value, with the batch."""

    def __init__(self, rank: int) -> None:
        self.rank = rank
        self.nodes: list[onnx.NodeProto] = []
        self.constants: list[onnx.TensorProto] = []
        self.value = "input"

    def add(self, step: _Step) -> None:
        make = _ELEMENTWISE.get(step.kind) or _LAYERS.get(step.kind)
        if make is None:
            known = ", ".join(sorted({*_ELEMENTWISE, *_LAYERS, *_SKIPPED}))
            raise InputError(f"layer {shown(step.kind)} is not supported (known: {known})")
        for operator, attributes, inputs in make(step):
            if operator == "PRelu" and inputs[0].size > 1:  # one slope per channel, which is the second axis
                inputs = [inputs[0].reshape(-1, *[1] * (self.rank - 2))]
            self._add(operator, attributes, inputs)
            self.rank = 2 if operator == "Flatten" else self.rank

    def _add(self, operator: str, attributes: dict[str, Any], inputs: Sequence[Any]) -> None:
        names = [self.value]
        for array in inputs:
            names.append(f"c{len(self.constants)}")
            self.constants.append(numpy_helper.from_array(np.ascontiguousarray(array), names[-1]))
        self.value = f"v{len(self.nodes)}"
        self.nodes.append(helper.make_node(operator, names, [self.value], **attributes))

    def proto(self, shape: Sequence[int]) -> onnx.ModelProto:
        info = helper.make_tensor_value_info
        graph = helper.make_graph(
            [*self.nodes, helper.make_node("Identity", [self.value], ["output"])],
            "module",
            [info("input", onnx.TensorProto.FLOAT, list(shape))],
            [info("output", onnx.TensorProto.FLOAT, None)],
            self.constants,
        )
        return helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)])


#: Operators in sequence, with their attributes and constants.
_Made = list[tuple[str, dict[str, Any], list[Any]]]


def _matrix(step: _Step) -> Any:
    weight = step.array("weight")
    if weight.ndim != 2:
        raise InputError(f"Linear: expected a matrix, found shape {weight.shape}")
    return weight


def _linear(step: _Step) -> _Made:
    weight, bias = _matrix(step), step.arrays.get("bias")
    return [("Gemm", {"transB": 1}, [weight] if bias is None else [weight, bias])]


def _pair(value: Any, rank: int) -> list[int]:
    values = list(value) if isinstance(value, list | tuple) else [value] * rank
    if len(values) != rank or not all(_is_whole(n) and abs(n) < _MAX_OPTION for n in values):
        raise InputError(f"expected {rank} integers, found {shown(str(value))}")
    return values


def _window(step: _Step, rank: int, stride: Any) -> dict[str, Any]:
    padding = step.option("padding", 0)
    if isinstance(padding, str) or step.option("padding_mode", "zeros") != "zeros":
        raise InputError(f"{step.kind}: padding {shown(str(padding))} is not supported; only a number of zeros is")
    pads = _pair(padding, rank)
    return {"strides": _pair(step.option("stride", stride), rank), "pads": [*pads, *pads]}


def _conv(rank: int, step: _Step) -> _Made:
    weight, bias = step.array("weight"), step.arrays.get("bias")
    if weight.ndim != rank + 2:
        raise InputError(f"{step.kind}: expected weights with {rank + 2} axes, found shape {weight.shape}")
    attributes = _window(step, rank, 1)
    attributes["dilations"] = _pair(step.option("dilation", 1), rank)
    attributes["group"] = step.whole("groups", 1)
    return [("Conv", attributes, [weight] if bias is None else [weight, bias])]


def _pool(operator: str, rank: int, step: _Step) -> _Made:
    kernel = step.option("kernel_size", None)
    if kernel is None:
        raise InputError(f"{step.kind}: expected kernel_size")
    attributes = _window(step, rank, kernel)
    attributes |= {"kernel_shape": _pair(kernel, rank), "ceil_mode": step.whole("ceil_mode", 0)}
    if operator == "MaxPool":
        attributes["dilations"] = _pair(step.option("dilation", 1), rank)
    else:
        attributes["count_include_pad"] = step.whole("count_include_pad", 1)
        if step.option("divisor_override", None) is not None:
            raise InputError("AvgPool with divisor_override is not supported")
    return [(operator, attributes, [])]


def _batch_norm(step: _Step) -> _Made:
    mean, variance = step.array("running_mean"), step.array("running_var")
    weight, bias = step.arrays.get("weight", np.ones_like(mean)), step.arrays.get("bias", np.zeros_like(mean))
    return [("BatchNormalization", {"epsilon": step.real("eps", 1e-5)}, [weight, bias, mean, variance])]


def _flatten(step: _Step) -> _Made:
    if step.option("start_dim", 1) != 1 or step.option("end_dim", -1) != -1:
        raise InputError("Flatten: only start_dim=1, end_dim=-1 is supported")
    return [("Flatten", {"axis": 1}, [])]


def _comparison(operator: str, step: _Step) -> _Made:
    return [(operator, {"axis": step.whole("dim", -1)}, [])]


def _clamp(low: float, high: float) -> _Made:
    return [("Clip", {}, [np.float64(low), np.float64(high)])]


_LAYERS: dict[str, Callable[[_Step], _Made]] = {
    "Linear": _linear,
    **{f"Conv{rank}d": partial(_conv, rank) for rank in (1, 2, 3)},
    **{f"MaxPool{rank}d": partial(_pool, "MaxPool", rank) for rank in (1, 2, 3)},
    **{f"AvgPool{rank}d": partial(_pool, "AveragePool", rank) for rank in (1, 2, 3)},
    "BatchNorm1d": _batch_norm,
    "BatchNorm2d": _batch_norm,
    "BatchNorm3d": _batch_norm,
    "Flatten": _flatten,
    "LogSoftmax": partial(_comparison, "LogSoftmax"),
    "Softmax": partial(_comparison, "Softmax"),
}

_ELEMENTWISE: dict[str, Callable[[_Step], _Made]] = {
    "ReLU": lambda step: [("Relu", {}, [])],
    "ReLU6": lambda step: _clamp(0.0, 6.0),
    "Hardtanh": lambda step: _clamp(step.real("min_val", -1.0), step.real("max_val", 1.0)),
    # three operators, since ONNX's HardSigmoid would round the factor 1/6 to a float
    "Hardsigmoid": lambda step: [
        ("Add", {}, [np.float64(3)]),
        *_clamp(0.0, 6.0),
        ("Div", {}, [np.float64(6)]),
    ],
    "LeakyReLU": lambda step: [("LeakyRelu", {"alpha": step.real("negative_slope", 0.01)}, [])],
    "PReLU": lambda step: [("PRelu", {}, [step.array("weight")])],
    "Sigmoid": lambda step: [("Sigmoid", {}, [])],
    "Tanh": lambda step: [("Tanh", {}, [])],
}
