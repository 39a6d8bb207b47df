"""Unsupported models are refused in one line that says why; no file outside the model's folder is opened."""

import os

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper

from tests.networks.models import dyadic_points, exact, external, model, reference, single
from verimv.core.errors import InputError
from verimv.networks.formats.load import load
from verimv.networks.formats.onnx_format.reader import model_network, read_onnx
from verimv.paper.benchmarks.measured import peak_memory

W = np.ones((2, 2))


def refused(proto):
    with pytest.raises(InputError) as error:
        model_network(proto)
    assert "\n" not in str(error.value)
    return str(error.value)


@pytest.mark.parametrize(
    ("proto", "words"),
    [
        (single("Softmax", [1, 2]), ["Softmax", "ranking"]),
        (single("Sigmoid", [1, 2]), ["Sigmoid", "piecewise linear"]),
        (single("Exp", [1, 2]), ["Exp", "piecewise linear"]),
        (single("ArgMax", [1, 2]), ["ArgMax", "--margin"]),
        (single("NoSuchThing", [1, 2]), ["NoSuchThing", "not supported"]),
        (single("Relu", [1, 2], opset=6), ["opset 6", "version_converter"]),
        (model([("Mul", ["x", "x"], ["y"], {})], {"x": [2]}, {}, ["y"]), ["Mul", "both depend"]),
        (model([("MatMul", ["x", "x"], ["y"], {})], {"x": [2, 2]}, {}, ["y"]), ["MatMul", "both depend"]),
        (model([("Div", ["c", "x"], ["y"], {})], {"x": [2]}, {"c": W}, ["y"]), ["Div", "depends on the input"]),
        (single("Div", [2], [np.zeros(2)]), ["Div", "zero"]),
        (single("MatMul", [3], [W]), ["MatMul", "(3,)", "(2, 2)"]),
        (single("Add", [3], [W]), ["Add", "(3,)", "(2, 2)"]),
        (single("Add", [2], [np.array([np.nan, 1])]), ["finite"]),
        (single("Add", [2], [np.array([np.inf, 1])]), ["finite"]),
        (single("Cast", [2], to=TensorProto.INT32), ["Cast"]),
        (single("Reshape", [4], [np.array([3, -1])]), ["Reshape", "(3, -1)"]),
        (single("Reshape", [4], [np.array([0, 0, 4])]), ["Reshape"]),
        (single("Gather", [2], [np.array([2])]), ["Gather", "index"]),
        (single("Pad", [2], [np.array([1 << 40, 0])]), ["Pad", "entries"]),
        (single("Expand", [1], [np.array([1 << 20, 1 << 20])]), ["Expand", "entries"]),
        (single("Expand", [1], [np.ones(33, np.int64)]), ["Expand", "33 axes"]),
        (single("ReduceMax", [2, 2], keepdims=2), ["ReduceMax", "keepdims: expected 0 or 1, found 2"]),
        (single("ReduceSum", [2, 2], noop_with_empty_axes=-1), ["noop_with_empty_axes: expected 0 or 1, found -1"]),
        (single("MaxPool", [1, 1, 4], kernel_shape=[2], ceil_mode=2), ["ceil_mode: expected 0 or 1, found 2"]),
        (single("Reshape", [2], [np.array([2])], allowzero=2), ["allowzero: expected 0 or 1, found 2"]),
        (single("AveragePool", [1, 1, 4], kernel_shape=[2], count_include_pad=2), ["count_include_pad: expected 0 or 1"]),
        (single("Pad", [1], [np.array([-2, 2])]), ["Pad", "pads [-2, 2] cut more off axis 0 than its length, 1"]),
        (single("Pad", [3], [np.array([-2, -2])]), ["Pad", "pads [-2, -2] cut more"]),
        (single("Squeeze", [3, 1], [np.array([], np.int64)]), ["Squeeze", "empty list of axes"]),
        (single("Slice", [3], [np.array([k]) for k in (-4, -9, 0, -1)]), ["Slice", "stepping back from -4"]),
        (single("Slice", [3], [np.array([1]), np.array([2]), np.array([], np.int64)]), ["Slice", "expected an axis"]),
        (single("Clip", [2], opset=10, min=float("inf")), ["Clip", "min: expected a finite number"]),
        (single("Clip", [2], opset=10, max=float("-inf")), ["Clip", "max: expected a finite number"]),
        (single("Conv", [1, 1, 4], [np.ones((1, 1, 5))]), ["Conv", "spans 5"]),
        (single("MaxPool", [1, 1, 4], kernel_shape=[2], strides=[0]), ["MaxPool", "stride"]),
        (single("Transpose", [2, 2], perm=[0, 0]), ["Transpose", "perm"]),
        (model([("Relu", ["z"], ["y"], {})], {"x": [2]}, {}, ["y"]), ["'z'", "never computed"]),
        (model([("Relu", ["x"], ["z"], {})], {"x": [2]}, {}, ["y"]), ["'y'", "never computed"]),
        (
            model([("Add", ["x", "b"], ["a"], {}), ("Relu", ["a"], ["b"], {})], {"x": [2]}, {}, ["b"]),
            ["cycle"],
        ),
        (model([("Relu", ["x"], ["y"], {}), ("Abs", ["x"], ["y"], {})], {"x": [2]}, {}, ["y"]), ["twice"]),
        (model([("Relu", ["x"], ["y"], {})], {"x": [1, "n"]}, {}, ["y"]), ["axis 1", "fixed"]),
        (model([("Relu", ["x"], ["y"], {})], {"x": [1 << 40, 1 << 40]}, {}, ["y"]), ["entries"]),
        (model([("Relu", ["c"], ["y"], {})], {}, {"c": W}, ["y"]), ["no inputs"]),
    ],
)  # fmt: skip
def test_refused_in_one_line(proto, words):
    message = refused(proto)
    for word in words:
        assert word in message


