"""A front as a picture: lengths of formulas, and how often they decide as the network, against proved errors."""

from __future__ import annotations

import math
from itertools import pairwise
from typing import NamedTuple

from verimv.approximation.front import Front, FrontRow
from verimv.approximation.front_text import length_text, share
from verimv.exact.decimals import rounded_down, rounded_up
from verimv.show.pictures import axes, svg

_WIDTH = 560.0
_LEFT, _RIGHT = 66.0, 70.0
#: The charts of lengths, and of decisions if there are data: where they begin, and how high they are.
_LENGTHS, _DECISIONS = (34.0, 230.0), (330.0, 110.0)
#: Below each chart.
_FOOT = 50.0
#: Powers of ten that are labelled.
_TICKS = 6
#: The height of a formula without variables, and room above the longest, as decimal logarithms.
_BELOW, _ABOVE = -0.5, 0.3
#: Pixels of a letter, and of a line.
_LETTER, _LINE = 7.0, 14.0


class _Spot(NamedTuple):
    """A formula at its place."""

    row: FrontRow
    x: float
    y: float


def front_svg(front: Front) -> str:
    """Return a chart with a dot per formula: to the right the proved error, upwards the length, on a logarithmic scale.

    A bar leads from each dot to the largest error that was seen. With data, a second chart has the share of rows at
    which formula and network decide alike, and of those where they must by the proved error.
    """
    rows = [(row, axes.as_float(row.proved)) for row in front.rows if row.proved is not None]
    most = max((error for _, error in rows), default=0.0) or 1.0
    parts, height = [_lengths(rows, most)], sum(_LENGTHS) + _FOOT
    if front.sample is not None:
        parts.append(_decisions(rows, most))
        height = sum(_DECISIONS) + _FOOT
    label = f"length and proved error of {len(rows)} formulas"
    return svg.document(_WIDTH, height, label, *parts) + "\n"


def _frame(place: tuple[float, float], most: float, ends: tuple[float, float]) -> axes.Frame:
    return axes.Frame(_LEFT, place[0], _WIDTH - _LEFT - _RIGHT, place[1], (0.0, most), ends)


def _lengths(rows: list[tuple[FrontRow, float]], most: float) -> str:
    top = max([1.0, *(_height(row) for row, _ in rows)])
    frame = _frame(_LENGTHS, most, (_BELOW, top + _ABOVE))
    spots = [_Spot(row, frame.x(error), frame.y(_height(row))) for row, error in rows]
    parts = [frame.axes(axes.round_ticks(0.0, most), _ticks(top), "proved error", "length")]
    for left, right in pairwise(spots):  # no formula that was found is below this line
        steps = svg.path([(left.x, left.y), (right.x, left.y), (right.x, right.y)])
        parts.append(svg.element("path", {"class": "edge", "d": steps, "stroke-dasharray": "3 3"}))
    before: _Spot | None = None
    for spot in spots:
        is_near = before is not None and _are_near(before, spot)
        seen = frame.x(axes.as_float(spot.row.attained))
        parts.append(_dot(spot, seen, below=is_near))
        before = None if is_near else spot  # a label above, then one below
    return "".join(parts)


def _are_near(left: _Spot, right: _Spot) -> bool:
    """Return whether the labels of two dots would overlap."""
    return right.x - left.x < _LETTER * (len(left.row.within) + 2) and abs(right.y - left.y) < _LINE


def _height(row: FrontRow) -> float:
    """Return the decimal logarithm of a length, which may itself be given as a binary one."""
    if isinstance(row.length, float):
        return row.length * math.log10(2)
    return math.log10(row.length) if row.length else _BELOW


def _ticks(top: float) -> list[axes.Tick]:
    step = max(1, math.ceil(top / _TICKS))
    powers = [axes.Tick(float(k), f"{10**k:,}" if k < 5 else f"10^{k}") for k in range(0, int(top) + 1, step)]
    return [axes.Tick(_BELOW, "0"), *powers]


def _dot(spot: _Spot, seen: float, below: bool) -> str:
    row, colour = spot.row, svg.COLOURS[0]
    words = [f"{row.number}: {row.within}", f"length {length_text(row.length)}"]
    if row.proved is not None:
        words.append(f"error at most {rounded_up(row.proved)}, at least {rounded_down(row.attained)}")
    return svg.element(
        "g",
        {},
        svg.tooltip("; ".join(words)),
        svg.element("path", {"d": svg.path([(seen, spot.y), (spot.x, spot.y)]), "stroke": colour, "stroke-width": 2.0}),
        svg.element("circle", {"cx": spot.x, "cy": spot.y, "r": 4.5, "fill": colour}),
        svg.text(row.within, spot.x + 8, spot.y + (_LINE if below else -7), "start", "minor"),
    )


def _decisions(rows: list[tuple[FrontRow, float]], most: float) -> str:
    frame = _frame(_DECISIONS, most, (0.0, 1.0))
    ticks = [axes.Tick(k / 4, f"{25 * k}%") for k in range(0, 5, 2)]
    parts = [frame.axes(axes.round_ticks(0.0, most), ticks, "proved error", "rows of the data")]
    counts = [
        (error, row, row.agreement.rows, {"agrees": row.agreement.agree, "must agree": row.agreement.safe})
        for row, error in rows
        if row.agreement is not None
    ]
    for number, name in enumerate(("agrees", "must agree")):
        colour = svg.COLOURS[number]
        places = [(frame.x(error), frame.y(found[name] / total)) for error, _, total, found in counts]
        style = {"class": "curve", "stroke": colour, "d": svg.path(places), "stroke-width": 1.4}
        parts.append(svg.element("path", style))
        for (x, y), (_, row, total, found) in zip(places, counts, strict=True):
            hint = svg.tooltip(f"{row.number}: {row.within}; {name} at {share(found[name], total)} of the rows")
            parts.append(svg.element("circle", {"cx": x, "cy": y, "r": 4.0, "fill": colour}, hint))
        legend = frame.left + 190 + 110 * number
        parts.append(svg.element("circle", {"cx": legend, "cy": frame.top - 14, "r": 4.0, "fill": colour}))
        parts.append(svg.text(name, legend + 9, frame.top - 10, "start", "minor"))
    return "".join(parts)
