"""Each operator against onnx's reference implementation, exactly, on dyadic numbers."""

from fractions import Fraction

import numpy as np
import onnx
import pytest
from hypothesis import given
from hypothesis import strategies as st
from onnx import TensorProto

from tests.networks.models import dyadic_points, exact, model, reference, single
from verimv.core.errors import InexactWarning, InputError
from verimv.exact import as_number
from verimv.networks.formats.onnx_format.reader import OLDEST_OPSET, OPERATORS, model_network

F = np.float64
I = np.int64  # noqa: E741
A = np.arange(1, 13, dtype=F).reshape(3, 4) / 4 - 1
KERNEL = (np.arange(1, 19, dtype=F).reshape(2, 1, 3, 3) - 9) / 2
GROUPED = (np.arange(16, dtype=F).reshape(4, 1, 2, 2) - 7) / 4

CASES = {
    "gemm": single("Gemm", [1, 3], [A, F([1, 2, 3, 4])], alpha=0.5, beta=2.0),
    "gemm transposed": single("Gemm", [3, 1], [A.T.copy(), F([[1.5]])], transA=1, transB=1),
    "matmul on the right": single("MatMul", [2, 3], [A]),
    "matmul vector": single("MatMul", [3], [A]),
    "matmul stack": single("MatMul", [2, 2, 3], [A]),
    "matmul on the left": model([("MatMul", ["W", "x"], ["y"], {})], {"x": [4, 2]}, {"W": A}, ["y"]),
    "add broadcast": single("Add", [2, 4], [A[0]]),
    "sub": single("Sub", [3, 4], [A]),
    "sub from": model([("Sub", ["c", "x"], ["y"], {})], {"x": [4]}, {"c": A}, ["y"]),
    "mul": single("Mul", [3, 4], [A]),
    "div": single("Div", [4], [F([1, 2, -4, 0.5])]),
    "neg": single("Neg", [4]),
    "sum of one twice": model([("Sum", ["x", "x", "c"], ["y"], {})], {"x": [4]}, {"c": A[0]}, ["y"]),
    "relu": single("Relu", [4]),
    "leaky": single("LeakyRelu", [4], alpha=0.25),
    "leaky, growing": single("LeakyRelu", [4], alpha=-0.5),
    "prelu": single("PRelu", [2, 3, 1], [F([[0.25], [0.5], [-1]])]),
    "clip": single("Clip", [5], [F(-1), F(2)]),
    "clip below": single("Clip", [5], [F(-1)]),
    "clip above": model([("Clip", ["x", "", "c"], ["y"], {})], {"x": [5]}, {"c": F(0.5)}, ["y"]),
    "clip to nothing": single("Clip", [5], [F(2), F(1)]),
    "hard sigmoid": single("HardSigmoid", [5], alpha=0.25, beta=0.5),
    "abs": single("Abs", [5]),
    "max": single("Max", [4], [A[0], A]),
    "min": single("Min", [4], [A[0], A]),
    "max of halves": model(
        [("Split", ["x"], ["a", "b"], {}), ("Max", ["a", "b"], ["y"], {})], {"x": [6]}, {}, ["y"], opset=13
    ),
    "max pool": single("MaxPool", [1, 1, 4, 4], kernel_shape=[2, 2], strides=[2, 2]),
    "max pool, padded, ceiling": single(
        "MaxPool", [1, 1, 5, 5], kernel_shape=[2, 2], strides=[2, 2], pads=[1, 0, 0, 0], ceil_mode=1
    ),
    "max pool, dilated": single("MaxPool", [1, 2, 5], kernel_shape=[2], dilations=[2]),
    "average pool": single("AveragePool", [1, 1, 4, 4], kernel_shape=[2, 2], pads=[1, 1, 1, 1], count_include_pad=1),
    "average pool of what is there": single("AveragePool", [1, 1, 3, 3], kernel_shape=[2, 2], strides=[2, 2]),
    "global average pool": single("GlobalAveragePool", [1, 2, 2, 2]),
    "global max pool": single("GlobalMaxPool", [1, 2, 2, 2]),
    "conv": single("Conv", [1, 1, 5, 5], [KERNEL, F([1, -1])], strides=[2, 2], pads=[1, 1, 1, 1]),
    "conv, same": single("Conv", [1, 1, 4, 4], [KERNEL], auto_pad="SAME_LOWER"),
    "conv, groups, dilated": single("Conv", [1, 2, 4, 4], [GROUPED], group=2, dilations=[2, 2]),
    "conv 1d": single("Conv", [2, 1, 5], [KERNEL[:, :, 0]]),
    "batch normalisation": single(
        "BatchNormalization", [1, 2, 2], [F([1, 2]), F([0, 1]), F([1, -1]), F([4, 0.25])], epsilon=0.0
    ),
    "flatten": single("Flatten", [2, 3, 2], axis=2),
    "reshape": single("Reshape", [2, 3, 2], [I([0, -1])]),
    "squeeze": single("Squeeze", [1, 3, 1], [I([0])]),
    "squeeze all": single("Squeeze", [1, 3, 1]),
    "unsqueeze": single("Unsqueeze", [3], [I([0, -1])]),
    "transpose": single("Transpose", [2, 3, 2], perm=[2, 0, 1]),
    "transpose all": single("Transpose", [2, 3]),
    "concat with a constant": single("Concat", [1, 4], [A], axis=0),
    "split": model([("Split", ["x", "c"], ["a", "b"], {"axis": 1})], {"x": [2, 5]}, {"c": I([2, 3])}, ["b", "a"]),
    "slice": single("Slice", [4, 5], [I([1, -1]), I([4, -6]), I([0, 1]), I([2, -2])]),
    "gather": single("Gather", [3, 4], [I([[0, -1], [2, 2]])], axis=1),
    "pad": single("Pad", [2, 3], [I([1, 0, 0, 2]), F(1.5)]),
    "pad by reflection": single("Pad", [4], [I([2, 1])], mode="reflect"),
    "pad by edges": single("Pad", [4], [I([2, 1])], mode="edge"),
    "identity": single("Identity", [3]),
    "dropout": single("Dropout", [3], opset=11),
    "cast": single("Cast", [3], to=1),
    "expand": single("Expand", [3, 1], [I([2, 3, 2])]),
    "reduce sum": single("ReduceSum", [2, 3, 2], [I([1])], keepdims=0),
    "reduce sum of all": single("ReduceSum", [2, 2]),
    "reduce mean": single("ReduceMean", [2, 4], axes=[-1]),
    "reduce max": single("ReduceMax", [2, 3], axes=[1], keepdims=0),
    "reduce min": single("ReduceMin", [2, 3], axes=[0]),
    "mean": single("Mean", [4], [A[0]]),
    "clip as attributes": single("Clip", [5], opset=10, min=-1.0, max=2.0),
    "slice as attributes": single("Slice", [4, 5], opset=9, starts=[1], ends=[3], axes=[1]),
    "pad as attributes": single("Pad", [2, 2], opset=10, pads=[1, 0, 0, 1], value=0.5),
    "unsqueeze as attributes": single("Unsqueeze", [3], opset=11, axes=[0]),
}  # fmt: skip


