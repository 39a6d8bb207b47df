"""The frame of every page: one HTML file that contains its style, script and data, and loads nothing else."""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.resources import files
from string import Template
from typing import NamedTuple

from verimv.show.report.earlier_checks import badge
from verimv.show.report.embedded import KERNEL, Embedded
from verimv.show.report.markup import Markup, joined, tag
from verimv.show.report.subject import Subject

#: Scripts that all pages share, in one scope with those of a page between them. The last one starts them.
_FIRST, _LAST = ("common.js", "sha256.js", "files.js", "words.js"), ("check.js", "page.js")


class Section(NamedTuple):
    """A section of a page: the name in its address, its name among the links at the top, its heading and its body."""

    identifier: str
    name: str
    heading: str
    body: Markup


@dataclass(frozen=True)
class Content:
    """What a page of some kind puts into the frame. One of its scripts defines `KIND`, which the check uses."""

    lead: Markup
    sections: Sequence[Section]
    scripts: Sequence[str]
    footer: str
    data: Markup


def framed(subject: Subject, content: Content, held: Embedded | None) -> str:
    """Return the whole page."""
    kernel_hash = f'const KERNEL_HASH = "{held.files[KERNEL].sha256 if held else ""}";\n'
    scripts = (*_FIRST, *content.scripts, *_LAST)
    script = '\n(() => {\n"use strict";\n' + kernel_hash + "\n".join(map(asset, scripts)) + "})();\n"
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode("ascii")
    return Template(asset("page.html")).substitute(
        title=joined(subject.title),
        badge=badge(subject),
        lead=content.lead,
        links=joined(*(tag("a", section.name, href=f"#{section.identifier}") for section in content.sections)),
        sections="\n".join(map(_section, content.sections)),
        footer=joined(content.footer),
        data=joined(content.data, held.blocks if held else ""),
        style=asset("page.css"),
        script=script,
        script_hash=f"sha256-{digest}",
    )


def _section(section: Section) -> Markup:
    heading = f"h-{section.identifier}"
    title = tag("h2", section.heading, id=heading)
    return tag("section", title, section.body, id=section.identifier, aria_labelledby=heading)


def asset(name: str) -> str:
    return files("verimv.show.report").joinpath("assets", name).read_text(encoding="utf-8")
