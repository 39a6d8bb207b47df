"""Terms for truncated affine functions σ(p), which the Schauder hat and the hyperplane method combine.

In one variable, with integer coefficients, there are three ways:

* "lemma": Lemma 3.3, length up to 2^a − 1 for σ(ax−b);
* "quadratic": the optimised procedure of Aguzzoli (1998) that the paper uses, length at most a(a+2)/3;
* "shortest": the shortest known to us, never longer. See :mod:`verimv.paper.baselines.ramps` for both.

For rational coefficients the s-fold splitting of Theorem 6.2 is used, for irrational ones Lemma 6.4. In several
variables "lemma" is Step 2 of the paper, and the other two are the compact strategy's Step 2.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from verimv.core.errors import InputError, Undecided
from verimv.exact import Algebraic, Number, Rational, floor, format_count, is_integer
from verimv.extraction.pipeline import extract_uncertified
from verimv.extraction.strategies.paper import LemmaTable, group_units
from verimv.formulas.dag import Dag
from verimv.formulas.formula import copy
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network
from verimv.paper.baselines.ramps import PROCEDURES, Ramp, RampBuilder

SIGMAS = ("lemma", *PROCEDURES)

#: Largest slope and common denominator: formulas have at least so many variables.
MAX_SLOPE = 100_000

#: Logics for each kind of coefficients, the smallest first.
_LOGICS = {"integer": ("mv", "dmv", "rmv"), "rational": ("dmv", "rmv"), "algebraic": ("rmv",)}


def choose_logic(kind: str, logic: str) -> str:
    """Return the logic asked for, or for "auto" the smallest that has coefficients of this kind."""
    if logic == "auto":
        return _LOGICS[kind][0]
    if logic not in _LOGICS[kind]:
        raise InputError(f"the coefficients are {kind}: choose one of {', '.join(_LOGICS[kind])}, not {logic}")
    return logic


class Truncated:
    """Builds σ(form) in one table, for forms over the same inputs, in one logic ("mv", "dmv" or "rmv")."""

    def __init__(self, dag: Dag, inputs: Sequence[str], logic: str, sigma: str) -> None:
        if sigma not in SIGMAS:
            raise InputError(f"unknown procedure {sigma}: choose one of {', '.join(SIGMAS)}")
        self.dag = dag
        self.inputs = tuple(inputs)
        self.logic = logic
        self.sigma = sigma
        self.atoms = [dag.variable(name) for name in inputs]
        self._ramps = RampBuilder(dag, self.atoms[0], sigma) if sigma in PROCEDURES and len(inputs) == 1 else None

    def node(self, form: Affine) -> int:
        """Return the node of σ(form)."""
        if self._ramps and self.logic == "mv":
            return self._ramp(self._ramps, form)
        if self._ramps and self.logic == "dmv":
            return self._fractions(self._ramps, form)
        if self.sigma == "lemma":
            [group] = group_units([form], self.logic)
            return LemmaTable(group).nodes(self.dag, self.atoms)[0]
        return self._compact(form)

    def _ramp(self, ramps: RampBuilder, form: Affine) -> int:
        """Return σ of an integer form of one variable; for a negative slope by σ(p) = ¬σ(1 − p)."""
        slope = form.dense(1)[0]
        if not is_integer(slope) or not is_integer(form.constant):
            raise InputError("expected integer coefficients")
        _check_slope(abs(slope))
        if slope < 0:
            return self.dag.neg(self._ramp(ramps, form.complement()))
        return ramps.node(Ramp(floor(slope), -floor(form.constant)))

    def _fractions(self, ramps: RampBuilder, form: Affine) -> int:
        """Return σ(p) = ⊕ δ_s σ(s·p − i) over i < s (Theorem 6.2)."""
        numbers = [form.constant, *(w for _, w in form.terms)]
        if any(isinstance(number, Algebraic) for number in numbers):
            raise InputError("expected rational coefficients")
        split = math.lcm(*(int(number.denominator) for number in numbers))  # type: ignore[union-attr]
        _check_slope(Rational(split))
        scaled = form.scaled(Rational(split))
        node = self.dag.constant(0)
        for i in range(split):
            node = self.dag.oplus(node, self.dag.divide(split, self._ramp(ramps, scaled.shifted(-i))))
        return node

    def _compact(self, form: Affine) -> int:
        unit = Network.of([Layer((form,), len(self.inputs), "crelu")], self.inputs)
        formula = extract_uncertified(unit, logic=self.logic, strategy="compact").formula
        return copy(self.dag, [formula.root], formula.dag)[0]


def _check_slope(slope: Number) -> None:
    if slope > MAX_SLOPE:
        raise Undecided(f"a coefficient or denominator of {format_count(floor(slope))} is more than {MAX_SLOPE:,}")
