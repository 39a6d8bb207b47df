"""Formula → ReLU network: the forward direction of Theorems 3.2 and 6.2.

¬, δ and Δ are affine. a⊙b = ρ(a+b−1) and a⊕b = 1 − ρ(1−a−b) are one neuron each (Lemma B.3). A neuron whose argument
provably never changes sign is replaced by 0 or by its argument; equal neurons are one neuron, and so is a chain of ⊕ or
of ⊙. Values that a later layer needs are carried up by ρ(v) = v, one copy per layer, since inputs and neurons are never
negative.
"""

from __future__ import annotations

from collections.abc import Sequence

from verimv.exact import ONE, ZERO, Number, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network
from verimv.terms.dag import Algebra, fold
from verimv.terms.formula import Formula

#: Chains are not flattened past this many summands, so that n summands cost n·MAX_FAN_IN and not n².
MAX_FAN_IN = 256


class _Neurons(Algebra[Affine]):
    """Every subterm as an affine form over values: the inputs first, then the neurons made so far."""

    def __init__(self, inputs: Sequence[str]) -> None:
        self.index = {name: i for i, name in enumerate(inputs)}
        self.arguments: dict[int, Affine] = {}
        self.levels = [0] * len(inputs)
        self.ranges: list[tuple[Number, Number]] = [(ZERO, ONE)] * len(inputs)
        self._known: dict[Affine, int] = {}

    def rectified(self, argument: Affine) -> Affine:
        """ρ(argument) as a form; a new neuron only where the argument can change sign."""
        argument = self._flattened(argument)
        low, high = argument.range_over(self.ranges)
        if high <= 0:
            return Affine(())
        if low >= 0:
            return argument
        number = self._known.get(argument)
        if number is None:
            number = self._known[argument] = len(self.levels)
            self.arguments[number] = argument
            self.levels.append(1 + max(self.levels[j] for j, _ in argument.terms))
            self.ranges.append((ZERO, high if high < 1 else ONE))  # 1−a−b and a+b−1 never exceed 1
        return Affine.variable(number)

    def _flattened(self, argument: Affine) -> Affine:
        """ρ(w·ρ(t) + r) = ρ(w·t + r) wherever r ≤ 0 < w: chains of ⊕, or of ⊙, become one neuron."""
        while len(argument.terms) <= MAX_FAN_IN:
            inner = self._absorbable(argument)
            if inner is None:
                break
            number, weight = inner
            rest = Affine((term for term in argument.terms if term[0] != number), argument.constant)
            argument = self.arguments[number].scaled(weight) + rest
        return argument

    def _absorbable(self, argument: Affine) -> tuple[int, Number] | None:
        _, high = argument.range_over(self.ranges)
        for number, weight in argument.terms:
            if weight > 0 and number in self.arguments and high - weight * self.ranges[number][1] <= 0:
                return number, weight
        return None

    def variable(self, name: str) -> Affine:
        return Affine.variable(self.index[name])

    def constant(self, value: int) -> Affine:
        return Affine((), Rational(value))

    def neg(self, a: Affine) -> Affine:
        return a.complement()

    def oplus(self, a: Affine, b: Affine) -> Affine:
        return self.rectified((a + b).complement()).complement()

    def odot(self, a: Affine, b: Affine) -> Affine:
        return self.rectified((a + b).shifted(-1))

    def divide(self, divisor: int, a: Affine) -> Affine:
        return a.scaled(Rational(1, divisor))

    def scale(self, factor: Number, a: Affine) -> Affine:
        return a.scaled(factor)


def to_network(formula: Formula) -> Network:
    """A ReLU network that equals the formula on the unit cube, affine at its output as in Definition B.1.

    MV formulas give integer weights, DMV formulas rational ones.
    """
    neurons = _Neurons(formula.inputs)
    outputs = fold(formula.dag, formula.roots, neurons)
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
        rows = [neurons.arguments[number].renumbered(below) for number in by_level[level]]
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
    for number in reversed(neurons.arguments):
        if number in last:
            for j, _ in neurons.arguments[number].terms:
                last[j] = max(last.get(j, 0), neurons.levels[number] - 1)
    for number in range(inputs):
        last.setdefault(number, 0)
    return last
