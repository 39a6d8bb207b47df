"""Tensors of an ONNX graph: numpy arrays, so that shapes, broadcasting and indexing are numpy's.

A *constant* is an array of numbers: as the file stores them, or of dtype object with exact rationals once something was
computed. A *variable* tensor is an array of dtype object with an affine form over the circuit's values in each place.
Nothing is computed in floating point.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from verimv.core.errors import InputError
from verimv.exact import ZERO, Number, Rational, as_number
from verimv.networks.affine import Affine

Array = npt.NDArray[Any]

#: Entries of one tensor that is stored in a file.
MAX_ENTRIES = 10_000_000
#: Entries of one that an operator makes, unless an input of it is larger: a file of a hundred bytes can ask for any
#: number of them, and each takes some 500 bytes.
MAX_MADE = 250_000
MAX_AXES = 32


@dataclass(frozen=True)
class Tensor:
    """`forms` tells a variable tensor from a constant."""

    array: Array
    forms: bool

    @property
    def shape(self) -> tuple[int, ...]:
        return self.array.shape

    def with_array(self, array: Array) -> Tensor:
        return Tensor(array, self.forms)

    @property
    def is_integer(self) -> bool:
        return not self.forms and self.array.dtype.kind in "iu"


def constant(array: Array) -> Tensor:
    return Tensor(array, False)


def variable(array: Array) -> Tensor:
    """A tensor of forms; one without any variable in it is a constant again."""
    if all(not form.terms for form in array.flat):
        return constant(mapped(lambda form: form.constant, array))
    return Tensor(array, True)


def room(*arrays: Array) -> int:
    """Entries that an operator on these may make."""
    return max([MAX_MADE, *(array.size for array in arrays)])


def check_size(shape: Sequence[int], limit: int = MAX_ENTRIES) -> None:
    """Before an array is made: its shape comes from a file."""
    if len(shape) > MAX_AXES:
        raise InputError(f"a tensor with {len(shape)} axes, more than {MAX_AXES}")
    entries = 1
    for length in shape:
        if length < 0:
            raise InputError(f"a tensor of shape {tuple(shape)}")
        entries *= max(1, length)  # numpy has no room for (0, 2^60) either
    if entries > limit:
        raise InputError(f"a tensor with {entries:,} entries, more than the {limit:,} that are read")


def mapped(function: Callable[..., Any], *arrays: Array) -> Array:
    """Entry by entry, with broadcasting, as an array of objects."""
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        raise InputError(f"shapes {' and '.join(str(a.shape) for a in arrays)} do not fit together") from None
    check_size(shape, room(*arrays))
    spread = [np.broadcast_to(array, shape).flat for array in arrays]
    return as_objects([function(*entries) for entries in zip(*spread, strict=True)], shape)


def as_objects(entries: Sequence[Any], shape: Sequence[int]) -> Array:
    """An array of objects, never taken apart by numpy."""
    flat = np.empty(len(entries), dtype=object)
    for position, entry in enumerate(entries):
        flat[position] = entry
    return flat.reshape(tuple(shape))


def exact(tensor: Tensor) -> Array:
    """The exact numbers of a constant."""
    array = tensor.array
    if array.dtype == object:
        return array
    if array.dtype.kind not in "fiu":
        raise InputError(f"expected numbers, found a tensor of {array.dtype}")
    return as_objects(_exact_numbers(array), array.shape)


def _exact_numbers(array: Array) -> list[Number]:
    if array.dtype.kind in "iu":
        return [Rational(value) for value in array.ravel().tolist()]
    if not np.isfinite(array).all():
        raise InputError("expected finite numbers, found NaN or an infinity among the weights")
    return [Rational(value) for value in array.astype(np.float64).ravel().tolist()]


def forms(tensor: Tensor) -> Array:
    """A form in each place."""
    return tensor.array if tensor.forms else mapped(lambda number: Affine((), number), exact(tensor))


def integers(tensor: Tensor, what: str) -> list[int]:
    """A constant as a flat list of whole numbers: a shape, axes, indices."""
    if tensor.forms:
        raise InputError(f"{what} depends on the input; only a constant can be read")
    if tensor.array.dtype == object or tensor.array.dtype.kind not in "iu":
        raise InputError(f"{what}: expected integers")
    return [int(value) for value in tensor.array.ravel()]


def integer(tensor: Tensor, what: str) -> int:
    """A constant that is one whole number."""
    found = integers(tensor, what)
    if len(found) != 1:
        raise InputError(f"{what}: expected one integer, found {len(found)}")
    return found[0]


def integer_type(*tensors: Tensor) -> np.dtype[Any] | None:
    """The type of these, if all of them are integer constants: ONNX computes with one type at a time."""
    if not all(tensor.is_integer for tensor in tensors):
        return None
    kinds = sorted({tensor.array.dtype.name for tensor in tensors})
    if len(kinds) > 1:
        raise InputError(f"expected integers of one type, found {' and '.join(kinds)}; put a Cast before")
    return np.dtype(kinds[0])


def wrapped(array: Array, kind: np.dtype[Any]) -> Tensor:
    """Whole numbers as integers of a type, modulo 2^bits: 200 + 100 is 44 in eight bits, as in every ONNX runtime."""
    low, span = int(np.iinfo(kind).min), 1 << 8 * kind.itemsize
    entries = [(int(number) - low) % span + low for number in array.flat]
    return constant(np.array(entries, dtype=kind).reshape(array.shape))


def fitting(array: Array, kind: np.dtype[Any], what: str) -> Tensor:
    """Numbers as integers of a type, which must hold them."""
    ends = np.iinfo(kind)
    if any(number != int(number) or not ends.min <= number <= ends.max for number in array.flat):
        raise InputError(f"{what} that no {kind} holds")
    return constant(np.array([int(number) for number in array.flat], dtype=kind).reshape(array.shape))


def scalar(tensor: Tensor, what: str) -> Number:
    if tensor.forms or tensor.array.size != 1:
        raise InputError(f"{what}: expected one constant number")
    return as_number(exact(tensor).ravel()[0])


def total(numbers: Sequence[Number]) -> Number:
    return sum(numbers, ZERO)
