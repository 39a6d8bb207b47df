"""Terms for truncated affine functions σ(p), of which the Schauder hat and the hyperplane method are made.

In one variable, with integer coefficients, there are three ways:

* "lemma": Lemma 3.3, length up to 2^a − 1 for σ(ax−b);
* "quadratic": split at the Farey parents of b/a. The mean length over b is about a²/5, so this stands for the optimised
  procedure of Aguzzoli (1998) that the paper uses, whose length is of order a² (it is not his: his is not at hand);
* "shortest": split at the simplest fraction of the ramp; at most a² (proved below), in practice about a^1.4.

Both splits rest on one identity. Let c/k lie on the ramp, b/a ≤ c/k ≤ (b+1)/a, and write f1 = (a−k)x−(b−c), f2 = kx−c.
f1 increases and f1(c/k) = a·c/k − b lies in [0,1], so f2 ≤ 0 ⇒ f1 ≤ 1 and f2 ≥ 0 ⇒ f1 ≥ 0, and under these conditions

    σ(f1 + f2) = (σ(f1) ⊙ σ(f2+1)) ⊕ σ(f2).

Lengths obey T(a) ≤ T(a−k) + 2·T(k). For 0 < b < a−1 the ramp has a fraction with k ≤ 2a/3: if b/a is reducible, itself
with k ≤ a/2; else its right Farey parent, or, as long as k exceeds 2a/3, that parent minus the left one, which is still
on the ramp. So T(a) ≤ a² by induction, (a−k)² + 2k² ≤ a² being 3k ≤ 2a.

Rational coefficients go through the s-fold splitting of Theorem 6.2, irrational ones through Lemma 6.4. In several
variables "lemma" is Step 2 of the paper, and the other two are the compact strategy's Step 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import NamedTuple

from verimv.errors import InputError, Undecided
from verimv.exact import Algebraic, Number, Rational, floor, format_count, is_integer
from verimv.extract import extract
from verimv.extract.recorder import Recorder
from verimv.extract.step2_lemma import sigma_units
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network
from verimv.terms.dag import Dag
from verimv.terms.formula import copy

SIGMAS = ("lemma", "quadratic", "shortest")

#: Steeper functions, and finer common denominators, are not begun: their formulas have at least so many variables.
MAX_SLOPE = 100_000

#: The logics that express such coefficients, the smallest first.
_LOGICS = {"integer": ("mv", "dmv", "rmv"), "rational": ("dmv", "rmv"), "algebraic": ("rmv",)}


def choose_logic(kind: str, logic: str) -> str:
    """The logic asked for, or the smallest that fits coefficients of this kind for "auto"."""
    if logic == "auto":
        return _LOGICS[kind][0]
    if logic not in _LOGICS[kind]:
        raise InputError(f"the coefficients are {kind}: choose one of {', '.join(_LOGICS[kind])}, not {logic}")
    return logic


class Ramp(NamedTuple):
    """σ(a·x − b): 0 up to b/a, 1 from (b+1)/a."""

    a: int
    b: int


def farey_parents(numerator: int, denominator: int) -> tuple[tuple[int, int], tuple[int, int]]:
    """The neighbours of which an irreducible fraction n/d of (0,1) is the mediant, as (numerator, denominator): the
    left one, p/q, has n·q − p·d = 1."""
    q = pow(numerator, -1, denominator)
    p = (numerator * q - 1) // denominator
    return (p, q), (numerator - p, denominator - q)


def _mediant(left: tuple[int, int], right: tuple[int, int]) -> tuple[int, int]:
    return left[0] + right[0], left[1] + right[1]


def _right_parent(ramp: Ramp) -> tuple[int, int]:
    return farey_parents(ramp.b, ramp.a)[1]


def _simplest_fraction(ramp: Ramp) -> tuple[int, int]:
    """The fraction of [b/a, (b+1)/a] with the smallest denominator; 0 < b < a − 1."""
    left, right = (0, 1), (1, 1)
    while True:
        c, k = middle = _mediant(left, right)
        if c * ramp.a < ramp.b * k:
            left = middle
        elif c * ramp.a > (ramp.b + 1) * k:
            right = middle
        else:
            return middle


_SPLITS: dict[str, Callable[[Ramp], tuple[int, int]]] = {"quadratic": _right_parent, "shortest": _simplest_fraction}


class RampBuilder:
    """Nodes of σ(a·x − b) over the node of x, each ramp built once."""

    def __init__(self, dag: Dag, atom: int, sigma: str) -> None:
        self.dag = dag
        self.atom = atom
        self.split = _SPLITS[sigma]
        self.nodes: dict[Ramp, int] = {}

    def node(self, ramp: Ramp) -> int:
        pending = [ramp]
        while pending:
            current = pending[-1]
            if current in self.nodes:
                pending.pop()
                continue
            below = self._below(current)
            missing = [part for part in below if part not in self.nodes]
            if missing:
                pending += missing
            else:
                self.nodes[current] = self._joined(current, [self.nodes[part] for part in below])
        return self.nodes[ramp]

    def _below(self, ramp: Ramp) -> list[Ramp]:
        """f1, f2 + 1 and f2; two halves for a·x and x^a, nothing for constants and x."""
        a, b = ramp
        if b <= 0 or b >= a - 1:
            return [Ramp(part, max(0, part - a + b)) for part in (a // 2, a - a // 2)] if 0 <= b < a > 1 else []
        common = math.gcd(a, b)
        c, k = (b // common, a // common) if common > 1 else self.split(ramp)
        return [Ramp(a - k, b - c), Ramp(k, c - 1), Ramp(k, c)]

    def _joined(self, ramp: Ramp, nodes: Sequence[int]) -> int:
        dag, (a, b) = self.dag, ramp
        if b < 0 or b >= a:
            return dag.constant(int(b < 0))
        if a == 1:
            return self.atom
        if len(nodes) == 2:
            return dag.oplus(*nodes) if b == 0 else dag.odot(*nodes)
        first, second_above, second = nodes
        return dag.oplus(dag.odot(first, second_above), second)


class Truncated:
    """Builds σ(form) in one table, for forms over the same inputs in one logic ("mv", "dmv" or "rmv")."""

    def __init__(self, dag: Dag, inputs: Sequence[str], logic: str, sigma: str) -> None:
        if sigma not in SIGMAS:
            raise InputError(f"unknown procedure {sigma}: choose one of {', '.join(SIGMAS)}")
        self.dag = dag
        self.inputs = tuple(inputs)
        self.logic = logic
        self.sigma = sigma
        self.atoms = [dag.variable(name) for name in inputs]
        self._ramps: dict[bool, RampBuilder] = {}
        if sigma != "lemma" and len(inputs) == 1:
            literals = {True: self.atoms[0], False: dag.neg(self.atoms[0])}
            self._ramps = {positive: RampBuilder(dag, node, sigma) for positive, node in literals.items()}

    def node(self, form: Affine) -> int:
        """σ(form)."""
        if self._ramps and self.logic == "mv":
            return self._ramp(form)
        if self._ramps and self.logic == "dmv":
            return self._fractions(form)
        if self.sigma == "lemma":
            return sigma_units(self.dag, self.atoms, [form], self.logic, lambda entries: None, Recorder())[0]
        return self._compact(form)

    def _ramp(self, form: Affine) -> int:
        """An integer form of one variable, in literal form."""
        slope = form.dense(1)[0]
        if not is_integer(slope) or not is_integer(form.constant):
            raise InputError("expected integer coefficients")
        _check_slope(abs(slope))
        low = form.constant if slope >= 0 else form.constant + slope
        if slope == 0 or low >= 1 or low + abs(slope) <= 0:
            return self.dag.constant(int(low >= 1))
        return self._ramps[bool(slope > 0)].node(Ramp(floor(abs(slope)), -floor(low)))

    def _fractions(self, form: Affine) -> int:
        """σ(p) = ⊕ δ_s σ(s·p − i) over i < s (Theorem 6.2)."""
        numbers = [form.constant, *(w for _, w in form.terms)]
        if any(isinstance(number, Algebraic) for number in numbers):
            raise InputError("expected rational coefficients")
        split = math.lcm(*(int(number.denominator) for number in numbers))  # type: ignore[union-attr]
        _check_slope(Rational(split))
        scaled = form.scaled(Rational(split))
        node = self.dag.constant(0)
        for i in range(split):
            node = self.dag.oplus(node, self.dag.divide(split, self._ramp(scaled.shifted(-i))))
        return node

    def _compact(self, form: Affine) -> int:
        unit = Network.of([Layer((form,), len(self.inputs), "crelu")], self.inputs)
        formula = extract(unit, logic=self.logic, strategy="compact").formula
        return copy(self.dag, [formula.root], formula.dag)[0]


def _check_slope(slope: Number) -> None:
    if slope > MAX_SLOPE:
        raise Undecided(f"a coefficient or denominator of {format_count(floor(slope))} is more than {MAX_SLOPE:,}")
