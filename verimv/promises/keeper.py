"""What was found about promises, kept for the next run in a directory such as .verimv.

Nothing in it is believed. A certificate is checked again by the kernels, and must be about the same subjects, byte for
byte; a counterexample is evaluated again. Only "undecided" is taken as it is: the same question with the same effort
would end in the same way.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import shutil
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Any

from verimv import __version__
from verimv.core.errors import InputError
from verimv.core.files import write_into

#: Where things are kept, beside the file of promises.
FOLDER = ".verimv"
#: Changed when entries of this version cannot be used by another.
_VERSION = 1
#: A directory that tools for backups and version control leave alone, as other caches do it.
_MARKS = {
    ".gitignore": "*\n",
    "CACHEDIR.TAG": "Signature: 8a477f597d28d172789f06886806bc55\n# What `verimv ci` has proved; it may be deleted.\n",
}
#: How the name of a directory begins that is being written.
_UNFINISHED = ".verimv-"
_ENTRY = re.compile(r"[0-9a-f]{64}(\.json)?|\.verimv-.*", re.ASCII)
#: Entries that are kept for each promise: those of the last versions of its model.
_KEPT = 8


def key_of(question: Any) -> str:
    """Return the name under which a question, a value of JSON, is kept by this version of verimv."""
    return hashlib.sha256(json.dumps([_VERSION, __version__, question], sort_keys=True).encode()).hexdigest()


class Keeper:
    """Keeps certificates, and points at which a promise is broken. If `fresh`, it forgets what it has."""

    def __init__(self, folder: str, fresh: bool = False) -> None:
        self.folder, self._fresh = folder, fresh

    def place(self, key: str) -> str:
        """Return where a certificate is kept."""
        return os.path.join(self.folder, key)

    def kept(self, key: str) -> str | None:
        """Return the directory of a certificate, if there is one."""
        path = self.place(key)
        if self._fresh or not os.path.isdir(path):
            return None
        _touch(path)
        return path

    def keep(self, key: str, write: Callable[[str], None]) -> None:
        """Keep the certificate that `write` writes to a new directory, unless that is impossible here."""
        with suppress(InputError, OSError):
            self._mark()
            with tempfile.TemporaryDirectory(dir=self.folder, prefix=_UNFINISHED) as fresh:
                written = os.path.join(fresh, key)
                write(written)
                shutil.rmtree(self.place(key), ignore_errors=True)
                os.rename(written, self.place(key))

    def record(self, key: str) -> dict[str, Any] | None:
        """Return what was recorded about a question that is not proved."""
        path = f"{self.place(key)}.json"
        if self._fresh:
            return None
        try:
            found = json.loads(Path(path).read_bytes())
        except (OSError, ValueError, RecursionError):
            return None
        _touch(path)
        return found if isinstance(found, dict) else None

    def write(self, key: str, record: dict[str, Any]) -> None:
        """Record a point or a reason, unless the directory cannot be written."""
        with suppress(InputError):
            self._mark()
            write_into(self.folder, f"{key}.json", json.dumps(record) + "\n")

    def tidy(self, promises: int) -> None:
        """Remove the entries that were used least recently, if there are many for so many promises."""
        with suppress(OSError):
            entries = [entry for entry in os.scandir(self.folder) if _ENTRY.fullmatch(entry.name)]
            entries.sort(key=lambda entry: entry.stat(follow_symlinks=False).st_mtime, reverse=True)
            for entry in entries[_KEPT * promises :]:
                if entry.is_dir(follow_symlinks=False):
                    shutil.rmtree(entry.path)
                else:
                    os.unlink(entry.path)

    def _mark(self) -> None:
        for name, text in _MARKS.items():
            if not os.path.lexists(os.path.join(self.folder, name)):
                write_into(self.folder, name, text)


def _touch(path: str) -> None:
    """Note that an entry was used."""
    with suppress(OSError):
        os.utime(path)
