"""Proven ranges of neurons: the one form in which every method hands its results to Step 1 and to the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from verimv.errors import InputError
from verimv.exact import Number
from verimv.networks.network import Network

Point = tuple[Number, ...]


@dataclass(frozen=True, slots=True)
class NeuronBound:
    """lower ≤ pre-activation ≤ upper on the whole box, proved by `method`; `*_at` are attaining points if known."""

    lower: Number
    upper: Number
    method: str
    lower_at: Point | None = None
    upper_at: Point | None = None

    @property
    def exact(self) -> bool:
        return self.lower_at is not None and self.upper_at is not None


@dataclass
class NetworkBounds:
    """A bound for each neuron, layer by layer. A method that stops early leaves the later layers out."""

    layers: list[Sequence[NeuronBound]] = field(default_factory=list)

    def get(self, layer: int, index: int) -> NeuronBound | None:
        """Layers and neurons count from 0 here."""
        return self.layers[layer][index] if layer < len(self.layers) else None

    def check_fits(self, network: Network) -> None:
        """Bounds of another network prove nothing about this one; at least the shapes must agree."""
        shape, expected = [len(rows) for rows in self.layers], [len(layer.rows) for layer in network.layers]
        if shape != expected[: len(shape)]:
            raise InputError(f"bounds for layers of {shape} neurons do not fit a network with layers of {expected}")

    def select(self, depth: int, index: int) -> NetworkBounds:
        """The bounds of the network in which only one neuron of the last layer, at `depth`, is left."""
        layers = [rows if d < depth else [rows[index]] for d, rows in enumerate(self.layers)]
        return NetworkBounds(layers)

    @property
    def methods(self) -> list[str]:
        """The methods that were used, each once."""
        return list(dict.fromkeys(bound.method for layer in self.layers for bound in layer))
