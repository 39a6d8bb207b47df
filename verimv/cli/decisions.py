"""equiv, valid, sat, entails, range, bounds: questions that end in a verdict, and its exit code."""

from __future__ import annotations

import argparse
import math
from contextlib import suppress
from typing import Any

from verimv.bounding.by_solver import solver_bounds
from verimv.bounding.methods import neuron_bounds
from verimv.bounding.results import NetworkBounds, NeuronBound
from verimv.bounding.search.engine import SearchEffort, certified_bounds
from verimv.bounding.search.output_range import searched_ranges
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_pair import certify, certify_formulas
from verimv.certificate.from_ranges import certify_difference, certify_range
from verimv.cli.commands import write_certificate
from verimv.cli.domain import network_argument, subject_argument, with_box
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.core.effort import SECOND, Deadline
from verimv.core.errors import InputError, InternalError, Undecided
from verimv.core.files import write_into
from verimv.exact import Number, format_number, parse_number, sign
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.questions.equality import equivalent
from verimv.questions.subjects import read_subject
from verimv.solvers import decide
from verimv.solvers.engines import chosen
from verimv.solvers.functions import Function, by_position
from verimv.solvers.limited import DEFAULT_MEMORY
from verimv.solvers.optimise import FunctionRange, Optimum, output_ranges
from verimv.solvers.point_search import Search
from verimv.solvers.verdict import EXIT_CODES, Verdict

DEFAULT_SECONDS = 60.0


def make_search(arguments: argparse.Namespace, report: Reporter) -> Search:
    """Solvers and budget as asked for on the command line."""
    directory = getattr(arguments, "emit", None)
    report.within(arguments.timeout or DEFAULT_SECONDS)
    return Search(
        solvers=chosen(arguments.solver),
        seconds=arguments.timeout or DEFAULT_SECONDS,
        memory=arguments.memory or DEFAULT_MEMORY,
        workers=getattr(arguments, "workers", 1),
        progress=report,
        emit=None if directory is None else lambda name, text: write_into(directory, name, text),
    )


def verdict_result(verdict: Verdict, words: dict[str, str]) -> Result:
    """`words` has what to say when the question is proved and when it is refuted."""
    if verdict.undecided:
        return Result(verdict.data(), f"undecided: {verdict.reason}", EXIT_CODES["undecided"])
    lines = [words[verdict.status] + (f": {verdict.witness}" if verdict.witness is not None else "")]
    told = [_told(item) for item in verdict.evidence if item["answer"] != "unknown"]
    if told and verdict.witness is None:
        lines.append("by " + ", ".join(told))
    return Result(verdict.data(), "\n".join(lines), EXIT_CODES[verdict.status])


def _told(item: Any) -> str:
    if item["solver"] == "ranges":
        return "exact ranges"
    boxes = f" on {item['boxes']:,} boxes" if "boxes" in item else ""
    version = f" {item['version']}" if "version" in item else ""
    return f"{item['solver']}{version} ({item['answer']}{boxes})"


