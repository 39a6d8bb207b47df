"""Small ONNX models for tests, and their values by onnx's reference implementation.

With float64 and short dyadic numbers its sums and products are exact, so values can be compared for equality.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnx.reference import ReferenceEvaluator

from verimv.exact import as_number
from verimv.networks.network import Network

OPSET = 17


def model(
    nodes: list[Any], inputs: dict[str, list[Any]], constants: dict[str, Any], outputs: list[str], opset: int = OPSET
) -> onnx.ModelProto:
    """Return a model. Nodes are (operator, inputs, outputs, attributes); tensors are float64, except some constants."""
    info = helper.make_tensor_value_info
    graph = helper.make_graph(
        [helper.make_node(op, ins, outs, **attributes) for op, ins, outs, attributes in nodes],
        "test",
        [info(name, TensorProto.DOUBLE, shape) for name, shape in inputs.items()],
        [info(name, TensorProto.DOUBLE, None) for name in outputs],
        [numpy_helper.from_array(np.asarray(value), name) for name, value in constants.items()],
    )
    return helper.make_model(graph, opset_imports=[helper.make_opsetid("", opset)])


def single(
    operator: str, shape: list[int], constants: list[Any] = (), opset: int = OPSET, **attributes: Any
) -> onnx.ModelProto:
    """Return a model of one operator, applied to one input and constants."""
    names = [f"c{i}" for i in range(len(constants))]
    node = (operator, ["x", *names], ["y"], attributes)
    return model([node], {"x": shape}, dict(zip(names, constants, strict=True)), ["y"], opset)


def reference(proto: onnx.ModelProto, point: list[float]) -> list[float]:
    """Return all outputs, flattened, at a flattened point."""
    feed, start = {}, 0
    for value in proto.graph.input:
        shape = [dimension.dim_value or 1 for dimension in value.type.tensor_type.shape.dim]
        size = int(np.prod(shape))
        feed[value.name] = np.array(point[start : start + size], dtype=np.float64).reshape(shape)
        start += size
    results = ReferenceEvaluator(proto).run(None, feed)
    return [float(x) for result in results for x in np.ravel(result)]


def exact(network: Network, point: list[float]) -> list[Any]:
    return network.at([as_number(x) for x in point])


def dyadic_points(count: int, width: int, seed: int = 0) -> list[list[float]]:
    """Return points with coordinates k/8 in [−4, 4]."""
    source = np.random.default_rng(seed)
    return [(source.integers(-32, 33, width) / 8).tolist() for _ in range(count)]


def external(location: str, offset: str = "0", length: str = "32") -> onnx.ModelProto:
    """Return a model that multiplies by a matrix of four doubles in another file."""
    proto = single("MatMul", [1, 2], [np.ones((2, 2))])
    tensor = proto.graph.initializer[0]
    tensor.ClearField("raw_data")
    tensor.data_location = TensorProto.EXTERNAL
    for key, value in (("location", location), ("offset", offset), ("length", length)):
        entry = tensor.external_data.add()
        entry.key, entry.value = key, value
    return proto