def test_an_attribute_is_given_once():
    proto = single("Flatten", [2, 3, 2], axis=2)
    proto.graph.node[0].attribute.append(proto.graph.node[0].attribute[0])
    assert "Flatten: attribute 'axis' is given twice" in refused(proto)


def test_doubling_again_and_again_is_stopped():
    """Thirty nodes that each double a tensor would need 2^30 entries."""
    nodes = [("Concat", [f"v{i}", f"v{i}"], [f"v{i + 1}"], {"axis": 0}) for i in range(30)]
    nodes[0] = ("Concat", ["x", "x"], ["v1"], {"axis": 0})
    assert "entries" in refused(model(nodes, {"x": [1]}, {}, ["v30"]))


def test_weights_without_end_are_stopped():
    """A product of two large constants is small in a file and large in memory."""
    nodes = [
        ("ConstantOfShape", ["s"], ["c"], {"value": helper.make_tensor("v", TensorProto.DOUBLE, [1], [1.0])}),
        ("MatMul", ["x", "c"], ["y"], {}),
    ]
    message = refused(model(nodes, {"x": [50, 500]}, {"s": np.array([500, 500])}, ["y"]))
    assert "weights" in message


def grown(nodes, constants):
    """Return a model that adds a grown tensor to its one input."""
    return model([*nodes, ("Add", ["x", "big"], ["y"], {})], {"x": [1]}, constants, ["y"])


