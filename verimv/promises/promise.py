"""A promise: one thing that must hold of one model, with everything that is needed to decide it."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass, field
from fnmatch import fnmatchcase
from typing import Any

from verimv.core.errors import InputError


@dataclass(frozen=True)
class Promise:
    """`kind` is the key by which it is written, `target` its value. Paths are relative to the folder of the file."""

    #: the file of promises, the folder that its paths are relative to, the place in it
    source: str
    folder: str
    table: str
    line: int
    model: str
    file: str
    kind: str
    target: str
    #: the largest difference that is allowed; a percentage is one of the range of each output
    tolerance: str = "0"
    name: str = ""
    #: a file, a pair for all inputs, a list of pairs, or pairs by the names of inputs; numbers are text
    box: Any = None
    #: a file, or lists of names of inputs and of outputs
    names: Any = None
    #: whether a classifier is read by its scores, before its last activation
    logits: bool = False
    #: further networks of a specification, by name
    networks: Mapping[str, str] = field(default_factory=dict)
    output: str | int | None = None
    margin: tuple[str | int, str | int] | None = None
    #: units of work
    work: int = 0
    #: keys that are given in the table of the promise; others are those of its model
    own: frozenset[str] = frozenset()

    @property
    def title(self) -> str:
        """What is promised, in words."""
        if self.name:
            return self.name
        words = {"equal-to": "equal to", "certified-by": "certified by", "within": f"within {self.tolerance} of"}
        return f"{words.get(self.kind, self.kind)} {self.target}"

    @property
    def full_name(self) -> str:
        return f"{self.model}: {self.title}"

    def path(self, text: str) -> str:
        """Return a path of the file of promises, seen from the current directory."""
        return os.path.normpath(os.path.join(self.folder, text))

    def matches(self, pattern: str) -> bool:
        """Return whether a pattern, as of file names, is that of the model or of the promise."""
        return any(fnmatchcase(text, pattern) for text in (self.model, self.name, self.title, self.full_name))

    def error(self, key: str, message: str) -> InputError:
        """Return an error about a key of this promise or its model."""
        table = self.table if key in self.own else f"models.{self.model}"
        return InputError(f"{table}: {key}: {message}", source=self.source, line=self.line)
