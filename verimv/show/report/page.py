"""The page: one HTML file that contains its style, script and data, and loads nothing else."""

from __future__ import annotations

import base64
import hashlib
from importlib.resources import files
from string import Template

from verimv.show.report.embedded import KERNEL, embedded, packed_json
from verimv.show.report.explorer import explorer_data
from verimv.show.report.headline import badge, lead, settings_text, timings_section, verdict_section
from verimv.show.report.layers import Layers
from verimv.show.report.markup import joined, tag
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

#: Nodes of a formula that is written with derived operators, in a page that does not hold formula.mv.
MAX_WRITTEN = 10_000

#: Scripts of the page, in one scope; the last one starts them.
SCRIPTS = (
    "common.js", "sha256.js", "files.js", "texts.js", "statement.js", "check.js",
    "graph.js", "layout.js", "explorer.js", "page.js",
)  # fmt: skip


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
    held = embedded(subject)
    sections = {
        "verdict": verdict_section(subject, reading, held),
        "formula": formula_section(None if held else _text(subject)),
        "layers": layers_section(layers, subject),
        "picture": picture_section(subject),
        "bounds": bounds_section(subject, reading),
        "graph_notes": joined(left_out_note(data["left_out"]), unread_note(reading)),
        "sizes": sizes_section(measures, layers, settings_text(subject.summary)),
        "timings": timings_section(subject.summary),
        "badge": badge(subject),
        "lead": tag("p", id="lead", class_="lead") if held else lead(subject, measures, reading),
        "title": joined(subject.title),
        "data": joined(packed_json("graph-data", data), held.blocks if held else ""),
    }
    kernel_hash = f'const KERNEL_HASH = "{held.files[KERNEL].sha256 if held else ""}";\n'
    script = '\n(() => {\n"use strict";\n' + kernel_hash + "\n".join(map(_asset, SCRIPTS)) + "})();\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return Template(_asset("page.html")).substitute(
        sections, style=_asset("page.css"), script=script, script_hash=f"sha256-{digest}"
    )


def _text(subject: Subject) -> str:
    return subject.formula.text() if subject.measures.size <= MAX_WRITTEN else subject.text


def _asset(name: str) -> str:
    return files("verimv.show.report").joinpath("assets", name).read_text(encoding="utf-8")
