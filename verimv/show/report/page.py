"""The page: one HTML file that contains its style, script and data, and loads nothing else."""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Callable
from importlib.resources import files
from string import Template
from typing import Any

from verimv.formulas.formula import Formula
from verimv.show.report.explorer import explorer_data
from verimv.show.report.headline import badge, lead, settings_text, timings_section, verdict_section
from verimv.show.report.layers import Layers
from verimv.show.report.markup import Markup, joined, tag
from verimv.show.report.reading import Reading
from verimv.show.report.sections import (
    bounds_section,
    formula_section,
    layers_section,
    left_out_note,
    picture_section,
    sizes_section,
    unread_note,
)
from verimv.show.report.subject import Subject
from verimv.solvers.functions import function_smtlib

#: Nodes of a formula that the page has as LaTeX and SMT-LIB. For larger ones these take longer than all the rest.
MAX_COPIED = 10_000
#: Characters of a text in a page.
MAX_TEXT = 4_000_000

#: Scripts of the page, in one scope; the last one starts them.
SCRIPTS = ("common.js", "graph.js", "layout.js", "explorer.js", "page.js")

#: identifier (of `verimv convert --to`), label, writer
_COPIES: tuple[tuple[str, str, Callable[[Formula], str]], ...] = (
    ("text", "text", Formula.text),
    ("latex", "LaTeX", Formula.latex),
    ("smtlib", "SMT-LIB", function_smtlib),
)


def report_html(subject: Subject) -> str:
    """Return the whole report."""
    formula = subject.formula
    measures = subject.measures
    reading = Reading(formula, subject.network).follow(subject.lines)
    layers = None
    if subject.network is not None and subject.check.status != "invalid":
        layers = Layers(reading, subject.network, formula.outputs)
    names = dict(layers.names) if layers is not None else dict(zip(reading.inputs, formula.inputs, strict=True))
    data = explorer_data(formula, reading, names, list(subject.lines))
    shown, texts = _texts(subject)
    copies = [(name, label, name in texts) for name, label, _ in _COPIES]
    sections = {
        "verdict": verdict_section(subject, reading),
        "formula": formula_section(shown, copies),
        "layers": layers_section(layers, subject),
        "picture": picture_section(subject),
        "bounds": bounds_section(subject, reading),
        "graph_notes": joined(left_out_note(data["left_out"]), unread_note(reading)),
        "sizes": sizes_section(measures, layers, settings_text(subject.summary)),
        "timings": timings_section(subject.summary),
        "badge": badge(subject),
        "lead": lead(subject, measures, reading),
        "title": joined(subject.title),
        "data": joined(_packed("graph-data", data), *(_packed(f"copy-{name}", text) for name, text in texts.items())),
    }
    return Template(_asset("page.html")).substitute(
        sections, style=_asset("page.css"), script="\n".join(map(_asset, SCRIPTS))
    )


def _texts(subject: Subject) -> tuple[str, dict[str, str]]:
    """Return the text of the formula that is shown, and all texts that can be copied."""
    if subject.measures.size <= MAX_COPIED:
        texts = {name: write(subject.formula) for name, _, write in _COPIES}
        return texts["text"], texts
    return subject.text, {"text": subject.text} if len(subject.text) <= MAX_TEXT else {}


def _asset(name: str) -> str:
    return files("verimv.show.report").joinpath("assets", name).read_text(encoding="utf-8")


def _packed(identifier: str, data: Any) -> Markup:
    """Return data as gzipped JSON in base64, which needs no escapes."""
    raw = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    compressor = zlib.compressobj(6, zlib.DEFLATED, 31)
    packed = compressor.compress(raw) + compressor.flush()
    return tag("script", base64.b64encode(packed).decode("ascii"), type="application/gzip;base64", id=identifier)
