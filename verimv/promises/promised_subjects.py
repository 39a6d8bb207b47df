"""Read what a promise is about: its model, and what the model is compared with."""

from __future__ import annotations

import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verimv.core.choices import NETWORK_SUFFIXES
from verimv.core.errors import InputError, Refuted
from verimv.core.suggest import did_you_mean, listed
from verimv.exact import Number, format_number, parse_number, shown
from verimv.formulas.formula import Formula, parse
from verimv.networks.boxes import on_given_box
from verimv.networks.names import named, names_from
from verimv.networks.network import Network
from verimv.promises.promise import Promise
from verimv.questions.compared_pair import comparable
from verimv.questions.subjects import certified_network, read_as_network, read_subject

#: What may follow the name of a table: data.csv:1%-99%.
_PERCENTILES = re.compile(r":[^:]*%-[^:]*%$")
_FILE_SUFFIXES = (".json", ".mv", ".txt", ".vnnlib", *NETWORK_SUFFIXES)


def existing(promise: Promise, key: str, text: str) -> str:
    """Return the path of a file or directory that must exist."""
    path = promise.path(text)
    if os.path.exists(path):
        return path
    raise promise.error(key, f"no such file: {shown(text)}{similar(promise, text)}")


def similar(promise: Promise, text: str) -> str:
    """Return "; did you mean …?" if a file of a similar name is beside the one that is missing."""
    folder, name = os.path.split(text)
    try:
        names = sorted(os.listdir(promise.path(folder)))
    except OSError:
        return ""
    return did_you_mean(name, names, {other: os.path.join(folder, other) for other in names})


def names_a_file(promise: Promise, text: str) -> bool:
    """Return whether a text is meant as a path: there is such a file, or it ends like one."""
    if text.lower().endswith(_FILE_SUFFIXES):
        return True
    try:
        return os.path.exists(promise.path(text))
    except ValueError:
        return False


def model_of(promise: Promise) -> Network:
    """Return the model with its names, on its box."""
    network = read_as_network(existing(promise, "file", promise.file), promise.logits)
    if isinstance(promise.names, str):
        network = named(network, *names_from(existing(promise, "names", promise.names), network))
    elif promise.names is not None:
        try:
            network = named(network, promise.names.get("inputs", ()), promise.names.get("outputs", ()))
        except InputError as error:
            raise promise.error("names", error.message) from None
    if promise.box is None:
        return network
    file = _PERCENTILES.sub("", promise.box) if isinstance(promise.box, str) else None
    given = None if file is None else existing(promise, "box", file) + promise.box.removeprefix(file)
    try:
        if given is not None:
            return on_given_box(network, given)
        return network.on_box([[parse_number(end) for end in pair] for pair in _pairs(promise, network)])
    except InputError as error:
        raise promise.error("box", str(error).removeprefix("box: ")) from None


def _pairs(promise: Promise, network: Network) -> Sequence[Sequence[str]]:
    if isinstance(promise.box, tuple):
        return [promise.box] * len(network.inputs)
    if isinstance(promise.box, list):
        return promise.box
    names = {network.label(name): name for name in network.inputs} | {name: name for name in network.inputs}
    for name in promise.box:
        if name not in names:
            raise InputError(
                f"no input {shown(name)}{did_you_mean(name, names) or f': there are {listed(network.inputs)}'}"
            )
    given = {names[name]: ends for name, ends in promise.box.items()}
    own = zip(network.inputs, network.box, strict=True)
    return [given.get(name) or [format_number(low), format_number(high)] for name, (low, high) in own]


def promised_pair(promise: Promise) -> tuple[Network, Formula | Network, Number]:
    """Return the model, what it is compared with, and the tolerance."""
    network = model_of(promise)
    target: Any = _target(promise, network)
    percent = promise.tolerance.endswith("%")
    if percent and isinstance(target, Formula):
        raise promise.error(
            "within", "a percentage is one of the range of a network; the values of a formula are in [0,1]"
        )
    box = None if promise.box is None else network.box
    a, b = comparable(network, target, box=box, output=promise.output, margin=promise.margin, scale_output=percent)
    tolerance = parse_number(promise.tolerance.removesuffix("%"))
    return a, b, tolerance / 100 if percent else tolerance  # type: ignore[return-value]  # the model is a network


def _target(promise: Promise, network: Network) -> Any:
    """Return a formula, a network, or the path of a directory with a certificate."""
    key = "of" if promise.kind == "within" else promise.kind
    if promise.kind == "certified-by":
        path = existing(promise, key, promise.target)
        if not os.path.isdir(path):
            raise promise.error(key, f"expected a directory with a certificate, found the file {shown(promise.target)}")
        _check_certified_box(promise, network, path)
        return path
    if names_a_file(promise, promise.target):
        path = existing(promise, key, promise.target)
        return path if Path(path).is_dir() else read_subject(path, promise.logits)
    try:
        formula = parse(promise.target)
    except InputError as error:
        raise promise.error(key, f"no such file, and not a formula: {error.message}") from None
    if unknown := [name for name in formula.inputs if name not in network.inputs]:
        hint = similar(promise, promise.target) or did_you_mean(unknown[0], network.inputs)
        raise promise.error(
            key, f"no file {shown(promise.target)}, and {shown(unknown[0])} is no input of the model{hint}"
        )
    return formula


def _check_certified_box(promise: Promise, network: Network, path: str) -> None:
    """Raise :class:`Refuted` if the box of the promise is not inside that of the certificate."""
    if promise.box is None:
        return
    certified = certified_network(path).box
    for name, (low, high), (least, most) in zip(network.inputs, network.box, certified, strict=False):
        if low < least or high > most:
            ours, theirs = (f"[{format_number(x)}, {format_number(y)}]" for x, y in ((low, high), (least, most)))
            raise Refuted(f"{promise.target} is about {name} in {theirs}, the box of the model has {ours}")
