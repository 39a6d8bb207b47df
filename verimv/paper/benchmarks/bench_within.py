"""Formulas within an error, compared with exact ones and with rounding by hand; formulas that come back from noise."""

from __future__ import annotations

import itertools
import math
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import numpy as np

from verimv.approximation.float_model import FloatModel, WorstPoints
from verimv.approximation.proving import closeness
from verimv.approximation.within import NothingSimpler, WithinExtraction, extract_within, read_within
from verimv.certificate.from_extraction import CertifiedExtraction, extract
from verimv.certificate.from_simplification import simplify_extraction
from verimv.core.progress import Progress
from verimv.exact import Number, Rational
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.formulas.dag import DIVIDE, SCALE
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.formats.arrays import from_arrays
from verimv.networks.formats.load import load
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.from_formula import to_network
from verimv.networks.transforms.outputs import chosen
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.benchmarks.benchmark_networks import nets_folder
from verimv.paper.benchmarks.copied_networks import arrays_of, fitted, sklearn_module, trained
from verimv.paper.experiments.families import random_term
from verimv.questions.equality import equivalent

#: Errors, in percent of the range.
PERCENT = (1, 5, 10)
#: Rounding by hand: weights that are multiples of 1/K, for these K; and how many are tried.
GRIDS, TRIED = tuple(range(2, 65)), 4
#: Formulas that are turned into networks with noise, for each size of the noise.
TERMS = 12
NOISE = (0.001, 0.01, 0.03, 0.1)

_HEADER = (
    "network", "E", "length", "size", "exact length", "exact size", "by hand: K", "length", "size", "length / exact",
    "length / by hand", "error seen", "error proved", "largest denominator", "seconds", "kernels", "kernels s",
)  # fmt: skip
#: A row is a dictionary in JSON, so columns have different names.
HEADER = tuple(f"hand {name}" if n in (7, 8) else name for n, name in enumerate(_HEADER))
_Result = TypeVar("_Result")


@dataclass(frozen=True)
class WithinCase:
    """A trained network with the outputs that are of interest."""

    name: str
    make: Callable[[], Network]
    options: dict[str, Any] = field(default_factory=dict)

    def network(self) -> Network:
        return chosen(self.make(), self.options.get("output"), self.options.get("margin"))


def _of_data(data: str, hidden: tuple[int, ...]) -> Callable[[], Network]:
    return lambda: from_arrays(trained(data, hidden).arrays)


def _regression(inputs: int, hidden: tuple[int, ...], values: Callable[[Any], Any]) -> Callable[[], Network]:
    """Train a network on a function of random points of the cube."""

    def make() -> Network:
        points = np.random.Generator(np.random.PCG64(0)).random((400, inputs))
        targets = values(points)
        model, _ = fitted(points, targets / np.abs(targets).max(), hidden, True, steps=1000)
        return from_arrays(arrays_of(model))

    return make


def _friedman() -> Network:
    """Return a network for scikit-learn's regression make_friedman1, with three inputs that do not matter."""
    points, targets = sklearn_module("datasets").make_friedman1(400, n_features=8, random_state=0)
    model, _ = fitted(points, targets / targets.max(), (8,), True, steps=1000)
    return from_arrays(arrays_of(model))


CASES = (
    WithinCase("curve 1-8-1", _regression(1, (8,), lambda p: np.sin(6 * p[:, 0]))),
    WithinCase("surface 2-6-4-1", _regression(2, (6, 4), lambda p: p[:, 0] * p[:, 1])),
    WithinCase("iris 4-6-3, margin 2 1", _of_data("iris", (6,)), {"margin": (2, 1)}),
    WithinCase("iris 4-6-3, margin 1 0", _of_data("iris", (6,)), {"margin": (1, 0)}),
    WithinCase("wine 13-8-3, margin 1 0", _of_data("wine", (8,)), {"margin": (1, 0)}),
    WithinCase("breast cancer 30-5-1", _of_data("breast_cancer", (5,))),
    WithinCase("friedman 8-8-1", _friedman),
    WithinCase("diabetes 10-10-6-1", _of_data("diabetes", (10, 6))),
    WithinCase("digits 64-6-10, margin 3 8", _of_data("digits", (6,)), {"margin": (3, 8)}),
)


#: Networks of the folder `nets`, and one that is too large for most searches.
GIVEN = {"given: breast cancer 30-5-1": "tables/bc.json", "given: diabetes 10-10-6-1": "tables/diab.json"}
LARGE = "acasxu/ACASXU_run2a_1_1_batch_2000.onnx"
LARGE_HEADER = (
    "network", "E", "weights", "weights left", "exact length", "length", "error seen", "error proved", "seconds",
    "kernels", "kernels s",
)  # fmt: skip


