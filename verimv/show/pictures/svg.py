"""SVG as text: elements, a frame with axes, labels of numbers.

Lines and letters have the colour of the text around the picture, so that it fits light and dark pages.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Sequence
from html import escape
from typing import NamedTuple

from verimv.exact import Number, Rational, floor, format_count, format_number

#: Colours that colour-blind people can distinguish, on a light and on a dark background.
COLOURS = ("#3b7dd8", "#d9730d", "#2a9d6f", "#b5508f", "#8a6fd1", "#7f8c2b")

#: Larger numbers are drawn as if they were this.
MAX_FLOAT = 1e100
_END = Rational(10) ** 100

STYLE = (
    ".vmv{font:12px system-ui,sans-serif;fill:currentColor;max-width:100%;height:auto}"
    ".vmv .axis{stroke:currentColor;fill:none}"
    ".vmv .grid{stroke:currentColor;stroke-opacity:.14}"
    ".vmv .border{fill:none;stroke:#fff;stroke-width:.9;stroke-linecap:round}"
    ".vmv .under{stroke:#000;stroke-opacity:.4;stroke-width:2.2}"
    ".vmv .curve{fill:none;stroke-width:2.2;stroke-linejoin:round}"
    ".vmv .edge{fill:none;stroke:currentColor;stroke-opacity:.4;stroke-width:1.2}"
    ".vmv .sign{fill:#fff;font-size:13px}.vmv .sign.big{font-size:17px}"
    ".vmv .loose{fill:#8fa3bf;fill-opacity:.45}.vmv .tight{fill:#3b7dd8}"
    ".vmv .minor{fill-opacity:.7;font-size:11px}"
)


def element(tag: str, attributes: dict[str, object], *children: str) -> str:
    """Return an element. Attribute values are escaped; children are SVG already."""
    written = "".join(f' {name}="{escape(_text(value))}"' for name, value in attributes.items())
    return f"<{tag}{written}>{''.join(children)}</{tag}>" if children else f"<{tag}{written}/>"


def _text(value: object) -> str:
    return f"{value:.2f}" if isinstance(value, float) else str(value)


def text(content: str, x: float, y: float, anchor: str = "middle", kind: str = "") -> str:
    attributes: dict[str, object] = {"x": float(x), "y": float(y), "text-anchor": anchor}
    return element("text", attributes | ({"class": kind} if kind else {}), escape(content))


def tooltip(content: str) -> str:
    return element("title", {}, escape(content))


def path(points: Iterable[tuple[float, float]], closed: bool = False) -> str:
    """Return the attribute `d` of a path."""
    joined = "L".join(f"{x:.2f},{y:.2f}" for x, y in points)
    return f"M{joined}Z" if closed else f"M{joined}"


def document(width: float, height: float, label: str, *children: str) -> str:
    """Return a whole picture; `label` is for screen readers."""
    attributes: dict[str, object] = {
        "xmlns": "http://www.w3.org/2000/svg",
        "class": "vmv",
        "role": "img",
        "aria-label": label,
        "viewBox": f"0 0 {width:.0f} {height:.0f}",
        "width": f"{width:.0f}",
        "height": f"{height:.0f}",
    }
    return element("svg", attributes, element("style", {}, STYLE), *children)


def label(x: Number, digits: int = 9) -> str:
    """Return the exact number if it is short, otherwise a rounded decimal after ≈."""
    exact = format_number(x)
    if len(exact) <= digits:
        return exact.replace("-", "−")
    size = abs(as_float(x))
    rounded = f"{size:.4g}" if size < MAX_FLOAT else format_count(floor(abs(x)))
    return f"≈{'−' if x < 0 else ''}{rounded}".replace("e-", "e−")


def as_float(x: Number) -> float:
    """Return a float for drawing, limited to ±MAX_FLOAT so that its square is finite."""
    return float(max(-_END, min(_END, x)))


class Tick(NamedTuple):
    place: float
    text: str


def round_ticks(low: float, high: float, wanted: int = 5) -> list[Tick]:
    """Return some round decimals between two numbers."""
    if not high - low > 1 / MAX_FLOAT:
        return [Tick(low, f"{low:.4g}")]
    step = 10.0 ** math.floor(math.log10((high - low) / wanted))
    step *= next(factor for factor in (1, 2, 5, 10) if step * factor * wanted >= high - low)
    first, last = math.ceil(low / step - 1e-9), math.floor(high / step + 1e-9)
    return [Tick(i * step, f"{i * step:.6g}".replace("-", "−")) for i in range(first, last + 1)]


def exact_ticks(numbers: Sequence[Number], length: float, room: float) -> list[Tick] | None:
    """Return ticks with exact labels at these numbers, or None if labels would overlap on `length` pixels."""
    low, high = as_float(numbers[0]), as_float(numbers[-1])
    ticks = [Tick(as_float(x), label(x)) for x in numbers]
    gaps = [(b.place - a.place) / ((high - low) or 1) * length for a, b in itertools.pairwise(ticks)]
    widest = max((len(tick.text) for tick in ticks), default=0)
    fits = all(gap >= max(room, 7.0 * widest + 6) for gap in gaps) and not any("≈" in tick.text for tick in ticks)
    return ticks if fits else None


class Frame(NamedTuple):
    """A rectangle in pixels, and the ranges of the numbers drawn in it."""

    left: float
    top: float
    width: float
    height: float
    x_range: tuple[float, float]
    y_range: tuple[float, float]

    def x(self, value: float) -> float:
        low, high = self.x_range
        return self.left + (value - low) / ((high - low) or 1.0) * self.width

    def y(self, value: float) -> float:
        low, high = self.y_range
        return self.top + self.height - (value - low) / ((high - low) or 1.0) * self.height

    def axes(
        self, x_ticks: Sequence[Tick], y_ticks: Sequence[Tick], x_name: str, y_name: str, grid: bool = True
    ) -> str:
        bottom, right = self.top + self.height, self.left + self.width
        lines = [((self.x(tick.place), self.top), (self.x(tick.place), bottom)) for tick in x_ticks]
        lines += [((self.left, self.y(tick.place)), (right, self.y(tick.place))) for tick in y_ticks]
        return "".join(
            [
                element("path", {"class": "grid", "d": "".join(map(path, lines)) if grid else ""}),
                element(
                    "path", {"class": "axis", "d": path([(self.left, self.top), (self.left, bottom), (right, bottom)])}
                ),
                *(text(tick.text, self.x(tick.place), bottom + 16, kind="minor") for tick in x_ticks),
                *(text(tick.text, self.left - 7, self.y(tick.place) + 4, "end", "minor") for tick in y_ticks),
                text(x_name, self.left + self.width / 2, bottom + 34),
                text(y_name, self.left, self.top - 10, "end" if len(y_name) < 6 else "start"),
            ]
        )
