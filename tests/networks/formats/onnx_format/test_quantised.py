"""Quantised weights are read exactly, as runtimes see them; quantised activations are refused with advice."""

from fractions import Fraction

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from verimv.core.errors import InputError
from verimv.networks.formats.onnx_format.reader import model_network

BYTES = np.array([[-128, 3, 0], [127, -7, 64]], np.int8)


def weights_model(nodes, constants, *, four_bits=(), opset=21):
    """x ↦ MatMul(w, x) + b·0, where nodes compute w from constants."""
    tensors = [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()]
    tensors += [helper.make_tensor(name, kind, shape, values) for name, kind, shape, values in four_bits]
    shape = (
        next(value.shape for name, value in constants.items() if name == "q") if "q" in constants else four_bits[0][2]
    )
    graph = helper.make_graph(
        [*(helper.make_node(op, ins, outs, **more) for op, ins, outs, more in nodes),
         helper.make_node("MatMul", ["w", "x"], ["y"])],
        "test",
        [helper.make_tensor_value_info("x", TensorProto.FLOAT, [shape[1], 1])],
        [helper.make_tensor_value_info("y", TensorProto.FLOAT, [shape[0], 1])],
        tensors,
    )  # fmt: skip
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)], ir_version=10)


def weights_of(proto):
    """The weights as the network has them; its only layer is affine."""
    [layer] = model_network(proto).layers
    return [[Fraction(str(w)) for w in row.dense(layer.width_in)] for row in layer.rows]


def reference_weights(proto):
    inputs = proto.graph.input[0].type.tensor_type.shape.dim[0].dim_value
    run = ReferenceEvaluator(proto)
    columns = [run.run(None, {"x": np.eye(inputs, dtype=np.float32)[:, [j]]})[0].ravel() for j in range(inputs)]
    return np.stack(columns, axis=1)


def dequantised(scale, zero=None, data=BYTES, **attributes):
    names = ["q", "s"] + (["z"] if zero is not None else [])
    constants = {"q": data, "s": np.float32(scale)} | ({} if zero is None else {"z": zero})
    return weights_model([("DequantizeLinear", names, ["w"], attributes)], constants)


@pytest.mark.parametrize(
    "proto",
    [
        dequantised(0.25),
        dequantised(0.25, np.int8(-3)),
        dequantised([0.25]),
        dequantised([0.5, 2, 0.125], np.int8([1, -1, 0])),
        dequantised([0.5, 2], np.int8([1, -1]), axis=0),
        dequantised([0.5, 2], np.int8([1, -1]), axis=-2),
        dequantised(0.5, np.uint8(128), data=np.array([[0, 255, 7]], np.uint8)),
        dequantised(0.5, np.uint16(9), data=np.array([[0, 65535]], np.uint16)),
        dequantised(2.0**-20, data=np.array([[2**23, -5]], np.int32)),
        dequantised([[0.5, 2], [1, 4]], np.int8([[0, 1], [2, 3]]), axis=1, block_size=2),
        dequantised([[0.5, 2, 4]], axis=0, block_size=2),
    ],
)
def test_dequantised_weights_are_those_of_the_reference(proto):
    assert weights_of(proto) == [[Fraction(float(w)) for w in row] for row in reference_weights(proto)]


def test_products_are_not_rounded():
    scale = np.float32(0.1)
    assert weights_of(dequantised(0.1))[1][0] == 127 * Fraction(float(scale))
    assert float(np.float32(127) * scale) != 127 * float(scale)  # as a float it would be


@pytest.mark.parametrize(
    ("kind", "values"), [(TensorProto.INT4, [-8, 7, 3, -1, 0, 5]), (TensorProto.UINT4, [0, 15, 3, 8, 9, 5])]
)
@pytest.mark.parametrize("raw", [False, True])
def test_weights_of_four_bits(kind, values, raw):
    nodes = [("DequantizeLinear", ["q", "s"], ["w"], {})]
    proto = weights_model(nodes, {"s": np.float32(0.5)}, four_bits=[("q", kind, [2, 3], values)])
    if raw:
        stored = proto.graph.initializer[1]
        data = bytes(value & 0xFF for value in stored.int32_data)
        stored.ClearField("int32_data")
        stored.raw_data = data
    wanted = [[Fraction(v, 2) for v in values[:3]], [Fraction(v, 2) for v in values[3:]]]
    assert weights_of(proto) == wanted


