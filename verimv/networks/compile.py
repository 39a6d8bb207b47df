"""Formula → ReLU network: the forward direction of Theorems 3.2 and 6.2.

¬, δ and Δ are affine. a⊙b = ρ(a+b−1) and a⊕b = 1 − ρ(1−a−b) are one neuron each (Lemma B.3). A neuron whose argument
provably never changes sign is replaced by 0 or by its argument; equal neurons are one neuron, and so is a chain of ⊕ or
of ⊙. Values that a later layer needs are carried up by ρ(v) = v, one copy per layer, since inputs and neurons are never
negative.
"""

from __future__ import annotations

from collections.abc import Sequence

from verimv.exact import Number
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Layer, Network, checked_box
from verimv.networks.program import Case, Program, Range
from verimv.terms.formula import Formula

#: Chains are not flattened past this many summands, so that n summands cost n·MAX_FAN_IN and not n².
MAX_FAN_IN = 256


class _Neurons(Program):
    """A program in which chains are flattened, and every value knows its level: the inputs 0, a neuron one more than
    the highest value it uses."""

    def __init__(self, box: Box) -> None:
        super().__init__(box)
        self.levels = [0] * self.inputs

    def relu(self, argument: Affine, proven: Range | None = None) -> Affine:
        flat = self._flattened(argument)
        if proven is not None and flat != argument:
            proven = (self.range_of(flat)[0], proven[1])  # t ≤ ρ(t): of the range, only the upper end carries over
        return super().relu(flat, proven)

    def _case(self, case: Case, result: Range) -> Affine:
        form = super()._case(case, result)
        if len(self.levels) < len(self.ranges):
            self.levels.append(1 + max(self.levels[j] for j, _ in case.argument.terms))
        return form

    def _flattened(self, argument: Affine) -> Affine:
        """ρ(w·ρ(t) + r) = ρ(w·t + r) wherever r ≤ 0 < w: chains of ⊕, or of ⊙, become one neuron."""
        while len(argument.terms) <= MAX_FAN_IN:
            inner = self._absorbable(argument)
            if inner is None:
                break
            number, weight = inner
            rest = Affine((term for term in argument.terms if term[0] != number), argument.constant)
            argument = self.cases[number].argument.scaled(weight) + rest
        return argument

    def _absorbable(self, argument: Affine) -> tuple[int, Number] | None:
        _, high = self.range_of(argument)
        for number, weight in argument.terms:
            if weight > 0 and number in self.cases and high - weight * self.ranges[number][1] <= 0:
                return number, weight
        return None


def to_network(formula: Formula) -> Network:
    """A ReLU network that equals the formula on the unit cube, affine at its output as in Definition B.1.

    MV formulas give integer weights, DMV formulas rational ones.
    """
    neurons = _Neurons(checked_box(None, len(formula.inputs)))
    outputs = neurons.add_formula(formula, formula.inputs)
    inputs = formula.inputs or ("x1",)
    carried = _last_levels(neurons, outputs, len(formula.inputs))
    top = max((neurons.levels[j] for form in outputs for j, _ in form.terms), default=0)
    by_level: list[list[int]] = [[] for _ in range(top + 1)]
    for number in carried:
        by_level[neurons.levels[number]].append(number)
    layers: list[Layer] = []
    below = {number: number for number in range(len(formula.inputs))}
    width_in = len(inputs)
    for level in range(1, top + 1):
        copies = [number for number in below if carried.get(number, 0) >= level]
        rows = [neurons.cases[number].argument.renumbered(below) for number in by_level[level]]
        rows += [Affine.variable(below[number]) for number in copies]
        layers.append(Layer(tuple(rows), width_in, "relu"))
        below = {number: position for position, number in enumerate(by_level[level] + copies)}
        width_in = len(rows)
    layers.append(Layer(tuple(form.renumbered(below) for form in outputs), width_in, "identity"))
    return Network.of(layers, inputs, None, _output_names(inputs, formula.outputs))


def _output_names(inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
    """A formula may name an input as an output; a network may not."""
    taken = {*inputs, *outputs}
    names = []
    for name in outputs:
        if name in inputs:
            name += "_out"
            while name in taken:
                name += "_"
            taken.add(name)
        names.append(name)
    return names


def _last_levels(neurons: _Neurons, outputs: Sequence[Affine], inputs: int) -> dict[int, int]:
    """Each value that is used, with the highest level at which it must still be there."""
    top = max((neurons.levels[j] for form in outputs for j, _ in form.terms), default=0)
    last = {j: top for form in outputs for j, _ in form.terms}
    for number in reversed(neurons.cases):
        if number in last:
            for j, _ in neurons.cases[number].argument.terms:
                last[j] = max(last.get(j, 0), neurons.levels[number] - 1)
    for number in range(inputs):
        last.setdefault(number, 0)
    return last
