"""Write a first file of promises, from the networks and certificates that are found below a directory."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import ROUND_CEILING, ROUND_FLOOR
from pathlib import Path

from verimv.bounding.methods import neuron_bounds
from verimv.core.errors import InputError, VerimvError
from verimv.core.files import write_file
from verimv.core.progress import Progress, no_progress
from verimv.exact.decimals import decimal
from verimv.kernels.verdicts import CERTIFICATE_FILES
from verimv.networks.formats.load import load
from verimv.networks.network import Network
from verimv.networks.transforms.outputs import affine_end
from verimv.promises.promise_file import FILE_NAME, PROJECT, has_promises
from verimv.questions.subjects import certified_network

_SUFFIXES = (".onnx", ".nnet", ".json")
#: How network JSON begins, within so many bytes.
_FORMAT, _START = b'"verimv-network"', 400
#: Directories with files of others.
_SKIPPED = {"__pycache__", "node_modules", "site-packages"}
#: Models that are written; outputs whose ranges are, and digits of these.
_MOST, _OUTPUTS, _DIGITS = 100, 4, 2

_HEADER = """\
# What must hold of the models in this repository. `verimv ci` proves it, on every change.
#
# A promise is one of these (docs/ci.md has them all):
#     {{ equal-to = "other.onnx" }}                    the same function, everywhere in the box
#     {{ within = "0.01", of = "other.onnx" }}         never farther apart than this; "1%" is of the outputs' range
#     {{ certified-by = "DIR" }}                       DIR was written by `verimv extract MODEL -o DIR`
#     {{ spec = "0 <= x1 <= 0.5 -> y1 <= 0.9" }}       a specification: text, or a file such as "safe.vnnlib"
# Paths are relative to this file. Formulas, such as "x1 ∧ ¬x2", may stand where a file may.

