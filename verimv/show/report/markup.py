"""HTML elements. Plain text is escaped; only :class:`Markup` is not."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from verimv.exact import Number
from verimv.networks.affine import Affine
from verimv.show.pictures.axes import label

#: Elements that have no content.
_VOID = frozenset({"br", "input"})


class Markup(str):
    """Text that is HTML already."""

    __slots__ = ()


def tag(name: str, *children: str, **attributes: object) -> Markup:
    """Return an element.

    A trailing underscore of an attribute is dropped (`class_`), others become hyphens. False and None leave the
    attribute out; True writes it without a value.
    """
    written = "".join(
        f" {key.rstrip('_').replace('_', '-')}" + ("" if value is True else f'="{escape(str(value))}"')
        for key, value in attributes.items()
        if value is not None and value is not False
    )
    return Markup(f"<{name}{written}>" + ("" if name in _VOID else f"{joined(*children)}</{name}>"))


def joined(*children: str) -> Markup:
    return Markup("".join(child if isinstance(child, Markup) else escape(child) for child in children))


def table(head: tuple[str, ...], rows: Sequence[tuple[str, ...]], class_: str | None = None) -> Markup:
    """Return a table; the first cell of a row is its heading."""
    top = tag("tr", *(tag("th", cell, scope="col") for cell in head))
    body = [tag("tr", tag("th", row[0], scope="row"), *(tag("td", cell) for cell in row[1:])) for row in rows]
    inner = tag("table", tag("thead", top) if any(head) else "", tag("tbody", *body), class_=class_)
    return tag("div", inner, class_="scroll")


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def bytes_text(size: int) -> str:
    if size < 1000:
        return counted(size, "byte")
    return f"{size / 1000:,.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"


def signed_sum(parts: list[tuple[Number, str]], constant: Number, limit: int) -> str:
    """Return a sum such as 2·a − b + 1/2, positive terms first; past the limit, the number of terms left out."""
    text = ""
    for weight, name in sorted(parts, key=lambda part: part[0] < 0)[:limit]:
        size = abs(weight)
        text += _sign(weight, text) + (name if size == 1 else f"{label(size, 12)}·{name}")
    if len(parts) > limit:
        text += f" + … ({counted(len(parts) - limit, 'more term')})"
    if constant or not text:
        text += _sign(constant, text) + label(abs(constant), 12)
    return text


def _sign(x: Number, before: str) -> str:
    return (" − " if x < 0 else " + ") if before else "−" if x < 0 else ""


def form_text(form: Affine, name: dict[int, str], limit: int = 8) -> str:
    """Return a form as text, with these names of nodes."""
    return signed_sum([(weight, name.get(node) or f"n{node}") for node, weight in form.terms], form.constant, limit)
