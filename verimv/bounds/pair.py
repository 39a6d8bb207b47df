"""Two networks of one shape side by side, with their difference on top; and as the variables of a certificate.

A certificate has all neurons of the first network, then all of the second (proofs/FORMAT.md, §3); the search has both
layer by layer. Evidence about the one is evidence about the other, once its multipliers stand in the other order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from verimv.bounds.situation import Case, Ends, Place, Situation, Target
from verimv.bounds.walk import Walk
from verimv.exact import ONE, parse_number
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network


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


class Pair:
    """a − b for two networks on the unit cube that are alike."""

    def __init__(self, a: Network, b: Network) -> None:
        self.sides = (a, b)
        self.depth = len(a.layers)
        self.inputs = len(a.inputs)
        self.network = self._stacked()
        #: where the neurons of each layer begin, for each side
        self._first: tuple[list[int], list[int]] = ([], [])
        number = self.inputs
        for side, starts in zip(self.sides, self._first, strict=True):
            for layer in side.layers:
                starts.append(number)
                number += len(layer.rows)
        self._difference = number

    def _stacked(self) -> Network:
        """Below the outputs both, layer by layer; an affine end goes into the difference."""
        a, b = self.sides
        layers: list[Layer] = []
        for depth, (one, two) in enumerate(zip(a.layers, b.layers, strict=True)):
            shift = one.width_in if depth else 0
            rows = [*one.rows, *(_moved(row, shift) for row in two.rows)]
            layers.append(Layer(tuple(rows), one.width_in + shift, one.activation))
        count = len(a.outputs)
        differences = [Affine([(k, ONE), (count + k, -ONE)]) for k in range(count)]
        top = layers[-1]
        if top.activation == "identity":
            layers.pop()
            differences = [row.substitute(top.rows) for row in differences]
        width = len(top.rows) if top.activation != "identity" else top.width_in
        layers.append(Layer(tuple(differences), width, "identity"))
        return replace(a, layers=tuple(layers))

    def line(self, target: Target, cases: Sequence[Case], used: Walk, known: Mapping[Place, Ends]) -> list[Case]:
        """Cases about the stack, as cases about the variables of the certificate.

        `used` is what the evidence was found with, `known` what the certificate says before this line.
        """
        now = Walk(self.network, known)
        before = self._difference if target.layer == len(self.network.layers) else self._number_of(target)
        return [
            self._case(case, situation, target.layer, used, now, before) for case, situation in _followed(self, cases)
        ]

    def place(self, target: Target) -> Place:
        """Layer and index of a neuron, as the certificate counts them."""
        if target.layer == len(self.network.layers):
            return 2 * self.depth + 1, target.index
        width = len(self.sides[0].layers[target.layer - 1].rows)
        if target.index < width:
            return target.layer, target.index
        return self.depth + target.layer, target.index - width

    def _number_of(self, target: Target) -> int:
        """The first variable of the target's layer: evidence is over those before it."""
        is_second = target.index >= len(self.sides[0].layers[target.layer - 1].rows)
        return self._first[is_second][target.layer - 1]

    def number(self, place: Place) -> int:
        """The variable of a neuron of the stack."""
        depth, i = place[0] - 1, place[1]
        width = len(self.sides[0].layers[depth].rows)
        return self._first[0][depth] + i if i < width else self._first[1][depth] + i - width

    def _case(self, case: Case, situation: Situation, layer: int, used: Walk, now: Walk, before: int) -> Case:
        if case[0] == "split":
            variable = self.variable(int(case[1]))
            return ("split", variable if isinstance(variable, int) else self.number(variable), case[2])
        top = len(self.network.layers)
        ranges = now.ranges(situation, top) if len(case) > 1 else None
        if ranges is None:
            return ("leaf",)
        chosen = dict(zip(_free_places(used, situation, layer), case[1:], strict=True))
        numbers = {self.number(place): chosen.get(place, "0") for place in _free_places(now, situation, top)}
        return ("leaf", *(numbers[number] for number in sorted(numbers, reverse=True) if number < before))

    def variable(self, number: int) -> int | Place:
        """An input or a neuron of the stack, by its number there."""
        if number < self.inputs:
            return number
        number -= self.inputs
        depth = 1
        while number >= len(self.network.layers[depth - 1].rows):
            number -= len(self.network.layers[depth - 1].rows)
            depth += 1
        return depth, number


def _moved(row: Affine, shift: int) -> Affine:
    return Affine(tuple((shift + j, w) for j, w in row.terms), row.constant)


def _followed(pair: Pair, cases: Sequence[Case]) -> Iterator[tuple[Case, Situation]]:
    """Each case of a tree with its situation."""
    pending = [Situation(pair.network.box, {})]
    for case in cases:
        situation = pending.pop()
        yield case, situation
        if case[0] == "split":
            below, above = situation.split(pair.variable(int(case[1])), parse_number(str(case[2])))
            pending += [above, below]


def _free_places(walk: Walk, situation: Situation, layer: int) -> list[Place]:
    """Neurons below a layer that need a multiplier, from the last to the first."""
    ranges = walk.ranges(situation, layer) or []
    places = [(depth, int(i)) for depth, found in enumerate(ranges, start=1) for i in found.free.nonzero()[0]]
    return places[::-1]
