"""Names that people gave to inputs and outputs: any text, beside the identifiers that formulas and certificates use.

Full names are no part of a proof. A network carries them as `labels`; files have identifiers, such as mean_radius for
"mean radius", and summary.json has the full names.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.exact import shown
from verimv.formulas.parse import identifier
from verimv.networks.network import Network

#: Characters of a name.
MAX_NAME = 200


def names_from(path: str, network: Network) -> tuple[list[str], list[str]]:
    """Return the names of inputs and outputs that a file has for a network."""
    return read_names(read_text(path), path, len(network.inputs), len(network.outputs))


def read_names(text: str, source: str, inputs: int, outputs: int) -> tuple[list[str], list[str]]:
    """Return names of inputs, and of outputs if there are any, from a file: one per line, the header of a CSV file, a
    JSON list (of the inputs, then perhaps the outputs), or JSON {"inputs": […], "outputs": […]}."""
    try:
        if source.lower().endswith(".json") or text.lstrip().startswith(("[", "{")):
            found = _from_json(text)
            if isinstance(found, dict):
                return _checked(found.get("inputs", []), inputs), _checked(found.get("outputs", []), outputs)
        else:
            found = _from_lines(text, source)
        if len(found) == inputs + outputs:
            return _checked(found[:inputs], inputs), _checked(found[inputs:], outputs)
        return _checked(found, inputs, f"{inputs} names of inputs, or these and {outputs} of outputs"), []
    except InputError as error:
        raise error.located(source) from None


def _from_lines(text: str, source: str) -> list[str]:
    lines = [line for line in text.removeprefix("\ufeff").splitlines() if line.strip()]
    is_header = source.lower().endswith((".csv", ".tsv")) or (len(lines) == 1 and re.search("[,;\t]", lines[0]))
    if not is_header:
        return lines
    first = lines[0] if lines else ""
    try:
        return next(csv.reader(io.StringIO(first), delimiter=separator(first)), [])
    except csv.Error as error:
        raise InputError(f"not CSV: {error}") from None


def separator(header: str) -> str:
    """Return what separates the columns of a table with this first line: commas, semicolons or tabs."""
    return max(",;\t", key=header.count)


def _from_json(text: str) -> list[str] | dict[str, list[str]]:
    try:
        found = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError("is not JSON") from None
    lists = list(found.values()) if isinstance(found, dict) else [found]
    if not all(isinstance(names, list) and all(isinstance(name, str) for name in names) for names in lists) or (
        isinstance(found, dict) and not found.keys() <= {"inputs", "outputs"}
    ):
        raise InputError('expected a list of names, or {"inputs": […], "outputs": […]}')
    return found  # type: ignore[no-any-return]


def _checked(names: Sequence[str], count: int, expected: str = "") -> list[str]:
    """Return names without surrounding spaces; none, or one for each."""
    names = [" ".join(name.split()) for name in names]
    if names and len(names) != count:
        raise InputError(f"expected {expected or f'{count} names'}, found {len(names)}")
    seen: set[str] = set()
    for name in names:
        if not name or not name.isprintable() or len(name) > MAX_NAME or '"' in name:
            raise InputError(
                f"expected a name of 1 to {MAX_NAME} printable characters without quotes, found {shown(name)}"
            )
        if name in seen:
            raise InputError(f"the name {shown(name)} occurs twice")
        seen.add(name)
    return names


def identifiers(names: Iterable[str], taken: Iterable[str] = ()) -> list[str]:
    """Return an identifier for each name, different from each other and from those taken."""
    used, found = set(taken), []
    for name in names:
        plain = identifier(name)
        free, number = plain, 2
        while free in used:
            free, number = f"{plain}_{number}", number + 1
        used.add(free)
        found.append(free)
    return found


def named(network: Network, inputs: Sequence[str] = (), outputs: Sequence[str] = ()) -> Network:
    """Return the network with these names of its inputs and outputs, where they are given."""
    inputs, outputs = _checked(inputs, len(network.inputs)), _checked(outputs, len(network.outputs))
    below = identifiers(inputs) if inputs else list(network.inputs)
    above = identifiers(outputs or network.outputs, below)
    labels = {
        **{own: network.label(old) for own, old in zip(below, network.inputs, strict=True) if not inputs},
        **{own: network.label(old) for own, old in zip(above, network.outputs, strict=True) if not outputs},
        **dict(zip(below, inputs, strict=False)),
        **dict(zip(above, outputs, strict=False)),
    }
    return replace(network, inputs=tuple(below), outputs=tuple(above), labels=different(labels))


def different(labels: Mapping[str, str]) -> dict[str, str]:
    """Return the labels that differ from their identifiers."""
    return {name: label for name, label in labels.items() if name != label}


def recorded(summary: Mapping[str, Any]) -> dict[str, str]:
    """Return the full names of a summary.json, without any that could be mistaken for something else."""
    found = summary.get("names")
    if not isinstance(found, dict):
        return {}
    return {
        name: label
        for name, label in found.items()
        if isinstance(label, str) and label.isprintable() and 0 < len(label) <= MAX_NAME
    }
