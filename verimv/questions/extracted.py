"""Directories that an extraction wrote: the formula in the units of the network."""

from __future__ import annotations

import gzip
import hashlib
import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.exact import ZERO, Number, format_number, parse_number
from verimv.formulas.formula import Formula
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.networks.names import read_names, recorded
from verimv.networks.network import Box, checked_box
from verimv.networks.transforms.outputs import OutputMap
from verimv.questions.subjects import read_formula

if TYPE_CHECKING:
    from verimv.extraction.pipeline import Extraction


@dataclass(frozen=True)
class ExtractedFormula:
    """A formula in the network's units: the maps of an extraction are undone."""

    formula: Formula
    box: Box
    maps: Sequence[OutputMap]
    #: full names of inputs and outputs
    labels: Mapping[str, str] = field(default_factory=dict)

    def named(self, path: str) -> ExtractedFormula:
        """Return the same with the full names of a file."""
        inputs, outputs = read_names(read_text(path), path, len(self.inputs), len(self.outputs))
        pairs = [*zip(self.inputs, inputs, strict=False), *zip(self.outputs, outputs, strict=False)]
        return replace(self, labels={**self.labels, **dict(pairs)})

    @property
    def inputs(self) -> tuple[str, ...]:
        return tuple(self.formula.inputs)

    @property
    def outputs(self) -> tuple[str, ...]:
        return tuple(self.formula.outputs)

    def inner(self, point: Mapping[str, Number]) -> dict[str, Number]:
        """Return the point of the unit cube at which the formula has the value of the network at this point."""
        check_inside(point, self.inputs, self.box)
        return {
            name: (point[name] - low) / (high - low) if high > low else ZERO
            for name, (low, high) in zip(self.inputs, self.box, strict=True)
        }

    def at(self, point: Mapping[str, Number]) -> list[Number]:
        return [map_.undone(value) for map_, value in zip(self.maps, self.formula.at(self.inner(point)), strict=True)]


def extracted_values(extraction: Extraction, point: Mapping[str, Any] | Sequence[Any]) -> list[Number]:
    """Return the values of an extraction at a point of its network's box."""
    source = extraction.source
    maps = [
        OutputMap(*(parse_number(entry[key]) for key in ("scale", "offset"))) for entry in extraction.summary["outputs"]
    ]
    formula = ExtractedFormula(extraction.formula, source.box, maps, source.labels)
    return formula.at(dict(zip(source.inputs, source.point(point), strict=True)))


def check_inside(point: Mapping[str, Number], inputs: Sequence[str], box: Box) -> None:
    for name, (low, high) in zip(inputs, box, strict=True):
        if not low <= point[name] <= high:
            ends = f"[{format_number(low)}, {format_number(high)}]"
            raise InputError(f"{name} = {format_number(point[name])} is outside the box {ends}")


def extracted_formula(directory: str) -> ExtractedFormula:
    """Read the formula and maps that `extract -o DIR` wrote."""
    folder = Path(directory)
    formula = read_formula(str(folder / "formula.mv"))
    path = folder / "summary.json"
    summary = read_summary(path)
    if summary is None:
        raise InputError("no such file", source=str(path))
    digest = hashlib.sha256((folder / "formula.mv").read_bytes()).hexdigest()
    if summary.get("formula_sha256", digest) != digest:
        raise InputError(
            "is not the formula of summary.json: it was changed after the extraction", source=str(folder / "formula.mv")
        )
    box, maps = _summary_box(summary, formula, path), output_maps(folder, formula.outputs)
    return ExtractedFormula(formula, box, maps, recorded(summary))


def read_summary(path: Path) -> dict[str, Any] | None:
    """Return the summary of an extraction, or None if there is no such file."""
    if not path.exists():
        return None
    try:
        summary = json.loads(read_text(path))
    except (ValueError, RecursionError):
        summary = None
    if not isinstance(summary, dict) or not isinstance(summary.setdefault("proofs", []), list):
        raise InputError("is not the summary of an extraction", source=str(path))
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
    """Return the maps of the outputs, from the certificate, or else from the summary."""
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
    """Return scales and offsets; (1, 0) for a directory without summary, which extraction did not write."""
    entries = (read_summary(path) or {}).get("outputs")
    if entries is None:
        return [("1", "0")] * len(outputs)
    found = {entry["name"]: (entry["scale"], entry["offset"]) for entry in entries}
    return [found[name] for name in outputs]
