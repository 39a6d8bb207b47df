"""Damaged files of every format: each is read or refused in one line, whatever the bytes."""

import io
import json
import os
import random
import struct
import sys
import warnings
import zipfile
from copy import deepcopy
from pathlib import Path

import numpy as np
import pytest
from onnx import TensorProto

from tests.effort import scaled
from tests.networks.models import external, model, single
from verimv.core.errors import InexactWarning, InputError
from verimv.networks.formats.json_format import read_box, write_network
from verimv.networks.formats.load import load
from verimv.networks.formats.nnet_format import export_nnet
from verimv.networks.formats.onnx_format.model_writer import export_onnx
from verimv.networks.formats.onnx_format.reader import model_network
from verimv.networks.network import Layer, Network
from verimv.paper.benchmarks.measured import peak_memory

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
    """Flip bits, cut, repeat bytes, or insert large numbers."""
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
    """Records the files that are opened while it is active."""

    def __init__(self):
        self.watches, self.paths = False, []
        sys.addaudithook(self.note)  # audit hooks cannot be removed

    def note(self, event, arguments):
        if self.watches and event == "open" and isinstance(arguments[0], str | bytes):
            self.paths.append(os.path.realpath(os.fsdecode(arguments[0])))

    def outside(self, folder):
        """Return the opened files, except those in the folder and those that Python imports."""
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


ODD = (
    None,
    True,
    -1,
    0,
    1,
    2,
    3,
    7,
    1 << 40,
    1 << 70,
    0.5,
    1e999,
    "",
    "F32",
    "I8",
    "U8",
    "BF16",
    "x",
    [],
    [0],
    [1, 1],
    [2, 2],
    [2, 1, 1],
    [0, 2],
    [1] * 70,
    {},
    {"a": 1},
)


def places(data, place=()):
    """Yield the places of all values in JSON."""
    yield place
    items = data.items() if isinstance(data, dict) else enumerate(data) if isinstance(data, list) else ()
    for key, value in items:
        yield from places(value, (*place, key))


def changed(data, source):
    """Return JSON with a value replaced, removed or added."""
    copy = json.loads(json.dumps(data))
    for _ in range(source.randint(1, 3)):
        *above, last = source.choice([place for place in places(copy) if place])
        inner = copy
        for key in above:
            inner = inner[key]
        if source.random() < 0.15:
            del inner[last]
            if not copy:
                return copy
        else:
            inner[last] = deepcopy(source.choice(ODD))
        if isinstance(inner, dict) and source.random() < 0.3:
            inner[source.choice(OPTIONS)] = deepcopy(source.choice(ODD))
    return copy


OPTIONS = (
    "stride",
    "padding",
    "dilation",
    "groups",
    "kernel_size",
    "ceil_mode",
    "start_dim",
    "eps",
    "negative_slope",
    "min_val",
    "name",
    "type",
)
LAYERS = [
    {"type": "Conv2d", "name": "c", "stride": 1, "padding": [0, 1]}, {"type": "BatchNorm2d", "name": "n", "eps": 0.25}, "ReLU",
    {"type": "PReLU", "name": "p"}, {"type": "MaxPool2d", "kernel_size": 1}, {"type": "AvgPool2d", "kernel_size": [1, 2]},
    {"type": "LeakyReLU", "negative_slope": 0.5}, {"type": "Hardtanh", "min_val": -1}, "Flatten", {"type": "Linear", "name": "l"},
]  # fmt: skip
TENSORS = {
    "c.weight": np.ones((2, 1, 1, 1), np.float32), "c.bias": np.ones(2, np.float32), "n.running_mean": np.zeros(2, np.float32),
    "n.running_var": np.full(2, 0.75, np.float32), "p.weight": np.array([0.5, 0.25], np.float32), "l.weight": np.ones((1, 8), np.float32),
}  # fmt: skip


