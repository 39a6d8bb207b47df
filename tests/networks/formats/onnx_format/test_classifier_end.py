"""With `logits`, the scores before the end of a classifier are read; nothing else is left out."""

import random

import numpy as np
import pytest
from onnx import helper

from tests.effort import scaled
from tests.networks.models import dyadic_points, exact, model, reference
from verimv.core.errors import InputError
from verimv.networks.formats.load import load
from verimv.networks.formats.onnx_format.classifier_end import _BEGINS, _FOLLOWS, _LOOKUPS
from verimv.networks.formats.onnx_format.preprocessing import DOMAIN, PREPROCESSING
from verimv.networks.formats.onnx_format.reader import model_network

W = np.array([[1.0, -2.0, 0.5], [0.25, 1.0, -1.0]])
SCORES = [("MatMul", ["x", "W"], ["h"], {}), ("Relu", ["h"], ["s"], {})]


def classifier(*nodes, outputs=("y",), shape=(1, 2), constants=None):
    """Return a model whose end are these nodes."""
    proto = model([*SCORES, *nodes], {"x": list(shape)}, {"W": W, **(constants or {})}, list(outputs))
    proto.opset_import.append(helper.make_opsetid(DOMAIN, 3))
    for node in proto.graph.node:
        if node.op_type in (*PREPROCESSING, "ZipMap", "Binarizer"):
            node.domain = DOMAIN
    return proto


def texts(proto, name, labels):
    proto.graph.initializer.append(helper.make_tensor(name, 8, [len(labels)], [label.encode() for label in labels]))
    return proto


ARGMAX = ("ArgMax", ["s"], ["k"], {"axis": 1, "keepdims": 0})
ENDS = {
    "softmax": classifier(("Softmax", ["s"], ["y"], {})),
    "old softmax": model([*SCORES, ("Softmax", ["s"], ["y"], {})], {"x": [1, 2]}, {"W": W}, ["y"], opset=11),
    "log softmax": classifier(("LogSoftmax", ["s"], ["y"], {"axis": -1})),
    "sigmoid": classifier(("Sigmoid", ["s"], ["y"], {})),
    "tanh": classifier(("Tanh", ["s"], ["y"], {})),
    "argmax": classifier(("ArgMax", ["s"], ["y"], {"axis": 1})),
    "argmax as float": classifier(ARGMAX, ("Cast", ["k"], ["y"], {"to": 1})),
    "scores and shares": classifier(("Softmax", ["s"], ["y"], {}), outputs=["s", "y"]),
    "shares of both": classifier(
        ("Sigmoid", ["s"], ["p"], {}), ("Sub", ["one", "p"], ["q"], {}), ("Concat", ["q", "p"], ["y"], {"axis": 1}),
        constants={"one": np.ones(1)},
    ),
    "looked up": classifier(ARGMAX, ("Gather", ["names", "k"], ["y"], {}), constants={"names": np.array([7, 8, 9])}),
}  # fmt: skip


@pytest.mark.parametrize("name", ENDS)
def test_scores_before_the_end(name):
    network = model_network(ENDS[name], logits=True)
    bare = classifier(outputs=["s"])
    assert len(network.outputs) == 3
    assert any(note.startswith("the outputs are the values before ") for note in network.notes)
    for point in dyadic_points(5, 2):
        assert exact(network, point) == reference(bare, point)
    with pytest.raises(InputError, match=r"--logits \(logits=True\)"):
        model_network(ENDS[name])


@pytest.mark.parametrize(
    ("proto", "words"),
    [
        (classifier(("Sigmoid", ["s"], ["p"], {}), ("Relu", ["p"], ["y"], {})), "'Relu' after 'Sigmoid'"),
        (classifier(("Sigmoid", ["s"], ["p"], {}), ("Add", ["p", "s"], ["y"], {})), "'Add' after 'Sigmoid'"),
        (classifier(("Sigmoid", ["s"], ["p"], {}), ("Concat", ["p", "s"], ["y"], {"axis": 1})), "'Concat' after"),
        (classifier(("Sigmoid", ["s"], ["p"], {}), ("Sub", ["s", "p"], ["y"], {})), "'Sub' after"),
        (classifier(("Tanh", ["s"], ["p"], {}), ("MatMul", ["p", "V"], ["y"], {}), constants={"V": W.T}), "'MatMul' after"),
        (classifier(("Sigmoid", ["s"], ["p"], {}), ("Sigmoid", ["h"], ["q"], {}), ("Concat", ["p", "q"], ["y"], {"axis": 1})), "'Concat' after"),
        (classifier(("Sigmoid", ["s"], ["p"], {}), ("Sigmoid", ["p"], ["y"], {})), "'Sigmoid' after 'Sigmoid'"),
        (classifier(("Softmax", ["s"], ["y"], {"axis": 0})), "several classes along axis 0"),
        (classifier(("ArgMax", ["s"], ["y"], {})), "several classes along axis 0"),
        (classifier(("Softmax", ["s"], ["y"], {"axis": 7})), "along axis 7"),
        (classifier(("Exp", ["s"], ["y"], {})), "'Exp' is not supported"),
        (classifier(ARGMAX, ("Gather", ["s", "k"], ["y"], {})), "'Gather' after 'ArgMax'"),
    ],
)  # fmt: skip
def test_what_is_not_the_end_of_a_classifier(proto, words):
    with pytest.raises(InputError) as error:
        model_network(proto, logits=True)
    assert words in str(error.value)


