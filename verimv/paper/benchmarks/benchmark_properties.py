"""Networks with properties: those of a folder, with published verdicts from a table, and small ones made here."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from fnmatch import fnmatchcase
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from verimv.core.choices import NETWORK_SUFFIXES
from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.networks.formats.arrays import from_arrays
from verimv.networks.formats.load import load
from verimv.networks.network import Network

#: The list of a folder of VNN-COMP: a network, a property and a time limit in each line.
LIST = "instances.csv"
#: Verdicts as verimv and as VNN-COMP call them; sat means that there is an unsafe point.
VERDICTS = {"holds": "holds", "unsat": "holds", "violated": "violated", "sat": "violated"}
#: Widths of networks that are made here, half of the width of their boxes, and points at which they are evaluated.
WIDTHS, RADIUS, _POINTS = (5, 20, 20, 5), 0.2, 10_000
#: Bounds are so far from the extreme values at these points, relative to their range.
_APART = 0.1


@dataclass(frozen=True)
class Instance:
    """A network and what must hold of it, each as a file or as it is, and the verdict, if it is known."""

    name: str
    network: Network | Path
    #: a VNN-LIB file, or a text in verimv's language
    specification: Path | str
    expected: str | None = None

    def loaded(self) -> Network:
        return self.network if isinstance(self.network, Network) else load(self.network)


# -- folders -----------------------------------------------------------------------------------------------------------


def instances_of(folder: Path) -> list[Instance]:
    """Return the instances of a folder: those that its instances.csv lists; or every network with its properties.

    The properties of NAME.onnx are NAME.vnnlib and NAME__….vnnlib; others are of all networks beside them.
    """
    if not folder.is_dir():
        raise InputError("no such folder", source=str(folder))
    pairs = _listed(folder) if (folder / LIST).is_file() else _found(folder)
    found = [Instance(f"{model.stem} {_short(model, file)}", model, file) for model, file in pairs]
    if not found:
        raise InputError(
            f"no networks ({', '.join(NETWORK_SUFFIXES)}) with properties (.vnnlib) here", source=str(folder)
        )
    return found


def _short(model: Path, file: Path) -> str:
    return file.stem.removeprefix(f"{model.stem}__")


def _listed(folder: Path) -> Iterator[tuple[Path, Path]]:
    for number, row in _rows(folder / LIST):
        if len(row) < 2:
            raise InputError(
                f"line {number}: expected NETWORK,PROPERTY,…, found {','.join(row)!r}", source=str(folder / LIST)
            )
        model, file = (folder / name for name in row[:2])
        for path in (model, file):
            if not path.is_file():
                raise InputError(f"line {number}: no such file: {path}", source=str(folder / LIST))
        yield model, file


def _found(folder: Path) -> Iterator[tuple[Path, Path]]:
    for model in sorted(path for path in folder.rglob("*") if path.suffix in NETWORK_SUFFIXES and path.is_file()):
        beside = {path.stem for path in model.parent.iterdir() if path.suffix in NETWORK_SUFFIXES}
        asked = set()
        for file in sorted(model.parent.glob("*.vnnlib")):
            owner = file.stem.partition("__")[0]
            if owner not in beside or owner == model.stem:
                text = file.read_bytes()
                if text not in asked:
                    asked.add(text)
                    yield model, file


def _rows(path: Path) -> Iterator[tuple[int, list[str]]]:
    """Yield the lines of a CSV file that are not empty, with their numbers."""
    reader = csv.reader(io.StringIO(read_text(path)))
    for row in reader:
        if row:
            yield reader.line_num, [cell.strip() for cell in row]


def with_published(instances: Iterable[Instance], path: Path) -> list[Instance]:
    """Add verdicts from a table with lines NETWORK,PROPERTY,VERDICT; names are those of the files."""
    known = {}
    for number, row in _rows(path):
        if row == ["network", "property", "verdict"]:
            continue
        if len(row) != 3 or row[2] not in VERDICTS:
            raise InputError(
                f"line {number}: expected NETWORK,PROPERTY,VERDICT with a verdict of {', '.join(VERDICTS)}, "
                f"found {','.join(row)!r}",
                source=str(path),
            )
        model, file = (_stem(name) for name in row[:2])
        known[f"{model} {file.removeprefix(f'{model}__')}"] = VERDICTS[row[2]]
    return [replace(one, expected=known.get(one.name)) for one in instances]


def _stem(name: str) -> str:
    name = name.replace("\\", "/").rpartition("/")[2]
    return next((name.removesuffix(end) for end in (*NETWORK_SUFFIXES, ".vnnlib") if name.endswith(end)), name)


def chosen(instances: Sequence[Instance], patterns: Sequence[str]) -> list[Instance]:
    """Return the instances in whose name one of the patterns occurs, such as "1_5*prop_1"."""
    found = [one for one in instances if any(fnmatchcase(one.name, f"*{pattern}*") for pattern in patterns)]
    if not found:
        raise InputError(f"--only: none of {len(instances)} instances matches; the first is {instances[0].name!r}")
    return found


# -- networks made here ------------------------------------------------------------------------------------------------


def made_instances(networks: int) -> Iterator[Instance]:
    """Yield properties of random networks with weights as training begins with; the same ones every time.

    Two bounds of an output, above its values at many points and below some; and an output that is to stay the largest.
    """
    for seed in range(1, networks + 1):
        source = np.random.default_rng(seed)
        arrays = [
            (source.normal(0, (2 / below) ** 0.5, (width, below)).astype(np.float32),
             source.normal(0, 0.1, width).astype(np.float32))
            for below, width in pairwise(WIDTHS)
        ]  # fmt: skip
        network = from_arrays(arrays)
        name = f"{'-'.join(map(str, WIDTHS))} no. {seed}"
        middle = source.uniform(RADIUS, 1 - RADIUS, WIDTHS[0]).round(3)
        points = middle + RADIUS * source.uniform(-1, 1, (_POINTS, WIDTHS[0]))
        first = _values(arrays, points)[:, 0]
        low, high = float(first.min()), float(first.max())
        apart = _APART * (high - low)
        yield Instance(f"{name} bound", network, _inside(middle, RADIUS, f"y1 <= {high + apart:.6f}"))
        yield Instance(f"{name} low bound", network, _inside(middle, RADIUS, f"y1 <= {high - apart:.6f}"), "violated")
        best = int(_values(arrays, middle[None]).argmax())
        others = [k for k in range(WIDTHS[-1]) if k != best]
        largest = " and ".join(f"y{best + 1} > y{k + 1}" for k in others)
        yield Instance(f"{name} class", network, _inside(middle, RADIUS / 4, largest))


def _values(arrays: Sequence[tuple[Any, Any]], points: Any) -> Any:
    """Return the outputs in floats."""
    for weights, bias in arrays[:-1]:
        points = np.maximum(points @ weights.T + bias, 0)
    return points @ arrays[-1][0].T + arrays[-1][1]


def _inside(middle: Any, radius: float, property_text: str) -> str:
    """Return that something holds in a box."""
    ends = [f"{x - radius:.3f} <= x{j} <= {x + radius:.3f}" for j, x in enumerate(middle, start=1)]
    return f"{' and '.join(ends)} -> {property_text}"
