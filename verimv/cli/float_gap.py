"""`verimv eval --float-gap`: how far float32 execution of a network can be from its exact function, proved."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from dataclasses import replace

from verimv.bounding.float_error import float32_gaps, float32_gaps_at
from verimv.bounding.methods import neuron_bounds
from verimv.cli.reporter import Reporter
from verimv.core.errors import InputError
from verimv.exact import Number, Rational, ceil
from verimv.networks.network import Network


class FloatGap:
    """Of the network that `eval` was given, as it is executed."""

    #: of a table
    column = "gap_bound"

    def __init__(self, arguments: argparse.Namespace, subject: object) -> None:
        if not isinstance(subject, Network) or (arguments.output, arguments.margin) != (None, None):
            raise InputError("--float-gap is for a network with all its outputs")
        self.network = subject
        if arguments.subject.lower().endswith(".onnx"):
            from verimv.networks.formats.onnx_format.chain import executed_network  # onnx takes a while to import

            self.network = replace(executed_network(arguments.subject), box=subject.box)

    def on_box(self, report: Reporter) -> dict[str, str]:
        """For each output, over the whole box."""
        report("bounding neurons")
        gaps = float32_gaps(self.network, neuron_bounds(self.network, "auto", report))
        return dict(zip(self.network.outputs, map(rounded_up, gaps), strict=True))

    def at(self, point: Sequence[Number]) -> str:
        """For all outputs, at a point."""
        return rounded_up(max(float32_gaps_at(self.network, point)))


def rounded_up(x: Number, digits: int = 3) -> str:
    """The least decimal of so many digits that is not below a number ≥ 0."""
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