def given_cases() -> Iterator[WithinCase]:
    """Yield the networks of the folder, if it is there."""
    for name, path in GIVEN.items():
        if (nets_folder() / path).exists():
            yield WithinCase(name, lambda path=path: load(nets_folder() / path))  # type: ignore[misc]


def run(progress: Progress, quick: bool = False) -> Benchmark:
    """Compare formulas within errors with exact ones, and count formulas that come back."""
    every = (*CASES, *given_cases())
    cases, percent, terms = (CASES[2:3], (5, 10), 2) if quick else (every, PERCENT, TERMS)
    rows: list[tuple[str, ...]] = []
    for number, case in enumerate(cases):
        progress(case.name, number, len(cases))
        rows += compared(case, percent)
    tables = [Table("formulas within an error of E % of the range", HEADER, rows)]
    tables.append(Table("geometric means over all networks", ("E", "length / exact", "length / by hand"), means(rows)))
    if not quick and (nets_folder() / LARGE).exists():
        progress("ACAS Xu", 0, 1)
        tables.append(Table("a network of 12,800 weights, its first output", LARGE_HEADER, [large("10%")]))
    recovered = []
    for size in NOISE[1:2] if quick else NOISE:
        progress(f"noise {size:g}", 0, 1)
        recovered.append(came_back(size, terms))
    header = ("noise", "formulas", "came back", "as long or shorter", "nothing simpler")
    tables.append(Table("networks of random formulas, with noise on their weights", header, recovered))
    return Benchmark(tables)


def compared(case: WithinCase, percent: tuple[int, ...]) -> Iterator[tuple[str, ...]]:
    """Yield a row for each error."""
    network = case.network()
    exact = extract(network, scale_output=True)
    whole = (f"{exact.formula.length:,}", f"{exact.formula.size:,}")
    for share in percent:
        text = f"{share}%"
        hand = _by_hand(network, read_within(text, network))
        by_hand = ("–",) * 3 if hand is None else (str(hand[0]), f"{hand[1].length:,}", f"{hand[1].size:,}")
        try:
            found, seconds = _timed(lambda text=text: extract_within(network, text))  # type: ignore[misc]
        except NothingSimpler:  # the exact formula is what people get
            ratio = f"{exact.formula.length / hand[1].length:.3f}" if hand else "–"
            largest = str(largest_denominator(exact.formula))
            yield (case.name, f"{share} %", *whole, *whole, *by_hand, "1.000", ratio, "0", "0", largest, *("–",) * 3)
            continue
        found.check()
        length = found.formula.length
        ratios = (length / exact.formula.length, length / hand[1].length if hand else math.nan)
        yield (
            case.name, f"{share} %", f"{length:,}", f"{found.formula.size:,}", *whole, *by_hand,
            *("–" if math.isnan(ratio) else f"{ratio:.3f}" for ratio in ratios),
            rounded_down(found.distance.attained), rounded_up(found.distance.proved),
            str(largest_denominator(found.formula)), f"{seconds:.1f}", *_verdicts(found),
        )  # fmt: skip


def large(within: str) -> tuple[str, ...]:
    """Return what an error buys for ACAS Xu."""
    network = chosen(load(nets_folder() / LARGE), 0, None)
    weights = str(_weights(network))
    try:
        found, seconds = _timed(lambda: extract_within(network, within))
    except NothingSimpler:
        return ("ACAS Xu 1_1", within, weights, weights, *("–",) * (len(LARGE_HEADER) - 4))
    found.check()
    exact = found.summary.get("exact_length")
    return (
        "ACAS Xu 1_1", within, weights, str(_weights(found.source)), "–" if exact is None else _power(int(exact)),
        _power(found.formula.length), rounded_down(found.distance.attained), rounded_up(found.distance.proved),
        f"{seconds:.1f}", *_verdicts(found),
    )  # fmt: skip


def _power(length: int) -> str:
    return f"2^{math.log2(length):.1f}"


def _weights(network: Network) -> int:
    return sum(len(row.terms) for layer in network.layers for row in layer.rows)


def _verdicts(found: WithinExtraction) -> tuple[str, str]:
    proofs = [proof for proof in found.summary["proofs"] if "checker" in proof]
    told = [f"{proof['checker']}: {proof['verdict']}" for proof in proofs]
    return ", ".join(told), " + ".join(f"{proof['seconds']:.2f}" for proof in proofs)


