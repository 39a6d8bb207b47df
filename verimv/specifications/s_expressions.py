"""S-expressions: nested lists of words, as SMT-LIB and VNN-LIB write them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from verimv.core.errors import InputError
from verimv.exact import shown

_TOKEN = re.compile(
    r"""\s*(?:;[^\n]*|(?P<bracket>[()])|(?P<text>"(?:[^"]|"")*")|\|(?P<quoted>[^|\\]*)\|"""
    r"""|(?P<index>\[[^\[\]();"|]*\])|(?P<word>[^\s();"|\[\]]+))"""
)

#: A word, or a list of expressions.
Expression = Any


class Symbol(str):
    """A name in bars: |X_0| is the name X_0, but neither a number nor a command."""

    __slots__ = ()


def expressions(text: str) -> Iterator[tuple[int, list[Expression]]]:
    """Yield the lists of a text, each with the line in which it begins.

    An index is joined to the word before it, without spaces: ``X [0, 1]`` is the word ``X[0,1]``.
    """
    open_lists: list[list[Expression]] = []
    position, line, first = 0, 1, 1
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            line += text.count("\n", position, len(text) - len(text[position:].lstrip()))
            if text[position:].strip():
                raise InputError(f"expected an expression, found {shown(text[position:].lstrip()[:40])}", line=line)
            break
        kind = match.lastgroup
        begin = match.start(kind) if kind else match.end()
        line += text.count("\n", position, begin)
        if kind == "bracket" and match["bracket"] == "(":
            first = first if open_lists else line
            open_lists.append([])
        elif kind == "bracket":
            if not open_lists:
                raise InputError("a closing bracket too many", line=line)
            closed = open_lists.pop()
            if open_lists:
                open_lists[-1].append(closed)
            else:
                yield first, closed
        elif kind is not None:
            if not open_lists:
                raise InputError(f"expected an opening bracket, found {shown(match[kind])}", line=line)
            _append(open_lists[-1], kind, match[kind], line)
        line += text.count("\n", begin, match.end())
        position = match.end()
    if open_lists:
        raise InputError("a closing bracket is missing", line=first)


def _append(words: list[Expression], kind: str, word: str, line: int) -> None:
    if kind == "quoted":
        words.append(Symbol(word))
    elif kind != "index":
        words.append(word)
    elif words and isinstance(words[-1], str) and not words[-1].endswith("]"):
        words[-1] = type(words[-1])(words[-1] + "".join(word.split()))
    else:
        raise InputError(f"expected a name before {shown(word)}", line=line)
