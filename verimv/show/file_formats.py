"""File formats in which formulas and networks are written, by name and by suffix."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

from verimv.core.errors import InputError
from verimv.formulas.formula import Formula
from verimv.formulas.mvfile import write_mv
from verimv.formulas.printing import ASCII, SYMPY, UNICODE, Style
from verimv.networks.formats.export import Export
from verimv.networks.formats.json_format import write_network
from verimv.networks.formats.nnet_format import export_nnet
from verimv.networks.network import Network
from verimv.networks.transforms.from_formula import to_network
from verimv.solvers.functions import function_smtlib


def _latex(formula: Formula) -> Iterable[str]:
    return [formula.latex(), "\n"]


def _text(style: Style) -> Callable[[Formula], Iterable[str]]:
    return lambda formula: [formula.text(style), "\n"]


#: format → (file suffixes, writer of a formula)
FORMULA_FORMATS: dict[str, tuple[tuple[str, ...], Callable[[Formula], Iterable[str]]]] = {
    "mv": ((".mv",), write_mv),
    "text": ((".txt",), _text(UNICODE)),
    "ascii": ((".asc", ".ascii"), _text(ASCII)),
    "latex": ((".tex",), _latex),
    "sympy": ((".py", ".sympy"), _text(SYMPY)),
    "smtlib": ((".smt2",), lambda formula: [function_smtlib(formula)]),
    "network": ((".json",), lambda formula: write_network(to_network(formula))),
}


def network_text(network: Network) -> Iterable[str]:
    """Return network JSON with full names, which verimv reads; a certificate has identifiers instead."""
    return write_network(network, full_names=True)


def _onnx(network: Network) -> Export:
    from verimv.networks.formats.onnx_format.model_writer import export_onnx  # onnx takes a while to import

    return export_onnx(network)


#: format → (file suffixes, writer of a network)
NETWORK_FORMATS: dict[str, tuple[tuple[str, ...], Callable[[Network], Export]]] = {
    "onnx": ((".onnx",), _onnx),
    "nnet": ((".nnet",), export_nnet),
}


def format_of(out: str, formats: Mapping[str, tuple[tuple[str, ...], Any]], hint: str = "") -> str:
    """Return the format of a file, by its suffix."""
    for name, (suffixes, _) in formats.items():
        if out.endswith(suffixes):
            return name
    known = ", ".join(suffix for suffixes, _ in formats.values() for suffix in suffixes)
    raise InputError(f"-o {out}: cannot tell the format from the name (known: {known}){hint}")
