"""Layered against monolithic: the same networks and formulas, the same solver, one run."""

from __future__ import annotations

import time

from verimv import smt
from verimv.experiments.benchmark import Benchmark, Table
from verimv.experiments.families import random_network
from verimv.extract import extract_and_prove
from verimv.extract.step3_compose import Progress
from verimv.smt import Search

#: What the one query about everything may take.
MONOLITHIC_SECONDS = 60.0


def run(progress: Progress) -> Benchmark:
    rows = []
    small, large = (2, 8, 8, 1), (5, 20, 20, 1)
    cases = [(small, "float32", 1), ((3, 8, 8, 1), "float32", 3), (small, "integer", 1), (large, "float32", 1)]
    for number, (widths, kind, seed) in enumerate(cases):
        progress("layered and monolithic", number, len(cases))
        network = random_network(widths, seed, kind)
        search = Search(seconds=MONOLITHIC_SECONDS)
        extraction, layered = extract_and_prove(network, search, bounds="interval", strategy="paper")
        start = time.perf_counter()
        search = Search(seconds=MONOLITHIC_SECONDS, split=False)
        whole = smt.equivalent(extraction.network, extraction.formula, search=search)
        seconds = time.perf_counter() - start
        ratio = f"{seconds / layered.seconds:,.0f}" if not whole.undecided else f"> {seconds / layered.seconds:,.0f}"
        evidence = layered.evidence[0]
        rows.append(
            (
                "-".join(map(str, widths)) + f" {kind}",
                f"{extraction.measures.size:,}",
                f"{evidence['obligations']:,}",
                str(evidence["queries"]),
                layered.status,
                whole.status,
                ratio,
            )
        )
    header = ("network", "nodes", "obligations", "queries", "layered", "monolithic", "time, monolithic / layered")
    title = f"z3 proves network = formula (one query about everything has {MONOLITHIC_SECONDS:g} s)"
    return Benchmark([Table(title, header, rows)])
