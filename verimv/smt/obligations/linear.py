"""Queries about concrete forms: an affine function of values in [0,1] that must never be positive.

Queries that differ only in the names and the order of their variables, or by a positive factor, are one query.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from verimv.algebraic import Algebraic
from verimv.exact import Number, Rational
from verimv.networks.affine import Affine
from verimv.smt.obligations.script import Script


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

    def script(self) -> Script:
        script = Script(*self.variables)
        for name in self.variables:
            script.require(f"(<= 0.0 {name})")
            script.require(f"(<= {name} 1.0)")
        value = script.form(Affine(enumerate(self.coefficients), self.constant), self.variables.__getitem__)
        script.require(f"(< 0.0 {value})", *([f"(< {value} 0.0)"] if self.both else []))
        return script

    @property
    def variables(self) -> list[str]:
        return [f"v{i}" for i in range(len(self.coefficients))]

    def text(self) -> str:
        """An SMT-LIB 2 script: "unsat" means that the obligation holds."""
        kind = "is 0" if self.both else "is not positive"
        return self.script().text(f"{self.name}: the sum of products below {kind}, for values in [0,1]", self.logic)

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
