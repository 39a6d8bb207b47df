"""verimv's own language: what must hold, such as ``0.3 <= petal_width -> y1 - y2 <= 0.5``.

Comparisons ``<= < >= > = !=`` of linear expressions, which may be chained; ``not``, ``and``, ``or``, ``->`` (to the
right), ``<->``, from tight to loose; brackets; exact numbers; names of inputs and outputs, in double quotes if they
have spaces or are words of the language. ``*`` and ``/`` need a number on one side. Each line is a statement, and all
must hold; a line that ends in an operator or inside brackets goes on, and so does one before ``and``, ``or`` or ``->``.
``#`` begins a comment. One pass with explicit stacks, so nesting is limited by memory only.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from verimv.core.errors import InputError
from verimv.exact import ONE, check_digits, parse_number, shown
from verimv.networks.affine import Affine, combination
from verimv.specifications.conditions import (
    FALSE,
    TRUE,
    Comparison,
    Condition,
    all_of,
    any_of,
    compared,
    equivalence,
    implication,
    negation,
)

_SPELLINGS = {
    "<=": "<=", "≤": "<=", ">=": ">=", "≥": ">=", "<": "<", ">": ">", "==": "=", "=": "=", "!=": "!=", "≠": "!=",
    "->": "->", "→": "->", "=>": "->", "<->": "<->", "↔": "<->", "<=>": "<->", "and": "and", "∧": "and", "&&": "and",
    "&": "and", "or": "or", "∨": "or", "||": "or", "|": "or", "not": "not", "¬": "not", "!": "not", "+": "+", "-": "-",
    "−": "-", "*": "*", "·": "*", "/": "/",
}  # fmt: skip
_COMPARISONS = ("<=", "<", ">=", ">", "=", "!=")
#: How tightly operators bind. A sign binds like a product: -x*2 is -(x*2), which is the same.
_BINDS = {
    "<->": 1,
    "->": 2,
    "or": 3,
    "and": 4,
    "not": 5,
    **dict.fromkeys(_COMPARISONS, 6),
    "+": 7,
    "-": 7,
    "*": 8,
    "/": 8,
}
_SIGN = 9
#: Operators before which a line goes on.
_CONTINUING = ("and", "or", "->", "<->")

_TOKEN = re.compile(
    r"""[ \t\r\f\v]*(?:\#[^\n]*|(?P<newline>\n|;)|(?P<open>\()|(?P<close>\))"""
    r"""|(?P<number>(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?(?![A-Za-z0-9_.])|sqrt[ ]*\([^()\n]*\))"""
    r"""|"(?P<quoted>[^"\n]*)"|(?P<word>[A-Za-z_][A-Za-z0-9_.']*)"""
    r"""|(?P<symbol><->|<=>|->|=>|<=|>=|==|!=|&&|\|\||[-+*/<>=≤≥≠→↔∧∨¬!&|·−]))""",
    re.ASCII,
)

_LABEL = re.compile(r'"[^"\n]*"|#[^\n]*')
_COMPARING = re.compile(r"<=(?!>)|>=|==|!=|[≤≥≠]|<(?!->|=>)|(?<![-=])>|(?<![<>!=])=(?![>=])")


class _Compared(NamedTuple):
    """A comparison, perhaps of a chain, and the form at its right end."""

    condition: Condition
    last: Affine


_Value = Affine | Condition | _Compared


class _Pending(NamedTuple):
    """An operator or bracket that waits for its right operand, with its place in the text."""

    symbol: str
    binds: int
    position: int
    prefix: bool = False


def compares(text: str) -> bool:
    """Return whether a text has a comparison, and so is in this language; formulas have none."""
    return _COMPARING.search(_LABEL.sub("", text)) is not None


def read_statements(text: str, resolve: Callable[[str], int]) -> Condition:
    """Return the condition that must hold. `resolve` gives the number of a name.

    Raises :class:`InputError` with the line and column (from 1) of the error.
    """
    reader = _StatementReader(resolve)
    position = 0
    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            rest = text[position:].lstrip(" \t\r\f\v")
            if not rest:
                break
            place = len(text) - len(rest)
            raise _located(InputError(f"unexpected {shown(rest[:12])}"), text, place)
        kind = match.lastgroup
        if kind is not None:
            begin = match.start(kind) - (kind == "quoted")
            try:
                reader.token(kind, match[kind], begin)
            except InputError as error:
                raise _located(error, text, begin) from None
        position = match.end()
    try:
        return reader.finish()
    except InputError as error:
        raise _located(error, text, len(text.rstrip())) from None


def _located(error: InputError, text: str, position: int) -> InputError:
    line_start = text.rfind("\n", 0, position) + 1
    return error.located(line=text.count("\n", 0, position) + 1, column=position - line_start + 1)


