"""Bounds of the difference of two networks of one shape, with evidence; shared neurons are bounded once.

Neurons of both networks are the variables of :class:`verimv.networks.transforms.joint.SharedPair`. Each search is about
a *subnetwork*: only the neurons that matter to it, layer by layer.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from verimv.bounding.results import NetworkBounds, NeuronBound
from verimv.bounding.search.branch import BranchAndBound, Budget
from verimv.bounding.search.engine import hidden_bounds
from verimv.bounding.search.layer_context import LayerContext
from verimv.bounding.situation import Case, Ends, Place, Target
from verimv.core.effort import Deadline, Meter
from verimv.exact import Number
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.joint import SharedPair

#: Bounds of arguments, by variable.
Facts = Mapping[int, Ends]


def are_alike(a: Network, b: Network) -> bool:
    """Return whether two networks have the same activations and widths, layer by layer."""
    shapes = [[(layer.activation, len(layer.rows)) for layer in network.layers] for network in (a, b)]
    return shapes[0] == shapes[1]


def reordered(network: Network, inputs: Sequence[str], outputs: Sequence[str]) -> Network:
    """Return the same function with its inputs and outputs in another order."""
    places = {j: inputs.index(name) for j, name in enumerate(network.inputs)}
    first, *others = network.layers
    layers = [replace(first, rows=tuple(row.renumbered(places) for row in first.rows), width_in=len(inputs)), *others]
    chosen = tuple(layers[-1].rows[network.outputs.index(name)] for name in outputs)
    layers[-1] = replace(layers[-1], rows=chosen)
    box = [network.box[network.inputs.index(name)] for name in inputs]
    return Network.of(layers, inputs, box, outputs)


class Subnetwork:
    """Some neurons of a pair as a network of their own; `members` are their variables, layer by layer."""

    def __init__(self, network: Network, members: Sequence[Sequence[int]]) -> None:
        self.network, self.members = network, members
        self.places = {k: (depth, i) for depth, found in enumerate(members, start=1) for i, k in enumerate(found)}

    def variable(self, variable: int | Place) -> int:
        """Return the pair's variable of an input or of a neuron of this network."""
        return variable if isinstance(variable, int) else self.members[variable[0] - 1][variable[1]]

    def known(self, facts: Facts) -> dict[Place, Ends]:
        """Return the facts about neurons of this network, by place."""
        return {self.places[k]: ends for k, ends in facts.items() if k in self.places}

    def facts(self, known: Mapping[Place, Ends]) -> Facts:
        """Return bounds by place as facts about variables."""
        return {self.variable(place): ends for place, ends in known.items()}


