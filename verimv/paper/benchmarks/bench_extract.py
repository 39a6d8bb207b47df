"""How extraction scales: growth exponents, nodes, bytes per node, within one run."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections.abc import Sequence

from verimv.core.progress import Progress
from verimv.extraction.pipeline import Extraction, extract_uncertified
from verimv.networks.network import Network
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.experiments.families import deep_sawtooth, shallow_sawtooth, single_unit


def run(progress: Progress) -> Benchmark:
    return Benchmark([_deep(progress), _lemma(progress), _shallow(progress), _memory(progress)])


def _deep(progress: Progress) -> Table:
    """The deep sawtooth: time and nodes grow linearly while the length is 4^s."""
    rows = []
    sizes = (50, 100, 200, 300)
    times: list[float] = []
    for i, s in enumerate(sizes):
        progress("deep sawtooth", i, len(sizes))
        network = deep_sawtooth(s)
        extraction, seconds = best_time(network, bounds="interval")
        times.append(seconds)
        length = extraction.summary["length"]
        exact = "4^s exactly" if extraction.formula.length == 4**s == int(length) else "NOT 4^s"
        rows.append(
            (
                str(s),
                str(extraction.measures.size),
                f"{len(length)} digits, {exact}",
                f"{seconds / times[0]:.2f}",
                growth(sizes, times),
            )
        )
    return Table("deep sawtooth g_s (time relative to s=50)", ("s", "nodes", "length", "time", "growth exponent"), rows)


def _lemma(progress: Progress) -> Table:
    """σ(ax − ⌊a/3⌋) by Lemma 3.3: the table has about (4/9)·a² nodes, so time per node is measured."""
    rows = []
    sizes = (125, 250, 500, 1000)
    counts: list[int] = []
    times: list[float] = []
    for i, a in enumerate(sizes):
        progress("one unit by Lemma 3.3", i, len(sizes))
        unit = single_unit([a], -(a // 3))
        extraction, _seconds = best_time(unit)
        counts.append(extraction.measures.size)
        times.append(extraction.summary["seconds"]["compose"])
        rows.append(
            (
                f"σ({a}x−{a // 3})",
                f"{counts[-1]:,}",
                f"{len(extraction.summary['length'])} digits",
                f"{times[-1] / times[0]:.1f}" if times[0] else "–",
                growth(counts, times),
            )
        )
    return Table(
        "one unit by Lemma 3.3 (composition time relative to a=125; growth in nodes)",
        ("unit", "nodes", "length", "time", "growth exponent"),
        rows,
    )


def _shallow(progress: Progress) -> Table:
    """The shallow sawtooth: the length is doubly exponential, the shared DAG is not."""
    rows = []
    for s in range(1, 8):
        progress("shallow sawtooth", s, 8)
        extraction = extract_uncertified(shallow_sawtooth(s), strategy="paper")
        deep = extract_uncertified(deep_sawtooth(s), strategy="paper")
        bits = extraction.formula.length.bit_length()
        rows.append(
            (
                str(s),
                f"{extraction.measures.size:,}",
                f"2^{bits - 1}" if bits > 20 else str(extraction.formula.length),
                str(deep.measures.size),
                str(deep.formula.length),
            )
        )
    return Table("shallow against deep sawtooth", ("s", "nodes", "length", "nodes (deep)", "length (deep)"), rows)


def _memory(progress: Progress) -> Table:
    """Bytes per node of the finished table, interning included, and at the peak of extraction."""
    progress("memory per node", 0, 1)
    unit = single_unit([1000], -333)
    extract_uncertified(single_unit([2], 0), strategy="paper")  # warm caches, so that only the table is counted
    tracemalloc.start()
    try:
        before, _ = tracemalloc.get_traced_memory()
        extraction = extract_uncertified(unit, strategy="paper")
        after, peak = tracemalloc.get_traced_memory()
    finally:
        tracemalloc.stop()
    nodes = extraction.measures.size
    row = (f"{nodes:,}", f"{(after - before) / nodes:.0f}", f"{(peak - before) / nodes:.0f}")
    return Table("memory for σ(1000x−333)", ("nodes", "bytes per node", "at the peak"), [row])


def best_time(network: Network, bounds: str = "auto") -> tuple[Extraction, float]:
    """Return an extraction by the paper's construction, and the shortest time of three."""
    best = math.inf
    for _ in range(3):
        start = time.perf_counter()
        result = extract_uncertified(network, bounds=bounds, strategy="paper")
        best = min(best, time.perf_counter() - start)
    return result, best


def growth(sizes: Sequence[int], times: Sequence[float]) -> str:
    """Return the exponent k of time ~ size^k from the first size to the last."""
    last = len(times) - 1
    if not last or not times[0] or not times[last]:
        return "–"
    return f"{math.log(times[last] / times[0]) / math.log(sizes[last] / sizes[0]):.2f}"
