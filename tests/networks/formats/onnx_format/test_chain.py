"""Layers as they are executed: one for every affine operator. Models that are not chains are refused."""

import numpy as np
import pytest
from onnx import TensorProto

from tests.networks.models import dyadic_points, exact, model, single
from verimv.core.errors import InputError
from verimv.networks.formats.onnx_format.chain import executed_network
from verimv.networks.formats.onnx_format.reader import model_network

W = np.float32([[1, 2], [-1, 0.5], [3, 1]])
B = np.float32([1, -2, 0.25])
EYE = np.eye(3, dtype=np.float32)


def written(proto, folder, kind=TensorProto.FLOAT):
    for value in (*proto.graph.input, *proto.graph.output):
        value.type.tensor_type.elem_type = kind
    path = folder / "net.onnx"
    path.write_bytes(proto.SerializeToString())
    return path


MUL, GEMM, RELU = ("MatMul", ["x", "W"], ["m"], {}), ("Gemm", ["x", "W", "b"], ["m"], {}), ("Relu", ["m"], ["y"], {})
CHAINS = {
    "matmul and add": ([MUL, ("Add", ["m", "b"], ["s"], {}), ("Relu", ["s"], ["y"], {})], [1, 3], ["relu"]),
    "the bias first": ([MUL, ("Add", ["b", "m"], ["y"], {})], [1, 3], ["identity"]),
    "gemm": ([GEMM, RELU], [1, 3], ["relu"]),
    "two sums": ([GEMM, ("Add", ["m", "b"], ["y"], {})], [1, 3], ["identity", "identity"]),
    "two products": ([MUL, ("MatMul", ["m", "V"], ["y"], {})], [1, 3], ["identity", "identity"]),
    "the input on the right": ([("MatMul", ["V", "x"], ["m"], {}), ("Sub", ["m", "c"], ["y"], {})], [2], ["identity"]),
    "shifted, moved, clipped": (
        [("Sub", ["x", "c"], ["d"], {}), ("Flatten", ["d"], ["f"], {}), ("Gemm", ["f", "W"], ["m"], {}), ("Clip", ["m", "zero", "one"], ["y"], {})],
        [1, 1, 3],
        ["identity", "crelu"],
    ),
    "nothing to shift by": ([("Sub", ["x", "zero"], ["d"], {}), ("MatMul", ["d", "W"], ["m"], {}), RELU], [1, 3], ["relu"]),
    "no product": ([("Relu", ["x"], ["y"], {})], [3], ["relu"]),
    "nothing": ([("Identity", ["x"], ["y"], {})], [3], ["identity"]),
}  # fmt: skip


@pytest.mark.parametrize("name", CHAINS)
def test_a_layer_for_each_sum(name, tmp_path):
    nodes, shape, activations = CHAINS[name]
    constants = {
        "W": W,
        "V": W.T if shape != [2] else W,
        "b": B[:2],
        "c": B,
        "zero": np.float32(0),
        "one": np.float32(1),
    }
    proto = model(nodes, {"x": shape}, constants, ["y"])
    network, folded = executed_network(written(proto, tmp_path)), model_network(proto)
    assert [layer.activation for layer in network.layers] == activations
    for point in dyadic_points(5, len(network.inputs)):
        assert exact(network, point) == exact(folded, point)


REFUSED = {
    "a convolution": (single("Conv", [1, 1, 2, 2], [np.ones((1, 1, 1, 1), np.float32)]), "Conv"),
    "other slopes": (single("LeakyRelu", [2]), "LeakyRelu"),
    "scaled": (single("Gemm", [1, 3], [W], alpha=0.5), "scaled"),
    "doubles": (single("MatMul", [1, 3], [W.astype(np.float64)]), "not float32"),
    "several rows": (single("MatMul", [2, 3], [W]), "one vector"),
    "from a constant": (model([("Sub", ["b", "x"], ["y"], {})], {"x": [3]}, {"b": B}, ["y"]), "from a constant"),
    "other ends": (single("Clip", [3], [np.float32(0), np.float32(2)]), "Clip"),
    "one end": (single("Clip", [3], [np.float32(0)]), "Clip"),
    "repeated": (model([("Add", ["x", "b"], ["y"], {})], {"x": [1, 3]}, {"b": B[:, None]}, ["y"]), "one vector"),
    "twice the same": (model([("Add", ["x", "x"], ["y"], {})], {"x": [3]}, {}, ["y"]), "other inputs"),
    "a residual": (model([("Relu", ["x"], ["r"], {}), ("Add", ["r", "x"], ["y"], {})], {"x": [3]}, {}, ["y"]), "other inputs"),
    "two inputs": (model([("Relu", ["x"], ["y"], {}), ("Relu", ["z"], ["w"], {})], {"x": [3], "z": [3]}, {}, ["y", "w"]), "one input"),
    "another end": (model([("Relu", ["x"], ["y"], {}), ("Identity", ["y"], ["w"], {})], {"x": [3]}, {}, ["y"]), "one after the other"),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_what_is_no_chain_is_refused(name, tmp_path):
    proto, words = REFUSED[name]
    with pytest.raises(InputError, match=words) as error:
        executed_network(written(proto, tmp_path))
    assert "\n" not in str(error.value)


def test_other_inputs_than_float32(tmp_path):
    with pytest.raises(InputError, match="the input is not float32"):
        executed_network(written(single("Relu", [3]), tmp_path, TensorProto.DOUBLE))