@pytest.mark.parametrize("name", CASES)
def test_matches_the_reference_exactly(name):
    proto = CASES[name]
    network = model_network(proto)
    for point in dyadic_points(8, len(network.inputs)):
        assert exact(network, point) == reference(proto, point)


def test_exporters_that_compute_their_shapes():
    """Shape, Gather, Unsqueeze, Concat, Reshape, as torch writes `x.view(x.size(0), -1)`."""
    nodes = [
        ("Shape", ["x"], ["s"], {}),
        ("Gather", ["s", "zero"], ["n"], {"axis": 0}),
        ("Unsqueeze", ["n", "axes"], ["n1"], {}),
        ("Concat", ["n1", "rest"], ["shape"], {"axis": 0}),
        ("Reshape", ["x", "shape"], ["flat"], {}),
        ("MatMul", ["flat", "W"], ["y"], {}),
    ]
    constants = {"zero": I(0), "axes": I([0]), "rest": I([-1]), "W": A.T.copy()}
    proto = model(nodes, {"x": [1, 2, 2]}, constants, ["y"])
    network = model_network(proto)
    for point in dyadic_points(5, 4):
        assert exact(network, point) == reference(proto, point)


@pytest.mark.parametrize("opset", range(OLDEST_OPSET, onnx.defs.onnx_opset_version() + 1))
def test_every_opset_to_the_current_one(opset):
    """Operators that changed most: Squeeze, ReduceSum and Clip now have inputs that used to be attributes."""
    is_new = opset >= 13
    squeeze = ("Squeeze", ["p", "axis"], ["s"], {}) if is_new else ("Squeeze", ["p"], ["s"], {"axes": [0]})
    reduce = ("ReduceSum", ["c", "axis"], ["y"], {}) if is_new else ("ReduceSum", ["c"], ["y"], {"axes": [0]})
    clip = (
        ("Clip", ["g", "low", "high"], ["c"], {}) if opset >= 11 else ("Clip", ["g"], ["c"], {"min": -1.0, "max": 2.0})
    )
    nodes = [
        ("MatMul", ["x", "W"], ["p"], {}),
        squeeze,
        ("Relu", ["s"], ["r"], {}),
        ("Add", ["r", "b"], ["g"], {}),
        clip,
        reduce,
    ]
    constants = {
        "W": A.astype(np.float64),
        "b": F([-1]).astype(np.float64),
        "axis": I([0]),
        "low": np.float64(-1),
        "high": np.float64(2),
    }
    proto = model(nodes, {"x": [1, 3]}, constants, ["y"], opset)
    network = model_network(proto)
    for point in dyadic_points(5, 3):
        assert exact(network, point) == reference(proto, point)


