"""Formula text → nodes. One pass with explicit stacks, so nesting depth is bounded by memory only.

``¬ δ[i] Δ[r] N·`` bind tightest, then ``⊙``, then ``⊕ ⊖`` (to the left), ``∧``, ``∨``, ``→`` (to the right), ``↔``.
Every symbol has an ASCII spelling: ``~ d[i] D[r] N* (*) (+) (-) /\\ \\/ -> <->``.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import NamedTuple

from verimv.errors import InputError
from verimv.exact import MAX_DIGITS, parse_number, shown
from verimv.terms import dag as build
from verimv.terms.dag import NOT, ODOT, ONE, OPLUS, ZERO, Dag

NAME = r"[A-Za-z_][A-Za-z0-9_.']*"

#: Words that head a line of a formula file, and so cannot name a variable there.
RESERVED = frozenset({"inputs", "outputs", "verimv-formula"})


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
    "|".join(
        [
            r"(?P<space>\s+)",
            r"(?P<infix>" + "|".join(re.escape(s) for s in sorted(_INFIX, key=len, reverse=True)) + ")",
            r"(?P<open>\()",
            r"(?P<close>\))",
            r"(?P<not>[¬~])",
            r"(?P<divide>[δd]\s*\[\s*(?P<divisor>[0-9]+)\s*\])",
            r"(?P<scale>[ΔD]\s*\[\s*(?P<factor>[^\]]*?)\s*\])",
            r"(?P<multiple>(?P<count>[0-9]+)\s*[·*])",
            r"(?P<constant>[01](?![0-9.]))",
            rf"(?P<name>{NAME})(?!\s*\[)",
        ]
    )
)

_Prefix = Callable[[int], int]


class _Bracket(NamedTuple):
    position: int


def parse_expression(dag: Dag, text: str, resolve: Callable[[str], int]) -> int:
    """Build the node of an expression exactly as written. `resolve` gives the node of a name.

    Raises :class:`InputError` with the column (from 1) of what is wrong.
    """
    values: list[int] = []
    pending: list[_Infix | _Prefix | _Bracket] = []  # operators and open brackets that wait for an operand
    operand_expected = True
    position = 0

    def apply_infix(operator: _Infix) -> None:
        right = values.pop()
        values[-1] = operator.apply(dag, values[-1], right)

    def operand_complete() -> None:
        while pending and not isinstance(pending[-1], tuple):
            prefix = pending.pop()
            values[-1] = prefix(values[-1])  # type: ignore[operator]

    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            raise _unreadable(text, position)
        kind = match.lastgroup
        # lastgroup names the outermost group that closed last, which is the token's own.
        try:
            if kind == "space":
                pass
            elif operand_expected and kind == "name":
                values.append(resolve(match["name"]))
                operand_complete()
                operand_expected = False
            elif operand_expected and kind == "constant":
                values.append(dag.node(ONE if match["constant"] == "1" else ZERO))
                operand_complete()
                operand_expected = False
            elif operand_expected and kind == "open":
                pending.append(_Bracket(position))
            elif operand_expected and kind in ("not", "divide", "scale", "multiple"):
                pending.append(_prefix(dag, match))
            elif not operand_expected and kind == "infix":
                operator = _INFIX[match["infix"]]
                while pending and isinstance(pending[-1], _Infix):
                    waiting = pending[-1]
                    if waiting.binds < operator.binds or (waiting.binds == operator.binds and operator.to_the_right):
                        break
                    apply_infix(waiting)
                    pending.pop()
                pending.append(operator)
                operand_expected = True
            elif not operand_expected and kind == "close":
                while pending and isinstance(pending[-1], _Infix):
                    apply_infix(pending.pop())  # type: ignore[arg-type]
                if not pending:
                    raise InputError("a closing bracket that was never opened")
                pending.pop()
                operand_complete()
            else:
                expected = "a variable, constant or (" if operand_expected else "an operator or )"
                raise InputError(f"expected {expected}, found {shown(match.group(), 20)}")
        except InputError as error:
            raise error.located(column=position + 1) from None
        position = match.end()

    if operand_expected:
        found = "the end" if text.strip() else "nothing"
        raise InputError(f"expected a variable, constant or (, found {found}", column=len(text) + 1)
    while pending:
        operator_or_bracket = pending.pop()
        if isinstance(operator_or_bracket, _Bracket):
            raise InputError("an opening bracket that is never closed", column=operator_or_bracket.position + 1)
        apply_infix(operator_or_bracket)  # type: ignore[arg-type]
    return values[0]


def _prefix(dag: Dag, match: re.Match[str]) -> _Prefix:
    if match["not"]:
        return lambda a: dag.node(NOT, a)
    if match["divide"]:
        divisor = _whole(match["divisor"])
        if divisor < 1:
            raise InputError("δ[0]: expected a whole number ≥ 1")
        return lambda a: dag.divide_node(divisor, a)
    if match["scale"]:
        factor = parse_number(match["factor"])
        return lambda a: dag.scale_node(factor, a)
    count = _whole(match["count"])
    if count < 1:
        raise InputError("0·: expected a whole number ≥ 1")
    return lambda a: build.multiple(dag, count, a)


def _whole(digits: str) -> int:
    if len(digits) > MAX_DIGITS:
        raise InputError(f"a number with more than {MAX_DIGITS} digits: {shown(digits)}")
    return int(digits)


def _unreadable(text: str, position: int) -> InputError:
    rest = text[position : position + 12]
    if re.match(r"[0-9]", rest):
        return InputError(
            f"expected 0, 1 or a multiple such as 3·x, found {shown(rest)} (write Δ[1/2]1 for one half)",
            column=position + 1,
        )
    if re.match(r"[δdΔD]\s*\[", rest):
        return InputError(
            f"expected δ[i] with a whole number or Δ[r] with a number, found {shown(rest)}", column=position + 1
        )
    return InputError(f"unexpected character {rest[:1]!r}", column=position + 1)
