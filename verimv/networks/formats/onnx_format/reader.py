"""ONNX → exact network: the graph is evaluated once on affine forms, and the results are arranged in layers.

The network is the exact real-number function of the stored weights: float32 weights are taken as rationals, and no step
is rounded. The floats of onnxruntime differ from it by rounding.
"""

from __future__ import annotations

import json
import os
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path

import numpy as np
import onnx

from verimv.core.errors import InputError
from verimv.exact import shown
from verimv.networks.affine import Affine
from verimv.networks.formats.onnx_format import preprocessing
from verimv.networks.formats.onnx_format.arithmetic import ARITHMETIC
from verimv.networks.formats.onnx_format.classifier_end import ClassifierEnd
from verimv.networks.formats.onnx_format.model import attribute_values, parse_model, read_bytes, tensor_array
from verimv.networks.formats.onnx_format.node import Node, Operator
from verimv.networks.formats.onnx_format.pieces import PIECES
from verimv.networks.formats.onnx_format.quantised import QUANTISED
from verimv.networks.formats.onnx_format.refused import reason_against
from verimv.networks.formats.onnx_format.shapes import SHAPES
from verimv.networks.formats.onnx_format.tensors import Tensor, as_objects, check_size, constant, forms
from verimv.networks.formats.scores import as_scores
from verimv.networks.names import named
from verimv.networks.network import Network, assuming_unit_cube
from verimv.networks.transforms.circuit import Circuit

OPERATORS: dict[str, Operator] = {**SHAPES, **ARITHMETIC, **PIECES, **QUANTISED}
_BY_DOMAIN = {"": OPERATORS, "ai.onnx": OPERATORS, preprocessing.DOMAIN: preprocessing.PREPROCESSING}

OLDEST_OPSET = 7
#: Limit on inputs. A file needs a few bytes for a shape; memory, about 2,000 for each input with its neuron.
MAX_INPUTS = 300_000
MAX_OUTPUTS = 300_000
#: Entries that all operators together may read and create; a file with many stored numbers may have more.
_MAX_WORK = 1_000_000
_WORK_PER_ENTRY = 8
_MAX_MESSAGE = 300
_DOMAINS = ("", "ai.onnx")
_FLOATS = (onnx.TensorProto.FLOAT, onnx.TensorProto.DOUBLE, onnx.TensorProto.FLOAT16, onnx.TensorProto.BFLOAT16)
#: Metadata key under which the writer stores the box.
BOX_KEY = "verimv_box"


def read_onnx(path: str | os.PathLike[str], logits: bool = False) -> Network:
    """Read an ONNX file. Inputs and outputs are flattened in the order of the file and called x1…, y1…; inputs of one
    number each keep their names. With `logits`, the outputs of a classifier are the scores before its last operators,
    and have the names of its classes."""
    place = Path(path)
    try:
        return model_network(parse_model(read_bytes(place)), place.parent, logits)
    except InputError as error:
        raise error.located(str(path)) from None


def model_network(model: onnx.ModelProto, folder: Path | None = None, logits: bool = False) -> Network:
    """Return the network of a parsed model; external data is looked for in `folder` only."""
    graph = _Graph(model, folder, logits)
    return graph.network()


