"""Solvers prove the lines of certificates, compared with the kernel and with one query about everything.

Also: planted faults, and whether every extraction of a network writes the same bytes.
"""

from __future__ import annotations

import json
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from verimv.certificate.certificate import Certificate
from verimv.certificate.from_extraction import CertifiedExtraction, extract
from verimv.core.progress import Progress
from verimv.core.workers import cores
from verimv.exact import Number, format_number, parse_number
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.outputs import mapped
from verimv.paper.benchmarks.bench_bytes import same_bytes
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.benchmarks.benchmark_networks import BenchmarkCase, exact_roots, real_networks
from verimv.paper.experiments.families import random_network
from verimv.solvers.decide import equal_by_solver
from verimv.solvers.obligations.proof import prove
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import Verdict

Line = list[Any]

#: Number of random networks of each size.
SEEDS = 10
#: Seconds for all obligations of a certificate, and for one query about everything.
SECONDS, MONOLITHIC_SECONDS = 600.0, 30.0
SOLVERS = ("z3", "cvc5")
#: Widths of random float32 networks.
WIDTHS = ((5, 20, 20, 1), (5, 50, 50, 1))


def run(progress: Progress) -> Benchmark:
    return Benchmark([_proofs(progress), _faults(progress), same_bytes(progress)])


# -- proofs -------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Proved:
    """The cost of proving a certificate."""

    lines: int
    obligations: int
    queries: int
    solved: dict[str, Verdict]
    collecting: float
    kernel: float

    def seconds(self, solver: str) -> float:
        return self.collecting + self.solved[solver].seconds


def _groups() -> Iterator[tuple[str, list[BenchmarkCase]]]:
    """Yield the networks of each row."""
    for widths in WIDTHS:
        name = "-".join(map(str, widths))
        yield (
            f"{name} float32, {SEEDS} seeds",
            [BenchmarkCase(name, random_network(widths, seed)) for seed in range(SEEDS)],
        )
    yield "3-8-8-1 integer", [BenchmarkCase("", random_network((3, 8, 8, 1), 0, "integer"))]
    yield "2-3-1 rational, DMV, compact", [_rational("compact")]
    yield "2-3-1 rational, DMV, paper", [_rational("paper")]
    for case in (exact_roots(), *real_networks()):
        yield case.name, [case]


def _rational(strategy: str) -> BenchmarkCase:
    hidden = Layer.of(_exact("1/2 -2/3", "3/4 1", "-1 1/3"), _exact("1/3 -1/2 1/4")[0])
    last = Layer.of(_exact("1/2 2/3 -1"), _exact("1/6")[0], "crelu")
    return BenchmarkCase("", Network.of([hidden, last]), {"logic": "dmv", "strategy": strategy})


def _exact(*rows: str) -> list[list[Number]]:
    return [[parse_number(text) for text in row.split()] for row in rows]


def _proofs(progress: Progress) -> Table:
    rows = []
    for name, cases in _groups():
        found = []
        for number, case in enumerate(cases):
            progress(f"proving {name}", number, len(cases))
            extraction = extract(case.network, **case.options)
            found.append(_proved(extraction))
            if number == 0:
                whole = _monolithic(extraction)
        rows.append((name, *_cells(found, whole)))
    header = (
        "network", "lines", "obligations", "queries", "z3", "z3 s", "cvc5", "cvc5 s", "kernel s",
        "z3 / kernel", "cvc5 / kernel", f"one query, {MONOLITHIC_SECONDS:g} s", "one query / z3",
    )  # fmt: skip
    return Table(f"all obligations of certificates, medians, {cores()} workers", header, rows)


def _proved(extraction: CertifiedExtraction) -> _Proved:
    certificate = extraction.certificate
    start = time.perf_counter()
    certificate.check(kernel="python")
    checking = time.perf_counter() - start
    start = time.perf_counter()
    task = certificate.task()
    collecting = time.perf_counter() - start
    solved = {name: prove(task, Search([name], SECONDS, workers=cores())) for name in SOLVERS}
    queries = len(task.obligations.queries) + sum(len(found.evidence.cases) for found in task.obligations.cases)
    return _Proved(len(certificate.body), task.obligations.count, queries, solved, collecting, checking)


