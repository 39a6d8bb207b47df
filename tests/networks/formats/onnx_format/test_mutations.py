"""Every operator with unusual inputs and attributes: each model is read or refused in one line.

Models that onnx's checker accepts, and its reference implementation computes, have the same values here.
"""

import random
import warnings
from collections import Counter
from pathlib import Path

import numpy as np
import onnx
import pytest
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator
from onnx.reference.op_run import OpRun

from tests.effort import scaled
from verimv.core.errors import InexactWarning, InputError
from verimv.exact import as_number
from verimv.networks.formats.onnx_format.chain import _Chain
from verimv.networks.formats.onnx_format.reader import OPERATORS, model_network

TYPES = ("float32", "float64", "float16", "int64", "int64", "int32", "int8", "uint8", "uint64", "bool")
LENGTHS = (0, 1, 1, 2, 2, 3)
NUMBERS = (0, 0, 1, 1, 1, 2, 2, 3, -1, -1, -2, 4, 7, 100, -(1 << 63), (1 << 63) - 1)
ATTRIBUTES = (
    "axis", "axes", "keepdims", "to", "start", "end", "value", "value_int", "value_ints", "value_float", "value_floats", "alpha", "beta",
    "transA", "transB", "group", "kernel_shape", "strides", "pads", "dilations", "auto_pad", "ceil_mode", "count_include_pad", "epsilon",
    "perm", "mode", "min", "max", "num_outputs", "split", "starts", "ends", "shape", "allowzero", "noop_with_empty_axes", "training_mode",
)  # fmt: skip
#: Usual number of inputs, and attributes, of each operator; others are tried less often.
USUAL = {
    "Add": (2, ""), "AveragePool": (1, "kernel_shape strides pads auto_pad ceil_mode count_include_pad"), "BatchNormalization": (5, "epsilon"),
    "Cast": (1, "to"), "Clip": (3, "min max"), "Concat": (2, "axis"), "Constant": (0, "value value_int value_ints value_float value_floats"),
    "ConstantOfShape": (1, "value"), "Conv": (2, "strides pads dilations group auto_pad kernel_shape"), "Div": (2, ""), "Expand": (2, ""),
    "Flatten": (1, "axis"), "Gather": (2, "axis"), "Gemm": (3, "alpha beta transA transB"), "HardSigmoid": (1, "alpha beta"),
    "LeakyRelu": (1, "alpha"), "MatMul": (2, ""), "Max": (2, ""), "MaxPool": (1, "kernel_shape strides pads dilations ceil_mode auto_pad"),
    "Mean": (2, ""), "Min": (2, ""), "Mul": (2, ""), "PRelu": (2, ""), "Pad": (3, "mode pads value"), "Range": (3, ""),
    "ReduceMax": (1, "axes keepdims"), "ReduceMean": (1, "axes keepdims"), "ReduceMin": (1, "axes keepdims"), "ReduceSum": (2, "keepdims noop_with_empty_axes"),
    "Reshape": (2, "allowzero"), "Shape": (1, "start end"), "Slice": (5, ""), "Split": (2, "axis num_outputs"), "Squeeze": (2, "axes"), "Sub": (2, ""),
    "Sum": (2, ""), "Transpose": (1, "perm"), "Unsqueeze": (2, "axes"),
}  # fmt: skip
#: Operators whose inputs after the first are lists of integers.
LISTS = {
    "Expand",
    "Gather",
    "Pad",
    "Range",
    "ReduceSum",
    "Reshape",
    "Slice",
    "Split",
    "Squeeze",
    "Unsqueeze",
    "ConstantOfShape",
}


