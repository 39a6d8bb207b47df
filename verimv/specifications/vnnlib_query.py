"""Read VNN-LIB, version 1.0 (assertions of SMT-LIB about X_0, Y_0, …) and 2.0 (declared networks, X[0,1]).

PyPI's `vnnlib` was tried and is not used: it reads version 2.0 only, refuses 1e-3, and needs a compiled library for
each platform. Both versions are read here by one evaluator, which refuses by name what it does not know. It works on a
stack of its own, so that nesting is limited by memory only.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Generator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from verimv.core.errors import InputError
from verimv.exact import ONE, Number, check_digits, parse_number, shown
from verimv.networks.affine import Affine, combination
from verimv.specifications.conditions import (
    FALSE,
    TRUE,
    Comparison,
    Condition,
    all_of,
    any_of,
    chained,
    choice,
    equivalence,
    implication,
    negation,
)
from verimv.specifications.s_expressions import Expression, Symbol, expressions

_NUMBER = re.compile(r"-?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?", re.ASCII)
_VARIABLE = re.compile(r"([XY])_(0|[1-9][0-9]{0,8})", re.ASCII)
_ELEMENT = re.compile(r"([^\[\]]+)(?:\[((?:[0-9]{1,9}(?:,[0-9]{1,9})*)?)\])?", re.ASCII)
_VERSION = re.compile(r"<([0-9]{1,9})\.([0-9]{1,9})>", re.ASCII)

#: Commands that change nothing about what is asserted.
_HARMLESS = ("set-logic", "set-info", "set-option", "get-model", "get-value", "get-info", "echo")
#: Element types whose values are numbers; verimv takes them as real numbers.
_REAL_TYPES = ("real", "Real", "float16", "float32", "float64", "bfloat16")
#: Elements of one tensor.
_MAX_ELEMENTS = 10_000_000
#: Expressions evaluated inside definitions: each use of one evaluates its body anew.
_MAX_EXPANDED = 200_000


class DeclaredTensor(NamedTuple):
    """A declared tensor: whether it is an "input", "hidden" or "output" one, and the place of its first element."""

    name: str
    role: str
    shape: tuple[int, ...]
    start: int

    @property
    def size(self) -> int:
        return math.prod(self.shape)


@dataclass
class DeclaredNetwork:
    """A network of a file. In version 1.0 there is one, without a name or sizes."""

    name: str = ""
    #: the network that this one must be the same as ("equal-to"), or have the same architecture as ("isomorphic-to")
    relation: tuple[str, str] | None = None
    tensors: list[DeclaredTensor] = field(default_factory=list)

    def size(self, role: str) -> int:
        return sum(tensor.size for tensor in self.tensors if tensor.role == role)


class QueryVariable(NamedTuple):
    """An input ("X") or output ("Y") of a declared network, by its place, and its name in the file."""

    network: int
    role: str
    place: int
    name: str


@dataclass(frozen=True)
class VnnlibQuery:
    """What a file asks: is there a point at which `condition` holds? Forms are over `variables`, by their position."""

    networks: Sequence[DeclaredNetwork]
    variables: Sequence[QueryVariable]
    condition: Condition
    #: the lines in which assertions begin, and the assertions
    assertions: Sequence[tuple[int, Condition]]


def is_vnnlib(text: str) -> bool:
    """Return whether a text is VNN-LIB rather than anything else that people write about networks."""
    for line in text.splitlines():
        if line.strip() and not line.lstrip().startswith(";"):
            return re.match(r"\s*\(\s*(vnnlib-version|declare-|define-|assert|set-|push|check-sat)", line) is not None
    return text.lstrip().startswith(";")


def read_query(text: str, source: str | None = None) -> VnnlibQuery:
    """Read a file. What is not understood is refused by name, with its line."""
    reader = _QueryReader()
    try:
        for line, expression in expressions(text):
            try:
                reader.command(line, expression)
            except InputError as error:
                raise error.located(line=line) from None
        return reader.finish()
    except InputError as error:
        raise error.located(source) from None


# -- values: numbers that depend on the variables, and conditions ----------------------------------------------------

Value = Affine | Condition


class _Macro(NamedTuple):
    """A definition with parameters, evaluated where it is used."""

    parameters: tuple[str, ...]
    body: Expression


class _Scope(NamedTuple):
    """Names that an expression may use: parameters and names of `let`, and the first `defined` definitions."""

    local: dict[str, Value]
    defined: int


def _number(word: str) -> Number | None:
    """Return the value of a decimal, None for any other word. SMT-LIB has `1.` and files have `.5`."""
    if isinstance(word, Symbol) or not _NUMBER.fullmatch(word):
        return None
    mantissa, e, exponent = word.lower().partition("e")
    whole, point, decimals = mantissa.partition(".")
    digits = whole.lstrip("-") or "0"
    return parse_number(
        f"{'-' if whole.startswith('-') else ''}{digits}{point}{decimals or ('0' if point else '')}{e}{exponent}"
    )


def _forms(operator: str, values: Sequence[Value], least: int = 1) -> list[Affine]:
    if len(values) < least:
        raise InputError(
            f"{operator}: expected at least {'two operands' if least == 2 else 'one operand'}, found {len(values)}"
        )
    for value in values:
        if not isinstance(value, Affine):
            raise InputError(f"{operator}: expected numbers, found a condition")
    return [value for value in values if isinstance(value, Affine)]


def _conditions(operator: str, values: Sequence[Value], count: int | None = None) -> list[Condition]:
    for value in values:
        if not isinstance(value, Condition):
            raise InputError(f"{operator}: expected conditions, found a number")
    if count is not None and len(values) != count:
        raise InputError(f"{operator}: expected {count} operands, found {len(values)}")
    return [value for value in values if isinstance(value, Condition)]


def _checked(form: Affine) -> Affine:
    for number in (form.constant, *(w for _, w in form.terms)):
        check_digits(number, "the result of a calculation")
    return form


def _sum(values: Sequence[Value]) -> Value:
    return _checked(combination([(ONE, form) for form in _forms("+", values)]))


def _difference(values: Sequence[Value]) -> Value:
    first, *rest = _forms("-", values)
    if not rest:
        return -first
    return _checked(combination([(ONE, first), *((-ONE, form) for form in rest)]))


def _product(values: Sequence[Value]) -> Value:
    factor: Number = ONE
    form = Affine((), ONE)
    for value in _forms("*", values):
        if value.terms and form.terms:
            raise InputError("*: a product of two variables is not linear, and not supported")
        if value.terms:
            form, factor = value, factor * form.constant
        elif form.terms:
            factor = factor * value.constant
        else:
            form = Affine((), form.constant * value.constant)
        check_digits(factor, "a product")
        check_digits(form.constant, "a product")
    return _checked(form.scaled(factor))


def _quotient(values: Sequence[Value]) -> Value:
    result, *divisors = _forms("/", values, 2)
    for divisor in divisors:
        if divisor.terms:
            raise InputError("/: a division by a variable is not linear, and not supported")
        if divisor.constant == 0:
            raise InputError("/: a division by 0")
        result = _checked(result.scaled(1 / divisor.constant))
    return result


def _comparing(operator: Comparison, name: str) -> Callable[[Sequence[Value]], Value]:
    def compare(values: Sequence[Value]) -> Value:
        if operator in ("=", "!=") and values and isinstance(values[0], Condition):
            a, b = _conditions(name, values, 2)
            same = equivalence(a, b)
            return same if operator == "=" else negation(same)
        return chained(operator, _forms(name, values, 2))

    return compare


def _implication(values: Sequence[Value]) -> Value:
    *premises, result = _conditions("=>", values) or [TRUE]
    if not premises:
        raise InputError("=>: expected at least two operands")
    for premise in reversed(premises):
        result = implication(premise, result)
    return result


def _exclusive(values: Sequence[Value]) -> Value:
    result, *rest = _conditions("xor", values) or [TRUE]
    if not rest:
        raise InputError("xor: expected at least two operands")
    for value in rest:
        result = negation(equivalence(result, value))
    return result


def _choice(values: Sequence[Value]) -> Value:
    if len(values) == 3 and not all(isinstance(value, Condition) for value in values):
        raise InputError("ite between numbers is not supported: write it with and, or")
    test, yes, no = _conditions("ite", values, 3)
    return choice(test, yes, no)


def _not(values: Sequence[Value]) -> Value:
    [part] = _conditions("not", values, 1)
    return negation(part)


_OPERATORS: dict[str, Callable[[Sequence[Value]], Value]] = {
    "and": lambda values: all_of(_conditions("and", values)),
    "or": lambda values: any_of(_conditions("or", values)),
    "not": _not,
    "=>": _implication,
    "xor": _exclusive,
    "ite": _choice,
    "+": _sum,
    "-": _difference,
    "*": _product,
    "/": _quotient,
    "<=": _comparing("<=", "<="),
    "<": _comparing("<", "<"),
    ">=": _comparing(">=", ">="),
    ">": _comparing(">", ">"),
    "=": _comparing("=", "="),
    "==": _comparing("=", "=="),
    "!=": _comparing("!=", "!="),
    "distinct": _comparing("!=", "distinct"),
}

#: Names that cannot be defined.
_WORDS = ("true", "false", "let", "!")

_Steps = Generator["_Steps", Value, Value]


class _QueryReader:
    """Commands in order: declarations, definitions, and a stack of assertions."""

    def __init__(self) -> None:
        self.networks: list[DeclaredNetwork] = []
        self.variables: list[QueryVariable] = []
        #: definitions in order, each with its number
        self.definitions: dict[str, tuple[int, Value | _Macro]] = {}
        self.assertions: list[tuple[int, Condition]] = []
        self._numbers: dict[tuple[int, str, int], int] = {}
        #: declared tensors, each with the number of its network
        self._tensors: dict[str, tuple[int, DeclaredTensor]] = {}
        self._levels: list[tuple[int, int]] = []
        self._asked: list[tuple[int, Condition]] | None = None
        self._version: tuple[int, int] | None = None
        self._expanded = 0
        self._done = ""

    # -- commands -----------------------------------------------------------------------------------------------

    def command(self, line: int, expression: list[Expression]) -> None:
        name = expression[0] if expression and isinstance(expression[0], str) else ""
        if isinstance(name, Symbol):
            name = f"|{name}|"
        known = self._commands()
        if name not in known and name not in _HARMLESS:
            raise InputError(f"expected a command of VNN-LIB, such as assert; {shown(name)} is not supported")
        if self._done and name not in ("exit", "pop", *_HARMLESS):
            raise InputError(f"{shown(name)} after ({self._done}): ask one question in a file")
        if name == "assert":
            self._assert(line, expression)
        elif name in known:
            known[name](expression)

    def _commands(self) -> Mapping[str, Callable[[list[Expression]], None]]:
        def end(expression: list[Expression]) -> None:
            if self._asked is None:
                self._asked = list(self.assertions)
            self._done = expression[0]

        return {
            "assert": lambda expression: None,
            "declare-const": self._declare,
            "declare-fun": self._declare,
            "declare-network": self._declare_network,
            "define-fun": self._define,
            "define-const": self._define,
            "vnnlib-version": self._check_version,
            "push": self._push,
            "pop": self._pop,
            "check-sat": end,
            "exit": end,
        }

    def _assert(self, line: int, expression: list[Expression]) -> None:
        if len(expression) != 2:
            raise InputError(f"assert: expected one condition, found {len(expression) - 1}")
        value = self._value(expression[1])
        if not isinstance(value, Condition):
            raise InputError("assert: expected a condition, found a number")
        self.assertions.append((line, value))

    def _check_version(self, expression: list[Expression]) -> None:
        match = _VERSION.fullmatch(expression[1]) if len(expression) == 2 and isinstance(expression[1], str) else None
        if match is None:
            raise InputError("vnnlib-version: expected a version such as <2.0>")
        if self._version or self.networks or self.assertions:
            raise InputError("vnnlib-version: expected it once, before everything else")
        if match[1] not in ("1", "2"):
            raise InputError(f"vnnlib-version: expected version 1 or 2, found {shown(expression[1])}")
        self._version = (int(match[1]), int(match[2]))

    def _push(self, expression: list[Expression]) -> None:
        for _ in range(_levels(expression)):
            self._levels.append((len(self.assertions), len(self.definitions)))

    def _pop(self, expression: list[Expression]) -> None:
        count = _levels(expression)
        if count > len(self._levels):
            raise InputError(f"pop: expected at most {len(self._levels)} levels, found {count}")
        for _ in range(count):
            asserted, defined = self._levels.pop()
            del self.assertions[asserted:]
            for name in list(self.definitions)[defined:]:
                del self.definitions[name]

    def _declare(self, expression: list[Expression]) -> None:
        """Check that a constant is declared as Real: an Int would have fewer values."""
        command, *rest = expression
        kind = ["Real"] if command == "declare-const" else [[], "Real"]
        if len(rest) < 2 or not isinstance(rest[0], str) or rest[1:] != kind:
            name = shown(rest[0]) if rest and isinstance(rest[0], str) else "a name"
            raise InputError(f"{command}: expected {name} to be declared as Real; nothing else is supported")

    def _define(self, expression: list[Expression]) -> None:
        """Read (define-fun name ((a Real) …) Sort body) or (define-const name Sort body)."""
        command, *rest = expression
        if command == "define-const":
            rest = [*rest[:1], [], *rest[1:]]
        if len(rest) != 4 or not isinstance(rest[0], str) or not isinstance(rest[1], list):
            raise InputError(f"{command}: expected a name, its parameters, its sort and its value")
        name, parameters, sort, body = rest
        if any(len(one) != 2 or not isinstance(one[0], str) for one in parameters if isinstance(one, list)) or not all(
            isinstance(one, list) and one[1] in ("Real", "Bool") for one in parameters
        ):
            raise InputError(f"{command}: expected parameters such as (a Real) of {shown(name)}")
        if sort not in ("Real", "Bool"):
            raise InputError(f"{command}: expected {shown(name)} to be Real or Bool; nothing else is supported")
        if self._is_taken(name):
            raise InputError(f"{command}: {shown(name)} has a meaning already")
        if parameters:
            value: Value | _Macro = _Macro(tuple(one[0] for one in parameters), body)
        else:
            value = self._value(body)
            _check_sort(name, sort, value)
        self.definitions[name] = (len(self.definitions), value)

    def _is_taken(self, name: str) -> bool:
        return name in self.definitions or name in _OPERATORS or name in _WORDS or self._variable(name) is not None

    # -- networks of version 2.0 --------------------------------------------------------------------------------

    def _declare_network(self, expression: list[Expression]) -> None:
        if self.assertions:
            raise InputError("declare-network: expected before all assertions")
        if len(expression) < 2 or not isinstance(expression[1], str):
            raise InputError("declare-network: expected a name")
        network = DeclaredNetwork(expression[1])
        if any(other.name == network.name for other in self.networks):
            raise InputError(f"declare-network: {shown(network.name)} is declared twice")
        for part in expression[2:]:
            words = part if isinstance(part, list) and all(isinstance(word, str) for word in part) else [""]
            keyword = words[0] if words else ""
            if keyword in ("isomorphic-to", "equal-to"):
                self._relate(network, words)
            elif keyword in ("declare-input", "declare-hidden", "declare-output"):
                self._tensor(network, keyword, words)
            else:
                raise InputError(
                    f"declare-network: expected declare-input and the like; {shown(keyword)} is not supported"
                )
        for role in ("input", "output"):
            if not network.size(role):
                raise InputError(f"declare-network: {shown(network.name)} has no {role}")
        self.networks.append(network)

    def _relate(self, network: DeclaredNetwork, words: list[str]) -> None:
        if len(words) != 2 or not any(other.name == words[1] for other in self.networks):
            raise InputError(f"{words[0]}: expected the name of a network that is declared before")
        if network.relation is not None:
            raise InputError(f"{words[0]}: {shown(network.name)} is related to a network already")
        network.relation = (words[0], words[1])

    def _tensor(self, network: DeclaredNetwork, keyword: str, words: list[str]) -> None:
        match = _ELEMENT.fullmatch(words[2]) if len(words) in (3, 4) else None
        if match is None or match[2] is None:
            raise InputError(f"{keyword}: expected a name, a type and a shape, such as X real [5]")
        if match[1] not in _REAL_TYPES:
            raise InputError(
                f"{keyword}: expected the type {', '.join(_REAL_TYPES)}; {shown(match[1])} is not supported"
            )
        name, role = words[1], keyword.removeprefix("declare-")
        shape = tuple(int(length) for length in match[2].split(",") if length)
        if not 0 < math.prod(shape) <= _MAX_ELEMENTS:
            raise InputError(f"{keyword}: expected lengths from 1, and at most {_MAX_ELEMENTS:,} elements in all")
        if name in self._tensors:
            raise InputError(f"{keyword}: {shown(name)} is declared twice")
        tensor = DeclaredTensor(name, role, shape, network.size(role))
        network.tensors.append(tensor)
        self._tensors[name] = (len(self.networks), tensor)

    # -- expressions --------------------------------------------------------------------------------------------

    def _value(self, expression: Expression) -> Value:
        """Evaluate an expression on a stack of generators: each yields the parts that it needs."""
        stack = [self._evaluation(expression, _Scope({}, len(self.definitions)))]
        value: Any = None
        while stack:
            try:
                stack.append(stack[-1].send(value))
                value = None
            except StopIteration as stop:
                stack.pop()
                value = stop.value
        found: Value = value
        return found

    def _evaluation(self, expression: Expression, scope: _Scope) -> _Steps:
        if scope.defined < len(self.definitions):
            self._expanded += 1
            if self._expanded > _MAX_EXPANDED:
                raise InputError(
                    f"more than {_MAX_EXPANDED:,} expressions once definitions are replaced by their values"
                )
        if isinstance(expression, str):
            return self._word(expression, scope)
        operator = expression[0] if expression and isinstance(expression[0], str) else "a list"
        if operator == "let":
            return (yield self._let(expression, scope))
        if operator == "!":
            if len(expression) < 2:
                raise InputError("!: expected an expression with attributes")
            return (yield self._evaluation(expression[1], scope))
        macro = self._defined(operator, scope)
        if not isinstance(macro, _Macro) and operator not in _OPERATORS:
            raise InputError(f"expected an operator such as <= or and; {shown(operator)} is not supported")
        values: list[Value] = []
        for part in expression[1:]:
            values.append((yield self._evaluation(part, scope)))
        if not isinstance(macro, _Macro):
            return _OPERATORS[operator](values)
        if len(values) != len(macro.parameters):
            raise InputError(f"{operator}: expected {len(macro.parameters)} values, found {len(values)}")
        inner = _Scope(dict(zip(macro.parameters, values, strict=True)), self.definitions[operator][0])
        return (yield self._evaluation(macro.body, inner))

    def _let(self, expression: list[Expression], scope: _Scope) -> _Steps:
        """Evaluate with more names; afterwards they mean what they meant before."""
        if len(expression) != 3 or not isinstance(expression[1], list):
            raise InputError("let: expected definitions and an expression")
        fresh: dict[str, Value] = {}
        for pair in expression[1]:
            if not isinstance(pair, list) or len(pair) != 2 or not isinstance(pair[0], str) or pair[0] in fresh:
                raise InputError("let: expected definitions of different names, such as (a (+ X_0 1))")
            fresh[pair[0]] = yield self._evaluation(pair[1], scope)
        hidden = {name: scope.local[name] for name in fresh if name in scope.local}
        scope.local.update(fresh)
        value = yield self._evaluation(expression[2], scope)
        for name in fresh:
            del scope.local[name]
        scope.local.update(hidden)
        return value

    def _defined(self, name: str, scope: _Scope) -> Value | _Macro | None:
        """Return what a name of `let`, a parameter or an earlier definition stands for."""
        if name in scope.local:
            return scope.local[name]
        number, value = self.definitions.get(name, (scope.defined, None))
        return value if number < scope.defined else None

    def _word(self, word: str, scope: _Scope) -> Value:
        found = self._defined(word, scope)
        if isinstance(found, _Macro):
            raise InputError(f"{word}: expected {len(found.parameters)} values, found none")
        if found is not None:
            return found
        if word in ("true", "false") and not isinstance(word, Symbol):
            return TRUE if word == "true" else FALSE
        number = _number(word)
        if number is not None:
            return Affine((), number)
        variable = self._variable(word)
        if variable is None:
            told = f"|{word}|" if isinstance(word, Symbol) else word
            expected = "a declared input or output" if self.networks else "an input X_0, an output Y_0"
            raise InputError(f"expected {expected} or a number; {shown(told)} is not supported")
        return Affine.variable(self._numbered(variable))

    def _variable(self, word: str) -> QueryVariable | None:
        """Return the variable of a name; None for any other word."""
        if not self.networks:
            match = _VARIABLE.fullmatch(word)
            return None if match is None else QueryVariable(0, match[1], int(match[2]), word)
        match = _ELEMENT.fullmatch(word)
        place = None if match is None else self._tensors.get(match[1])
        if match is None or place is None:
            return None
        number, tensor = place
        if tensor.role == "hidden":
            raise InputError(f"conditions on hidden neurons are not supported: {shown(word)}")
        index = tensor.start + _offset(tensor, match[2], word)
        return QueryVariable(number, "X" if tensor.role == "input" else "Y", index, word)

    def _numbered(self, variable: QueryVariable) -> int:
        key = variable[:3]
        if key not in self._numbers:
            self._numbers[key] = len(self.variables)
            self.variables.append(variable)
        return self._numbers[key]

    def finish(self) -> VnnlibQuery:
        asserted = self.assertions if self._asked is None else self._asked
        if self._version is not None and self._version[0] == 2 and not self.networks:
            raise InputError("expected a network in a file of version 2: (declare-network …)")
        condition = all_of(condition for _, condition in asserted)
        return VnnlibQuery(self.networks or [DeclaredNetwork()], self.variables, condition, asserted)


def _levels(expression: list[Expression]) -> int:
    """Return the number of levels of push and pop, 1 by default."""
    command, *rest = expression
    if not rest:
        return 1
    if len(rest) > 1 or not isinstance(rest[0], str) or not re.fullmatch("[0-9]{1,4}", rest[0], re.ASCII):
        raise InputError(f"{command}: expected a number of levels")
    return int(rest[0])


def _check_sort(name: str, sort: str, value: Value) -> None:
    if isinstance(value, Condition) != (sort == "Bool"):
        raise InputError(f"{shown(name)} is declared as {sort}, but its value is not")


def _offset(tensor: DeclaredTensor, indices: str | None, word: str) -> int:
    """Return the place of an element within its tensor, in the order of C (the last index changes first)."""
    given = [int(index) for index in (indices or "").split(",") if index]
    if len(given) != len(tensor.shape):
        raise InputError(f"expected {len(tensor.shape)} indices of {tensor.name}, found {len(given)}: {shown(word)}")
    place = 0
    for index, length in zip(given, tensor.shape, strict=True):
        if index >= length:
            raise InputError(f"expected an index below {length}: {shown(word)}")
        place = place * length + index
    return place
