"""A network with one output that says how far its inputs and outputs are from meeting linear conditions.

The output is max_j t_j of affine forms t_j over inputs and outputs, made of ReLUs by max(a, b) = a + ρ(b − a) in a
balanced tree. Values that a layer only passes on are shifted by a lower end of their interval, v = ρ(v − low) + low.
That neuron is always active, so no bound becomes looser by it.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import replace

from verimv.exact import ONE, ZERO, Number, Rational, ceil, floor
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, Layer, Network, activate
from verimv.networks.program import Range
from verimv.networks.transforms.normalise import without_identity_layers


def margin_network(
    network: Network, forms: Sequence[Affine], penalised: Sequence[Affine] = (), weight: Number = ONE
) -> Network:
    """Return a network whose one output is max(forms) + weight·ρ(max(penalised)).

    Forms are over the inputs and then the outputs of the network; there is at least one. A single form needs no neuron:
    it is merged into the last affine layer.
    """
    used = {j for form in (*forms, *penalised) for j, _ in form.terms}
    if all(j < len(network.inputs) for j in used):  # conditions on inputs only need no neuron of the network
        width = len(network.inputs)
        network = replace(network, layers=(Layer(tuple(Affine.variable(j) for j in range(width)), width, "identity"),))
    tower = Tower(network, used)
    return tower.finished(tower.margin([*map(tower.over, forms)], [*map(tower.over, penalised)], weight))


def conditions_network(network: Network, forms: Sequence[Affine]) -> Network:
    """Return a network whose outputs are affine forms over the inputs and outputs of a network."""
    tower = Tower(network, {j for form in forms for j, _ in form.terms})
    return tower.finished(*map(tower.over, forms))


class Tower:
    """Layers on top of a network, which pass on the inputs that are still needed.

    `inputs` and `outputs` are the network's, as forms over the values of the highest layer.
    """

    def __init__(self, network: Network, used: Collection[int]) -> None:
        network = without_identity_layers(network)
        self.network = network
        self.layers: list[Layer] = []
        self.ranges: list[Range] = list(network.box)
        self.inputs = {j: _input(j, network.box[j]) for j in range(len(network.inputs))}
        needed = [j for j in self.inputs if j in used]
        *below, last = network.layers
        ends_affinely = last.activation == "identity"
        for layer in below if ends_affinely else network.layers:
            rows = list(layer.rows)
            passed = {j: self._pass(self.inputs[j], layer.activation, rows) for j in needed}
            self._add(rows, layer.activation)
            self.inputs = passed
        width = len(network.outputs)
        self.outputs = list(last.rows) if ends_affinely else [Affine.variable(i) for i in range(width)]

    def over(self, form: Affine) -> Affine:
        """Return a form over inputs and outputs as one over the values of the highest layer."""
        count = len(self.network.inputs)
        values = {j: self.inputs[j] if j < count else self.outputs[j - count] for j, _ in form.terms}
        return form.substitute(values)

    def add_network(self, other: Network, arguments: Sequence[Affine]) -> list[Affine]:
        """Apply another network to σ of the arguments. Return its outputs; nothing else is passed on."""
        self._add(list(arguments), "crelu")
        *below, last = without_identity_layers(other).layers
        for layer in below:
            self._add(list(layer.rows), layer.activation)
        if last.activation == "identity":
            return list(last.rows)
        self._add(list(last.rows), last.activation)
        return [Affine.variable(i) for i in range(len(last.rows))]

    def margin(self, forms: list[Affine], penalised: list[Affine], weight: Number) -> Affine:
        """Add layers for max(forms) + weight·ρ(max(penalised)) and return it."""
        while len(forms) > 1 or len(penalised) > 1:
            rows: list[Affine] = []
            forms, penalised = self._halved(forms, rows), self._halved(penalised, rows)
            self._add(rows, "relu")
        [form] = forms
        if not penalised:
            return form
        rows = []
        passed = self._pass(form, "relu", rows)
        rows.append(penalised[0])
        self._add(rows, "relu")
        return passed + Affine([(len(rows) - 1, weight)])

    def finished(self, *outputs: Affine) -> Network:
        """Return the network with these outputs: `margin`, or `margin1`, `margin2` …, which are not inputs."""
        width = len(self.layers[-1].rows) if self.layers else len(self.network.inputs)
        names = ["margin"] if len(outputs) == 1 else [f"margin{k + 1}" for k in range(len(outputs))]
        while not set(names).isdisjoint(self.network.inputs):
            names = [name + "_" for name in names]
        layers = (*self.layers, Layer(outputs, width, "identity"))
        return replace(self.network, layers=layers, outputs=tuple(names), labels={})

    def _halved(self, forms: Sequence[Affine], rows: list[Affine]) -> list[Affine]:
        """Return the larger of every two forms, and the last if it is left over, as forms over the next layer."""
        result = []
        for a, b in zip(forms[::2], forms[1::2], strict=False):
            result.append(self._pass(a, "relu", rows) + Affine.variable(len(rows)))
            rows.append(b + -a)
        if len(forms) % 2:
            result.append(self._pass(forms[-1], "relu", rows))
        return result

    def _pass(self, form: Affine, activation: Activation, rows: list[Affine]) -> Affine:
        """Append a neuron that passes a value on, and return the value as a form over the next layer."""
        if not form.terms:
            return form
        low, high = form.range_over(self.ranges)
        number = len(rows)
        below = Rational(floor(low))
        if activation == "crelu":
            width = max(Rational(ceil(high)) - below, ONE)
            rows.append(form.shifted(-below).scaled(1 / width))
            return Affine([(number, width)], below)
        rows.append(form.shifted(-below))
        return Affine([(number, ONE)], below)

    def _add(self, rows: list[Affine], activation: Activation) -> None:
        width = len(self.layers[-1].rows) if self.layers else len(self.network.inputs)
        self.layers.append(Layer(tuple(rows), width, activation))
        ranges = [row.range_over(self.ranges) for row in rows]
        self.ranges = [(activate(activation, low), activate(activation, high)) for low, high in ranges]


def _input(index: int, interval: Range) -> Affine:
    """Return an input as a form: a number if it has one value only."""
    low, high = interval
    return Affine.variable(index) if low < high else Affine((), low + ZERO)
