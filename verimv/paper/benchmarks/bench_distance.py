"""How far apart are a trained network and its copies? Both ends, the certificate, and HiGHS' mixed-integer program."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from typing import Any, TypeVar

import numpy as np

from verimv.bounding.guess.floats import FloatNetwork
from verimv.bounding.search.difference import Difference
from verimv.core.errors import InternalError
from verimv.core.progress import Progress
from verimv.exact import ZERO, Number
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.networks.formats.arrays import from_arrays
from verimv.networks.formats.json_format import read_box
from verimv.networks.formats.load import load
from verimv.networks.network import Layer, Network
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.benchmarks.benchmark_networks import nets_folder
from verimv.paper.benchmarks.copied_networks import TRAINED, copies, trained
from verimv.paper.benchmarks.milp import big_m_maximum
from verimv.questions.distance import certified_bound, certify_distance, distance
from verimv.solvers.point_search import Search

#: Seconds for each pair, and for all mixed-integer programs of a pair together.
SECONDS, MILP_SECONDS = 60.0, 60.0
#: Networks that are trained; test cases have fewer.
NETWORKS = tuple(TRAINED)
#: Larger pairs: networks of the folder `nets`, on the box of a property, against their float16 copies.
LARGE = (("MNIST 256x2", "mnist_fc/mnist-net_256x2.onnx", "mnist_fc/mnist-net_256x2__prop_0_0.03.vnnlib"),)

_HEADER = (
    "pair", "at least", "at most", "ratio", "seconds", "certified", "bytes", "kernels s", "MILP", "MILP s",
)  # fmt: skip
_Result = TypeVar("_Result")


def run(progress: Progress) -> Benchmark:
    """Compare every network with its copies."""
    rows = []
    for number, data in enumerate(NETWORKS):
        network = trained(data, TRAINED[data])
        for copy in copies(network):
            progress(f"{network.name}, {copy.name}", number, len(NETWORKS))
            rows.append((f"{network.name}, {copy.name}", *_compared(from_arrays(network.arrays), copy.network)))
    title = f"networks trained with scikit-learn and their copies, {SECONDS:g} s each (MILP: {MILP_SECONDS:g} s)"
    tables = [Table(title, _HEADER, rows)]
    large = [(name, *_compared(a, b, milp=False)) for name, a, b in _large_pairs()]
    if large:
        tables.append(Table("larger networks", _HEADER, large))
    return Benchmark(tables)


def _compared(a: Network, b: Network, milp: bool = True) -> tuple[str, ...]:
    found, seconds = _timed(lambda: distance(a, b, search=Search(seconds=SECONDS)))
    certificate, _ = _timed(lambda: certify_distance(a, b, found, SECONDS))
    told = ["–"] * 3
    if certificate is not None:
        _, checking = _timed(certificate.check)
        bound = certified_bound(certificate)
        if bound < found.attained:
            raise InternalError("a certificate of a bound below a difference that was found")
        size = sum(map(len, certificate.lines()))
        told = [rounded_up(bound), f"{size:,}", f"{checking:.2f}"]
    value, solving = _timed(lambda: _milp(a, b)) if milp else (math.nan, 0.0)
    by_milp = ["–" if math.isnan(value) else f"{value:.6g}", f"{solving:.2f}" if milp else "–"]
    ends = (rounded_down(found.attained), rounded_up(found.proved), _ratio(found.proved, found.attained))
    return (*ends, f"{seconds:.2f}", *told, *by_milp)


def _ratio(proved: Number, attained: Number) -> str:
    if proved == attained:
        return "1 (exact)"
    return f"{float(proved / attained):.3f}" if attained else "∞"


def _timed(call: Callable[[], _Result]) -> tuple[_Result, float]:
    began = time.perf_counter()
    return call(), time.perf_counter() - began


def _milp(a: Network, b: Network) -> float:
    """Return the largest difference by mixed-integer programs in floats; NaN if the time does not suffice."""
    network = Difference(a, b, ZERO).network
    if network is None:
        return math.nan
    floats, top = FloatNetwork(network, {}), len(network.layers)
    ranges = floats.ranges(np.zeros((1, len(network.inputs))), np.ones((1, len(network.inputs))), top)
    ends, deadline = [0.0], time.perf_counter() + MILP_SECONDS
    for index in range(len(network.outputs)):
        for way in (1, -1):
            left = deadline - time.perf_counter()
            ends.append(big_m_maximum(floats, top, index, way, ranges, left) if left > 0 else math.nan)
            if math.isnan(ends[-1]):
                return math.nan
    return max(ends)


def _large_pairs() -> Iterator[tuple[str, Network, Network]]:
    """Yield networks of the folder `nets`, if it is there, with their float16 copies."""
    for name, model, box in LARGE:
        path, property_ = nets_folder() / model, nets_folder() / box
        if path.exists() and property_.exists():
            network = load(path)
            ends = read_box(property_.read_text(encoding="utf-8"), len(network.inputs), str(property_))
            first = Network(network.layers, network.inputs, ends, network.outputs)
            layers = [_rounded(layer) for layer in network.layers]
            yield f"{name}, float16", first, Network(tuple(layers), network.inputs, ends, network.outputs)


def _rounded(layer: Layer) -> Layer:
    def half(numbers: Any) -> Any:
        return np.array([float(x) for x in numbers]).astype(np.float16).astype(float)

    weights = [list(half(row.dense(layer.width_in))) for row in layer.rows]
    return Layer.of(weights, list(half(row.constant for row in layer.rows)), layer.activation)
