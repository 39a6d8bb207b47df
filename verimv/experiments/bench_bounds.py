"""What exact bounds are worth: units after Step 1 and nodes, against interval bounds; and time per neuron."""

from __future__ import annotations

import time

from verimv.bounds import exact_bounds, interval_bounds
from verimv.experiments.benchmark import Benchmark, Table
from verimv.experiments.families import random_network
from verimv.extract import extract
from verimv.extract.step3_compose import Progress


def run(progress: Progress) -> Benchmark:
    rows = []
    cases = [((2, 6, 6, 1), "integer"), ((3, 8, 8, 1), "integer"), ((2, 8, 8, 1), "float32"), ((3, 8, 8, 1), "float32")]
    for widths, kind in cases:
        network = random_network(widths, seed=5, kind=kind)
        start = time.perf_counter()
        exact = exact_bounds(network, seconds=120, per_bound=5, progress=progress)
        seconds = time.perf_counter() - start
        loose = extract(network, bounds=interval_bounds(network), strategy="paper")
        tight = extract(network, bounds=exact, strategy="paper")
        neurons = sum(len(layer) for layer in exact.layers)
        proved = sum(bound.exact for layer in exact.layers for bound in layer)
        rows.append(
            (
                "-".join(map(str, widths)) + f" {kind}",
                f"{proved} of {neurons}",
                f"{loose.clipped.units:,}",
                f"{tight.clipped.units:,}",
                f"{loose.clipped.units / max(1, tight.clipped.units):.2f}",
                f"{loose.measures.size / tight.measures.size:.2f}",
                f"{1000 * seconds / neurons:.0f}",
            )
        )
    header = ("network", "exact", "units, interval", "units, exact", "units ratio", "nodes ratio", "ms per neuron")
    return Benchmark([Table("exact bounds by z3 against interval bounds", header, rows)])