class _StatementReader:
    """The shunting-yard algorithm: stacks of values and of pending operators; statements that are complete."""

    def __init__(self, resolve: Callable[[str], int]) -> None:
        self.resolve = resolve
        self.values: list[_Value] = []
        self.pending: list[_Pending] = []
        self.statements: list[Condition] = []
        self.operand_expected = True
        self._line_ended = False

    def token(self, kind: str, text: str, position: int) -> None:
        symbol = _SPELLINGS.get(text) if kind in ("symbol", "word") else None
        if kind == "newline":
            self._line_ended = True
            if text == ";" and not self.operand_expected:
                self._end_statement()
            elif text == ";" and self.pending:
                raise InputError("expected a number, a name or (, found ';'")
            return
        if self._line_ended and not self.operand_expected and not self._is_open() and symbol not in _CONTINUING:
            self._end_statement()
        self._line_ended = False
        if symbol is not None:
            self._operator(symbol, text, position)
        elif kind == "open":
            self._expect_operand(text)
            self.pending.append(_Pending("(", 0, position))
        elif kind == "close":
            self._close()
        else:
            self._expect_operand(text)
            self._push(self._operand(kind, text))

    def finish(self) -> Condition:
        if not self.operand_expected:
            self._end_statement()
        elif self.pending or not self.statements:
            raise InputError(f"expected a number, a name or (, found {'the end' if self.pending else 'nothing'}")
        return self.statements[0] if len(self.statements) == 1 else all_of(self.statements)

    def _is_open(self) -> bool:
        return any(one.symbol == "(" for one in self.pending)

    def _end_statement(self) -> None:
        self._apply(0)
        if self.pending:
            raise InputError("an opening bracket that is never closed")
        self.statements.append(_condition(self.values.pop(), "a statement"))
        self.operand_expected = True

    def _operand(self, kind: str, text: str) -> _Value:
        if kind == "number":
            return Affine((), parse_number(f"0{text}" if text.startswith(".") else text))
        if kind == "word" and text in ("true", "false"):
            return TRUE if text == "true" else FALSE
        return Affine.variable(self.resolve(text))

    def _expect_operand(self, found: str) -> None:
        if not self.operand_expected:
            raise InputError(f"expected an operator, found {shown(found)}")

    def _push(self, value: _Value) -> None:
        self.values.append(value)
        self.operand_expected = False

    def _operator(self, symbol: str, text: str, position: int) -> None:
        if self.operand_expected:
            if symbol not in ("not", "-", "+"):
                raise InputError(f"expected a number, a name or (, found {shown(text)}")
            self.pending.append(_Pending(symbol, _BINDS["not"] if symbol == "not" else _SIGN, position, prefix=True))
            return
        if symbol == "not":
            raise InputError(f"expected an operator such as and, found {shown(text)}")
        binds = _BINDS[symbol]
        self._apply(binds + (symbol == "->"))
        self.pending.append(_Pending(symbol, binds, position))
        self.operand_expected = True

    def _close(self) -> None:
        if self.operand_expected:
            raise InputError("expected a number, a name or (, found ')'")
        self._apply(0)
        if not self.pending:
            raise InputError("a closing bracket that was never opened")
        self.pending.pop()
        value = self.values.pop()
        self.values.append(value.condition if isinstance(value, _Compared) else value)

    def _apply(self, at_least: int) -> None:
        """Apply pending operators that bind at least this tightly, back to the last open bracket."""
        while self.pending and self.pending[-1].symbol != "(" and self.pending[-1].binds >= at_least:
            operator = self.pending.pop()
            right = self.values.pop()
            if operator.prefix:
                self.values.append(_prefixed(operator.symbol, right))
            else:
                self.values[-1] = _joined(operator.symbol, self.values[-1], right)


def _prefixed(symbol: str, value: _Value) -> _Value:
    if symbol == "not":
        return negation(_condition(value, "not"))
    form = _form(value, symbol)
    return -form if symbol == "-" else form


def _joined(symbol: str, left: _Value, right: _Value) -> _Value:
    if symbol in _COMPARISONS:
        return _comparison(symbol, left, _form(right, symbol))  # type: ignore[arg-type]
    if symbol in ("and", "or", "->", "<->"):
        a, b = _condition(left, symbol), _condition(right, symbol)
        if symbol in ("and", "or"):
            return all_of((a, b)) if symbol == "and" else any_of((a, b))
        return implication(a, b) if symbol == "->" else equivalence(a, b)
    return _calculated(symbol, _form(left, symbol), _form(right, symbol))


def _comparison(symbol: Comparison, left: _Value, right: Affine) -> _Value:
    if isinstance(left, _Compared):  # a chain: a <= b <= c
        return _Compared(all_of((left.condition, compared(symbol, left.last, right))), right)
    return _Compared(compared(symbol, _form(left, symbol), right), right)


def _calculated(symbol: str, left: Affine, right: Affine) -> Affine:
    if symbol in ("+", "-"):
        result = combination([(ONE, left), (ONE if symbol == "+" else -ONE, right)])
    elif symbol == "*":
        if left.terms and right.terms:
            raise InputError("*: a product of two names is not linear; expected a number on one side")
        result = right.scaled(left.constant) if not left.terms else left.scaled(right.constant)
    else:
        if right.terms:
            raise InputError("/: a division by a name is not linear; expected a number")
        if right.constant == 0:
            raise InputError("/: a division by 0")
        result = left.scaled(1 / right.constant)
    for number in (result.constant, *(w for _, w in result.terms)):
        check_digits(number, "the result of a calculation")
    return result


def _form(value: _Value, symbol: str) -> Affine:
    if not isinstance(value, Affine):
        raise InputError(f"{symbol}: expected a number or a name on either side, found a condition")
    return value


def _condition(value: _Value, symbol: str) -> Condition:
    if isinstance(value, Affine):
        raise InputError(f"{symbol}: expected a condition such as x1 <= 0.5, found a number or a name")
    return value.condition if isinstance(value, _Compared) else value


def resolver(names: Sequence[Sequence[str]]) -> Callable[[str], int]:
    """Return a function from names to numbers: the place that a name has in one or more of the lists."""
    known: dict[str, set[int]] = {}
    for one in names:
        for number, name in enumerate(one):
            known.setdefault(name, set()).add(number)

    def resolve(name: str) -> int:
        places = known.get(name, set())
        if len(places) != 1:
            listed = ", ".join(names[0][:12]) + (", …" if len(names[0]) > 12 else "")
            reason = "is the name of several" if places else "is no input or output"
            raise InputError(f"{shown(name)} {reason}: there are {listed}")
        return next(iter(places))

    return resolve
