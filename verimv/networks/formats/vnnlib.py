"""The input box of a VNN-LIB property: bounds ``(<= X_0 0.5)`` among its assertions.

Assertions about outputs are ignored. Assertions about inputs that are not a box are refused, such as an ``or`` of
several regions. So are files that define names or ask several questions.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import reduce
from itertools import pairwise
from typing import Any

from verimv.core.errors import InputError
from verimv.exact import Number, check_digits, parse_number, shown
from verimv.networks.network import Box, checked_box

_TOKEN = re.compile(
    r"""\s*(?:;[^\n]*|(?P<bracket>[()])|(?P<text>"(?:[^"]|"")*")|\|(?P<quoted>[^|\\]*)\||(?P<word>[^\s();"|]+))"""
)
_VARIABLE = re.compile(r"([XY])_(0|[1-9][0-9]{0,8})", re.ASCII)
_DECIMAL = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_MAX_DEPTH = 50

#: Commands that do not change what is asserted. The others are read (assert, declare-…) or refused.
_HARMLESS = {"set-logic", "set-info", "set-option", "get-model", "get-value", "get-info", "echo"}
#: Operators that may occur in assertions, also in those about outputs.
_OPERATORS = {"and", "or", "not", "=>", "xor", "ite", "distinct", "+", "-", "*", "/", "<=", "<", ">=", ">", "="}

#: Directions of a comparison of two operands.
_COMPARISONS = {"<=": "<", "<": "<", ">=": ">", ">": ">", "=": "<>"}

#: Lower and upper end of each input; None if there is no bound.
_Ends = dict[int, tuple[Number | None, Number | None]]


def read_vnnlib_box(text: str, inputs: int, source: str | None = None) -> Box:
    """Read the input box of a property; every input needs both ends."""
    try:
        ends = _all_of(_asserted(text))
        unknown = [j for j in ends if j >= inputs]
        if unknown:
            raise InputError(f"X_{unknown[0]} is bounded, but there are only {inputs} inputs")
        pairs = [ends.get(j, (None, None)) for j in range(inputs)]
        for j, (low, high) in enumerate(pairs):
            if low is None or high is None:
                raise InputError(f"X_{j} has no {'lower' if low is None else 'upper'} bound")
        return checked_box(pairs, inputs)
    except InputError as error:
        raise error.located(source) from None


def _asserted(text: str) -> Iterator[_Ends]:
    """Yield the input bounds of each assertion. Errors have the line in which the command begins."""
    done = ""
    for line, expression in _expressions(text):
        try:
            command = expression[0] if expression and isinstance(expression[0], str) else ""
            if done and command not in ("exit", *_HARMLESS):
                raise InputError(f"{shown(command)} after ({done}): ask one question in a file")
            if command == "assert":
                yield _assertion(expression)
            elif command in ("declare-const", "declare-fun"):
                _check_declaration(expression)
            elif command in ("check-sat", "exit"):
                done = command
            elif command not in _HARMLESS:
                raise InputError(f"expected a command of VNN-LIB, such as assert; {shown(command)} is not supported")
        except InputError as error:
            raise error.located(line=line) from None


def _assertion(expression: list[Any]) -> _Ends:
    if len(expression) != 2:
        raise InputError(f"assert: expected one condition, found {len(expression) - 1}")
    _check_names(expression[1])
    return _bounds(expression[1])


def _check_declaration(expression: list[Any]) -> None:
    """Check that a constant is declared as Real: an Int would have fewer values."""
    kinds = {"declare-const": ["Real"], "declare-fun": [[], "Real"]}
    command, *rest = expression
    if len(rest) < 2 or not isinstance(rest[0], str) or rest[1:] != kinds[command]:
        name = shown(rest[0]) if rest and isinstance(rest[0], str) else "a name"
        raise InputError(f"{command}: expected {name} to be declared as Real; nothing else is supported")


def _check_names(expression: Any) -> None:
    """Check that every name in an assertion is an input, an output or an operator."""
    waiting = [expression]
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            operator = item[0] if item and isinstance(item[0], str) else "a list"
            if operator not in _OPERATORS:
                raise InputError(f"expected an operator such as <= or and; {shown(operator)} is not supported")
            waiting += item[1:]
        elif item not in ("true", "false") and not _VARIABLE.fullmatch(item) and not _DECIMAL.fullmatch(item):
            raise InputError(f"expected an input X_0, an output Y_0 or a number; {shown(item)} is not supported")


def _expressions(text: str) -> Iterator[tuple[int, list[Any]]]:
    """Yield S-expressions as nested lists of words, of bounded depth, with the line in which each begins."""
    open_lists: list[list[Any]] = []
    position, line, first = 0, 1, 1

    def refused(message: str) -> InputError:
        return InputError(message, line=line)

    while position < len(text):
        match = _TOKEN.match(text, position)
        if match is None:
            if text[position:].strip():
                raise refused(f"expected an expression, found {shown(text[position : position + 40])}")
            break
        line += text.count("\n", position, match.start(match.lastgroup) if match.lastgroup else match.end())
        bracket, word = match["bracket"], _word(match)
        if bracket == "(":
            if len(open_lists) == _MAX_DEPTH:
                raise refused(f"expressions nested more than {_MAX_DEPTH} deep")
            first = first if open_lists else line
            open_lists.append([])
        elif bracket == ")":
            if not open_lists:
                raise refused("a closing bracket too many")
            closed = open_lists.pop()
            if open_lists:
                open_lists[-1].append(closed)
            else:
                yield first, closed
        elif word is not None:
            if not open_lists:
                raise refused(f"expected an opening bracket, found {shown(word)}")
            open_lists[-1].append(word)
        if match.lastgroup:
            line += text.count("\n", match.start(match.lastgroup), match.end())
        position = match.end()
    if open_lists:
        raise InputError("a closing bracket is missing", line=first)


def _word(match: re.Match[str]) -> str | None:
    """Return a word. Bars around a symbol are dropped: |X_0| is X_0; those around a number or a command are not."""
    quoted = match["quoted"]
    if quoted is None:
        return match["word"] or match["text"]
    return quoted if _VARIABLE.fullmatch(quoted) or quoted in _OPERATORS else f"|{quoted}|"


def _bounds(expression: Any) -> _Ends:
    """Return the bounds of inputs in an assertion."""
    if expression == "true":
        return {}
    if expression in ("false", ["or"]):
        raise InputError("false is asserted, which holds at no point")
    if not isinstance(expression, list):
        raise InputError(f"expected a condition, found {shown(expression)}")
    operator, *operands = expression
    if operator == "and":
        return _all_of(map(_bounds, operands))
    if operator == "or":
        return _one_of([_bounds(operand) for operand in operands])
    if operator in _COMPARISONS:  # (<= 0 X_0 1) is a chain: compare neighbours
        if len(operands) < 2:
            raise InputError(f"{operator}: expected at least two operands, found {len(operands)}")
        return _all_of(_comparison(one, *pair) for pair in pairwise(operands) for one in _COMPARISONS[operator])
    if inputs := _inputs_in(expression):
        found = "a negated one" if operator == "not" else shown(operator)
        raise InputError(f"expected bounds of {inputs[0]}, joined by and; found {found}, which is not supported")
    return {}


def _comparison(operator: str, left: Any, right: Any) -> _Ends:
    inputs = _inputs_in([left, right])
    if not inputs:
        return {}
    if isinstance(right, str) and _VARIABLE.fullmatch(right):
        left, right, operator = right, left, ">" if operator == "<" else "<"
    number = _number(right)
    if not isinstance(left, str) or number is None or not _VARIABLE.fullmatch(left):
        raise InputError(f"expected a bound of one input by a number; {shown(inputs[0])} is compared otherwise")
    index = int(left[2:])
    return {index: (None, number) if operator == "<" else (number, None)}


def _number(expression: Any) -> Number | None:
    """Return the value of a decimal, (- number) or (/ number number); None for anything else."""
    if isinstance(expression, list):
        numbers = [number for number in map(_number, expression[1:]) if number is not None]
        if len(numbers) == len(expression) - 1:
            if expression[0] == "-" and len(numbers) == 1:
                return -numbers[0]
            if expression[0] == "/" and len(numbers) == 2:
                return _quotient(*numbers)
        return None
    if not isinstance(expression, str) or not _DECIMAL.fullmatch(expression):
        return None
    mantissa, e, exponent = expression.lower().partition("e")
    whole, point, decimals = mantissa.partition(".")
    digits = whole.lstrip("-") or "0"
    text = f"{'-' if whole.startswith('-') else ''}{digits}{point}{decimals or ('0' if point else '')}{e}{exponent}"
    return parse_number(text)


def _quotient(a: Number, b: Number) -> Number:
    if b == 0:
        raise InputError("a division by 0")
    result = a / b
    check_digits(result, "a quotient of quotients")
    return result


def _inputs_in(expressions: Sequence[Any]) -> list[str]:
    found: list[str] = []
    waiting = list(expressions)
    while waiting:
        item = waiting.pop()
        if isinstance(item, list):
            waiting += item
        elif (match := _VARIABLE.fullmatch(item)) and match[1] == "X":
            found.append(item)
    return found


def _all_of(cases: Iterable[_Ends]) -> _Ends:
    return reduce(_both, cases, {})


def _both(a: _Ends, b: _Ends) -> _Ends:
    """Combine two sets of bounds: the smaller of two upper ends, the larger of two lower ones."""
    result = dict(a)
    for j, (low, high) in b.items():
        lower, upper = result.get(j, (None, None))
        lower = low if lower is None or (low is not None and low > lower) else lower
        upper = high if upper is None or (high is not None and high < upper) else upper
        result[j] = (lower, upper)
    return result


def _one_of(cases: Sequence[_Ends]) -> _Ends:
    if any(case != cases[0] for case in cases):
        raise InputError(f"expected one box, found a union of {len(cases)} (or); ask about one of them at a time")
    return cases[0]
