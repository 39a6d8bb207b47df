"""Axes of pictures: a frame, ticks, and how exact numbers are labelled."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence
from typing import NamedTuple

from verimv.exact import Number, Rational, format_number
from verimv.exact.decimals import decimal
from verimv.show.pictures.svg import element, path, text

#: Larger numbers are drawn as if they were this.
MAX_FLOAT = 1e100
_END = Rational(10) ** 100


def label(x: Number, digits: int = 9) -> str:
    """Return the exact number if it is short, otherwise a rounded decimal after ≈."""
    exact = format_number(x)
    return (exact if len(exact) <= digits else f"≈{decimal(x, 4)[0]}").replace("-", "−")


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
