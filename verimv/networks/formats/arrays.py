"""Networks from numpy arrays and .npz files."""

from __future__ import annotations

import io
import math
import re
import zipfile
import zlib
from collections.abc import Sequence
from pathlib import Path
from tokenize import TokenError
from typing import Any

import numpy as np

from verimv.core.errors import InputError
from verimv.exact import shown
from verimv.networks.network import Activation, Layer, Network
from verimv.networks.transforms.circuit import MAX_WEIGHTS

_PACKINGS = (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED)
#: Errors of zipfile for an archive that is damaged, encrypted or of another kind. ValueError: names that are not text.
_DAMAGED = (OSError, zipfile.BadZipFile, NotImplementedError, RuntimeError, EOFError, ValueError, zlib.error)
#: Errors of numpy for a damaged header, which it reads as a Python literal.
_NO_ARRAY = (ValueError, EOFError, OverflowError, SyntaxError, TypeError, TokenError, RecursionError, MemoryError)
_HEADERS = {(1, 0): np.lib.format.read_array_header_1_0, (2, 0): np.lib.format.read_array_header_2_0}


def from_arrays(pairs: Sequence[tuple[Any, Any]], activations: Sequence[Activation] | None = None) -> Network:
    """Build a network from (weights, bias) per layer, a row per neuron. All layers but the last are ReLU by default."""
    if not pairs:
        raise InputError("expected a pair of weights and bias for each layer, found none")
    default: list[Activation] = ["relu"] * len(pairs)
    default[-1] = "identity"
    names = activations or default
    if len(names) != len(pairs):
        raise InputError(f"expected {len(pairs)} activations, found {len(names)}")
    layers = []
    for index, ((weights, bias), activation) in enumerate(zip(pairs, names, strict=True)):
        matrix, vector = np.asarray(weights), np.asarray(bias)
        if matrix.ndim != 2 or vector.ndim != 1:
            raise InputError(
                f"layer {index + 1}: expected a matrix and a vector, found shapes {matrix.shape}, {vector.shape}"
            )
        if matrix.size > MAX_WEIGHTS:
            raise InputError(f"layer {index + 1}: more than {MAX_WEIGHTS:,} weights")
        layers.append(Layer.of(list(matrix), list(vector), activation))
    return Network.of(layers)


def read_npz(path: Path) -> Network:
    """Read weights and biases of the layers: W1, b1, W2, b2, …, or other names in this order. Pickles are refused."""
    try:
        with zipfile.ZipFile(path) as archive:
            if sum(info.file_size for info in archive.infolist()) > 16 * MAX_WEIGHTS:
                raise InputError(f"more than {MAX_WEIGHTS:,} weights")
            if any(info.compress_type not in _PACKINGS for info in archive.infolist()):
                raise InputError("compressed in another way than numpy does")
            arrays = [(name.removesuffix(".npy"), _member(archive, name)) for name in archive.namelist()]
    except _DAMAGED as error:
        raise InputError(f"not an .npz file: {error}", source=str(path)) from None
    except InputError as error:
        raise error.located(str(path)) from None
    if len(arrays) % 2:
        raise InputError(f"expected weights and a bias for each layer, found {len(arrays)} arrays", source=str(path))
    ordered = _by_layer(arrays)
    try:
        return from_arrays([(ordered[i], ordered[i + 1]) for i in range(0, len(ordered), 2)])
    except InputError as error:
        raise error.located(str(path)) from None


def _by_layer(arrays: Sequence[tuple[str, Any]]) -> list[Any]:
    """Return arrays in layer order: by the numbers in their names, weights before bias; otherwise as in the file."""
    numbered = [(re.search(r"[0-9]+", name), array) for name, array in arrays]
    numbers = [int(match[0]) if match and len(match[0]) < 9 else -1 for match, _ in numbered]
    if all(numbers.count(number) == 2 for number in numbers):
        order = sorted(range(len(arrays)), key=lambda i: (numbers[i], -np.ndim(arrays[i][1])))
        return [arrays[i][1] for i in order]
    return [array for _, array in arrays]


def _member(archive: zipfile.ZipFile, name: str) -> Any:
    """Read one array of numbers."""
    with archive.open(name) as file:
        data = file.read()
    try:
        header = io.BytesIO(data)
        version = np.lib.format.read_magic(header)
        if version not in _HEADERS:
            raise InputError(f"{shown(name)}: version {version} of the format is not supported")
        shape, _, dtype = _HEADERS[version](header)
        if dtype.hasobject or dtype.kind not in "fiu":
            raise InputError(f"{shown(name)}: expected numbers, found {dtype}")
        if math.prod(shape) * dtype.itemsize > len(data):
            raise InputError(f"{shown(name)}: the array is cut off")
        return np.lib.format.read_array(io.BytesIO(data), allow_pickle=False)
    except _NO_ARRAY as error:
        raise InputError(f"{shown(name)} is not a numpy array: {(str(error).splitlines() or ['damaged'])[0]}") from None
