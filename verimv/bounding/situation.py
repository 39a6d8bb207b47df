"""A part of the cube in which a bound is proved: a box of inputs and phases of neurons; and what is proved already."""

from __future__ import annotations

import bisect
from collections.abc import Mapping
from dataclasses import dataclass

from verimv.exact import Number, Rational
from verimv.networks.network import Box, Network

#: One line of a tree of cases, in the words of proofs/FORMAT.md.
Case = tuple[int | str, ...]
#: Layer (from 1) and index (from 0) of a neuron.
Place = tuple[int, int]
Ends = tuple[Number | None, Number | None]

#: Where activations bend.
KINKS: dict[str, tuple[int, ...]] = {"relu": (0,), "crelu": (0, 1), "identity": ()}


@dataclass(frozen=True)
class Target:
    """To prove: the argument of a neuron (layers from 1) is at most (`way` 1) or at least (`way` −1) `value`."""

    layer: int
    index: int
    way: int
    value: Number

    @property
    def side(self) -> str:
        return "high" if self.way > 0 else "low"


@dataclass(frozen=True)
class Situation:
    """`phases` are ranges to which arguments of neurons are cut, by place."""

    box: Box
    phases: Mapping[Place, Ends]

    def split(self, variable: int | Place, point: Number) -> tuple[Situation, Situation]:
        """Below and above a point of an input, or of a neuron's argument."""
        if isinstance(variable, int):
            low, high = self.box[variable]
            halves = ((low, min(high, point)), (max(low, point), high))
            boxes = [(*self.box[:variable], half, *self.box[variable + 1 :]) for half in halves]
            return Situation(boxes[0], self.phases), Situation(boxes[1], self.phases)
        lower, upper = self.phases.get(variable, (None, None))
        below = (lower, point if upper is None else min(upper, point))
        above = (point if lower is None else max(lower, point), upper)
        return Situation(self.box, {**self.phases, variable: below}), Situation(
            self.box, {**self.phases, variable: above}
        )


class Numbering:
    """Inputs and neurons as the variables of a certificate: inputs first, then neurons layer by layer."""

    def __init__(self, network: Network) -> None:
        self.first = [len(network.inputs)]
        for layer in network.layers:
            self.first.append(self.first[-1] + len(layer.rows))

    def variable(self, variable: int | Place) -> int:
        """The number of an input, or of the neuron at a place."""
        return variable if isinstance(variable, int) else self.first[variable[0] - 1] + variable[1]

    def place(self, number: int) -> int | Place:
        """The input or the neuron that has a number."""
        if number < self.first[0]:
            return number
        layer = bisect.bisect_right(self.first, number)
        return layer, number - self.first[layer - 1]


#: Longer denominators are not carried into the layers above: sums of many would grow without end.
_LONG = 48
_KEPT_BITS = 32


def lemma(value: Number, way: int) -> Number:
    """The bound that is used above: the value itself if it is short, otherwise a short number just outside."""
    if not isinstance(value, Rational) or value.denominator.bit_length() <= _LONG:
        return value
    magnitude = abs(value.numerator).bit_length() - value.denominator.bit_length()
    grid = Rational(2) ** (magnitude - _KEPT_BITS)
    steps = value / grid
    whole = -(-steps.numerator // steps.denominator) if way > 0 else steps.numerator // steps.denominator
    return grid * whole