def test_several_inputs_and_outputs_follow_each_other():
    nodes = [("Add", ["a", "b"], ["s"], {}), ("Relu", ["s"], ["r"], {}), ("Sub", ["r", "a"], ["d"], {})]
    proto = model(nodes, {"a": [2], "b": [2]}, {}, ["d", "s"])
    network = model_network(proto)
    assert (len(network.inputs), len(network.outputs)) == (4, 4)
    for point in dyadic_points(10, 4):
        assert exact(network, point) == reference(proto, point)


def test_irrational_factors_are_rounded_to_sixty_bits():
    variances = F([2, 1e-3, 3e5])
    proto = single("BatchNormalization", [1, 3], [F([1, 2, 3]), F([0, 1, 2]), F([1, -1, 0]), variances], epsilon=1e-5)
    with pytest.warns(InexactWarning, match="irrational in 3 of 3 channels and rounded there to 60 bits"):
        network = model_network(proto)
    for point in dyadic_points(5, 3):
        assert np.allclose([float(y) for y in exact(network, point)], reference(proto, point), rtol=1e-14, atol=1e-14)
    for scale, variance, row in zip((1, 2, 3), variances, network.layers[0].rows, strict=True):
        factor = row.terms[0][1]
        wanted = scale**2 / (Fraction(float(variance)) + Fraction(float(np.float32(1e-5))))
        assert abs(Fraction(int(factor.numerator), int(factor.denominator)) ** 2 / wanted - 1) < Fraction(1, 2**58)


def test_only_irrational_factors_are_warned_of():
    """(3/2)² and 2⁻⁴ have rational roots, 2 has none; a warning is an error in these tests unless it is expected."""
    rational = [F([1, 2]), F([0, 1]), F([1, -1]), F([2.25, 0.0625])]
    assert model_network(single("BatchNormalization", [1, 2], rational, epsilon=0.0))(1, -1) == (0, 1)
    mixed = [*rational[:3], F([2.25, 2])]
    with pytest.warns(InexactWarning, match="irrational in 1 of 2 channels"):
        model_network(single("BatchNormalization", [1, 2], mixed, epsilon=0.0))


