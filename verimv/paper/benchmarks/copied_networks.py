"""Trained networks, and the copies of them that people have: quantised, rounded, pruned, retrained, rewritten."""

from __future__ import annotations

import importlib
import warnings
from collections.abc import Iterator, Sequence
from typing import Any, NamedTuple

import numpy as np

from verimv.core.errors import InputError
from verimv.networks.formats.arrays import from_arrays
from verimv.networks.network import Network

#: Weights (a row per neuron) and biases of each layer, as float64.
Arrays = list[tuple[Any, Any]]

#: Widths of hidden layers, by the data that scikit-learn has.
TRAINED = {"breast_cancer": (5,), "diabetes": (10, 6), "wine": (16, 8), "digits": (32, 32)}


class Trained(NamedTuple):
    """A network as arrays of float32 numbers, and its last layer after some more training."""

    name: str
    arrays: Arrays
    retrained: tuple[Any, Any]


class Copy(NamedTuple):
    """A copy of a network, and what was done to it."""

    name: str
    network: Network


def trained(data: str, hidden: Sequence[int], steps: int = 300) -> Trained:
    """Train a network with scikit-learn; inputs are mapped onto the unit cube. The same one every time."""
    found = getattr(sklearn_module("datasets"), f"load_{data}")()
    is_regression = data == "diabetes"
    targets = found.target / found.target.max() if is_regression else found.target
    model, inputs = fitted(found.data, targets, hidden, is_regression, steps)
    arrays = arrays_of(model)
    model.partial_fit(inputs, targets)
    widths = [inputs.shape[1], *hidden, len(arrays[-1][1])]
    return Trained("-".join(map(str, widths)), arrays, arrays_of(model)[-1])


def fitted(data: Any, targets: Any, hidden: Sequence[int], is_regression: bool, steps: int = 300) -> tuple[Any, Any]:
    """Return a model of scikit-learn that was trained on these data, and its inputs: the data mapped onto [0,1]."""
    neural_network = sklearn_module("neural_network")
    inputs = sklearn_module("preprocessing").MinMaxScaler().fit_transform(data)
    kind = neural_network.MLPRegressor if is_regression else neural_network.MLPClassifier
    model = kind(hidden_layer_sizes=tuple(hidden), max_iter=steps, random_state=0)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # a network that could be trained longer is a network, too
        model.fit(inputs, targets)
    return model, inputs


def sklearn_module(name: str) -> Any:
    """Return a part of scikit-learn, which may not be installed."""
    try:
        return importlib.import_module(f"sklearn.{name}")
    except ImportError:
        raise InputError("needs scikit-learn: pip install 'verimv[sklearn]'") from None


def arrays_of(model: Any) -> Arrays:
    """Return the weights of a model of scikit-learn as float32 numbers."""
    pairs = zip(model.coefs_, model.intercepts_, strict=True)
    return [(w.T.astype(np.float32).astype(float), b.astype(np.float32).astype(float)) for w, b in pairs]


def copies(network: Trained) -> Iterator[Copy]:
    """Yield the copies of a network, those with small changes first."""
    arrays = network.arrays
    yield Copy("permuted", from_arrays(permuted(arrays)))
    yield Copy("rescaled", from_arrays(rescaled(arrays)))
    yield Copy("BatchNorm folded", from_arrays(folded(arrays)))
    yield Copy("float16", from_arrays(_each(arrays, lambda x: x.astype(np.float16).astype(float))))
    yield Copy("8-bit weights", from_arrays(quantised(arrays, 8)))
    yield Copy("rounded to 1/64", from_arrays(_each(arrays, lambda x: np.round(x * 64) / 64)))
    yield Copy("last layer retrained", from_arrays([*arrays[:-1], network.retrained]))
    yield Copy("20 % pruned", from_arrays(pruned(arrays, 0.2)))
    yield Copy("rounded to 1/16", from_arrays(_each(arrays, lambda x: np.round(x * 16) / 16)))
    yield Copy("4-bit weights", from_arrays(quantised(arrays, 4)))


def _each(arrays: Arrays, change: Any) -> Arrays:
    return [(change(weights), change(bias)) for weights, bias in arrays]


def quantised(arrays: Arrays, bits: int) -> Arrays:
    """Round the weights of each layer to multiples of its largest one divided by 2^(bits − 1) − 1; biases stay."""
    result = []
    for weights, bias in arrays:
        step = float(np.float32(np.abs(weights).max() / (2 ** (bits - 1) - 1))) or 1.0
        result.append((np.round(weights / step) * step, bias))
    return result


def pruned(arrays: Arrays, share: float) -> Arrays:
    """Set the smallest weights of each layer to 0."""
    return [(np.where(np.abs(w) < np.quantile(np.abs(w), share), 0.0, w), b) for w, b in arrays]


def permuted(arrays: Arrays) -> Arrays:
    """Put the neurons of hidden layers into another order."""
    result, order = [], np.arange(arrays[0][0].shape[1])
    for number, (weights, bias) in enumerate(arrays):
        new = np.arange(len(bias)) if number == len(arrays) - 1 else np.arange(len(bias))[::-1]
        result.append((weights[new][:, order], bias[new]))
        order = new
    return result


def rescaled(arrays: Arrays) -> Arrays:
    """Multiply hidden neurons by powers of 2, which the next layer divides out, without rounding."""
    result, factors = [], np.ones(arrays[0][0].shape[1])
    for number, (weights, bias) in enumerate(arrays):
        last = number == len(arrays) - 1
        new = np.ones(len(bias)) if last else 2.0 ** (np.arange(len(bias)) % 5 - 2)
        result.append((weights * new[:, None] / factors, bias * new))
        factors = new
    return result


def folded(arrays: Arrays) -> Arrays:
    """Divide each hidden neuron by a number and multiply it again, in float32: as if a BatchNorm had been folded in."""
    result = []
    for number, (weights, bias) in enumerate(arrays):
        if number == len(arrays) - 1:
            result.append((weights, bias))
            continue
        scale = np.float32(0.7) + np.float32(0.1) * (np.arange(len(bias)) % 7).astype(np.float32)
        w = (weights.astype(np.float32) / scale[:, None]) * scale[:, None]
        b = (bias.astype(np.float32) / scale) * scale
        result.append((w.astype(float), b.astype(float)))
    return result
