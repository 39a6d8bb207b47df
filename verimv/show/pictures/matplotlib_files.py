"""Files drawn by matplotlib: the same settings for all figures, and the same bytes for the same figure.

matplotlib is optional, so it is imported only when a figure is drawn.
"""

from __future__ import annotations

import importlib.util
import io
from typing import Any

FORMATS = ("svg", "png")
#: Dots per inch of a PNG file, and its pixels at most, in each direction.
_DPI, _MOST_PIXELS = 300, 4000

#: Settings of matplotlib for all figures.
SETTINGS: dict[Any, Any] = {
    "font.size": 8,
    "font.family": "DejaVu Sans",
    "axes.spines.top": False,
    "axes.spines.right": False,
    "legend.frameon": False,
    "svg.hashsalt": "verimv",
    "svg.fonttype": "none",
}


def available() -> bool:
    return importlib.util.find_spec("matplotlib") is not None


def saved(figure: Any, kind: str) -> bytes:
    """Return the bytes of a figure, without a date or a version."""
    data = io.BytesIO()
    metadata = {"Date": None} if kind == "svg" else {"Software": None}
    dpi = min(_DPI, int(_MOST_PIXELS / max(figure.get_size_inches())))
    figure.savefig(data, format=kind, dpi=dpi, metadata=metadata)
    return data.getvalue()