class Pair:
    """a − b for two networks on the unit cube that are alike, with the neurons that they share."""

    def __init__(self, a: Network, b: Network) -> None:
        self._a, self.depth = a, len(a.layers)
        self._shared = SharedPair(a, b)
        self.differences = self._shared.differences
        numbers = itertools.count(len(a.inputs))
        #: the variables of all neurons of either network, layer by layer
        self.sides = [[[next(numbers) for _ in layer.rows] for layer in a.layers] for _ in range(2)]
        self.first, self.second = (self.subnetwork(self._originals(side)) for side in self.sides)
        self.difference = self._difference()

    def subnetwork(self, members: Sequence[Sequence[int]], on_top: Sequence[Affine] | None = None) -> Subnetwork:
        """Return the members as a network, with rows over the last of them on top."""
        layers: list[Layer] = []
        numbers, width = {j: j for j in range(len(self._a.inputs))}, len(self._a.inputs)
        for layer, found in zip(self._a.layers, members, strict=False):
            layers.append(Layer(tuple(row.renumbered(numbers) for row in self._rows(found)), width, layer.activation))
            numbers, width = {k: i for i, k in enumerate(found)}, len(found)
        if on_top is not None:
            layers.append(Layer(tuple(row.renumbered(numbers) for row in on_top), width, "identity"))
        names = [f"y{i + 1}" for i in range(len(layers[-1].rows))]
        return Subnetwork(Network.of(layers, self._a.inputs, self._a.box, names), members)

    def _rows(self, variables: Iterable[int]) -> list[Affine]:
        return [self._shared.neurons[k - len(self._a.inputs)].row for k in variables]

    def _originals(self, side: Sequence[list[int]]) -> list[list[int]]:
        """Return the neurons of which those of a side are multiples; at least one in each layer."""
        values = [[self._shared.neurons[k - len(self._a.inputs)].value for k in layer] for layer in side]
        found = (sorted({j for value in layer for j, _ in value.terms}) for layer in values)
        return [members or layer[:1] for members, layer in zip(found, side, strict=True)]

    def _difference(self) -> Subnetwork:
        """Return the neurons that the differences depend on, with the differences on top.

        If the last layer is affine, it becomes part of the differences.
        """
        members: list[list[int]] = []
        rows, depth = self.differences, self.depth
        if self._a.layers[-1].activation == "identity":
            ends = [k for side in self.sides for k in side[-1]]
            rows, depth = [row.substitute(dict(zip(ends, self._rows(ends), strict=True))) for row in rows], depth - 1
        above = rows
        for layer in reversed(self.sides[0][:depth]):
            members.insert(0, sorted({j for row in above for j, _ in row.terms}) or layer[:1])  # at least one
            above = self._rows(members[0])
        return self.subnetwork(members, rows)

    def shared_bounds(self, first: NetworkBounds) -> dict[Place, NeuronBound]:
        """Return the bounds of neurons of the first network that the second subnetwork has too, by place there."""
        places = self.first.places
        return {
            place: first.layers[places[k][0] - 1][places[k][1]]
            for k, place in self.second.places.items()
            if k < self.sides[1][0][0] and place[0] < self.depth
        }


@dataclass(frozen=True)
class DifferenceEvidence:
    """Bounds of the hidden neurons of both subnetworks of a pair, and a proof for each end of each difference."""

    pair: Pair
    first: NetworkBounds
    second: NetworkBounds
    proofs: Sequence[tuple[Target, Sequence[Case]]]

    def facts(self) -> tuple[Facts, Facts]:
        """Return what is known after the first network is bounded, and after the second is."""
        return pair_facts(self.pair, self.first, self.second)

    def loosened(self, tolerance: Number) -> DifferenceEvidence:
        """Return the same evidence for a larger bound of all outputs."""
        proofs = [(replace(target, value=target.way * tolerance), cases) for target, cases in self.proofs]
        return replace(self, proofs=proofs)


def pair_facts(pair: Pair, first: NetworkBounds, second: NetworkBounds) -> tuple[Facts, Facts]:
    """Return the bounds as facts about variables; those of shared neurons are the first network's."""
    of_first = pair.first.facts(first.known(pair.depth))
    return of_first, {**pair.second.facts(second.known(pair.depth)), **of_first}


def prove_difference(
    a: Network, b: Network, tolerance: Number, work: int, deadline: Deadline
) -> DifferenceEvidence | None:
    """Return evidence that |a − b| ≤ tolerance on the unit cube, or None if none is found.

    The networks must be alike and rational. `work` is for the differences; the hidden neurons get two fifths more.
    """
    if not are_alike(a, b) or any(side.number_kind == "algebraic" for side in (a, b)):
        return None
    pair = Pair(a, b)
    hidden = work * 2 // 5 // 2
    first = hidden_bounds(pair.first.network, hidden, deadline)
    second = hidden_bounds(pair.second.network, hidden, deadline, pair.shared_bounds(first))
    network = pair.difference.network
    context = LayerContext(network, pair.difference.known(pair_facts(pair, first, second)[1]))
    if not context.floats.is_usable:
        return None
    top, meter = len(network.layers), Meter(work, deadline)
    proofs: list[tuple[Target, Sequence[Case]]] = []
    for index in range(len(a.outputs)):
        for way in (1, -1):
            budget = Budget(meter.left, deadline=deadline)
            outcome = BranchAndBound(context, top, index, way, lambda _: tolerance, budget).run()
            meter.spend(outcome.work)
            if not outcome.complete:
                return None
            proofs.append((Target(top, index, way, way * tolerance), outcome.cases))
    return DifferenceEvidence(pair, first, second, proofs)
