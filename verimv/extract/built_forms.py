"""Forms that are built step by step, each claimed to be σ(form) of its node, for the layered proof.

That forms add up and stay in the ranges that a rule needs is checked by exact arithmetic; the rule itself is a query
for the solver, the same one for all operands in about the same range.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from verimv.errors import InternalError
from verimv.exact import ONE, ZERO, Number, Rational, ceil, floor
from verimv.extract.good_sequence import merge
from verimv.extract.plan import Step, step_node
from verimv.extract.queries import (
    Ends,
    coarse,
    cut_query,
    double_query,
    lemma_query,
    plus_query,
    sort_query,
    square_query,
    times_query,
)
from verimv.extract.step2_threshold import Threshold
from verimv.networks.affine import Affine
from verimv.terms.dag import Dag


def check(holds: bool, what: str) -> None:
    if not holds:
        raise InternalError(f"the layered proof fails: {what}")


class BuiltForms:
    """The claims by position. `ask` is told of a query and its arguments."""

    def __init__(self, dag: Dag, atoms: Sequence[int], ask: Callable[..., None]) -> None:
        self._dag = dag
        self._atoms = atoms
        self._ask = ask
        self.forms: list[Affine] = []
        self.nodes: list[int] = []

    def add(self, form: Affine, node: int) -> int:
        self.forms.append(form)
        self.nodes.append(node)
        return len(self.forms) - 1

    def follow(self, step: Step) -> None:
        """One step of a plan."""
        if step.kind in ("zero", "one"):
            self.add(Affine((), Rational(step.kind == "one")), step_node(self._dag, step.kind, ()))
        elif step.kind in ("positive", "negative"):
            self.literal(step.operands[0], step.kind == "positive")
        elif step.kind == "sort":
            self._sort(step.operands[: step.first], step.operands[step.first :])
        else:
            rules: dict[str, Callable[..., Affine]] = {
                "plus": self._plus,
                "times": self._times,
                "double": self._double,
                "square": self._square,
                "lemma": self._lemma,
                "cut": self._cut,
            }
            form = rules[step.kind](*(self.forms[i] for i in step.operands), *step.multipliers)
            self.add(form, step_node(self._dag, step.kind, [self.nodes[i] for i in step.operands]))

    def literal(self, variable: int, positive: bool) -> int:
        atom, form = self._atoms[variable], Affine.variable(variable)
        return self.add(form, atom) if positive else self.add(form.complement(), self._dag.neg(atom))

    def threshold(self, threshold: Threshold) -> int:
        """A vote with a threshold, as threshold_node builds it."""
        one = self.add(Affine((), ONE), self._dag.constant(1))
        position = self.add(Affine(()), self._dag.constant(0))
        for variable, share, positive in threshold.votes:
            vote = self._share(share, self.literal(variable, positive), threshold.divided)
            position = self._followed("plus", position, vote)
        if threshold.constant > 0:
            limit = self._share(threshold.constant, one, threshold.divided)
            position = self._followed("plus", position, limit)
        elif threshold.constant < 0:
            limit = self._share(-threshold.constant, one, threshold.divided)
            negated = self.add(self.forms[limit].complement(), self._dag.neg(self.nodes[limit]))
            position = self._followed("times", position, negated)
        for _ in range(threshold.doublings):
            position = self._followed("double", position)
        return position

    def _followed(self, kind: str, *operands: int) -> int:
        self.follow(Step(kind, operands))
        return len(self.forms) - 1

    def _share(self, share: Number, position: int, is_divided: bool) -> int:
        """Multiplication or division of a form in [0,1] is what it says; an N-fold sum is not, but a matter of ⊕."""
        form, node = self.forms[position], self.nodes[position]
        low, high = form.range_over_unit_cube()
        check(low >= 0 and high <= 1 and ZERO <= share <= 1, "a share is not of a form in [0,1]")
        if not is_divided or not isinstance(share, Rational):
            return self.add(form.scaled(share), self._dag.scale(share, node))
        divisor = int(share.denominator)
        part = self.add(form.scaled(Rational(1, divisor)), self._dag.divide(divisor, node))
        result = part
        for bit in bin(int(share.numerator))[3:]:
            result = self._followed("plus", result, result)
            if bit == "1":
                result = self._followed("plus", result, part)
        return result

    # -- the rules --------------------------------------------------------------------------------------------

    def _plus(self, a: Affine, b: Affine) -> Affine:
        check(min(a.range_over_unit_cube()[0], b.range_over_unit_cube()[0]) >= 0, "⊕ of a form that may be negative")
        self._ask(plus_query, _ends(a), _ends(b))
        return a + b

    def _times(self, a: Affine, b: Affine) -> Affine:
        check(max(a.range_over_unit_cube()[1], b.range_over_unit_cube()[1]) <= 1, "⊙ of a form that may exceed 1")
        self._ask(times_query, _ends(a), _ends(b))
        return (a + b).shifted(-1)

    def _double(self, a: Affine) -> Affine:
        self._ask(double_query, _ends(a))
        return a + a

    def _square(self, a: Affine) -> Affine:
        self._ask(square_query, _ends(a))
        return (a + a).shifted(-1)

    def _lemma(self, g: Affine, h: Affine, above: Affine) -> Affine:
        check(above == g.shifted(1), "Lemma 3.3 with a form that is not the other plus 1")
        low, high = h.range_over_unit_cube()
        check(low >= 0 and high <= 1, "Lemma 3.3 adds a form outside [0,1]")
        self._ask(lemma_query, True, None, None, _ends(g))
        return g + h

    def _cut(self, f: Affine, g: Affine, above: Affine, most: Number, least: Number) -> Affine:
        check(above == g.shifted(1), "a cut with a form that is not the other plus 1")
        upper, lower = (f + g.scaled(-multiplier) for multiplier in (most, least))
        check(most >= 0 and upper.range_over_unit_cube()[1] <= 1, "a cut where f1 may exceed 1")
        check(least >= 0 and lower.range_over_unit_cube()[0] >= 0, "a cut where f1 may be negative")
        self._ask(cut_query, _ends(f), _ends(g))
        return f + g

    def _sort(self, first: Sequence[int], second: Sequence[int]) -> None:
        total = Affine(())
        for sequence in (first, second):
            form = self.forms[sequence[0]]
            low, high = form.range_over_unit_cube()
            check(low >= 0 and high <= len(sequence), "a sequence is too short for its form")
            shifted = [form.shifted(-k) for k in range(len(sequence))]
            check([self.forms[i] for i in sequence] == shifted, "a sequence is not one")
            total += form
        self._ask(sort_query, len(first), len(second))
        nodes = merge([self.nodes[i] for i in first], [self.nodes[i] for i in second], self._compared)
        for k, node in enumerate(nodes):
            self.add(total.shifted(-k), node)

    def _compared(self, a: int, b: int) -> tuple[int, int]:
        return self._dag.oplus(a, b), self._dag.odot(a, b)


def _ends(form: Affine) -> Ends:
    low, high = form.range_over_unit_cube()
    return coarse(floor(low), ceil(high))
