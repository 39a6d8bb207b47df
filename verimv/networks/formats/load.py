"""Load networks from files, by their suffix, and from objects of other libraries."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.networks.formats.json_format import read_network
from verimv.networks.formats.nnet_format import read_nnet
from verimv.networks.names import named
from verimv.networks.network import Network

_PICKLED = (".pt", ".pth", ".pkl", ".pickle", ".ckpt", ".joblib")


def load(
    subject: Any,
    *,
    architecture: Any = None,
    shape: Sequence[int] | None = None,
    names: Sequence[str] = (),
) -> Network:
    """Load a network from a file (network JSON, ``.onnx``, ``.nnet``, ``.npz``, ``.safetensors``), a PyTorch module of
    known layers, a fitted MLPRegressor or MLPClassifier, or a list of (weights, bias) arrays.

    `architecture` is the list of layers for safetensors (default: from the .json beside it); `shape` is the shape of
    one input of a module, needed if its first layer does not determine it. `names` are names of the inputs, such as
    "mean radius"; a scikit-learn model that was fitted with a data frame has its own. Files are never unpickled.
    """
    network = _loaded(subject, architecture, shape)
    return named(network, names) if len(names) else network


def _loaded(subject: Any, architecture: Any, shape: Sequence[int] | None) -> Network:
    if isinstance(subject, str | os.PathLike):
        return _from_file(Path(subject), architecture, shape)
    from verimv.networks.formats import arrays  # it needs onnx, which is slow to import
    from verimv.networks.formats import torch_modules as modules

    if isinstance(subject, Network):
        return subject
    if modules.is_module(subject):
        return modules.from_module(subject, shape)
    if arrays.is_perceptron(subject):
        return arrays.from_perceptron(subject)
    if isinstance(subject, list | tuple):
        if all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in subject):
            return arrays.from_arrays(subject)
        raise InputError("expected a list of pairs (weights, bias)")
    raise InputError(f"cannot read a network from {type(subject).__name__}")


def _from_file(path: Path, architecture: Any, shape: Sequence[int] | None) -> Network:
    suffix = path.suffix.lower()
    if suffix in _PICKLED:
        raise InputError(
            f"{suffix} files hold pickled code, which is not run; export ONNX or safetensors", source=str(path)
        )
    if suffix == ".onnx":
        from verimv.networks.formats.onnx_format.reader import read_onnx

        return read_onnx(path)
    if suffix == ".npz":
        from verimv.networks.formats.arrays import read_npz

        return read_npz(path)
    if suffix == ".safetensors":
        from verimv.networks.formats.torch_modules import read_safetensors

        return read_safetensors(path, architecture, shape)
    read = read_nnet if suffix == ".nnet" else read_network
    return read(read_text(path), str(path))
