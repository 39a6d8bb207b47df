"""The same pictures by matplotlib, for print: SVG or PNG, the same bytes for the same function."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Mapping, Sequence
from itertools import pairwise
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from verimv.formulas.dag import VARIABLE
from verimv.formulas.formula import Formula
from verimv.show.pictures import svg
from verimv.show.pictures.axes import as_float, exact_ticks, label, round_ticks
from verimv.show.pictures.curves import MARKED, MAX_CURVES, Curve, value_range
from verimv.show.pictures.graph import FILLS, GREY, RADIUS, RANK_HEIGHT, SYMBOLS, Drawn, node_width, place
from verimv.show.pictures.maps import SCALE, Ends, RegionMap
from verimv.show.pictures.matplotlib_files import SETTINGS, saved

_POINTS = 72.0
#: Characters of a line above a picture.
_LINE = 80
#: Pixels of a map in each direction.
PIXELS = 720


class Words(NamedTuple):
    """What is written into a picture: its title, what is fixed, and full names."""

    title: str = ""
    fixed: str = ""
    labels: Mapping[str, str] = MappingProxyType({})

    def name(self, name: str) -> str:
        return self.labels.get(name, name)

    def onto(self, figure: Any) -> None:
        lines = [*textwrap.wrap(self.title, _LINE), *textwrap.wrap(self.fixed, _LINE)]
        if lines:
            figure.suptitle("\n".join(lines), fontsize=8)


NO_WORDS = Words()


def _figure(width: float, height: float, draw: Callable[[Any], None], kind: str) -> bytes:
    """Return the bytes of a figure; its size is in inches."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS):
        figure = Figure(figsize=(width, height), layout="constrained")
        draw(figure)
        return saved(figure, kind)


def curves_figure(drawn: Sequence[Curve], x_name: str, kind: str, words: Words = NO_WORDS) -> bytes:
    """Return the graphs in one frame, with their breakpoints marked, and a line at 0 if values are on both sides."""
    if len(drawn) > MAX_CURVES:
        drawn = drawn[:MAX_CURVES]

    def draw(figure: Any) -> None:
        axes = figure.add_subplot()
        for curve, colour in zip(drawn, svg.COLOURS, strict=False):
            x, y = ([as_float(number) for number in numbers] for numbers in (curve.points, curve.values))
            marks = "o" if len(curve.breakpoints) <= MARKED else ""
            axes.plot(x, y, color=colour, linewidth=1.4, label=words.name(curve.name))
            axes.plot(x[1:-1], y[1:-1], marks, color=colour, markersize=3.5)
        points = sorted({x for curve in drawn for x in curve.points})
        if ticks := exact_ticks(points, 260, 16):
            axes.set_xticks([tick.place for tick in ticks], [tick.text for tick in ticks])
        axes.set_xlim(as_float(points[0]), as_float(points[-1]))
        low, high = value_range(drawn)
        axes.set_ylim(low - 0.02 * (high - low), high + 0.02 * (high - low))
        if any(min(curve.values) < 0 < max(curve.values) for curve in drawn):
            axes.axhline(0, color="black", linewidth=0.8, linestyle=(0, (4, 3)))
        words.onto(figure)
        axes.set_xlabel(words.name(x_name))
        axes.grid(True, linewidth=0.3, alpha=0.6)
        if len(drawn) > 1:
            axes.legend()
        else:
            axes.set_ylabel(words.name(drawn[0].name))

    return _figure(4.4, 3.0, draw, kind)


def map_figure(
    drawn: Sequence[RegionMap],
    inputs: Sequence[str],
    box: Ends,
    kind: str,
    words: Words = NO_WORDS,
) -> bytes:
    """Return a map for each output, side by side: values as colours, lines where it bends and where it is 0."""

    def draw(figure: Any) -> None:
        from matplotlib.colors import LinearSegmentedColormap

        colours = LinearSegmentedColormap.from_list("verimv", SCALE)
        for number, region_map in enumerate(drawn, start=1):
            axes = figure.add_subplot(1, len(drawn), number)
            _fill(figure, axes, region_map, box, colours)
            axes.set_xlabel(words.name(inputs[0]))
            axes.set_ylabel(words.name(inputs[1]))
            told = f"{region_map.regions:,} linear region{'s' * (region_map.regions != 1)}"
            dashed = "; 0 on the black line" if region_map.zeros else ""
            axes.set_title(f"{words.name(region_map.name)}: {told}{dashed}", fontsize=8)
        words.onto(figure)

    return _figure(4.2 * len(drawn), 3.4, draw, kind)


def raster(drawn: RegionMap, pixels: int = PIXELS) -> np.ndarray[Any, np.dtype[np.float64]]:
    """Return the values at the centres of the pixels of the unit square, row by row from below."""
    places = (np.arange(pixels) + 0.5) / pixels
    values = np.full((pixels, pixels), np.nan)
    for cell in drawn.cells:
        corners = [(as_float(x), as_float(y)) for x, y in cell.corners]
        spans = [(min(axis), max(axis)) for axis in zip(*corners, strict=True)]
        columns, rows = (slice(*np.searchsorted(places, span)) for span in spans)
        x, y = places[None, columns], places[rows, None]
        inside = np.full((y.size, x.size), True)
        for (px, py), (qx, qy) in zip(corners, corners[1:] + corners[:1], strict=True):
            inside &= (qx - px) * (y - py) - (qy - py) * (x - px) >= -1e-9
        a, b = (as_float(weight) for weight in cell.form.dense(2))
        values[rows, columns][inside] = (a * x + b * y + as_float(cell.form.constant))[inside]
    return values


