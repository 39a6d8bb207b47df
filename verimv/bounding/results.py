"""Proven ranges of neurons: the one form in which every method hands its results to Step 1 and to the user."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from verimv.bounding.situation import Case, Ends, Place, Target, lemma
from verimv.core.errors import InputError
from verimv.exact import Number
from verimv.networks.network import Network

Point = tuple[Number, ...]


def add_bound(known: dict[Place, Ends], target: Target) -> None:
    """Add a bound that is proved now."""
    low, high = known.get((target.layer, target.index), (None, None))
    known[target.layer, target.index] = (low, target.value) if target.way > 0 else (target.value, high)


@dataclass(frozen=True, slots=True)
class NeuronBound:
    """lower ≤ pre-activation ≤ upper on the whole box, proved by `method`; `*_at` are attaining points if known.

    `*_cases` is the evidence for an end (see `bounding.situation`) given the lemmas of the layers below,
    if it takes more than intervals.
    """

    lower: Number
    upper: Number
    method: str
    lower_at: Point | None = None
    upper_at: Point | None = None
    lower_cases: Sequence[Case] | None = None
    upper_cases: Sequence[Case] | None = None

    @property
    def exact(self) -> bool:
        return self.lower_at is not None and self.upper_at is not None

    def lemmas(self, layer: int, index: int) -> Iterator[tuple[Target, Sequence[Case]]]:
        """What is proved with evidence, as the layers above use it."""
        if self.lower_cases is not None:
            yield Target(layer, index, -1, lemma(self.lower, -1)), self.lower_cases
        if self.upper_cases is not None:
            yield Target(layer, index, 1, lemma(self.upper, 1)), self.upper_cases


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

    def lemmas(self, below: int) -> Iterator[tuple[Target, Sequence[Case]]]:
        """What is proved with evidence below a layer (from 1), in order; each may rest on those before."""
        for layer, rows in enumerate(self.layers[: below - 1], start=1):
            for index, bound in enumerate(rows):
                yield from bound.lemmas(layer, index)

    def known(self, below: int) -> dict[Place, Ends]:
        """The lemmas as ranges."""
        result: dict[Place, Ends] = {}
        for target, _ in self.lemmas(below):
            add_bound(result, target)
        return result

    @property
    def methods(self) -> list[str]:
        """The methods that were used, each once."""
        return list(dict.fromkeys(bound.method for layer in self.layers for bound in layer))

    def counts(self) -> dict[str, int]:
        """How many neurons have exact ends, ends better than intervals give, and nothing better."""
        result = {"exact": 0, "improved": 0, "interval": 0}
        for bound in (bound for layer in self.layers for bound in layer):
            result["exact" if bound.exact else "interval" if bound.method == "interval" else "improved"] += 1
        return result
