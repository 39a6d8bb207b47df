"""Damaged files of every format: each is read or refused in one line, whatever the bytes."""

import io
import json
import os
import random
import struct
import sys
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from tests.networks.models import external, model, single
from verimv.errors import InputError
from verimv.experiments.measured import peak_memory
from verimv.networks import Layer, Network, load
from verimv.networks.export import export_nnet, export_onnx
from verimv.networks.json_format import read_box
from verimv.networks.onnx_format.reader import model_network

W = np.arange(6, dtype=np.float32).reshape(2, 3) / 4
NETWORK = Network.of([Layer.of(W.tolist(), [1, -1]), Layer.of([[1, 2]], [0], "identity")], box=[["-1", "1"]] * 3)


def safetensors(arrays):
    body, header = b"", {}
    for name, array in arrays.items():
        header[name] = {
            "dtype": "F32",
            "shape": list(array.shape),
            "data_offsets": [len(body), len(body) + array.nbytes],
        }
        body += array.tobytes()
    text = json.dumps(header).encode()
    return struct.pack("<Q", len(text)) + text + body


def npz():
    file = io.BytesIO()
    np.savez(file, W1=W, b1=np.zeros(2), W2=np.ones((1, 2)), b2=np.zeros(1))
    return file.getvalue()


MODELS = {
    "written": export_onnx(NETWORK).data,
    "conv": single(
        "Conv", [1, 1, 4, 4], [np.ones((2, 1, 2, 2))], strides=[1, 2], pads=[0, 1, 1, 0]
    ).SerializeToString(),
    "pool": single("MaxPool", [1, 1, 4, 4], kernel_shape=[2, 2], strides=[2, 1], ceil_mode=1).SerializeToString(),
    "shapes": model(
        [
            ("Reshape", ["x", "s"], ["r"], {}),
            ("Slice", ["r", "a", "b"], ["t"], {}),
            ("Unsqueeze", ["t", "a"], ["u"], {}),
            ("Pad", ["u", "p"], ["v"], {}),
            ("Gather", ["v", "a"], ["w"], {"axis": 1}),
            ("ReduceMean", ["w"], ["y"], {"axes": [0], "keepdims": 0}),
        ],
        {"x": [2, 3]},
        {"s": np.array([3, 2]), "a": np.array([0]), "b": np.array([2]), "p": np.array([0, 1, 0, 0, 0, 1])},
        ["y"],
    ).SerializeToString(),
}
SEEDS = {
    ".onnx": [*MODELS.values(), *(external(place).SerializeToString() for place in ("w.bin", "../w.bin", "/etc/hostname"))],
    ".nnet": [export_nnet(NETWORK).data],
    ".npz": [npz()],
    ".safetensors": [safetensors({"0.weight": W, "0.bias": np.zeros(2, np.float32), "2.weight": np.ones((1, 2), np.float32)})],
    ".vnnlib": [b"; box\n(declare-const X_0 Real)\n(assert (<= X_0 1.5))\n(assert (or (and (>= X_0 -2) (<= X_1 3e1) (>= X_1 0))))"],
}  # fmt: skip
ARCHITECTURE = ["Linear", "ReLU", "Linear"]


def damaged(data, source):
    """Flipped bits, a cut, bytes repeated, large numbers put in."""
    bytes_ = bytearray(data)
    kind = source.randrange(4)
    if kind == 0:
        return bytes(bytes_[: source.randrange(len(bytes_))])
    if kind == 1:
        for _ in range(source.randint(1, 4)):
            bytes_[source.randrange(len(bytes_))] ^= 1 << source.randrange(8)
    elif kind == 2:
        start = source.randrange(len(bytes_))
        bytes_[start : start + source.randint(0, 8)] = b"\xff" * source.randint(0, 9)
    else:
        start, end = sorted(source.randrange(len(bytes_)) for _ in range(2))
        bytes_[source.randrange(len(bytes_)) :] = bytes_[start:end]
    return bytes(bytes_)


class Opened:
    """Files that are opened while it watches."""

    def __init__(self):
        self.watches, self.paths = False, []
        sys.addaudithook(self.note)  # for good: there is no way to remove it

    def note(self, event, arguments):
        if self.watches and event == "open" and isinstance(arguments[0], str | bytes):
            self.paths.append(os.path.realpath(os.fsdecode(arguments[0])))

    def outside(self, folder):
        """All but the folder's own files and what Python imports."""
        allowed = tuple(map(os.path.realpath, (folder, sys.prefix, sys.base_prefix, PROJECT)))
        return [path for path in self.paths if not path.startswith(allowed)]


OPENED = Opened()
PROJECT = Path(__file__).parents[2]


def outcome(reader, path):
    try:
        reader(path)
    except InputError as error:
        return "refused in more than a line" if "\n" in str(error) else "refused"
    return "read"


def read(path):
    if path.suffix == ".vnnlib":
        return read_box(path.read_bytes().decode("utf-8", "replace"), 2, str(path))
    return load(path, architecture=ARCHITECTURE) if path.suffix == ".safetensors" else load(path)


@pytest.mark.parametrize("suffix", SEEDS)
def test_undamaged_files_are_read(tmp_path, suffix):
    path = tmp_path / f"file{suffix}"
    (tmp_path / "w.bin").write_bytes(bytes(32))
    seeds = SEEDS[suffix][:-2] if suffix == ".onnx" else SEEDS[suffix]  # the last have their data elsewhere
    assert seeds
    for data in seeds:
        path.write_bytes(data)
        assert read(path)


@pytest.mark.parametrize("suffix", SEEDS)
def test_damaged_files_are_read_or_refused_in_one_line(tmp_path, suffix):
    folder = tmp_path / "models"
    folder.mkdir()
    source, path = random.Random(7), folder / f"file{suffix}"
    for place in (tmp_path, folder):
        (place / "w.bin").write_bytes(bytes(32))
    results = {"read": 0, "refused": 0}  # and nothing else
    memory = peak_memory()
    OPENED.paths, OPENED.watches = [], True
    try:
        for number in range(500):
            path.write_bytes(damaged(SEEDS[suffix][number % len(SEEDS[suffix])], source))
            results[outcome(read, path)] += 1
    finally:
        OPENED.watches = False
    assert results["refused"] > 50
    assert sum(results.values()) == 500
    assert str(path) in OPENED.paths
    assert not OPENED.outside(folder)
    assert peak_memory() - memory < 500_000_000


@pytest.mark.parametrize("name", MODELS)
def test_every_single_bit(name, tmp_path):
    """Every bit of the beginning of a model, where its structure is."""
    path = tmp_path / "net.onnx"
    for bit in range(min(8 * len(MODELS[name]), 640)):
        data = bytearray(MODELS[name])
        data[bit // 8] ^= 1 << bit % 8
        path.write_bytes(bytes(data))
        assert outcome(load, path) in ("read", "refused")


def test_types_of_tensors_that_nobody_has():
    proto = single("Add", [2], [np.ones(2)])
    for kind in [*range(-2, 40), 1 << 30]:
        proto.graph.initializer[0].data_type = kind
        if kind in (TensorProto.DOUBLE, TensorProto.INT64, TensorProto.UINT64):  # eight bytes each
            assert model_network(proto)
        else:
            with pytest.raises(InputError):
                model_network(proto)
