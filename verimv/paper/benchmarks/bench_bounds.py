"""Certified bounds compared with intervals, z3 and a mixed-integer program; the cost of evidence; networks compared.

Every table compares within one run: ratios are reliable, times are not.
"""

from __future__ import annotations

import json
import os
import random
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from verimv import kernel
from verimv.bounding.interval import interval_bounds
from verimv.bounding.prove.walk import value_at
from verimv.bounding.results import NetworkBounds
from verimv.bounding.search.branch import BranchAndBound, Budget, exactly
from verimv.bounding.search.difference import Difference
from verimv.bounding.search.engine import SearchEffort, certified_bounds
from verimv.bounding.search.layer_context import LayerContext
from verimv.certificate.from_ranges import certify_difference
from verimv.certificate.numbering import Numbering, case_words
from verimv.core.effort import SECOND, Deadline, Meter
from verimv.core.errors import Undecided
from verimv.core.progress import Progress
from verimv.exact import ZERO, Number, Rational, ceil, format_number
from verimv.extraction.pipeline import Extraction, extract_uncertified
from verimv.networks.affine import Affine
from verimv.networks.formats.json_format import write_network
from verimv.networks.formats.load import load
from verimv.networks.network import Layer, Network
from verimv.networks.program import Program
from verimv.paper.benchmarks import marabou
from verimv.paper.benchmarks.benchmark import Benchmark, Table
from verimv.paper.benchmarks.measured import cpu_timed
from verimv.paper.benchmarks.milp import big_m_maximum
from verimv.paper.experiments.families import random_network
from verimv.solvers.decide import equal_by_solver
from verimv.solvers.optimise import maximum
from verimv.solvers.point_search import Search as SolverSearch

#: Seconds of z3 and of the mixed-integer program for one bound, and the number of bounds.
SECONDS_PER_BOUND = 10.0
SAMPLED, SAMPLED_OF_SMALL, SMALL = 4, 20, 20
MARABOU_MARGIN = 1e-3
#: Widths of the hidden layers whose bounds are all found exactly.
WIDTHS = (10, 20)
LARGE_SECONDS = 120.0
#: Work for ACAS Xu: less than five minutes on two cores, with the time to finish.
ACAS_WORK, ACAS_WORK_PER_BOUND = 540 * SECOND, 10 * SECOND
MONOLITHIC_SECONDS = 60.0


def run(progress: Progress) -> Benchmark:
    makers = (_random_networks, _alternatives, _large, _formulas, _comparisons)
    return Benchmark([*(make(progress) for make in makers), *_airborne(progress)])


def _name(widths: Sequence[int], kind: str) -> str:
    return "-".join(map(str, widths)) + f" {kind}"


def _timed(work: Callable[..., Any], *arguments: Any) -> tuple[Any, float]:
    start = time.perf_counter()
    return work(*arguments), time.perf_counter() - start


def _random_networks(progress: Progress) -> Table:
    """Exact bounds of all neurons: the units that they save in Step 1, and the cost of their evidence."""
    rows = []
    cases = [((n, w, w, 1), kind) for w in WIDTHS for n in (2, 3, 4, 5) for kind in ("integer", "float32")]
    for number, (widths, kind) in enumerate(cases):
        progress("exact bounds of random networks", number, len(cases))
        network = random_network(widths, 5, kind)
        bounds, seconds = cpu_timed(certified_bounds, network, SearchEffort("exact"))
        lines = _bound_lines(network, bounds)
        _, checking = cpu_timed(_checked_by_kernel, network, lines)
        loose, tight = (_hidden_units(network, b) for b in (interval_bounds(network), bounds))
        neurons = sum(len(layer) for layer in bounds.layers)
        evidence = [line[_CASES:] for line in lines]
        written = len(json.dumps(evidence, separators=(",", ":")))
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
                f"{1000 * checking / (2 * neurons):.1f}",
                f"{checking / seconds:.2f}",
            )
        )
    units = ("units, interval", "units, exact", "ratio")
    cost = ("leaves per bound", "bytes per bound", "ms per bound, kernel", "kernel / search")
    header = ("network", "exact", "ms per bound", *units, *cost)
    return Table("exact bounds with evidence, and clipped units of hidden neurons after Step 1", header, rows)


