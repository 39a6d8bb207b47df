"""Step 2, compact: a unit as a weighted vote with a threshold, in a logic with multiplication or division.

In literal form, σ(Σ m_i·x_i + b) = σ(Σ |m_i|·ℓ_i + c) with ℓ_i = x_i or ¬x_i, c = b − Σ_{m_i<0} |m_i|. For N ≥ Σ |m_i|
the sum of the votes (|m_i|/N)·ℓ_i never exceeds 1, so ⊕ adds them; a threshold c/N joins by ⊙ or ⊕; and since
σ(2·u) = σ(u) ⊕ σ(u) for every u, doubling k times undoes the division by N = 2^k. About two nodes per weight.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from verimv.exact import ONE, ZERO, Number, Rational
from verimv.extraction.strategies.cost import cost, table_cost
from verimv.extraction.strategies.paper import Group, LemmaTable
from verimv.formulas.dag import Dag, multiple
from verimv.networks.affine import Affine

#: Larger tables are not built for comparison.
_COMPARED = 200


class WeightedLiteral(NamedTuple):
    """share·x_variable, or share·¬x_variable."""

    variable: int
    share: Number
    positive: bool


class Threshold(NamedTuple):
    """σ(2^doublings · (Σ votes + constant))."""

    votes: tuple[WeightedLiteral, ...]
    constant: Number
    doublings: int
    #: shares are built by division and N-fold sums (DMV) instead of multiplication (RMV)
    divided: bool


class Thresholds(NamedTuple):
    """The recipe of a group of units: a threshold for each."""

    group: Group
    thresholds: list[Threshold]

    def nodes(self, dag: Dag, atoms: Sequence[int]) -> list[int]:
        """Make the nodes of the units; `atoms` are the nodes of the variables."""
        return [threshold_node(dag, atoms, threshold) for threshold in self.thresholds]


def threshold_of(form: Affine, logic: str) -> Threshold:
    """The threshold of a form that is not constant."""
    total = sum((abs(w) for _, w in form.terms), ZERO)
    doublings, scale = 0, ONE
    while scale < total or scale < abs(_literal_constant(form)):
        doublings, scale = doublings + 1, scale * 2
    votes = tuple(WeightedLiteral(j, abs(w) / scale, w > 0) for j, w in form.terms)
    return Threshold(votes, _literal_constant(form) / scale, doublings, logic == "dmv")


def _literal_constant(form: Affine) -> Number:
    return form.constant + sum((w for _, w in form.terms if w < 0), ZERO)


def better_thresholds(
    group: Group, logic: str, minimise: str, weights: Sequence[int], plain: bool = False
) -> tuple[Thresholds | LemmaTable, list[int]]:
    """Return thresholds for a group of units, or the paper's table where that is as good, unless they must be `plain`;
    and the lengths of the units, over terms of these lengths."""
    voted = Thresholds(group, [threshold_of(form, logic) for form in group.forms])
    if plain or group.table_size() > _COMPARED:
        return voted, [threshold_length(threshold, weights) for threshold in voted.thresholds]
    by_votes, by_table = cost(weights, voted.nodes), table_cost(group, weights)
    better = by_votes.by(minimise) < by_table.by(minimise)
    return (voted, by_votes.lengths) if better else (LemmaTable(group), by_table.lengths)


def threshold_length(threshold: Threshold, weights: Sequence[int]) -> int:
    """The length of :func:`threshold_node`."""
    votes = threshold.votes
    if not threshold.divided:
        return sum(weights[vote.variable] for vote in votes) << threshold.doublings
    return sum(weights[j] * int(getattr(share, "numerator", 1)) for j, share, _ in votes) << threshold.doublings


def threshold_node(dag: Dag, atoms: Sequence[int], threshold: Threshold) -> int:
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
