"""Step 2, compact: a unit as a weighted vote with a threshold, in a logic with multiplication or division.

In literal form, σ(Σ m_i·x_i + b) = σ(Σ |m_i|·ℓ_i + c) with ℓ_i = x_i or ¬x_i, c = b − Σ_{m_i<0} |m_i|. For N ≥ Σ |m_i|
the sum of the votes (|m_i|/N)·ℓ_i never exceeds 1, so ⊕ adds them; a threshold c/N joins by ⊙ or ⊕; and since
σ(2·u) = σ(u) ⊕ σ(u) for every u, doubling k times undoes the division by N = 2^k. About two nodes per weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from verimv.exact import ONE, ZERO, Number, Rational
from verimv.extract.recorder import Recorder
from verimv.networks.affine import Affine
from verimv.terms.dag import Dag, multiple


class Vote(NamedTuple):
    """share·x_variable, or share·¬x_variable."""

    variable: int
    share: Number
    positive: bool


class Threshold(NamedTuple):
    """σ(2^doublings · (Σ votes + constant))."""

    votes: tuple[Vote, ...]
    constant: Number
    doublings: int
    #: shares are built by division and N-fold sums (DMV) instead of multiplication (RMV)
    divided: bool


def threshold_of(form: Affine, logic: str) -> Threshold:
    """The threshold of a form that is not constant."""
    total = sum((abs(w) for _, w in form.terms), ZERO)
    doublings, scale = 0, ONE
    while scale < total or scale < abs(_literal_constant(form)):
        doublings, scale = doublings + 1, scale * 2
    votes = tuple(Vote(j, abs(w) / scale, w > 0) for j, w in form.terms)
    return Threshold(votes, _literal_constant(form) / scale, doublings, logic == "dmv")


def _literal_constant(form: Affine) -> Number:
    return form.constant + sum((w for _, w in form.terms if w < 0), ZERO)


def threshold_units(
    dag: Dag, atoms: Sequence[int], forms: Sequence[Affine], logic: str, recorder: Recorder
) -> list[int]:
    """The nodes of σ(form) for all units of a layer."""
    nodes = []
    for form in forms:
        threshold = threshold_of(form, logic)
        nodes.append(_node(dag, atoms, threshold))
        recorder.threshold(form, threshold)
    recorder.layer(forms, nodes)
    return nodes


def _node(dag: Dag, atoms: Sequence[int], threshold: Threshold) -> int:
    node = dag.constant(0)
    for variable, share, positive in threshold.votes:
        literal = atoms[variable] if positive else dag.neg(atoms[variable])
        node = dag.oplus(node, _share(dag, share, literal, threshold.divided))
    one = dag.constant(1)
    if threshold.constant > 0:
        node = dag.oplus(node, _share(dag, threshold.constant, one, threshold.divided))
    elif threshold.constant < 0:
        node = dag.odot(node, dag.neg(_share(dag, -threshold.constant, one, threshold.divided)))
    for _ in range(threshold.doublings):
        node = dag.oplus(node, node)
    return node


def _share(dag: Dag, share: Number, node: int, divided: bool) -> int:
    if not divided or not isinstance(share, Rational):
        return dag.scale(share, node)
    return multiple(dag, int(share.numerator), dag.divide(int(share.denominator), node))
