"""Networks that several benchmarks use, with options of extraction."""

from __future__ import annotations

import os
import warnings
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from verimv.core.errors import UnusedWarning
from verimv.exact import parse_number
from verimv.networks.formats.json_format import read_box
from verimv.networks.formats.load import load
from verimv.networks.network import Layer, Network


@dataclass(frozen=True)
class BenchmarkCase:
    name: str
    network: Network
    #: options of extract
    options: dict[str, Any] = field(default_factory=dict)


def exact_roots() -> BenchmarkCase:
    """Return a network with √2 as a weight, whose formula is in RMV."""
    root = parse_number("sqrt(2)/2")
    hidden = Layer.of([[root, -root], [1, root]], [parse_number("1/3"), -root])
    return BenchmarkCase("2-2-1 with square roots", Network.of([hidden, Layer.of([[1, -1]], [0], "crelu")]))


def nets_folder() -> Path:
    """Return the folder that VERIMV_NETS names, or one beside the project; it may not exist."""
    return Path(os.environ.get("VERIMV_NETS", Path(__file__).parents[4] / "shared" / "nets"))


def real_networks() -> Iterator[BenchmarkCase]:
    """Yield ACAS Xu and MNIST networks on boxes of their properties, if the folder has them."""
    rows = [
        ("ACAS Xu 1_1, property 1", "acasxu/ACASXU_run2a_1_1_batch_2000", "prop_1", {}),
        ("MNIST 256x2, box ±0.03", "mnist_fc/mnist-net_256x2", "prop_0_0.03", {"output": 0}),
    ]
    for name, stem, property_name, options in rows:
        path, box = nets_folder() / f"{stem}.onnx", nets_folder() / f"{stem}__{property_name}.vnnlib"
        if path.exists() and box.exists():
            network = load(path)
            yield BenchmarkCase(name, boxed(network, box), {"scale_output": True, **options})


def boxed(network: Network, path: Path) -> Network:
    """Return a network on the box of a property; what the property says about outputs does not matter."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", UnusedWarning)
        ends = read_box(path.read_text(encoding="utf-8"), len(network.inputs), str(path))
    return Network(network.layers, network.inputs, ends, network.outputs)