#: Index of the first case in a line that bounds a neuron.
_CASES = 5


def _bound_lines(network: Network, bounds: NetworkBounds) -> list[list[Any]]:
    """Return all evidence as lines of a certificate."""
    numbering, lines = Numbering(network), []
    for target, cases in bounds.lemmas(len(network.layers) + 1):
        value, words = format_number(target.value), case_words(numbering.numbered(cases))
        lines.append(["bound", target.layer, target.index, target.side, value, *words])
    return lines


def _checked_by_kernel(network: Network, lines: Sequence[list[Any]]) -> None:
    checker = kernel.start({"network": "".join(write_network(network))}, 10**12).checker
    for line in lines:
        checker.follow(line)


def _hidden_units(network: Network, bounds: NetworkBounds) -> int:
    """Return the number of units, including those that the output does not need."""
    return sum(
        max(0, ceil(bound.upper)) - max(0, min(ceil(bound.upper), -ceil(-bound.lower)))
        for layer, rows in zip(network.layers[:-1], bounds.layers, strict=False)
        for bound in rows
        if layer.activation == "relu"
    )


def _alternatives(progress: Progress) -> Table:
    """Upper bounds of the second layer by search, by z3, by a mixed-integer program and by Marabou."""
    rows = []
    cases = [((5, 10, 10, 1), "integer"), ((5, 20, 20, 1), "integer"), ((5, 20, 20, 1), "float32"),
             ((3, 50, 50, 1), "float32"), ((5, 50, 50, 1), "float32")]  # fmt: skip
    for number, (widths, kind) in enumerate(cases):
        progress("against solvers", number, len(cases))
        rows.append((_name(widths, kind), *_against_solvers(random_network(widths, 1, kind))))
    milp, z3 = ("CPU time, MILP / search", "MILP agrees"), ("CPU time, z3 / search", "z3 finishes, equal")
    header = ("network", "ms, search", *milp, *z3, "CPU time, Marabou / search", "Marabou agrees")
    asked = f"whether a bound is exceeded by {MARABOU_MARGIN:g}" if marabou.is_installed() else "nothing: not installed"
    rules = f"the others: {SECONDS_PER_BOUND:g} s each; Marabou is asked {asked}"
    title = f"upper bounds of layer 2; only the search has evidence ({rules})"
    return Table(title, header, rows)


def _against_solvers(network: Network) -> tuple[str, ...]:
    context = LayerContext(network, {})
    inputs = len(network.inputs)
    ranges = context.floats.ranges(np.zeros((1, inputs)), np.ones((1, inputs)), 2)
    times: dict[str, float] = dict.fromkeys(("search", "milp", "z3", "marabou"), 0.0)
    agree = dict.fromkeys(times, 0)
    width = len(network.layers[1].rows)
    sampled = min(width, SAMPLED_OF_SMALL if width <= SMALL else SAMPLED)
    for i in range(sampled):
        outcome, seconds = cpu_timed(BranchAndBound(context, 2, i, 1, exactly, Budget()).run)
        times["search"] += seconds
        value, seconds = cpu_timed(big_m_maximum, context.floats, 2, i, 1, ranges, SECONDS_PER_BOUND)
        times["milp"] += seconds
        agree["milp"] += abs(value - float(outcome.value)) < 1e-5 * (1 + abs(value))
        optimum, seconds = cpu_timed(_by_solver, network, i)
        times["z3"] += seconds
        agree["z3"] += optimum.exact and optimum.upper == outcome.value
        if marabou.is_installed():
            above = float(outcome.value) + MARABOU_MARGIN
            answer, seconds = cpu_timed(marabou.exceeds, context.floats, 2, i, above, ranges, SECONDS_PER_BOUND)
            times["marabou"] += seconds
            agree["marabou"] += answer is False
    told = [f"{1000 * times['search'] / sampled:.1f}"]
    for name in ("milp", "z3", "marabou"):
        if times[name]:
            more = "" if agree[name] == sampled else "> "
            told += [f"{more}{times[name] / times['search']:,.1f}", f"{agree[name]} of {sampled}"]
        else:
            told += ["", ""]
    return tuple(told)


