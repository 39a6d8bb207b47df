"""The paper's figures, as SVG and PNG; matplotlib is imported only when one is drawn."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from verimv.paper.experiments.campaign import ExperimentRecord
from verimv.paper.experiments.comparison import METHODS
from verimv.paper.experiments.means import Curve, curve
from verimv.show.pictures.matplotlib_files import FORMATS, SETTINGS, saved

#: Colour (for colour-blind people, too), marker and line of each curve.
_STYLES = {
    "source": ("#777777", "", ":"),
    "shallow": ("#CC3311", "v", "-"),
    "schauder": ("#EE7733", "s", "-"),
    "hyperplane": ("#009988", "^", "-"),
    "hyperplane_few": ("#009988", "", "--"),
    "deep": ("#0077BB", "o", "-"),
    "compact": ("#AA3377", "x", "--"),
    "simplified": ("#222222", "D", "-"),
    "minimum": ("#BBAA00", "", ":"),
    "breakpoints": ("#0077BB", "o", "-"),
    "breakpoints_any": ("#EE7733", "s", "--"),
}
_LABELS = METHODS | {
    "source": "source term",
    "minimum": "shortest formula",
    "breakpoints": "every operator acts",
    "breakpoints_any": "any terms",
}

_PANEL_INCHES = (3.5, 2.9)
#: So wide that the legend fits.
_LEAST_WIDTH = 4.2


@dataclass(frozen=True)
class Panel:
    columns: Sequence[str]
    y_label: str
    log: bool
    title: str = ""


_ONE_LENGTH = "length of the formula"
_MEAN_LENGTH = "mean length of the formula"
_ALL = ("shallow", "schauder", "hyperplane", "hyperplane_few", "deep", "compact")
_OTHERS = ("simplified", "minimum", "source")

_ZOOM = "zoom: without the shallow network"

#: The panels of each figure. In `random`, the right one is the left one without the shallow network.
PANELS = {
    "lengths": (Panel(_ALL, _ONE_LENGTH, True, "all methods"), Panel(_ALL[1:], _ONE_LENGTH, True, _ZOOM)),
    "random": (
        Panel((*_ALL, *_OTHERS), _MEAN_LENGTH, True, "all methods"),
        Panel((*_ALL[1:], *_OTHERS), _MEAN_LENGTH, False, f"{_ZOOM}, linear scale"),
    ),
    "breakpoints": (Panel(("breakpoints", "breakpoints_any"), "mean number of breakpoints", False),),
    "compositions": (Panel((*_ALL[1:], *_OTHERS), _MEAN_LENGTH, True),),
    "multivariate": (Panel(("hyperplane_few", "deep", "compact", *_OTHERS), _MEAN_LENGTH, True),),
}


def draw(record: ExperimentRecord, runs: int) -> dict[str, bytes]:
    """Return the figure of an experiment, by format; the same numbers give the same bytes."""
    import matplotlib
    from matplotlib.figure import Figure

    with matplotlib.rc_context(SETTINGS):
        panels = PANELS[record.experiment.name]
        width, height = _PANEL_INCHES
        figure = Figure(figsize=(max(width * len(panels), _LEAST_WIDTH), height), layout="constrained")
        first = figure.add_subplot(1, len(panels), 1)
        _fill(first, record, runs, panels[0])
        for number, panel in enumerate(panels[1:], start=2):
            _fill(figure.add_subplot(1, len(panels), number), record, runs, panel)
        told = "" if record.experiment.deterministic else f"\nmeans over {runs:,} runs, with 95 % intervals"
        figure.suptitle(f"{record.experiment.title}{told}", fontsize=8)
        handles, labels = first.get_legend_handles_labels()
        if len(handles) > 1:  # the first panel has all curves; outside, it hides none
            columns = -(-len(handles) // 3) if len(panels) > 1 else 2
            figure.legend(handles, labels, loc="outside lower center", ncols=columns, fontsize=7, handlelength=2.8)
        return {kind: saved(figure, kind) for kind in FORMATS}


def _fill(axes: Any, record: ExperimentRecord, runs: int, panel: Panel) -> None:
    for name in panel.columns:
        points = curve(record, name, runs) if name in record.experiment.columns else []
        if points:
            _plot(axes, name, points)
    if panel.title:
        axes.set_title(panel.title, fontsize=7.5)
    axes.set_xlabel(record.experiment.x_label)
    axes.set_ylabel(panel.y_label)
    axes.set_xticks(list(record.experiment.xs))
    if panel.log:
        axes.set_yscale("log")
    else:
        axes.set_ylim(bottom=0)
    axes.grid(True, which="major", linewidth=0.3, alpha=0.6)


def _plot(axes: Any, name: str, points: Curve) -> None:
    colour, marker, line = _STYLES[name]
    xs = [point.x for point in points]
    axes.plot(
        xs,
        [float(point.mean) for point in points],
        color=colour,
        marker=marker,
        linestyle=line,
        markersize=4,
        linewidth=1.2,
        label=_LABELS[name],
    )
    if any(point.low != point.high for point in points):
        axes.fill_between(
            xs, [point.low for point in points], [point.high for point in points], color=colour, alpha=0.18, linewidth=0
        )
