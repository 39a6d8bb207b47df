"""The page about a formula that equals a network, or another formula."""

from __future__ import annotations

from string import Template

from verimv.show.report.embedded import Embedded, packed_json
from verimv.show.report.explorer import explorer_data
from verimv.show.report.frame import Content, Section, asset
from verimv.show.report.headline import (
    exactly_text,
    lead,
    settings_text,
    statement_place,
    timings_section,
    verdict_section,
)
from verimv.show.report.layers import Layers
from verimv.show.report.markup import Markup, joined, tag
from verimv.show.report.reading import Reading
from verimv.show.report.sections import (
    bounds_section,
    formula_section,
    layers_section,
    left_out_note,
    picture_section,
    point_section,
    sizes_section,
    unread_note,
)
from verimv.show.report.subject import FormulaSubject

#: Nodes of a formula that is written with derived operators, in a page that does not hold formula.mv.
MAX_WRITTEN = 10_000

_SCRIPTS = (
    "numbers.js",
    "values.js",
    "point.js",
    "texts.js",
    "graph.js",
    "layout.js",
    "explorer.js",
    "formula.js",
)
_FOOTER = (
    "⊕ is min(1, a + b), ⊙ is max(0, a + b − 1), ¬ is 1 − a, Δ[r] and δ[i] multiply by r and 1/i; σ(t) = min(1, max(0, "
    "t)), ρ(t) = max(0, t)."
)


def formula_content(subject: FormulaSubject, held: Embedded | None) -> Content:
    formula, measures = subject.formula, subject.measures
    reading = Reading(formula, subject.network, len(subject.lines_of_errors)).follow(subject.lines_of_formula)
    layers = None
    if subject.network is not None and subject.check.status != "invalid":
        layers = Layers(reading, subject.network, formula.outputs)
    names = dict(layers.names) if layers is not None else dict(zip(reading.inputs, formula.inputs, strict=True))
    data = explorer_data(formula, reading, names, list(subject.lines))
    notes = joined(left_out_note(data["left_out"]), unread_note(reading))
    sizes = sizes_section(measures, layers, settings_text(subject.summary))
    point = Section("try", "Try a point", "Try a point", point_section(subject, held is not None))
    tried = [point] if subject.source is not None else []
    sections = [
        *_first_sections(subject, reading, held),
        *tried,
        Section("layers", "Layers", "Layer by layer", layers_section(layers, subject)),
        Section("picture", "Picture", "Picture", picture_section(subject)),
        Section("bounds", "Bounds", "Bounds", bounds_section(subject, reading)),
        Section("graph", "Graph", "Shared graph", Markup(Template(asset("graph.html")).substitute(notes=notes))),
        Section("sizes", "Sizes", "Sizes", sizes),
        Section("timings", "Times", "Times", timings_section(subject.summary)),
    ]
    told = tag("p", id="lead", class_="lead") if held else lead(subject, measures, reading)
    return Content(told, sections, _SCRIPTS, _FOOTER, packed_json("graph-data", data))


def _first_sections(subject: FormulaSubject, reading: Reading, held: Embedded | None) -> list[Section]:
    """Return formula, statement and verdict: what is exact is led by its proof, a short formula by itself."""
    statement, verdict = statement_place(subject, reading, held), verdict_section(subject, reading, held)
    formula = formula_section(None if held else _text(subject))
    if not subject.is_approximate:
        return [
            Section("verdict", "Verdict", "Verdict", joined(statement, verdict)),
            Section("formula", "Formula", "Formula", formula),
        ]
    return [
        Section(
            "formula",
            "Formula",
            "The short formula",
            joined(formula, tag("h3", "Its error"), statement, tag("h3", "Exactly"), exactly_text(subject)),
        ),
        Section("verdict", "Verdict", "Verdict", verdict),
    ]


def _text(subject: FormulaSubject) -> str:
    return subject.formula.text() if subject.measures.size <= MAX_WRITTEN else subject.text