def _by_solver(network: Network, index: int) -> Any:
    program = Program(network.box)
    below = program.add_network(Network.of(network.layers[:1], network.inputs, network.box))
    form: Affine = network.layers[1].rows[index].substitute(below)
    return maximum(
        program,
        form,
        lambda point: value_at(network, 2, index, point),
        network.inputs,
        Meter(int(SECONDS_PER_BOUND * SECOND), Deadline(SECONDS_PER_BOUND)),
    )


def _large(progress: Progress) -> Table:
    """Bounds of networks with two hidden layers of 50 neurons."""
    rows = []
    for kind in ("integer", "float32"):
        progress("5-50-50-1", 0, 1)
        network = random_network((5, 50, 50, 1), 1, kind)
        bounds, seconds = _timed(certified_bounds, network, SearchEffort("exact", work=int(LARGE_SECONDS * SECOND)))
        hidden = sum(bound.exact for layer in bounds.layers[:-1] for bound in layer)
        output = bounds.layers[-1][0]
        attained = [_attained(network, bounds, way) for way in (-1, 1)]
        gap = (output.upper - output.lower) - (attained[1] + attained[0])
        linear = certified_bounds(network, SearchEffort("linear")).layers[-1][0]
        ratio = float((output.upper - output.lower) / (linear.upper - linear.lower))
        share = float(gap / (output.upper - output.lower))
        rows.append((_name((5, 50, 50, 1), kind), f"{hidden} of 100", f"{share:.1%}", f"{ratio:.2f}", f"{seconds:.0f}"))
    header = ("network", "hidden neurons exact", "output: gap / range", "output's range / linear", "seconds")
    return Table(
        f"all bounds, with work for some {LARGE_SECONDS:g} s; the gap is what no point is known to attain", header, rows
    )


def _attained(network: Network, bounds: NetworkBounds, way: int) -> Number:
    """Return way·output at the best known point."""
    output, depth = bounds.layers[-1][0], len(network.layers)
    point = output.upper_at if way > 0 else output.lower_at
    if point is not None:
        return way * value_at(network, depth, 0, point)
    return (
        BranchAndBound(LayerContext(network, bounds.known(depth)), depth, 0, way, exactly, Budget(5 * SECOND))
        .run()
        .attained
    )


def _formulas(progress: Progress) -> Table:
    """Sizes of formulas, depending on the bounds."""
    rows = []
    cases = [((5, 10, 10, 1), "integer"), ((5, 10, 10, 1), "float32"), ((3, 20, 20, 1), "integer")]
    for number, (widths, kind) in enumerate(cases):
        progress("formulas", number, len(cases))
        network = random_network(widths, 5, kind)
        for method in ("interval", "linear", "exact"):
            formula = extract_uncertified(network, bounds=certified_bounds(network, SearchEffort(method)))
            rows.append((_name(widths, kind), method, *_measures(formula)))
    return Table("formulas, by the bounds that Step 1 is given", ("network", "bounds", "units", "length", "size"), rows)


