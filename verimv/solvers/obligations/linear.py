"""Queries about concrete forms: an affine function of values in [0,1] that must never be positive, or must be 0.

If a form must not be positive, a value v with a positive coefficient is replaced by 1 − v, which is in [0,1] as well.
Then the form is largest where all variables are 0, which is easy for solvers. Queries that differ only in the names and
the order of their variables, or by a positive factor, are one query.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache

from verimv.exact import Number, Rational
from verimv.exact.algebraic import Algebraic
from verimv.networks.affine import Affine
from verimv.solvers.obligations.script import Script


@dataclass(frozen=True)
class LinearObligation:
    """The obligation Σ coefficients[i]·v_i + constant ≤ 0 for all v_i in [0,1]; if `both`, also ≥ 0."""

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
        """Return an SMT-LIB 2 script: "unsat" means that the obligation holds."""
        kind = "is 0" if self.both else "is not positive"
        return self.script().text(f"{self.name}: the sum of products below {kind}, for values in [0,1]", self.logic)

    def is_refuted_by(self, point: list[Number]) -> bool:
        """Return whether the values are in [0,1] and violate the obligation."""
        value = self.constant
        for c, v in zip(self.coefficients, point, strict=True):
            if v < 0 or v > 1:
                return False
            value = value + c * v
        return value > 0 or (self.both and value < 0)


def never_positive(form: Affine) -> tuple[LinearObligation, list[int]]:
    """Return the query whether a form is ≤ 0 for values in [0,1], and the variables of the form in the order of the
    query; those with a positive coefficient are complemented there."""
    turned = Affine([(j, -abs(w)) for j, w in form.terms], form.range_over_unit_cube()[1])
    return _canonical(turned, False)


def always_zero(form: Affine) -> tuple[LinearObligation, list[int]]:
    """Return the query whether a form is 0, and the variables of the form in the order of the query."""
    first = form.terms[0][1] if form.terms else form.constant
    return _canonical(form if first >= 0 else -form, True)


def _canonical(form: Affine, both: bool) -> tuple[LinearObligation, list[int]]:
    weights, constant = tuple(w for _, w in form.terms), form.constant
    if len(weights) + bool(constant) <= 1 and not any(isinstance(x, Algebraic) for x in (*weights, constant)):
        weights, constant = tuple(map(_sign, weights)), _sign(constant)  # of a single number, only the sign matters
    query, order = _shape(weights, constant, both)
    return query, [form.terms[i][0] for i in order]


def _sign(x: Number) -> Number:
    return Rational((x > 0) - (x < 0))


@lru_cache(maxsize=10_000)  # most conditions are equal
def _shape(weights: tuple[Number, ...], constant: Number, both: bool) -> tuple[LinearObligation, tuple[int, ...]]:
    """Return the query, and the positions of its coefficients in the weights."""
    rationals = [number for number in (constant, *weights) if not isinstance(number, Algebraic)]
    if len(rationals) <= len(weights):
        if both:
            return LinearObligation(weights, constant, both), tuple(range(len(weights)))
        # Use the maximum, so that no variable is multiplied by a square root, which is a variable for solvers.
        return LinearObligation((), constant), ()
    common = math.lcm(*(int(number.denominator) for number in rationals))
    factor = Rational(common, math.gcd(*(int(number * common) for number in rationals)) or 1)
    order = sorted(range(len(weights)), key=lambda i: (weights[i], i))
    return LinearObligation(tuple(weights[i] * factor for i in order), constant * factor, both), tuple(order)
