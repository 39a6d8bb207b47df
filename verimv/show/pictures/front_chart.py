"""A front as a picture: how long formulas are, against how far from the network they may be."""

from __future__ import annotations

import math
from itertools import pairwise

from verimv.approximation.front import Front, FrontRow
from verimv.approximation.front_text import length_text, share
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.show.pictures import axes, svg

_WIDTH, _HEIGHT = 560.0, 340.0
_LEFT, _TOP = 66.0, 34.0
#: Powers of ten that are labelled.
_TICKS = 6


def front_svg(front: Front) -> str:
    """Return a chart with a dot per formula: to the right the proved error, upwards the length, on a logarithmic scale.

    A bar leads from each dot to the largest error that was seen.
    """
    rows = [(row, axes.as_float(row.proved)) for row in front.rows if row.proved is not None]
    most = max((error for _, error in rows), default=0.0) or 1.0
    top = max(1.0, math.ceil(max((_height(row) for row, _ in rows), default=1.0)))
    frame = axes.Frame(_LEFT, _TOP, _WIDTH - _LEFT - 90, _HEIGHT - _TOP - 52, (0.0, most), (_BELOW, top))
    parts = [frame.axes(axes.round_ticks(0.0, most), _ticks(top), "proved error", "length")]
    spots = [(frame.x(error), frame.y(_height(row))) for row, error in rows]
    for (x, y), (u, v) in pairwise(spots):  # no formula that was found is below this line
        steps = svg.path([(x, y), (u, y), (u, v)])
        parts.append(svg.element("path", {"class": "edge", "d": steps, "stroke-dasharray": "3 3"}))
    for (row, _), spot in zip(rows, spots, strict=True):
        parts.append(_dot(frame, row, spot))
    label = f"length and proved error of {len(rows)} formulas"
    return svg.document(_WIDTH, _HEIGHT, label, *parts) + "\n"


#: The height of a formula without variables.
_BELOW = -0.5


def _height(row: FrontRow) -> float:
    """Return the decimal logarithm of a length, which may itself be given as a binary one."""
    if isinstance(row.length, float):
        return row.length * math.log10(2)
    return math.log10(row.length) if row.length else _BELOW


def _ticks(top: float) -> list[axes.Tick]:
    step = max(1, math.ceil(top / _TICKS))
    powers = [axes.Tick(float(k), f"{10**k:,}" if k < 5 else f"10^{k}") for k in range(0, int(top) + 1, step)]
    return [axes.Tick(_BELOW, "0"), *powers]


def _dot(frame: axes.Frame, row: FrontRow, spot: tuple[float, float]) -> str:
    x, y = spot
    colour = svg.COLOURS[0]
    words = [f"{row.number}: {row.within}", f"length {length_text(row.length)}"]
    if row.proved is not None:
        words.append(f"error at most {rounded_up(row.proved)}, at least {rounded_down(row.attained)}")
    beside = row.within
    if row.agreement is not None:
        agrees = share(row.agreement.agree, row.agreement.rows)
        words.append(f"agrees at {agrees} of the data")
        beside += f": agrees {agrees}"
    line = svg.path([(frame.x(axes.as_float(row.attained)), y), (x, y)])
    return svg.element(
        "g",
        {},
        svg.tooltip("; ".join(words)),
        svg.element("path", {"d": line, "stroke": colour, "stroke-width": 2.0}),
        svg.element("circle", {"cx": x, "cy": y, "r": 4.5, "fill": colour}),
        svg.text(beside, x + 8, y - 7, "start", "minor"),
    )
