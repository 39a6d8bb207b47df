"""Proven ranges of neurons, as every method returns them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

from verimv.bounding.situation import Case, Ends, Place, Target, lemma
from verimv.core.display import Headed, html_table
from verimv.core.errors import InputError
from verimv.core.recorded import Recorded
from verimv.exact import Number, format_number
from verimv.exact.decimals import brief
from verimv.networks.network import Network

Point = tuple[Number, ...]


def add_bound(known: dict[Place, Ends], target: Target) -> None:
    """Add a bound that has been proved to those that are known."""
    low, high = known.get((target.layer, target.index), (None, None))
    known[target.layer, target.index] = (low, target.value) if target.way > 0 else (target.value, high)


@dataclass(frozen=True, slots=True)
class NeuronBound:
    """lower ≤ pre-activation ≤ upper on the whole box, proved by `method`; `*_at` are attaining points if known.

    `*_cases` is the evidence for an end, given the lemmas of the layers below; None if intervals are enough.
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
        """Whether both ends are attained."""
        return self.lower_at is not None and self.upper_at is not None

    def to_dict(self) -> dict[str, Any]:
        """Return exact numbers, as text."""
        points = (self.lower_at, self.upper_at)
        lower_at, upper_at = (None if p is None else [format_number(x) for x in p] for p in points)
        return {
            "lower": format_number(self.lower),
            "upper": format_number(self.upper),
            "lower_at": lower_at,
            "upper_at": upper_at,
            "method": self.method,
            "exact": self.exact,
        }

    def lemmas(self, layer: int, index: int) -> Iterator[tuple[Target, Sequence[Case]]]:
        """Yield the ends proved with evidence, rounded as the layers above use them."""
        if self.lower_cases is not None:
            yield Target(layer, index, -1, lemma(self.lower, -1)), self.lower_cases
        if self.upper_cases is not None:
            yield Target(layer, index, 1, lemma(self.upper, 1)), self.upper_cases


@dataclass(repr=False)
class NetworkBounds(Recorded, Headed):
    """A bound for each neuron, layer by layer. A method that stops early leaves the later layers out."""

    layers: list[Sequence[NeuronBound]] = field(default_factory=list)

    def _named(self) -> Iterator[tuple[int, int, NeuronBound]]:
        """Yield the layer (from 1) and the index (from 0) of every neuron, with its bound."""
        for layer, rows in enumerate(self.layers, start=1):
            yield from ((layer, index, bound) for index, bound in enumerate(rows))

    def to_dict(self) -> dict[str, Any]:
        neurons = [{"layer": layer, "index": index, **bound.to_dict()} for layer, index, bound in self._named()]
        return {"neurons": neurons, "counts": self.counts()}

    def _rows(self) -> list[tuple[str, str, str]]:
        return [
            (f"{layer}:{index}", f"[{brief(bound.lower)}, {brief(bound.upper)}]", bound.method)
            for layer, index, bound in self._named()
        ]

    def __str__(self) -> str:
        """Return a line for each neuron, as `verimv bounds` prints them."""
        return "\n".join("  ".join(row) for row in self._rows())

    def _repr_html_(self) -> str:
        return html_table("ranges of neurons before activation", self._rows())

    def _headline(self) -> str:
        counts = {name: count for name, count in self.counts().items() if count}
        return ", ".join(f"{count:,} {name}" for name, count in counts.items()) or "none"

    def get(self, layer: int, index: int) -> NeuronBound | None:
        """Return the bound of a neuron (layers from 0), or None if the layer has none."""
        return self.layers[layer][index] if layer < len(self.layers) else None

    def check_fits(self, network: Network) -> None:
        """Raise :class:`InputError` if the bounds are of a network of another shape."""
        shape, expected = [len(rows) for rows in self.layers], [len(layer.rows) for layer in network.layers]
        if shape != expected[: len(shape)]:
            raise InputError(f"bounds for layers of {shape} neurons do not fit a network with layers of {expected}")

    def select(self, depth: int, index: int) -> NetworkBounds:
        """Return the bounds of the network that keeps only one neuron of its last layer, at `depth`."""
        layers = [rows if d < depth else [rows[index]] for d, rows in enumerate(self.layers)]
        return NetworkBounds(layers)

    def lemmas(self, below: int) -> Iterator[tuple[Target, Sequence[Case]]]:
        """Yield the bounds proved with evidence below a layer (from 1); each may rest on those before."""
        for layer, rows in enumerate(self.layers[: below - 1], start=1):
            for index, bound in enumerate(rows):
                yield from bound.lemmas(layer, index)

    def known(self, below: int) -> dict[Place, Ends]:
        """Return the lemmas below a layer (from 1) as ranges."""
        result: dict[Place, Ends] = {}
        for target, _ in self.lemmas(below):
            add_bound(result, target)
        return result

    @property
    def methods(self) -> list[str]:
        """The methods that were used, each once."""
        return list(dict.fromkeys(bound.method for layer in self.layers for bound in layer))

    def counts(self) -> dict[str, int]:
        """Return how many neurons have exact ranges, ranges better than intervals, and interval ranges."""
        result = {"exact": 0, "improved": 0, "interval": 0}
        for bound in (bound for layer in self.layers for bound in layer):
            result["exact" if bound.exact else "interval" if bound.method == "interval" else "improved"] += 1
        return result
