"""What must be proved so that network and formula are equal: one small obligation per unit and node.

Every claim of extraction is local. A node is built from nodes whose claims speak of the same form g, so the claim needs
only g (a fresh real variable in a range that holds for it) and the eliminated h ∈ [0,1]; a clipped ReLU needs only its
argument t. Obligations that differ in names alone are one query, so a formula of 10⁵ nodes asks a few dozen.

What needs no solver is checked by exact arithmetic on the way, from the network's own weights to the formula's nodes:
substitution along the layers, sums of steps, operands of nodes. A bound that intervals over the units do not give is an
obligation of its own, about the network below that neuron.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from verimv.bounds.bound import NetworkBounds
from verimv.errors import InputError, InternalError
from verimv.exact import ONE, ZERO, Number, Rational, ceil, clip, floor
from verimv.extract.built_forms import BuiltForms, check
from verimv.extract.plan import Plan
from verimv.extract.queries import Query, coarse, lemma_query, rectified_query, split_query
from verimv.extract.recorder import Clipping, Recorder, TableRow
from verimv.extract.step2_lemma import Row, split_sum
from verimv.extract.step2_threshold import Threshold, threshold_node
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Network
from verimv.networks.outputs import OutputMap
from verimv.networks.program import Range
from verimv.terms.dag import ONE as ONE_NODE
from verimv.terms.dag import VARIABLE as VARIABLE_NODE
from verimv.terms.dag import ZERO as ZERO_NODE
from verimv.terms.dag import Dag
from verimv.terms.formula import Formula

_CONSTANTS = {ZERO_NODE: 0, ONE_NODE: 1}


class Obligations(Recorder):
    """Collects what must be proved while extraction runs, equal obligations once.

    What is a matter of exact arithmetic is checked at once: that every form is the network's, that steps add up to
    forms, that nodes are built from the nodes they should be. A mismatch is a bug in verimv, and raised as one.
    """

    def __init__(self) -> None:
        self.queries: dict[Any, Query] = {}
        #: units and nodes that the queries cover
        self.covered = 0
        #: (layer, neuron) → ends of its range that are not plain from the units below
        self.bounds: dict[tuple[int, int], tuple[Number | None, Number | None]] = {}
        self.nodes: list[int] = []
        self._stage = "nothing is claimed yet"

    # -- Step 1 -----------------------------------------------------------------------------------------------

    def start(self, network: Network, bounds: NetworkBounds) -> None:
        self.network = network
        self._next = 0
        self._values = [Affine.variable(j) for j in range(len(network.inputs))]
        self._layers: list[Sequence[Affine]] = []

    def clipped(
        self,
        depth: int,
        arguments: Sequence[Affine],
        ranges: Sequence[Range],
        clippings: Sequence[Clipping],
        units: Sequence[Affine],
    ) -> None:
        values = [clipping.value() for clipping in clippings]
        activation = self._arguments(depth, arguments, ranges)
        for argument, range_, value, clipping in zip(arguments, ranges, values, clippings, strict=True):
            self.covered += 1
            if activation == "relu":
                self._rectified(argument, range_, value, clipping.factor, units)
            else:
                check(_is_clipped(argument, range_, value, units), "a clipped unit is not its neuron")
        self._values = values
        self._layers.append(units)

    def outputs(
        self,
        arguments: Sequence[Affine],
        ranges: Sequence[Range],
        folded: Sequence[Affine],
        maps: Sequence[OutputMap],
    ) -> None:
        if any(map_ != OutputMap() for map_ in maps):
            raise InputError("the layered proof knows outputs in [0,1] only; a certificate covers scaled ones")
        activation = self._arguments(len(self.network.layers) - 1, arguments, ranges)
        self._outputs = folded
        self._stage = "the units have no nodes yet"
        for argument, (low, high), form in zip(arguments, ranges, folded, strict=True):
            self.covered += 1
            constant = not form.terms and ((form.constant == 1 and low >= 1) or (form.constant == 0 and high <= 0))
            check(form == argument or constant, "an output is folded wrongly")
            if activation != "crelu" and (high > 1 or (low < 0 and activation == "identity")):
                self._stage = "an output is not known to stay in [0,1]"

    def pruned(
        self, kept: Sequence[Sequence[int]], layers: Sequence[Sequence[Affine]], outputs: Sequence[Affine]
    ) -> None:
        below: dict[int, int] | None = None
        for used, all_units, units in zip(kept, self._layers, layers, strict=True):
            chosen = [all_units[j] for j in used]
            expected = chosen if below is None else [form.renumbered(below) for form in chosen]
            check(expected == list(units), "pruning changed a unit")
            below = {j: position for position, j in enumerate(used)}
        expected = [form if below is None else form.renumbered(below) for form in self._outputs]
        check(expected == list(outputs), "pruning changed an output")
        self._pending = [list(units) for units in layers] + [list(outputs)]

    def _arguments(self, depth: int, arguments: Sequence[Affine], ranges: Sequence[Range]) -> Activation:
        """The layer's forms over the units below, by substitution; and what its ranges rest on."""
        layers = self.network.layers
        for skipped in layers[self._next : depth]:
            check(skipped.activation == "identity", "a layer was left out")
            self._values = [row.substitute(self._values) for row in skipped.rows]
        self._next = depth + 1
        expected = [row.substitute(self._values) for row in layers[depth].rows]
        check(expected == list(arguments), "an argument is not the layer's")
        for index, (argument, (low, high)) in enumerate(zip(arguments, ranges, strict=True)):
            lowest, highest = argument.range_over_unit_cube()
            ends = (low if low > lowest else None, high if high < highest else None)
            if ends != (None, None):
                self.bounds[depth, index] = ends
        return layers[depth].activation

    def _rectified(
        self, argument: Affine, range_: Range, value: Affine, factor: Number, units: Sequence[Affine]
    ) -> None:
        low, high = range_
        if not argument.terms:
            check(
                not value.terms and value.constant == max(argument.constant, ZERO), "a constant ReLU is folded wrongly"
            )
            return
        shape = tuple((w, *_in_terms_of(argument, units[j], factor)) for j, w in value.terms)
        check(factor == 1 or high <= factor, "the factor of a scaled unit is too small")
        ends = (Rational(floor(low)), Rational(max(0, ceil(high))) if factor == 1 else factor)
        self._ask(rectified_query, ends, value.constant, shape)

    # -- Steps 2 and 3 ----------------------------------------------------------------------------------------

    def begin(self, dag: Dag, atoms: Sequence[int]) -> None:
        check([dag.node(VARIABLE_NODE, dag.lefts[a]) for a in atoms] == list(atoms), "an input is no variable")
        check(tuple(dag.payload(a) for a in atoms) == self.network.inputs, "the inputs are not the network's")
        self._dag = dag
        self.nodes = list(atoms)
        self._claimed: dict[Affine, int] = {}

    def table(self, base: Number) -> None:
        self._base = self._low = self._high = base
        self._linear: dict[int, Number] = {}
        self._proved: Row | None = None  # the last row, once its entries have their obligations

    def row(self, row: TableRow) -> None:
        step, atom, below, new = row
        check(0 < step.piece <= 1, "a piece is not in (0,1]")
        check(self._proved in (None, below), "a row does not rest on the last one")
        check(atom == self._dag.scale(step.piece, self.nodes[step.variable]), "an atom is not the unit below")
        lowest, highest = floor(self._low), ceil(self._high)
        neighbour = 1 if step.positive else -1
        for j in new.window.shifts():
            first, second = below[j], below[j + neighbour]
            check(new[j] == self._lemma(first, atom, second, step.positive), "a node is not what its row claims")
            if not self._linear:
                self._check_constant(first, self._base + j)
                self._check_constant(second, self._base + j + neighbour)
            range_ = coarse(lowest + j, highest + j)
            self._ask(lemma_query, step.positive, self._constant(first), self._constant(second), range_)
        self.covered += len(new.window.shifts())
        self._proved = new
        weight = step.piece if step.positive else -step.piece
        self._linear[step.variable] = self._linear.get(step.variable, ZERO) + weight
        if step.positive:
            self._high = self._high + step.piece
        else:
            self._low = self._low - step.piece

    def unit(self, form: Affine, shift: int, split: int, row: Row, node: int) -> None:
        self.covered += 1
        check(self._proved in (None, row), "a unit does not rest on the last row")
        table = Affine.of(self._linear, self._base + shift)
        check(table == form.scaled(Rational(split)), "the steps of a table do not add up to its unit")
        if split > 1:
            check(node == split_sum(self._dag, row, shift, split), "a node is not the sum that it claims to be")
            range_ = (Rational(floor(self._low + shift)), Rational(ceil(self._high + shift)))
            first, last = row.window.first - shift, row.window.last - shift
            self._ask(split_query, split, max(first, 1 - split), min(last, 0), range_)
        else:
            check(node == row[shift], "a unit is not its table's entry")
            if not self._linear:
                self._check_constant(node, self._base + shift)
            elif shift < row.window.first:
                check(self._high + shift <= 0, "a unit is not constantly 0")
            elif shift > row.window.last:
                check(self._low + shift >= 1, "a unit is not constantly 1")
        self._claimed[form] = node

    def threshold(self, form: Affine, threshold: Threshold) -> None:
        if not form.terms:
            self._claim_constant(form, threshold)
            return
        built = BuiltForms(self._dag, self.nodes, self._ask)
        position = built.threshold(threshold)
        check(built.forms[position] == form, "the votes do not add up to their unit")
        self.covered += len(built.forms)
        self._claimed[form] = built.nodes[position]

    def _claim_constant(self, form: Affine, threshold: Threshold) -> None:
        """A constant unit is its own threshold; the node's value is a matter of exact arithmetic."""
        node = threshold_node(self._dag, self.nodes, threshold)
        (value,) = Formula(self._dag, (), (node,), ("y",)).at({})
        check(value == clip(form.constant), "the node of a constant has another value")
        self._claimed[form] = node

    def planned(self, forms: Sequence[Affine], plan: Plan) -> None:
        built = BuiltForms(self._dag, self.nodes, self._ask)
        for step in plan.steps:
            built.follow(step)
        self.covered += len(built.forms)
        for form, position in zip(forms, plan.results, strict=True):
            low, high = form.range_over_unit_cube()
            if position > 1:
                check(built.forms[position] == form, "a plan builds another form")
            else:
                check(low >= 1 if position else high <= 0, "a plan takes a unit for a constant")
            self._claimed[form] = built.nodes[position]

    def _ask(self, query: Callable[..., Query], *arguments: Any) -> None:
        """Equal questions are asked once."""
        key = (query, *arguments)
        if key not in self.queries:
            self.queries[key] = query(*arguments)

    def layer(self, forms: Sequence[Affine], nodes: Sequence[int]) -> None:
        check(bool(self._pending) and self._pending[0] == list(forms), "a layer is not the next one")
        check([self._claimed[form] for form in forms] == list(nodes), "a node is not the one claimed for its unit")
        self._pending.pop(0)
        self._claimed = {}
        self.nodes = list(nodes)
        if not self._pending and self._stage == "the units have no nodes yet":
            self._stage = ""

    def check_complete(self, formula: Formula) -> None:
        """Every claim was made, and the formula is the one they are about."""
        check(not self._stage, self._stage)
        check(formula.dag is self._dag and list(formula.roots) == self.nodes, "the formula is another one")

    def _lemma(self, first: int, atom: int, second: int, is_positive: bool) -> int:
        dag = self._dag
        if is_positive:
            return dag.odot(dag.oplus(first, atom), second)
        return dag.neg(dag.odot(dag.oplus(dag.neg(first), atom), dag.neg(second)))

    def _constant(self, node: int) -> int | None:
        return _CONSTANTS.get(self._dag.kinds[node])

    def _check_constant(self, node: int, value: Number) -> None:
        """The node of σ(value) for a number."""
        one = self._dag.constant(1)
        expected = self._dag.constant(int(value >= 1)) if value <= 0 or value >= 1 else self._dag.scale(value, one)
        check(node == expected, "the node of a constant has another value")


def _is_clipped(argument: Affine, range_: Range, value: Affine, units: Sequence[Affine]) -> bool:
    """σ(argument) as a constant, a unit, or one minus a unit."""
    low, high = range_
    if not value.terms:
        known = argument.constant if not argument.terms else ONE if low >= 1 else ZERO if high <= 0 else None
        return known is not None and value.constant == clip(known)
    if len(value.terms) != 1:
        return False
    ((j, weight),) = value.terms
    if weight == 1:
        return value.constant == 0 and units[j] == argument
    return weight == -1 and value.constant == 1 and units[j] == argument.complement()


def _in_terms_of(argument: Affine, form: Affine, factor: Number) -> tuple[Number, Number]:
    """(d, c) with form = d·argument + c, d = ±1/factor."""
    for direction in (1 / factor, -1 / factor):
        rest = form + argument.scaled(-direction)
        if not rest.terms:
            return direction, rest.constant
    raise InternalError("a clipped unit is not a shift of its ReLU's argument")
