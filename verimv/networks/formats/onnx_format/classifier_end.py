"""The end of a classifier in an ONNX graph: Softmax, Sigmoid, ArgMax and what makes labels and tables of them.

With `logits`, these operators are not evaluated. What they compute stands for the scores before them, which become the
outputs. Anything else after such an operator, such as another layer, is refused: the values before would be no scores.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import onnx

from verimv.core.errors import InputError
from verimv.exact import shown
from verimv.networks.formats.onnx_format.tensors import Tensor

#: Operators that turn scores into probabilities or a decision, and the axis along which they compare (older opsets).
_BEGINS = {"Sigmoid": None, "Tanh": None, "Softmax": -1, "LogSoftmax": -1, "Hardmax": -1, "ArgMax": 0}
#: Operators that only rename, reshape or look up what is decided.
_FOLLOWS = (
    "ArgMax", "Binarizer", "Cast", "Concat", "Flatten", "Identity", "LabelEncoder", "Reshape", "Squeeze", "Sub",
    "Unsqueeze", "ZipMap",
)  # fmt: skip
#: Operators that look up the label (first input) of a decided class (second input).
_LOOKUPS = ("ArrayFeatureExtractor", "Gather")
#: Softmax compares along the last axis since this opset, before along the second.
_LAST_AXIS = 13


class ClassifierEnd:
    """Follows values from scores to the outputs of a graph."""

    def __init__(self, opset: int, labels: Callable[[str], Sequence[Any]]) -> None:
        self._opset, self._labels = opset, labels
        #: the scores that a value is made of
        self.scores: dict[str, str] = {}
        #: the operators that follow scores directly
        self.operators: list[str] = []
        self.classes: Sequence[Any] = ()

    def takes(self, node: onnx.NodeProto, values: Mapping[str, Tensor]) -> bool:
        """Return whether a node belongs to the end, and note what it computes."""
        decided = [self.scores[name] for name in node.input if name in self.scores]
        if not decided:
            is_first = node.op_type in _BEGINS and node.domain in ("", "ai.onnx") and node.input
            found = values.get(node.input[0]) if is_first else None
            if found is None or not found.forms:
                return False
            self._check_axis(node, found.shape)
            if node.op_type not in self.operators:
                self.operators.append(node.op_type)
            decided = [node.input[0]]
        elif len(set(decided)) > 1 or not self._follows(node, values):
            raise InputError(
                f"{shown(node.op_type)} after {shown(self.operators[0])}: this is not the end of a classifier, so "
                "that the values before it are no scores"
            )
        self._note_classes(node)
        self.scores |= dict.fromkeys(filter(None, node.output), decided[0])
        return True

    def _check_axis(self, node: onnx.NodeProto, shape: Sequence[int]) -> None:
        if (default := _BEGINS[node.op_type]) is None:
            return
        if node.op_type != "ArgMax" and self._opset < _LAST_AXIS:
            default = 1
        axis = next((attribute.i for attribute in node.attribute if attribute.name == "axis"), default)
        if not -len(shape) <= axis < len(shape) or shape[axis] < 2:
            raise InputError(f"{node.op_type}: expected scores of several classes along axis {axis}, found {shape}")

    def _follows(self, node: onnx.NodeProto, values: Mapping[str, Tensor]) -> bool:
        others = [name for name in node.input if name and name not in self.scores]
        if node.op_type in _LOOKUPS:
            return node.input[0] in others and len(self._labels(node.input[0])) > 0
        if node.op_type not in _FOLLOWS or (node.op_type == "Concat" and others):
            return False
        return not any(name in values and values[name].forms for name in others)

    def _note_classes(self, node: onnx.NodeProto) -> None:
        if node.op_type in _LOOKUPS:
            self.classes = self._labels(node.input[0])
        for attribute in node.attribute if node.op_type == "ZipMap" else ():
            texts = [text.decode("utf-8", "replace") for text in attribute.strings]
            self.classes = texts or list(attribute.ints) or self.classes
