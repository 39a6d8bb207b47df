"""Formula text → nodes. One pass with explicit stacks, so nesting depth is bounded by memory only.

``¬ δ[i] Δ[r] N·`` bind tightest, then ``⊙``, then ``⊕ ⊖`` (to the left), ``∧``, ``∨``, ``→`` (to the right), ``↔``.
Every symbol has an ASCII spelling: ``~ d[i] D[r] N* (*) (+) (-) /\\ \\/ -> <->``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple, cast

from verimv.core.errors import InputError
from verimv.exact import MAX_DIGITS, parse_number, shown
from verimv.formulas import dag as build
from verimv.formulas.dag import NOT, ODOT, ONE, OPLUS, ZERO, Dag

NAME = r"[A-Za-z_][A-Za-z0-9_.']*+"

#: Keywords of formula files, which cannot name a variable there.
RESERVED = frozenset({"inputs", "outputs", "verimv-formula"})

#: A full name, such as "mean radius": the variable mean_radius.
QUOTED = r'"[^"\n]*"'


def is_identifier(name: str) -> bool:
    return re.fullmatch(NAME, name) is not None and name not in RESERVED


def identifier(name: str) -> str:
    """Return the variable that a full name stands for: mean_radius for "mean radius"."""
    plain = re.sub(r"[^A-Za-z0-9_.']+", "_", name).strip("_") or "x"
    return plain if is_identifier(plain) else f"x_{plain}"


def unquoted(token: str, labels: dict[str, str]) -> str:
    """Return the variable of a name, perhaps in quotes, and add its full name to the labels."""
    if not token.startswith('"'):
        return token
    full = " ".join(token[1:-1].split())
    if not full.isprintable() or not full:
        raise InputError(f"expected a name in quotes, found {token}")
    name = identifier(full)
    if labels.setdefault(name, full) != full:
        raise InputError(f'"{full}" and "{labels[name]}" are both written {name}: use another name for one of them')
    return name


class _Infix(NamedTuple):
    binds: int
    to_the_right: bool
    apply: Callable[[Dag, int, int], int]


_INFIX: dict[str, _Infix] = {}
for _spellings, _operator in {
    ("↔", "<->"): _Infix(1, False, build.equivalent),
    ("→", "->"): _Infix(2, True, build.implies),
    ("∨", "\\/"): _Infix(3, False, build.join),
    ("∧", "/\\"): _Infix(4, False, build.meet),
    ("⊕", "(+)"): _Infix(5, False, lambda dag, a, b: dag.node(OPLUS, a, b)),
    ("⊖", "(-)"): _Infix(5, False, build.minus),
    ("⊙", "(*)"): _Infix(6, False, lambda dag, a, b: dag.node(ODOT, a, b)),
}.items():
    for _spelling in _spellings:
        _INFIX[_spelling] = _operator

_TOKEN = re.compile(
    r"\s*(?:"
    + "|".join(
        [
            r"(?P<infix>" + "|".join(re.escape(s) for s in sorted(_INFIX, key=len, reverse=True)) + ")",
            r"(?P<open>\()",
            r"(?P<close>\))",
            r"(?P<not>[¬~])",
            r"(?P<divide>[δd]\s*\[\s*(?P<divisor>[0-9]+)\s*\])",
            r"(?P<scale>[ΔD]\s*\[(?P<factor>[^\]]*)\])",
            r"(?P<multiple>(?P<count>[0-9]+)\s*[·*])",
            r"(?P<constant>[01](?![0-9.]))",
            rf"(?P<name>{NAME})(?!\s*\[)",
            rf"(?P<quoted>{QUOTED})",
        ]
    )
    + ")"
)

_Prefix = Callable[[int], int]


class _Bracket(NamedTuple):
    position: int


def parse_expression(dag: Dag, text: str, resolve: Callable[[str], int], labels: dict[str, str] | None = None) -> int:
    """Build the node of an expression exactly as written. `resolve` gives the node of a name; full names, which are in
    quotes, are added to `labels`.

    Raises :class:`InputError` with the column (from 1) of the error.
    """
    stacks, labels = _Stacks(dag), {} if labels is None else labels
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unreadable(text, position)
        kind = match.lastgroup or ""  # the group of the token itself, which closes last
        try:
            if stacks.operand_expected:
                if kind in ("name", "quoted"):
                    stacks.operand(resolve(unquoted(match[kind], labels)))
                elif kind == "constant":
                    stacks.operand(dag.node(ONE if match["constant"] == "1" else ZERO))
                elif kind == "open":
                    stacks.pending.append(_Bracket(match.start(kind)))
                elif kind in ("not", "divide", "scale", "multiple"):
                    stacks.pending.append(_prefix(dag, match))
                else:
                    raise InputError(f"expected a variable, constant or (, found {shown(match[kind], 20)}")
            elif kind == "infix":
                stacks.infix(_INFIX[match["infix"]])
            elif kind == "close":
                stacks.close()
            else:
                raise InputError(f"expected an operator or ), found {shown(match[kind], 20)}")
        except InputError as error:
            raise error.located(column=match.start(kind) + 1) from None
        position = match.end()
    if stacks.operand_expected:
        raise InputError(f"expected a variable, constant or (, found {'the end' if end else 'nothing'}", column=end + 1)
    return stacks.finish()


class _Stacks:
    """Stacks of operands, and of pending operators and open brackets (the shunting-yard algorithm)."""

    def __init__(self, dag: Dag) -> None:
        self.dag = dag
        self.values: list[int] = []
        self.pending: list[_Infix | _Prefix | _Bracket] = []
        self.operand_expected = True

    def operand(self, node: int) -> None:
        """Push an operand, after applying the prefix operators before it, since these bind tightest."""
        pending = self.pending
        while pending and not isinstance(pending[-1], tuple):
            node = cast(_Prefix, pending.pop())(node)
        self.values.append(node)
        self.operand_expected = False

    def infix(self, operator: _Infix) -> None:
        self._apply_infixes(operator.binds + operator.to_the_right)
        self.pending.append(operator)
        self.operand_expected = True

    def close(self) -> None:
        self._apply_infixes(0)
        if not self.pending:
            raise InputError("a closing bracket that was never opened")
        self.pending.pop()
        self.operand(self.values.pop())

    def finish(self) -> int:
        self._apply_infixes(0)
        if self.pending:
            bracket = cast(_Bracket, self.pending[-1])
            raise InputError("an opening bracket that is never closed", column=bracket.position + 1)
        return self.values[0]

    def _apply_infixes(self, at_least: int) -> None:
        """Apply pending infix operators that bind at least this tightly, back to the last open bracket."""
        values, pending = self.values, self.pending
        while pending and isinstance(pending[-1], _Infix) and pending[-1].binds >= at_least:
            operator = cast(_Infix, pending.pop())
            right = values.pop()
            values[-1] = operator.apply(self.dag, values[-1], right)


def _prefix(dag: Dag, match: re.Match[str]) -> _Prefix:
    if match["not"]:
        return lambda a: dag.node(NOT, a)
    if match["divide"]:
        divisor = _whole(match["divisor"])
        if divisor < 1:
            raise InputError("δ[0]: expected an integer ≥ 1")
        return lambda a: dag.divide_node(divisor, a)
    if match["scale"]:
        factor = parse_number(match["factor"].strip())
        return lambda a: dag.scale_node(factor, a)
    count = _whole(match["count"])
    if count < 1:
        raise InputError("0·: expected an integer ≥ 1")
    return lambda a: build.multiple(dag, count, a)


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise InputError(f"a number with more than {MAX_DIGITS} digits: {shown(digits)}")
    return int(digits)


def _unreadable(text: str, position: int) -> InputError:
    position += len(text[position:]) - len(text[position:].lstrip())
    rest = text[position : position + 12]
    if re.match(r"[0-9]", rest):
        return InputError(
            f"expected 0, 1 or a multiple such as 3·x, found {shown(rest)} (write Δ[1/2]1 for one half)",
            column=position + 1,
        )
    if re.match(r"[δdΔD]\s*\[", rest):
        return InputError(
            f"expected δ[i] with an integer or Δ[r] with a number, found {shown(rest)}", column=position + 1
        )
    meant = _MEANT.get(rest[:1])
    hint = f" (write {meant})" if meant else ""
    return InputError(f"unexpected character {rest[:1]!r}{hint}", column=position + 1)


#: What people type for an operator of other languages.
_MEANT = {
    "+": "⊕ or (+) for min(1, a+b)",
    "*": "⊙ or (*) for max(0, a+b−1), 3·x for a multiple",
    "-": "⊖ or (-) for max(0, a−b), ~ for ¬",
    "&": "∧ or /\\ for the minimum",
    "|": "∨ or \\/ for the maximum",
    "!": "¬ or ~",
    "=": "↔ or <->",
    ">": "→ or ->",
}
