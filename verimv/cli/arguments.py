"""Options about the network of a command: its box and its outputs."""

from __future__ import annotations

import argparse
from collections.abc import Mapping
from typing import Any, TypeVar

from verimv.cli.reporter import Reporter
from verimv.core.errors import InputError
from verimv.formulas.formula import Formula
from verimv.networks.boxes import on_given_box
from verimv.networks.names import named, names_from
from verimv.networks.network import UNIT_CUBE, Network
from verimv.networks.transforms.outputs import chosen
from verimv.questions.compared_pair import NEEDS_NETWORK, comparable
from verimv.questions.subjects import read_as_network, read_subject


def with_box(subject: Network, path: str | None) -> Network:
    return subject if path is None else on_given_box(subject, path)


def with_names(subject: Network, path: str | None) -> Network:
    return subject if path is None else named(subject, *names_from(path, subject))


def network_argument(arguments: argparse.Namespace, report: Reporter) -> Network:
    return noted(quiet_network_argument(arguments), report)


def quiet_network_argument(arguments: argparse.Namespace) -> Network:
    """Read a network without the notes about it, which may not matter to a question with its own box."""
    network = read_as_network(arguments.network, arguments.logits)
    return with_box(with_names(network, getattr(arguments, "names", None)), arguments.box)


def subject_argument(arguments: argparse.Namespace, report: Reporter) -> Formula | Network:
    """Read a formula, or a network with the given box and outputs."""
    return noted(with_options(read_subject(arguments.subject, arguments.logits), arguments), report)


def pair_argument(arguments: argparse.Namespace, report: Reporter) -> tuple[Formula | Network, Formula | Network]:
    """Read two formulas, networks or directories, the networks with the given box and outputs."""
    a, b = comparable(
        arguments.a,
        arguments.b,
        box=arguments.box,
        output=arguments.output,
        margin=pair(arguments),
        scale_output=arguments.scale_output,
        logits=arguments.logits,
        names=arguments.names,
    )
    return noted(a, report), noted(b, report)


def with_options(subject: Formula | Network, arguments: argparse.Namespace) -> Formula | Network:
    if isinstance(subject, Network):
        subject = with_box(with_names(subject, arguments.names), arguments.box)
        return chosen(subject, arguments.output, pair(arguments))
    if (arguments.box, arguments.output, arguments.margin, arguments.names) != (None, None, None, None):
        raise InputError(NEEDS_NETWORK)
    return subject


_Noted = TypeVar("_Noted", Network, Formula | Network)


def noted(subject: _Noted, report: Reporter) -> _Noted:
    """Print what a user should know about a network, and return it."""
    for note in subject.notes if isinstance(subject, Network) else ():
        report.note(f"{note} (--box FILE gives ranges)" if note == UNIT_CUBE else note)
    return subject


def labels_of(subject: Any) -> Mapping[str, str]:
    """Return the full names of a network or of what was extracted from one; a formula has none."""
    return getattr(subject, "labels", {})


def pair(arguments: argparse.Namespace) -> tuple[str, str] | None:
    return None if arguments.margin is None else (arguments.margin[0], arguments.margin[1])
