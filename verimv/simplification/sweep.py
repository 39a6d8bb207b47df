"""Sweeping, as logic synthesis does it: nodes that look constant, equal or complementary at all points of a simulation
are proved so by the solver, and then merged; a point that tells them apart joins the simulation.

Proofs go over the smallest cone that may do (Kuehlmann's cut points): first just below the two nodes, at last down to
the inputs. Merging starts at the inputs, so that most pairs have most of their cones in common.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from verimv.formulas.dag import NOT, ONE, VARIABLE, ZERO, reachable
from verimv.formulas.evaluate_arrays import evaluate_floats
from verimv.simplification.cone_solver import ConeProver, Obligation
from verimv.simplification.cones import growing_cuts, inputs_under, is_small, local_formula
from verimv.simplification.equalities import SOLVER, Equalities, EqualityStep
from verimv.simplification.objective import TreeCosts
from verimv.simplification.simulate import Simulation

#: The largest local cones that are tried before the whole one.
MAX_LEAVES, MAX_OPENED = 6, 40
#: Cones down to the inputs with more ⊕ and ⊙ than this are not tried.
MAX_OPERATIONS = 256
#: Pairs that are settled before the nodes are simulated again.
ROUND = 192

#: Work of simulating a node, and of trying a local equality.
_SIMULATED, _TRIED = 100, 200

#: Values of leaves at which a local equality is tried before the solver is asked: corners and others.
_TRIES = np.vstack(
    [np.indices((2,) * MAX_LEAVES).reshape(MAX_LEAVES, -1).T, np.random.default_rng(0).random((64, 6))]
).T


@dataclass
class Sweep:
    """One sweep over the nodes under some roots."""

    equalities: Equalities
    simulation: Simulation
    prover: ConeProver
    costs: TreeCosts
    minimise: str
    #: pairs that were not decided: they are not asked about again
    given_up: set[tuple[int, int]] = field(default_factory=set)

    def run(self, roots: Sequence[int], progress: Callable[[int, int], None]) -> list[int]:
        """The roots with all proved pairs merged."""
        roots = list(roots)
        while not self.prover.meter.is_used_up:
            pairs = self._pairs(roots)
            if not pairs:
                break
            progress(len(self.given_up), len(self.given_up) + len(pairs))
            self._settle(pairs[:ROUND])
            roots = self.equalities.rebuild(roots)
        return roots

    def _pairs(self, roots: Sequence[int]) -> list[tuple[int, int]]:
        """Nodes, each with a better node that looks equal: inputs first."""
        dag = self.equalities.dag
        order = reachable(dag, roots)[0]
        classes: dict[Any, list[tuple[int, bool]]] = {}
        order = sorted({*order, dag.constant(0), dag.constant(1)})
        self.prover.meter.spend(_SIMULATED * len(order))
        ones = self.simulation.ones()
        for node, values in zip(order, self.simulation.values(order), strict=True):
            key, flipped = _signature(values, ones)
            classes.setdefault(key, []).append((node, flipped))
        pairs = []
        for members in classes.values():
            best, best_flipped = min(members, key=lambda member: self._preference(member[0]))
            for node, flipped in members:
                better = best if flipped == best_flipped else dag.neg(best)
                pair = (node, better)
                if node != better and pair not in self.given_up and self._is_better(*pair):
                    pairs.append(pair)
        return sorted(pairs)

    def _preference(self, node: int) -> tuple[Any, ...]:
        """Constants, then inputs, then what is cheap, then what came first."""
        kind = self.equalities.dag.kinds[node]
        rank = 0 if kind in (ZERO, ONE) else 1 if kind == VARIABLE else 2
        return (rank, *(self.costs[node] if self.minimise == "length" else ()), node)

    def _is_better(self, node: int, better: int) -> bool:
        """Return whether a merge is worth a proof. A negation that merely moves is not, and no node
        may come to depend on itself."""
        dag = self.equalities.dag
        if dag.kinds[node] in (ZERO, ONE, VARIABLE):
            return False
        if self.minimise == "length":
            return (*self.costs[better], better) < (*self.costs[node], node)
        if dag.kinds[better] == NOT:
            return dag.kinds[node] != NOT and dag.lefts[better] < node
        return better < node or dag.kinds[better] in (ZERO, ONE)

    def _settle(self, pairs: Sequence[tuple[int, int]]) -> None:
        """Decide every pair, each over its smallest cone first; merge, learn a point, or give up."""
        dag = self.equalities.dag
        waiting = [(pair, self._plausible_cuts(*pair)) for pair in pairs]
        while waiting:
            asked = [(pair, next(cuts, None), cuts) for pair, cuts in waiting]
            self.given_up.update(pair for pair, leaves, _ in asked if leaves is None)
            tried = [(pair, leaves, cuts) for pair, leaves, cuts in asked if leaves is not None]
            answers = self.prover.decide([Obligation(*pair, leaves) for pair, leaves, _ in tried])
            waiting = []
            for (pair, leaves, cuts), answer in zip(tried, answers, strict=True):
                if answer.status == "unsat":
                    self.equalities.add(EqualityStep(*pair, leaves, SOLVER))
                elif answer.point is not None and all(dag.kinds[leaf] == VARIABLE for leaf in leaves):
                    at = {dag.payload(leaf): x for leaf, x in zip(leaves, answer.point, strict=True)}
                    self.simulation.add(at)
                elif not self.prover.meter.is_used_up:
                    waiting.append((pair, cuts))

    def _plausible_cuts(self, node: int, better: int) -> Iterator[tuple[int, ...]]:
        """Cuts over which the two may be equal, small ones first; the inputs are the last."""
        dag = self.equalities.dag
        inputs = inputs_under(dag, (node, better))
        for leaves in growing_cuts(dag, (node, better), MAX_LEAVES, MAX_OPENED):
            if leaves != inputs and self._agree(node, better, leaves):
                yield leaves
        if all(is_small(dag, top, inputs, MAX_OPERATIONS) for top in (node, better)):
            yield inputs

    def _agree(self, node: int, better: int, leaves: tuple[int, ...]) -> bool:
        """Return whether two nodes are about equal at some values of their leaves. A guess in floats; the
        solver decides."""
        if not leaves:
            return True
        self.prover.meter.spend(_TRIED)
        local = local_formula(self.equalities.dag, (node, better), leaves)
        columns = {name: _TRIES[i] for i, name in enumerate(local.inputs)}
        left, right = evaluate_floats(local.dag, local.roots, columns)
        return bool(np.abs(left - right).max() < 1e-9)


def _signature(values: NDArray[Any], ones: NDArray[Any]) -> tuple[Any, bool]:
    """A key that a node shares with its negation, and whether it is the one that is larger where they first differ."""
    above = 2 * values - ones
    differing = np.nonzero(above)[0]
    flipped = bool(differing.size and above[differing[0]] > 0)
    values = ones - values if flipped else values
    return (tuple(values) if values.dtype == object else values.tobytes()), flipped
