"""Networks by construction: the paper's hat g, deep and shallow sawtooth g_s, single units; random ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

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


def random_network(widths: Sequence[int], seed: int, kind: str = "float32") -> Network:
    """Uniform float32 weights in [−1, 1] or integer weights in −3..3, ReLUs, and a clipped output."""
    source = random.Random(seed)

    def number() -> Any:
        return source.randint(-3, 3) if kind == "integer" else np.float32(source.uniform(-1, 1))

    layers = [
        Layer.of([[number() for _ in range(below)] for _ in range(width)], [number() for _ in range(width)])
        for below, width in pairwise(widths)
    ]
    layers[-1] = replace(layers[-1], activation="crelu")
    return Network.of(layers)


def single_unit(weights: Sequence[Any], bias: Any) -> Network:
    """σ(Σ w_i·x_i + b) as a network of one layer."""
    return Network.of([Layer.of([list(weights)], [bias], "crelu")])