def grown_to(count):
    """Return a model with a tensor of so many entries, for each operator that can make many numbers of few."""
    one, size, side = np.ones(1), np.array([count]), round(count**0.5)
    doubled = [
        ("Concat", ["c" if not k else f"v{k}"] * 2, [f"v{k + 1}"], {"axis": 0}) for k in range(count.bit_length() - 1)
    ]
    last = doubled[-1]
    doubled[-1] = (last[0], last[1], ["big"], last[3])
    return {
        "Expand": grown([("Expand", ["c", "s"], ["big"], {})], {"c": one, "s": size}),
        "ConstantOfShape": grown([("ConstantOfShape", ["s"], ["big"], {})], {"s": size}),
        "Range": grown([("Range", ["a", "s", "b"], ["r"], {}), ("Cast", ["r"], ["big"], {"to": 11})], {"a": np.array(0), "s": size, "b": np.array(1)}),
        "Pad": grown([("Pad", ["c", "p"], ["big"], {})], {"c": one, "p": np.array([0, count - 1])}),
        "Pad edge": grown([("Pad", ["c", "p"], ["big"], {"mode": "edge"})], {"c": one, "p": np.array([0, count - 1])}),
        "Concat": grown(doubled, {"c": one}),
        "Gather": grown([("Gather", ["c", "i"], ["big"], {})], {"c": np.ones((1, count // 4)), "i": np.zeros(4, np.int64)}),
        "Add": grown([("Add", ["c", "d"], ["big"], {})], {"c": np.ones(side), "d": np.ones((side, 1))}),
        "MatMul": grown([("MatMul", ["c", "d"], ["big"], {})], {"c": np.ones((side, 1)), "d": np.ones((1, side))}),
    }  # fmt: skip


@pytest.mark.parametrize("name", grown_to(1 << 10))
def test_a_small_file_does_not_grow_large(name):
    assert len(model_network(grown_to(1 << 10)[name]).outputs) == 1 << 10
    memory = peak_memory()
    assert "entries" in refused(grown_to(1 << 22)[name])
    assert peak_memory() - memory < 300_000_000


def test_a_large_file_may_hold_large_tensors():
    """The result of an operator may be as large as its stored operands."""
    weights = np.ones((600, 500), np.float32)
    nodes = [("Neg", ["w"], ["n"], {}), ("Transpose", ["n"], ["t"], {}), ("MatMul", ["x", "t"], ["y"], {})]
    network = model_network(model(nodes, {"x": [1, 500]}, {"w": weights}, ["y"]))
    assert network(*[1] * 500)[0] == -500


def test_a_long_chain_of_large_tensors_is_stopped():
    nodes = [("Expand", ["c", "s"], ["v0"], {}), *(("Neg", [f"v{k}"], [f"v{k + 1}"], {}) for k in range(50))]
    proto = model(
        [*nodes, ("Add", ["x", "v50"], ["y"], {})], {"x": [1]}, {"c": np.ones(1), "s": np.array([100_000])}, ["y"]
    )
    assert "operators make tensors of more than" in refused(proto)


def test_outputs_without_end_are_stopped():
    nodes = [("Expand", ["x", "s"], ["y"], {})]
    assert "more than 300,000 outputs" in refused(model(nodes, {"x": [1]}, {"s": np.array([100_000])}, ["y"] * 4))


def test_inputs_without_end_are_stopped():
    assert "more than 300,000 inputs" in refused(single("Relu", [600, 600]))


@pytest.mark.parametrize(
    ("proto", "words"),
    [
        (single("Slice", [], [np.array([0]), np.array([1])]), ["Slice", "axis 0 of a tensor with 0 axes"]),
        (single("Pad", [], [np.array([1, 1])]), ["Pad", "expected 0 pads, found 2"]),
        (single("Concat", [], axis=0), ["Concat", "scalars"]),
        (single("Split", [], axis=0), ["Split", "scalar"]),
        (single("Gather", [], [np.array(0)]), ["Gather", "scalar"]),
        (single("ReduceSum", [], [np.array([0])]), ["ReduceSum", "axis 0"]),
        (single("Shape", [2], start=0.5), ["Shape", "start", "integer"]),
        (single("Shape", [2], end=1.0), ["Shape", "end", "integer"]),
        (single("Shape", [2], end=[1]), ["Shape", "end", "integer"]),
        (model([("Range", ["e", "a", "a"], ["r"], {})], {"x": [1]}, {"e": np.zeros(0, np.int64), "a": np.array(1)}, ["x"]), ["Range", "start", "found 0"]),
        (model([("Range", ["a", "e", "a"], ["r"], {})], {"x": [1]}, {"e": np.zeros(2, np.int64), "a": np.array(1)}, ["x"]), ["Range", "limit", "found 2"]),
        (model([("Relu", ["x"], ["a", "b"], {}), ("Relu", ["b"], ["y"], {})], {"x": [1]}, {}, ["y"]), ["Relu", "at most 1 outputs, found 2"]),
        (model([("Constant", [], ["c"], {"value": 1.5}), ("Add", ["x", "c"], ["y"], {})], {"x": [1]}, {}, ["y"]), ["Constant", "one value"]),
        (model([("Constant", [], ["c"], {"value_ints": [1.5]}), ("Add", ["x", "c"], ["y"], {})], {"x": [1]}, {}, ["y"]), ["Constant", "one value"]),
        (model([("Split", ["c", "e"], [], {})], {"x": [1]}, {"c": np.zeros(0), "e": np.zeros(0, np.int64)}, ["x"]), []),
        (model([("ConstantOfShape", ["s"], ["y"], {})], {"x": [1]}, {"s": np.array([0, 1 << 62])}, ["y"]), ["ConstantOfShape", "entries"]),
        (single("GlobalMaxPool", [2, 1]), ["GlobalMaxPool", "(N, C, …)"]),
        (single("GlobalAveragePool", [2]), ["GlobalAveragePool", "(N, C, …)"]),
        (single("Split", [2], [np.ones(5000, np.int64)]), ["Split", "parts of lengths", "…"]),
    ],
)  # fmt: skip
def test_odd_inputs_are_refused_and_no_bug(proto, words):
    if not words:  # an empty list of parts is valid
        assert model_network(proto)(1) == 1
        return
    message = refused(proto)
    assert len(message) < 400
    for word in words:
        assert word in message


@pytest.mark.parametrize(
    "proto",
    [
        single("Gather", [3], [np.array(1)]), single("Gather", [2, 3], [np.array(-1)], axis=1), single("Slice", [], [np.zeros(0, np.int64)] * 2),
        single("Squeeze", [1, 1]), single("MatMul", [2], [np.ones(2)]), single("ReduceSum", [2], keepdims=0),
        model([("Gather", ["s", "i"], ["g"], {}), ("Cast", ["g"], ["c"], {"to": 11}), ("Mul", ["x", "c"], ["y"], {})],
              {"x": [2]}, {"s": np.array([3, 5]), "i": np.array(1)}, ["y"]),
    ],
)  # fmt: skip
def test_scalars_are_tensors_too(proto):
    network = model_network(proto)
    for point in dyadic_points(3, len(network.inputs)):
        assert exact(network, point) == reference(proto, point)
    assert model_network(single("Pad", [], [np.zeros(0, np.int64)]))(3) == 3, (
        "onnx's reference implementation fails here"
    )


def test_values_carried_without_end_are_stopped():
    """A long chain, and a wide input that is needed again at its end."""
    nodes = [("Slice", ["x", "zero", "one"], ["v0"], {})]
    nodes += [(op, [f"v{i}", "c"][: 1 + (op == "Sub")], [f"v{i + 1}"], {}) for i, op in enumerate(["Relu", "Sub"] * 40)]
    nodes.append(("Concat", ["x", "v80"], ["y"], {"axis": 0}))
    constants = {"zero": np.array([0]), "one": np.array([1]), "c": np.array([1.0])}
    assert "neurons that copy values" in refused(model(nodes, {"x": [30000]}, constants, ["y"]))


def test_integer_inputs_are_refused():
    proto = single("Relu", [2])
    proto.graph.input[0].type.tensor_type.elem_type = TensorProto.INT64
    assert "expected real numbers" in refused(proto)


def test_other_domains_are_refused():
    proto = single("Relu", [2])
    proto.graph.node[0].domain = "com.microsoft"
    assert "com.microsoft" in refused(proto)


def test_external_data_in_the_folder(tmp_path):
    (tmp_path / "weights.bin").write_bytes(b"\0" * 8 + W.tobytes())
    (tmp_path / "net.onnx").write_bytes(external("weights.bin", offset="8").SerializeToString())
    assert load(tmp_path / "net.onnx")(1, 2) == (3, 3)


@pytest.mark.parametrize(
    "location", ["../secret.bin", "/etc/passwd", "link", "sub/../../secret.bin", "", ".", "missing", "pipe", "a\0b"]
)
def test_external_data_elsewhere_is_not_touched(tmp_path, location):
    folder = tmp_path / "model"
    folder.mkdir()
    (folder / "sub").mkdir()
    (tmp_path / "secret.bin").write_bytes(W.tobytes())
    os.symlink(tmp_path / "secret.bin", folder / "link")
    os.mkfifo(folder / "pipe")
    (folder / "net.onnx").write_bytes(external(location).SerializeToString())
    with pytest.raises(InputError) as error:  # also for a pipe, without waiting for a writer
        read_onnx(folder / "net.onnx")
    assert "\n" not in str(error.value)


@pytest.mark.parametrize(
    ("offset", "length"), [("-1", "32"), ("1e9", "32"), ("0", "31"), ("64", "32"), ("0", "9" * 30)]
)
def test_external_data_of_the_wrong_size(tmp_path, offset, length):
    (tmp_path / "w.bin").write_bytes(W.tobytes())
    (tmp_path / "net.onnx").write_bytes(external("w.bin", offset, length).SerializeToString())
    with pytest.raises(InputError):
        read_onnx(tmp_path / "net.onnx")


def test_a_tensor_that_claims_more_than_it_has():
    proto = single("MatMul", [1, 2], [W])
    proto.graph.initializer[0].dims[0] = 1 << 50
    assert "entries" in refused(proto)
    proto.graph.initializer[0].dims[0] = 3
    assert "bytes" in refused(proto)
    proto.graph.initializer[0].dims[0] = -2
    assert "shape" in refused(proto)


def test_not_a_model(tmp_path):
    for data in (b"", b"hello", onnx.ModelProto().SerializeToString(), os.urandom(500)):
        (tmp_path / "net.onnx").write_bytes(data)
        with pytest.raises(InputError) as error:
            load(tmp_path / "net.onnx")
        assert str(error.value).startswith(str(tmp_path / "net.onnx"))
    with pytest.raises(InputError, match="no such file"):
        load(tmp_path / "missing.onnx")