class _Graph:
    def __init__(self, model: onnx.ModelProto, folder: Path | None, logits: bool) -> None:
        self.model, self.folder = model, folder
        self.graph = model.graph
        self.opset = _opset(model)
        self.values: dict[str, Tensor] = {}
        self.texts: dict[str, list[str]] = {}
        self.end = ClassifierEnd(self.opset, self._labels) if logits else None
        self.held = self.work = 0

    def network(self) -> Network:
        if self.graph.sparse_initializer:
            raise InputError("sparse initialisers are not supported")
        for tensor in self.graph.initializer:
            if tensor.data_type == onnx.TensorProto.STRING:  # labels of classes
                self.texts[tensor.name] = [text.decode("utf-8", "replace") for text in tensor.string_data]
                continue
            self.values[tensor.name] = constant(tensor_array(tensor, self.folder))
            self.held += self.values[tensor.name].array.size
        self._inputs()
        for node in self._in_order():
            if self.end is None or not self.end.takes(node, self.values):
                self._run(node)
        outputs: list[Affine] = []
        for name in self._output_values():
            if name not in self.values:
                raise InputError(f"output {shown(name)} is never computed")
            if len(outputs) + self.values[name].array.size > MAX_OUTPUTS:
                raise InputError(f"more than {MAX_OUTPUTS:,} outputs")
            outputs += list(forms(self.values[name]).flat)
        if not outputs:
            raise InputError("the graph has no outputs")
        box = self._box()
        network = self._with_names(Network.of(self.circuit.layers(outputs), box=box))
        return network if box is not None else assuming_unit_cube(network)

    def _output_values(self) -> list[str]:
        """Return the values that are outputs; scores for what is made of them, each once."""
        names = [output.name for output in self.graph.output]
        if self.end is None:
            return names
        return list(dict.fromkeys(self.end.scores.get(name, name) for name in names))

    def _with_names(self, network: Network) -> Network:
        """Return the network with the names of inputs that are one number each, and of classes."""
        names = [
            value.name for value in self.graph.input if value.name in self.values and self.values[value.name].forms
        ]
        if len(names) == len(network.inputs) > 1:
            with suppress(InputError):  # names of a file may be anything
                network = named(network, names)
        if self.end is None or not self.end.operators:
            return network
        classes = self.end.classes if len(self._output_values()) == 1 else ()
        return as_scores(network, " and ".join(self.end.operators), classes)

    def _labels(self, name: str) -> Sequence[str]:
        """Return a stored list of labels of classes."""
        if name in self.values and not self.values[name].forms:
            return [str(label) for label in self.values[name].array.ravel().tolist()]
        return self.texts.get(name, [])

    def _inputs(self) -> None:
        count = 0
        for value in self.graph.input:
            if value.name in self.values or value.name in self.texts:
                continue  # an initialiser that older files list among the inputs
            shape = _input_shape(value)
            check_size(shape)
            size = 1
            for length in shape:
                size *= length
            if count + size > MAX_INPUTS:
                raise InputError(f"more than {MAX_INPUTS:,} inputs")
            variables = [Affine.variable(count + k) for k in range(size)]
            count += size
            self.values[value.name] = Tensor(as_objects(variables, shape), True)
        if not count:
            raise InputError("the graph has no inputs")
        self.circuit = Circuit(count)
        self.held += count

    def _in_order(self) -> list[onnx.NodeProto]:
        """Return the nodes in topological order. ONNX demands this order, but some files differ."""
        order: list[onnx.NodeProto] = []
        known = {"", *self.values, *self.texts}
        waiting: dict[str, list[int]] = {}
        missing = []
        nodes = list(self.graph.node)
        for index, node in enumerate(nodes):
            unknown = {name for name in node.input if name not in known}
            missing.append(len(unknown))
            for name in unknown:
                waiting.setdefault(name, []).append(index)
        ready = [index for index in reversed(range(len(nodes))) if not missing[index]]
        while ready:
            node = nodes[ready.pop()]
            order.append(node)
            for name in filter(None, node.output):
                if name in known:
                    raise InputError(f"{shown(name)} is computed twice")
                known.add(name)
                for index in reversed(waiting.pop(name, [])):
                    missing[index] -= 1
                    if not missing[index]:
                        ready.append(index)
        if len(order) < len(nodes):
            made = {name for node in nodes for name in node.output}
            lost = sorted(set(waiting) - made)
            raise InputError(f"{shown(lost[0])} is used and never computed" if lost else "the graph has a cycle")
        return order

    def _run(self, node: onnx.NodeProto) -> None:
        name = node.op_type
        operator = _BY_DOMAIN.get(node.domain, {}).get(name)
        if operator is None:
            raise InputError(reason_against(name, node.domain))
        try:
            if texts := [i for i in node.input if i in self.texts]:
                raise InputError(f"{shown(texts[0])} is text; expected numbers")
            inputs = [self.values[i] if i else None for i in node.input]
            attributes = attribute_values(node, self.folder)
            result = operator(Node(name, inputs, attributes, len(node.output), self.opset, self.circuit))
            results = result if isinstance(result, list) else [result]
            if any(node.output[len(results) :]):
                raise InputError(f"expected at most {len(results)} outputs, found {len(node.output)}")
            self._spend(name, [tensor for tensor in inputs if tensor is not None], results)
        except InputError as error:
            where = f" (node {shown(node.name)})" if node.name else ""
            told = error.message if len(error.message) <= _MAX_MESSAGE else f"{error.message[:_MAX_MESSAGE]}…"
            raise InputError(f"{name}{where}: {told}") from None
        for output, tensor in zip(node.output, results, strict=False):
            self.values[output] = tensor

    def _spend(self, name: str, inputs: Sequence[Tensor], results: Sequence[Tensor]) -> None:
        """Bound the entries that all operators create together; each operator is bounded too. Views are free."""
        if name == "Constant":  # its numbers are in the file
            self.held += sum(tensor.array.size for tensor in results)
            return
        for tensor in results:
            if not any(np.may_share_memory(tensor.array, other.array) for other in inputs):
                self.work += max([tensor.array.size, *(other.array.size for other in inputs)])
        if self.work > (limit := _MAX_WORK + _WORK_PER_ENTRY * self.held):
            raise InputError(f"operators make tensors of more than {limit:,} entries together, from {self.held:,}")

    def _box(self) -> Sequence[Sequence[str]] | None:
        """Return the box that verimv's writer stored in the file."""
        for entry in self.model.metadata_props:
            if entry.key == BOX_KEY:
                try:
                    box = json.loads(entry.value)
                except (ValueError, RecursionError):
                    box = None
                if not isinstance(box, list) or not all(isinstance(pair, list) for pair in box):
                    raise InputError(f"metadata {BOX_KEY}: expected a list of pairs of numbers")
                return box
        return None


def _opset(model: onnx.ModelProto) -> int:
    versions = [entry.version for entry in model.opset_import if entry.domain in _DOMAINS]
    if not versions:
        raise InputError("the model does not say which opset it uses")
    if versions[0] < OLDEST_OPSET:
        raise InputError(
            f"opset {versions[0]} is older than {OLDEST_OPSET}, the oldest that is supported; "
            "convert the file with onnx.version_converter"
        )
    return int(versions[0])


def _input_shape(value: onnx.ValueInfoProto) -> list[int]:
    """Return the shape of an input; a first axis of unknown length is the batch, and gets length 1."""
    if value.type.WhichOneof("value") != "tensor_type":
        raise InputError(f"input {shown(value.name)} is not a tensor")
    tensor_type = value.type.tensor_type
    if tensor_type.elem_type not in _FLOATS:
        raise InputError(f"input {shown(value.name)}: expected real numbers (float), found integers or text")
    if not tensor_type.HasField("shape"):
        raise InputError(f"input {shown(value.name)} has no shape")
    shape = []
    for axis, dimension in enumerate(tensor_type.shape.dim):
        length = dimension.dim_value if dimension.WhichOneof("value") == "dim_value" else -1
        if length == 0:
            raise InputError(f"input {shown(value.name)} is empty")
        if length < 0:
            if axis:
                raise InputError(f"input {shown(value.name)}: axis {axis} has no fixed length; export a fixed shape")
            length = 1
        shape.append(int(length))
    return shape
