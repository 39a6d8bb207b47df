"""The two subjects of a comparison, on one box and with the outputs that are meant."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path
from typing import Any

from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.formulas.formula import Formula
from verimv.networks.formats.json_format import read_box
from verimv.networks.network import Network, checked_box
from verimv.networks.transforms.outputs import chosen
from verimv.questions.subjects import as_subject


def comparable(
    a: Any,
    b: Any,
    *,
    box: Any = None,
    output: str | int | None = None,
    margin: tuple[str | int, str | int] | None = None,
) -> tuple[Formula | Network, Formula | Network]:
    """Return two formulas or networks, the networks with this box, and with this output or margin of two outputs.

    A box is a file, or a pair of numbers for each input. A directory stands for the network that it certifies; the
    other network is compared with it on the box of the certificate. A network with one output keeps it if the other has
    several: it may be what was extracted with the same option.
    """
    first, second = as_subject(a), as_subject(b)
    if isinstance(first, Formula) and isinstance(second, Formula) and (box, output, margin) != (None, None, None):
        raise InputError("--box, --output and --margin need a network; a formula is a function on the unit cube")
    if box is None and _is_directory(a) != _is_directory(b):
        certified = first if _is_directory(a) else second
        box = certified.box if isinstance(certified, Network) else None
    several = any(isinstance(side, Network) and len(side.outputs) > 1 for side in (first, second))
    first, second = _on_box(first, box), _on_box(second, box)
    return _with_outputs(first, output, margin, several), _with_outputs(second, output, margin, several)


def _is_directory(subject: Any) -> bool:
    try:
        return isinstance(subject, str | os.PathLike) and Path(subject).is_dir()
    except (OSError, ValueError):  # an expression that is no path
        return False


def _on_box(subject: Formula | Network, box: Any) -> Formula | Network:
    if isinstance(subject, Formula) or box is None:
        return subject
    if isinstance(box, str | os.PathLike):
        return replace(subject, box=read_box(read_text(box), len(subject.inputs), os.fspath(box)))
    return replace(subject, box=checked_box(box, len(subject.inputs)))


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
