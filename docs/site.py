"""For MkDocs: pages that mkdocs.yml does not place come last, and links to files outside docs/ lead to the repository,
whose address is `repo_url` in mkdocs.yml."""

from __future__ import annotations

import posixpath
import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"(?<=\]\()(?P<path>\.\.?/[^)#\s]+)(?P<place>#[^)\s]*)?(?=\))")


def on_config(config: Any) -> Any:
    """Add the pages that have no place yet."""
    folder = Path(config.docs_dir)
    pages = sorted(path.relative_to(folder).as_posix() for path in folder.rglob("*.md"))
    if more := [page for page in pages if f"'{page}'" not in str(config.nav)]:
        config.nav.append({"More": more})
    return config


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Return the text of a page with such links."""
    folder = posixpath.join("docs", posixpath.dirname(page.file.src_uri))

    def leading(link: re.Match[str]) -> str:
        path = posixpath.normpath(posixpath.join(folder, link["path"]))
        if path.startswith("docs/") and path.endswith((".md", ".svg", ".png")):
            return link[0]
        return f"{config.repo_url.rstrip('/')}/blob/main/{path}{link['place'] or ''}"

    return _LINK.sub(leading, markdown)
