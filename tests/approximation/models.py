"""Random models and networks for the tests of this folder."""

import itertools
from fractions import Fraction

import numpy as np

from verimv.approximation.float_model import FloatModel
from verimv.bounding.guess.floats import FloatLayer
from verimv.networks.network import Layer, Network


def random_model(seed: int, clipped: bool = False, widths: tuple[int, ...] | None = None) -> FloatModel:
    """A model on the unit cube; some of its weights are 0."""
    random = np.random.default_rng(seed)
    if widths is None:
        widths = (*random.integers(1, 5, random.integers(2, 4)), random.integers(1, 3))
    layers = []
    for below, width in itertools.pairwise(int(w) for w in widths):
        weights = random.normal(size=(width, below)) * (random.random((width, below)) < 0.85)
        activation = "identity" if len(layers) == len(widths) - 2 else "crelu" if clipped else "relu"
        layers.append(FloatLayer(weights, random.normal(size=width) / 2, activation))
    return FloatModel(tuple(layers))


def spec_of(network: Network) -> list:
    """What tests/oracle.py takes: weights, biases and the activation of each layer."""
    return [
        (
            [[Fraction(str(w)) for w in row.dense(layer.width_in)] for row in layer.rows],
            [Fraction(str(row.constant)) for row in layer.rows],
            layer.activation,
        )
        for layer in network.layers
    ]


def random_network(seed: int, inputs: int | None = None, clipped: bool = False, outputs: int = 1) -> Network:
    """A small network with float32 weights and affine outputs, none of them constant: at most two inputs, by default."""
    random = np.random.default_rng(seed)
    inputs = int(random.integers(1, 3)) if inputs is None else inputs
    while True:
        widths = (inputs, *(int(w) for w in random.integers(1, 5, random.integers(1, 3))), outputs)
        layers = []
        for below, width in itertools.pairwise(widths):
            weights = random.normal(size=(width, below)).astype(np.float32)
            bias = (random.normal(size=width) / 2).astype(np.float32)
            last = len(layers) == len(widths) - 2
            activation = "identity" if last else "crelu" if clipped else "relu"
            layers.append(Layer.of(weights.astype(float).tolist(), bias.astype(float).tolist(), activation))
        network = Network.of(layers)
        if (np.ptp(FloatModel.of(network).outputs(random.random((60, inputs))), axis=0) > 0.1).all():
            return network
