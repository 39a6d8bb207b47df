"""Operators of the domain ai.onnx.ml that prepare inputs, as exports of scikit-learn have them."""

from __future__ import annotations

import math

import numpy as np

from verimv.core.errors import InputError
from verimv.exact import Number, Rational
from verimv.networks.affine import Affine
from verimv.networks.formats.onnx_format.node import Node, Operator
from verimv.networks.formats.onnx_format.tensors import (
    Tensor,
    as_objects,
    check_size,
    forms,
    integers,
    mapped,
    room,
    variable,
)

DOMAIN = "ai.onnx.ml"


def scaler(node: Node) -> Tensor:
    """Return (x − offset)·scale, with a number for each column, or one for all."""
    data = node.input(0)
    width = data.shape[-1] if data.shape else 1

    def column(name: str, default: int) -> list[Number]:
        numbers = node.numbers(name) or [Rational(default)]
        if len(numbers) not in (1, width):
            raise InputError(f"attribute {name}: expected {width} numbers or one, found {len(numbers)}")
        return numbers * (width if len(numbers) == 1 else 1)

    offsets, scales = as_objects(column("offset", 0), [width]), as_objects(column("scale", 1), [width])

    def scaled(form: Affine, offset: Number, scale: Number) -> Affine:
        return form.shifted(-offset).scaled(scale)

    return variable(mapped(scaled, forms(data), offsets, scales))


def array_feature_extractor(node: Node) -> Tensor:
    """Return some columns: entries of the last axis."""
    data, indices = node.input(0), integers(node.input(1), "indices")
    length = data.shape[-1] if data.shape else 0
    if not indices or any(not 0 <= index < length for index in indices):
        raise InputError(f"expected indices of an axis of length {length}")
    shape = (*(data.shape[:-1] or (1,)), len(indices))
    check_size(shape, room(data.array))
    return data.with_array(np.take(data.array, np.array(indices), -1).reshape(shape))


def feature_vectorizer(node: Node) -> Tensor:
    """Return the columns of all inputs side by side."""
    tensors = node.all_inputs()
    widths = node.integer_list("inputdimensions")
    if any(len(tensor.shape) != 2 for tensor in tensors) or len({tensor.shape[0] for tensor in tensors}) != 1:
        raise InputError("expected inputs of shape (rows, columns), with equally many rows")
    if widths is not None and widths != [tensor.shape[1] for tensor in tensors]:
        raise InputError(f"attribute inputdimensions: {widths} does not fit the inputs")
    check_size((tensors[0].shape[0], sum(tensor.shape[1] for tensor in tensors)), room(*(t.array for t in tensors)))
    return variable(np.concatenate([forms(tensor) for tensor in tensors], axis=1))


def imputer(node: Node) -> Tensor:
    """Return the input: no number is missing at a point of the box."""
    replaced = node.attributes.get("replaced_value_float", 0.0)
    if not isinstance(replaced, float) or not math.isnan(replaced):
        raise InputError("expected one that replaces NaN: replacing a number is discontinuous")
    return node.input(0)


PREPROCESSING: dict[str, Operator] = {
    "ArrayFeatureExtractor": array_feature_extractor,
    "FeatureVectorizer": feature_vectorizer,
    "Imputer": imputer,
    "Scaler": scaler,
}