def _measures(extraction: Extraction) -> tuple[str, str, str]:
    length = extraction.summary["length"]
    short = length if length.startswith("~") or len(length) < 7 else f"{float(length[:4]) / 1000:.1f}e{len(length) - 1}"
    return f"{extraction.summary['units']:,}", short, f"{extraction.summary['size']:,}"


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
        told = _certified(network, other) if verdict.proved else ("", "")
        rows.append((f"{_name(widths, 'float32')}, {name}", verdict.status, whole.status, ratio, *told))
    header = ("networks", "verimv", "one query to z3", "time, z3 / verimv", "bytes of certificate", "ms, kernel")
    return Table(f"equiv (z3 has {MONOLITHIC_SECONDS:g} s)", header, rows)


def _certified(a: Network, b: Network) -> tuple[str, str]:
    """Return the size of a certificate of equality, and the time to check it."""
    certificate = certify_difference(a, b, ZERO, MONOLITHIC_SECONDS)
    if certificate is None:
        return "none found", ""
    checking = _timed(lambda: certificate.check(kernel="python"))[1]
    return f"{sum(map(len, certificate.body)):,}", f"{1000 * checking:.0f}"


def _by_one_query(a: Network, b: Network) -> Any:
    return equal_by_solver(a, b, search=SolverSearch(seconds=MONOLITHIC_SECONDS, split=False))


def _compared(a: Network, b: Network) -> Any:
    difference = Difference(a, b, ZERO)
    verdict = difference.by_structure() or difference.by_search()
    if verdict is None:
        raise Undecided("the comparison does not end")
    return verdict


def disguised(network: Network, seed: int, planted: Rational | None = None) -> Network:
    """Permute and rescale neurons, which keeps the function; `planted` is added to one weight of the first layer."""
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
    """Bounds of ACAS Xu by each method, layer by layer, if the network is available."""
    network = _acas()
    if network is None:
        return []
    rows = []
    found: dict[str, list[int]] = {}
    for method in ("interval", "linear", "lp", "exact"):
        progress("ACAS Xu", len(found), 4)
        effort = SearchEffort(method, True, ACAS_WORK, ACAS_WORK_PER_BOUND, workers=os.cpu_count() or 1)
        (bounds, seconds), spent = cpu_timed(_timed, certified_bounds, network, effort)
        lines = _bound_lines(network, bounds)
        _, checking = cpu_timed(_checked_by_kernel, network, lines)
        found[method] = [sum(max(0, ceil(bound.upper)) for bound in layer) for layer in bounds.layers[1:-1]]
        gains = "/".join(f"{a / b:.1f}" for a, b in zip(found.get("linear", found[method]), found[method], strict=True))
        sums = " ".join(f"{total:,}" for total in found[method])
        written = len(json.dumps([line[_CASES:] for line in lines], separators=(",", ":")))
        formula = extract_uncertified(network, bounds=bounds, output=0, scale_output=True)
        measures = _measures(formula)[1:]
        cost = (f"{seconds:.0f}", f"{written:,}", f"{checking / spent:.2f}")
        rows.append((method, sums, f"{sum(found[method]):,}", gains, *cost, *measures))
    layers = ("Σ⌈B⌉ per hidden layer from 2", "units of the paper's Step 1", "tighter than linear")
    cost = ("seconds", "bytes of evidence", "CPU time, kernel / search")
    header = ("method", *layers, *cost, "length, scaled units", "size")
    return [Table("ACAS Xu 1_1 on its whole domain, all bounds with evidence", header, rows)]


def _acas() -> Network | None:
    """Return the network from the folder that VERIMV_NETS names, or from one beside the project."""
    folder = Path(os.environ.get("VERIMV_NETS", Path(__file__).parents[4] / "shared" / "nets"))
    path = folder / "acasxu" / "ACASXU_run2a_1_1_batch_2000.onnx"
    if not path.exists():
        return None
    network = load(path)
    low = ("-0.328422877", "-0.499999896", "-0.499999896", "-0.5", "-0.5")
    high = ("0.679857769", "0.499999896", "0.499999896", "0.5", "0.5")
    return Network.of(network.layers, network.inputs, list(zip(low, high, strict=True)), network.outputs)
