"""Networks with nearly the same weights and shorter formulas: no doublings, and fewer weights.

For networks that are too large to be fitted, or too deep for proofs about changes that can be seen. Neurons are scaled
by powers of two, so that their weights are shares of a vote that is not doubled; that alone changes nothing but the
scale of the output. Weights of least effect are cut, as worst cases of intervals estimate it, and the others are
multiples of a small power of two. Nothing here is proved.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from verimv.approximation.candidates import Candidate
from verimv.approximation.fitting import occurrences
from verimv.approximation.float_model import FloatModel, Floats
from verimv.approximation.votes import output_votes, with_dead_neurons_empty
from verimv.bounding.guess.floats import FloatLayer, product
from verimv.networks.network import Network

#: Denominators of shares: 2 to these powers, the simplest first.
BITS = (12, 16, 20)
#: What is cut changes the outputs by so many tolerances at first, if all worst cases came together; and how often that
#: is made less.
_FIRST, _LESS = 20.0, 4
#: The denominators of networks whose weights are cut.
_BITS_OF_CUT = 18
#: A vote leaves this part free for rounding.
_ROOM = 1 + 1 / 32


class Scaling:
    """Votes without doublings, of ReLU networks on the unit cube."""

    def __init__(self, network: Network, tolerances: Sequence[float]) -> None:
        self.network, self.tolerances = network, np.asarray(tolerances, dtype=float)
        self.target = _without_dead(FloatModel.of(network))
        self._budget = _FIRST

    @property
    def is_possible(self) -> bool:
        """Whether neurons can be scaled: clipped ones cannot."""
        return all(layer.activation == "relu" for layer in self.target.layers[:-1])

    def exceeded(self, factor: float) -> None:
        """Take note that the error of the last candidate is proved to be at most so many tolerances only."""
        self._budget *= min(0.5, 0.8 / factor)

    def rounded(self) -> Iterator[Candidate]:
        """Yield candidates with all weights, simple fractions first."""
        for bits in BITS:
            yield self._candidate(self.target, bits)

    def cut(self) -> Iterator[Candidate]:
        """Yield candidates with fewer weights, the shortest first."""
        order, total = self._order
        for _ in range(_LESS):
            count = int(np.searchsorted(total, self._budget))
            yield self._candidate(_cut(self.target, order[:count]), _BITS_OF_CUT)
        yield self._candidate(self.target, BITS[-1])

    @property
    def _order(self) -> tuple[Floats, Floats]:
        """Return the places of all weights other than 0, that of least effect for its length first, and the sums of
        their effects, in tolerances."""
        ranges = self.target.ranges()
        below = [np.ones(self.target.inputs), *(np.maximum(high, 0.0) for _, high in ranges[:-1])]
        above = [1.0 / self.tolerances]
        for layer in reversed(self.target.layers[1:]):
            above.insert(0, product(above[0], np.abs(layer.weights)))
        uses, lengths = occurrences(self.target)
        effects, prices = [], []
        for layer, changed, values, used, length in zip(self.target.layers, above, below, uses, lengths, strict=True):
            effects.append((np.abs(layer.weights) * np.outer(changed, values)).ravel())
            prices.append(np.outer(used, length).ravel())
        effect, price = np.concatenate(effects), np.concatenate(prices)
        is_there = np.concatenate([layer.weights.ravel() != 0 for layer in self.target.layers])
        order = np.argsort(np.where(is_there, effect / np.maximum(price, 1.0), np.inf), kind="stable")
        order = order[: int(is_there.sum())]
        return order, np.cumsum(effect[order])

    def _candidate(self, model: FloatModel, bits: int) -> Candidate:
        layers: list[FloatLayer] = []
        factors: list[Floats] = []
        scale = np.ones(model.inputs)
        for layer in model.layers[:-1]:
            weights = layer.weights * scale
            negated = np.minimum(weights, 0.0).sum(axis=1)
            size = np.maximum(np.abs(weights).sum(axis=1), np.abs(layer.bias + negated))
            size = np.maximum(size, np.maximum(weights, 0.0).sum(axis=1) + layer.bias)  # values are at most 1
            exponents = np.ceil(np.log2(np.where(size > 0, size, 1.0) * _ROOM))
            factors.append(2.0**-exponents)
            layers.append(FloatLayer(weights * factors[-1][:, None], layer.bias * factors[-1], layer.activation))
            scale = 1.0 / factors[-1]
        last = model.layers[-1]
        layers.append(FloatLayer(last.weights * scale, last.bias, last.activation))
        votes = output_votes(FloatModel(tuple(layers)))
        rounded = [
            FloatLayer(_on_grid(layer.weights, bits), _on_grid(layer.bias, bits), layer.activation)
            for layer in votes.model.layers[:-1]
        ]
        last = votes.model.layers[-1]  # a unit of its bias may be more than the tolerance: the scale is large
        rounded.append(FloatLayer(_on_grid(last.weights, bits), last.bias, last.activation))
        network = votes.with_model(FloatModel(tuple(rounded))).network(self.network, 2**bits)
        return Candidate(network, votes.maps, factors)


def _without_dead(model: FloatModel) -> FloatModel:
    """Return the model with no weights of neurons that are off everywhere, as intervals show."""
    layers = []
    for layer, (_, high) in zip(model.layers, model.ranges(), strict=True):
        is_dead = (high <= 0) & (layer.activation == "relu")
        weights, bias = np.where(is_dead[:, None], 0.0, layer.weights), np.where(is_dead, 0.0, layer.bias)
        layers.append(FloatLayer(weights, bias, layer.activation))
    return with_dead_neurons_empty(FloatModel(tuple(layers)))


def _cut(model: FloatModel, places: Floats) -> FloatModel:
    """Return the model without some weights, which are counted through all layers."""
    layers, start = [], 0
    for layer in model.layers:
        weights = layer.weights.copy().ravel()
        weights[places[(places >= start) & (places < start + weights.size)] - start] = 0.0
        layers.append(FloatLayer(weights.reshape(layer.weights.shape), layer.bias, layer.activation))
        start += weights.size
    return with_dead_neurons_empty(FloatModel(tuple(layers)))


def _on_grid(numbers: Floats, bits: int) -> Floats:
    return np.round(numbers * 2.0**bits) * 2.0**-bits
