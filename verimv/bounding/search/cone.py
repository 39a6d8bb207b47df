"""Clipped nodes of a formula as a network in layers, so that the search for neuron bounds proves rows over them.

A node is one layer above the highest node that it uses; values that are needed further up are copied by σ(v) = v. A
copy never bends and is never split, so evidence about the network is evidence about the nodes, if these are numbered
layer by layer.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from verimv.bounding.prove.row import DerivedVariable
from verimv.bounding.search.branch import BranchAndBound, Budget, Outcome
from verimv.bounding.search.layer_context import LayerContext
from verimv.bounding.situation import Case, LeafCase, SweepCase
from verimv.core.effort import Meter
from verimv.core.errors import InternalError
from verimv.exact import ZERO
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network

#: Most weights of dense layers; larger cones are left to other methods.
_MAX_WEIGHTS = 50_000


def levels(variables: Sequence[DerivedVariable | None]) -> list[int]:
    """Return the layer of each variable, 0 for free ones."""
    result: list[int] = []
    for variable in variables:
        below = () if variable is None else (result[j] for j, _ in variable.row.terms)
        result.append(0 if variable is None else 1 + max(below, default=0))
    return result


def search_row(variables: Sequence[DerivedVariable | None], goal: Affine, meter: Meter) -> Outcome | None:
    """Search for a proof that a row over clipped and free variables is ≤ 0; its cases are about these variables.

    Returns None where the search does not apply: other activations, irrational numbers or numbers out of the range of
    floats, variables that are not numbered layer by layer, too many of them.
    """
    if any(variable is not None and variable.activation != "crelu" for variable in variables):
        return None
    height = levels(variables)
    if height != sorted(height) or not height or height[0] > 0:
        return None
    cone = _Cone(variables, goal, height)
    network = cone.network()
    if network is None or network.number_kind == "algebraic":
        return None
    context = LayerContext(network, {})
    meter.spend(context.weights[-1])
    if not context.floats.is_usable:
        return None
    budget = Budget(meter.left, deadline=meter.deadline)
    outcome = BranchAndBound(context, len(network.layers), 0, 1, lambda _: ZERO, budget).run()
    meter.spend(outcome.work)
    return replace(outcome, cases=[cone.about_variables(case) for case in outcome.cases])


class _Cone:
    """Variables below a row, as a network and back."""

    def __init__(self, variables: Sequence[DerivedVariable | None], goal: Affine, height: Sequence[int]) -> None:
        self.variables, self.goal, self.height = variables, goal, height
        #: variables of the network's inputs and neurons, layer by layer; None for copies
        self.numbers: list[list[int | None]] = []

    def network(self) -> Network | None:
        """Return the network whose only output is the goal; None if it is too large."""
        top = max(self.height)
        needed = dict.fromkeys((j for j, _ in self.goal.terms), top)  # the highest layer that needs it below
        for k in range(len(self.variables) - 1, -1, -1):
            variable = self.variables[k]
            if variable is not None:
                for j, _ in variable.row.terms:
                    needed[j] = max(needed.get(j, 0), self.height[k] - 1)
        below = [k for k, level in enumerate(self.height) if level == 0]
        self.numbers.append([*below])
        layers, dense = [], 0
        for level in range(1, top + 1):
            fresh = [k for k, own in enumerate(self.height) if own == level]
            copies = [k for k in below if needed.get(k, 0) >= level]
            dense += len(below) * (len(fresh) + len(copies))
            if dense > _MAX_WEIGHTS:
                return None
            places = {k: place for place, k in enumerate(below)}
            rows = [variable.row.renumbered(places) for k in fresh if (variable := self.variables[k]) is not None]
            rows += [Affine.variable(places[k]) for k in copies]
            layers.append(Layer(tuple(rows), len(below), "crelu"))
            self.numbers.append([*fresh, *[None] * len(copies)])
            below = fresh + copies
        row = self.goal.renumbered({k: place for place, k in enumerate(below)})
        layers.append(Layer((row,), len(below), "identity"))
        return Network.of(layers)

    def about_variables(self, case: Case) -> Case:
        """Return a case about the network as a case about the variables."""
        if isinstance(case, LeafCase | SweepCase):
            return case
        layer, index = (0, case.variable) if isinstance(case.variable, int) else case.variable
        number = self.numbers[layer][index]
        if number is None:
            raise InternalError("a case is about a copy")
        return replace(case, variable=number)
