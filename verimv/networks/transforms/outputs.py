"""Other outputs of the same network: one of them, the difference of two, σ of them, affine maps of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import NamedTuple

from verimv.core.errors import InputError
from verimv.exact import ONE, ZERO, Number
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network


class OutputMap(NamedTuple):
    """output = scale·(value of the formula) + offset."""

    scale: Number = ONE
    offset: Number = ZERO

    def undone(self, value: Number) -> Number:
        """Return the output for a value of the formula."""
        return self.scale * value + self.offset


def affine_end(network: Network) -> Network:
    """Return the same function, with a last layer without activation."""
    width = len(network.outputs)
    if network.layers[-1].activation == "identity":
        return network
    copy = Layer(tuple(Affine.variable(j) for j in range(width)), width, "identity")
    return replace(network, layers=(*network.layers, copy))


def margin(network: Network, first: str | int, second: str | int) -> Network:
    """Return the difference of two outputs, positive where a classifier prefers the first."""
    a, b = network.output_index(first), network.output_index(second)
    if a == b:
        raise InputError(f"the margin of output {network.outputs[a]} and itself is 0: give two different ones")
    network = affine_end(network)
    last = network.layers[-1]
    difference = replace(last, rows=(last.rows[a] + -last.rows[b],))
    name = f"{network.outputs[a]}_minus_{network.outputs[b]}"
    name = _free(name, network.inputs)
    labels = {**network.labels}
    if labels:
        labels[name] = f"{network.label(network.outputs[a])} minus {network.label(network.outputs[b])}"
    return replace(network, layers=(*network.layers[:-1], difference), outputs=(name,), labels=labels)


def _free(name: str, taken: Sequence[str]) -> str:
    while name in taken:
        name += "_"
    return name


def clipped(network: Network) -> Network:
    """Apply σ to every output."""
    last = network.layers[-1]
    return replace(network, layers=(*network.layers[:-1], replace(last, activation="crelu")))  # σ(ρ(t)) = σ(t)


def mapped(network: Network, maps: Sequence[OutputMap]) -> Network:
    """Return (output − offset)/scale for every output, which a formula with these maps computes."""
    if all(map_ == OutputMap() for map_ in maps):
        return network
    network = affine_end(network)
    last = network.layers[-1]
    rows = tuple(row.shifted(-map_.offset).scaled(1 / map_.scale) for row, map_ in zip(last.rows, maps, strict=True))
    return replace(network, layers=(*network.layers[:-1], replace(last, rows=rows)))


def chosen(
    network: Network,
    output: str | int | None = None,
    pair: tuple[str | int, str | int] | None = None,
    clip: bool = False,
) -> Network:
    """Return one output, the margin of a pair, or all outputs; apply σ on request."""
    if output is not None and pair is not None:
        raise InputError("expected one output or a margin of two, found both")
    if output is not None:
        network = network.select(output)
    if pair is not None:
        network = margin(network, *pair)
    return clipped(network) if clip else network
