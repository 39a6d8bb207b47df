"""What every command can be told about the network it works on: its box, and which of its outputs are meant."""

from __future__ import annotations

import argparse
import gzip
import hashlib
import json
import os
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.exact import ZERO, Number, format_number, parse_number
from verimv.formulas.formula import Formula
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.networks.formats.json_format import read_box
from verimv.networks.network import Box, Network, checked_box
from verimv.networks.transforms.outputs import OutputMap, chosen
from verimv.questions.subjects import read_as_network, read_formula, read_subject


def with_box(subject: Network, path: str | None) -> Network:
    return subject if path is None else replace(subject, box=_box(path, len(subject.inputs)))


def _box(path: str, inputs: int) -> Box:
    return read_box(read_text(path), inputs, path)


def network_argument(arguments: argparse.Namespace) -> Network:
    return with_box(read_as_network(arguments.network), arguments.box)


def subject_argument(arguments: argparse.Namespace) -> Formula | Network:
    """A formula, or a network with the box and outputs that were asked for."""
    return _with_options(read_subject(arguments.subject), arguments)


def _with_options(subject: Formula | Network, arguments: argparse.Namespace) -> Formula | Network:
    if isinstance(subject, Network):
        return chosen(with_box(subject, arguments.box), arguments.output, pair(arguments))
    if (arguments.box, arguments.output, arguments.margin) != (None, None, None):
        raise InputError("--box, --output and --margin are for networks; a formula is a function on the unit cube")
    return subject


def pair(arguments: argparse.Namespace) -> tuple[str, str] | None:
    return None if arguments.margin is None else (arguments.margin[0], arguments.margin[1])


@dataclass(frozen=True)
class ExtractedFormula:
    """A formula in the user's own units: the maps of an extraction undone."""

    formula: Formula
    box: Box
    maps: Sequence[OutputMap]

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(self.formula.inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(self.formula.outputs)

    def at(self, point: Mapping[str, Number]) -> list[Number]:
        check_inside(point, self.inputs, self.box)
        inner = {
            name: (point[name] - low) / (high - low) if high > low else ZERO
            for name, (low, high) in zip(self.inputs, self.box, strict=True)
        }
        return [map_.undone(value) for map_, value in zip(self.maps, self.formula.at(inner), strict=True)]


def check_inside(point: Mapping[str, Number], inputs: Sequence[str], box: Box) -> None:
    for name, (low, high) in zip(inputs, box, strict=True):
        if not low <= point[name] <= high:
            ends = f"[{format_number(low)}, {format_number(high)}]"
            raise InputError(f"{name} = {format_number(point[name])} is outside the box {ends}")


def evaluated_argument(arguments: argparse.Namespace) -> Formula | Network | ExtractedFormula:
    """What `eval` takes: also a directory that extract wrote, or a formula whose inputs are given in a box."""
    if os.path.isdir(arguments.subject):
        return extracted_formula(arguments.subject)
    subject = read_subject(arguments.subject)
    if isinstance(subject, Formula) and arguments.box is not None:
        return ExtractedFormula(subject, _box(arguments.box, len(subject.inputs)), [OutputMap()] * len(subject.outputs))
    return _with_options(subject, arguments)


class FloatColumns:
    """onnxruntime's own values beside the exact ones, and how far they are apart."""

    def __init__(self, path: str, subject: Formula | Network | ExtractedFormula) -> None:
        if not path.lower().endswith(".onnx") or not isinstance(subject, Network):
            raise InputError("--floats compares with onnxruntime: it needs an .onnx file", source=path)
        from verimv.networks.formats.onnx_format.runtime import FloatModel

        self._model = FloatModel(path)
        self._outputs = len(subject.outputs)
        self.names = (*(f"{name}_float" for name in subject.outputs), "gap")
        self.largest = 0.0

    def at(self, point: Sequence[Number], exact: Sequence[Number]) -> dict[str, str]:
        values = self._model.at([float(x) for x in point])
        if len(values) != self._outputs:
            raise InputError("--floats compares all outputs of the file; leave out --output and --margin")
        gap = max(abs(value - float(y)) for value, y in zip(values, exact, strict=True))
        self.largest = max(self.largest, gap)
        return dict(zip(self.names, map(repr, [*values, gap]), strict=True))


def extracted_formula(directory: str) -> ExtractedFormula:
    """What `extract -o DIR` wrote, with its maps."""
    folder = Path(directory)
    formula = read_formula(str(folder / "formula.mv"))
    path = folder / "summary.json"
    summary = read_summary(path)
    if summary is None:
        raise InputError("no such file", source=str(path))
    digest = hashlib.sha256((folder / "formula.mv").read_bytes()).hexdigest()
    if summary.get("formula_sha256", digest) != digest:
        raise InputError("not the formula that summary.json names: it was changed", source=str(folder / "formula.mv"))
    return ExtractedFormula(formula, _summary_box(summary, formula, path), output_maps(folder, formula.outputs))


def read_summary(path: Path) -> dict[str, Any] | None:
    """The summary of an extraction, if there is one."""
    if not path.exists():
        return None
    try:
        summary = json.loads(read_text(path))
    except (ValueError, RecursionError):
        summary = None
    if not isinstance(summary, dict) or not isinstance(summary.setdefault("proofs", []), list):
        raise InputError("not the summary of an extraction", source=str(path))
    return summary


def _summary_box(summary: Mapping[str, Any], formula: Formula, path: Path) -> Box:
    box = summary.get("box")
    if not isinstance(box, list) or not all(
        isinstance(pair, list) and all(isinstance(end, str) for end in pair) for pair in box
    ):
        raise InputError("box: expected pairs of numbers", source=str(path))
    try:
        return checked_box(box, len(formula.inputs))
    except InputError as error:
        raise error.located(str(path)) from None


def output_maps(directory: Path, outputs: Sequence[str]) -> list[OutputMap]:
    """The maps of the outputs that an extraction wrote: from its certificate, or else from its summary."""
    path = next(filter(Path.exists, (directory / name for name in CERTIFICATE_FILES)), directory / "summary.json")
    try:
        pairs = _summary_maps(path, outputs) if path.suffix == ".json" else _certified_maps(path)
        maps = [OutputMap(parse_number(scale), parse_number(offset)) for scale, offset in pairs]
    except (TypeError, ValueError, KeyError, EOFError, OSError, zlib.error, InputError):
        raise InputError("expected a scale and an offset for each output", source=str(path)) from None
    if len(maps) != len(outputs) or not all(map_.scale for map_ in maps):
        raise InputError("expected a scale other than 0 and an offset for each output", source=str(path))
    return maps


def _certified_maps(path: Path) -> list[tuple[str, str]]:
    with gzip.open(path, "rt") if path.suffix == ".gz" else path.open() as lines:
        found = [json.loads(line) for line in lines if line.startswith('["output"')]
    return [(scale, offset) for _, _, _, scale, offset in found]


def _summary_maps(path: Path, outputs: Sequence[str]) -> list[tuple[str, str]]:
    """Directories that extraction did not write have no summary, and no maps."""
    entries = (read_summary(path) or {}).get("outputs")
    if entries is None:
        return [("1", "0")] * len(outputs)
    found = {entry["name"]: (entry["scale"], entry["offset"]) for entry in entries}
    return [found[name] for name in outputs]
