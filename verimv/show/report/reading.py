"""Read a certificate without checking it: the claim about each node, and the units of each neuron.

The kernel decides whether a certificate is valid. This module reads the lines that it has accepted, for people to see
(proofs/FORMAT.md has every rule).
"""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import reduce
from typing import Any, NamedTuple

from verimv.exact import ONE, ZERO, Number, Rational, parse_number
from verimv.formulas.dag import ODOT, OPLUS, Dag
from verimv.formulas.formula import Formula, copy
from verimv.formulas.good_sequence import merge
from verimv.networks.affine import Affine, combination
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import to_unit_cube

#: Terms of forms that are added up in all. Claims after that have no form here, only in the certificate.
MAX_TERMS = 1_000_000

Form = Affine | None


class ReadClaim(NamedTuple):
    """The claim that a node is σ(form), its rule, and its line in the certificate (the header is line 1)."""

    node: int
    form: Form
    rule: str
    line: int


class Neuron(NamedTuple):
    """A neuron's value, factor·(ones + Σ units), or its argument if there is no factor.

    Units are numbers of claims; a negative one means 1 − unit.
    """

    factor: Number | None = None
    ones: int = 0
    units: tuple[int, ...] = ()


class Bound(NamedTuple):
    """A bound of an argument, and the number of cases that prove it; without cases it is assumed."""

    value: Number
    cases: int