def test_negative_pads_cut():
    """The reference implementation does not support negative pads."""
    network = model_network(single("Pad", [4], [I([-1, 2])]))
    assert exact(network, [1.0, 2.0, 3.0, 4.0]) == [2, 3, 4, 0, 0]


def test_clipped_layers_stay_clipped():
    nodes = [("Gemm", ["x", "W"], ["t"], {}), ("Clip", ["t", "zero", "one"], ["y"], {})]
    network = model_network(model(nodes, {"x": [1, 3]}, {"W": A, "zero": F(0), "one": F(1)}, ["y"]))
    assert [layer.activation for layer in network.layers] == ["crelu"]


UNARY = ["Relu", "Abs", "Neg", "LeakyRelu", "HardSigmoid", "Clip", "Double"]
BINARY = ["Add", "Sub", "Max", "Min"]


@st.composite
def graphs(draw):
    """Draw random graphs over three numbers. Every node may use any earlier values, so paths have various lengths."""
    values, nodes = ["x"], []
    constants = {"low": F(-0.5), "high": F(1.25), "two": F(2), "W": F([[1, -1, 0], [0, 2, 1], [-2, 0, 1]]) / 2}
    for index in range(draw(st.integers(1, 7))):
        operator = draw(st.sampled_from([*UNARY, *BINARY, "MatMul"]))
        first, result = draw(st.sampled_from(values)), f"v{index}"
        if operator == "Clip":
            nodes.append(("Clip", [first, "low", "high"], [result], {}))
        elif operator == "Double":
            nodes.append(("Mul", [first, "two"], [result], {}))
        elif operator == "MatMul":
            nodes.append(("MatMul", [first, "W"], [result], {}))
        elif operator in BINARY:
            nodes.append((operator, [first, draw(st.sampled_from(values))], [result], {}))
        else:
            options = {"LeakyRelu": {"alpha": 0.25}, "HardSigmoid": {"alpha": 0.5, "beta": 0.25}}
            nodes.append((operator, [first], [result], options.get(operator, {})))
        values.append(result)
    outputs = sorted({values[-1], draw(st.sampled_from(values[1:]))})
    return model(nodes, {"x": [1, 3]}, constants, outputs)


@given(graphs(), st.integers(0, 1000))
def test_random_graphs_match_the_reference_exactly(proto, seed):
    network = model_network(proto)
    for point in dyadic_points(6, 3, seed):
        assert exact(network, point) == reference(proto, point)


def test_every_operator_is_tried():
    tried = {node.op_type for proto in CASES.values() for node in proto.graph.node}
    elsewhere = {"Constant", "ConstantOfShape", "Range", "Shape", "Size"}  # covered by onnx's node tests
    elsewhere |= {"DequantizeLinear", "QuantizeLinear"}  # test_quantised.py
    assert set(OPERATORS) <= tried | elsewhere


INTEGERS = ("int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64")


def of_constants(operator, *arrays, **attributes):
    """Return a model that casts the value of an operator on constants to float64, and adds it to its input."""
    names = [f"c{k}" for k in range(len(arrays))]
    nodes = [
        (operator, names, ["r"], attributes),
        ("Cast", ["r"], ["f"], {"to": TensorProto.DOUBLE}),
        ("Add", ["x", "f"], ["y"], {}),
    ]
    return model(nodes, {"x": [1]}, dict(zip(names, arrays, strict=True)), ["y"])


@pytest.mark.parametrize("kind", INTEGERS)
@pytest.mark.parametrize("operator", ["Add", "Sub", "Mul", "Div", "MatMul", "Max", "Min", "Sum"])
def test_integers_wrap_around(operator, kind):
    """As in onnxruntime and in numpy: 200 + 100 is 44 in eight bits."""
    ends = np.iinfo(kind)
    a = np.array([200 % (ends.max + 1), ends.max, ends.max, ends.min, 7, ends.min], kind)
    b = np.array([100, ends.max, 1, 1, 2, ends.max], kind)
    network = model_network(of_constants(operator, a, b))
    with np.errstate(over="ignore"):
        wanted = {
            "Add": lambda: a + b, "Sub": lambda: a - b, "Mul": lambda: a * b, "Div": lambda: np.array([int(x / y) for x, y in zip(map(Fraction, a.tolist()), b.tolist(), strict=True)]),
            "MatMul": lambda: np.array([a @ b]), "Max": lambda: np.maximum(a, b), "Min": lambda: np.minimum(a, b), "Sum": lambda: a + b,
        }[operator]()  # fmt: skip
    values = network(0) if len(wanted) > 1 else (network(0),)
    assert list(values) == [int(np.float64(x)) for x in wanted.tolist()], "a cast to float64 rounds"


