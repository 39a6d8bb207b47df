"""One operator of a graph: its tensors, its attributes, and the circuit to build on."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.core.errors import InputError
from verimv.exact import Number, Rational
from verimv.networks.formats.onnx_format.tensors import Tensor, integers
from verimv.networks.transforms.circuit import Circuit


@dataclass(frozen=True)
class Node:
    operator: str
    inputs: Sequence[Tensor | None]
    attributes: Mapping[str, Any]
    outputs: int
    opset: int
    circuit: Circuit

    def input(self, index: int) -> Tensor:
        tensor = self.optional(index)
        if tensor is None:
            raise InputError(f"expected at least {index + 1} inputs")
        return tensor

    def optional(self, index: int) -> Tensor | None:
        return self.inputs[index] if index < len(self.inputs) else None

    def all_inputs(self) -> list[Tensor]:
        """Return all inputs, for operators that take any number of them."""
        if not self.inputs:
            raise InputError("expected at least one input")
        return [self.input(index) for index in range(len(self.inputs))]

    def integer(self, name: str, default: int) -> int:
        value = self.attributes.get(name, default)
        if not isinstance(value, int):
            raise InputError(f"attribute {name}: expected an integer")
        return value

    def flag(self, name: str, default: bool) -> bool:
        """Return an attribute that must be 0 or 1: runtimes disagree about other values."""
        value = self.integer(name, int(default))
        if value not in (0, 1):
            raise InputError(f"attribute {name}: expected 0 or 1, found {value}")
        return bool(value)

    def integer_list(self, name: str) -> list[int] | None:
        value = self.attributes.get(name)
        if value is None:
            return None
        if not isinstance(value, list) or not all(isinstance(item, int) for item in value):
            raise InputError(f"attribute {name}: expected integers")
        return value

    def number(self, name: str, default: float) -> Rational:
        """Return the exact value of a float attribute, which has 32 bits."""
        return _number(name, self.attributes.get(name, default))

    def numbers(self, name: str) -> list[Number]:
        """Return the exact values of an attribute that is a list of floats; none if it is not there."""
        value = self.attributes.get(name, [])
        if not isinstance(value, list):
            raise InputError(f"attribute {name}: expected numbers")
        return [_number(name, item) for item in value]

    def text(self, name: str, default: str) -> str:
        value = self.attributes.get(name, default)
        if not isinstance(value, str):
            raise InputError(f"attribute {name}: expected text")
        return value

    def list_input(self, index: int, attribute: str) -> list[int] | None:
        """Return a list that is an attribute in older opsets and a constant input in newer ones."""
        tensor = self.optional(index)
        return self.integer_list(attribute) if tensor is None else integers(tensor, attribute)


def _number(name: str, value: Any) -> Rational:
    if not isinstance(value, int | float):
        raise InputError(f"attribute {name}: expected a number")
    if not math.isfinite(value):
        raise InputError(f"attribute {name}: expected a finite number, found {value}")
    return Rational(float(np.float32(value)))


Operator = Callable[[Node], Tensor | list[Tensor]]


def axis_in(axis: int, rank: int) -> int:
    """Return an axis ≥ 0, given one that may count from the end."""
    if not -rank <= axis < rank:
        raise InputError(f"axis {axis} of a tensor with {rank} axes")
    return axis % rank


def axes_in(axes: Sequence[int], rank: int) -> tuple[int, ...]:
    found = tuple(axis_in(axis, rank) for axis in axes)
    if len(set(found)) < len(found):
        raise InputError(f"axes {list(axes)}: expected different axes")
    return found
