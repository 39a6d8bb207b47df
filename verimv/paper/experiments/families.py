"""Families of networks: the paper's hat g, deep and shallow sawtooth g_s, single units, random networks."""

from __future__ import annotations

import random
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise
from typing import Any

import numpy as np

from verimv.exact import Rational
from verimv.formulas.dag import NOT, ODOT, OPLUS, Dag
from verimv.formulas.formula import Formula
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.compose import compose
from verimv.pieces.piecewise import Piecewise
from verimv.simplification.simulate import farey


def hat() -> Network:
    """Return Φ_g of Section V: g(x) = ρ(2x) − 2ρ(2x−1)."""
    return Network.of([Layer.of([[2], [2]], [0, -1]), Layer.of([[1, -2]], [0])])


def sawtooth(s: int) -> Piecewise:
    """Return g_s, eq. (11): 0 and 1 in turn at the multiples of 2^−s."""
    count = 2**s
    points = [Rational(i, count) for i in range(count + 1)]
    return Piecewise.through(points, [Rational(i % 2) for i in range(count + 1)])


def deep_sawtooth(s: int) -> Network:
    """Return Φ_g composed with itself s times; its formula has length 4^s."""
    network = hat()
    for _ in range(s - 1):
        network = compose(hat(), network)
    return network


def shallow_sawtooth(s: int) -> Network:
    """Return φ_g^s: the same function with one hidden layer of 2^s neurons."""
    pieces = 2**s
    first = Layer.of([[pieces]] * pieces, [-i for i in range(pieces)])
    return Network.of([first, Layer.of([[1] + [2 * (-1) ** i for i in range(1, pieces)]], [0])])


def shallow_network(function: Formula, order: int) -> Network:
    """Return the network f(0) + Σ k_i·ρ(q_i·x − p_i) of a function; a McNaughton function has integer weights.

    Breakpoints must be fractions p/q with q ≤ `order`, such as those of an MV term of that length.
    """
    bends = farey(order)
    values = [value for (value,) in function.at_points([(x,) for x in bends])]
    slopes = [(b - a) / (y - x) for (x, y), (a, b) in zip(pairwise(bends), pairwise(values), strict=True)]
    changes = [slopes[0], *(after - before for before, after in pairwise(slopes))]
    kept = [(x, change / x.denominator) for x, change in zip(bends, changes, strict=False) if change]
    hidden = Layer.of(
        [[Rational(x.denominator)] for x, _ in kept] or [[0]], [-Rational(x.numerator) for x, _ in kept] or [0]
    )
    return Network.of([hidden, Layer.of([[k for _, k in kept] or [0]], [values[0]], "identity")], function.inputs)


def random_network(widths: Sequence[int], seed: int, kind: str = "float32") -> Network:
    """Return a ReLU network with a clipped output and uniform weights: float32 in [−1, 1], or integers in −3..3."""
    source = random.Random(seed)

    def number() -> Any:
        return source.randint(-3, 3) if kind == "integer" else np.float32(source.uniform(-1, 1))

    layers = [
        Layer.of([[number() for _ in range(below)] for _ in range(width)], [number() for _ in range(width)])
        for below, width in pairwise(widths)
    ]
    layers[-1] = replace(layers[-1], activation="crelu")
    return Network.of(layers)


def random_term(length: int, variables: int, seed: int) -> Formula:
    """Return a random MV term: neighbouring literals and terms joined by ⊕ and ⊙, some results negated."""
    source = random.Random(seed)
    dag = Dag()
    names = [f"x{i + 1}" for i in range(variables)]

    def maybe_negated(node: int) -> int:
        return dag.node(NOT, node) if source.random() < 0.5 else node

    nodes = [maybe_negated(dag.variable(source.choice(names))) for _ in range(length)]
    while len(nodes) > 1:
        place = source.randrange(len(nodes) - 1)
        joined = dag.node(source.choice((OPLUS, ODOT)), nodes[place], nodes[place + 1])
        nodes[place : place + 2] = [maybe_negated(joined)]
    return Formula(dag, names, nodes)


def single_unit(weights: Sequence[Any], bias: Any) -> Network:
    """Return σ(Σ w_i·x_i + b) as a network of one layer."""
    return Network.of([Layer.of([list(weights)], [bias], "crelu")])
