"""The files that a page holds: certificate, subjects and the verified kernel, so that a browser can check the proof."""

from __future__ import annotations

import base64
import hashlib
import json
import zlib
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from typing import Any, NamedTuple

from verimv.show.report.markup import Markup, joined, tag
from verimv.show.report.subject import File, Subject

#: The verified kernel, compiled to JavaScript (proofs/verified).
KERNEL = "verimv-kernel.js"
#: Bytes of all files together, compressed. A page with larger ones says how to check them.
MAX_FILES = 4_000_000


class Embedded(NamedTuple):
    """The blocks of a page, and the files in them: those of the certificate, and the kernel."""

    blocks: Markup
    files: dict[str, File]


def embedded(subject: Subject) -> Embedded | None:
    """Return the files of a subject for its page; None if they are not known or too large."""
    if not subject.files or not all(file.pieces for file in subject.files.values()):
        return None
    blocks, left = [], MAX_FILES
    for name, file in subject.files.items():
        is_gzipped = name.endswith(".gz")
        packed = _within(file.pieces, left) if is_gzipped else _gzipped(file.pieces, left)
        if packed is None:
            return None
        left -= len(packed)
        kind = "application/base64" if is_gzipped else "application/gzip;base64"
        blocks.append(_block(packed, type=kind, data_file=name))
    kernel, described = _kernel()
    return Embedded(joined(*blocks, kernel), {**subject.files, KERNEL: described})


def packed_json(identifier: str, data: Any) -> Markup:
    """Return data as gzipped JSON in base64, which needs no escapes."""
    raw = json.dumps(data, ensure_ascii=False, separators=(",", ":")).encode()
    return _block(_gzipped([raw]) or b"", type="application/gzip;base64", id=identifier)


def json_block(identifier: str, data: Any) -> Markup:
    """Return data as JSON that cannot end its element."""
    return tag("script", Markup(json.dumps(data).replace("<", "\\u003c")), type="application/json", id=identifier)


def _block(packed: bytes, **attributes: str) -> Markup:
    return tag("script", base64.b64encode(packed).decode("ascii"), **attributes)


def _within(pieces: Sequence[bytes], most: int) -> bytes | None:
    return b"".join(pieces) if sum(map(len, pieces)) <= most else None


def _gzipped(pieces: Sequence[bytes], most: int | None = None, level: int = 6) -> bytes | None:
    """Return gzipped bytes, the same ones each time; None as soon as they are more than `most`."""
    compressor = zlib.compressobj(level, zlib.DEFLATED, 31)
    packed = bytearray()
    for piece in pieces:
        packed += compressor.compress(piece)
        if most is not None and len(packed) > most:
            return None
    packed += compressor.flush()
    return bytes(packed) if most is None or len(packed) <= most else None


@cache
def _kernel() -> tuple[Markup, File]:
    data = files("verimv.kernels").joinpath(KERNEL).read_bytes()
    block = _block(_gzipped([data], level=9) or b"", type="application/gzip;base64", data_file=KERNEL)
    return block, File(len(data), hashlib.sha256(data).hexdigest())
