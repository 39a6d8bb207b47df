"""How far apart are a trained network and its copies? Both ends, the certificate, and HiGHS' mixed-integer program."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any, NamedTuple, TypeVar

import numpy as np

from verimv.bounding.guess.floats import FloatNetwork
from verimv.bounding.search.box_output import BoxSearch
from verimv.bounding.search.change_search import ChangeSearch
from verimv.bounding.search.difference import Difference
from verimv.bounding.search.far_point import FarthestPoints, networks_of
from verimv.core.choices import EFFORT
from verimv.core.effort import SECOND, Meter
from verimv.core.errors import InternalError
from verimv.core.progress import Progress
from verimv.exact import ZERO, Number, Rational, format_number
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.networks.formats.arrays import from_arrays
from verimv.networks.formats.load import load
from verimv.networks.network import Layer, Network
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.benchmarks.benchmark_networks import boxed, nets_folder
from verimv.paper.benchmarks.copied_networks import TRAINED, Arrays, copies, quantised, trained
from verimv.paper.benchmarks.milp import big_m_maximum
from verimv.questions.distance import certified_bound, certify_distance, distance
from verimv.questions.equality import equivalent

#: Effort for each pair, and seconds for all mixed-integer programs of a pair together.
PAIR_EFFORT, MILP_SECONDS = EFFORT, 20.0
#: Networks that are trained; a quick run has the first only.
NETWORKS = tuple(TRAINED)
#: Corners of the cube; a tolerance that one of them refutes should be refuted quickly.
CORNERS = 2000
#: MNIST networks of the folder `nets`, with the files of their boxes.
LARGE = (
    ("MNIST 256x2", "mnist_fc/mnist-net_256x2.onnx", "mnist_fc/mnist-net_256x2__prop_0_0.03.vnnlib"),
    ("MNIST 256x4", "pairs/mnist/mnist256x4.onnx", "pairs/mnist/prop_0_0.03.vnnlib"),
)
#: A copy that the folder has: of the last of these, with neurons split.
SPLIT = "pairs/mnist/mnist256x4_split.onnx"
#: An ACAS Xu network with noise on every weight, the box, and the tolerance; how many such copies, the given one first.
NOISY = ("pairs/acasxu/ACASXU_2_2.onnx", "pairs/acasxu/ACASXU_2_2_perturbed.onnx", "pairs/acasxu/instance_0.vnnlib")
NOISE, NOISY_TOLERANCE, NOISY_PAIRS = 0.001, Rational(1, 20), 10
#: Seconds of work for each of these, one after the other: the same search goes on.
NOISY_EFFORTS = (100, 600)
#: The search without differences has so many times the work that the one with differences needed.
NOISY_HANDICAP = 1

_HEADER = (
    "pair", "at least", "at most", "ratio", "CPU s", "certified", "bytes", "kernel.py s", "verified s", "corner s",
    "MILP", "MILP CPU s",
)  # fmt: skip
_NOISY_HEADER = (
    "pair", "at least", "with differences", "at most", "boxes", "CPU s", "ends closed without", "boxes", "CPU s",
)  # fmt: skip
#: A row is a dictionary in JSON, so columns have different names.
NOISY_HEADER = tuple(f"{name}, without" if n > 6 else name for n, name in enumerate(_NOISY_HEADER))
_Result = TypeVar("_Result")


class PairToCompare(NamedTuple):
    name: str
    first: Network
    second: Network


def run(progress: Progress, quick: bool = False) -> Benchmark:
    """Compare every network with its copies."""
    rows = []
    networks = NETWORKS[:1] if quick else NETWORKS
    for number, data in enumerate(networks):
        network = trained(data, TRAINED[data])
        for copy in copies(network):
            progress(f"{network.name}, {copy.name}", number, len(networks))
            pair = PairToCompare(f"{network.name}, {copy.name}", from_arrays(network.arrays), copy.network)
            rows.append(_compared(pair))
    title = f"networks trained with scikit-learn and their copies, effort {PAIR_EFFORT:g} (MILP: {MILP_SECONDS:g} s)"
    tables = [Table(title, _HEADER, rows)]
    if quick:
        return Benchmark(tables)
    within = f"within {format_number(NOISY_TOLERANCE)}"
    noisy = f"ACAS Xu with noise: {within}, after how many seconds of work ({', '.join(map(str, NOISY_EFFORTS))})?"
    for title, header, found, row in (
        ("MNIST on a box of ±0.03", _HEADER, _large_pairs(), _compared_without_milp),
        (noisy, NOISY_HEADER, _noisy_pairs(), on_boxes),
    ):
        rows = []
        for pair in found:
            progress(pair.name, 0, 1)
            rows.append(row(pair))
        if rows:
            tables.append(Table(title, header, rows))
    return Benchmark(tables)


def _compared_without_milp(pair: PairToCompare) -> tuple[str, ...]:
    return _compared(pair, milp=False)


def _compared(pair: PairToCompare, milp: bool = True) -> tuple[str, ...]:
    _, a, b = pair
    found, seconds = _timed(lambda: distance(a, b, effort=PAIR_EFFORT))
    certificate = certify_distance(a, b, found, math.inf)
    told = ["–"] * 4
    if certificate is not None and certificate.judgement is not None:
        bound = certified_bound(certificate)
        if bound < found.attained:
            raise InternalError("a certificate of a bound below a difference that was found")
        checking = [f"{answer.seconds:.2f}" for answer in certificate.judgement.answers]
        told = [rounded_up(bound), f"{sum(map(len, certificate.lines())):,}", *(*checking, "–")[:2]]
    corner = _refuted_by_a_corner(a, b) if milp and found.attained else "–"
    value, solving = _timed(lambda: _milp(a, b)) if milp else (math.nan, 0.0)
    by_milp = ["–" if math.isnan(value) else f"{value:.6g}", f"{solving:.2f}" if milp else "–"]
    ends = (rounded_down(found.attained), rounded_up(found.proved), _ratio(found.proved, found.attained))
    return (pair.name, *ends, f"{seconds:.2f}", *told, corner, *by_milp)


def _ratio(proved: Number, attained: Number) -> str:
    if proved == attained:
        return "1 (exact)"
    return f"{float(proved / attained):.3f}" if attained else "∞"


def _timed(call: Callable[[], _Result]) -> tuple[_Result, float]:
    """Return a result and the processor's seconds: other processes of the machine do not count."""
    began = time.process_time()
    return call(), time.process_time() - began