# About so many seconds of work for each promise, counted in steps: the same answer on every machine.
effort = 60
"""


@dataclass
class _FoundModel:
    """A file, and what is found about it."""

    name: str
    path: str
    network: Network | None
    problem: str = ""
    #: whether it is a classifier, read by its scores
    logits: bool = False
    certified: list[str] = field(default_factory=list)


def write_first_file(path: str | None = None, progress: Progress = no_progress) -> tuple[str, int, int]:
    """Write a file of promises, never over another one; return its path, and how many models and promises it has."""
    path = path or FILE_NAME
    folder = Path(path).parent
    if os.path.lexists(path):
        raise InputError("exists already, and is not overwritten", source=path)
    project = folder / PROJECT
    if project.is_file() and has_promises(project):
        raise InputError("has promises already ([tool.verimv]): no other file is written", source=str(project))
    files, directories = _found(folder)
    models = list(_models(folder, files, progress))
    if not models:
        raise InputError("no model was found: expected .onnx, .nnet or network JSON", source=str(folder.resolve()))
    if not any(model.network for model in models):
        raise InputError(f"no model can be read; {models[0].path}: {models[0].problem}", source=str(folder.resolve()))
    lost = _attach(folder, directories, models)
    promises = sum(len(model.certified) + 1 for model in models if model.network is not None)
    write_file(path, [_text(models, lost, len(files) > _MOST)])
    return path, sum(model.network is not None for model in models), promises


def _found(folder: Path) -> tuple[list[str], list[str]]:
    """Return files that look like networks, and directories with certificates, in order."""
    files, directories = [], []
    for here, inner, names in os.walk(folder):
        if set(names) & set(CERTIFICATE_FILES):
            directories.append(os.path.relpath(here, folder))
            inner[:] = []
            continue
        inner[:] = sorted(name for name in inner if _is_own(Path(here, name)))
        files += [
            os.path.relpath(os.path.join(here, name), folder) for name in sorted(names) if _is_network(here, name)
        ]
    return files, directories


def _is_own(directory: Path) -> bool:
    """Return whether a directory may have models: not a hidden one, or one with packages of others."""
    return not (directory.name.startswith(".") or directory.name in _SKIPPED or (directory / "pyvenv.cfg").exists())


def _is_network(folder: str, name: str) -> bool:
    suffix = Path(name).suffix.lower()
    if suffix != ".json":
        return suffix in _SUFFIXES
    with suppress(OSError), open(os.path.join(folder, name), "rb") as file:
        return _FORMAT in file.read(_START)
    return False


def _models(folder: Path, files: Sequence[str], progress: Progress) -> Iterator[_FoundModel]:
    names = _names(files)
    for number, file in enumerate(files[:_MOST]):
        progress("reading models", number, min(len(files), _MOST))
        yield _read(names[file], Path(file).as_posix(), folder / file)


def _read(name: str, file: str, path: Path) -> _FoundModel:
    """Read a network, or else a classifier by its scores."""
    problem = ""
    for logits in (False, True):
        try:
            return _FoundModel(name, file, load(path, logits=logits), logits=logits)
        except VerimvError as error:
            problem = problem or getattr(error, "message", str(error))
    return _FoundModel(name, file, None, problem)


def _names(files: Sequence[str]) -> Mapping[str, str]:
    """Return a name for each file: its stem, or more of its path if others have the same."""
    short = {file: Path(file).stem for file in files}
    longer = {file: Path(file).with_suffix("").as_posix().replace("/", "-") for file in files}
    whole = {file: Path(file).as_posix().replace("/", "-") for file in files}
    names: dict[str, str] = {}
    for file in files:
        choices = (known[file] for known in (short, longer) if list(known.values()).count(known[file]) == 1)
        names[file] = next(choices, whole[file])
    return names


def _attach(folder: Path, directories: Sequence[str], models: Sequence[_FoundModel]) -> list[str]:
    """Give each certificate to the models that it is about; return the directories that are left."""
    lost = []
    for directory in directories:
        try:
            layers = certified_network(str(folder / directory)).layers
        except VerimvError:
            lost.append(directory)
            continue
        about = [model for model in models if model.network is not None and model.network.layers == layers]
        for model in about:
            model.certified.append(Path(directory).as_posix())
        if not about:
            lost.append(directory)
    return lost


def _text(models: Sequence[_FoundModel], lost: Sequence[str], is_cut: bool) -> str:
    parts = [_HEADER.format(), *(_table(model, models) for model in models)]
    if lost:
        parts.append("# Certificates of none of these models: " + ", ".join(map(json.dumps, lost)) + "\n")
    if is_cut:
        parts.append(f"# Only the first {_MOST} models are listed.\n")
    return "\n".join(parts)


def _table(model: _FoundModel, models: Sequence[_FoundModel]) -> str:
    header = f"[models.{_key(model.name)}]\nfile = {_quoted(model.path)}"
    if model.network is None:
        lines = [f"# cannot be read: {model.problem}", *header.splitlines()]
        return "\n".join([lines[0], *(f"# {line}" for line in lines[1:])]) + "\n"
    network = model.network
    sizes = f"{_counted(network.inputs, 'input')}, {_counted(network.outputs, 'output')}, {network.neurons:,} neurons"
    lines = [f"# {sizes}", *header.splitlines()]
    if model.logits:
        lines.append("logits = true   # a classifier: its scores, of which the largest is that of the predicted class")
    if network.is_on_unit_cube() and not model.path.endswith(".json"):
        lines.append("# box = [0, 1]   # assumed: every input is in [0, 1]. Or a file, or { x1 = [0, 2.5] }")
    lines.append("promises = [")
    lines += [f"    {{ certified-by = {_quoted(directory)} }}," for directory in model.certified]
    lines.append(f"    {{ spec = {_quoted(_ranges(network))} }},   # certainly so: change it to what must hold")
    lines += [f'    # {{ within = "1%", of = {_quoted(path)} }},' for path in _like(model, models)]
    return "\n".join([*lines, "]"]) + "\n"


def _ranges(network: Network) -> str:
    """Return a specification that certainly holds: generous ranges of the outputs, of the first few if there are many.

    They are not worth much, but they are proved at once, and ready to be changed.
    """
    bounds = neuron_bounds(affine_end(network), "interval").layers[-1][:_OUTPUTS]
    told = []
    for name, bound in zip(network.outputs, bounds, strict=False):
        low, _ = decimal(bound.lower, _DIGITS, ROUND_FLOOR)
        high, _ = decimal(bound.upper, _DIGITS, ROUND_CEILING)
        told.append(f"{low} <= {name} <= {high}")
    return " and ".join(told)


def _like(model: _FoundModel, models: Sequence[_FoundModel]) -> list[str]:
    """Return other models with as many inputs and outputs: at most three."""
    found = []
    for other in models:
        if other is not model and other.network is not None and model.network is not None:
            shapes = [(len(network.inputs), len(network.outputs)) for network in (model.network, other.network)]
            if shapes[0] == shapes[1]:
                found.append(other.path)
    return found[:3]


def _counted(names: Sequence[str], noun: str) -> str:
    some = ", ".join(names[:6]) + ", …" * (len(names) > 6)
    return f"{len(names):,} {noun}{'s' * (len(names) != 1)} ({some})"


def _key(name: str) -> str:
    return name if re.fullmatch(r"[A-Za-z0-9_-]+", name, re.ASCII) else _quoted(name)


def _quoted(text: str) -> str:
    """Return a TOML string; JSON's escapes are a part of TOML's."""
    return json.dumps(text, ensure_ascii=False)
