"""What extraction tells while it works, for whoever writes it down. Nothing here is needed to extract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from verimv.bounding.results import NetworkBounds
from verimv.exact import ONE, ZERO, Number
from verimv.networks.affine import Affine
from verimv.networks.network import Network
from verimv.networks.program import Range
from verimv.networks.transforms.outputs import OutputMap

if TYPE_CHECKING:
    from verimv.extraction.strategies.paper import LemmaStep, Row
    from verimv.extraction.strategies.plan import Plan
    from verimv.extraction.strategies.threshold import Threshold


class TableRow(NamedTuple):
    """What a row claims: row[j] = σ(g + j ± h), where below[j] = σ(g + j) and h = piece·x, as its step says."""

    step: LemmaStep
    below: Row
    row: Row


class Clipping(NamedTuple):
    """The value of a neuron after Step 1: a constant plus `factor` times the sum of units. Unit j is j+1; −j−1 stands
    for one minus it."""

    constant: Number
    units: tuple[int, ...]
    factor: Number = ONE

    def value(self) -> Affine:
        """As a form over the units."""
        total: dict[int, Number] = {}
        for unit in self.units:
            j = abs(unit) - 1
            total[j] = total.get(j, ZERO) + (self.factor if unit > 0 else -self.factor)
        return Affine.of(total, self.constant + self.factor * sum(unit < 0 for unit in self.units))


class Recorder:
    """Told every claim, in the order in which it is made. This one ignores them all."""

    def start(self, network: Network, bounds: NetworkBounds) -> None:
        """The network, on the unit cube, and what is proved of its neurons."""

    def clipped(
        self,
        depth: int,
        arguments: Sequence[Affine],
        ranges: Sequence[Range],
        clippings: Sequence[Clipping],
    ) -> None:
        """Step 1, a hidden layer: with its arguments in these ranges, its values are made of clipped units."""

    def outputs(self, arguments: Sequence[Affine], ranges: Sequence[Range], maps: Sequence[OutputMap]) -> None:
        """Step 1, the last layer: with its arguments in these ranges, an output is a unit, or a map of one."""

    def pruned(self, kept: Sequence[Sequence[int]]) -> None:
        """Of each layer's units only the `kept` ones are needed."""

    def begin(self, inputs: int) -> None:
        """Step 2 and 3 begin, over so many inputs."""

    def table(self, base: Number) -> None:
        """A new table: below its first row stands the constant form `base`."""

    def row(self, row: TableRow) -> None:
        """The table's next row, with one step more than the last."""

    def unit(self, form: Affine, shift: int, split: int, row: Row) -> None:
        """A unit σ(form) is built; the table's last row is about split·form, up to the integer `shift`."""

    def threshold(self, form: Affine, threshold: Threshold) -> None:
        """The compact strategy: a unit σ(form) is built as this threshold says."""

    def planned(self, forms: Sequence[Affine], plan: Plan) -> None:
        """The compact strategy: units σ(form) with integer weights are built as this plan says."""

    def layer(self, forms: Sequence[Affine]) -> None:
        """A layer is finished: its units, which are the next layer's atoms."""
