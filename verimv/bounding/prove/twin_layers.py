"""Two networks as one system of variables, depth by depth, with a twin in the first network for neurons of the second.

Values of the first network's neurons are v = act(z), those of the second w = act(y). Neurons that both share are
variables once (proofs/FORMAT.md, §3): so z is affine in the values v of the layer below, and y in w and v. Inputs are
the values v below the first layer. On top are the differences, first minus second, as further arguments y.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Literal, NamedTuple

import numpy as np

from verimv.bounding.prove.integer_matrix import IntegerMatrix
from verimv.bounding.prove.walk import Integers, common_denominator, integers, numerator_over
from verimv.exact import Number
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Network
from verimv.networks.transforms.joint import SharedPair

#: Which argument: z, of the first network; y, of the second; d = y − p·z, for a twin with the factor p.
Which = Literal["z", "y", "d"]
#: An argument: which one, its layer and index, both from 0.
TwinPlace = tuple[Which, int, int]


@dataclass(frozen=True)
class Twin:
    """A neuron of the first network at the same depth, and the factor p > 0 with which it is compared."""

    index: int
    factor: Number


#: Twins of neurons of the second network, by layer and index, both from 0.
TwinMap = Mapping[tuple[int, int], Twin]


class Rows(NamedTuple):
    """Affine functions of the values of a layer: coefficients of v and of w, and constants, over a denominator."""

    first: Integers
    second: Integers
    constants: Integers
    denominator: int

    def times(self, way: int) -> Rows:
        return Rows(self.first * way, self.second * way, self.constants * way, self.denominator)

    def at(self, chosen: Any) -> Rows:
        """Return some of the rows."""
        return Rows(self.first[chosen], self.second[chosen], self.constants[chosen], self.denominator)

    @staticmethod
    def joined(parts: Sequence[Rows]) -> Rows:
        """Return the rows of several parts with one denominator."""
        first, second, constants = (np.concatenate([part[k] for part in parts]) for k in range(3))
        return Rows(first, second, constants, parts[0].denominator)


@dataclass(frozen=True)
class TwinLayer:
    """z = own·v + own_bias and y = inner·w + outer·v + bias, all over `denominator`."""

    activation: Activation
    denominator: int
    own: IntegerMatrix
    own_bias: Integers
    inner: IntegerMatrix
    outer: IntegerMatrix
    bias: Integers
    #: for each y the index of its twin, or −1; its factor over `unit`, or 0; whether a row above mentions it
    twins: Any
    factors: Integers
    unit: int
    is_used: Any

    def rows(self, which: Which) -> Rows:
        """Return all arguments z, y or d of the layer as rows over the layer below; without a twin, d is y."""
        if which == "z":
            none = np.zeros((len(self.own_bias), self.inner.entries.shape[1]), dtype=object)
            return Rows(self.own.entries, none, self.own_bias, self.denominator)
        if which == "y":
            return Rows(self.outer.entries, self.inner.entries, self.bias, self.denominator)
        return self.changes

    @cached_property
    def changes(self) -> Rows:
        outer, bias = self.outer.entries * self.unit, self.bias * self.unit
        if len(self.own_bias):
            outer = outer - self.factors[:, None] * self.own.entries[self.twins]
            bias = bias - self.factors * self.own_bias[self.twins]
        return Rows(outer, self.inner.entries * self.unit, bias, self.denominator * self.unit)


class TwinSystem:
    """Two networks with rational weights on the unit cube, with the same activations layer by layer, and twins."""

    def __init__(self, first: Network, second: Network, twins: TwinMap) -> None:
        pair = SharedPair(first, second)
        self.inputs, self.depth = pair.inputs, len(first.layers)
        widths = [[len(layer.rows) for layer in network.layers] for network in (first, second)]
        #: the number of the first variable of each layer, of either network
        self.starts: list[list[int]] = []
        number = self.inputs
        for side in widths:
            self.starts.append([])
            for width in side:
                self.starts[-1].append(number)
                number += width
        rows = [neuron.row for neuron in pair.neurons]
        originals = {j for row in (*rows, *pair.differences) for j, _ in row.terms}
        self.twins: dict[tuple[int, int], Twin] = {}
        for (depth, i), twin in twins.items():
            value = pair.neurons[self.starts[0][depth] + twin.index - self.inputs].value
            if self.starts[1][depth] + i in originals and value.terms:  # the twin may be a multiple of another
                ((original, multiple),) = value.terms
                self.twins[depth, i] = Twin(original - self.starts[0][depth], twin.factor * multiple)
        self.layers: list[TwinLayer] = []
        below = (range(self.inputs), range(0))
        for depth, layer in enumerate(first.layers):
            sides = [range(self.starts[s][depth], self.starts[s][depth] + widths[s][depth]) for s in (0, 1)]
            found = [[rows[k - self.inputs] for k in side] for side in sides]
            used = np.array([k in originals for k in sides[1]], dtype=bool)
            self.layers.append(self._layer(layer.activation, depth, found, below, used))
            below = sides[0], sides[1]
        unused = np.zeros(len(pair.differences), dtype=bool)
        self.layers.append(self._layer("identity", self.depth, [[], pair.differences], below, unused))

    def _layer(
        self, activation: Activation, depth: int, sides: Sequence[Sequence[Affine]], below: tuple[range, range],
        used: Any,
    ) -> TwinLayer:  # fmt: skip
        own, other = sides
        rows = (*own, *other)
        denominator = common_denominator(x for row in rows for x in (row.constant, *(w for _, w in row.terms)))

        def matrix(rows: Sequence[Affine], columns: range) -> IntegerMatrix:
            entries = np.zeros((len(rows), len(columns)), dtype=object)
            for i, row in enumerate(rows):
                for j, w in row.terms:
                    if j in columns:
                        entries[i, j - columns.start] = numerator_over(w, denominator)
            return IntegerMatrix(entries)

        biases = [integers(numerator_over(row.constant, denominator) for row in rows) for rows in sides]
        found = [self.twins.get((depth, i)) for i in range(len(other))]
        unit = common_denominator(twin.factor for twin in found if twin is not None)
        return TwinLayer(
            activation,
            denominator,
            matrix(own, below[0]),
            biases[0],
            matrix(other, below[1]),
            matrix(other, below[0]),
            biases[1],
            np.array([-1 if twin is None else twin.index for twin in found], dtype=int),
            integers(0 if twin is None else numerator_over(twin.factor, unit) for twin in found),
            unit,
            used,
        )

    def variable(self, place: TwinPlace) -> int:
        """Return the number of the variable whose argument is z or y at a place."""
        which, depth, index = place
        return self.starts[which != "z"][depth] + index
