"""Exact network → ONNX model. ONNX stores floats: float32 if all weights are, otherwise the nearest float64."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import numpy.typing as npt
from onnx import TensorProto, helper, numpy_helper

from verimv.core.errors import InputError
from verimv.exact import Algebraic, Number, format_number
from verimv.networks.formats.export import Export
from verimv.networks.formats.onnx_format.reader import BOX_KEY
from verimv.networks.network import Activation, Network

_OPSET, _IR_VERSION = 13, 8

_ACTIVATIONS: dict[Activation, tuple[str, list[str]]] = {
    "relu": ("Relu", []),
    "crelu": ("Clip", ["zero", "one"]),
    "identity": ("Identity", []),
}


def export_onnx(network: Network) -> Export:
    """Write ONNX: Gemm with Relu or Clip over a batch of inputs; the box is stored in the metadata."""
    arrays, rounded = _arrays(network)
    kind = TensorProto.FLOAT if arrays[0].dtype == np.float32 else TensorProto.DOUBLE
    nodes, value = [], "input"
    for index, layer in enumerate(network.layers, start=1):
        argument, result = f"argument{index}", "output" if index == len(network.layers) else f"value{index}"
        nodes.append(helper.make_node("Gemm", [value, f"W{index}", f"b{index}"], [argument], transB=1))
        operator, ends = _ACTIVATIONS[layer.activation]
        nodes.append(helper.make_node(operator, [argument, *ends], [result]))
        value = result
    names = [f"{letter}{index + 1}" for index in range(len(network.layers)) for letter in "Wb"]
    if any(layer.activation == "crelu" for layer in network.layers):  # runtimes warn about unused constants
        arrays += [np.array(end, dtype=arrays[0].dtype) for end in (0, 1)]
        names += ["zero", "one"]
    graph = helper.make_graph(
        nodes,
        "verimv",
        [helper.make_tensor_value_info("input", kind, ["batch", len(network.inputs)])],
        [helper.make_tensor_value_info("output", kind, ["batch", len(network.outputs)])],
        [numpy_helper.from_array(array, name) for array, name in zip(arrays, names, strict=True)],
    )
    model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", _OPSET)], producer_name="verimv")
    model.ir_version = _IR_VERSION
    box = [[format_number(low), format_number(high)] for low, high in network.box]
    helper.set_model_props(model, {BOX_KEY: json.dumps(box)})
    return Export(model.SerializeToString(), rounded)


def _arrays(network: Network) -> tuple[list[npt.NDArray[Any]], int]:
    """Return weights and biases of every layer, all of one type, and how many were rounded."""
    arrays: list[npt.NDArray[Any]] = []
    rounded = 0
    for layer in network.layers:
        matrix = [number for row in layer.rows for number in row.dense(layer.width_in)]
        for numbers in (matrix, [row.constant for row in layer.rows]):
            doubles = [_double(number) for number in numbers]
            rounded += sum(double != number for double, number in zip(doubles, numbers, strict=True))
            arrays.append(np.array(doubles).reshape((len(layer.rows), -1) if numbers is matrix else -1))
    with np.errstate(over="ignore"):
        singles = [array.astype(np.float32) for array in arrays]
    fit = not rounded and all(np.array_equal(a, b) for a, b in zip(singles, arrays, strict=True))
    return singles if fit else arrays, rounded


def _double(x: Number) -> float:
    """Return the nearest double; raise if the number is too large."""
    try:
        return float(x) if isinstance(x, Algebraic) else int(x.numerator) / int(x.denominator)  # rounds to nearest
    except OverflowError:
        raise InputError(f"{format_number(x)} is too large for a float") from None
