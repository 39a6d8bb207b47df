"""Load networks from files, by their suffix, and from objects of other libraries."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verimv.core.choices import PICKLED_SUFFIXES
from verimv.core.errors import InputError, check_type
from verimv.core.files import read_text
from verimv.formulas.formula import Formula
from verimv.networks.boxes import on_given_box
from verimv.networks.formats.json_format import read_network
from verimv.networks.formats.nnet_format import read_nnet
from verimv.networks.names import named
from verimv.networks.network import Network, assuming_unit_cube

_TORCH = "export ONNX (torch.onnx.export) or safetensors"
_SKLEARN = "export ONNX (skl2onnx.to_onnx), or load it in Python if you trust it, and give the model to verimv.load"
_ADVICE = {".pt": _TORCH, ".pth": _TORCH, ".ckpt": _TORCH}


def load(
    subject: Any,
    *,
    architecture: Any = None,
    shape: Sequence[int] | None = None,
    names: Sequence[str] = (),
    box: Any = None,
    logits: bool = False,
) -> Network:
    """Load a network from a file (network JSON, ``.onnx``, ``.nnet``, ``.npz``, ``.safetensors``), an ONNX model in
    memory, a PyTorch module of known layers, a fitted MLPRegressor or MLPClassifier of scikit-learn or a Pipeline that
    ends with one, or a list of (weights, bias) arrays.

    `architecture` is the list of layers for safetensors (default: from the .json beside it); `shape` is the shape of
    one input of a module, needed if its first layer does not determine it. `names` are names of the inputs, such as
    "mean radius"; a scikit-learn model that was fitted with a data frame has its own. `box` is a pair of numbers for
    each input, a data frame or table of points (:func:`box_of`), or the name of a file with one of these. With
    `logits`, the outputs of a classifier are the values before its last Softmax, Sigmoid or ArgMax; `notes` of the
    network say so. Files are never unpickled.
    """
    network = _loaded(subject, architecture, shape, logits)
    network = named(network, names) if len(names) else network
    return network if box is None else on_given_box(network, box)


def as_network(subject: Any) -> Network:
    """Return a network as it is, and :func:`load` anything else. A formula is none."""
    if isinstance(subject, Formula):
        check_type(subject, Network, hint=" (verimv.to_network makes one)")
    return subject if isinstance(subject, Network) else load(subject)


def _loaded(subject: Any, architecture: Any, shape: Sequence[int] | None, logits: bool) -> Network:
    if isinstance(subject, str | os.PathLike):
        return _from_file(Path(subject), architecture, shape, logits)
    if isinstance(subject, Network):
        return subject
    if type(subject).__name__ == "ModelProto":
        from verimv.networks.formats.onnx_format.reader import model_network

        return model_network(subject, logits=logits)
    from verimv.networks.formats import arrays, sklearn_models  # they need numpy
    from verimv.networks.formats import torch_modules as modules  # it needs onnx, which is slow to import

    if modules.is_module(subject):
        return modules.from_module(subject, shape, logits)
    if sklearn_models.is_model(subject):
        return assuming_unit_cube(sklearn_models.from_model(subject, logits))
    if isinstance(subject, list | tuple):
        if all(isinstance(pair, list | tuple) and len(pair) == 2 for pair in subject):
            return assuming_unit_cube(arrays.from_arrays(subject))
        raise InputError("expected a list of pairs (weights, bias)")
    raise InputError(f"cannot read a network from {type(subject).__name__}")


def _from_file(path: Path, architecture: Any, shape: Sequence[int] | None, logits: bool) -> Network:
    suffix = path.suffix.lower()
    if suffix in PICKLED_SUFFIXES:
        raise InputError(
            f"{suffix} files hold pickled code, which is not run; {_ADVICE.get(suffix, _SKLEARN)}", source=str(path)
        )
    if suffix == ".onnx":
        from verimv.networks.formats.onnx_format.reader import read_onnx

        return read_onnx(path, logits)
    if suffix == ".npz":
        from verimv.networks.formats.arrays import read_npz

        return assuming_unit_cube(read_npz(path))
    if suffix == ".safetensors":
        from verimv.networks.formats.torch_modules import read_safetensors

        return read_safetensors(path, architecture, shape, logits)
    read = read_nnet if suffix == ".nnet" else read_network
    return read(read_text(path), str(path))
