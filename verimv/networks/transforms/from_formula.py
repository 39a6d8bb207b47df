"""Formula → ReLU network: the forward direction of Theorems 3.2 and 6.2.

¬, δ and Δ are affine. a⊙b = ρ(a+b−1) and a⊕b = 1 − ρ(1−a−b) are one neuron each (Lemma B.3). A neuron whose argument
provably never changes sign is replaced by 0 or by its argument; equal neurons are one neuron, and so is a chain of ⊕ or
of ⊙. Values that a later layer needs are carried up by ρ(v) = v, one copy per layer, since inputs and neurons are never
negative.
"""

from __future__ import annotations

from collections.abc import Sequence

from verimv.core.errors import check_type
from verimv.exact import Number
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network, checked_box
from verimv.networks.program import Program, Range
from verimv.networks.transforms.layering import layers_of

#: Chains are not flattened beyond this many summands, so that n summands cost n·MAX_FAN_IN and not n².
MAX_FAN_IN = 256


class _FlattenedProgram(Program):
    """A program in which chains of ⊕, or of ⊙, are flattened."""

    def relu(self, argument: Affine, proven: Range | None = None) -> Affine:
        flat = self._flattened(argument)
        if proven is not None and flat != argument:
            proven = (self.range_of(flat)[0], proven[1])  # t ≤ ρ(t), so only the upper end is still valid
        return super().relu(flat, proven)

    def _flattened(self, argument: Affine) -> Affine:
        """Apply ρ(w·ρ(t) + r) = ρ(w·t + r) where r ≤ 0 < w: chains of ⊕, or of ⊙, become one neuron."""
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
    """Return a ReLU network that equals the formula on the unit cube, affine at its output as in Definition B.1.

    MV formulas give integer weights, DMV formulas rational ones.
    """
    check_type(formula, Formula)
    neurons = _FlattenedProgram(checked_box(None, len(formula.inputs)))
    outputs = neurons.add_formula(formula, formula.inputs)
    inputs = formula.inputs or ("x1",)
    layers = layers_of(neurons.cases, outputs, len(inputs))
    if layers[-1].activation != "identity":
        width = len(outputs)
        layers.append(Layer(tuple(Affine.variable(j) for j in range(width)), width, "identity"))
    return Network.of(layers, inputs, None, _output_names(inputs, formula.outputs))


def _output_names(inputs: Sequence[str], outputs: Sequence[str]) -> list[str]:
    """Rename outputs that are inputs: a formula may have them, a network may not."""
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