def largest_denominator(formula: Formula) -> int:
    dag = formula.dag
    constants = (dag.payload(n) for n in range(max(formula.roots) + 1) if dag.kinds[n] in (DIVIDE, SCALE))
    return max((c if isinstance(c, int) else int(c.denominator) for c in constants), default=1)


def _by_hand(network: Network, tolerances: Sequence[Number]) -> tuple[int, Formula] | None:
    """Return K and the formula of the network with weights rounded to 1/K that is proved to be within the error.

    Of those that floats find near, the ones with fewest weights are tried, then those with the smallest K; the formula
    is that of the first proof, simplified.
    """
    errors = WorstPoints(FloatModel.of(network), [float(tolerance) for tolerance in tolerances])
    near = []
    for grid in GRIDS:
        other = rounded(network, grid)
        if errors.worst(FloatModel.of(other), 200)[1] <= 1:
            near.append((_weights(other), grid, other))
    for _, grid, other in itertools.islice(sorted(near, key=lambda entry: entry[:2]), TRIED):
        if closeness(network, other, tolerances, lambda *_: None).certificate is not None:
            found: CertifiedExtraction = extract(other, scale_output=True)
            return grid, simplify_extraction(found, "length").formula
    return None


def rounded(network: Network, grid: int) -> Network:
    """Round all weights and biases to multiples of 1/grid."""

    def near(x: Number) -> Number:
        return Rational(round(float(x) * grid), grid)

    layers = []
    for layer in network.layers:
        rows = (Affine(((j, near(w)) for j, w in row.terms if near(w)), near(row.constant)) for row in layer.rows)
        layers.append(Layer(tuple(rows), layer.width_in, layer.activation))
    return replace(network, layers=tuple(layers))


def means(rows: list[tuple[str, ...]]) -> list[tuple[str, ...]]:
    """Return, for each error, the geometric means of both ratios, over the networks that have them."""
    found = []
    for share in dict.fromkeys(row[1] for row in rows):
        cells = [share]
        for column in (HEADER.index("length / exact"), HEADER.index("length / by hand")):
            ratios = [float(row[column]) for row in rows if row[1] == share and row[column] != "–"]
            logarithms = [math.log(max(ratio, 1e-9)) for ratio in ratios]
            cells.append(f"{math.exp(sum(logarithms) / len(ratios)):.3f} (of {len(ratios)})" if ratios else "–")
        found.append(tuple(cells))
    return found


def came_back(size: float, terms: int) -> tuple[str, ...]:
    """Count formulas that are found again, up to equivalence, with an error of twice what the noise does."""
    back = short = undecided = 0
    for seed, formula in itertools.islice(varying_terms(), terms):
        exact = to_network(formula)
        network = with_noise(exact, size, seed)
        seen = WorstPoints(FloatModel.of(exact), [1.0] * len(exact.outputs)).worst(FloatModel.of(network), 200)[1]
        try:
            found = extract_within(network, f"{max(2 * seen, 1e-6):.2g}").formula
        except NothingSimpler:
            undecided += 1
            continue
        is_same = found.inputs == formula.inputs and bool(equivalent(found, formula).proved)
        back += is_same
        short += is_same and found.length <= formula.length
    return (f"{size:g}", str(terms), str(back), str(short), str(undecided))


def varying_terms() -> Iterator[tuple[int, Formula]]:
    """Yield random formulas of length 3 to 6 over two or three variables that are not constant, with their seeds."""
    for seed in itertools.count():
        formula = random_term(3 + seed % 4, 2 + seed % 2, seed)
        points = np.random.Generator(np.random.PCG64(seed)).random((200, len(formula.inputs)))
        if np.ptp(FloatModel.of(to_network(formula)).outputs(points)) > 0.1:
            yield seed, formula


def with_noise(network: Network, size: float, seed: int) -> Network:
    """Move every weight and bias other than 0 by up to `size`."""
    random = np.random.Generator(np.random.PCG64(seed))

    def moved(x: Number) -> Number:
        return x + Rational(float(size * random.uniform(-1, 1)))

    layers = []
    for layer in network.layers:
        rows = [
            Affine([(j, moved(w)) for j, w in row.terms], moved(row.constant) if row.constant else row.constant)
            for row in layer.rows
        ]
        layers.append(Layer(tuple(rows), layer.width_in, layer.activation))
    return replace(network, layers=tuple(layers))


def _timed(call: Callable[[], _Result]) -> tuple[_Result, float]:
    """Return a result, and the seconds that the processor needed."""
    began = time.process_time()
    return call(), time.process_time() - began
