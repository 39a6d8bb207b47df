"""Scores of classifiers: the values before a last logistic function, softmax or argmax, which keep their order.

A formula cannot compute these functions, which are curved or jump. The values before them decide alike, so that readers
take these if they are asked to (`logits`), name them by the classes, and note what they are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from verimv.core.errors import InputError
from verimv.formulas.printing import quoted
from verimv.networks.names import named
from verimv.networks.network import Network

#: What scores mean before functions of each value on its own.
_MEANINGS = {
    "Sigmoid": "positive where it is above 1/2",
    "the logistic function": "positive where it is above 1/2",
    "Tanh": "which keeps their order",
}


def as_scores(network: Network, before: str, classes: Sequence[Any] = ()) -> Network:
    """Return the network of a classifier with the names of its classes, and a note: its outputs are the values before
    the function `before`. The score of two classes has the name of the second."""
    labels = _labels(classes)
    if len(labels) == 2 and len(network.outputs) == 1:
        network = _named(network, labels[1:])
        first, second = map(quoted, labels)
        meaning = f"positive where the model predicts {second}, negative where {first}"
    else:
        network = _named(network, labels)
        meaning = _MEANINGS.get(before, "the largest is that of the predicted class")
    verb = "output is the value" if len(network.outputs) == 1 else "outputs are the values"
    return replace(network, notes=(*network.notes, f"the {verb} before {before}: {meaning}"))


def _named(network: Network, labels: Sequence[str]) -> Network:
    """Return the network with these names, unless they do not fit: classes of a file may have any."""
    if len(labels) != len(network.outputs):
        return network
    try:
        return named(network, (), labels)
    except InputError:
        return network


def _labels(classes: Sequence[Any]) -> list[str]:
    """Return names of classes. A number is no name: `--output 1` is the second output, whatever its class."""
    texts = [" ".join(str(label).split()) for label in classes]
    return [f"class {text}" if _is_number(text) else text for text in texts]


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
