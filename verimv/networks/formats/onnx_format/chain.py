"""The layers of an ONNX model as they are executed, one for each affine operator.

The reader merges affine operators into few exact layers. Rounding errors depend on the operators themselves, so these
are read here one by one, for models that are a chain of operators.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import onnx

from verimv.core.errors import InputError
from verimv.exact import as_number, shown
from verimv.networks.formats.onnx_format.model import attribute_values, parse_model, read_bytes, tensor_array
from verimv.networks.formats.onnx_format.reader import model_network
from verimv.networks.network import Activation, Layer, Network

#: Operators that keep the numbers and their order.
_MOVES = ("Flatten", "Reshape", "Squeeze", "Unsqueeze", "Identity", "Dropout")
_KNOWN = ("Gemm", "MatMul", "Add", "Sub", "Relu", "Clip", *_MOVES)
_WHY = "float errors are bounded only for chains of " + ", ".join(_KNOWN)


def executed_network(path: str | os.PathLike[str]) -> Network:
    """Return the network of an ONNX file with a layer for each sum of products that float32 execution computes."""
    place = Path(path)
    try:
        model = parse_model(read_bytes(place))
        return _Chain(model, place.parent).network()
    except InputError as error:
        raise error.located(str(path)) from None


class _Chain:
    def __init__(self, model: onnx.ModelProto, folder: Path) -> None:
        self.model, self.folder = model, folder
        self.read = model_network(model, folder)
        self.constants: dict[str, Any] = {t.name: tensor_array(t, folder) for t in model.graph.initializer}
        #: per layer: weights (a row per neuron), bias, activation. `open` tells whether a bias may still be added
        self.layers: list[tuple[Any, Any, Activation]] = []
        self.open = False

    def network(self) -> Network:
        inputs = [value for value in self.model.graph.input if value.name not in self.constants]
        if len(inputs) != 1 or len(self.model.graph.output) != 1:
            raise InputError(f"{_WHY}, with one input and one output")
        if inputs[0].type.tensor_type.elem_type != onnx.TensorProto.FLOAT:
            raise InputError("the input is not float32")
        self.width = len(self.read.inputs)
        value = inputs[0].name
        nodes = list(self.model.graph.node)
        for node in [node for node in nodes if node.op_type == "Constant"]:
            self.constants[node.output[0]] = attribute_values(node, self.folder).get("value")
        for node in nodes:
            if node.op_type != "Constant":
                self._add(node, value)
                value = node.output[0]
        if value != self.model.graph.output[0].name:
            raise InputError(f"{_WHY}, one after the other")
        layers = [Layer.of(weights, bias, activation) for weights, bias, activation in self.layers]
        if not layers:
            layers = [Layer.of(np.eye(self.width).tolist(), [0] * self.width, "identity")]
        if self.width != len(self.read.outputs):  # numbers were repeated on the way
            raise InputError(f"{_WHY}, each of a matrix and one vector")
        return Network.of(layers, self.read.inputs, self.read.box, self.read.outputs)

    def _add(self, node: onnx.NodeProto, value: str) -> None:
        kind = node.op_type
        if kind not in _KNOWN or node.domain not in ("", "ai.onnx"):
            raise InputError(f"{_WHY}: found {shown(kind)}")
        others = [name for name in node.input if name != value]
        if len(others) != len(node.input) - 1 or (kind not in _MOVES and not all(map(self._has, filter(None, others)))):
            raise InputError(f"{_WHY}, one after the other: {shown(kind)} has other inputs")
        if kind in ("Gemm", "MatMul"):
            self._product(node, value, others)
        elif kind in ("Add", "Sub"):
            self._shift(node, value, others)
        elif kind in ("Relu", "Clip"):
            self._activation(node, others)

    def _has(self, name: str) -> bool:
        return self.constants.get(name) is not None

    def _constant(self, name: str) -> Any:
        array = self.constants[name]
        if array.dtype != np.float32:
            raise InputError(f"{shown(name)} is not float32")
        return array

    def _product(self, node: onnx.NodeProto, value: str, others: Sequence[str]) -> None:
        attributes = attribute_values(node, self.folder)
        is_right = node.input[0] != value
        if (is_right and node.op_type == "Gemm") or any(
            attributes.get(n, plain) != plain for n, plain in _PLAIN.items()
        ):
            raise InputError(f"{_WHY}: Gemm with the input on the right, transposed or scaled")
        matrix = self._constant(others[0])
        weights = matrix if is_right or attributes.get("transB", 0) else matrix.T
        if matrix.ndim != 2 or weights.shape[1] != self.width:
            raise InputError(f"{_WHY}: {node.op_type} that is not of a matrix and one vector")
        bias = self._constant(others[1]) if len(others) > 1 and others[1] else np.zeros(1, np.float32)
        self._layer(weights, np.broadcast_to(bias.ravel(), len(weights)), open_=not bias.any())

    def _shift(self, node: onnx.NodeProto, value: str, others: Sequence[str]) -> None:
        """Add a bias. Runtimes fuse MatMul and Add, so the bias is one more term of the sum, in any order."""
        constant = self._constant(others[0]).ravel()
        if node.op_type == "Sub":
            if node.input[0] != value:
                raise InputError(f"{_WHY}: Sub of the input from a constant")
            constant = -constant
        if constant.size not in (1, self.width):
            raise InputError(f"{node.op_type}: {constant.size} numbers for a value of {self.width}")
        bias = np.broadcast_to(constant, self.width)
        if self.open:
            weights, _, activation = self.layers.pop()
            self._layer(weights, bias, activation=activation)
        elif bias.any():
            self._layer(np.eye(self.width, dtype=np.float32), bias)

    def _activation(self, node: onnx.NodeProto, others: Sequence[str]) -> None:
        attributes = attribute_values(node, self.folder)
        if node.op_type == "Relu" and others:
            raise InputError(f"Relu: expected one input, found {len(node.input)}")
        ends: list[Any] = [self._constant(name).tolist() for name in others if name]
        ends = [end[0] if isinstance(end, list) and len(end) == 1 else end for end in ends]
        ends = ends or [attributes.get("min"), attributes.get("max")]
        if node.op_type == "Clip" and ends != [0.0, 1.0]:
            raise InputError(f"{_WHY}: Clip to other ends than 0 and 1")
        activation: Activation = "relu" if node.op_type == "Relu" else "crelu"
        if self.layers and self.layers[-1][2] == "identity":
            weights, bias, _ = self.layers.pop()
        else:
            weights, bias = np.eye(self.width, dtype=np.float32), np.zeros(self.width, np.float32)
        self._layer(weights, bias, activation=activation)

    def _layer(self, weights: Any, bias: Any, open_: bool = False, activation: Activation = "identity") -> None:
        self.layers.append((weights, [as_number(x) for x in bias], activation))
        self.width, self.open = len(weights), open_


#: The only supported values of these attributes of Gemm.
_PLAIN = {"alpha": 1.0, "beta": 1.0, "transA": 0}
