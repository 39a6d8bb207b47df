"""The same function with fewer neurons: neurons of a layer whose arguments are proportional become one."""

from __future__ import annotations

from dataclasses import replace

from verimv.exact import ONE, Number
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Layer, Network, activate


def merged(network: Network) -> Network:
    """Merge neurons by ρ(s·t) = s·ρ(t) for s > 0 and σ(1−t) = 1 − σ(t); remove constant and unused neurons.

    A network beside its copy with permuted or rescaled neurons becomes one network that has each output twice.
    """
    values = [Affine.variable(j) for j in range(len(network.inputs))]
    layers: list[Layer] = []
    width = len(network.inputs)
    for layer in network.layers[:-1]:
        neurons = _MergedNeurons(layer.activation)
        values = [neurons.value(row.substitute(values)) for row in layer.rows]
        if not neurons.rows:  # a layer of constants still needs a neuron
            neurons.value(Affine.variable(0))
        layers.append(Layer(tuple(neurons.rows), width, layer.activation))
        width = len(neurons.rows)
    last = network.layers[-1]
    layers.append(replace(last, rows=tuple(row.substitute(values) for row in last.rows), width_in=width))
    return replace(network, layers=tuple(_without_unused(layers)))


class _MergedNeurons:
    """The distinct neurons of one layer."""

    def __init__(self, activation: Activation) -> None:
        self.activation = activation
        self.rows: list[Affine] = []
        self._index: dict[Affine, int] = {}

    def value(self, argument: Affine) -> Affine:
        """Return act(argument) as a form over the neurons."""
        if not argument.terms:
            return Affine((), activate(self.activation, argument.constant))
        if self.activation == "crelu" and argument.complement() in self._index:
            return self._neuron(argument.complement()).complement()
        scale: Number = ONE
        if self.activation == "relu":
            scale = abs(argument.terms[0][1])
            argument = argument.scaled(1 / scale) if scale != 1 else argument
        return self._neuron(argument).scaled(scale)

    def _neuron(self, argument: Affine) -> Affine:
        if argument not in self._index:
            self._index[argument] = len(self.rows)
            self.rows.append(argument)
        return Affine.variable(self._index[argument])


def _without_unused(layers: list[Layer]) -> list[Layer]:
    result = [layers[-1]]
    for layer in reversed(layers[:-1]):
        above = result[0]
        used = sorted({j for row in above.rows for j, _ in row.terms}) or [0]
        numbers = {j: position for position, j in enumerate(used)}
        result[0] = replace(above, rows=tuple(row.renumbered(numbers) for row in above.rows), width_in=len(used))
        result.insert(0, replace(layer, rows=tuple(layer.rows[j] for j in used)))
    return result
