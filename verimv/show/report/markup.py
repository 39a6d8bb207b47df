"""HTML elements. Plain text is escaped; only :class:`Markup` is not."""

from __future__ import annotations

import re
from collections.abc import Sequence
from html import escape

from verimv.exact import Number, format_number, parse_number
from verimv.exact.decimals import constants
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


def exact_number(x: Number, text: str) -> Markup:
    """Return a number as it is shown; if that is rounded, the exact one as a tooltip."""
    exact = format_number(x)
    return joined(text) if text == exact else tag("span", text, class_="rounded", title=exact)


_CONSTANT = re.compile(r"(?<=Δ\[)[^]]+(?=\])")


def with_decimals(text: str) -> Markup:
    """Return a formula in which long constants are rounded, with the exact ones as tooltips."""
    found = {exact: parse_number(exact) for exact in _CONSTANT.findall(text)}
    shown = constants(found.values())
    parts, end = [], 0
    for match in _CONSTANT.finditer(text):
        x = found[match[0]]
        parts += [joined(text[end : match.start()]), exact_number(x, shown[x])]
        end = match.end()
    return joined(*parts, text[end:])


def counted(count: int, noun: str) -> str:
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


def bytes_text(size: int) -> str:
    if size < 1000:
        return counted(size, "byte")
    return f"{size / 1000:,.1f} kB" if size < 1_000_000 else f"{size / 1_000_000:,.1f} MB"


def signed_sum(parts: list[tuple[Number, str]], constant: Number, limit: int, digits: int = 12) -> str:
    """Return a sum such as 2·a − b + 1/2, positive terms first; past the limit, the number of terms left out."""
    text = ""
    for weight, name in sorted(parts, key=lambda part: part[0] < 0)[:limit]:
        size = abs(weight)
        text += _sign(weight, text) + (name if size == 1 else f"{label(size, digits)}·{name}")
    if len(parts) > limit:
        text += f" + … ({counted(len(parts) - limit, 'more term')})"
    if constant or not text:
        text += _sign(constant, text) + label(abs(constant), digits)
    return text


def _sign(x: Number, before: str) -> str:
    return (" − " if x < 0 else " + ") if before else "−" if x < 0 else ""


def form_text(form: Affine, name: dict[int, str], limit: int = 8, digits: int = 12) -> str:
    """Return a form as text, with these names of nodes; numbers with more characters than `digits` are rounded."""
    parts = [(weight, name.get(node) or f"n{node}") for node, weight in form.terms]
    return signed_sum(parts, form.constant, limit, digits)
