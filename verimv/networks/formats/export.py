"""Write networks for other tools, with floats or decimals for exact numbers.

ONNX stores floats. If all weights are float32, the file has float32, otherwise float64; a weight that is neither is
rounded to the nearest float64. NNet stores decimals; a number without a finite decimal is rounded to 20 digits. The
writers count the numbers that they rounded.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from verimv.core.errors import InputError
from verimv.exact import ONE, Algebraic, Number, Rational, floor, format_number
from verimv.networks.affine import Affine
from verimv.networks.formats.nnet_format import write_nnet
from verimv.networks.network import Activation, Layer, Network
from verimv.networks.transforms.normalise import without_identity_layers
from verimv.networks.transforms.outputs import affine_end

_OPSET, _IR_VERSION = 13, 8
#: Significant digits of an infinite decimal, and the limit for a finite one.
_DIGITS, _MAX_DIGITS = 20, 1100

_ACTIVATIONS: dict[Activation, tuple[str, list[str]]] = {
    "relu": ("Relu", []),
    "crelu": ("Clip", ["zero", "one"]),
    "identity": ("Identity", []),
}


@dataclass(frozen=True)
class Export:
    """The bytes of a file, and how many numbers of the network were rounded."""

    data: bytes
    rounded: int


def plain(network: Network) -> Network:
    """Return the same function with ReLU layers and an affine output layer; σ(t) becomes ρ(t) − ρ(t−1)."""
    network = affine_end(without_identity_layers(network))
    layers: list[Layer] = []
    values: list[Affine] | None = None  # of the layer below, over its neurons
    for layer in network.layers:
        rows = layer.rows if values is None else tuple(row.substitute(values) for row in layer.rows)
        width = layer.width_in if not layers else len(layers[-1].rows)
        values = None
        if layer.activation == "crelu":
            count = len(rows)
            values = [Affine([(j, ONE), (count + j, -ONE)]) for j in range(count)]
            rows = (*rows, *(row.shifted(-ONE) for row in rows))
        layers.append(Layer(tuple(rows), width, "identity" if layer.activation == "identity" else "relu"))
    return replace(network, layers=tuple(layers))


def export_onnx(network: Network) -> Export:
    """Write ONNX: Gemm with Relu or Clip over a batch of inputs; the box is stored in the metadata."""
    from onnx import TensorProto, helper, numpy_helper

    from verimv.networks.formats.onnx_format.reader import BOX_KEY

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


def export_nnet(network: Network) -> Export:
    """Write NNet: decimals, exact if a number has a finite decimal of bounded length."""
    rounded = 0

    def decimal(x: Number) -> str:
        nonlocal rounded
        text = _finite_decimal(x)
        if text is None:
            rounded += 1
            text = _rounded_decimal(x)
        return text

    text = "".join(write_nnet(plain(network), decimal))
    return Export(text.encode(), rounded)


def _finite_decimal(x: Number) -> str | None:
    if isinstance(x, Algebraic):
        return None
    denominator = int(x.denominator)
    twos = (denominator & -denominator).bit_length() - 1
    odd, fives = denominator >> twos, 0
    while odd % 5 == 0:
        odd, fives = odd // 5, fives + 1
    places = max(twos, fives)
    if odd != 1 or places > _MAX_DIGITS:
        return None
    return _placed(int(x * Rational(10) ** places), places)


def _rounded_decimal(x: Number) -> str:
    """Round to 20 significant digits."""
    places = _DIGITS
    while abs(x) * Rational(10) ** places < Rational(10) ** (_DIGITS - 1):
        places += 1
    return _placed(floor(x * Rational(10) ** places + Rational(1, 2)), places)


def _placed(digits: int, places: int) -> str:
    sign, text = "-" if digits < 0 else "", str(abs(digits)).rjust(places + 1, "0")
    return f"{sign}{text[: len(text) - places]}" + (f".{text[len(text) - places :]}" if places else "")
