"""Networks from files, by the ending of the name."""

from __future__ import annotations

import os

from verimv.errors import InputError
from verimv.files import read_text
from verimv.networks.json_format import read_network
from verimv.networks.network import Network


def load(path: str | os.PathLike[str]) -> Network:
    """Read a network from a file: network JSON (``.json``)."""
    name = os.fspath(path)
    if name.endswith((".onnx", ".nnet", ".pt", ".pth", ".npz")):
        raise InputError(f"cannot read {os.path.splitext(name)[1]} files; expected network JSON (.json)", source=name)
    return read_network(read_text(name), name)
