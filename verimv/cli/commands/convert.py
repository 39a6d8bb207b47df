"""`verimv convert`: convert between formats; formula → network is the paper's construction."""

from __future__ import annotations

import argparse

from verimv.certificate.certificate import Certificate
from verimv.certificate.from_pair import certify
from verimv.cli.arguments import subject_argument
from verimv.cli.certificates import write_certificate
from verimv.cli.reporter import Reporter
from verimv.cli.result import Result
from verimv.cli.text import counted
from verimv.core.errors import InputError, Undecided
from verimv.core.files import write_file
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.networks.transforms.from_formula import to_network
from verimv.show.file_formats import FORMULA_FORMATS, NETWORK_FORMATS, format_of, network_text
from verimv.solvers.functions import function_smtlib


def run(arguments: argparse.Namespace, report: Reporter) -> Result:
    report("reading")
    subject = subject_argument(arguments, report)
    name = arguments.to or format_of(arguments.out, FORMULA_FORMATS | NETWORK_FORMATS, "; give it with --to")
    report("writing")
    if name in NETWORK_FORMATS:
        return _exported(subject, name, arguments)
    if isinstance(subject, Formula):
        pieces = FORMULA_FORMATS[name][1](subject)
    elif name == "network":
        pieces = network_text(subject)
    elif name == "smtlib":
        pieces = [function_smtlib(subject)]
    else:
        raise InputError(
            "convert writes a network as .json, .onnx, .nnet or .smt2; verimv extract turns it into a formula"
        )
    certifiable = _certifiable(subject, name) if arguments.certify is not None else None
    if arguments.out != "-":
        write_file(arguments.out, pieces)
    if certifiable is not None:
        report("certifying")
        write_certificate(arguments.certify, _conversion(certifiable, arguments.out))
    if arguments.out == "-":
        return Result({"format": name, "text": (text := "".join(pieces))}, text.rstrip("\n"))
    data = {"format": name, "out": arguments.out, "certificate": arguments.certify}
    certified = f", certified in {arguments.certify}/" if arguments.certify is not None else ""
    return Result(data, f"written to {arguments.out}{certified}")


def _exported(subject: Formula | Network, name: str, arguments: argparse.Namespace) -> Result:
    """Write a file for other tools, with floats or decimals instead of exact numbers."""
    if arguments.out == "-" or arguments.certify is not None:
        raise InputError(f"{name} can only be written to a file, without --certify: use --to network instead")
    export = NETWORK_FORMATS[name][1](to_network(subject) if isinstance(subject, Formula) else subject)
    write_file(arguments.out, [export.data])
    note = f" ({counted(export.rounded, 'number')} rounded)" if export.rounded else ""
    data = {"format": name, "out": arguments.out, "rounded": export.rounded}
    return Result(data, f"written to {arguments.out}{note}")


def _certifiable(subject: Formula | Network, name: str) -> Formula:
    if not isinstance(subject, Formula) or name != "network":
        raise InputError("--certify needs a formula that is converted to a network (extract always certifies)")
    return subject


def _conversion(formula: Formula, out: str) -> Certificate:
    """Return a certificate that the network written equals the formula read."""
    certificate = certify(to_network(formula), formula)
    if certificate is None:
        raise Undecided(f"{out} is written, but no certificate was found (verimv equiv asks a solver)")
    return certificate
