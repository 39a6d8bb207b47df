"""Networks and formulas in one representation: values over a box, each ρ or σ of an affine form over earlier values.

Code that encodes, bounds or compiles a function uses it. A case is added only if ρ or σ is not affine on the proven
range of its argument; equal cases are one case. Interval arithmetic gives the ranges, unless better ones are known.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from verimv.exact import ONE, ZERO, Number, Rational
from verimv.formulas.dag import Algebra, fold
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Network

Range = tuple[Number, Number]


class PiecewiseValue(NamedTuple):
    """A value defined by cases: ρ(argument) or σ(argument)."""

    kind: Literal["relu", "clip"]
    argument: Affine


class Program:
    """Inputs, then cases, as numbered values. All other values are affine forms over these."""

    def __init__(self, box: Box) -> None:
        self.inputs = len(box)
        self.ranges: list[Range] = list(box)
        self.cases: dict[int, PiecewiseValue] = {}
        self._known: dict[PiecewiseValue, int] = {}

    def range_of(self, form: Affine) -> Range:
        return form.range_over(self.ranges)

    def relu(self, argument: Affine, proven: Range | None = None) -> Affine:
        """Return ρ(argument) as a form. `proven` is a range of the argument, if one is known."""
        low, high = self._range(argument, proven)
        if high <= 0:
            return Affine(())
        if low >= 0:
            return argument
        return self._case(PiecewiseValue("relu", argument), (ZERO, high))

    def clip(self, argument: Affine, proven: Range | None = None) -> Affine:
        """Return σ(argument) as a form."""
        low, high = self._range(argument, proven)
        if high <= 1:
            return self.relu(argument, (low, high))
        if low >= 0:
            return self.relu(argument.complement(), (1 - high, 1 - low)).complement()
        return self._case(PiecewiseValue("clip", argument), (ZERO, ONE))

    def _range(self, argument: Affine, proven: Range | None) -> Range:
        low, high = self.range_of(argument)
        return (low, high) if proven is None else (max(low, proven[0]), min(high, proven[1]))

    def _case(self, case: PiecewiseValue, result: Range) -> Affine:
        number = self._known.get(case)
        if number is None:
            number = self._known[case] = len(self.ranges)
            self.cases[number] = case
            self.ranges.append(result)
        return Affine.variable(number)

    def add_network(
        self,
        network: Network,
        proven: Mapping[tuple[int, int], Range] | None = None,
        positions: Sequence[int] | None = None,
    ) -> list[Affine]:
        """Add a network; return its outputs as forms. `proven` has ranges of pre-activations by (layer, index), from 0;
        `positions` has the program's input for each input of the network, if the order differs."""
        values = [Affine.variable(j) for j in (range(self.inputs) if positions is None else positions)]
        for depth, layer in enumerate(network.layers):
            forms = [row.substitute(values) for row in layer.rows]
            if layer.activation != "identity":
                act = self.relu if layer.activation == "relu" else self.clip
                forms = [act(form, (proven or {}).get((depth, i))) for i, form in enumerate(forms)]
            values = forms
        return values

    def add_formula(self, formula: Formula, inputs: Sequence[str]) -> list[Affine]:
        """Add a formula; return its outputs as forms. `inputs` are the variables for the program's inputs, in order."""
        return fold(formula.dag, formula.roots, FormulaCases(self, inputs))


class FormulaCases(Algebra[Affine]):
    """Every subterm as an affine form: a⊙b = ρ(a+b−1) and a⊕b = 1 − ρ(1−a−b) (Lemma B.3); ¬, δ and Δ are affine."""

    def __init__(self, program: Program, inputs: Sequence[str]) -> None:
        self.program = program
        self.index = {name: i for i, name in enumerate(inputs)}

    def variable(self, name: str) -> Affine:
        return Affine.variable(self.index[name])

    def constant(self, value: int) -> Affine:
        return Affine((), Rational(value))

    def neg(self, a: Affine) -> Affine:
        return a.complement()

    def oplus(self, a: Affine, b: Affine) -> Affine:
        # terms have values in [0,1], so no argument exceeds 1, even if its computed range does
        return self.program.relu((a + b).complement(), _UNIT_ARGUMENT).complement()

    def odot(self, a: Affine, b: Affine) -> Affine:
        return self.program.relu((a + b).shifted(-1), _UNIT_ARGUMENT)

    def divide(self, divisor: int, a: Affine) -> Affine:
        return a.scaled(Rational(1, divisor))

    def scale(self, factor: Number, a: Affine) -> Affine:
        return a.scaled(factor)


_UNIT_ARGUMENT: Range = (Rational(-1), ONE)
