"""Options about the network of a command: its box and its outputs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from verimv.core.errors import InputError
from verimv.core.files import read_text
from verimv.formulas.formula import Formula
from verimv.networks.formats.json_format import read_box
from verimv.networks.names import named, read_names
from verimv.networks.network import Box, Network
from verimv.networks.transforms.outputs import chosen
from verimv.questions.compared_pair import comparable
from verimv.questions.subjects import read_as_network, read_subject


def with_box(subject: Network, path: str | None) -> Network:
    return subject if path is None else replace(subject, box=given_box(path, len(subject.inputs)))


def given_box(path: str, inputs: int) -> Box:
    return read_box(read_text(path), inputs, path)


def with_names(subject: Network, path: str | None) -> Network:
    if path is None:
        return subject
    return named(subject, *read_names(read_text(path), path, len(subject.inputs), len(subject.outputs)))


def network_argument(arguments: argparse.Namespace) -> Network:
    network = with_box(read_as_network(arguments.network), arguments.box)
    return with_names(network, getattr(arguments, "names", None))


def subject_argument(arguments: argparse.Namespace) -> Formula | Network:
    """Read a formula, or a network with the given box and outputs."""
    return with_options(read_subject(arguments.subject), arguments)


def pair_argument(arguments: argparse.Namespace) -> tuple[Formula | Network, Formula | Network]:
    """Read two formulas, networks or directories, the networks with the given box and outputs."""
    return comparable(
        arguments.a,
        arguments.b,
        box=arguments.box,
        output=arguments.output,
        margin=pair(arguments),
        scale_output=arguments.scale_output,
    )


def with_options(subject: Formula | Network, arguments: argparse.Namespace) -> Formula | Network:
    if isinstance(subject, Network):
        subject = with_names(with_box(subject, arguments.box), arguments.names)
        return chosen(subject, arguments.output, pair(arguments))
    if (arguments.box, arguments.output, arguments.margin, arguments.names) != (None, None, None, None):
        raise InputError(
            "--box, --output, --margin and --names need a network; a formula is a function on the unit cube"
        )
    return subject


def labels_of(subject: Any) -> Mapping[str, str]:
    """Return the full names of a network or of what was extracted from one; a formula has none."""
    return getattr(subject, "labels", {})


def pair(arguments: argparse.Namespace) -> tuple[str, str] | None:
    return None if arguments.margin is None else (arguments.margin[0], arguments.margin[1])
