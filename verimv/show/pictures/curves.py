"""Functions of one input: their exact graphs in the subject's own units, and SVG pictures of them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from verimv.core.errors import InputError
from verimv.exact import ONE, ZERO, Number
from verimv.formulas.formula import Formula
from verimv.networks.network import Network
from verimv.pieces.piecewise import function_of
from verimv.show.pictures import axes, svg

#: Breakpoints are marked if there are at most so many.
MARKED = 60
#: Outputs drawn in one picture: there are no more colours.
MAX_CURVES = len(svg.COLOURS)


class Curve(NamedTuple):
    """The graph of one output: values at its ends and breakpoints, linear in between."""

    name: str
    points: tuple[Number, ...]
    values: tuple[Number, ...]

    @property
    def breakpoints(self) -> tuple[Number, ...]:
        return self.points[1:-1]


def single_outputs(subject: Formula | Network) -> list[Formula | Network]:
    return [subject.output(name) if isinstance(subject, Formula) else subject.select(name) for name in subject.outputs]


def curves(subject: Formula | Network, seconds: float = math.inf) -> list[Curve]:
    """Return the exact graph of every output of a subject with one input or none.

    Raise :class:`Undecided` if that takes too long.
    """
    if len(subject.inputs) > 1:
        raise InputError(f"expected one input, found {len(subject.inputs)}")
    low, high = subject.box[0] if isinstance(subject, Network) else (ZERO, ONE)
    result = []
    for single in single_outputs(subject):
        function = function_of(single, seconds)
        points = function.points if low < high else (ZERO, ONE)
        values = function.values if low < high else (function.values[0],) * 2
        result.append(Curve(single.outputs[0], tuple(low + (high - low) * x for x in points), values))
    return result


def value_range(drawn: Sequence[Curve]) -> tuple[float, float]:
    """Return the range of the vertical axis: [0,1] if all values lie there and differ."""
    low = min(axes.as_float(min(curve.values)) for curve in drawn)
    high = max(axes.as_float(max(curve.values)) for curve in drawn)
    if low >= 0 and high <= 1 and high - low > 0.05:
        return 0.0, 1.0
    margin = 0.05 * (high - low) or 0.5
    return low - margin, high + margin


def curves_svg(drawn: Sequence[Curve], x_name: str, width: float = 560, height: float = 340) -> str:
    """Return the graphs in one frame, with their breakpoints marked."""
    drawn = drawn[:MAX_CURVES]
    legend = 22.0 if len(drawn) > 1 else 0.0
    x_low, x_high = axes.as_float(drawn[0].points[0]), axes.as_float(drawn[0].points[-1])
    frame = axes.Frame(58, 30 + legend, width - 84, height - 84 - legend, (x_low, x_high), value_range(drawn))
    x_ticks = axes.exact_ticks(_common_points(drawn), frame.width, 24) or axes.round_ticks(x_low, x_high)
    y_name = drawn[0].name if len(drawn) == 1 else ""
    parts = [frame.axes(x_ticks, axes.round_ticks(*frame.y_range), x_name, y_name)]
    if frame.y_range[0] < 0 < frame.y_range[1]:
        ends = {"x1": frame.left, "x2": frame.left + frame.width, "y1": frame.y(0.0), "y2": frame.y(0.0)}
        parts.append(svg.element("line", {"class": "level", **ends}))
    parts += [_curve(frame, curve, svg.COLOURS[i]) for i, curve in enumerate(drawn)]
    if legend:
        room = (width - 70) / len(drawn)
        parts += [_legend_entry(58 + room * i, curve.name, svg.COLOURS[i], room) for i, curve in enumerate(drawn)]
    names = ", ".join(curve.name for curve in drawn)
    return svg.document(width, height, f"graph of {names} over {x_name}", *parts)


def _common_points(drawn: Sequence[Curve]) -> list[Number]:
    return sorted({x for curve in drawn for x in curve.points})


def _curve(frame: axes.Frame, curve: Curve, colour: str) -> str:
    places = [
        (frame.x(axes.as_float(x)), frame.y(axes.as_float(y))) for x, y in zip(curve.points, curve.values, strict=True)
    ]
    line = svg.element("path", {"class": "curve", "d": svg.path(places), "stroke": colour})
    if len(curve.breakpoints) > MARKED:
        return line
    inner = zip(curve.breakpoints, curve.values[1:-1], places[1:-1], strict=True)
    return line + "".join(
        svg.element(
            "circle",
            {"cx": x, "cy": y, "r": "3.5", "fill": colour},
            svg.tooltip(f"{curve.name}({axes.label(point, 40)}) = {axes.label(value, 40)}"),
        )
        for point, value, (x, y) in inner
    )


def _legend_entry(x: float, name: str, colour: str, room: float) -> str:
    letters = max(4, int((room - 24) / 7))
    shown = name if len(name) <= letters else f"{name[: letters - 1]}…"
    line = svg.element("rect", {"x": x, "y": "12", "width": "14", "height": "4", "fill": colour})
    return svg.element("g", {}, svg.tooltip(name), line, svg.text(shown, x + 20, 18, "start"))
