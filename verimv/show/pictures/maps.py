"""Functions of two inputs: their exact linear regions in the subject's own units, and SVG pictures of them.

A function is affine on a region, so a linear gradient shows its values there exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from verimv.core.errors import InputError
from verimv.exact import ONE, ZERO, Number
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.network import Network
from verimv.pieces.regions import Polytope, Region, linear_regions
from verimv.show.pictures import axes, svg

Point = tuple[Number, Number]
Side = tuple[Point, Point]

#: Colours from the smallest to the largest value. Lightness grows evenly, for print and for colour-blind people.
SCALE = ("#2b2350", "#31507f", "#2f7f8c", "#59ab7c", "#b5cf63", "#f6e86b")


class Cell(NamedTuple):
    """A convex polygon in the unit square, counter-clockwise, on which the function is `form`."""

    corners: tuple[Point, ...]
    form: Affine


class RegionMap(NamedTuple):
    """One output on the unit square. `borders` are the segments at which the function bends."""

    name: str
    cells: list[Cell]
    borders: list[Side]
    #: the number of connected sets of cells with the same form
    regions: int
    low: Number
    high: Number
    #: where the function is 0, between values of either sign: the decision line of a margin
    zeros: Sequence[Side] = ()


def region_maps(subject: Formula | Network, limit: int = 20_000, seconds: float = math.inf) -> list[RegionMap]:
    """Return the exact regions of every output of a subject with two inputs.

    Raise :class:`Undecided` if there are more than the limit, or if it takes too long.
    """
    if len(subject.inputs) != 2:
        raise InputError(f"expected two inputs, found {len(subject.inputs)}")
    found = linear_regions(subject, limit=limit, seconds=seconds)
    return [_region_map(name, found, k) for k, name in enumerate(subject.outputs)]


def _region_map(name: str, found: Sequence[Region], output: int) -> RegionMap:
    cells = [Cell(_polygon(region.polytope), region.outputs[output]) for region in found]
    sides: dict[frozenset[Point], list[int]] = {}
    places: dict[frozenset[Point], Side] = {}
    for number, cell in enumerate(cells):
        for side in _sides(cell):
            sides.setdefault(frozenset(side), []).append(number)
            places[frozenset(side)] = side
    classes = list(range(len(cells)))
    borders = []
    for key, owners in sides.items():
        if len(owners) == 2 and cells[owners[0]].form == cells[owners[1]].form:
            _unite(classes, *owners)
        elif len(owners) == 2:
            borders.append(places[key])
    values = [cell.form(corner) for cell in cells for corner in cell.corners]
    regions = sum(_root(classes, number) == number for number in range(len(cells)))
    low, high = min(values), max(values)
    zeros = [side for cell in cells for side in _zero_line(cell)] if low < 0 < high else []
    return RegionMap(name, cells, borders, regions, low, high, zeros)


def _zero_line(cell: Cell) -> Iterator[Side]:
    """Yield the segment of a cell on which its form is 0, if it has one."""
    ends: dict[Point, None] = {}
    for p, q in _sides(cell):
        u, v = cell.form(p), cell.form(q)
        if not u and v:
            ends[p] = None
        elif u < 0 < v or v < 0 < u:
            share = u / (u - v)
            ends[p[0] + (q[0] - p[0]) * share, p[1] + (q[1] - p[1]) * share] = None
        elif not v and u:
            ends[q] = None
    if len(ends) == 2:
        first, last = ends
        yield first, last


def _root(classes: list[int], number: int) -> int:
    while classes[number] != number:
        classes[number] = classes[classes[number]]
        number = classes[number]
    return number


def _unite(classes: list[int], a: int, b: int) -> None:
    classes[_root(classes, a)] = _root(classes, b)


def _sides(cell: Cell) -> Iterator[Side]:
    yield from zip(cell.corners, cell.corners[1:] + cell.corners[:1], strict=True)


def _polygon(polytope: Polytope) -> tuple[Point, ...]:
    """Return the vertices in order: the lower chain from left to right, then the upper one back."""
    points = sorted((vertex[0], vertex[1]) for vertex in polytope.vertices)
    (ax, ay), (bx, by) = points[0], points[-1]
    below: list[Point] = []
    above: list[Point] = []
    for x, y in points[1:-1]:
        (below if (bx - ax) * (y - ay) < (by - ay) * (x - ax) else above).append((x, y))
    return (points[0], *below, points[-1], *reversed(above))


Ends = tuple[tuple[Number, Number], tuple[Number, Number]]


def box_of(subject: Formula | Network) -> Ends:
    box = subject.box if isinstance(subject, Network) else ((ZERO, ONE),) * 2
    return box[0], box[1]


class Shading(NamedTuple):
    """Points at which an affine function has the smallest and the largest value of the map.

    For a constant function, `share` is the position of its value in that range.
    """

    first: tuple[float, float]
    last: tuple[float, float]
    share: float | None


def shading(form: Affine, drawn: RegionMap, scale: tuple[float, float]) -> Shading:
    """Return the gradient of a form. `scale` has the pixels per unit: gradients are perpendicular in pixels."""
    low, span = axes.as_float(drawn.low), axes.as_float(drawn.high - drawn.low)
    (a, b), c = (axes.as_float(w) for w in form.dense(2)), axes.as_float(form.constant)
    gx, gy = a / scale[0], b / scale[1]
    square = gx * gx + gy * gy
    if not span or square < 1e-18:
        return Shading((0, 0), (0, 0), min(1.0, max(0.0, (c - low) / span)) if span else 0.5)
    first, last = (
        tuple((goal - c) * g / square / s for g, s in zip((gx, gy), scale, strict=True)) for goal in (low, low + span)
    )
    return Shading((first[0], first[1]), (last[0], last[1]), None)


def mixed(share: float) -> str:
    """Return the colour of a value, given as a share of the range."""
    place = share * (len(SCALE) - 1)
    i = min(int(place), len(SCALE) - 2)
    pair = [[int(colour[k : k + 2], 16) for k in (1, 3, 5)] for colour in SCALE[i : i + 2]]
    return "#" + "".join(f"{round(x + (y - x) * (place - i)):02x}" for x, y in zip(*pair, strict=True))


def map_svg(drawn: RegionMap, inputs: Sequence[str], box: Ends, identifier: str, size: float = 360) -> str:
    """Return the square with every region shaded by its values.

    `identifier` begins the names of gradients, which must differ between the pictures of a page.
    """
    (x_low, x_high), (y_low, y_high) = ((axes.as_float(low), axes.as_float(high)) for low, high in box)
    frame = axes.Frame(58, 30, size - 40, size - 40, (x_low, x_high), (y_low, y_high))
    unit = frame._replace(x_range=(0.0, 1.0), y_range=(0.0, 1.0))  # regions are in the unit square
    forms: dict[Affine, list[Cell]] = {}
    for cell in drawn.cells:
        forms.setdefault(cell.form, []).append(cell)
    gradients, areas = [_stops(identifier)], []
    for number, (form, cells) in enumerate(forms.items()):
        paint, gradient = _paint(
            shading(form, drawn, (unit.width, unit.height)), unit, f"{identifier}-{number}", identifier
        )
        gradients += gradient
        d = "".join(
            svg.path(((unit.x(axes.as_float(x)), unit.y(axes.as_float(y))) for x, y in cell.corners), True)
            for cell in cells
        )
        areas.append(svg.element("path", {"d": d, "fill": paint, "stroke": paint, "stroke-width": "0.7"}))
    borders = "".join(
        svg.path((unit.x(axes.as_float(x)), unit.y(axes.as_float(y))) for x, y in ends) for ends in drawn.borders
    )
    zeros = "".join(
        svg.path((unit.x(axes.as_float(x)), unit.y(axes.as_float(y))) for x, y in ends) for ends in drawn.zeros
    )
    parts = [
        svg.element("defs", {}, *gradients),
        *areas,
        svg.element("path", {"class": "border under", "d": borders}),
        svg.element("path", {"class": "border", "d": borders}),
        *([svg.element("path", {"class": "zero", "d": zeros})] if zeros else []),
        frame.axes(axes.round_ticks(x_low, x_high), axes.round_ticks(y_low, y_high), inputs[0], inputs[1], grid=False),
        _key(drawn, identifier, frame),
    ]
    label = f"map of {drawn.name} over {inputs[0]} and {inputs[1]}: {drawn.regions} linear regions"
    return svg.document(size + 140, size + 44, label, *parts)


def _stops(identifier: str) -> str:
    stops = [
        svg.element("stop", {"offset": f"{i / (len(SCALE) - 1):.2f}", "stop-color": colour})
        for i, colour in enumerate(SCALE)
    ]
    return svg.element("linearGradient", {"id": identifier, "x1": "0", "y1": "1", "x2": "0", "y2": "0"}, *stops)


def _paint(shade: Shading, unit: axes.Frame, name: str, stops: str) -> tuple[str, list[str]]:
    """Return the fill of a region, and the gradient that it needs, if any."""
    if shade.share is not None:
        return mixed(shade.share), []
    ends = {"x1": shade.first[0], "y1": shade.first[1], "x2": shade.last[0], "y2": shade.last[1]}
    placed = {key: f"{unit.x(v) if key[0] == 'x' else unit.y(v):.3f}" for key, v in ends.items()}
    attributes: dict[str, object] = {"id": name, "gradientUnits": "userSpaceOnUse", "href": f"#{stops}", **placed}
    return f"url(#{name})", [svg.element("linearGradient", attributes)]


def _key(drawn: RegionMap, identifier: str, frame: axes.Frame) -> str:
    left, top, bottom = frame.left + frame.width + 22, frame.top, frame.top + frame.height
    bar = {"x": left, "y": top, "width": "12", "height": frame.height, "fill": f"url(#{identifier})"}
    return "".join(
        [
            svg.element("rect", bar),
            svg.text(drawn.name, left, top - 10, "start"),
            svg.text(axes.label(drawn.high), left + 18, top + 10, "start", "minor"),
            svg.text(axes.label(drawn.low), left + 18, bottom, "start", "minor"),
        ]
    )
