"""The formula layer by layer: the units of each layer's neurons, named, and defined by units of layers below."""

from __future__ import annotations

import itertools
import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from verimv.formulas.dag import DIVIDE, SCALE, VARIABLE, Dag, reachable
from verimv.formulas.formula import MAX_ONE_LINE_NODES, Formula
from verimv.formulas.measure import tree_nodes
from verimv.formulas.printing import UNICODE, DerivedView, definitions, one_line
from verimv.networks.affine import Affine
from verimv.networks.ballots import Ballot, ballot
from verimv.networks.network import Network
from verimv.show.report.markup import form_text, signed_sum
from verimv.show.report.reading import Neuron, Reading

#: Nodes of a unit that is written out; votes explain larger ones better.
MAX_DEFINED = 60
#: Units and neurons of a layer that are shown.
MAX_SHOWN = 64


class Unit(NamedTuple):
    """A unit σ(form). `definition` has its lines, in terms of units below; none if they are too many to read."""

    name: str
    form: Affine
    ballot: Ballot
    definition: Sequence[tuple[str, str]]


class LayerView(NamedTuple):
    number: int
    activation: str
    neurons: int
    units: list[Unit]
    #: units that are not in `units`
    more: int
    #: argument and value of each neuron, in terms of units
    values: list[tuple[str, str]]
    #: nodes of the formula that this layer adds to those below
    nodes: int


class Layers:
    """The layers in a certificate; `names` are those of inputs, units and outputs."""

    def __init__(self, reading: Reading, network: Network, outputs: Sequence[str]) -> None:
        self.reading = reading
        self.names = dict(zip(reading.inputs, network.inputs, strict=True))
        self._output_names = dict(zip(reading.roots, outputs, strict=True))
        letters = ("u" * count for count in itertools.count(1))
        taken = (*network.inputs, *outputs)
        #: prefix of the names of units
        self._letter = next(u for u in letters if not any(re.match(rf"{u}\d", name) for name in taken))
        self._known = set(reading.inputs)  # nodes of layers below
        self.views = [
            self._view(number, layer.activation, len(layer.rows))
            for number, layer in enumerate(network.layers, start=1)
            if layer.activation != "identity" or number == len(network.layers)
        ]

    def _view(self, number: int, activation: str, width: int) -> LayerView:
        neurons = [self.reading.neurons.get((number, i)) for i in range(width)]
        claims = dict.fromkeys(abs(unit) for neuron in neurons if neuron for unit in neuron.units)
        if activation == "identity":
            claims = dict.fromkeys(claim for claim, _, _ in self.reading.outputs)
        nodes = dict.fromkeys(self.reading.claim(c).node for c in claims if self.reading.claim(c).rule != "unit")
        forms = {self.reading.claim(c).node: self.reading.claim(c).form for c in claims}
        below = dict(self.names)
        new = [node for node in nodes if node not in below]
        for index, node in enumerate(new, start=1):
            self.names[node] = self._output_names.get(node, f"{self._letter}{number}.{index}")
        units = []
        for node in new[:MAX_SHOWN]:
            if (form := forms[node]) is not None:
                units.append(self._unit(node, form, below))
        values = [self._value(number, i, neuron, below) for i, neuron in enumerate(neurons[:MAX_SHOWN]) if neuron]
        return LayerView(number, activation, width, units, len(new) - len(units), values, self._added(new))

    def _added(self, nodes: Sequence[int]) -> int:
        inner = [node for node in nodes if node < self.reading.size]
        cone = set(reachable(self.reading.dag, inner)[0]) if inner else set()
        added = len(cone - self._known)
        self._known |= cone
        return added

    def _unit(self, node: int, form: Affine, below: dict[int, str]) -> Unit:
        nodes = cone(self.reading.dag, node, below, MAX_DEFINED)
        lines = written(cut_at(self.reading.dag, nodes, below)) if len(nodes) <= MAX_DEFINED else []
        return Unit(self.names[node], form, ballot(form), lines)

    def _value(self, layer: int, index: int, neuron: Neuron, below: dict[int, str]) -> tuple[str, str]:
        argument = self.reading.arguments[layer - 1][index]
        told = form_text(argument, below, 6) if argument is not None else "…"
        if neuron.factor is None:
            return told, told
        parts, constant = [], neuron.factor * neuron.ones
        for unit in neuron.units:
            claim = self.reading.claim(abs(unit))
            name = self.names.get(claim.node, "(unused)") if claim.rule != "unit" else "(unused)"
            parts.append((neuron.factor if unit > 0 else -neuron.factor, name))
            constant = constant + (neuron.factor if unit < 0 else 0)
        return told, signed_sum(parts, constant, 8)


def cone(dag: Dag, root: int, leaves: Mapping[int, str], limit: int) -> list[int]:
    """Return the nodes under `root`, down to `leaves`, operands first; stop soon after `limit` nodes."""
    needed, stack = {root}, [root]
    while stack and len(needed) <= limit:
        node = stack.pop()
        for operand in () if node in leaves and node != root else dag.operands(node):
            if operand not in needed:
                needed.add(operand)
                stack.append(operand)
    return sorted(needed)


def cut_at(dag: Dag, nodes: Sequence[int], leaves: Mapping[int, str]) -> Formula:
    """Return the last of these nodes as a term, with `leaves` as variables of these names."""
    root = nodes[-1]
    target = Dag()
    built: dict[int, int] = {}
    for node in nodes:
        kind, operands = dag.kinds[node], [built[operand] for operand in dag.operands(node) if operand in built]
        if node in leaves and node != root:
            built[node] = target.variable(leaves[node])
        elif kind == VARIABLE:
            built[node] = target.variable(dag.payload(node))
        elif kind == DIVIDE:
            built[node] = target.divide_node(dag.payload(node), *operands)
        elif kind == SCALE:
            built[node] = target.scale_node(dag.payload(node), *operands)
        else:
            built[node] = target.node(kind, *operands)
    names = [target.payload(n) for n in range(len(target)) if target.kinds[n] == VARIABLE]
    return Formula(target, names, [built[root]])


def written(formula: Formula) -> list[tuple[str, str]]:
    """Return (name, text) of shared subterms, then of the term, without a name."""
    if tree_nodes(formula.dag, formula.roots, MAX_ONE_LINE_NODES + 1) <= MAX_ONE_LINE_NODES:
        return [("", one_line(formula.dag, formula.root, UNICODE, DerivedView))]
    defined, (last,) = definitions(formula.dag, formula.roots, UNICODE, DerivedView, formula.fresh_names())
    return [*((d.name, d.text) for d in defined), ("", last)]
