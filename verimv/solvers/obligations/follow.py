"""Follow a certificate line by line, and collect what has to be proved so that it holds.

A line is not checked here as in the kernel. Its conclusion is recorded as if it were true. Solvers are asked to prove
it: the rule itself (:mod:`.rules`), and its conditions about the forms of this line, as inequalities over values in
[0,1] (:mod:`.linear`). Only what a line refers to is compared: claims, nodes, neurons.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, NamedTuple

from verimv import kernel
from verimv.exact import ONE, ZERO, Number, Rational
from verimv.formulas.good_sequence import merge
from verimv.networks.affine import Affine, combination
from verimv.networks.network import activate
from verimv.solvers.obligations.case_systems import Evidence, read_cases
from verimv.solvers.obligations.certified import CertifiedLayer, Line, exact
from verimv.solvers.obligations.collected import Obligations
from verimv.solvers.obligations.rules import SORTING
from verimv.solvers.obligations.twins import NO_TWINS, CertifiedTwin, Twins
from verimv.solvers.obligations.variables import Facts, SystemVariable


class Unfounded(Exception):
    """A line refers to something that does not exist, or is not what its rule needs."""


class Conclusion(NamedTuple):
    """A claim: the value of the node is σ(form), for a form over nodes."""

    node: int
    form: Affine


def value_of(node: int) -> Affine:
    """Return the value of a node as a form; the nodes 0 and 1 are numbers."""
    return Affine((), Rational(node)) if node <= 1 else Affine.variable(node)


def need(condition: bool, expected: str) -> None:
    """Check a condition that is not about numbers, and so not a query."""
    if not condition:
        raise Unfounded(f"expected {expected}")


class Conclusions:
    """The conclusions of the lines so far."""

    def __init__(
        self, nodes: kernel.Nodes, layers: Sequence[CertifiedLayer], goals: Sequence[Any], obligations: Obligations
    ) -> None:
        self.nodes = nodes
        self.layers = layers
        self.goals = goals
        self.obligations = obligations
        self.claims: list[Conclusion] = []
        self.values = [Affine.variable(2 + j) for j in range(len(nodes.inputs))]  # values of variables, over nodes
        self.entered = 0  # number of layers that have arguments
        self.arguments: list[Affine] = []  # arguments of the last of these layers, over nodes
        self.facts: dict[tuple[int | None, str], Number] = {}
        self.twins: dict[int, CertifiedTwin] = {}
        self.changes: dict[tuple[int, str], Number] = {}  # bounds of changes of neurons with a twin
        self.assumed = 0
        self.proved: list[tuple[Number, Number]] = []
        self._factors: dict[str, Number] = {}
        self._variables: list[SystemVariable] | None = None
        self._snapshot: Facts = {}
        self._first_changed = 0  # the first variable with bounds that are not in `_snapshot`
        self._known_twins: Twins = NO_TWINS
        self._first_compared = 0  # the first variable with a twin, or bounds of its change, that this lacks
        self._enter_layers()

    def follow(self, line: Line) -> None:
        """Add the conclusion and the obligations of a line. Raises :class:`Unfounded`."""
        self.obligations.line = line.number
        _BY_RULE[line.rule](self, *line.arguments)

    def finish(self) -> tuple[list[tuple[Number, Number]], str]:
        """Return scale and offset of each output, or its bounds; and what is missing."""
        if self.assumed:
            return [], f"{self.assumed} bounds have no evidence"
        if self.goals[0] is None:
            return self._bounds_of_outputs()
        return self.proved, "" if len(self.proved) == len(self.goals) else "an output has no proof"

    def _bounds_of_outputs(self) -> tuple[list[tuple[Number, Number]], str]:
        last, found = self.layers[-1], []
        for k in range(last.first, last.first + len(last.arguments)):
            low, high = self.facts.get((k, "low")), self.facts.get((k, "high"))
            if low is None or high is None:
                return [], "an output has no low or no high bound"
            found.append((activate(last.activation, low), activate(last.activation, high)))
        if last.activation != "identity":
            self._rule(f"between {last.activation}", len(found))
        return found, ""

    # -- what is asked ----------------------------------------------------------------------------------------

    def _rule(self, name: str, times: int = 1) -> None:
        self.obligations.rule(name, times)

    def _at_least(self, least: Number | int, form: Affine) -> None:
        self.obligations.never_positive((-form).shifted(least), f"a form that is at least {least}")

    def _at_most(self, most: Number | int, form: Affine) -> None:
        self.obligations.never_positive(form.shifted(-most), f"a form that is at most {most}")

    def _equal(self, a: Affine, b: Affine, what: str) -> None:
        self.obligations.always_zero(combination([(ONE, a), (-ONE, b)]), what)

    def _number_at_least(self, least: Number, x: Number, what: str) -> None:
        self.obligations.never_positive(Affine((), least - x), what)

    # -- claims -----------------------------------------------------------------------------------------------

    def _claim(self, number: int) -> Conclusion:
        need(0 < number <= len(self.claims), f"the number of an earlier claim, not {number}")
        return self.claims[number - 1]

    def _add(self, node: int, form: Affine) -> None:
        self.claims.append(Conclusion(node, form))

    def _about(self, number: int, form: Affine) -> int:
        """Return the node of a claim that must be about this form."""
        node, found = self._claim(number)
        self._equal(found, form, f"claim {number} about the form that the rule needs")
        return node

    def node(self, k: int) -> None:
        need(k < 2 + len(self.nodes.inputs), f"a constant or an input, not node {k}")
        self._rule("atom")
        self._add(k, value_of(k))

    def atom(self, c: int) -> None:
        node = self._claim(c).node
        self._rule("claimed")
        self._rule("atom")
        self._add(node, value_of(node))

    def negate(self, c: int) -> None:
        node, form = self._claim(c)
        self._rule("not")
        self._add(self.nodes.negation(node), form.complement())

    def scale(self, text: str, c: int) -> None:
        factor = self._factors.get(text)
        if factor is None:
            factor = self._factors[text] = exact(self.nodes.factor(text))
        node, form = self._claim(c)
        self._rule("scale")
        self._number_at_least(ZERO, factor, "a factor that is not negative")
        self._number_at_least(factor, ONE, "a factor that is at most 1")
        self._at_most(1, form)
        self._add(self.nodes.make(text, node), form.scaled(factor))

    def plus(self, first: int, rest: Sequence[int]) -> None:
        claims = [self._claim(c) for c in (first, *rest)]
        if list(rest) == [first]:
            self._rule("double")
        else:
            self._rule("plus", len(rest))
            for claim in claims:
                self._at_least(0, claim.form)
        node = self.nodes.chain(kernel.PLUS, [claim.node for claim in claims])
        self._add(node, combination([(ONE, claim.form) for claim in claims]))

    def times(self, first: int, rest: Sequence[int]) -> None:
        claims = [self._claim(c) for c in (first, *rest)]
        if list(rest) == [first]:
            self._rule("square")
        else:
            self._rule("times", len(rest))
            for claim in claims:
                self._at_most(1, claim.form)
        node = self.nodes.chain(kernel.TIMES, [claim.node for claim in claims])
        self._add(node, combination([(ONE, claim.form) for claim in claims], Rational(-len(rest))))

    def lemma(self, g: int, h: int, c: int) -> None:
        node_g, form_g = self._claim(g)
        node_h, form_h = self._claim(h)
        self._rule("lemma")
        self._at_least(0, form_h)
        self._at_most(1, form_h)
        node_c = self._about(c, form_g.shifted(1))
        node = self.nodes.make(kernel.TIMES, self.nodes.make(kernel.PLUS, node_g, node_h), node_c)
        self._add(node, form_g + form_h)

    def cut(self, f: int, g: int, c: int, lam: Number, mu: Number) -> None:
        node_f, form_f = self._claim(f)
        node_g, form_g = self._claim(g)
        self._rule("cut")
        for multiplier in (lam, mu):
            self._number_at_least(ZERO, multiplier, "a multiplier that is not negative")
        self._at_least(0, combination([(ONE, form_f), (-mu, form_g)]))
        self._at_most(1, combination([(ONE, form_f), (-lam, form_g)]))
        node_c = self._about(c, form_g.shifted(1))
        node = self.nodes.make(kernel.PLUS, self.nodes.make(kernel.TIMES, node_f, node_c), node_g)
        self._add(node, form_f + form_g)

    def sort(self, count: int, claims: Sequence[int]) -> None:
        parts = [claims[:count], claims[count:]]
        need(all(parts), "claims about two sequences")
        for name in SORTING:
            self._rule(name)
        nodes, total = [], Affine(())
        for part in parts:
            form = self._claim(part[0]).form
            self._at_least(0, form)
            self._at_most(len(part), form)
            nodes.append(self._nodes_of_units(part, form))
            total += form
        for k, node in enumerate(merge(nodes[0], nodes[1], self._compared)):
            self._add(node, total.shifted(-k))

    def _compared(self, a: int, b: int) -> tuple[int, int]:
        return self.nodes.make(kernel.PLUS, a, b), self.nodes.make(kernel.TIMES, a, b)

    def _nodes_of_units(self, claims: Sequence[int], form: Affine) -> list[int]:
        """Return the nodes of claims about form, form − 1, form − 2, …"""
        return [self._about(c, form.shifted(-k)) for k, c in enumerate(claims)]

    def average(self, s: int, ones: int, a: int, claims: Sequence[int]) -> None:
        need(bool(claims), "a claim about a unit")
        need(ones + len(claims) <= s, f"at most {s} units")
        form = self._claim(claims[0]).form
        self._rule("step", len(claims))
        self._rule("average")
        if ones:
            self._at_least(0, form)
        if ones + len(claims) < s:
            self._at_most(len(claims), form)
        share = Rational(1, s)
        nodes = self._nodes_of_units(claims, form)
        node = self._about(a, combination([(share, value_of(node)) for node in nodes], ones * share))
        self._add(node, form.shifted(ones).scaled(share))

    def same(self, a: int, b: int) -> None:
        node_a, form_a = self._claim(a)
        node_b, form_b = self._claim(b)
        (low_a, high_a), (low_b, high_b) = form_a.range_over_unit_cube(), form_b.range_over_unit_cube()
        if form_a != form_b and low_a >= 1 and low_b >= 1:
            self._rule("ones")
            self._at_least(1, form_a)
            self._at_least(1, form_b)
        elif form_a != form_b and high_a <= 0 and high_b <= 0:
            self._rule("zeros")
            self._at_most(0, form_a)
            self._at_most(0, form_b)
        else:
            self._rule("same")
            self._equal(form_a, form_b, f"claims {a} and {b} about one form")
        self._add(node_b, value_of(node_a))

    def equals(self, a: int, b: int, cone: Sequence[Any], cases: Sequence[list[Any]]) -> None:
        place: dict[int, Affine] = {0: Affine((), ZERO), 1: Affine((), ONE)}
        variables: list[SystemVariable] = []
        nodes: list[int] = []
        for c in cone:
            node, form = self._claim(kernel.integer(c))
            need(node > 1, "a node other than 0 and 1")
            is_free = form == value_of(node)
            need(is_free or all(j in place for j, _ in form.terms), "nodes that stand before in the cone")
            variables.append(SystemVariable(None) if is_free else SystemVariable("crelu", form.substitute(place)))
            place[node] = Affine.variable(len(variables) - 1)
            nodes.append(node)
        node_a, form_a = self._claim(a)
        node_b = self._claim(b).node
        need(node_a in place and node_b in place, "nodes of the cone")
        down = combination([(ONE, place[node_a]), (-ONE, place[node_b])])
        found = read_cases(cases, [down, -down], variables, len(variables), {})
        self._rule("equal")
        self.obligations.evidence(Evidence(variables, {}, len(variables), found, nodes))
        self._add(node_b, form_a)

    # -- the network ------------------------------------------------------------------------------------------

    def _enter_layers(self) -> None:
        """Compute the arguments of layers once all values below are known. Without activation these are the values."""
        while self.entered < len(self.layers) and len(self.values) == self.layers[self.entered].first:
            layer = self.layers[self.entered]
            self.arguments = [argument.substitute(self.values) for argument in layer.arguments]
            self.entered += 1
            if layer.activation == "identity":
                self.values += self.arguments

    def _argument(self, layer: int, index: int) -> Affine:
        need(bool(self.layers), "a certificate of a network")
        need(layer == self.entered, f"the current layer, {self.entered}, not {layer}")
        need(index < len(self.arguments), f"one of {len(self.arguments)} neurons, not {index}")
        return self.arguments[index]

    def unit(self, layer: int, index: int, factor: Number, shift: int) -> None:
        """Define a unit; there is nothing to prove."""
        form = self._argument(layer, index)
        self._add(self.nodes.fresh(), form.scaled(factor).shifted(-shift))

    def _due(self, layer: int, index: int) -> tuple[int, str, Affine]:
        argument = self._argument(layer, index)
        current = self.layers[layer - 1]
        due = len(self.values) - current.first
        need(index == due, f"neuron {due}, which is due, not {index}")
        return current.first + index, current.activation, argument

    def _give(self, value: Affine) -> None:
        self.values.append(value)
        self._enter_layers()

    def _argument_at_least(self, variable: int | None, least: Number, form: Affine) -> None:
        """Require a lower bound of an argument, by a bound of the variable in an earlier line, or else by the form."""
        fact = self.facts.get((variable, "low"))
        if fact is not None and fact >= least:
            self._number_at_least(least, fact, "a bound that is large enough")
        else:
            self._at_least(least, form)

    def _argument_at_most(self, variable: int | None, most: Number, form: Affine) -> None:
        fact = self.facts.get((variable, "high"))
        if fact is not None and fact <= most:
            self._number_at_least(fact, most, "a bound that is small enough")
        else:
            self._at_most(most, form)

    def affine(self, layer: int, index: int) -> None:
        variable, activation, argument = self._due(layer, index)
        self._rule("unclipped" if activation == "crelu" else "positive")
        self._argument_at_least(variable, ZERO, argument)
        if activation == "crelu":
            self._argument_at_most(variable, ONE, argument)
        self._give(argument)

    def clip(self, layer: int, index: int, factor: Number, ones: int, units: Sequence[int]) -> None:
        variable, activation, argument = self._due(layer, index)
        if activation == "relu":
            need(factor > 0, "a factor that is positive")
            self._rule("clip")
            self._rule("step", len(units))
            if ones:
                self._argument_at_least(variable, factor * ones, argument)
            self._argument_at_most(variable, factor * (ones + len(units)), argument)
        else:
            self._clipped(variable, argument, factor, (ones, len(units)))
        parts, constant = [], factor * ones
        for k, number in enumerate(units, start=ones):
            node, form = self._claim(abs(number))
            if number < 0:
                self._rule("not")
                form, constant = form.complement(), constant + factor
            self._equal(form.scaled(factor).shifted(factor * k), argument, f"a unit about the argument less {k} units")
            parts.append((factor if number > 0 else -factor, value_of(node)))
        self._give(combination(parts, constant))

    def _clipped(self, variable: int, argument: Affine, factor: Number, shape: tuple[int, int]) -> None:
        """Conclude that a clipped neuron is one unit, constantly 1, or constantly 0."""
        need(factor == 1, "the factor 1")
        need(shape in ((0, 1), (1, 0), (0, 0)), "one unit, or none")
        if shape == (1, 0):
            self._rule("saturated")
            self._argument_at_least(variable, ONE, argument)
        elif shape == (0, 0):
            self._rule("dead")
            self._argument_at_most(variable, ZERO, argument)

    def bound(self, layer: int, index: int, side: str, value: Number, cases: Sequence[list[Any]]) -> None:
        kernel.well_formed(side in ("low", "high"), "low or high", side)
        first, _, arguments = self._layer(layer, index)
        self._bounded(first, arguments[index], side, value, cases)
        self.facts[first + index, side] = value
        self._first_changed = min(self._first_changed, first + index)

    def twin(self, layer: int, index: int, twin: int, factor: Number) -> None:
        """Note what a neuron is compared with, which claims nothing; how act(p·z) comes from z is proved."""
        first, activation, _ = self._layer(layer, index)
        k = first + index
        need(twin < k, f"a variable before the neuron, not {twin}")
        need(self._network()[twin].activation == activation, "a twin with the same activation")
        need(k not in self.twins, "a neuron that has no twin")
        need(factor != 0, "a factor other than 0")
        if factor > 0:
            self._number_at_least(ZERO, factor, "a factor that is not negative")
        else:
            self._number_at_least(factor, ZERO, "a factor that is not positive")
        if activation == "crelu":
            need(factor in (1, -1), "the factor 1 or -1")
            self._rule("multiple crelu" if factor > 0 else "complement crelu")
        elif activation == "relu":
            self._rule("multiple relu" if factor > 0 else "opposite relu")
        self.twins[k] = CertifiedTwin.of(activation, twin, factor)
        self._first_compared = min(self._first_compared, k)

    def apart(self, layer: int, index: int, side: str, value: Number, cases: Sequence[list[Any]]) -> None:
        kernel.well_formed(side in ("low", "high"), "low or high", side)
        first, _, arguments = self._layer(layer, index)
        k = first + index
        need(k in self.twins, "a neuron with a twin")
        twin = self.twins[k]
        change = combination([(ONE, arguments[index]), (-twin.factor, self._network()[twin.variable].argument)])
        change = change.shifted(-twin.offset)
        self._bounded(first, change, side, value, cases)
        self.changes[k, side] = value
        self._first_compared = min(self._first_compared, k)

    def _layer(self, layer: int, index: int) -> CertifiedLayer:
        """Return a layer, which must have a neuron with this index."""
        need(0 < layer <= len(self.layers), f"one of {len(self.layers)} layers, not {layer}")
        found = self.layers[layer - 1]
        need(index < len(found.arguments), f"one of {len(found.arguments)} neurons, not {index}")
        return found

    def _bounded(self, count: int, form: Affine, side: str, value: Number, cases: Sequence[list[Any]]) -> None:
        """Conclude a bound of a form over the first variables, by cases; without a case it is assumed."""
        if not cases:
            self.assumed += 1
            return
        target = form.shifted(-value)
        facts, twins = self._facts_below(count), self._twins_below(count)
        found = read_cases(cases, [target if side == "high" else -target], self._network(), count, facts)
        inputs = range(2, 2 + len(self.nodes.inputs))
        self.obligations.evidence(Evidence(self._network(), facts, count, found, inputs, twins))

    def _twins_below(self, count: int) -> Twins:
        """Return twins of the first variables, and known bounds of their changes; the same for all neurons of a
        layer."""
        if self._first_compared < count:
            self._known_twins, self._first_compared = Twins(dict(self.twins), dict(self.changes)), len(self._network())
        return self._known_twins

    def _facts_below(self, count: int) -> Facts:
        """Return known bounds of the first variables; the same table for all neurons of a layer."""
        if self._first_changed < count:
            self._snapshot, self._first_changed = dict(self.facts), len(self._network())
        return self._snapshot

    def _network(self) -> list[SystemVariable]:
        """Return the inputs and neurons of the network as variables; the same list each time."""
        if self._variables is None:
            self._variables = [SystemVariable(None)] * len(self.nodes.inputs)
            for layer in self.layers:
                self._variables += [SystemVariable(layer.activation, argument) for argument in layer.arguments]
        return self._variables

    # -- outputs ----------------------------------------------------------------------------------------------

    def output(self, k: int, c: int, scale: Number, offset: Number) -> None:
        node, form = self._claim(c)
        need(self._has_all_values(), "values of all neurons")
        self._next_output(k)
        need(node == self.goals[k], f"a claim about output {k} of the formula")
        need(scale != 0, "a scale other than 0")
        last = self.layers[-1]
        value = self.values[last.first + k]
        # Bounds of the argument are bounds of the output only if there is no activation.
        variable = last.first + k if last.activation == "identity" else None
        low, high = value.range_over_unit_cube()
        low = max(low, self.facts.get((variable, "low"), low))
        high = min(high, self.facts.get((variable, "high"), high))
        self._rule("output")
        if not low < high:  # the output is constant, even if its form is not
            self._argument_at_least(variable, low, value)
            self._argument_at_most(variable, high, value)
            value = Affine((), low)
        self._equal(form.scaled(scale).shifted(offset), value, f"the value of output {k}")
        self._argument_at_least(variable, min(offset, offset + scale), value)
        self._argument_at_most(variable, max(offset, offset + scale), value)
        self.proved.append((scale, offset))

    def _has_all_values(self) -> bool:
        return bool(self.layers) and len(self.values) == self.layers[-1].first + len(self.layers[-1].arguments)

    def equal(self, k: int, a: int, b: int) -> None:
        need(not self.layers, "a certificate of two formulas")
        self._next_output(k)
        node_a, form = self._claim(a)
        node_b = self._about(b, form)
        need((node_a, node_b) == self.goals[k], f"claims about output {k} of both formulas")
        self._rule("same")
        self.proved.append((ONE, ZERO))

    def _next_output(self, k: int) -> None:
        need(k == len(self.proved) and k < len(self.goals), f"output {len(self.proved)}, which is due, not {k}")


_BY_RULE: dict[str, Callable[..., None]] = {
    "node": Conclusions.node,
    "atom": Conclusions.atom,
    "not": Conclusions.negate,
    "scale": Conclusions.scale,
    "plus": Conclusions.plus,
    "times": Conclusions.times,
    "lemma": Conclusions.lemma,
    "cut": Conclusions.cut,
    "sort": Conclusions.sort,
    "average": Conclusions.average,
    "same": Conclusions.same,
    "equals": Conclusions.equals,
    "unit": Conclusions.unit,
    "affine": Conclusions.affine,
    "clip": Conclusions.clip,
    "bound": Conclusions.bound,
    "twin": Conclusions.twin,
    "apart": Conclusions.apart,
    "output": Conclusions.output,
    "equal": Conclusions.equal,
}
