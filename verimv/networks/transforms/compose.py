"""Networks from networks: in sequence (Lemma B.2 of the paper) and side by side. Integer weights stay integer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from verimv.core.errors import InputError
from verimv.exact import ONE
from verimv.networks.affine import Affine
from verimv.networks.formats.load import as_network
from verimv.networks.network import Activation, Layer, Network
from verimv.networks.transforms.normalise import without_identity_layers


def concatenate(outer: Any, inner: Any) -> Network:
    """Return outer ∘ inner by the paper's concatenation lemma: the numbers of layers add.

    An inner network that ends without activation is joined by x = ρ(x) − ρ(−x); one that ends in ρ or σ is joined as
    it is.
    """
    upper, lower = _fitting(outer, inner)
    last, first = lower.layers[-1], upper.layers[0]
    if last.activation != "identity":
        return replace(lower, layers=lower.layers + upper.layers, outputs=upper.outputs)
    width = len(last.rows)
    doubled = Layer(last.rows + tuple(-row for row in last.rows), last.width_in, "relu")
    difference = [Affine([(j, ONE), (j + width, -ONE)]) for j in range(width)]
    rejoined = Layer(tuple(row.substitute(difference) for row in first.rows), 2 * width, first.activation)
    return replace(lower, layers=(*lower.layers[:-1], doubled, rejoined, *upper.layers[1:]), outputs=upper.outputs)


def compose(outer: Any, inner: Any) -> Network:
    """Return outer ∘ inner with as few layers as possible: a last affine layer is merged into the layer above."""
    upper, lower = _fitting(outer, inner)
    return without_identity_layers(replace(lower, layers=lower.layers + upper.layers, outputs=upper.outputs))


def stack(networks: Sequence[Any]) -> Network:
    """Return networks over the same inputs side by side, as one network with all outputs in order.

    Shorter networks are continued by copies; where the activations of a layer differ, σ and the identity are
    written with ρ: σ(t) = ρ(t) − ρ(t−1), t = ρ(t) − ρ(−t).
    """
    if not networks:
        raise InputError("expected at least one network to stack")
    networks = [as_network(network) for network in networks]
    first = networks[0]
    for network in networks[1:]:
        if network.inputs != first.inputs or network.box != first.box:
            raise InputError("only networks with the same inputs and the same box can stand side by side")
    columns = [_Column(network) for network in networks]
    depth = max(len(network.layers) for network in networks)
    layers: list[Layer] = []
    width_in = len(first.inputs)
    for level in range(depth):
        wanted = {column.activation(level) for column in columns}
        common: Activation = (wanted.pop() if len(wanted) == 1 else None) or "relu"
        rows: list[Affine] = []
        for column in columns:
            column.climb(level, common, rows)
        layers.append(Layer(tuple(rows), width_in, common))
        width_in = len(rows)
    outputs = tuple(value for column in columns for value in column.values)
    if outputs != tuple(Affine.variable(j) for j in range(width_in)):
        layers.append(Layer(outputs, width_in, "identity"))
    names = [f"y{i + 1}" for i in range(sum(len(network.outputs) for network in networks))]
    return without_identity_layers(Network.of(layers, first.inputs, first.box, names))


class _Column:
    """One of the stacked networks: its current values as forms over the stack's current layer."""

    def __init__(self, network: Network) -> None:
        self.network = network
        self.values = [Affine.variable(j) for j in range(len(network.inputs))]
        #: whether all values are proven to be ≥ 0, so that ρ copies them
        self.nonnegative = all(low >= 0 for low, _ in network.box)

    def activation(self, level: int) -> Activation | None:
        layers = self.network.layers
        return layers[level].activation if level < len(layers) else None

    def climb(self, level: int, common: Activation, rows: list[Affine]) -> None:
        """Append this network's neurons of the level to `rows`, and update its values."""
        own = self.activation(level)
        forms = self.values
        if own is not None:
            forms = [row.substitute(self.values) for row in self.network.layers[level].rows]
        self.values = [
            _apply(own or "identity", common, form, rows, self.nonnegative and own is None) for form in forms
        ]
        self.nonnegative = own in ("relu", "crelu") or (own is None and self.nonnegative)


def _apply(wanted: Activation, common: Activation, form: Affine, rows: list[Affine], nonnegative: bool) -> Affine:
    """Return wanted(form) as a form over neurons with the common activation, which are appended to `rows`.

    Activations that differ are written with ρ (see :func:`stack`).
    """

    def neuron(argument: Affine) -> int:
        rows.append(argument)
        return len(rows) - 1

    if wanted == common or (wanted == "identity" and common == "relu" and nonnegative):
        return Affine.variable(neuron(form))
    if wanted == "crelu":
        return Affine([(neuron(form), ONE), (neuron(form.shifted(-1)), -ONE)])
    return Affine([(neuron(form), ONE), (neuron(-form), -ONE)])


def _fitting(outer: Any, inner: Any) -> tuple[Network, Network]:
    """Read two networks, the outer with as many inputs as the inner has outputs."""
    outer, inner = as_network(outer), as_network(inner)
    if len(inner.outputs) != len(outer.inputs):
        raise InputError(
            f"cannot compose: the inner network has {len(inner.outputs)} outputs, the outer {len(outer.inputs)} inputs"
        )
    return outer, inner
