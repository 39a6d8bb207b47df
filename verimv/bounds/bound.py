"""Proven ranges of neurons: the one form in which every method hands its results to Step 1 and to the user."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from verimv.exact import Number

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

    @property
    def methods(self) -> list[str]:
        """The methods that were used, each once."""
        return list(dict.fromkeys(bound.method for layer in self.layers for bound in layer))
