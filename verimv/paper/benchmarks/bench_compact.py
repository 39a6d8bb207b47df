"""The compact strategy compared with the paper's, in one run: neurons by length and by size, networks."""

from __future__ import annotations

import math
import random
import resource
import time
from collections.abc import Sequence

from verimv.core.progress import Progress
from verimv.extraction.pipeline import extract_uncertified
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.experiments.families import random_network, single_unit

_RANDOM_NEURONS = 200
_SMALL = ((5, 20, 20, 1), (5, 50, 50, 50, 50, 50, 50, 1))
_LARGE = (784, 256, 256, 10)


def run(progress: Progress) -> Benchmark:
    return Benchmark([_neurons(progress), _one_variable(progress), _random(progress), _networks(progress)])


def _formula(weights: Sequence[int], bias: int, strategy: str, minimise: str = "length") -> Formula:
    unit = single_unit(weights, bias)
    return extract_uncertified(unit, strategy=strategy, minimise=minimise, bounds="interval").formula


def connectives(formula: Formula) -> int:
    """Return the number of ⊕ and ⊙ nodes of a formula."""
    operators = formula.measure().operators
    return operators.get("⊕", 0) + operators.get("⊙", 0)


def _short(length: int) -> str:
    return f"{length:,}" if length < 10**7 else f"2^{length.bit_length() - 1}"


def _ratio(part: int, whole: int) -> str:
    """Return a ratio of numbers that may be too large for a float."""
    if whole < 2**1000:
        return f"{part / whole:.2g}"
    return f"2^-{whole.bit_length() - part.bit_length()}"


def _neurons(progress: Progress) -> Table:
    cases = [
        ("σ(32x−16)", [32], -16),
        ("σ(100x−37)", [100], -37),
        ("σ(1000x−333)", [1000], -333),
        ("σ(x1+…+x16−8)", [1] * 16, -8),
        ("σ(x1+…+x64−32)", [1] * 64, -32),
        ("(100,−77,53,−91), b=−10", [100, -77, 53, -91], -10),
    ]
    rows = []
    for number, (name, weights, bias) in enumerate(cases):
        progress("neurons", number, len(cases))
        paper = _formula(weights, bias, "paper")
        for minimise in ("length", "size"):
            compact = _formula(weights, bias, "compact", minimise)
            rows.append(
                (
                    name,
                    minimise,
                    _short(paper.length),
                    _short(compact.length),
                    _ratio(compact.length, paper.length),
                    f"{connectives(paper):,}",
                    f"{connectives(compact):,}",
                    _ratio(connectives(compact), connectives(paper)),
                )
            )
    lengths = ("length, paper", "length, compact", "length ratio")
    sizes = ("⊕ and ⊙, paper", "⊕ and ⊙, compact", "⊕ and ⊙ ratio")
    return Table("single neurons (paper = 1)", ("neuron", "minimise", *lengths, *sizes), rows)


def _one_variable(progress: Progress) -> Table:
    """σ(ax − b) for all b: the longest formula over all a up to 8, 16 and 32."""
    worst = {"paper": 0, "compact": 0}
    rows = []
    for a in range(1, 33):
        progress("neurons in one variable", a, 32)
        lengths = {name: [_formula([a], -b, name).length for b in range(a)] for name in worst}
        worst = {name: max(worst[name], *lengths[name]) for name in worst}
        if a in (8, 16, 32):
            most = (str(max(lengths["compact"])), _short(worst["compact"]), _short(worst["paper"]))
            rows.append((str(a), *most, _ratio(worst["compact"], worst["paper"]), str(_THEORY[a])))
    header = ("a", "compact, this a", "compact, up to a", "paper, up to a", "ratio", "split rule alone")
    return Table("σ(ax−b), the longest over all b", header, rows)


#: Known lengths for the worst b, by the best use of the split rule alone.
_THEORY = {8: 16, 16: 44, 32: 102}


def _random(progress: Progress) -> Table:
    """Random neurons in two and three variables with Σ|m_i| ≤ 9."""
    source = random.Random(1)
    ratios: list[float] = []
    while len(ratios) < _RANDOM_NEURONS:
        progress("random neurons", len(ratios), _RANDOM_NEURONS)
        weights = [source.choice((-1, 1)) * source.randint(1, 5) for _ in range(source.choice((2, 3)))]
        total = sum(map(abs, weights))
        if total > 9:
            continue
        low = sum(w for w in weights if w < 0)
        bias = -low - source.randint(0, total - 1)  # so that the neuron is not constant
        ratios.append(_formula(weights, bias, "compact").length / _formula(weights, bias, "paper").length)
    mean = math.exp(sum(map(math.log, ratios)) / len(ratios))
    row = (str(len(ratios)), f"{mean:.3f}", f"{min(ratios):.3f}", f"{max(ratios):.3f}")
    return Table("random neurons, length compact / paper", ("neurons", "geometric mean", "best", "worst"), [row])


def _networks(progress: Progress) -> Table:
    """float32 networks in RMV by the compact strategy, and by the paper's where that is feasible."""
    rows = []
    first: tuple[int, float] | None = None
    for number, widths in enumerate((*_SMALL, _LARGE)):
        progress("networks", number, len(_SMALL) + 1)
        network = random_network(widths, 1)
        start = time.perf_counter()
        size = extract_uncertified(network, strategy="compact", bounds="interval").measures.size
        seconds = time.perf_counter() - start
        weights = count_weights(network)
        first = first or (weights, seconds)
        against = "–"
        if number == 0:
            against = f"{size / extract_uncertified(network, strategy='paper', bounds='interval').measures.size:.3f}"
        growth = math.log(seconds / first[1]) / math.log(weights / first[0]) if weights != first[0] else None
        rows.append(
            (
                "-".join(map(str, widths)),
                f"{weights:,}",
                f"{size / weights:.2f}",
                against,
                f"{seconds:.2f}",
                "–" if growth is None else f"{growth:.2f}",
                f"{resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6:.2f}",
            )
        )
    header = ("network", "weights", "nodes / weight", "nodes / paper's", "seconds", "growth exponent", "peak GB so far")
    return Table("float32 networks in RMV, extraction without certificate", header, rows)


def count_weights(network: Network) -> int:
    return sum(len(row.terms) for layer in network.layers for row in layer.rows)
