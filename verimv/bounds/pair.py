"""Two networks of one shape side by side, with their difference on top; and as the variables of a certificate.

A certificate has all neurons of the first network, then all of the second (proofs/FORMAT.md, §3); the search has both
layer by layer. Evidence about the one is evidence about the other, once its multipliers stand in the other order.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from verimv.bounds.situation import Case, Ends, Numbering, Place, Situation
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
        self.inputs = len(a.inputs)
        self.network = self._stacked()
        self._neurons = sum(len(layer.rows) for layer in a.layers)
        self._stack, self._side = Numbering(self.network), Numbering(a)

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

    def known(self, a: Mapping[Place, Ends], b: Mapping[Place, Ends]) -> dict[Place, Ends]:
        """What is proved of both sides, as bounds of the stack."""
        widths = [len(layer.rows) for layer in self.sides[0].layers]
        return {**a, **{(layer, widths[layer - 1] + i): ends for (layer, i), ends in b.items()}}

    def about_second(self, cases: Sequence[Case], first: Walk) -> list[Case]:
        """Cases about the second network alone. `first` is the first one with all that the certificate says of it:
        in a leaf with multipliers, its neurons have the multiplier 0."""
        result: list[Case] = []
        for case, situation in _followed(self.sides[1], cases):
            if case[0] == "split" and int(case[1]) >= self.inputs:
                case = ("split", int(case[1]) + self._neurons, case[2])
            elif case[0] == "leaf" and len(case) > 1:
                zeros = len(_free_places(first, Situation(situation.box, {}), len(first.layers) + 1))
                case = (*case, *["0"] * zeros)
            result.append(case)
        return result

    def about_difference(self, cases: Sequence[Case], stack: Walk) -> list[Case]:
        """Cases about the top of the stack."""
        result: list[Case] = []
        for case, situation in _followed(self.network, cases):
            if case[0] == "split":
                variable = self._stack.place(int(case[1]))
                case = ("split", variable if isinstance(variable, int) else self._number(variable), case[2])
            else:
                places = _free_places(stack, situation, len(stack.layers)) if len(case) > 1 else []
                numbered = sorted(zip(map(self._number, places), case[1:], strict=True), reverse=True)
                case = ("leaf", *(multiplier for _, multiplier in numbered))
            result.append(case)
        return result

    def _number(self, place: Place) -> int:
        """The variable of a neuron of the stack."""
        layer, i = place
        width = len(self.sides[0].layers[layer - 1].rows)
        return self._side.variable((layer, i)) if i < width else self._side.variable((layer, i - width)) + self._neurons


def _moved(row: Affine, shift: int) -> Affine:
    return Affine(tuple((shift + j, w) for j, w in row.terms), row.constant)


def _followed(network: Network, cases: Sequence[Case]) -> Iterator[tuple[Case, Situation]]:
    """Each case of a tree with its situation."""
    numbering = Numbering(network)
    pending = [Situation(network.box, {})]
    for case in cases:
        situation = pending.pop()
        yield case, situation
        if case[0] == "split":
            below, above = situation.split(numbering.place(int(case[1])), parse_number(str(case[2])))
            pending += [above, below]


def _free_places(walk: Walk, situation: Situation, layer: int) -> list[Place]:
    """Neurons below a layer that need a multiplier, from the last to the first."""
    ranges = walk.ranges(situation, layer) or []
    places = [(depth, int(i)) for depth, found in enumerate(ranges, start=1) for i in found.free.nonzero()[0]]
    return places[::-1]
