"""The files that a page holds, and pages in which they are changed."""

import base64
import gzip
import hashlib
import re

_SCRIPT = re.compile("<script>(.*?)</script>", re.DOTALL)
_BLOCK = re.compile(r'<script type="([^"]*)" data-file="([^"]*)">([^<]*)</script>')


def held_files(page: str) -> dict[str, bytes]:
    """The files of a page, by name."""
    return {
        name: base64.b64decode(text) if kind == "application/base64" else gzip.decompress(base64.b64decode(text))
        for kind, name, text in _BLOCK.findall(page)
    }


def block_text(page: str, name: str) -> str:
    return next(text for _, found, text in _BLOCK.findall(page) if found == name)


def block(page: str, name: str) -> str:
    return next(match[0] for match in _BLOCK.finditer(page) if match[2] == name)


def with_file(page: str, name: str, data: bytes, rehashed: bool = True) -> str:
    """The page with another file; if `rehashed`, the table of hashes names it, and the script, if that names the file."""
    old = held_files(page)[name]
    packed = data if name.endswith(".gz") else gzip.compress(data, mtime=0)
    page = page.replace(block_text(page, name), base64.b64encode(packed).decode())
    return with_hash(page, old, data) if rehashed else page


def with_hash(page: str, old: bytes, new: bytes) -> str:
    """The page with another hash, and with the policy that allows the changed script."""
    assert page.count(hashlib.sha256(old).hexdigest()) >= 1
    page = page.replace(hashlib.sha256(old).hexdigest(), hashlib.sha256(new).hexdigest())
    [script] = _SCRIPT.findall(page)
    digest = base64.b64encode(hashlib.sha256(script.encode()).digest()).decode()
    return re.sub(r"script-src 'sha256-[^']*'", f"script-src 'sha256-{digest}'", page)
