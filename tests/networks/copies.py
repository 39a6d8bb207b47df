"""Copies of networks that compute the same function in another way: split, padded, doubled, with idle neurons."""

import numpy as np

from verimv.exact import ONE, Rational
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network


def _split_row(row, point):
    """Halves of an argument t: t − point and point − t."""
    return [row.shifted(-point), (-row).shifted(point)]


def split(network, depth, points):
    """One more ReLU layer below layer `depth` (from 0): neuron i becomes ρ(ρ(t − τ) − ρ(τ − t) + τ) for τ = points[i],
    or ρ(ρ(t)) where that is None."""
    layer = network.layers[depth]
    rows, above = [], []
    for row, point in zip(layer.rows, points, strict=True):
        if point is None:
            above.append(Affine.variable(len(rows)))
            rows.append(row)
        else:
            above.append(Affine([(len(rows), ONE), (len(rows) + 1, -ONE)], point))
            rows += _split_row(row, point)
    below = Layer(tuple(rows), layer.width_in, "relu")
    again = Layer(tuple(above), len(rows), layer.activation)
    return Network.of([*network.layers[:depth], below, again, *network.layers[depth + 1 :]])


def with_affine_layer(network, depth):
    """An identity layer between layer `depth` (from 0) and the next one, which adds and subtracts neighbours."""
    width = len(network.layers[depth].rows)
    mixed = [Affine([(i, ONE)] + ([(i + 1, ONE)] if i + 1 < width else [])) for i in range(width)]
    # v_i = Σ_{j ≥ i} (−1)^(j − i)·u_j
    back = [Affine([(j, ONE if (j - i) % 2 == 0 else -ONE) for j in range(i, width)]) for i in range(width)]
    above = network.layers[depth + 1]
    rows = tuple(row.substitute(back) for row in above.rows)
    layers = [*network.layers[: depth + 1], Layer(tuple(mixed), width, "identity")]
    return Network.of([*layers, Layer(rows, width, above.activation), *network.layers[depth + 2 :]])


def with_idle_neurons(network, depth, count, seed):
    """More neurons in a hidden layer: most are always 0, one is constant; the weights of those above cancel it."""
    source = np.random.default_rng(seed)
    layer, above = network.layers[depth], network.layers[depth + 1]
    idle = []
    for _ in range(count):
        weights = [Rational(int(w), 8) for w in source.integers(-8, 9, layer.width_in)]
        row = Affine(enumerate(weights))
        idle.append(row.shifted(-Rational(1000)))
    width = len(layer.rows)
    constant = Affine((), Rational(3, 4))
    rows = []
    for row in above.rows:
        extra = [(width + j, Rational(int(source.integers(-8, 9)), 4)) for j in range(count)]
        rows.append(Affine([*row.terms, *extra, (width + count, ONE)], row.constant - Rational(3, 4)))
    wider = Layer((*layer.rows, *idle, constant), layer.width_in, layer.activation)
    higher = Layer(tuple(rows), width + count + 1, above.activation)
    return Network.of([*network.layers[:depth], wider, higher, *network.layers[depth + 2 :]])


def doubled(network, depth):
    """Each neuron of a hidden layer twice, as ρ(t/2) and ρ(t/3), which the layer above adds up."""
    layer, above = network.layers[depth], network.layers[depth + 1]
    width = len(layer.rows)
    halves = [row.scaled(Rational(1, n)) for n in (2, 3) for row in layer.rows]
    rows = []
    for row in above.rows:
        terms = [(j, w) for j, w in row.terms] + [(width + j, w * Rational(3, 2)) for j, w in row.terms]
        rows.append(Affine(terms, row.constant))
    wider = Layer(tuple(halves), layer.width_in, layer.activation)
    higher = Layer(tuple(rows), 2 * width, above.activation)
    return Network.of([*network.layers[:depth], wider, higher, *network.layers[depth + 2 :]])


def rounded(network, bits):
    """All weights rounded to multiples of 2^−bits."""
    unit = Rational(2) ** bits

    def short(x):
        return Rational(round(x * unit)) / unit

    layers = [
        Layer(
            tuple(Affine([(j, short(w)) for j, w in row.terms], short(row.constant)) for row in layer.rows),
            layer.width_in,
            layer.activation,
        )
        for layer in network.layers
    ]
    return Network.of(layers)


def random_points(count, seed, share=0.5):
    """Points τ for some of so many neurons, None for the others."""
    source = np.random.default_rng(seed)
    found = [Rational(int(source.integers(-40, 41)), 64) for _ in range(count)]
    return [point if source.random() < share else None for point in found]
