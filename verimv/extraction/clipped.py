"""What Step 1 makes of a network: neurons as sums of clipped units, and the network of these units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

from verimv.exact import ONE, ZERO, Number
from verimv.networks.affine import Affine
from verimv.networks.program import Range
from verimv.networks.transforms.outputs import OutputMap


class Clipping(NamedTuple):
    """The value of a neuron after Step 1: a constant plus `factor` times the sum of units. Unit j is j+1; −j−1 stands
    for one minus it."""

    constant: Number
    units: tuple[int, ...]
    factor: Number = ONE

    def value(self) -> Affine:
        """Return the value as a form over the units."""
        total: dict[int, Number] = {}
        for unit in self.units:
            j = abs(unit) - 1
            total[j] = total.get(j, ZERO) + (self.factor if unit > 0 else -self.factor)
        return Affine.of(total, self.constant + self.factor * sum(unit < 0 for unit in self.units))


@dataclass(frozen=True)
class HiddenClipping:
    """A hidden layer after Step 1: with its arguments in these ranges, its values are made of clipped units."""

    #: the number of the layer, from 1
    depth: int
    arguments: Sequence[Affine]
    ranges: Sequence[Range]
    clippings: Sequence[Clipping]
    #: the units that something above uses; the others have no formula
    kept: Sequence[int]


@dataclass(frozen=True)
class OutputClipping:
    """The last layer after Step 1: with its arguments in these ranges, an output is a unit, or a map of one."""

    #: the number of the layer, from 1
    depth: int
    arguments: Sequence[Affine]
    ranges: Sequence[Range]
    maps: Sequence[OutputMap]


@dataclass(frozen=True)
class ClippedNetwork:
    """A network of clipped units: layers of forms over the units below (the first over the inputs), σ applied to each.

    `outputs` are forms over the last layer; the network's output is σ of them wherever `output_ranges` (proven,
    before σ) and the output activation say so.
    """

    layers: list[list[Affine]]
    outputs: list[Affine]
    output_ranges: list[tuple[Number, Number]]
    #: what takes σ of `outputs` to the network's own
    maps: list[OutputMap]

    @property
    def units(self) -> int:
        """Number of hidden units and outputs that are not constant."""
        return sum(len(layer) for layer in self.layers) + sum(bool(form.terms) for form in self.outputs)
