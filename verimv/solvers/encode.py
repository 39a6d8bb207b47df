"""A program as linear real arithmetic, written once for every solver.

Each case is one named definition, so the encoding is as small as the shared program. For every square root there is a
constant r with r > 0 and r·r = radicand, which makes the problem non-linear (QF_NRA).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from verimv.exact import Number, Rational
from verimv.exact.algebraic import Algebraic, Radical, monomials
from verimv.networks.affine import Affine
from verimv.networks.program import Program


@dataclass(frozen=True)
class Constraint:
    """The constraint form > 0 (strict) or form ≥ 0."""

    form: Affine
    strict: bool


#: A conjunction of alternatives: in every list, at least one constraint holds.
Condition = Sequence[Sequence[Constraint]]


def positive(form: Affine) -> Constraint:
    return Constraint(form, True)


def nonnegative(form: Affine) -> Constraint:
    return Constraint(form, False)


class Builder(Protocol):
    """The operations that the encoding needs; `Any` stands for terms of the solver."""

    def real(self, name: str) -> Any: ...
    def number(self, value: Rational) -> Any: ...
    def sum(self, terms: list[Any]) -> Any: ...
    def product(self, a: Any, b: Any) -> Any: ...
    def if_at_most(self, a: Any, b: Any, then: Any, otherwise: Any) -> Any: ...
    def at_most(self, a: Any, b: Any) -> Any: ...
    def less(self, a: Any, b: Any) -> Any: ...
    def equal(self, a: Any, b: Any) -> Any: ...
    def any_of(self, conditions: list[Any]) -> Any: ...
    def require(self, condition: Any) -> None: ...


def logic_of(program: Program, condition: Condition) -> Literal["QF_LRA", "QF_NRA"]:
    """Return the logic: non-linear if a number is irrational."""
    irrational = any(isinstance(number, Algebraic) for number in _numbers(program, condition))
    return "QF_NRA" if irrational else "QF_LRA"


def longest_number(program: Program, condition: Condition) -> int:
    """Bits of the longest number, which determine how long a step of a solver takes; estimated for square roots."""
    lengths = (
        _GUESSED_BITS
        if isinstance(number, Algebraic)
        else max(number.numerator.bit_length(), number.denominator.bit_length())
        for number in _numbers(program, condition)
    )
    return max(lengths, default=1)


_GUESSED_BITS = 64


def _numbers(program: Program, condition: Condition) -> Iterator[Number]:
    for ends in program.ranges[: program.inputs]:
        yield from ends
    forms = [case.argument for case in program.cases.values()] + [c.form for group in condition for c in group]
    for form in forms:
        yield form.constant
        yield from (w for _, w in form.terms)


def encode(program: Program, condition: Condition, builder: Builder, names: Sequence[str]) -> list[Any]:
    """Give the program and the condition to the builder; return the terms of the inputs."""
    return _Encoder(program, builder, names).run(condition)


class _Encoder:
    def __init__(self, program: Program, builder: Builder, names: Sequence[str]) -> None:
        self.program = program
        self.builder = builder
        self.names = names
        self.values: list[Any] = []
        self.radicals: dict[Radical, Any] = {}

    def run(self, condition: Condition) -> list[Any]:
        self.define({j for group in condition for c in group for j, _ in c.form.terms})
        for group in condition:
            self.builder.require(self.builder.any_of([self.constraint(c) for c in group]))
        return self.values[: self.program.inputs]

    def define(self, wanted: set[int]) -> None:
        """Define all inputs, and the cases on which the wanted values depend."""
        builder, program = self.builder, self.program
        zero, one = builder.number(Rational(0)), builder.number(Rational(1))
        used = self._needed(wanted)
        for number, (low, high) in enumerate(program.ranges):
            case = program.cases.get(number)
            if case is not None and number not in used:
                self.values.append(None)
                continue
            # no input is called v!1 or root!1: names have no exclamation marks
            value = builder.real(self.names[number] if case is None else f"v!{number}")
            self.values.append(value)
            builder.require(builder.at_most(self.number(low), value))
            builder.require(builder.at_most(value, self.number(high)))
            if case is not None:
                argument = self.form(case.argument)
                clipped = argument if case.kind == "relu" else builder.if_at_most(one, argument, one, argument)
                builder.require(builder.equal(value, builder.if_at_most(argument, zero, zero, clipped)))

    def _needed(self, wanted: set[int]) -> set[int]:
        needed = set(wanted)
        for number in reversed(self.program.cases):
            if number in needed:
                needed.update(j for j, _ in self.program.cases[number].argument.terms)
        return needed

    def constraint(self, constraint: Constraint) -> Any:
        zero = self.builder.number(Rational(0))
        value = self.form(constraint.form)
        return self.builder.less(zero, value) if constraint.strict else self.builder.at_most(zero, value)

    def form(self, form: Affine) -> Any:
        builder = self.builder
        terms = [builder.product(self.number(w), self.values[j]) if w != 1 else self.values[j] for j, w in form.terms]
        if form.constant or not terms:
            terms.append(self.number(form.constant))
        return terms[0] if len(terms) == 1 else builder.sum(terms)

    def number(self, value: Number) -> Any:
        builder = self.builder
        if not isinstance(value, Algebraic):
            return builder.number(value)
        terms = []
        for product, coefficient in monomials(value).items():
            term = builder.number(coefficient)
            for radical in product:
                term = builder.product(term, self.radical(radical))
            terms.append(term)
        return terms[0] if len(terms) == 1 else builder.sum(terms)

    def radical(self, radical: Radical) -> Any:
        """Return the positive root, defined by r > 0 and r·r = radicand."""
        known = self.radicals.get(radical)
        if known is None:
            builder = self.builder
            inner = self.number(radical.radicand)
            known = self.radicals[radical] = builder.real(f"root!{len(self.radicals) + 1}")
            builder.require(builder.less(builder.number(Rational(0)), known))
            builder.require(builder.equal(builder.product(known, known), inner))
        return known


#: Words of SMT-LIB and its theories; an input with such a name gets an exclamation mark.
_TAKEN = frozenset(
    [
        "_",
        "!",
        "as",
        "let",
        "par",
        "forall",
        "exists",
        "match",
        "and",
        "or",
        "not",
        "xor",
        "true",
        "false",
        "ite",
        "distinct",
        "abs",
        "div",
        "mod",
        "to_real",
        "to_int",
        "is_int",
        "assert",
        "declare",
        "define",
        "push",
        "pop",
        "exit",
        "echo",
        "Real",
        "Int",
        "Bool",
        "Array",
        "String",
        "set",
        "get",
        "sin",
        "cos",
        "tan",
        "exp",
        "pi",
    ]
)


class TextBuilder:
    """SMT-LIB 2, one line per declaration and assertion."""

    def __init__(self) -> None:
        self.lines: list[str] = []

    def real(self, name: str) -> str:
        name = f"{name}!" if name in _TAKEN else name
        quoted = name if re.fullmatch(r"[A-Za-z_!0-9.]+", name) else f"|{name}|"
        self.lines.append(f"(declare-const {quoted} Real)")
        return quoted

    def number(self, value: Rational) -> str:
        p, q = abs(value.numerator), value.denominator
        text = f"{p}.0" if q == 1 else f"(/ {p}.0 {q}.0)"
        return f"(- {text})" if value < 0 else text

    def sum(self, terms: list[str]) -> str:
        return f"(+ {' '.join(terms)})"

    def product(self, a: str, b: str) -> str:
        return f"(* {a} {b})"

    def if_at_most(self, a: str, b: str, then: str, otherwise: str) -> str:
        return f"(ite (<= {a} {b}) {then} {otherwise})"

    def at_most(self, a: str, b: str) -> str:
        return f"(<= {a} {b})"

    def less(self, a: str, b: str) -> str:
        return f"(< {a} {b})"

    def equal(self, a: str, b: str) -> str:
        return f"(= {a} {b})"

    def any_of(self, conditions: list[str]) -> str:
        return conditions[0] if len(conditions) == 1 else f"(or {' '.join(conditions)})"

    def require(self, condition: str) -> None:
        self.lines.append(f"(assert {condition})")


def to_smtlib(program: Program, condition: Condition, names: Sequence[str], comment: str = "") -> str:
    """Return an SMT-LIB 2 script that asks whether the condition holds somewhere on the box."""
    builder = TextBuilder()
    encode(program, condition, builder, names)
    head = [f"; {line}" for line in comment.splitlines()] + [f"(set-logic {logic_of(program, condition)})"]
    return "\n".join([*head, *builder.lines, "(check-sat)", ""])


def definitions_smtlib(program: Program, outputs: Mapping[str, Affine], names: Sequence[str]) -> str:
    """Return a script that defines named outputs over the box, without a question."""
    builder = TextBuilder()
    encoder = _Encoder(program, builder, names)
    encoder.define({j for form in outputs.values() for j, _ in form.terms})
    for name, form in outputs.items():
        if name not in names:  # a formula may name an input as an output
            builder.require(builder.equal(builder.real(name), encoder.form(form)))
    logic = logic_of(program, [[positive(form) for form in outputs.values()]])
    return "\n".join([f"(set-logic {logic})", *builder.lines, ""])
