"""A certificate for a network and a formula, or for two formulas, that extraction did not make.

Every node of a formula gets claims from the bottom up: its value, a form over nodes that really clip something, and the
sum that it clips. The network's neurons are then looked up among those sums. This finds a derivation where the network
has the formula's structure, as :func:`verimv.networks.to_network` builds it, chains flattened or not. Elsewhere there
is none, which says nothing about equality.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

from verimv.certificate.certificate import Certificate
from verimv.certificate.writer import Derivation
from verimv.errors import InvalidCertificate
from verimv.exact import ONE as ONE_
from verimv.exact import ZERO as ZERO_
from verimv.exact import Rational, ceil, format_number
from verimv.networks.affine import Affine
from verimv.networks.json_format import write_network
from verimv.networks.network import Network
from verimv.networks.normalise import to_unit_cube
from verimv.terms.dag import DIVIDE, NOT, ONE, OPLUS, SCALE, VARIABLE, ZERO, Dag, reachable
from verimv.terms.formula import Formula, copy
from verimv.terms.mvfile import write_mv

#: Sums are not flattened past this many terms.
MAX_TERMS = 256


def certify(network: Network, formula: Formula) -> Certificate | None:
    """A certificate that a network on its box equals a formula, outputs in order, if one is found."""
    normalised = to_unit_cube(network)
    if len(formula.roots) != len(network.outputs) or not set(formula.inputs) <= set(network.inputs):
        return None
    renamed = Formula(formula.dag, network.inputs, formula.roots, network.outputs)
    claims = _Claims(renamed.dag, renamed.inputs, renamed.roots)
    try:
        claims.derive()
        claims.follow(normalised, renamed.roots)
    except _NotMatched:
        return None
    texts = {"network": write_network(normalised), "formula": write_mv(renamed)}
    if not network.is_on_unit_cube():
        texts["source"] = write_network(network)
    return _checked({name: "".join(pieces) for name, pieces in texts.items()}, claims.derivation)


def certify_formulas(original: Formula, formula: Formula) -> Certificate | None:
    """A certificate that two formulas with the same inputs and outputs are equal, if one is found."""
    if (original.inputs, original.outputs) != (formula.inputs, formula.outputs):
        return None
    dag = Dag()
    left, right = copy(dag, original.roots, original.dag), copy(dag, formula.roots, formula.dag)
    claims = _Claims(dag, formula.inputs, [*left, *right])
    try:
        claims.derive()
    except _NotMatched:
        return None
    for k, (a, b) in enumerate(zip(left, right, strict=True)):
        claims.derivation.line("equal", k, claims.values[a].number, claims.values[b].number)
    texts = {"original": "".join(write_mv(original)), "formula": "".join(write_mv(formula))}
    return _checked(texts, claims.derivation)


def _checked(texts: dict[str, str], derivation: Derivation) -> Certificate | None:
    """Only what the kernel accepts is handed out."""
    certificate = Certificate({name: text.encode() for name, text in texts.items()}, derivation.lines)
    try:
        certificate.check()
    except InvalidCertificate:
        return None
    return certificate


class _NotMatched(Exception):
    """The structures differ, or no rule makes a node."""


class _Claim(NamedTuple):
    """The node is σ(form): claim `number` of the derivation. Atoms of forms are nodes."""

    node: int
    form: Affine
    number: int

    def is_within(self, low: int | None, high: int | None) -> bool:
        least, most = self.form.range_over_unit_cube()
        return (low is None or least >= low) and (high is None or most <= high)


class _Claims:
    """What is claimed of the nodes of a table."""

    def __init__(self, dag: Dag, inputs: Sequence[str], roots: Sequence[int]) -> None:
        self.dag = dag
        self.roots = roots
        self.derivation = Derivation()
        #: a form in [0,1], so that σ changes nothing
        self.values: dict[int, _Claim] = {}
        #: what a node clips: with the operands' sums put in, and with their values
        self.sums: dict[int, list[_Claim]] = {}
        #: sums of nodes that stand for themselves
        self.known: dict[Affine, _Claim] = {}
        self.inputs = [dag.variable(name) for name in inputs]
        for i, node in enumerate(self.inputs):
            self.values[node] = _Claim(node, Affine.variable(node), self.derivation.input(i))

    def derive(self) -> None:
        for node in reachable(self.dag, self.roots)[0]:
            kind, left = self.dag.kinds[node], self.dag.lefts[node]
            if kind in (ZERO, ONE):
                value = kind - ZERO
                number = self.derivation.constant(value)
                self.values[node] = _Claim(node, Affine((), Rational(value)), number)
            elif kind == NOT:
                self._negation(node, left)
            elif kind in (DIVIDE, SCALE):
                self._multiple(node, left, kind)
            elif kind != VARIABLE:
                self._sum(node, "plus" if kind == OPLUS else "times")

    def _unary(self, node: int, below: int, derive: Callable[[_Claim], _Claim], high: int | None = None) -> None:
        self.values[node] = derive(self.values[below])
        self.sums[node] = [derive(claim) for claim in self.sums.get(below, []) if claim.is_within(None, high)]

    def _negation(self, node: int, below: int) -> None:
        if self.dag.kinds[below] in (NOT, ZERO, ONE):
            raise _NotMatched  # the rule for ¬ simplifies these

        def derive(claim: _Claim) -> _Claim:
            return _Claim(node, claim.form.complement(), self.derivation.claim("not", claim.number))

        self._unary(node, below, derive)

    def _multiple(self, node: int, below: int, kind: int) -> None:
        payload = self.dag.payload(node)
        factor = Rational(1, payload) if kind == DIVIDE else payload
        text = f"d[{payload}]" if kind == DIVIDE else f"D[{format_number(payload)}]"

        def derive(claim: _Claim) -> _Claim:
            return _Claim(node, claim.form.scaled(factor), self.derivation.claim("scale", text, claim.number))

        self._unary(node, below, derive, high=1)

    def _sum(self, node: int, rule: str) -> None:
        """⊕ or ⊙ of two values, or of the sums that these clip where a rule allows that."""
        low, high, shift = (0, None, ZERO_) if rule == "plus" else (None, 1, -ONE_)
        operands = self.dag.operands(node)
        flat = [self._flat(operand, low, high) for operand in operands]
        sums: dict[Affine, _Claim] = {}
        for a, b in (flat, [self.values[operand] for operand in operands]):
            form = (a.form + b.form).shifted(shift)
            if form not in sums:
                sums[form] = _Claim(node, form, self.derivation.claim(rule, a.number, b.number))
        self.sums[node] = list(sums.values())
        self.values[node] = self._clipped(node, self.sums[node])

    def _flat(self, node: int, low: int | None, high: int | None) -> _Claim:
        usable = (c for c in self.sums.get(node, []) if len(c.form.terms) < MAX_TERMS and c.is_within(low, high))
        return next(usable, self.values[node])

    def _clipped(self, node: int, sums: list[_Claim]) -> _Claim:
        """The value: a sum that stays in [0,1], another node that clips the same sum, or the node itself."""
        derivation = self.derivation
        for claim in reversed(sums):
            if claim.is_within(0, 1):
                return claim
            for value, low, high in ((0, None, 0), (1, 1, None)):
                if claim.is_within(low, high):
                    number = derivation.claim("same", derivation.constant(value), claim.number)
                    return _Claim(node, Affine((), Rational(value)), number)
            if (known := self.known.get(claim.form)) is not None:
                number = derivation.claim("same", known.number, claim.number)
                return _Claim(node, Affine.variable(known.node), number)
            if (known := self.known.get(claim.form.complement())) is not None:  # ¬node clips the other's sum
                number = derivation.claim("same", known.number, derivation.claim("not", claim.number))
                return _Claim(node, Affine.variable(known.node).complement(), derivation.claim("not", number))
        for claim in sums:
            self.known[claim.form] = claim
        return _Claim(node, Affine.variable(node), derivation.claim("atom", sums[0].number))

    def follow(self, network: Network, roots: Sequence[int]) -> None:
        """The network, neuron by neuron, its values as forms over nodes."""
        values = [Affine.variable(node) for node in self.inputs]
        for depth, layer in enumerate(network.layers, start=1):
            arguments = [row.substitute(values) for row in layer.rows]
            if layer.activation == "identity":
                values = arguments
            else:
                is_relu = layer.activation == "relu"
                values = [self._neuron(depth, i, argument, is_relu) for i, argument in enumerate(arguments)]
        for k, (root, value) in enumerate(zip(roots, values, strict=True)):
            if self.values[root].form != value:
                raise _NotMatched
            self.derivation.line("output", k, self.values[root].number, "1", "0")

    def _neuron(self, depth: int, index: int, argument: Affine, is_relu: bool) -> Affine:
        """Step 1 with units that are nodes; or the argument itself, where the activation changes nothing."""
        low, high = argument.range_over_unit_cube()
        shifts = range(max(0, ceil(high)) if is_relu else 1)
        units = [self._unit(argument.shifted(-i)) for i in shifts]
        found = [unit for unit in units if unit is not None]
        if len(found) == len(units):
            self.derivation.line("clip", depth, index, "1", 0, *(number for number, _ in found))
            return sum((form for _, form in found), Affine(()))
        if low >= 0 and (is_relu or high <= 1):
            self.derivation.line("affine", depth, index)
            return argument
        raise _NotMatched

    def _unit(self, form: Affine) -> tuple[int, Affine] | None:
        """A reference to a node that is σ(form), or one minus that, and its value."""
        if (claim := self.known.get(form)) is not None:
            return claim.number, Affine.variable(claim.node)
        if (claim := self.known.get(form.complement())) is not None:
            return -claim.number, Affine.variable(claim.node).complement()
        return None
