"""Two networks as one system of variables, layer by layer, in which neurons may have a twin: an earlier variable.

The variables, and their numbers, are those of a certificate about the difference (proofs/FORMAT.md, §3 and §8): layer 0
has the inputs, then come the layers of the first network and those of the second, then the differences, first minus
second. Neurons that are shared are mentioned once: so arguments of the second network may mention the first one's. The
networks need not have the same number of layers, and a twin may be in any layer before, or earlier in the same one.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal, NamedTuple

import numpy as np

from verimv.bounding.prove.integer_matrix import IntegerMatrix
from verimv.bounding.prove.walk import Integers, common_denominator, integers, numerator_over
from verimv.exact import ZERO, Number
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Network
from verimv.networks.transforms.joint import SharedPair

#: Which quantity of a neuron: y, its argument; d = y − x, its change, for a twin that is compared by way of x.
Which = Literal["y", "d"]
#: A quantity: which one, its layer (from 1, as in a certificate) and index (from 0).
TwinPlace = tuple[Which, int, int]


@dataclass(frozen=True)
class Twin:
    """An earlier variable act(z), and the factor p with which it is compared: x = p·z, or 1 − z for σ and p = −1.

    act(x) is p·act(z) for p > 0. Otherwise ρ(p·z) = −p·ρ(z) + p·z, and σ(1 − z) = 1 − σ(z).
    """

    variable: int
    factor: Number


class TwinIdentity(NamedTuple):
    """x = factor·z + offset, and act(x) = of_value·act(z) + of_argument·z + offset."""

    factor: Number
    offset: int
    of_value: Number
    of_argument: Number


def identity_of(activation: Activation, factor: Number) -> TwinIdentity:
    """Return what a factor means for an activation."""
    if activation == "crelu" and factor < 0:
        return TwinIdentity(factor, 1, factor, ZERO)
    if activation == "relu" and factor < 0:
        return TwinIdentity(factor, 0, -factor, factor)
    return TwinIdentity(factor, 0, factor, ZERO)


#: Twins of neurons, both by the number of the variable.
TwinMap = Mapping[int, Twin]


class Rows(NamedTuple):
    """Affine functions of variables: coefficients by layer, and constants, over a denominator."""

    parts: Mapping[int, Integers]
    constants: Integers
    denominator: int

    def times(self, way: int) -> Rows:
        return Rows({k: part * way for k, part in self.parts.items()}, self.constants * way, self.denominator)

    def at(self, chosen: Any) -> Rows:
        """Return some of the rows."""
        return Rows({k: part[chosen] for k, part in self.parts.items()}, self.constants[chosen], self.denominator)

    def both_ways(self) -> Rows:
        """Return all rows times −1, then all rows."""
        parts = {k: np.concatenate([-part, part]) for k, part in self.parts.items()}
        return Rows(parts, np.concatenate([-self.constants, self.constants]), self.denominator)


@dataclass(frozen=True)
class TwinColumns:
    """For each neuron of a layer, the layer of its twin (−1: none) and its index there; its identity, over `unit`."""

    layers: Any
    indices: Any
    factors: Integers
    offsets: Integers
    of_values: Integers
    of_arguments: Integers
    unit: int

    @staticmethod
    def of(activation: Activation, twins: Sequence[tuple[int, int, Number] | None]) -> TwinColumns:
        """Return the columns for (layer, index, factor) of each neuron."""
        found = [identity_of(activation, ZERO if twin is None else twin[2]) for twin in twins]
        unit = common_denominator(identity.factor for identity in found)

        def column(numbers: Sequence[Number]) -> Integers:
            return integers(numerator_over(x, unit) for x in numbers)

        return TwinColumns(
            np.array([-1 if twin is None else twin[0] for twin in twins], dtype=int),
            np.array([-1 if twin is None else twin[1] for twin in twins], dtype=int),
            column([x.factor for x in found]),
            integers(x.offset for x in found),
            column([x.of_value for x in found]),
            column([x.of_argument for x in found]),
            unit,
        )


@dataclass(frozen=True)
class TwinLayer:
    """Arguments y = Σ weights[k]·(values of layer k) + bias, all over `denominator`."""

    start: int  # the number of the first variable
    activation: Activation
    denominator: int
    weights: Mapping[int, IntegerMatrix]
    bias: Integers
    twins: TwinColumns
    #: whether an argument above mentions the neuron, or it is a twin
    is_used: Any

    @property
    def width(self) -> int:
        return len(self.bias)

    @property
    def is_over_inputs(self) -> bool:
        """Whether arguments mention inputs only."""
        return not any(self.weights)


class TwinSystem:
    """Two networks with rational weights on the unit cube, and twins."""

    def __init__(self, first: Network, second: Network, twins: TwinMap) -> None:
        pair = SharedPair(first, second)
        self.inputs = pair.inputs
        shapes = [(layer.activation, len(layer.rows)) for layer in (*first.layers, *second.layers)]
        activations: list[Activation] = ["identity", *(activation for activation, _ in shapes), "identity"]
        widths = [self.inputs, *(width for _, width in shapes), len(pair.differences)]
        starts = np.cumsum([0, *widths]).tolist()
        #: the layer and index of each variable
        self.places = [(number, i) for number, width in enumerate(widths) for i in range(width)]
        #: the arguments of neurons, then the differences
        self.arguments = [*(neuron.row for neuron in pair.neurons), *pair.differences]
        mentioned = {j for row in self.arguments for j, _ in row.terms}
        self.twins = self._of_originals(twins, pair, mentioned)
        used = mentioned | {twin.variable for twin in self.twins.values()}
        none = TwinColumns.of("identity", [None] * self.inputs)
        bias = np.zeros(self.inputs, dtype=object)
        self.layers = [TwinLayer(0, "identity", 1, {}, bias, none, np.ones(self.inputs, dtype=bool))]
        for start, stop, activation in zip(starts[1:], starts[2:], activations[1:], strict=False):
            rows = self.arguments[start - self.inputs : stop - self.inputs]
            is_used = np.array([k in used for k in range(start, stop)], dtype=bool)
            self.layers.append(self._layer(start, activation, rows, widths, is_used))
        self._changes: dict[int, Rows] = {}

    @property
    def top(self) -> int:
        """The number of the layer of differences."""
        return len(self.layers) - 1

    def _of_originals(self, twins: TwinMap, pair: SharedPair, mentioned: set[int]) -> dict[int, Twin]:
        """Return twins of neurons that are mentioned. A twin may be a multiple of another one, which replaces it."""
        result: dict[int, Twin] = {}
        for k, twin in sorted(twins.items()):
            value = pair.neurons[twin.variable - self.inputs].value
            if k not in mentioned or not value.terms:
                continue
            ((original, multiple),) = value.terms
            layer = self.places[k][0]
            is_chain = original in result and self.places[result[original].variable][0] == layer
            if not is_chain or self.places[original][0] != layer:  # in one layer, a twin has no twin there
                result[k] = Twin(original, twin.factor * multiple)
        return result

    def _layer(
        self, start: int, activation: Activation, rows: Sequence[Affine], widths: Sequence[int], is_used: Any
    ) -> TwinLayer:
        denominator = common_denominator(x for row in rows for x in (row.constant, *(w for _, w in row.terms)))
        entries: dict[int, Integers] = {}
        for i, row in enumerate(rows):
            for j, w in row.terms:
                number, index = self.places[j]
                if number not in entries:
                    entries[number] = np.zeros((len(rows), widths[number]), dtype=object)
                entries[number][i, index] = numerator_over(w, denominator)
        bias = integers(numerator_over(row.constant, denominator) for row in rows)
        weights = {number: IntegerMatrix(entries[number]) for number in sorted(entries)}
        found = [self.twins.get(start + i) for i in range(len(rows))]
        twins = [None if twin is None else (*self.places[twin.variable], twin.factor) for twin in found]
        return TwinLayer(start, activation, denominator, weights, bias, TwinColumns.of(activation, twins), is_used)

    def rows(self, which: Which, number: int) -> Rows:
        """Return all arguments, or all changes, of a layer; the change of a neuron without a twin is its argument."""
        layer = self.layers[number]
        if which == "y":
            return Rows({k: matrix.entries for k, matrix in layer.weights.items()}, layer.bias, layer.denominator)
        if number not in self._changes:
            self._changes[number] = self._changes_of(layer)
        return self._changes[number]

    def _changes_of(self, layer: TwinLayer) -> Rows:
        twins = layer.twins
        others = [number for number in sorted(set(twins.layers.tolist())) if number >= 0]
        common = math.lcm(layer.denominator, *(self.layers[number].denominator for number in others))
        one = common // layer.denominator * twins.unit
        parts = {k: matrix.entries * one for k, matrix in layer.weights.items()}
        constants = layer.bias * one - twins.offsets * (common * twins.unit)
        for number in others:
            other, at = self.layers[number], np.flatnonzero(twins.layers == number)
            factors = twins.factors[at] * (common // other.denominator)
            constants[at] -= factors * other.bias[twins.indices[at]]
            for k, matrix in other.weights.items():
                if k not in parts:
                    parts[k] = np.zeros((layer.width, matrix.entries.shape[1]), dtype=object)
                parts[k][at] -= factors[:, None] * matrix.entries[twins.indices[at]]
        return Rows(parts, constants, common * twins.unit)

    def variable(self, place: TwinPlace) -> int:
        """Return the number of the variable at a place."""
        return self.layers[place[1]].start + place[2]
