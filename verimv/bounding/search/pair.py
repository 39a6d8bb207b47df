"""Two networks of one shape side by side, with their difference on top; and as the variables of a certificate.

A certificate has all neurons of the first network, then all of the second, those that are multiples of others included
(proofs/FORMAT.md, §3). A search has only the neurons that matter to it, layer by layer: a *part*. Evidence about the
one is evidence about the other, once its multipliers stand in the other order, with 0 for neurons that do not matter.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace

from verimv.bounding.prove.walk import Walk
from verimv.bounding.situation import Case, Ends, Numbering, Place, Situation
from verimv.core.errors import InternalError
from verimv.exact import parse_number
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Layer, Network
from verimv.networks.transforms.joint import SharedPair

#: Bounds of arguments, by the number of the variable in a certificate.
Facts = Mapping[int, Ends]


def are_alike(a: Network, b: Network) -> bool:
    """Whether they have the same activations and widths, layer by layer."""
    shapes = [[(layer.activation, len(layer.rows)) for layer in network.layers] for network in (a, b)]
    return shapes[0] == shapes[1]


def reordered(network: Network, inputs: Sequence[str], outputs: Sequence[str]) -> Network:
    """The same function with its inputs and outputs in another order."""
    places = {j: inputs.index(name) for j, name in enumerate(network.inputs)}
    first, *others = network.layers
    layers = [replace(first, rows=tuple(row.renumbered(places) for row in first.rows), width_in=len(inputs)), *others]
    chosen = tuple(layers[-1].rows[network.outputs.index(name)] for name in outputs)
    layers[-1] = replace(layers[-1], rows=chosen)
    box = [network.box[network.inputs.index(name)] for name in inputs]
    return Network.of(layers, inputs, box, outputs)


class Part:
    """Some neurons of a pair as a network of their own: `members` are their variables, layer by layer."""

    def __init__(self, network: Network, members: Sequence[Sequence[int]]) -> None:
        self.network, self.members = network, members
        self.places = {k: (depth, i) for depth, found in enumerate(members, start=1) for i, k in enumerate(found)}
        self._numbering = Numbering(network)

    def variable(self, number: int) -> int:
        """In a certificate, from its number in a search."""
        place = self._numbering.place(number)
        return place if isinstance(place, int) else self.members[place[0] - 1][place[1]]

    def known(self, facts: Facts) -> dict[Place, Ends]:
        """By place, of the neurons of this part."""
        return {self.places[k]: ends for k, ends in facts.items() if k in self.places}

    def facts(self, known: Mapping[Place, Ends]) -> Facts:
        return {self.members[depth - 1][i]: ends for (depth, i), ends in known.items()}

    def free(self, walk: Walk, situation: Situation, layer: int) -> list[int] | None:
        """The variables below a layer that need a multiplier, from the last to the first; None if there is no such
        point."""
        ranges = walk.ranges(situation, layer)
        if ranges is None:
            return None
        places = [(depth, int(i)) for depth, found in enumerate(ranges) for i in found.free.nonzero()[0]]
        return [self.members[depth][i] for depth, i in reversed(places)]

    def followed(self, cases: Sequence[Case]) -> Iterator[tuple[Case, Situation]]:
        """Each case of a tree with its situation."""
        pending = [Situation(self.network.box, {})]
        for case in cases:
            situation = pending.pop()
            yield case, situation
            if case[0] == "split":
                place = self._numbering.place(int(case[1]))
                below, above = situation.split(place, parse_number(str(case[2])))
                pending += [above, below]


class Pair:
    """a − b for two networks on the unit cube that are alike, with the neurons that they share."""

    def __init__(self, a: Network, b: Network) -> None:
        self._a, self.depth = a, len(a.layers)
        self._shared = SharedPair(a, b)
        numbers = itertools.count(len(a.inputs))
        #: the variables of all neurons of either side, layer by layer
        self._sides = [[[next(numbers) for _ in layer.rows] for layer in a.layers] for _ in range(2)]
        self._second_from = self._sides[1][0][0]
        self.first, self.second = (self._part(self._originals(side)) for side in self._sides)
        self.difference = self._difference()
        self._all_of_first = self._part(self._sides[0])
        self._all = self._part([x + y for x, y in zip(*self._sides, strict=True)], self._shared.differences)

    def _rows(self, variables: Iterable[int]) -> list[Affine]:
        return [self._shared.neurons[k - len(self._a.inputs)].row for k in variables]

    def _originals(self, side: Sequence[list[int]]) -> list[list[int]]:
        """What the neurons of a side are multiples of; at least one in each layer."""
        values = [[self._shared.neurons[k - len(self._a.inputs)].value for k in layer] for layer in side]
        found = (sorted({j for value in layer for j, _ in value.terms}) for layer in values)
        return [members or layer[:1] for members, layer in zip(found, side, strict=True)]

    def _difference(self) -> Part:
        """The neurons that the differences depend on. An affine end goes into the differences."""
        members: list[list[int]] = []
        rows, depth = self._shared.differences, self.depth
        if self._a.layers[-1].activation == "identity":
            ends = [k for side in self._sides for k in side[-1]]
            rows, depth = [row.substitute(dict(zip(ends, self._rows(ends), strict=True))) for row in rows], depth - 1
        above = rows
        for layer in reversed(self._sides[0][:depth]):
            members.insert(0, sorted({j for row in above for j, _ in row.terms}) or layer[:1])  # at least one
            above = self._rows(members[0])
        return self._part(members, rows)

    def _part(self, members: Sequence[Sequence[int]], on_top: Sequence[Affine] | None = None) -> Part:
        """The members as a network, with rows over the last of them on top."""
        layers: list[Layer] = []
        numbers, width = {j: j for j in range(len(self._a.inputs))}, len(self._a.inputs)
        for layer, found in zip(self._a.layers, members, strict=False):
            layers.append(Layer(tuple(row.renumbered(numbers) for row in self._rows(found)), width, layer.activation))
            numbers, width = {k: i for i, k in enumerate(found)}, len(found)
        if on_top is not None:
            layers.append(Layer(tuple(row.renumbered(numbers) for row in on_top), width, "identity"))
        names = [f"y{i + 1}" for i in range(len(layers[-1].rows))]
        return Part(Network.of(layers, self._a.inputs, self._a.box, names), members)

    def place(self, variable: int) -> Place:
        """Of a neuron in a certificate."""
        for layer, found in enumerate(itertools.chain(*self._sides), start=1):
            if variable in range(found[0], found[-1] + 1):
                return layer, variable - found[0]
        raise InternalError(f"variable {variable} is no neuron")

    def is_shared(self, variable: int) -> bool:
        """Whether a variable of the second part is a neuron of the first network."""
        return variable < self._second_from

    def needed(self, target: int | None, box: Box, phases: Facts, walks: tuple[Walk, Walk]) -> list[int] | None:
        """The variables that need a multiplier in a leaf of a certificate about the argument of a neuron (or, for None,
        about a difference), from the last to the first; None if there is no such point. `walks` are of all neurons of
        the first network, and of all neurons. Before a neuron come those below it on its side, and all of the first."""
        layer = self.place(target)[0] if target is not None else 2 * self.depth + 1
        layers = (min(layer, self.depth + 1), max(layer - self.depth, 1))
        result: list[int] = []
        for part, walk, below in zip((self._all_of_first, self._all), walks, layers, strict=True):
            inside = {place: ends for place, ends in part.known(phases).items() if place[0] < below}
            found = part.free(walk, Situation(box, inside), below)
            if found is None:
                return None
            result += [k for k in found if part is self._all_of_first or not self.is_shared(k)]
        return sorted(result, reverse=True)

    def walks(self, facts: Facts) -> tuple[Walk, Walk]:
        """Of all neurons of the first network, and of all neurons, given bounds proved before."""
        first, both = (Walk(part.network, part.known(facts)) for part in (self._all_of_first, self._all))
        return first, both


class Translation:
    """From cases about a part of a pair to those of a certificate; `facts` is all that it says of what comes before."""

    def __init__(self, pair: Pair, part: Part, facts: Facts) -> None:
        self.pair, self.part = pair, part
        self._walk = Walk(part.network, part.known(facts))
        self._walks = pair.walks(facts)

    def __call__(self, cases: Sequence[Case], target: int | None) -> list[Case]:
        """Cases about the argument of a neuron, or, for None, about a difference."""
        layer = self.part.places[target][0] if target is not None else len(self.part.network.layers)
        result: list[Case] = []
        for case, situation in self.part.followed(cases):
            if case[0] == "split":
                case = ("split", self.part.variable(int(case[1])), case[2])
            elif len(case) > 1:
                free = self.part.free(self._walk, situation, layer) or []
                multipliers = dict(zip(free, case[1:], strict=True))
                needed = self.pair.needed(target, situation.box, self.part.facts(situation.phases), self._walks)
                case = ("leaf", *(multipliers.get(k, "0") for k in needed or ()))
            result.append(case)
        return result
