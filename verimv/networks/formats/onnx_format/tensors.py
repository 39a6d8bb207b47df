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

#: Limit on entries of a tensor that is stored in a file.
MAX_ENTRIES = 10_000_000
#: Limit on entries of a tensor that an operator creates, unless an input is larger: a file of a hundred bytes can need
#: any number of them, and each takes some 500 bytes.
MAX_MADE = 250_000
MAX_AXES = 32


@dataclass(frozen=True)
class Tensor:
    """An array. `forms` distinguishes a variable tensor from a constant."""

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
    """Return a tensor of forms; a constant if no form has a variable."""
    if all(not form.terms for form in array.flat):
        return constant(mapped(lambda form: form.constant, array))
    return Tensor(array, True)


def room(*arrays: Array) -> int:
    """Number of entries that an operator on these arrays may create."""
    return max([MAX_MADE, *(array.size for array in arrays)])


def check_size(shape: Sequence[int], limit: int = MAX_ENTRIES) -> None:
    """Check the size of an array before it is created, since its shape comes from a file."""
    if len(shape) > MAX_AXES:
        raise InputError(f"a tensor with {len(shape)} axes, more than {MAX_AXES}")
    entries = 1
    for length in shape:
        if length < 0:
            raise InputError(f"a tensor of shape {tuple(shape)}")
        entries *= max(1, length)  # numpy refuses a shape such as (0, 2^60) too
    if entries > limit:
        raise InputError(f"a tensor with {entries:,} entries, more than the limit of {limit:,}")


def mapped(function: Callable[..., Any], *arrays: Array) -> Array:
    """Apply a function entry by entry, with broadcasting; return an array of objects."""
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError:
        raise InputError(f"shapes {' and '.join(str(a.shape) for a in arrays)} do not fit together") from None
    check_size(shape, room(*arrays))
    spread = [np.broadcast_to(array, shape).flat for array in arrays]
    return as_objects([function(*entries) for entries in zip(*spread, strict=True)], shape)


def as_objects(entries: Sequence[Any], shape: Sequence[int]) -> Array:
    """Return an array of objects, which numpy does not convert."""
    flat = np.empty(len(entries), dtype=object)
    for position, entry in enumerate(entries):
        flat[position] = entry
    return flat.reshape(tuple(shape))


def exact(tensor: Tensor) -> Array:
    """Return the exact numbers of a constant."""
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
    """Return the entries as forms."""
    return tensor.array if tensor.forms else mapped(lambda number: Affine((), number), exact(tensor))


def integers(tensor: Tensor, what: str) -> list[int]:
    """Return a constant (a shape, axes, indices) as a flat list of integers."""
    if tensor.forms:
        raise InputError(f"{what} depends on the input; only a constant can be read")
    if tensor.array.dtype == object or tensor.array.dtype.kind not in "iu":
        raise InputError(f"{what}: expected integers")
    return [int(value) for value in tensor.array.ravel()]


def integer(tensor: Tensor, what: str) -> int:
    """Return a constant that is one integer."""
    found = integers(tensor, what)
    if len(found) != 1:
        raise InputError(f"{what}: expected one integer, found {len(found)}")
    return found[0]


def integer_type(*tensors: Tensor) -> np.dtype[Any] | None:
    """Return the common type if all are integer constants; ONNX requires that their types are equal."""
    if not all(tensor.is_integer for tensor in tensors):
        return None
    kinds = sorted({tensor.array.dtype.name for tensor in tensors})
    if len(kinds) > 1:
        raise InputError(f"expected integers of one type, found {' and '.join(kinds)}; put a Cast before")
    return np.dtype(kinds[0])


def wrapped(array: Array, kind: np.dtype[Any]) -> Tensor:
    """Convert integers to a type, modulo 2^bits: 200 + 100 is 44 in eight bits, as in every ONNX runtime."""
    low, span = int(np.iinfo(kind).min), 1 << 8 * kind.itemsize
    entries = [(int(number) - low) % span + low for number in array.flat]
    return constant(np.array(entries, dtype=kind).reshape(array.shape))


def fitting(array: Array, kind: np.dtype[Any], what: str) -> Tensor:
    """Convert numbers to integers of a type; refuse those that do not fit."""
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


def four_bit_type(name: str) -> np.dtype[Any]:
    """Return the type int4 or uint4, which numpy itself does not have. Most operators refuse them."""
    try:
        import ml_dtypes  # newer versions of onnx need it
    except ImportError:
        raise InputError(f"numbers of type {name} need the package ml_dtypes") from None
    found: np.dtype[Any] = np.dtype(getattr(ml_dtypes, name))
    return found
