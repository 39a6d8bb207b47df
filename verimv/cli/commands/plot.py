"""`verimv plot`: a picture of a function or of a formula's DAG, as SVG or PNG."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

from verimv.cli.arguments import labels_of, subject_argument
from verimv.cli.points import given_point
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.core.errors import InputError
from verimv.core.files import write_file
from verimv.exact import format_number
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.show.pictures.curves import curves
from verimv.show.pictures.graph import top_of
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
    subject = subject_argument(arguments)
    subject = restricted(subject, given_point(subject.inputs, arguments.at or "", labels_of(subject)))
    kind = arguments.kind if arguments.kind != "auto" else _fitting(subject)
    report("drawing")
    picture, data, told = _DRAWN[kind](subject, form, arguments)
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


Drawn = tuple[bytes, dict[str, Any], str]


def _function(subject: Formula | Network, form: str, arguments: argparse.Namespace) -> Drawn:
    from verimv.show.pictures.figure import curves_figure

    if len(subject.inputs) > 1:
        raise InputError(f"a graph needs one input, found {len(subject.inputs)}: {_advice(subject, 1)}")
    found = curves(subject)
    pieces = {curve.name: len(curve.points) - 1 for curve in found}
    told = ", ".join(f"{name}: {count:,} linear piece{'s' * (count > 1)}" for name, count in pieces.items())
    return curves_figure(found, (*subject.inputs, "x")[0], form), {"pieces": pieces}, told


def _regions(subject: Formula | Network, form: str, arguments: argparse.Namespace) -> Drawn:
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
    told = ", ".join(f"{name}: {count:,} linear region{'s' * (count > 1)}" for name, count in regions.items())
    return map_figure(found, subject.inputs, box_of(subject), form), {"regions": regions}, told


def _dag(subject: Formula | Network, form: str, arguments: argparse.Namespace) -> Drawn:
    from verimv.show.pictures.figure import graph_figure

    if isinstance(subject, Network):
        raise InputError(
            "expected a formula, found a network (verimv extract turns it into one)", source=arguments.subject
        )
    drawn = top_of(subject, arguments.nodes)
    size = subject.measure().size
    some = f"{size:,} nodes" if len(drawn.nodes) == size else f"{len(drawn.nodes):,} of {size:,} nodes"
    return graph_figure(subject, drawn, form), {"nodes": len(drawn.nodes), "size": size}, some


_DRAWN = {"function": _function, "regions": _regions, "dag": _dag}
