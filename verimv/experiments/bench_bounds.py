"""Certified bounds against intervals, z3 and a mixed-integer program; what their evidence costs; and what they decide.

Every table compares within one run: trust ratios, not times.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from verimv import kernel
from verimv.bounds import Effort, NetworkBounds, certified_bounds, interval_bounds
from verimv.bounds.branch import Budget, Search, exactly
from verimv.bounds.difference import Difference
from verimv.bounds.prover import Prover
from verimv.bounds.walk import value_at
from verimv.errors import Undecided
from verimv.exact import ZERO, Rational, ceil, format_number
from verimv.experiments.benchmark import Benchmark, Table
from verimv.experiments.families import random_network
from verimv.experiments.milp import big_m_maximum
from verimv.extract.step3_compose import Progress
from verimv.networks import Layer, Network, load, write_network
from verimv.networks.affine import Affine
from verimv.networks.program import Program
from verimv.smt import Search as SolverSearch
from verimv.smt import equivalent
from verimv.smt.optimise import maximum

#: What z3 and the mixed-integer program may take for one bound, and how many bounds they are asked about.
SECONDS_PER_BOUND = 10.0
SAMPLED = 4
#: Of the hidden layers whose bounds are all found exactly.
WIDTHS = (10, 20)
LARGE_SECONDS = 120.0
ACAS_SECONDS = 300.0
MONOLITHIC_SECONDS = 60.0


def run(progress: Progress) -> Benchmark:
    tables = [_random_networks(progress), _alternatives(progress), _large(progress), _comparisons(progress)]
    return Benchmark([*tables, *_airborne(progress)])


def _name(widths: Sequence[int], kind: str) -> str:
    return "-".join(map(str, widths)) + f" {kind}"


def _timed(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(*arguments), time.perf_counter() - start


def _random_networks(progress: Progress) -> Table:
    """All bounds exact, what that saves in Step 1, and what the evidence costs."""
    rows = []
    cases = [((n, w, w, 1), kind) for w in WIDTHS for n in (2, 3, 4, 5) for kind in ("integer", "float32")]
    for number, (widths, kind) in enumerate(cases):
        progress("exact bounds of random networks", number, len(cases))
        network = random_network(widths, 5, kind)
        bounds, seconds = _timed(certified_bounds, network, Effort("exact"))
        loose, tight = (_hidden_units(network, b) for b in (interval_bounds(network), bounds))
        neurons = sum(len(layer) for layer in bounds.layers)
        evidence = [cases for _, cases in bounds.lemmas(len(network.layers) + 1)]
        written = sum(len(field) for cases in evidence for case in cases for field in map(str, case))
        leaves = sum(case[0] == "leaf" for cases in evidence for case in cases)
        rows.append(
            (
                _name(widths, kind),
                f"{bounds.counts()['exact']} of {neurons}",
                f"{1000 * seconds / (2 * neurons):.1f}",
                f"{loose:,}",
                f"{tight:,}",
                f"{loose / max(1, tight):.2f}",
                f"{leaves / max(1, len(evidence)):.1f}",
                f"{written / max(1, len(evidence)):,.0f}",
                f"{_kernel_against_search(network):.2f}",
            )
        )
    units = ("units, interval", "units, exact", "ratio")
    header = ("network", "exact", "ms per bound", *units, "leaves per bound", "characters", "kernel / search, layer 2")
    return Table("exact bounds with evidence, and clipped units of hidden neurons after Step 1", header, rows)


def _kernel_against_search(network: Network) -> float:
    """Checking the evidence for the second layer, as a share of finding it."""
    second = {(2, i) for i in range(len(network.layers[1].rows))}
    bounds, searching = _timed(certified_bounds, network, Effort("exact"), _silent, second)
    _, checking = _timed(_checked_by_kernel, network, bounds)
    return checking / searching


def _silent(stage: str, done: int, total: int) -> None:
    """No progress within a measurement."""


def _checked_by_kernel(network: Network, bounds: NetworkBounds) -> None:
    """All evidence, as lines of a certificate."""
    parsed = kernel.Network("".join(write_network(network)))
    checker = kernel.Checker(parsed.layers, kernel.Terms(parsed.inputs), [], 10**12)
    for target, cases in bounds.lemmas(len(network.layers) + 1):
        value = format_number(target.value)
        checker.follow(["bound", target.layer, target.index, target.side, value, *map(list, cases)])


def _hidden_units(network: Network, bounds: NetworkBounds) -> int:
    """Units before any is dropped because the output does not need it."""
    return sum(
        max(0, ceil(bound.upper)) - max(0, min(ceil(bound.upper), -ceil(-bound.lower)))
        for layer, rows in zip(network.layers[:-1], bounds.layers, strict=False)
        for bound in rows
        if layer.activation == "relu"
    )


def _alternatives(progress: Progress) -> Table:
    """The same upper bounds of the second layer by search, by z3 and by a mixed-integer program."""
    rows = []
    cases = [((5, 10, 10, 1), "integer"), ((5, 20, 20, 1), "integer"), ((5, 20, 20, 1), "float32"),
             ((3, 50, 50, 1), "float32"), ((5, 50, 50, 1), "float32")]  # fmt: skip
    for number, (widths, kind) in enumerate(cases):
        progress("against solvers", number, len(cases))
        network = random_network(widths, 1, kind)
        prover = Prover(network, {})
        inputs = (np.zeros((1, widths[0])), np.ones((1, widths[0])))
        ranges = prover.floats.ranges(*inputs, 2)
        own, milp, solver, agree = [], [], [], 0
        solved = 0
        for i in range(SAMPLED):
            outcome, seconds = _timed(Search(prover, 2, i, 1, exactly, Budget()).run)
            own.append(seconds)
            value, seconds = _timed(big_m_maximum, prover.floats, 2, i, 1, ranges, SECONDS_PER_BOUND)
            milp.append(seconds)
            agree += abs(value - float(outcome.value)) < 1e-5 * (1 + abs(value))
            optimum, seconds = _timed(_by_solver, network, i)
            solver.append(seconds)
            solved += optimum.exact and optimum.upper == outcome.value
        more = "" if solved == SAMPLED else "> "
        rows.append(
            (
                _name(widths, kind),
                f"{1000 * sum(own) / SAMPLED:.1f}",
                f"{sum(milp) / sum(own):.1f}",
                f"{agree} of {SAMPLED}",
                f"{more}{sum(solver) / sum(own):,.0f}",
                f"{solved} of {SAMPLED}",
            )
        )
    header = ("network", "ms, search", "time, MILP / search", "MILP agrees", "time, z3 / search", "z3 finishes, equal")
    title = f"upper bounds of layer 2; only the search has evidence (the others: {SECONDS_PER_BOUND:g} s each)"
    return Table(title, header, rows)


def _by_solver(network: Network, index: int) -> Any:
    program = Program(network.box)
    below = program.add_network(Network.of(network.layers[:1], network.inputs, network.box))
    form: Affine = network.layers[1].rows[index].substitute(below)
    return maximum(program, form, lambda point: value_at(network, 2, index, point), network.inputs, SECONDS_PER_BOUND)


def _large(progress: Progress) -> Table:
    """Two layers of 50."""
    rows = []
    for kind in ("integer", "float32"):
        progress("5-50-50-1", 0, 1)
        network = random_network((5, 50, 50, 1), 1, kind)
        bounds, seconds = _timed(certified_bounds, network, Effort("exact", seconds=LARGE_SECONDS))
        hidden = sum(bound.exact for layer in bounds.layers[:-1] for bound in layer)
        output = bounds.layers[-1][0]
        linear = certified_bounds(network, Effort("linear")).layers[-1][0]
        ratio = float((output.upper - output.lower) / (linear.upper - linear.lower))
        rows.append(
            (_name((5, 50, 50, 1), kind), f"{hidden} of 100", str(output.exact), f"{ratio:.2f}", f"{seconds:.0f}")
        )
    header = ("network", "hidden neurons exact", "output exact", "output's range / linear", "seconds")
    return Table(f"all bounds within {LARGE_SECONDS:g} s", header, rows)


def _comparisons(progress: Progress) -> Table:
    rows = []
    cases = [((1, 16, 16, 16, 1), None), ((3, 20, 20, 1), None), ((3, 20, 20, 1), Rational(1, 2**20))]
    for number, (widths, planted) in enumerate(cases):
        progress("comparing networks", number, len(cases))
        network = random_network(widths, 3)
        other = disguised(network, 1, planted)
        verdict, seconds = _timed(_compared, network, other)
        whole, monolithic = _timed(_by_one_query, network, other)
        name = "permuted and rescaled" if planted is None else "and 2^-20 added to a weight"
        ratio = f"{'> ' if whole.undecided else ''}{monolithic / seconds:,.0f}"
        rows.append((f"{_name(widths, 'float32')}, {name}", verdict.status, whole.status, ratio))
    header = ("networks", "verimv", "one query to z3", "time, z3 / verimv")
    return Table(f"equiv (z3 has {MONOLITHIC_SECONDS:g} s)", header, rows)


def _by_one_query(a: Network, b: Network) -> Any:
    return equivalent(a, b, search=SolverSearch(seconds=MONOLITHIC_SECONDS, split=False))


def _compared(a: Network, b: Network) -> Any:
    difference = Difference(a, b, ZERO)
    verdict = difference.by_structure() or difference.by_search(MONOLITHIC_SECONDS)
    if verdict is None:
        raise Undecided("the comparison does not end")
    return verdict


def disguised(network: Network, seed: int, planted: Rational | None = None) -> Network:
    """The same function with neurons permuted and rescaled; or with a number added to one weight of the first layer."""
    source = random.Random(seed)
    layers: list[Layer] = []
    rows = [row.dense(network.layers[0].width_in) for row in network.layers[0].rows]
    for depth, layer in enumerate(network.layers):
        bias = [row.constant for row in layer.rows]
        if depth < len(network.layers) - 1:
            order = source.sample(range(len(rows)), len(rows))
            scales = [Rational(source.choice((1, 2, 3)), source.choice((1, 5))) for _ in order]
            rows = [[w * scale for w in rows[j]] for j, scale in zip(order, scales, strict=True)]
            bias = [bias[j] * scale for j, scale in zip(order, scales, strict=True)]
        if depth == 0 and planted is not None:
            rows[0][0] = rows[0][0] + planted
        layers.append(Layer.of(rows, bias, layer.activation))
        if depth < len(network.layers) - 1:
            above = network.layers[depth + 1]
            dense = [row.dense(above.width_in) for row in above.rows]
            rows = [[row[j] / scale for j, scale in zip(order, scales, strict=True)] for row in dense]
    return Network.of(layers)


def _airborne(progress: Progress) -> list[Table]:
    """ACAS Xu, where the network is at hand: what each method gives, layer by layer."""
    network = _acas()
    if network is None:
        return []
    rows = []
    found: dict[str, list[int]] = {}
    for method in ("interval", "linear", "lp", "exact"):
        progress("ACAS Xu", len(found), 4)
        effort = Effort(method, True, ACAS_SECONDS, 2.0, workers=os.cpu_count() or 1)
        bounds, seconds = _timed(certified_bounds, network, effort)
        found[method] = [sum(max(0, ceil(bound.upper)) for bound in layer) for layer in bounds.layers[1:-1]]
        gains = "/".join(f"{a / b:.1f}" for a, b in zip(found.get("linear", found[method]), found[method], strict=True))
        sums = " ".join(f"{total:,}" for total in found[method])
        rows.append((method, sums, f"{sum(found[method]):,}", gains, f"{seconds:.0f}"))
    header = ("method", "Σ⌈B⌉ per hidden layer from 2", "units of the paper's Step 1", "tighter than linear", "seconds")
    return [Table("ACAS Xu 1_1 on its whole domain, all bounds with evidence", header, rows)]


def _acas() -> Network | None:
    """From the folder that VERIMV_NETS names, or beside the project."""
    folder = Path(os.environ.get("VERIMV_NETS", Path(__file__).parents[3] / "shared" / "nets"))
    path = folder / "acasxu" / "ACASXU_run2a_1_1_batch_2000.onnx"
    if not path.exists():
        return None
    network = load(path)
    low = ("-0.328422877", "-0.499999896", "-0.499999896", "-0.5", "-0.5")
    high = ("0.679857769", "0.499999896", "0.499999896", "0.5", "0.5")
    return Network.of(network.layers, network.inputs, list(zip(low, high, strict=True)), network.outputs)
