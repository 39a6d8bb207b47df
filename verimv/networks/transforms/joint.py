"""Two networks as one system of variables; no row mentions a neuron that is constant, or a multiple of an earlier one.

Certificates use it for the difference of two networks (proofs/FORMAT.md, §3). What both have in common, up to the order
of neurons and positive factors, cancels: ρ(p·t) = p·ρ(t) for p > 0.
"""

from __future__ import annotations

from typing import NamedTuple

from verimv.exact import ONE, Algebraic, Number
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Network, activate


class SharedNeuron(NamedTuple):
    """A neuron act(row), over variables that rows may mention. Its `value` is a number or p·(such a variable)."""

    activation: Activation
    row: Affine
    value: Affine


class SharedPair:
    """Two networks. The inputs are variables 0, 1, …, then come all neurons of the first network and of the second.

    `differences` are the outputs of the first minus those of the second. A neuron can be a multiple only of a neuron of
    the same depth: its row mentions at least one variable, of the layer below, since constant neurons are numbers.
    """

    def __init__(self, a: Network, b: Network) -> None:
        self.inputs = len(a.inputs)
        self.neurons: list[SharedNeuron] = []
        self._firsts: dict[tuple[Activation, Affine], tuple[int, Number]] = {}
        outputs = [self._added(network) for network in (a, b)]
        self.differences = [x + -y for x, y in zip(*outputs, strict=True)]

    def _added(self, network: Network) -> list[Affine]:
        """Add a network; return the values of its last layer."""
        values = [Affine.variable(j) for j in range(self.inputs)]
        for layer in network.layers:
            values = [self._neuron(layer.activation, row.substitute(values)) for row in layer.rows]
        return values

    def _neuron(self, activation: Activation, row: Affine) -> Affine:
        """Add a neuron; return its value."""
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
    """Return the divisor that normalises a row: its first coefficient (constant first), if that is rational."""
    lead = row.constant or row.terms[0][1]
    return ONE if activation == "crelu" or isinstance(lead, Algebraic) else abs(lead)