def odd_safetensors(folder, source):
    data = safetensors(TENSORS)
    length = int.from_bytes(data[:8], "little")
    header = json.loads(data[8 : 8 + length])
    description = {"format": "verimv-architecture", "version": 1, "input": [1, 2, 3], "layers": LAYERS}
    if source.random() < 0.5:
        header = changed(header, source)
    if source.random() < 0.7:
        description = changed(description, source)
    text = json.dumps(header).encode()
    (folder / "net.json").write_text(json.dumps(description))
    (folder / "net.safetensors").write_bytes(struct.pack("<Q", len(text)) + text + data[8 + length :])
    return folder / "net.safetensors"


def odd_npz(folder, source):
    """Write arrays of any type and shape, compressed in any way, and sometimes damaged."""
    arrays = {}
    for number in range(source.choice((1, 2, 2))):
        kind = source.choice(
            ("f4", "f8", "f4", "f8", "f2", "g", "i8", "u1", ">f4", "?", "c8", "U3", "M8[s]", "O", "V4")
        )
        shapes = (
            [(2, 2), (2,)]
            if source.random() < 0.8
            else [tuple(source.choice((0, 1, 2)) for _ in range(source.randint(0, 3)))] * 2
        )
        for name, shape in zip(("W", "b"), shapes, strict=True):
            arrays[f"{name}{number}" if source.random() < 0.9 else source.choice(("a/b", "ä", "9" * 20))] = np.zeros(
                shape, kind
            )
    file = io.BytesIO()
    packing = source.choice(
        (
            zipfile.ZIP_STORED,
            zipfile.ZIP_STORED,
            zipfile.ZIP_DEFLATED,
            zipfile.ZIP_DEFLATED,
            zipfile.ZIP_BZIP2,
            zipfile.ZIP_LZMA,
        )
    )
    with zipfile.ZipFile(file, "w", packing) as archive:
        for name, array in arrays.items():
            inner = io.BytesIO()
            np.save(inner, array, allow_pickle=True)
            data = inner.getvalue()
            archive.writestr(f"{name}.npy", damaged(data, source) if source.random() < 0.2 else data)
    data = file.getvalue()
    (folder / "net.npz").write_bytes(damaged(data, source) if source.random() < 0.5 else data)
    return folder / "net.npz"


CELLS = (
    "",
    "-",
    ".",
    "-.",
    "1.",
    ".5",
    "1e",
    "1e5",
    "1e9999",
    "nan",
    "inf",
    "0",
    "-1",
    "sqrt(2)",
    "1/3",
    "9" * 5000,
    "1,1",
    "1\n1",
    "٣",
    "//",
    "1e4299*1e4299",
)


def odd_nnet(folder, source):
    lines = export_nnet(NETWORK).data.decode().split("\n")
    for _ in range(source.randint(1, 3)):
        number = source.randrange(len(lines))
        cells = lines[number].split(",")
        cells[source.randrange(len(cells))] = source.choice(CELLS)
        lines[number] = ",".join(cells) if source.random() < 0.9 else ""
    (folder / "net.nnet").write_text("\n".join(lines))
    return folder / "net.nnet"


def odd_json(folder, source):
    text = "".join(write_network(NETWORK))
    (folder / "net.txt").write_text(json.dumps(changed(json.loads(text), source)))
    return folder / "net.txt"


ODD_FILES = (odd_safetensors, odd_npz, odd_nnet, odd_json)


def try_odd_files(make, count, seed, folder):
    source, results = random.Random(seed), {"read": 0, "refused": 0}
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", InexactWarning)
        for _ in range(count):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", UserWarning)  # zipfile and numpy warn while the file is made
                path = make(folder, source)
            results[outcome(load, path)] += 1
    return results


@pytest.mark.parametrize("make", ODD_FILES)
def test_odd_files_are_read_or_refused_in_one_line(make, tmp_path):
    results = try_odd_files(make, 400, 1, tmp_path)
    assert min(results.values()) > 20, results


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(2, 2 + scaled(1)))
@pytest.mark.parametrize("make", ODD_FILES)
def test_many_odd_files(make, seed, tmp_path):
    results = try_odd_files(make, 3_000, seed, tmp_path)
    assert min(results.values()) > 50, results


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