def array(source, *, is_list=False, rank=None):
    if is_list and source.random() < 0.9:
        count = source.choice((0, 1, 1, 2, 2, 3, 4))
        shape = () if source.random() < 0.3 else (count,)
        small = NUMBERS[:-2] if source.random() < 0.9 else NUMBERS
        return np.array([source.choice(small) for _ in range(int(np.prod(shape)))], dtype=np.int64).reshape(shape)
    kind = np.dtype(source.choice(TYPES))
    shape = tuple(source.choice(LENGTHS) for _ in range(source.randint(0, 4) if rank is None else rank))
    count = int(np.prod(shape))
    if kind.kind in "iu":
        ends = np.iinfo(kind)
        numbers = [source.choice((0, 1, 2, 3, ends.min, ends.max, ends.max // 2 + 1, 100)) for _ in range(count)]
        return np.array(numbers, dtype=kind).reshape(shape)
    return np.array([source.randint(-8, 8) / 4 for _ in range(count)]).reshape(shape).astype(kind)


def attribute(source, name):
    usual = {
        "auto_pad": ("SAME_UPPER", "SAME_LOWER", "VALID", "NOTSET"), "mode": ("constant", "reflect", "edge", "wrap", "odd"),
        "value": (np.array([2.5]), np.array([3], dtype=np.int64), np.array(200, dtype=np.uint8)), "to": (1, 10, 11, 16, 2, 3, 5, 6, 7, 9, 12, 99),
        "kernel_shape": ([1], [2], [2, 1], [2, 2]), "strides": ([1], [2], [1, 2]), "pads": ([0, 1], [1, 1], [0, 1, 1, 0], [0, 0, 0, 0]),
        "perm": ([0], [1, 0], [0, 1], [2, 0, 1]), "alpha": (1.0, 0.5), "beta": (1.0, 0.25), "epsilon": (0.0, 1e-5, -1.0), "min": (0.0, -1.0), "max": (1.0, float("inf")),
        "value_float": (1.5,), "value_floats": ([1.5, 2.0],), "group": (1, 1, 2), "axes": ([0], [1], [-1], [0, 1], []), "split": ([1, 1],),
    }.get(name, (0, 1, 1, 2, -1, 3))  # fmt: skip
    if source.random() < 0.8:
        return source.choice(usual)
    small = source.choice(NUMBERS)
    return source.choice(
        [small, [small, 1], [1, small, 2], [], float(small), [0.5, float("nan")], "text", array(source), [small] * 40]
    )


def make(source, name=None):
    """Return a graph of one or two operators on an input x and constants; its outputs are the last value and x."""
    nodes, constants, known = [], {}, ["x"]
    for number in range(source.choice((1, 1, 2))):
        operator = name if name and not number else source.choice(sorted(OPERATORS))
        usual, options = USUAL.get(operator, (1, ""))
        count = usual if source.random() < 0.8 else source.randint(0, 5)
        inputs = []
        for k in range(count):
            if source.random() < 0.06:
                inputs.append("")
            elif source.random() < (0.5 if k == 0 else 0.15):
                inputs.append(source.choice(known))
            else:
                inputs.append(f"c{len(constants)}")
                same = constants[inputs[0]] if inputs[0] in constants and source.random() < 0.5 else None
                is_list = operator in LISTS and (k > 0 or operator in ("Range", "ConstantOfShape"))
                constants[inputs[-1]] = same if same is not None and not is_list else array(source, is_list=is_list)
        chosen = [option for option in options.split() if source.random() < 0.6]
        if source.random() < 0.1:
            chosen.append(source.choice(ATTRIBUTES))
        outputs = [
            f"v{number}_{k}"
            for k in range(source.choice((2, 3)) if operator == "Split" else source.choice((1,) * 9 + (2,)))
        ]
        known += outputs
        attributes = {option: attribute(source, option) for option in dict.fromkeys(chosen)}
        nodes.append(node(operator, inputs, outputs, attributes))
    shape = [source.choice(LENGTHS[1:]) for _ in range(source.randint(0, 4))]
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [*nodes, helper.make_node("Identity", ["x"], ["kept"])], "test", [info("x", TensorProto.DOUBLE, shape)],
        [onnx.ValueInfoProto(name=known[-1]), info("kept", TensorProto.DOUBLE, shape)],
        [numpy_helper.from_array(value, key) for key, value in constants.items()],
    )  # fmt: skip
    opset = source.choice((7, 9, 10, 11, 12, 13, 14, 15, 17, 18, 19, 21))
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def node(operator, inputs, outputs, attributes):
    made = helper.make_node(operator, inputs, outputs)
    for name, value in attributes.items():
        value = numpy_helper.from_array(value) if isinstance(value, np.ndarray) else value
        kind = onnx.AttributeProto.INTS if value == [] else None
        made.attribute.append(helper.make_attribute(name, value, attr_type=kind))
    return made


def outcome(proto):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InexactWarning)
            return model_network(proto), "read"
    except InputError as error:
        return None, "refused" if "\n" not in str(error) and len(str(error)) < 500 else "refused at length"


class GlobalMaxPool(OpRun):
    """GlobalMaxPool as in ONNX and onnxruntime. That of onnx 1.23 uses the last two axes, which is correct for images only."""

    op_domain = ""

    def _run(self, x):
        return (x.max(axis=tuple(range(2, x.ndim)), keepdims=True),)


def expected(proto, point):
    """Return onnx's values of a model that its checker accepts; None if it does not compute them."""
    if any(attribute.s == b"SAME_LOWER" for node in proto.graph.node for attribute in node.attribute):
        return None  # if a stride is longer than the kernel, its first window differs from onnxruntime's
    try:
        shape = [dimension.dim_value for dimension in proto.graph.input[0].type.tensor_type.shape.dim]
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            results = ReferenceEvaluator(proto, new_ops=[GlobalMaxPool]).run(
                None, {"x": np.array(point).reshape(shape)}
            )
        kind = helper.np_dtype_to_tensor_dtype(results[0].dtype)
        proto.graph.output[0].CopyFrom(
            helper.make_tensor_value_info(proto.graph.output[0].name, kind, list(results[0].shape))
        )
        onnx.checker.check_model(proto, full_check=True)
    except Exception:  # of any kind: the reference implementation does not check its input
        return None
    values = [float(value) for result in results for value in np.ravel(result)]
    return values if np.isfinite(values).all() else None


def try_models(count, seed):
    source, counts, wrong = random.Random(seed), Counter(), []
    operators = sorted(OPERATORS)
    for number in range(count):
        proto = make(source, operators[number % len(operators)])
        network, word = outcome(proto)
        counts[word] += 1
        if network is None:
            continue
        point = [source.randint(-8, 8) / 4 for _ in network.inputs]
        wanted = expected(proto, point)
        if wanted is not None:
            values = [float(value) for value in network.at([as_number(x) for x in point])]
            counts["compared"] += 1
            if len(values) != len(wanted) or not np.allclose(values, wanted, rtol=1e-3, atol=1e-3):
                wrong.append((proto, values, wanted))
    return counts, wrong


def test_odd_models_are_read_or_refused_and_mean_what_onnx_says():
    counts, wrong = try_models(2_000, 1)
    assert not wrong
    assert not counts["refused at length"]
    assert counts["read"] > 400
    assert counts["refused"] > 400
    assert counts["compared"] > 200


#: Operators for which float errors are bounded, and some that are refused by name.
CHAINED = (
    "Gemm",
    "MatMul",
    "Add",
    "Sub",
    "Relu",
    "Clip",
    "Flatten",
    "Reshape",
    "Squeeze",
    "Unsqueeze",
    "Identity",
    "Constant",
    "Conv",
)


def try_chains(count, seed):
    source, counts = random.Random(seed), Counter()
    for number in range(count):
        proto = make(source, CHAINED[number % len(CHAINED)])
        proto.graph.input[0].type.tensor_type.elem_type = TensorProto.FLOAT
        del proto.graph.output[1], proto.graph.node[-1]
        counts[chain_outcome(proto)] += 1
    return counts


def chain_outcome(proto):
    try:
        _Chain(proto, Path("nowhere")).network()
    except InputError:
        return "refused"
    return "read"


def test_odd_chains_are_read_or_refused():
    counts = try_chains(1_000, 1)
    assert counts["refused"] > 100
    assert counts["read"] > 20


@pytest.mark.slow
def test_many_odd_chains():
    assert try_chains(scaled(5_000), 2)["read"] > 125


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 2 + scaled(2)))
def test_many_odd_models(seed):
    counts, wrong = try_models(5_000, seed)
    assert not wrong
    assert not counts["refused at length"]
