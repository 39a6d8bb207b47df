"""Laws of δ and Δ (DMV and RMV), whose numbers are part of the rule: Δ_r Δ_s a = Δ_rs a, Δ_r a ⊕ Δ_s a = Δ_{r+s} a and
Δ_r a ⊙ Δ_s b = 0 for r+s ≤ 1, and arithmetic on constants. δ_i counts as 1/i; no law leaves the logic it started in."""

from __future__ import annotations

from verimv.exact import ONE as UNITY
from verimv.exact import ZERO as NOTHING
from verimv.exact import Algebraic, Number, Rational, clip
from verimv.formulas.dag import DIVIDE, NOT, ODOT, ONE, OPLUS, SCALE, VARIABLE, ZERO, Dag
from verimv.simplification.equalities import EqualityStep


def apply_scaling(dag: Dag, node: int) -> EqualityStep | None:
    """A step by a law of δ and Δ, if one fits."""
    kind = dag.kinds[node]
    if kind in (VARIABLE, ZERO, ONE):
        return None
    if kind in (DIVIDE, SCALE):
        return _nested(dag, node)
    operands = dag.operands(node)
    if not any(dag.kinds[operand] in (DIVIDE, SCALE) for operand in operands):
        return None
    return _constants(dag, node) or (None if kind == NOT else _paired(dag, node))


def _nested(dag: Dag, node: int) -> EqualityStep | None:
    """Δ_r Δ_s a = Δ_rs a; Δ_1 a = a; Δ_0 a = Δ_r 0 = 0."""
    factor, base = factor_and_base(dag, node)
    inner, below = factor_and_base(dag, base)
    product = factor * inner
    if dag.kinds[base] not in (DIVIDE, SCALE, ZERO) and product not in (0, 1):
        return None
    if dag.kinds[below] == ZERO:
        product = NOTHING
    return _step(dag, node, product, below, (node, base), "product of factors")


def _paired(dag: Dag, node: int) -> EqualityStep | None:
    """Δ_r a ⊕ Δ_s a = Δ_{r+s} a and Δ_r a ⊙ Δ_s b = 0, both for r+s ≤ 1."""
    left, right = dag.operands(node)
    (r, a), (s, b) = factor_and_base(dag, left), factor_and_base(dag, right)
    if r + s > 1:
        return None
    if dag.kinds[node] == ODOT:
        return EqualityStep(node, dag.constant(0), _leaves(dag, a, b), "small factors")
    return _step(dag, node, r + s, a, (left, right), "sum of factors") if a == b else None


def _constants(dag: Dag, node: int) -> EqualityStep | None:
    """¬, ⊕ and ⊙ of constants."""
    operands = dag.operands(node)
    values = [constant_value(dag, operand) for operand in operands]
    if any(value is None for value in values):
        return None
    known = [value for value in values if value is not None]
    kind = dag.kinds[node]
    value = 1 - known[0] if kind == NOT else clip(known[0] + known[1] - (0 if kind == OPLUS else 1))
    return _step(dag, node, value, dag.constant(1), operands, "constants")


def constant_value(dag: Dag, node: int) -> Number | None:
    """The value of 0, 1, δ_i 1 and Δ_r 1."""
    factor, base = factor_and_base(dag, node)
    return {ZERO: NOTHING, ONE: factor}.get(dag.kinds[base])


def factor_and_base(dag: Dag, node: int) -> tuple[Number, int]:
    """(r, a) for Δ_r a and δ_{1/r} a, (1, a) for any other a."""
    kind = dag.kinds[node]
    if kind == DIVIDE:
        return Rational(1, dag.payload(node)), dag.lefts[node]
    if kind == SCALE:
        return dag.payload(node), dag.lefts[node]
    return UNITY, node


def _step(dag: Dag, node: int, factor: Number, base: int, used: tuple[int, ...], name: str) -> EqualityStep | None:
    """node = Δ_factor base, written with δ where no Δ was used."""
    if factor == 0:
        new = dag.constant(0)
    elif factor == 1:
        new = base
    elif any(dag.kinds[one] == SCALE for one in used):
        new = dag.scale_node(factor, base)
    elif not isinstance(factor, Algebraic) and factor.numerator == 1:
        new = dag.divide_node(int(factor.denominator), base)
    else:
        return None
    return None if new == node else EqualityStep(node, new, _leaves(dag, base), name)


def _leaves(dag: Dag, *nodes: int) -> tuple[int, ...]:
    return tuple(sorted({node for node in nodes if dag.kinds[node] not in (ZERO, ONE)}))
