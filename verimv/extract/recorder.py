"""What extraction claims while it works, for whoever wants to check it. Nothing here is needed to extract."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, NamedTuple

from verimv.bounds.bound import NetworkBounds
from verimv.exact import ONE, ZERO, Number
from verimv.networks.affine import Affine
from verimv.networks.network import Network
from verimv.networks.outputs import OutputMap
from verimv.networks.program import Range
from verimv.terms.dag import Dag

if TYPE_CHECKING:
    from verimv.extract.plan import Plan
    from verimv.extract.step2_lemma import Row, Step
    from verimv.extract.step2_threshold import Threshold


class TableRow(NamedTuple):
    """What a row claims: row[j] = σ(g + j ± h), where below[j] = σ(g + j) and h = piece·x is the node `atom`."""

    step: Step
    atom: int
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
        units: Sequence[Affine],
    ) -> None:
        """Step 1, a hidden layer: with its arguments in these ranges, its values are made of units σ(form)."""

    def outputs(
        self,
        arguments: Sequence[Affine],
        ranges: Sequence[Range],
        folded: Sequence[Affine],
        maps: Sequence[OutputMap],
    ) -> None:
        """Step 1, the last layer: σ(argument) = σ(folded); or, with a map, argument = scale·σ(folded) + offset."""

    def pruned(
        self, kept: Sequence[Sequence[int]], layers: Sequence[Sequence[Affine]], outputs: Sequence[Affine]
    ) -> None:
        """Of each layer's units only the `kept` ones are needed, renumbered in `layers` and `outputs`."""

    def begin(self, dag: Dag, atoms: Sequence[int]) -> None:
        """Step 2 and 3 begin; `atoms` are the nodes of the inputs."""

    def table(self, base: Number) -> None:
        """A new table: below its first row stands the constant form `base`."""

    def row(self, row: TableRow) -> None:
        """The table's next row, with one step more than the last."""

    def unit(self, form: Affine, shift: int, split: int, row: Row, node: int) -> None:
        """`node` is σ(form); the table's last row is about split·form, up to the integer `shift`."""

    def threshold(self, form: Affine, threshold: Threshold) -> None:
        """The compact strategy: a unit σ(form) is built as this threshold says."""

    def planned(self, forms: Sequence[Affine], plan: Plan) -> None:
        """The compact strategy: units σ(form) with integer weights are built as this plan says."""

    def layer(self, forms: Sequence[Affine], nodes: Sequence[int]) -> None:
        """A layer is finished: the nodes of its units, which are the next layer's atoms."""
