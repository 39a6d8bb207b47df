"""Queries about concrete forms: an affine function of values in [0,1] that must never be positive.

Queries that differ only in the names and the order of their variables, or by a positive factor, are one query.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from verimv.algebraic import Algebraic, Radical, monomials
from verimv.exact import Number, Rational
from verimv.networks.affine import Affine
from verimv.smt.encode import TextBuilder


@dataclass(frozen=True)
class Linear:
    """Σ coefficients[i]·v_i + constant ≤ 0 for all v_i in [0,1]; if `both`, ≥ 0 as well."""

    coefficients: tuple[Number, ...]
    constant: Number
    both: bool = False

    @property
    def name(self) -> str:
        return "zero" if self.both else "range"

    @property
    def logic(self) -> str:
        is_linear = not any(isinstance(number, Algebraic) for number in (*self.coefficients, self.constant))
        return "QF_LRA" if is_linear else "QF_NRA"

    @property
    def variables(self) -> list[str]:
        return [f"v{i}" for i in range(len(self.coefficients))]

    def body(self) -> str:
        """What is asserted of the variables."""
        builder = TextBuilder()
        roots: dict[Radical, str] = {}
        for name in self.variables:
            builder.require(builder.at_most("0.0", name))
            builder.require(builder.at_most(name, "1.0"))
        terms = [
            builder.product(written(c, builder, roots), name)
            for c, name in zip(self.coefficients, self.variables, strict=True)
        ]
        value = (
            builder.sum([written(self.constant, builder, roots), *terms])
            if terms
            else written(self.constant, builder, roots)
        )
        wrong = [builder.less("0.0", value)] + ([builder.less(value, "0.0")] if self.both else [])
        builder.require(builder.any_of(wrong))
        return "\n".join(builder.lines)

    def text(self) -> str:
        """An SMT-LIB 2 script: "unsat" means that the obligation holds."""
        kind = "is 0" if self.both else "is not positive"
        declared = [f"(declare-const {name} Real)" for name in self.variables]
        head = [f"; {self.name}: the sum of products below {kind}, for values in [0,1]", f"(set-logic {self.logic})"]
        return "\n".join([*head, *declared, self.body(), "(check-sat)", ""])

    def is_refuted_by(self, point: list[Number]) -> bool:
        """Whether the values are in [0,1], and the function has a value there that it may not have."""
        value = self.constant
        for c, v in zip(self.coefficients, point, strict=True):
            if v < 0 or v > 1:
                return False
            value = value + c * v
        return value > 0 or (self.both and value < 0)


def never_positive(form: Affine) -> tuple[Linear, list[int]]:
    """The query whether a form is ≤ 0 for values in [0,1], and the variables of the form in the order of the query."""
    return _canonical(form, False)


def always_zero(form: Affine) -> tuple[Linear, list[int]]:
    """The query whether a form is 0, and the variables of the form in the order of the query."""
    first = form.terms[0][1] if form.terms else form.constant
    return _canonical(form if first >= 0 else -form, True)


def _canonical(form: Affine, both: bool) -> tuple[Linear, list[int]]:
    numbers = [form.constant, *(w for _, w in form.terms)]
    rationals = [number for number in numbers if not isinstance(number, Algebraic)]
    if len(rationals) < len(numbers):
        return _at_its_largest(form) if not both else (Linear(tuple(numbers[1:]), numbers[0], True), _keys(form))
    common = math.lcm(*(int(number.denominator) for number in rationals))
    divisor = math.gcd(*(int(number * common) for number in rationals)) or 1
    scaled = form.scaled(Rational(common, divisor))
    terms = sorted(scaled.terms, key=lambda term: (term[1], term[0]))
    return Linear(tuple(w for _, w in terms), scaled.constant, both), [j for j, _ in terms]


def _at_its_largest(form: Affine) -> tuple[Linear, list[int]]:
    """With square roots: the largest value of the form, so that the query has no products of two unknowns."""
    _, high = form.range_over_unit_cube()
    return Linear((), high), []


def _keys(form: Affine) -> list[int]:
    return [j for j, _ in form.terms]


def written(value: Number, builder: TextBuilder, roots: dict[Radical, str]) -> str:
    """The text of a number; square roots are declared as they occur."""
    if not isinstance(value, Algebraic):
        return builder.number(value)
    terms = []
    for product, coefficient in monomials(value).items():
        term = builder.number(coefficient)
        for radical in product:
            term = builder.product(term, _root(radical, builder, roots))
        terms.append(term)
    return terms[0] if len(terms) == 1 else builder.sum(terms)


def _root(radical: Radical, builder: TextBuilder, roots: dict[Radical, str]) -> str:
    """The positive root r: r > 0 and r·r = radicand pin it down."""
    known = roots.get(radical)
    if known is None:
        inner = written(radical.radicand, builder, roots)
        known = roots[radical] = builder.real(f"root{len(roots) + 1}")
        builder.require(builder.less("0.0", known))
        builder.require(builder.equal(builder.product(known, known), inner))
    return known
