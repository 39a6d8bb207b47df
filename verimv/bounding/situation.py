"""Words that guesses, proofs and searches share: what is to be proved, a part of the cube, and evidence in cases."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from verimv.exact import Number, Rational
from verimv.networks.network import Box

#: Layer (from 1) and index (from 0) of a neuron.
Place = tuple[int, int]
#: Lower and upper bound of an argument; None where there is none.
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
        """The end of the range, in the words of a certificate."""
        return "high" if self.way > 0 else "low"


@dataclass(frozen=True)
class Situation:
    """A part of the cube: a box of inputs, and `phases`, the ranges to which arguments of neurons are cut."""

    box: Box
    phases: Mapping[Place, Ends]

    def split(self, variable: int | Place, point: Number) -> tuple[Situation, Situation]:
        """Return the situations below and above a point of an input, or of a neuron's argument."""
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


@dataclass(frozen=True, slots=True)
class SplitCase:
    """Two cases follow: the variable is at most `point`, then the variable is at least `point`.

    `variable` is an input, or the place of a neuron (its argument is split); in evidence about a row over variables it
    is the number of one of these.
    """

    variable: int | Place
    point: Number


@dataclass(frozen=True, slots=True)
class LeafCase:
    """Proved by multipliers, from the last free neuron to the first; without any, by default slopes."""

    multipliers: tuple[Number, ...] = ()


@dataclass(frozen=True, slots=True)
class LemmaCase:
    """The argument of a neuron is at most (`way` 1) or at least (`way` −1) `value` in this case.

    Cases that prove it follow; then those for which it is known. `variable` is as in a split.
    """

    variable: int | Place
    way: int
    value: Number


@dataclass(frozen=True, slots=True)
class SweepCase:
    """All arguments are bounded afresh by the checker; one case follows, for which these bounds are known."""


#: One node of a tree of cases, listed in preorder.
Case = SplitCase | LemmaCase | SweepCase | LeafCase

#: Bounds with longer denominators are rounded before the layers above use them: sums of many would grow without end.
_LONG = 48
_KEPT_BITS = 32


def lemma(value: Number, way: int) -> Number:
    """Return the bound that the layers above use: the value if it is short, otherwise a short number just outside."""
    if not isinstance(value, Rational) or value.denominator.bit_length() <= _LONG:
        return value
    magnitude = abs(value.numerator).bit_length() - value.denominator.bit_length()
    grid = Rational(2) ** (magnitude - _KEPT_BITS)
    steps = value / grid
    count = -(-steps.numerator // steps.denominator) if way > 0 else steps.numerator // steps.denominator
    return grid * count
