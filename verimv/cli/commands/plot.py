"""`verimv plot`: a picture of a function or of a formula's DAG, as SVG or PNG."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from verimv.cli.arguments import labels_of, subject_argument
from verimv.cli.points import given_point
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import counted
from verimv.core.errors import InputError
from verimv.core.files import write_file
from verimv.exact import Number, format_number
from verimv.exact.decimals import point_words
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.show.pictures.curves import curves
from verimv.show.pictures.figure import Words
from verimv.show.pictures.graph import MAX_EDGES, MAX_FOLDED, MAX_PLAIN, Drawn, folded, top_of
from verimv.show.pictures.maps import box_of, region_maps
from verimv.show.pictures.matplotlib_files import FORMATS, available
from verimv.show.pictures.restrict import restricted

#: Maps in one picture.
MAX_MAPS = 4


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    form = Path(arguments.out).suffix.lower().lstrip(".")
    if form not in FORMATS:
        raise InputError("expected a file name that ends in .svg or .png", source=arguments.out)
    if not available():
        raise InputError("plot needs matplotlib, which is not installed: pip install 'verimv[figures]'")
    report("reading")
    subject = subject_argument(arguments, report)
    fixed = given_point(subject.inputs, arguments.at or "", labels_of(subject))
    subject = restricted(subject, fixed)
    kind = arguments.kind if arguments.kind != "auto" else _fitting(subject)
    report("drawing")
    words = Words("", f"at {point_words(_named(fixed, subject))}" if fixed else "", labels_of(subject))
    picture, data, told = _DRAWN[kind](subject, form, arguments, words)
    write_file(arguments.out, [picture])
    return Result({"out": arguments.out, "kind": kind, **data}, f"written to {arguments.out} ({told})")


def _fitting(subject: Formula | Network) -> str:
    count = len(subject.inputs)
    if count <= 2:
        return "function" if count < 2 else "regions"
    if isinstance(subject, Formula):
        return "dag"
    raise InputError(f"a picture shows one or two inputs, found {count}: {_advice(subject, 2)}")


def _advice(subject: Formula | Network, kept: int) -> str:
    others = subject.inputs[kept:]
    example = ",".join(f"{name}={_middle(subject, name)}" for name in others[:3]) + (",…" if len(others) > 3 else "")
    return f"fix {'the others' if kept else 'them'} with --at {example}"


def _middle(subject: Formula | Network, name: str) -> str:
    if isinstance(subject, Formula):
        return "1/2"
    low, high = subject.box[subject.inputs.index(name)]
    return format_number((low + high) / 2)


def _named(fixed: Mapping[str, Number], subject: Formula | Network) -> dict[str, Number]:
    labels = labels_of(subject)
    return {labels.get(name, name): x for name, x in fixed.items()}


#: A picture, what is told about it as JSON, and as text.
Picture = tuple[bytes, dict[str, Any], str]


def _function(subject: Formula | Network, form: str, arguments: argparse.Namespace, words: Words) -> Picture:
    from verimv.show.pictures.figure import curves_figure

    if len(subject.inputs) > 1:
        raise InputError(f"a graph needs one input, found {len(subject.inputs)}: {_advice(subject, 1)}")
    found = curves(subject)
    pieces = {curve.name: len(curve.points) - 1 for curve in found}
    told = ", ".join(f"{words.name(name)}: {counted(count, 'linear piece')}" for name, count in pieces.items())
    return curves_figure(found, (*subject.inputs, "x")[0], form, words._replace(title=told)), {"pieces": pieces}, told


def _regions(subject: Formula | Network, form: str, arguments: argparse.Namespace, words: Words) -> Picture:
    from verimv.show.pictures.figure import map_figure

    if len(subject.inputs) != 2:
        few = "use --kind function" if len(subject.inputs) < 2 else _advice(subject, 2)
        raise InputError(f"a map needs two inputs, found {len(subject.inputs)}: {few}")
    if len(subject.outputs) > MAX_MAPS:
        raise InputError(
            f"a picture has maps of at most {MAX_MAPS} outputs, found {len(subject.outputs)}: choose one with --output"
        )
    found = region_maps(subject)
    regions = {drawn.name: drawn.regions for drawn in found}
    told = ", ".join(f"{words.name(name)}: {counted(count, 'linear region')}" for name, count in regions.items())
    return map_figure(found, subject.inputs, box_of(subject), form, words), {"regions": regions}, told


def _dag(subject: Formula | Network, form: str, arguments: argparse.Namespace, words: Words) -> Picture:
    from verimv.show.pictures.figure import graph_figure

    if isinstance(subject, Network):
        raise InputError(
            "expected a formula, found a network (verimv extract turns it into one)", source=arguments.subject
        )
    size = subject.measure().size
    drawn = _readable(subject, size) if arguments.nodes is None else top_of(subject, arguments.nodes)
    some = f"{len(drawn.nodes):,} of {size:,} nodes" if len(drawn.nodes) < size else counted(size, "node")
    if drawn.folds:
        some = f"{counted(size, 'node')}, folded into {len(drawn.nodes):,}: a box stands for what only it uses"
    title = f"{', '.join(subject.outputs[:MAX_MAPS])}: {some}"
    data = {"nodes": len(drawn.nodes), "size": size, "folded": bool(drawn.folds)}
    return graph_figure(subject, drawn, form, words._replace(title=title)), data, some


def _readable(formula: Formula, size: int) -> Drawn:
    """Return the whole DAG if it is small, otherwise a folded one; refuse to draw what nobody can read."""
    if size <= MAX_PLAIN:
        return top_of(formula, MAX_PLAIN)
    drawn = folded(formula)
    edges = sum(len(drawn.operands(formula.dag, node)) for node in drawn.nodes)
    if len(drawn.nodes) > MAX_FOLDED or edges > MAX_EDGES:
        raise InputError(
            f"the graph has {size:,} nodes, and {len(drawn.nodes):,} with {edges:,} edges when folded: too many to "
            "read. --nodes 60 draws those nearest to the outputs; the page of verimv report shows all"
        )
    return drawn


_DRAWN = {"function": _function, "regions": _regions, "dag": _dag}
