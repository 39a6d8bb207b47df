"""onnx's own node tests: each model of a supported operator is read and matches, or is refused."""

import warnings
from collections import Counter

import numpy as np
import onnx
import pytest
from onnx import numpy_helper

from verimv.core.errors import InexactWarning, InputError
from verimv.exact import as_number
from verimv.networks.formats.onnx_format.reader import OPERATORS, model_network

pytestmark = pytest.mark.slow  # onnx is slow to make its cases


def node_tests():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # onnx warns while it makes its cases
        loader = pytest.importorskip("onnx.backend.test.loader")
        return loader.load_model_tests(kind="node")


@pytest.fixture(scope="module")
def cases():
    return node_tests()


def as_array(value):
    array = numpy_helper.to_array(value) if isinstance(value, onnx.TensorProto) else np.asarray(value)
    return array.astype(np.float64)


def baked(case):
    """Return the model with all inputs but the first as constants: in onnx's tests, weights are inputs."""
    proto = onnx.ModelProto()
    proto.CopyFrom(case.model)
    values = case.data_sets[0][0]
    for value, name in list(zip(values, (i.name for i in proto.graph.input), strict=True))[1:]:
        proto.graph.initializer.append(
            value if isinstance(value, onnx.TensorProto) else numpy_helper.from_array(np.asarray(value), name)
        )
    return proto


def outcome(case, proto, inputs):
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", InexactWarning)  # irrational numbers: compared with floats below
            network = model_network(proto)
    except InputError as error:
        return f"refused: {error}"
    point = np.concatenate([as_array(value).ravel() for value in inputs])
    if not np.isfinite(point).all():
        return "no real numbers"
    values = [float(value) for value in network.at([as_number(x) for x in point])]
    wanted = np.concatenate([as_array(value).ravel() for value in case.data_sets[0][1]])
    matches = len(values) == len(wanted) and np.allclose(values, wanted, rtol=1e-3, atol=1e-5)
    return "match" if matches else f"mismatch: {values[:4]}, not {wanted[:4]}"


def test_every_model_of_a_supported_operator_matches_or_is_refused(cases, capsys):
    counts, wrong = Counter(), {}
    for case in cases:
        if not {node.op_type for node in case.model.graph.node} <= set(OPERATORS):
            continue
        inputs = case.data_sets[0][0]
        if not all(isinstance(value, np.ndarray | np.generic | onnx.TensorProto | float | int) for value in inputs):
            inputs = []  # sequences and optionals: nothing to evaluate, but they must be refused
        variants = [(case.model, inputs)] + ([(baked(case), inputs[:1])] if len(inputs) > 1 else [])
        for proto, values in variants:
            result = outcome(case, proto, values)
            counts[result.split(":")[0]] += 1
            if result.startswith("mismatch"):
                wrong[case.name] = result
    with capsys.disabled():  # for the CI log
        print(f"\nonnx's node tests: {', '.join(f'{count} {what}' for what, count in counts.items())}")
    assert not wrong
    assert counts["match"] >= 250
    assert set(counts) <= {"match", "refused", "no real numbers"}


def test_models_of_other_operators_are_refused_by_name(cases):
    refused = 0
    for case in cases:
        unknown = {node.op_type for node in case.model.graph.node} - set(OPERATORS)
        if unknown:
            with pytest.raises(InputError):
                model_network(case.model)
            refused += 1
    assert refused > 500
