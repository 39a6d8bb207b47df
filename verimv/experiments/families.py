"""Networks of the paper, by construction: the hat g, the deep and the shallow sawtooth g_s, single units."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from verimv.networks import Layer, Network, compose


def hat() -> Network:
    """Φ_g of Section V: g(x) = ρ(2x) − 2ρ(2x−1)."""
    return Network.of([Layer.of([[2], [2]], [0, -1]), Layer.of([[1, -2]], [0])])


def deep_sawtooth(s: int) -> Network:
    """Φ_g composed with itself s times; its formula has length 4^s."""
    network = hat()
    for _ in range(s - 1):
        network = compose(hat(), network)
    return network


def shallow_sawtooth(s: int) -> Network:
    """φ_g^s: the same function with one hidden layer of 2^s neurons."""
    pieces = 2**s
    first = Layer.of([[pieces]] * pieces, [-i for i in range(pieces)])
    return Network.of([first, Layer.of([[1] + [2 * (-1) ** i for i in range(1, pieces)]], [0])])


def single_unit(weights: Sequence[Any], bias: Any) -> Network:
    """σ(Σ w_i·x_i + b) as a network of one layer."""
    return Network.of([Layer.of([list(weights)], [bias], "crelu")])