def _monolithic(extraction: CertifiedExtraction) -> Verdict:
    search = Search(("z3",), MONOLITHIC_SECONDS, split=False)
    return equal_by_solver(mapped(extraction.network, extraction.clipped.maps), extraction.formula, search=search)


def _cells(found: Sequence[_Proved], whole: Verdict) -> tuple[str, ...]:
    def median(value: Callable[[_Proved], float]) -> float:
        return statistics.median(map(value, found))

    sizes = (median(lambda p: p.lines), median(lambda p: p.obligations), median(lambda p: p.queries))
    cells = [f"{size:,.0f}" for size in sizes]
    for name in SOLVERS:
        count = sum(p.solved[name].proved for p in found)
        cells += [f"{count} of {len(found)}", f"{statistics.median(p.seconds(name) for p in found):.1f}"]
    cells.append(f"{median(lambda p: p.kernel):.2f}")
    cells += [f"{statistics.median(p.seconds(name) / p.kernel for p in found):.1f}" for name in SOLVERS]
    ratio = whole.seconds / found[0].seconds("z3")
    return (*cells, whole.status, f"{'> ' if whole.undecided else ''}{ratio:.1f}")


# -- faults -------------------------------------------------------------------------------------------------------


def _faults(progress: Progress) -> Table:
    """Change files and correct their hashes: the obligations of a line must fail."""
    network = random_network((3, 8, 8, 1), 0, "integer")
    clipped = extract(network).certificate
    affine = replace(network, layers=(*network.layers[:-1], replace(network.layers[-1], activation="identity")))
    scaled = extract(affine, scale_output=True).certificate
    rows = []
    plants = [
        ("a weight", _other_weight(clipped)),
        ("a bound that claims more", _changed(clipped, "bound", _tighter)),
        ("units in another order", _changed(clipped, "clip", lambda line: [*line[:5], *reversed(line[5:])])),
        ("a scale", _changed(scaled, "output", _larger_scale)),
        ("a forged line: plus in place of times", _changed(clipped, "times", lambda line: ["plus", *line[1:]])),
        ("a forged line: one case in place of many", _changed(clipped, "bound", lambda line: [*line[:5], ["leaf"]])),
    ]
    for number, (name, certificate) in enumerate(plants):
        progress("planted faults", number, len(plants))
        task = certificate.task()
        verdicts = [prove(task, Search([solver], SECONDS, workers=cores())) for solver in SOLVERS]
        said = {verdict.status for verdict in verdicts}
        place = verdicts[0].reason.partition(":")[0]
        point = "" if verdicts[0].witness is None else str(verdicts[0].witness)
        rows.append((name, " and ".join(sorted(said)), place, point if len(point) <= 60 else point[:59] + "…"))
    return Table("planted faults, asked of z3 and of cvc5", ("what is wrong", "verdict", "where", "at"), rows)


def _other_weight(certificate: Certificate) -> Certificate:
    data = json.loads(certificate.subjects["network"])
    weight = data["layers"][1]["weights"][0]
    weight[0] = format_number(parse_number(weight[0]) + parse_number("1/1024"))
    return replace(certificate, subjects={**certificate.subjects, "network": json.dumps(data).encode()})


def _tighter(line: Line) -> Line:
    step = -1 if line[3] == "high" else 1
    return [*line[:4], format_number(parse_number(line[4]) + step), *line[5:]]


def _larger_scale(line: Line) -> Line:
    return [*line[:3], format_number(parse_number(line[3]) + 1), line[4]]


def _changed(certificate: Certificate, rule: str, change: Callable[[Line], Line]) -> Certificate:
    """Change the longest line of a rule."""
    body = list(certificate.body)
    numbers = [number for number, text in enumerate(body) if json.loads(text)[0] == rule]
    longest = max(numbers, key=lambda number: len(json.loads(body[number])))
    body[longest] = json.dumps(change(json.loads(body[longest])))
    return replace(certificate, body=body)
