"""`verimv bounds`: a proven range of every neuron before activation."""

from __future__ import annotations

import argparse
import math
from typing import Any

from verimv.cli.arguments import network_argument, pair
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import brief_text
from verimv.core.errors import InputError
from verimv.networks.network import Network
from verimv.networks.transforms.outputs import chosen
from verimv.questions.neuron_ranges import bounds
from verimv.solvers.limited import DEFAULT_MEMORY
from verimv.solvers.verdict import EXIT_CODES


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading the network")
    network = chosen(network_argument(arguments, report), arguments.output, pair(arguments))
    only = _neuron(arguments.neuron)
    found = bounds(
        network,
        method=arguments.method,
        engine=arguments.engine,
        neuron=only,
        solver=arguments.solver,
        seconds_per_bound=arguments.seconds_per_bound,
        seconds=arguments.timeout or math.inf,
        memory=arguments.memory or DEFAULT_MEMORY,
        workers=arguments.workers,
        progress=report,
    )
    data = [neuron for neuron in found.to_dict()["neurons"] if only in (None, (neuron["layer"], neuron["index"]))]
    lines = [
        f"{n['layer']}:{n['index']}  [{_ends(n, arguments.numbers)}]  {n['method']}{_name(n, network)}" for n in data
    ]
    must_be_exact = arguments.method == "exact" or arguments.engine != "search"
    finished = not must_be_exact or all(neuron["exact"] for neuron in data)
    counts = found.counts() if only is None else {}
    if counts and counts["exact"] < len(data):
        lines.append(
            f"{counts['exact']:,} exact, {counts['improved']:,} improved, {counts['interval']:,} interval only"
        )
    return Result({"neurons": data, "counts": counts}, "\n".join(lines), 0 if finished else EXIT_CODES["undecided"])


def _neuron(text: str | None) -> tuple[int, int] | None:
    """Read LAYER:INDEX; layers count from 1 and neurons from 0, as in the output."""
    if text is None:
        return None
    layer, colon, index = text.partition(":")
    if not (colon and layer.isascii() and layer.isdigit() and index.isascii() and index.isdigit()):
        raise InputError(f"--neuron: expected LAYER:INDEX such as 2:0, found {text!r}")
    return int(layer), int(index)


def _name(neuron: dict[str, Any], network: Network) -> str:
    """Return the name of an output of a network whose names somebody has given."""
    is_output = neuron["layer"] == len(network.layers)
    return f"  {network.label(network.outputs[neuron['index']])}" if is_output and network.labels else ""


def _ends(neuron: dict[str, Any], numbers: str) -> str:
    return f"{brief_text(neuron['lower'], numbers)}, {brief_text(neuron['upper'], numbers)}"
