"""Floats compared with exact values: those of onnxruntime, and a proven bound on the error of float32 execution."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from verimv.bounding.float_error import float32_gaps_at
from verimv.cli.reporter import Reporter
from verimv.core.errors import InputError
from verimv.exact import Number, Rational, ceil
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.questions.extracted import ExtractedFormula
from verimv.questions.float_gap import float_gaps


class FloatColumns:
    """Columns with the values of onnxruntime, and their distance from the exact ones."""

    def __init__(self, arguments: argparse.Namespace, subject: Formula | Network | ExtractedFormula) -> None:
        path = arguments.subject
        if arguments.logits:
            raise InputError("--floats compares the outputs of a whole file: leave out --logits, or export the scores")
        if not path.lower().endswith(".onnx") or not isinstance(subject, Network):
            raise InputError("--floats needs an .onnx file, to compare with onnxruntime", source=path)
        from verimv.networks.formats.onnx_format.runtime import RuntimeModel

        self._model = RuntimeModel(path)
        self._outputs = len(subject.outputs)
        self.names = (*(f"{name}_float" for name in subject.outputs), "gap")
        self.largest = 0.0

    def at(self, point: Sequence[Number], exact: Sequence[Number]) -> dict[str, str]:
        values = self._model.at([float(x) for x in point])
        if len(values) != self._outputs:
            raise InputError("--floats compares all outputs of the file: leave out --output and --margin")
        gap = max(abs(value - float(y)) for value, y in zip(values, exact, strict=True))
        self.largest = max(self.largest, gap)
        return dict(zip(self.names, map(repr, [*values, gap]), strict=True))


class FloatGap:
    """Bounds on the float32 error of the network given to `eval`, as it is executed."""

    #: name of the column in a table
    column = "gap_bound"

    def __init__(self, arguments: argparse.Namespace, subject: object) -> None:
        if not isinstance(subject, Network) or (arguments.output, arguments.margin) != (None, None):
            raise InputError("--float-gap needs a network with all its outputs: leave out --output and --margin")
        if arguments.logits:
            raise InputError("--float-gap bounds the errors of a whole file: leave out --logits, or export the scores")
        self.network = subject
        if arguments.subject.lower().endswith(".onnx"):
            from verimv.networks.formats.onnx_format.chain import executed_network  # onnx takes a while to import

            self.network = replace(executed_network(arguments.subject), box=subject.box)

    def on_box(self, report: Reporter) -> dict[str, str]:
        """Return a bound for each output, over the whole box."""
        gaps = float_gaps(self.network, report)
        return dict(zip(self.network.outputs, map(rounded_up, gaps), strict=True))

    def at(self, point: Sequence[Number]) -> str:
        """Return a bound for all outputs, at a point."""
        return rounded_up(max(float32_gaps_at(self.network, point)))


def rounded_up(x: Number, digits: int = 3) -> str:
    """Return the least decimal with so many digits that is not below x, for x ≥ 0."""
    if not x:
        return "0"
    exponent = 0
    while x * Rational(10) ** -exponent >= 10:
        exponent += 1
    while x * Rational(10) ** -exponent < 1:
        exponent -= 1
    whole = ceil(x * Rational(10) ** (digits - 1 - exponent))
    if whole == 10**digits:
        whole, exponent = whole // 10, exponent + 1
    text = str(whole)
    return f"{text[0]}.{text[1:]}e{exponent:+03d}"
