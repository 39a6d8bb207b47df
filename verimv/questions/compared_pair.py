"""The two subjects of a comparison, on one box and with the outputs that are meant."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from verimv.core.errors import InputError
from verimv.exact import ONE
from verimv.formulas.formula import Formula
from verimv.networks.boxes import on_given_box
from verimv.networks.names import named, names_from
from verimv.networks.network import Network
from verimv.networks.transforms.outputs import OutputMap, affine_end, chosen, mapped
from verimv.questions.subjects import as_subject

#: Said of options for networks, if only formulas are given.
NEEDS_NETWORK = "--box, --output, --margin and --names need a network; a formula is a function on the unit cube"


def comparable(
    a: Any,
    b: Any,
    *,
    box: Any = None,
    output: str | int | None = None,
    margin: tuple[str | int, str | int] | None = None,
    scale_output: bool = False,
    logits: bool = False,
    names: str | None = None,
) -> tuple[Formula | Network, Formula | Network]:
    """Return two formulas or networks, the networks with this box, and with this output or margin of two outputs.

    A box is a file, a data frame, or a pair of numbers for each input. A directory stands for the network that it
    certifies; the other network is compared with it on the box of the certificate. A network with one output keeps it
    if the other has several: it may be what was extracted with the same option. `scale_output` maps the proven range of
    every output of the first network onto [0,1], and the outputs of the second in the same way: a difference of 0.01 is
    then one percent of the range. `logits` is an option of :func:`load`. `names` is a file with names of inputs and
    perhaps outputs, for both networks.
    """
    first, second = two_subjects(a, b, logits, names)
    if isinstance(first, Formula) and isinstance(second, Formula) and (box, output, margin) != (None, None, None):
        raise InputError(NEEDS_NETWORK)
    if box is None and _is_directory(a) != _is_directory(b):
        certified = first if _is_directory(a) else second
        box = certified.box if isinstance(certified, Network) else None
    several = any(isinstance(side, Network) and len(side.outputs) > 1 for side in (first, second))
    first, second = _on_box(first, box), _on_box(second, box)
    first, second = _with_outputs(first, output, margin, several), _with_outputs(second, output, margin, several)
    return _scaled(first, second) if scale_output else (first, second)


def _scaled(first: Formula | Network, second: Formula | Network) -> tuple[Network, Network]:
    """Return both networks with the outputs of the first in [0,1]; an output that is constant keeps its unit."""
    if isinstance(first, Formula) or isinstance(second, Formula):
        raise InputError("--scale-output needs two networks; the values of formulas are in [0,1]")
    if len(first.outputs) != len(second.outputs):
        raise InputError(f"one network has {len(first.outputs)} outputs, the other {len(second.outputs)}")
    places = _output_maps(first)
    maps = dict(zip(first.outputs, places, strict=True))
    order = [maps.get(name, places[k]) for k, name in enumerate(second.outputs)]
    return mapped(first, places), mapped(second, order)


def with_scaled_outputs(network: Network) -> Network:
    """Return a network with the proven range of every output mapped onto [0,1]; a constant output keeps its unit."""
    return mapped(network, _output_maps(network))


def _output_maps(network: Network) -> list[OutputMap]:
    from verimv.bounding.methods import neuron_bounds  # it loads engines, which few commands need

    ranges = [(bound.lower, bound.upper) for bound in neuron_bounds(affine_end(network)).layers[-1]]
    return [OutputMap(high - low if high > low else ONE, low) for low, high in ranges]


def two_subjects(
    a: Any, b: Any, logits: bool = False, names: str | None = None
) -> tuple[Formula | Network, Formula | Network]:
    """Read two formulas or networks, the networks with the names of a file, if there is one.

    A full name in a formula must not be that of another variable of the network: "a-b" may be a_b_2 there.
    """
    first, second = as_subject(a, logits), as_subject(b, logits)
    if names is not None:
        first, second = _named(first, second, names)
    formula, network = (first, second) if isinstance(first, Formula) else (second, first)
    if isinstance(formula, Formula) and isinstance(network, Network):
        owners = {network.label(name): name for name in (*network.inputs, *network.outputs)}
        for name, label in formula.labels.items():
            if (owner := owners.get(label, name)) != name:
                raise InputError(f'"{label}" is {owner} in the network: write {owner} in the formula')
    return first, second


def _named(
    first: Formula | Network, second: Formula | Network, path: str
) -> tuple[Formula | Network, Formula | Network]:
    """Name the inputs and outputs of networks; the names are those of the network that has more outputs."""
    networks = [side for side in (first, second) if isinstance(side, Network)]
    if not networks:
        raise InputError(NEEDS_NETWORK)
    model = max(networks, key=lambda network: len(network.outputs))
    inputs, outputs = names_from(path, model)

    def with_names(side: Formula | Network) -> Formula | Network:
        if isinstance(side, Formula):
            return side
        below, above = _carried(inputs, model.inputs, side.inputs), _carried(outputs, model.outputs, side.outputs)
        return named(side, below, above)

    return with_names(first), with_names(second)


def _carried(names: Sequence[str], own: Sequence[str], other: Sequence[str]) -> Sequence[str]:
    """Return names for the variables of another network, so that they are matched as before: by name, or by position if
    they share no name."""
    new = dict(zip(own, names, strict=True)) if names else {}
    if new.keys().isdisjoint(other):
        return names if len(names) == len(other) else ()
    return [new.get(name, name) for name in other]


def _is_directory(subject: Any) -> bool:
    try:
        return isinstance(subject, str | os.PathLike) and Path(subject).is_dir()
    except (OSError, ValueError):  # an expression that is no path
        return False


def _on_box(subject: Formula | Network, box: Any) -> Formula | Network:
    if isinstance(subject, Formula) or box is None:
        return subject
    return on_given_box(subject, box)


def _with_outputs(
    subject: Formula | Network,
    output: str | int | None,
    margin: tuple[str | int, str | int] | None,
    several: bool,
) -> Formula | Network:
    """Return the outputs that are meant; `several` says whether one of the two networks has more than one."""
    if isinstance(subject, Formula) or (several and len(subject.outputs) == 1):
        return subject
    return chosen(subject, output, margin)