def _refuted_by_a_corner(a: Network, b: Network) -> str:
    """Return how long `equivalent` takes to refute a tolerance that a random corner just refutes."""
    corners = np.random.default_rng(0).integers(0, 2, (CORNERS, len(a.inputs))).astype(float)
    ends = [FloatNetwork(side, {}).values(corners, len(side.layers)) for side in (a, b)]
    differences = np.abs(ends[0] - ends[1])
    tolerance = Rational(float(differences.max()) * 0.999)
    if not tolerance:
        return "–"
    verdict, seconds = _timed(lambda: equivalent(a, b, tolerance=tolerance))
    return f"{seconds:.2f}" if verdict.refuted else verdict.status


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


def _large_pairs() -> Iterator[PairToCompare]:
    """Yield networks of the folder `nets`, if it is there, with their copies."""
    for name, model, box in LARGE:
        if (nets_folder() / model).exists() and (nets_folder() / box).exists():
            first = _on_box(model, box)
            arrays = _arrays(first)
            halves = [(w.astype(np.float16).astype(float), b.astype(np.float16).astype(float)) for w, b in arrays]
            yield PairToCompare(f"{name}, float16", first, _with_arrays(first, halves))
            yield PairToCompare(f"{name}, 8-bit weights", first, _with_arrays(first, quantised(arrays, 8)))
            if SPLIT.startswith(model.removesuffix(".onnx")) and (nets_folder() / SPLIT).exists():
                yield PairToCompare(
                    f"{name}, neurons split", first, replace(load(nets_folder() / SPLIT), box=first.box)
                )


def on_boxes(pair: PairToCompare) -> tuple[str, ...]:
    """Halve boxes, with differences of neurons and without, until the tolerance is proved or the work is used up.

    Without differences, floats have to close all boxes, with as much work; nothing is proved.
    """
    networks = networks_of(*FarthestPoints(pair.first, pair.second).functions)
    difference = Difference(pair.first, pair.second, ZERO).network
    if networks is None or difference is None:
        raise InternalError("expected two networks")
    attained = distance(pair.first, pair.second, tolerance=NOISY_TOLERANCE, effort=0).attained
    search, meter = ChangeSearch(*networks), Meter(0)
    goals, answer = [NOISY_TOLERANCE] * len(difference.outputs), "undecided"
    began = time.process_time()
    for effort in NOISY_EFFORTS:
        meter.left += effort * SECOND - meter.work
        meter.work = effort * SECOND
        if search.run(goals, meter):
            answer = f"proved ({effort})"
            break
    seconds = time.process_time() - began
    ends = [(k, way) for k in range(len(goals)) for way in (1, -1)]
    alone = [BoxSearch(difference, k, way) for k, way in ends]
    share = NOISY_HANDICAP * meter.spent // len(alone)
    closed, other_seconds = _timed(lambda: [one.closes(NOISY_TOLERANCE, Meter(share)) for one in alone])
    bounded = sum(one.statistics.bounded for one in alone)
    return (
        pair.name, rounded_down(attained), answer, rounded_up(max(search.upper)), f"{search.bounded:,}",
        f"{seconds:.0f}", f"{sum(closed)} of {len(ends)}", f"{bounded:,}", f"{other_seconds:.0f}",
    )  # fmt: skip


def _noisy_pairs() -> Iterator[PairToCompare]:
    """Yield a network of the folder with its copy, and with copies made in the same way."""
    if not NOISY_PAIRS or not all((nets_folder() / name).exists() for name in NOISY):
        return
    first, second = (_on_box(model, NOISY[2]) for model in NOISY[:2])
    yield PairToCompare("ACAS Xu 2_2, the given copy", first, second)
    for seed in range(1, NOISY_PAIRS):
        source = np.random.default_rng(seed)
        noisy = [tuple(_noisy(part, source) for part in parts) for parts in _arrays(first)]
        yield PairToCompare(f"ACAS Xu 2_2, noise {seed}", first, _with_arrays(first, noisy))


def _noisy(array: Any, source: np.random.Generator) -> Any:
    return (array + source.normal(0, NOISE, array.shape)).astype(np.float32).astype(float)


def _on_box(model: str, box: str) -> Network:
    return boxed(load(nets_folder() / model), nets_folder() / box)


def _arrays(network: Network) -> Arrays:
    return [
        (np.array([[float(x) for x in row.dense(layer.width_in)] for row in layer.rows]),
         np.array([float(row.constant) for row in layer.rows]))
        for layer in network.layers
    ]  # fmt: skip


def _with_arrays(network: Network, arrays: Any) -> Network:
    layers = [
        Layer.of(weights.tolist(), bias.tolist(), layer.activation)
        for layer, (weights, bias) in zip(network.layers, arrays, strict=True)
    ]
    return replace(network, layers=tuple(layers))