def test_names_of_classes():
    lookup = ("ArrayFeatureExtractor", ["names", "k"], ["y"], {})
    proto = texts(classifier(ARGMAX, lookup), "names", ["red wine", "white wine", "ünknown"])
    network = model_network(proto, logits=True)
    assert [network.label(name) for name in network.outputs] == ["red wine", "white wine", "ünknown"]
    assert network.output_index("white wine") == 1
    zipped = classifier(("Softmax", ["s"], ["p"], {}), ("ZipMap", ["p"], ["y"], {"classlabels_int64s": [3, 5, 4]}))
    network = model_network(zipped, logits=True)
    assert [network.label(name) for name in network.outputs] == ["class 3", "class 5", "class 4"]
    for odd in (["a", "a", "b"], ["", "b", "c"], ['"', "b", "c"], ["a", "b"], ["a"] * 3 + ["\n"]):
        assert model_network(texts(classifier(ARGMAX, lookup), "names", odd), logits=True).outputs == ("y1", "y2", "y3")
    with pytest.raises(InputError, match="'names' is text"):
        model_network(texts(classifier(("Add", ["s", "names"], ["y"], {})), "names", ["a"]), logits=True)


def test_one_score_of_two_classes():
    constants = {"V": np.array([[1.0], [-1.0], [2.0]])}
    nodes = [("MatMul", ["s", "V"], ["z"], {}), ("Sigmoid", ["z"], ["p"], {})]
    zipmap = ("ZipMap", ["p"], ["y"], {"classlabels_strings": ["bad", "very good"]})
    network = model_network(classifier(*nodes, zipmap, constants=constants), logits=True)
    assert [network.label(name) for name in network.outputs] == ["very good"]
    assert network.notes[0].endswith(
        'before Sigmoid: positive where the model predicts "very good", negative where bad'
    )


def test_a_network_without_such_an_end_is_read_as_always():
    proto = classifier(outputs=["s"])
    assert model_network(proto, logits=True) == model_network(proto)
    assert load(proto, logits=True).notes == ("no box is given: every input is assumed to be in [0,1]",)


PREPARED = {
    "scaler": classifier(("Scaler", ["x"], ["y"], {"offset": [0.5, -1.0], "scale": [2.0, 0.25]})),
    "scaler, one number": classifier(("Scaler", ["x"], ["y"], {"offset": [0.5], "scale": [2.0]})),
    "columns": classifier(("ArrayFeatureExtractor", ["x", "c"], ["y"], {}), constants={"c": np.array([[1, 0, 1]])}),
    "vectorizer": classifier(("FeatureVectorizer", ["x", "s"], ["y"], {"inputdimensions": [2, 3]})),
    "imputer": classifier(("Imputer", ["x"], ["y"], {"replaced_value_float": float("nan"), "imputed_value_floats": [1.0, 2.0]})),
}  # fmt: skip


@pytest.mark.parametrize("name", PREPARED)
def test_preparing_operators(name):
    proto = PREPARED[name]
    network = model_network(proto)
    for point in dyadic_points(6, 2):
        assert exact(network, point) == reference(proto, point)


@pytest.mark.parametrize(
    ("node", "words"),
    [
        (("Scaler", ["x"], ["y"], {"offset": [0.5, 1.0, 2.0], "scale": [2.0]}), "expected 2 numbers or one, found 3"),
        (("Scaler", ["x"], ["y"], {"offset": [float("nan")], "scale": [2.0]}), "finite"),
        (("Scaler", ["x"], ["y"], {"offset": 1.0}), "expected numbers"),
        (("ArrayFeatureExtractor", ["x", "c"], ["y"], {}), "an axis of length 2"),
        (("FeatureVectorizer", ["x", "s"], ["y"], {"inputdimensions": [2, 2]}), "does not fit"),
        (("Imputer", ["x"], ["y"], {"replaced_value_float": 0.0, "imputed_value_floats": [1.0]}), "discontinuous"),
        (("Binarizer", ["x"], ["y"], {"threshold": 0.0}), "makes labels"),
    ],
)
def test_preparing_operators_that_are_refused(node, words):
    with pytest.raises(InputError) as error:
        model_network(classifier(node, constants={"c": np.array([2])}))
    assert words in str(error.value)


def damaged(proto, source):
    """Return the model with some operators, names and attributes changed."""
    copy = type(proto).FromString(proto.SerializeToString())
    names = ["", "x", "W", *(name for node in copy.graph.node for name in (*node.input, *node.output))]
    for _ in range(source.randint(1, 4)):
        node = source.choice(copy.graph.node)
        match source.randrange(5):
            case 0 if node.input:
                node.input[source.randrange(len(node.input))] = source.choice(names)
            case 1 if node.output:
                node.output[source.randrange(len(node.output))] = source.choice(names)
            case 2:
                node.op_type = source.choice([*_BEGINS, *_FOLLOWS, *_LOOKUPS, *PREPROCESSING, "Relu"])
                node.domain = source.choice(["", DOMAIN, "other"])
            case 3 if node.attribute:
                attribute = source.choice(node.attribute)
                attribute.i, attribute.type = source.randint(-3, 3), source.choice([1, 2, 3, 6, 7, 8])
            case 4:
                del node.input[source.randrange(len(node.input) + 1) :]
    return copy


def test_damaged_models_are_read_or_refused():
    source, read, refused = random.Random(0), 0, []
    models = [*ENDS.values(), *PREPARED.values()]
    for _ in range(scaled(600)):
        try:
            model_network(damaged(source.choice(models), source), logits=source.random() < 0.8)
            read += 1
        except InputError as error:
            refused.append(str(error))
    assert not any("\n" in message for message in refused)
    assert min(read, len(refused)) > 30
