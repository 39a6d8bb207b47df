"""Reports: the page for a subject of either kind."""

from __future__ import annotations

from verimv.show.report.bounds_page import bounds_content
from verimv.show.report.embedded import embedded
from verimv.show.report.formula_page import formula_content
from verimv.show.report.frame import framed
from verimv.show.report.subject import BoundsSubject, FormulaSubject, Subject


def report_html(subject: Subject) -> str:
    """Return the whole report."""
    held = embedded(subject)
    match subject:
        case FormulaSubject():
            return framed(subject, formula_content(subject, held), held)
        case BoundsSubject():
            return framed(subject, bounds_content(subject, held), held)
    raise TypeError(type(subject))
