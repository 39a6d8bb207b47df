"""Why a bound of a neuron holds, as a tree of cases that a checker follows in exact arithmetic (proofs/FORMAT.md).

A situation is a box of inputs and phases of neurons (an argument on one side of a point). A leaf is proved by
multipliers, see :mod:`verimv.bounds.walk`.
"""

from __future__ import annotations

from collections.abc import Mapping

from verimv.bounds.branch import Budget, Prover, Search
from verimv.bounds.situation import Case, Ends, Place, Target
from verimv.bounds.solver_cases import solver_cases
from verimv.exact import Rational
from verimv.networks.network import Network
from verimv.smt.limited import Deadline

__all__ = ["Case", "Ends", "Place", "Target", "prove_bound"]


def prove_bound(network: Network, target: Target, known: Mapping[Place, Ends], seconds: float) -> list[Case] | None:
    """The cases that prove a bound on the unit cube, or None when time runs out. `known` are bounds proved before.

    Where floats are no guide (irrational weights, numbers out of their range) z3 looks for multipliers.
    """
    deadline = Deadline(seconds)
    irrational = [end for ends in known.values() for end in ends if end is not None and not isinstance(end, Rational)]
    if network.number_kind != "algebraic" and isinstance(target.value, Rational) and not irrational:
        prover = Prover(network, known)
        if prover.floats.is_usable:
            wanted = target.way * target.value
            search = Search(prover, target.layer, target.index, target.way, lambda _: wanted, Budget(seconds))
            outcome = search.run()
            if outcome.complete:
                return outcome.cases
            if outcome.attained > wanted:
                return None
    return solver_cases(network, target, known, deadline.left)