def _fill(figure: Any, axes: Any, drawn: RegionMap, box: Ends, colours: Any) -> None:
    from matplotlib.collections import LineCollection

    (x_low, x_high), (y_low, y_high) = ((as_float(low), as_float(high)) for low, high in box)

    def at(point: tuple[Any, Any]) -> tuple[float, float]:
        return x_low + (x_high - x_low) * as_float(point[0]), y_low + (y_high - y_low) * as_float(point[1])

    low, high = as_float(drawn.low), as_float(drawn.high)
    limits = {"vmin": low, "vmax": high if high > low else low + 1.0}
    extent = (x_low, x_high if x_high > x_low else x_low + 1, y_low, y_high if y_high > y_low else y_low + 1)
    mesh = axes.imshow(raster(drawn), origin="lower", extent=extent, cmap=colours, aspect="auto", **limits)
    sides = [[at(p), at(q)] for p, q in drawn.borders]
    axes.add_collection(LineCollection(sides, colors="black", linewidths=1.1, alpha=0.35))
    axes.add_collection(LineCollection(sides, colors="white", linewidths=0.55))
    if drawn.zeros:
        lines = LineCollection([[at(p), at(q)] for p, q in drawn.zeros], colors="black", linewidths=1.6)
        axes.add_collection(lines)
    if high > low:
        bar = figure.colorbar(mesh, ax=axes)
        ends = [(low, label(drawn.low)), (high, label(drawn.high))]
        inner = [tick for tick in round_ticks(low, high) if 0.06 < (tick.place - low) / (high - low) < 0.94]
        ticks = sorted([*ends, *((tick.place, tick.text) for tick in inner)])
        bar.set_ticks([place for place, _ in ticks], labels=[text for _, text in ticks])


def graph_figure(formula: Formula, drawn: Drawn, kind: str, words: Words = NO_WORDS) -> bytes:
    """Return a drawing of the shared DAG, outputs at the top. Operands of dashed nodes are left out."""
    placed = place(formula, drawn)
    width, height = (
        max(placed.width + 20, 5.0 * len(words.title)),
        placed.ranks * RANK_HEIGHT + 30 + 24 * bool(words.title),
    )

    def draw(figure: Any) -> None:
        figure.set_layout_engine("none")
        axes = figure.add_axes((0, 0, 1, 1))
        axes.set_axis_off()
        axes.set_xlim(0, width)
        axes.set_ylim(0, height)
        spots = {node: (x + 10, 24 + rank * RANK_HEIGHT) for node, (x, rank) in placed.places.items()}
        for way in placed.edges.values():
            _edge(axes, [(x + 10, 24 + rank * RANK_HEIGHT) for x, rank in way])
        for node, spot in spots.items():
            _node(axes, formula, node, spot, drawn)
        if words.title:
            axes.text(6, height - 6, words.title, ha="left", va="top", fontsize=8)
        for name, root in zip(formula.outputs, formula.roots, strict=True):
            axes.text(spots[root][0], spots[root][1] + RADIUS + 5, name, ha="center", va="bottom", fontsize=9)

    return _figure(max(1.2, width / _POINTS * 0.75), max(1.0, height / _POINTS * 0.75), draw, kind)


def _edge(axes: Any, points: Sequence[tuple[float, float]]) -> None:
    from matplotlib.patches import PathPatch
    from matplotlib.path import Path

    codes, corners = [Path.MOVETO], [points[0]]
    for (x, y), (u, v) in pairwise(points):
        middle = (y + v) / 2
        corners += [(x, middle), (u, middle), (u, v)]
        codes += [Path.CURVE4] * 3
    axes.add_patch(PathPatch(Path(corners, codes), fill=False, edgecolor="#8a919c", linewidth=0.7, zorder=1))


def _node(axes: Any, formula: Formula, node: int, spot: tuple[float, float], drawn: Drawn) -> None:
    from matplotlib.patches import Circle, FancyBboxPatch

    kind, label, (x, y) = formula.dag.kinds[node], drawn.label(formula.dag, node), spot
    is_cut, is_sign = node in drawn.cut, label in SYMBOLS.values()
    width = node_width(label)
    style: dict[str, Any] = {
        "facecolor": FILLS.get(kind, GREY),
        "edgecolor": "black" if is_cut else "none",
        "linestyle": "--" if is_cut else "-",
        "linewidth": 0.7,
        "zorder": 2,
    }
    if is_sign:
        axes.add_patch(Circle((x, y), RADIUS, **style))
    else:
        corners = f"round,pad=0,rounding_size={3 if kind == VARIABLE else RADIUS * 0.8:.0f}"
        axes.add_patch(FancyBboxPatch((x - width / 2, y - RADIUS), width, 2 * RADIUS, boxstyle=corners, **style))
    size = 11 if is_sign else 7.5
    axes.text(x, y - 0.5, label, ha="center", va="center_baseline", color="white", fontsize=size, zorder=3)