class Reading:
    """A certificate, read. `dag` has the formula's `size` nodes, operands first, then nodes that only rules make.

    `before` is the number of lines after the header that are not about the formula, and are not read.
    """

    def __init__(self, formula: Formula, network: Network | None, before: int = 0) -> None:
        self.dag = Dag()
        self.roots = copy(self.dag, formula.roots, formula.dag)
        self.size = len(self.dag)
        self.inputs = [self.dag.variable(name) for name in formula.inputs]
        self.claims: list[ReadClaim] = []
        #: inner nodes of what a rule builds, and the claim about the whole
        self.inside: dict[int, int] = {}
        #: by layer (from 1) and index (from 0)
        self.neurons: dict[tuple[int, int], Neuron] = {}
        self.bounds: dict[tuple[int, int, str], Bound] = {}
        #: forms over nodes, for each layer that was reached
        self.arguments: list[list[Form]] = []
        #: claims about outputs, with scale and offset
        self.outputs: list[tuple[int, Number, Number]] = []
        self.rules: Counter[str] = Counter()
        self.lines = 1 + before
        #: an unknown rule, if there is one: nothing after it is read
        self.stopped_at: str | None = None
        self._layers = to_unit_cube(network).layers if network is not None else ()
        self._values: list[Form] = [Affine.variable(node) for node in self.inputs]
        self._between: list[int] = []
        self._budget = MAX_TERMS
        self._advance()

    def follow(self, lines: Iterable[str]) -> Reading:
        """Read the lines after the header."""
        for line in lines:
            rule, *arguments = json.loads(line)
            read = getattr(self, f"_rule_{rule}", None)
            if read is None:
                self.stopped_at = str(rule)
                break
            self.lines += 1
            self.rules[rule] += 1
            self._rule = rule
            read(*arguments)
        return self

    def claim(self, number: int) -> ReadClaim:
        return self.claims[number - 1]

    # -- building ---------------------------------------------------------------------------------------------

    def _add(self, node: int, form: Form, *also: int) -> None:
        """Add a claim. Nodes built for it are inside it, except those of claims that follow (`also`)."""
        self.claims.append(ReadClaim(node, form, self._rule, self.lines))
        for inner in self._between:
            if inner != node and inner not in also:
                self.inside.setdefault(inner, len(self.claims))
        self._between = []

    def _joined(self, kind: int, *nodes: int) -> int:
        """Join nodes from the left, and remember every node that is built."""

        def join(a: int, b: int) -> int:
            self._between.append(self.dag.node(kind, a, b))
            return self._between[-1]

        return reduce(join, nodes)

    def _sum(self, parts: Sequence[tuple[Number, Form]], constant: Number = ZERO) -> Form:
        """Return Σ factor·form + constant, or None if that is too much work."""
        known = [(factor, form) for factor, form in parts if form is not None]
        self._budget -= sum(len(form.terms) for _, form in known)
        if len(known) < len(parts) or self._budget < 0:
            return None
        return combination(known, constant)

    def _of(self, node: int) -> Affine:
        """Return the form [node], or a number for the constants 0 and 1."""
        one = self.dag.constant(1)
        return Affine((), Rational(node == one)) if node in (self.dag.constant(0), one) else Affine.variable(node)

    # -- rules that make claims -------------------------------------------------------------------------------

    def _rule_node(self, k: int) -> None:
        node = self.dag.constant(k) if k <= 1 else self.inputs[k - 2]
        self._add(node, self._of(node))

    def _rule_atom(self, c: int) -> None:
        self._add(self.claim(c).node, self._of(self.claim(c).node))

    def _rule_not(self, c: int) -> None:
        claim = self.claim(c)
        self._add(self.dag.neg(claim.node), self._sum([(-ONE, claim.form)], ONE))

    def _rule_scale(self, text: str, c: int) -> None:
        claim, number = self.claim(c), parse_number(text[2:-1])
        divided = text[0] == "d"
        factor = 1 / number if divided else number
        node = self.dag.divide_node(int(text[2:-1]), claim.node) if divided else self.dag.scale_node(number, claim.node)
        self._add(node, self._sum([(factor, claim.form)]))

    def _rule_plus(self, *claims: int, kind: int = OPLUS, less: int = 0) -> None:
        found = [self.claim(c) for c in claims]
        form = self._sum([(ONE, claim.form) for claim in found], Rational(less * (1 - len(claims))))
        self._add(self._joined(kind, *(claim.node for claim in found)), form)

    def _rule_times(self, *claims: int) -> None:
        self._rule_plus(*claims, kind=ODOT, less=1)

    def _rule_lemma(self, g: int, h: int, above: int) -> None:
        below, literal = self.claim(g), self.claim(h)
        sum_ = self._joined(OPLUS, below.node, literal.node)
        node = self._joined(ODOT, sum_, self.claim(above).node)
        self._add(node, self._sum([(ONE, below.form), (ONE, literal.form)]))

    def _rule_cut(self, f: int, g: int, above: int, *multipliers: str) -> None:
        first, second = self.claim(f), self.claim(g)
        product = self._joined(ODOT, first.node, self.claim(above).node)
        node = self._joined(OPLUS, product, second.node)
        self._add(node, self._sum([(ONE, first.form), (ONE, second.form)]))

    def _rule_sort(self, count: int, *claims: int) -> None:
        nodes = [self.claim(c).node for c in claims]
        total = self._sum([(ONE, self.claim(claims[0]).form), (ONE, self.claim(claims[count]).form)])
        merged = merge(nodes[:count], nodes[count:], lambda a, b: (self._joined(OPLUS, a, b), self._joined(ODOT, a, b)))
        for k, node in enumerate(merged):
            self._add(node, total.shifted(-k) if total is not None else None, *merged)

    def _rule_average(self, s: int, ones: int, total: int, first: int, *units: int) -> None:
        share = Rational(1, s)
        self._add(self.claim(total).node, self._sum([(share, self.claim(first).form)], ones * share))

    def _rule_same(self, a: int, b: int) -> None:
        self._add(self.claim(b).node, self._of(self.claim(a).node))

    def _rule_equals(self, a: int, b: int, *evidence: Any) -> None:
        self._add(self.claim(b).node, self.claim(a).form)

    def _rule_unit(self, layer: int, index: int, share: str, shift: int) -> None:
        node = self.dag.variable(f"unit {len(self.claims) + 1}")  # no input has a name with a space
        self._add(node, self._sum([(parse_number(share), self.arguments[layer - 1][index])], Rational(-shift)))

    # -- rules about the network ------------------------------------------------------------------------------

    def _advance(self) -> None:
        """Add the arguments of the next layer, and those after layers without an activation."""
        while len(self.arguments) < len(self._layers):
            layer = self._layers[len(self.arguments)]
            rows = [[(w, self._values[j]) for j, w in row.terms] for row in layer.rows]
            constants = [row.constant for row in layer.rows]
            self.arguments.append([self._sum(row, c) for row, c in zip(rows, constants, strict=True)])
            self._values = list(self.arguments[-1]) if layer.activation == "identity" else []
            if layer.activation != "identity":
                break

    def _valued(self, layer: int, index: int, neuron: Neuron, value: Form) -> None:
        self.neurons[layer, index] = neuron
        self._values.append(value)
        if len(self._values) == len(self._layers[layer - 1].rows):
            self._advance()

    def _rule_affine(self, layer: int, index: int) -> None:
        self._valued(layer, index, Neuron(), self.arguments[layer - 1][index])

    def _rule_clip(self, layer: int, index: int, factor: str, ones: int, *units: int) -> None:
        scale = parse_number(factor)
        parts: list[tuple[Number, Form]] = []
        for unit in units:
            parts.append((scale if unit > 0 else -scale, self._of(self.claim(abs(unit)).node)))
        constant = scale * (ones + sum(unit < 0 for unit in units))
        self._valued(layer, index, Neuron(scale, ones, units), self._sum(parts, constant))

    def _rule_bound(self, layer: int, index: int, side: str, value: str, *cases: Any) -> None:
        self.bounds[layer, index, side] = Bound(parse_number(value), len(cases))

    def _rule_twin(self, layer: int, index: int, twin: int, factor: str) -> None:
        """A twin makes evidence shorter; it claims nothing."""

    def _rule_apart(self, layer: int, index: int, side: str, value: str, *cases: Any) -> None:
        """A bound of a change is used by evidence only."""

    def _rule_output(self, k: int, c: int, scale: str, offset: str) -> None:
        self.outputs.append((c, parse_number(scale), parse_number(offset)))

    def _rule_equal(self, k: int, a: int, b: int) -> None:
        self.outputs.append((b, ONE, ZERO))

    # -- what follows -----------------------------------------------------------------------------------------

    def used_range(self, layer: int, index: int) -> tuple[Number, Number] | None:
        """Return the range of an argument that the certificate uses: from its form and its bounds."""
        if layer > len(self.arguments) or (form := self.arguments[layer - 1][index]) is None:
            return None
        low, high = form.range_over_unit_cube()
        for side, bound in ((side, self.bounds.get((layer, index, side))) for side in ("low", "high")):
            if bound is not None:
                low, high = (max(low, bound.value), high) if side == "low" else (low, min(high, bound.value))
        return low, high

    @property
    def assumed(self) -> int:
        return sum(not bound.cases for bound in self.bounds.values())
