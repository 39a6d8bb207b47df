"""Ranges of a layer's neurons, side by side: those of interval arithmetic, and those proved and used."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import NamedTuple

from verimv.exact import Number
from verimv.show.pictures import axes, svg

#: Neurons of a layer that are drawn.
MAX_BARS = 160

Ends = tuple[Number, Number]


class Ranges(NamedTuple):
    interval: Ends
    used: Ends


def chart_width(count: int) -> float:
    """Return the width in pixels for so many neurons."""
    return 74 + min(860.0, max(150.0, 18.0 * min(count, MAX_BARS)))


def ranges_svg(bars: Sequence[Ranges], layer: int, height: float = 170) -> str:
    """Return a chart with a bar per neuron: light for intervals, dark for the range used."""
    shown = bars[:MAX_BARS]
    width = chart_width(len(bars))
    ends = [axes.as_float(end) for bar in shown for pair in bar for end in pair]
    scale = _Scale(min(0.0, *ends), max(0.0, *ends), max(abs(axes.as_float(end)) for bar in shown for end in bar.used))
    frame = axes.Frame(58, 14, width - 74, height - 50, (0.0, float(len(shown))), (scale(scale.low), scale(scale.high)))
    ticks = [axes.Tick(scale(tick.place), tick.text) for tick in scale.ticks()]
    step = max(1, math.ceil(len(shown) / 16))
    numbers = [axes.Tick(i + 0.5, str(i)) for i in range(0, len(shown), step)]
    thick = min(16.0, frame.width / len(shown) * 0.72)
    parts = [frame.axes([], ticks, "", "")]
    for i, bar in enumerate(shown):
        hint = svg.tooltip(f"neuron {i}: intervals {_ends(bar.interval)}, used {_ends(bar.used)}")
        boxes = [
            _bar(frame, scale, i, pair, thick * share, kind)
            for pair, share, kind in ((bar.interval, 1.0, "loose"), (bar.used, 0.62, "tight"))
        ]
        parts.append(svg.element("g", {}, hint, *boxes))
    zero = frame.y(scale(0.0))
    parts.append(svg.element("path", {"class": "axis", "d": svg.path([(58, zero), (58 + frame.width, zero)])}))
    parts += [svg.text(tick.text, frame.x(tick.place), height - 18, kind="minor") for tick in numbers]
    return svg.document(width, height, f"ranges of the {len(bars)} neurons of layer {layer}", *parts)


def _ends(pair: Ends) -> str:
    return f"[{axes.label(pair[0], 14)}, {axes.label(pair[1], 14)}]"


class _Scale:
    """A linear scale, or an asinh scale if intervals are much wider than the ranges used."""

    def __init__(self, low: float, high: float, used: float) -> None:
        self.low, self.high = (low, high) if high > low else (low, low + 1.0)
        self.unit = used if used and max(-low, high) > 12 * used else None

    def __call__(self, value: float) -> float:
        return value if self.unit is None else math.asinh(2 * value / self.unit)

    def ticks(self) -> list[axes.Tick]:
        if self.unit is None:
            return axes.round_ticks(self.low, self.high, 4)
        power, largest = 10.0 ** math.floor(math.log10(self.unit)), max(-self.low, self.high)
        step = 10.0 ** math.ceil(math.log10(largest / self.unit) / 4)
        found = [0.0]
        while power <= largest:
            found += [sign * power for sign in (-1, 1) if self.low <= sign * power <= self.high]
            power *= step
        return [axes.Tick(x, f"{x:.4g}".replace("-", "−")) for x in sorted(found)]


def _bar(frame: axes.Frame, scale: _Scale, i: int, pair: Ends, thick: float, kind: str) -> str:
    top, bottom = frame.y(scale(axes.as_float(pair[1]))), frame.y(scale(axes.as_float(pair[0])))
    attributes: dict[str, object] = {
        "class": kind,
        "x": frame.x(i + 0.5) - thick / 2,
        "y": top - 0.5,
        "width": thick,
        "height": max(1.0, bottom - top),
    }
    return svg.element("rect", attributes)