@pytest.mark.parametrize("kind", INTEGERS)
def test_integers_of_one_tensor(kind):
    ends = np.iinfo(kind)
    numbers = np.array([ends.min, 3, ends.max // 2 + 1, ends.max // 2 - 4], kind)
    reduced = model_network(of_constants("ReduceSum", numbers, keepdims=1))(0)
    assert reduced == int(np.float64(numbers.sum(dtype=kind)))
    for operator, function in (("Neg", np.negative), ("Abs", np.abs), ("Relu", lambda x: np.maximum(x, 0))):
        proto = of_constants(operator, numbers)
        if operator == "Neg" and kind.startswith("u"):
            with pytest.raises(InputError, match="Neg: the negative of uint"):
                model_network(proto)
        else:
            assert list(model_network(proto)(0)) == [int(np.float64(x)) for x in function(numbers).tolist()]


@pytest.mark.parametrize(
    ("proto", "words"),
    [
        (
            of_constants("Add", np.array([1], np.uint8), np.array([1], np.int64)),
            "integers of one type, found int64 and uint8",
        ),
        (of_constants("Mean", np.array([1]), np.array([2])), "the mean of integers"),
        (of_constants("ReduceMean", np.array([1, 2])), "the mean of int64"),
        (of_constants("Gemm", np.ones((1, 1), np.int64), np.ones((1, 1), np.int64), alpha=0.5), "alpha or beta"),
        (of_constants("ReduceSum", np.array([100, 28], np.int8)), "ReduceSum: a sum that no int8 holds"),
        (of_constants("ReduceSum", np.array([-100, -29], np.int8)), "ReduceSum: a sum that no int8 holds"),
        (of_constants("Gemm", *[np.full((1, 1), 1 << 16, np.int32)] * 2), "Gemm: a product that no int32 holds"),
        (of_constants("Gemm", *[np.full((1, 1), -2, np.int32)] * 2, np.array((1 << 31) - 4, np.int32)), "Gemm: a sum that no int32 holds"),
        (of_constants("Pad", np.array([1], np.uint8), I([0, 1]), F(0.5)), "Pad: a value to pad with that no uint8 holds"),
        (of_constants("Pad", np.array([1], np.uint8), I([0, 1]), I(1)), "integers of one type, found int64 and uint8"),
    ],
)  # fmt: skip
def test_integers_that_are_refused(proto, words):
    with pytest.raises(InputError, match=words):
        model_network(proto)


def test_integers_in_gemm():
    """Without overflow. onnxruntime has no such operator, and onnx's reference implementation uses floats."""
    a, b, c = (np.array(numbers, np.int64) for numbers in ([[3, -4]], [[5], [6]], [[1 << 40]]))
    assert model_network(of_constants("Gemm", a, b, c))(0) == (1 << 40) - 9


@pytest.mark.parametrize(
    ("operator", "inputs"), [("Pad", [I([0, 0])]), ("Pad", [I([0, 0]), np.uint8(7)]), ("Clip", [])]
)
def test_integers_keep_their_type(operator, inputs):
    """200 + 100 is 44 in eight bits, also after other operators on the 200."""
    names = [f"c{k}" for k in range(len(inputs))]
    nodes = [
        (operator, ["a", *names], ["p"], {}),
        ("Add", ["p", "b"], ["s"], {}),
        ("Cast", ["s"], ["f"], {"to": TensorProto.DOUBLE}),
        ("Add", ["x", "f"], ["y"], {}),
    ]
    constants = {
        "a": np.array([200], np.uint8),
        "b": np.array([100], np.uint8),
        **dict(zip(names, inputs, strict=True)),
    }
    proto = model(nodes, {"x": [1]}, constants, ["y"])
    assert model_network(proto)(0) == 44
    assert reference(proto, [0.0]) == [44]


@pytest.mark.parametrize("shape", [[2, 3, 4], [2, 2, 2, 3], [1, 2, 2, 2, 3]])
def test_global_max_pool_goes_over_all_axes_after_the_channels(shape):
    """onnx's reference implementation always uses the last two axes."""
    network = model_network(single("GlobalMaxPool", shape))
    for point in dyadic_points(5, int(np.prod(shape)), seed=9):
        rows = np.array(point).reshape(shape[0] * shape[1], -1)
        assert exact(network, point) == [as_number(x) for x in rows.max(axis=1).tolist()]


@pytest.mark.parametrize("shape", [[2, 3, 4], [2, 2, 2, 3], [1, 2, 2, 2, 3]])
def test_global_max_pool_is_that_of_onnxruntime(shape):
    onnxruntime = pytest.importorskip("onnxruntime")
    nodes = [
        ("Cast", ["x"], ["a"], {"to": TensorProto.FLOAT}),  # the only cast of a variable tensor
        ("GlobalMaxPool", ["a"], ["b"], {}),
        ("Cast", ["b"], ["y"], {"to": TensorProto.DOUBLE}),
    ]
    proto = model(nodes, {"x": shape}, {}, ["y"])
    proto.ir_version = 8
    session, network = onnxruntime.InferenceSession(proto.SerializeToString()), model_network(proto)
    for point in dyadic_points(5, int(np.prod(shape)), seed=9):
        (values,) = session.run(None, {"x": np.array(point).reshape(shape)})
        assert exact(network, point) == [as_number(x) for x in values.ravel().tolist()]


#: Numbers that shorter floats round; ties go to even.
ROUNDED = [1.0, 1 / 3, 1.00390625, 1.01171875, -2.0 / 3, 3.0e38, 1e-30, 65504.0, 16777217.0]


@pytest.mark.parametrize("to", [TensorProto.BFLOAT16, TensorProto.FLOAT16, TensorProto.FLOAT, TensorProto.DOUBLE])
@pytest.mark.parametrize("stored", ["float32", "float64"])
def test_casts_of_stored_constants_round(to, stored):
    import ml_dtypes  # a dependency of onnx

    kind = {TensorProto.BFLOAT16: ml_dtypes.bfloat16, TensorProto.FLOAT16: np.float16, TensorProto.FLOAT: np.float32}
    for number in ROUNDED:
        array = np.array([number], stored)
        with np.errstate(over="ignore"):
            wanted = float(array.astype(kind.get(to, np.float64))[0])
        proto = of_constants("Cast", array, to=to)
        if np.isfinite(wanted):
            assert model_network(proto)(0) == as_number(wanted)
        else:
            with pytest.raises(InputError, match="finite"):
                model_network(proto)


def test_casts_of_integers_round():
    """2^24 + 1 is not a float32; 257 does not fit in eight bits."""
    assert model_network(of_constants("Cast", np.array([16777217]), to=TensorProto.FLOAT))(0) == 16777216
    assert model_network(of_constants("Cast", np.array([257]), to=TensorProto.BFLOAT16))(0) == 256
    assert model_network(of_constants("Cast", np.array([True, False]), to=TensorProto.FLOAT))(0) == (1, 0)
    with pytest.raises(InputError, match="overflows"):
        model_network(of_constants("Cast", np.array([300]), to=TensorProto.UINT8))


def test_floats_are_folded_over_the_real_numbers():
    """As the README says: the numbers are the stored ones, and no step is rounded."""
    a, b = np.array([0.1], np.float32), np.array([0.7], np.float32)
    exact_sum = Fraction(float(a[0])) + Fraction(float(b[0]))
    assert model_network(of_constants("Add", a, b))(0) == exact_sum
    assert Fraction(float((a + b)[0])) != exact_sum
