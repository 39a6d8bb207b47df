"""Two networks as one system of variables; no row mentions a neuron that is constant, or a multiple of an earlier one.

So certificates know the difference of two networks (proofs/FORMAT.md, §3). What both have in common, up to the order of
neurons and positive factors, cancels: ρ(p·t) = p·ρ(t) for p > 0.
"""

from __future__ import annotations

from typing import NamedTuple

from verimv.exact import ONE, Algebraic, Number
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Network, activate


class SharedNeuron(NamedTuple):
    """act(row), over variables that rows may mention; `value` is a number, or p·(such a variable): often itself."""

    activation: Activation
    row: Affine
    value: Affine


class SharedPair:
    """The inputs are variables 0, 1, …; then come all neurons of the first network, and all of the second.

    `differences` are the outputs of the first less those of the second. A neuron is a multiple only of one that is as
    deep: a row mentions variables of the layer below, and at least one, as constant neurons are numbers.
    """

    def __init__(self, a: Network, b: Network) -> None:
        self.inputs = len(a.inputs)
        self.neurons: list[SharedNeuron] = []
        self._firsts: dict[tuple[Activation, Affine], tuple[int, Number]] = {}
        outputs = [self._added(network) for network in (a, b)]
        self.differences = [x + -y for x, y in zip(*outputs, strict=True)]

    def _added(self, network: Network) -> list[Affine]:
        """The values of the last layer of a network."""
        values = [Affine.variable(j) for j in range(self.inputs)]
        for layer in network.layers:
            values = [self._neuron(layer.activation, row.substitute(values)) for row in layer.rows]
        return values

    def _neuron(self, activation: Activation, row: Affine) -> Affine:
        """The value of the next neuron."""
        number = self.inputs + len(self.neurons)
        if row.terms:
            scale = _scale(activation, row)
            key = (activation, row if scale == 1 else row.scaled(1 / scale))
            first, other = self._firsts.setdefault(key, (number, scale))
            value = Affine([(first, scale / other)])
        else:
            value = Affine((), activate(activation, row.constant))
        self.neurons.append(SharedNeuron(activation, row, value))
        return value


def _scale(activation: Activation, row: Affine) -> Number:
    """What a row is divided by before it is looked up: its first coefficient, if that is rational."""
    lead = row.constant or row.terms[0][1]
    return ONE if activation == "crelu" or isinstance(lead, Algebraic) else abs(lead)
