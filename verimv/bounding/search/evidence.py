"""Evidence for one bound: by branch and bound where floats are a guide, otherwise by exact linear programs of z3."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from verimv.bounding.prove.row import DerivedVariable, prove_by_z3
from verimv.bounding.search.branch import BranchAndBound, Budget, Outcome
from verimv.bounding.search.cone import search_row
from verimv.bounding.search.layer_context import LayerContext
from verimv.bounding.situation import Case, Ends, Place, SplitCase, Target
from verimv.core.effort import Meter
from verimv.exact import Number, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Network


def prove_bound(network: Network, target: Target, known: Mapping[Place, Ends], meter: Meter) -> list[Case] | None:
    """Return cases that prove a bound on the unit cube, or None when the work is used up.

    `known` are bounds proved before. Where floats are no guide (irrational weights, numbers out of their range), z3
    looks for multipliers.
    """
    if meter.is_used_up:
        return None
    outcome = _searched(network, target, known, meter)
    if outcome is not None and outcome.complete:
        return outcome.cases
    if outcome is not None and outcome.attained > target.way * target.value:
        return None
    return _proved_by_z3(network, target, known, meter)


def _searched(network: Network, target: Target, known: Mapping[Place, Ends], meter: Meter) -> Outcome | None:
    """Return the outcome of branch and bound, or None where the numbers do not allow it."""
    numbers = [target.value, *(end for ends in known.values() for end in ends if end is not None)]
    if network.number_kind == "algebraic" or not all(isinstance(x, Rational) for x in numbers):
        return None
    context = LayerContext(network, known)
    meter.spend(context.weights[-1])
    if not context.floats.is_usable:
        return None
    wanted, budget = target.way * target.value, Budget(meter.left, deadline=meter.deadline)
    outcome = BranchAndBound(context, target.layer, target.index, target.way, lambda _: wanted, budget).run()
    meter.spend(outcome.work)
    return outcome


def _proved_by_z3(network: Network, target: Target, known: Mapping[Place, Ends], meter: Meter) -> list[Case] | None:
    """Prove the bound as a row over the inputs and neurons, numbered layer by layer."""
    variables: list[DerivedVariable | None] = [None] * len(network.inputs)
    places: list[int | Place] = [*range(len(network.inputs))]
    facts: dict[tuple[int, str], Number] = {}
    first = 0  # variable of the layer below
    for depth, layer in enumerate(network.layers[: target.layer - 1], start=1):
        start = len(variables)
        for i, row in enumerate(layer.rows):
            ends = zip(("low", "high"), known.get((depth, i), (None, None)), strict=True)
            facts.update({(start + i, side): value for side, value in ends if value is not None})
            variables.append(DerivedVariable(layer.activation, _moved(row, first)))
            places.append((depth, i))
        first = start
    goal = _moved(network.layers[target.layer - 1].rows[target.index], first)
    cases = prove_by_z3(variables, goal.shifted(-target.value).scaled(Rational(target.way)), facts, meter)
    return None if cases is None else [_at_place(case, places) for case in cases]


def _moved(row: Affine, first: int) -> Affine:
    """Return a row over a layer as a row over variables, of which `first` is the first of the layer."""
    return Affine(tuple((first + j, w) for j, w in row.terms), row.constant)


def _at_place(case: Case, places: Sequence[int | Place]) -> Case:
    """Return a case about a numbered variable as one about an input or the place of a neuron."""
    if isinstance(case, SplitCase) and isinstance(case.variable, int):
        return SplitCase(places[case.variable], case.point)
    return case


def prove_row(variables: Sequence[DerivedVariable | None], goal: Affine, meter: Meter) -> list[Case] | None:
    """Return cases that prove a row over variables (None: a free one) to be ≤ 0, or None when the work is used up."""
    if meter.is_used_up:
        return None
    outcome = search_row(variables, goal, meter)
    if outcome is not None and (outcome.complete or outcome.attained > 0):
        return outcome.cases if outcome.complete else None
    return prove_by_z3(variables, goal, {}, meter)
