"""Read the subject of a command: a formula or a network, from a file, from stdin (``-``) or as an expression.

A directory stands for the network that its certificate is about.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from verimv.core.choices import NETWORK_SUFFIXES, PICKLED_SUFFIXES
from verimv.core.errors import InputError
from verimv.core.files import decode, read_text, unreadable
from verimv.formulas.formula import Formula, parse
from verimv.formulas.mvfile import HEADER, read_mv

if TYPE_CHECKING:
    from verimv.networks.network import Network

_LOADED = (*NETWORK_SUFFIXES, *PICKLED_SUFFIXES)  # which `load` refuses, with advice
_FILE_SUFFIXES = (".json", ".mv", ".txt", *_LOADED)


def read_subject(argument: str, logits: bool = False) -> Formula | Network:
    """Read a file if there is one of that name or if the name ends like one, otherwise an expression."""
    if argument == "-":
        if sys.stdin is None:
            raise InputError("stdin is closed: give a file or an expression", source="stdin")
        return _read(decode(sys.stdin.buffer.read(), "stdin"), "stdin")
    if not _names_a_file(argument):
        return _read(argument, "formula")
    if Path(argument).is_dir():
        return certified_network(argument)
    if argument.lower().endswith(_LOADED):
        from verimv.networks.formats.load import load

        return load(argument, logits=logits)
    return _read(read_text(argument), argument)


def certified_network(directory: str) -> Network:
    """Return the network that a directory certifies, as it was given to verimv; the kernels check the certificate."""
    from verimv.kernels.judge import check_files  # most subjects need no kernel
    from verimv.kernels.verdicts import CERTIFICATE_FILES
    from verimv.networks.formats.json_format import read_network

    if not any(Path(directory, name).exists() for name in CERTIFICATE_FILES):
        raise InputError(
            "is a directory without a certificate: give a file, or what verimv extract -o wrote", source=directory
        )
    check_files(directory)
    path = next(filter(Path.exists, (Path(directory, name) for name in ("source.json", "network.json"))), None)
    if path is None:
        raise InputError("certifies two formulas: expected a certificate of a network", source=directory)
    return read_network(read_text(path), str(path))


def _names_a_file(argument: str) -> bool:
    try:
        return argument.endswith(_FILE_SUFFIXES) or (argument != "" and Path(argument).exists())
    except (OSError, ValueError):  # too long or not a path at all: an expression
        return False


def _read(text: str, source: str) -> Formula | Network:
    start = text.lstrip()[: len(HEADER)]
    if not start and source != "formula":
        raise InputError("is empty: expected a formula or a network", source=source)
    if start.startswith(("{", "[")) or source.endswith(".json"):
        from verimv.networks.formats.json_format import read_network  # a formula needs no networks

        return read_network(text, source)
    if start == HEADER:
        return read_mv(text, source)
    try:
        return parse(text.rstrip())
    except InputError as error:
        if error.column is None:
            raise error.located(source) from None
        before = text[: error.column - 1]
        column = error.column - (before.rfind("\n") + 1)
        raise InputError(error.message, source=source, line=before.count("\n") + 1, column=column) from None


def as_subject(subject: Any, logits: bool = False) -> Formula | Network:
    """Return a formula or network; read a path or an expression, load anything else that `verimv.load` takes."""
    if isinstance(subject, str | os.PathLike):
        return read_subject(os.fspath(subject), logits)
    if isinstance(subject, Formula):
        return subject
    from verimv.networks.formats.load import load

    return load(subject, logits=logits)


def read_formula(argument: str) -> Formula:
    subject = read_subject(argument)
    if not isinstance(subject, Formula):
        raise InputError("expected a formula, found a network (verimv extract turns it into one)", source=argument)
    return subject


def read_as_network(argument: str, logits: bool = False) -> Network:
    if argument != "-" and not _names_a_file(argument):
        raise unreadable(FileNotFoundError(2, "no such file: expected a network"), argument)
    try:
        subject = read_subject(argument, logits)
    except InputError as error:
        suffixes = (".json", *NETWORK_SUFFIXES)
        if (
            error.source != argument
            or not os.path.isfile(argument)
            or argument.lower().endswith((".mv", *suffixes, *PICKLED_SUFFIXES))
        ):
            raise
        known = ", ".join(suffixes)
        raise InputError(f"expected a network ({known}), found text", source=argument) from None
    if isinstance(subject, Formula):
        raise InputError("expected a network, found a formula (verimv convert turns it into one)", source=argument)
    return subject
