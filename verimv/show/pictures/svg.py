"""SVG elements as text, escaped. Lines and letters take the colour of the text around the picture."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

#: Colours that colour-blind people can distinguish, on a light and on a dark background.
COLOURS = ("#3b7dd8", "#d9730d", "#2a9d6f", "#b5508f", "#8a6fd1", "#7f8c2b")

STYLE = (
    ".vmv{font:12px system-ui,sans-serif;fill:currentColor;max-width:100%;height:auto}"
    ".vmv .axis{stroke:currentColor;fill:none}"
    ".vmv .grid{stroke:currentColor;stroke-opacity:.14}"
    ".vmv .border{fill:none;stroke:#fff;stroke-width:.9;stroke-linecap:round}"
    ".vmv .under{stroke:#000;stroke-opacity:.4;stroke-width:2.2}"
    ".vmv .zero{fill:none;stroke:#000;stroke-width:2.2}"
    ".vmv .level{stroke:currentColor;stroke-dasharray:4 3}"
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