@pytest.mark.parametrize("zero", [None, np.uint8(7), np.int8(-2), np.int16(100)])
@pytest.mark.parametrize("scale", [0.1, 1 / 3, 0.5])
def test_weights_that_are_rounded_in_the_graph(zero, scale):
    """As training with fake quantisation exports them: float weights, QuantizeLinear, DequantizeLinear."""
    data = np.random.default_rng(0).normal(0, 30, (4, 5)).astype(np.float32)
    data[0] = np.float32([0.25, 0.75, -0.25, 1e6, -1e6])
    names = ["s"] + (["z"] if zero is not None else [])
    nodes = [("QuantizeLinear", ["q", *names], ["i"], {}), ("DequantizeLinear", ["i", *names], ["w"], {})]
    constants = {"q": data, "s": np.float32(scale)} | ({} if zero is None else {"z": zero})
    proto = weights_model(nodes, constants)
    wanted = np.rint(reference_weights(proto) / np.float32(scale))
    assert weights_of(proto) == [[int(w) * Fraction(float(np.float32(scale))) for w in row] for row in wanted]


def test_a_runtime_agrees():
    runtime = pytest.importorskip("onnxruntime")
    proto = dequantised([0.5, 2, 0.125], np.int8([1, -1, 0]))
    session = runtime.InferenceSession(proto.SerializeToString(), providers=["CPUExecutionProvider"])
    x = np.array([[0.5], [0.25], [1.0]], np.float32)
    [found] = session.run(None, {"x": x})
    assert model_network(proto).at([Fraction(1, 2), Fraction(1, 4), Fraction(1)]) == found.ravel().tolist()


def refused(proto):
    with pytest.raises(InputError) as error:
        model_network(proto)
    assert "\n" not in str(error.value)
    return str(error.value)


def test_quantised_activations_are_refused_with_advice():
    proto = dequantised(0.25)
    proto.graph.node.insert(0, helper.make_node("QuantizeLinear", ["x", "s"], ["xq"]))
    proto.graph.node.insert(1, helper.make_node("DequantizeLinear", ["xq", "s"], ["xd"]))
    proto.graph.node[-1].input[1] = "xd"
    told = refused(proto)
    for words in ("QuantizeLinear", "staircase", "Quantise the weights only", "scale/2"):
        assert words in told


@pytest.mark.parametrize("operator", ["QLinearMatMul", "DynamicQuantizeLinear", "MatMulInteger"])
def test_operators_on_integers_are_refused_by_name(operator):
    proto = dequantised(0.25)
    proto.graph.node.append(helper.make_node(operator, ["x"], ["n"]))
    told = refused(proto)
    assert operator in told
    assert "quantise the weights only" in told


@pytest.mark.parametrize(
    ("proto", "words"),
    [
        (dequantised(-0.5), "positive scales"),
        (dequantised(0.0), "positive scales"),
        (dequantised(np.nan), "finite"),
        (dequantised([0.5, 0.25]), "for axis 1"),
        (dequantised([0.5, 0.25], axis=5), "axis 5"),
        (dequantised(0.5, np.uint8(3)), "zero point of uint8"),
        (dequantised([0.5, 1, 2], np.int8([1, 2])), "zero point of shape (2,)"),
        (dequantised([[0.5, 2]], axis=1, block_size=2), "blocks of 2"),
        (dequantised([[0.5, 2]], axis=1, block_size=-2), "block_size"),
        (dequantised(0.5, data=np.float32([[1, 2]])), "expected integers"),
    ],
)
def test_what_is_wrong_is_named(proto, words):
    assert words in refused(proto)


def test_numbers_of_eight_bit_floats_are_refused_by_name():
    proto = dequantised(0.5)
    proto.graph.initializer[0].data_type = onnx.TensorProto.FLOAT8E4M3FN
    assert "FLOAT8E4M3FN" in refused(proto)
