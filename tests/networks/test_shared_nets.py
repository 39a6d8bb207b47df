"""Networks that others trained, if available: read exactly, they agree with onnxruntime's floats."""

import os
from pathlib import Path

import numpy as np
import pytest

from verimv.core.choices import NETWORK_SUFFIXES
from verimv.core.errors import InputError
from verimv.core.progress import no_progress
from verimv.exact import as_number
from verimv.networks.formats.load import load
from verimv.paper.benchmarks import bench_nets

FOLDER = Path(os.environ.get("VERIMV_NETS", Path(__file__).parents[2].parent / "shared" / "nets"))
FILES = sorted(path for path in FOLDER.rglob("*") if path.suffix in NETWORK_SUFFIXES) if FOLDER.is_dir() else []


@pytest.mark.skipif(
    "VERIMV_NETS" not in os.environ and not FOLDER.is_dir(), reason="no networks at ../shared/nets (or VERIMV_NETS)"
)
def test_there_are_networks():
    """If a folder is named or exists, it must have networks: otherwise these tests would silently test nothing."""
    assert {path.suffix for path in FILES} >= {".onnx", ".nnet"}


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".onnx"], ids=lambda path: path.stem)
def test_agrees_with_onnxruntime(path):
    onnxruntime = pytest.importorskip("onnxruntime")
    try:
        network = load(path)
    except InputError as refused:
        pytest.skip(f"refused: {refused}")  # the test below looks at the reasons
    session = onnxruntime.InferenceSession(str(path))
    (value,) = session.get_inputs()
    shape = [length if isinstance(length, int) and length > 0 else 1 for length in value.shape]
    source = np.random.default_rng(1)
    for _ in range(3):
        point = source.uniform(-1, 1, shape).astype(np.float32)
        floats = np.concatenate([np.ravel(result) for result in session.run(None, {value.name: point})])
        exact = [float(y) for y in network.at([as_number(x) for x in point.ravel()])]
        assert np.allclose(exact, floats, rtol=1e-4, atol=1e-5)


@pytest.mark.slow
@pytest.mark.skipif(not FILES, reason="no networks at ../shared/nets (or VERIMV_NETS)")
def test_every_file_is_certified_or_refused_for_a_reason():
    (table,) = bench_nets.run(no_progress, FOLDER).tables
    assert len(table.rows) == len(FILES)
    for row in table.rows:
        assert row[-1] == "certified" or (row[1] == "–" and "bug" not in row[-1]), row


@pytest.mark.parametrize("path", [path for path in FILES if path.suffix == ".nnet"], ids=lambda path: path.stem)
def test_nnet_files_are_read_with_their_box(path):
    network = load(path)
    assert not network.is_on_unit_cube()
    assert network.at([(low + high) / 2 for low, high in network.box])