def run_equiv(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    a, b = read_subject(arguments.a), read_subject(arguments.b)
    if arguments.box is not None and not isinstance(a, Network) and not isinstance(b, Network):
        raise InputError("--box is for networks; a formula is a function on the unit cube")
    a, b = (with_box(subject, arguments.box) if isinstance(subject, Network) else subject for subject in (a, b))
    tolerance = _tolerance(arguments.tolerance)
    report("comparing")
    verdict = equivalent(a, b, tolerance=tolerance, search=make_search(arguments, report))
    within = f" within {format_number(tolerance)}" if tolerance else ""
    where = " (the formula's inputs are the network's, its box mapped onto [0,1])" if _is_mapped(a, b) else ""
    words = {"proved": f"equal{within}{where}", "refuted": f"not equal{within}{where}"}
    result = _with_pairing(verdict_result(verdict, words), a, b)
    return _certified(result, a, b, arguments, report) if arguments.certify and verdict.proved else result


#: Pairs of inputs that are named one by one.
_PAIRS_TOLD = 4


def _with_pairing(result: Result, a: Formula | Network, b: Formula | Network) -> Result:
    """What was compared with what, where names do not say so."""
    pairs = by_position(a, b)
    if not pairs:
        return result
    told = [f"{x} as {y}" for x, y in list(pairs.items())[:_PAIRS_TOLD]] + ["…"] * (len(pairs) > _PAIRS_TOLD)
    note = f"no input has the same name on both sides: they are compared by position ({', '.join(told)})"
    return Result({**result.data, "by_position": pairs}, f"{result.text}\n{note}", result.exit_code)


def _is_mapped(a: Formula | Network, b: Formula | Network) -> bool:
    """Whether a formula is compared with a network on a box of its own."""
    networks = [subject for subject in (a, b) if isinstance(subject, Network)]
    return len(networks) == 1 and not networks[0].is_on_unit_cube()


def _certified(
    result: Result, a: Formula | Network, b: Formula | Network, arguments: argparse.Namespace, report: Reporter
) -> Result:
    """The verdict "equal", with a certificate in the directory asked for."""
    report("certifying")
    certificate = _certificate(a, b, _tolerance(arguments.tolerance), arguments.timeout or DEFAULT_SECONDS)
    return _with_certificate(result, certificate, arguments.certify)


def _with_certificate(result: Result, certificate: Certificate | None, directory: str) -> Result:
    """A result that is certified in a directory, or undecided because nothing was found."""
    if certificate is None:
        return Result(result.data, f"{result.text}\nbut no certificate was found", EXIT_CODES["undecided"])
    write_certificate(directory, certificate)
    data = {**result.data, "certificate": directory}
    return Result(data, f"{result.text}\ncertified in {directory}/", result.exit_code)


def _certificate(a: Formula | Network, b: Formula | Network, tolerance: Number, seconds: float) -> Certificate | None:
    """Of equality; of two networks, of equality up to a tolerance."""
    if isinstance(a, Network) and isinstance(b, Network):
        return certify_difference(a, b, tolerance, seconds)
    if sign(tolerance):
        raise InputError("--certify with a tolerance is for two networks")
    if isinstance(a, Formula) and isinstance(b, Formula):
        return certify_formulas(*_same_inputs(a, b), seconds)
    return (
        certify(a, b, seconds)
        if isinstance(a, Network) and isinstance(b, Formula)
        else _certificate(b, a, tolerance, seconds)
    )


def _same_inputs(a: Formula, b: Formula) -> tuple[Formula, Formula]:
    """Both with all inputs, and the outputs of the first: what a certificate of two formulas is about."""
    inputs = list(dict.fromkeys((*a.inputs, *b.inputs)))
    return Formula(a.dag, inputs, a.roots, a.outputs), Formula(b.dag, inputs, b.roots, a.outputs)


def _tolerance(text: str) -> Number:
    try:
        tolerance = parse_number(text)
    except InputError as error:
        raise InputError(f"--tolerance: {error.message}") from None
    if sign(tolerance) < 0:
        raise InputError(f"--tolerance: expected a number ≥ 0, found {text}")
    return tolerance


def run_valid(arguments: argparse.Namespace, report: Reporter) -> Result:
    formula = read_subject(arguments.formula)
    report("deciding")
    verdict = decide.valid(formula, search=make_search(arguments, report))
    return verdict_result(verdict, {"proved": "valid", "refuted": "not valid"})


def run_sat(arguments: argparse.Namespace, report: Reporter) -> Result:
    formula = read_subject(arguments.formula)
    report("deciding")
    verdict = decide.satisfiable(formula, search=make_search(arguments, report))
    return verdict_result(verdict, {"proved": "satisfiable", "refuted": "not satisfiable"})


def run_entails(arguments: argparse.Namespace, report: Reporter) -> Result:
    premise, conclusion = read_subject(arguments.premise), read_subject(arguments.conclusion)
    report("deciding")
    verdict = decide.entails(premise, conclusion, search=make_search(arguments, report))
    result = verdict_result(verdict, {"proved": "entailed", "refuted": "not entailed"})
    return _with_pairing(result, premise, conclusion)


def run_range(arguments: argparse.Namespace, report: Reporter) -> Result:
    subject = subject_argument(arguments)
    if arguments.certify is not None and not isinstance(subject, Network):
        raise InputError("--certify: expected a network, found a formula (verimv convert turns it into one)")
    report("finding the range")
    search = make_search(arguments, report)
    ranges = _ranges(subject, search, arguments)
    function = Function(subject)
    data, lines = [], []
    for found in ranges:
        lower, upper = _end(function, found.lower, -1), _end(function, found.upper, 1)
        data.append({"output": found.output, "lower": lower, "upper": upper, "exact": found.exact})
        head = f"{found.output}: " if len(ranges) > 1 else ""
        for name, end in (("minimum", lower), ("maximum", upper)):
            at = ", ".join(f"{variable}={x}" for variable, x in end["at"].items())
            lines.append(f"{head}{name} {end['value']} at {at}" if at else f"{head}{name} {end['value']}")
            if not end["exact"]:
                lines[-1] += f" (not proved: the bound proved is {end['bound']})"
    exact = all(found.exact for found in ranges)
    result = Result({"outputs": data, "exact": exact}, "\n".join(lines), 0 if exact else EXIT_CODES["undecided"])
    if arguments.certify is None or not isinstance(subject, Network):
        return result
    report("certifying")
    proved = [(-found.lower.upper, found.upper.upper) for found in ranges]
    return _with_certificate(result, certify_range(subject, proved, search.seconds), arguments.certify)


def _ranges(subject: Formula | Network, search: Search, arguments: argparse.Namespace) -> list[FunctionRange]:
    """By verimv's own search, and by solvers where that is not asked for, not enough, or to be cross-checked."""
    found: list[FunctionRange | None] = [None] * len(subject.outputs)
    asks_solvers = arguments.engine != "search"
    if arguments.engine != "smt" and len(search.solvers) == 1:
        options = {"workers": arguments.workers, "progress": search.progress, "deadline": search.deadline}
        with suppress(Undecided):  # the time is over: what is known then is told
            found = searched_ranges(subject, **options)
    if arguments.engine == "auto" and None not in found:
        return [own for own in found if own is not None]
    deadline = search.deadline if asks_solvers else Deadline(0)
    ranges, *others = (output_ranges(subject, solver, search.memory, deadline) for solver in search.solvers)
    merged = [own or other for own, other in zip(found, ranges, strict=True)]
    _check_agreement(merged, [ranges, *others])
    return merged


def _check_agreement(ranges: list[FunctionRange], others: list[list[FunctionRange]]) -> None:
    """Exact ends do not depend on who found them."""
    for other in others:
        for a, b in zip(ranges, other, strict=True):
            for x, y in ((a.lower, b.lower), (a.upper, b.upper)):
                if x.value > y.upper or y.value > x.upper:
                    raise InternalError(f"the solvers disagree about the range of {a.output}")


def _end(function: Function, optimum: Optimum, direction: int) -> dict[str, Any]:
    return {
        "value": format_number(optimum.value * direction),
        "bound": format_number(optimum.upper * direction),
        "at": function.named(optimum.point),
        "exact": optimum.exact,
    }


def run_bounds(arguments: argparse.Namespace, report: Reporter) -> Result:
    method = _bounds_method(arguments)
    report("reading the network")
    network = network_argument(arguments)
    only = _neuron(arguments.neuron, network)
    bounds = _network_bounds(network, only, method, arguments, report)
    data = [
        _neuron_data(depth, index, bound)
        for depth, layer in enumerate(bounds.layers)
        for index, bound in enumerate(layer)
        if only in (None, (depth, index))
    ]
    lines = [f"{n['layer']}:{n['index']}  [{n['lower']}, {n['upper']}]  {n['method']}" for n in data]
    finished = method != "exact" or all(neuron["exact"] for neuron in data)
    counts = bounds.counts() if only is None else {}
    if counts and counts["exact"] < len(data):
        lines.append(
            f"{counts['exact']:,} exact, {counts['improved']:,} improved, {counts['interval']:,} interval only"
        )
    return Result({"neurons": data, "counts": counts}, "\n".join(lines), 0 if finished else EXIT_CODES["undecided"])


def _bounds_method(arguments: argparse.Namespace) -> str:
    """A solver finds exact bounds, and no others."""
    method: str = arguments.method
    if arguments.engine == "search":
        return method
    if method not in ("auto", "exact"):
        raise InputError(f"--engine {arguments.engine} is for exact bounds: use --method exact, not {method}")
    return "exact"


def _network_bounds(
    network: Network, only: tuple[int, int] | None, method: str, arguments: argparse.Namespace, report: Reporter
) -> NetworkBounds:
    """By verimv's own search or by a solver, or by both and they must agree."""
    memory, per_bound = arguments.memory or DEFAULT_MEMORY, int(arguments.seconds_per_bound * SECOND)

    def by_solver() -> NetworkBounds:
        seconds = arguments.timeout or math.inf
        return solver_bounds(network, seconds, per_bound, arguments.solver, memory, report)

    is_exact = method == "exact"
    if is_exact and (arguments.engine == "smt" or network.number_kind == "algebraic"):
        return by_solver()
    if method == "auto" or (is_exact and len(network.inputs) == 1):
        bounds = neuron_bounds(network, method, report, workers=arguments.workers)
    else:
        effort = SearchEffort(method, per_bound=per_bound, workers=arguments.workers)
        bounds = certified_bounds(network, effort, report, None if only is None else {(only[0] + 1, only[1])})
    if arguments.engine == "both":
        _check_bounds(bounds, by_solver())
    return bounds


def _check_bounds(bounds: NetworkBounds, others: NetworkBounds) -> None:
    """What one side attains, the other cannot exclude."""
    for depth, (rows, other_rows) in enumerate(zip(bounds.layers, others.layers, strict=True), start=1):
        for index, pair in enumerate(zip(rows, other_rows, strict=True)):
            for a, b in (pair, pair[::-1]):
                if (a.upper_at is not None and a.upper > b.upper) or (a.lower_at is not None and a.lower < b.lower):
                    raise InternalError(f"search and solver disagree about neuron {depth}:{index}")


def _neuron(text: str | None, network: Network) -> tuple[int, int] | None:
    """L:I, layers from 1 and neurons from 0 as in the output."""
    if text is None:
        return None
    layer, colon, index = text.partition(":")
    if not (colon and layer.isascii() and layer.isdigit() and index.isascii() and index.isdigit()):
        raise InputError(f"--neuron: expected LAYER:INDEX such as 2:0, found {text!r}")
    depth, i = int(layer) - 1, int(index)
    if not 0 <= depth < len(network.layers) or i >= len(network.layers[depth].rows):
        raise InputError(f"--neuron {text}: no such neuron (layers count from 1, neurons from 0)")
    return depth, i


def _neuron_data(depth: int, index: int, bound: NeuronBound) -> dict[str, Any]:
    points = (bound.lower_at, bound.upper_at)
    lower_at, upper_at = (None if p is None else [format_number(x) for x in p] for p in points)
    return {
        "layer": depth + 1,
        "index": index,
        "lower": format_number(bound.lower),
        "upper": format_number(bound.upper),
        "lower_at": lower_at,
        "upper_at": upper_at,
        "method": bound.method,
        "exact": bound.exact,
    }
