"""What all searches for bounds of one layer share: the network on the unit cube, and the bounds proved below."""

from __future__ import annotations

import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np

from verimv.bounding.guess.floats import FloatNetwork, FloatRanges, box_arrays
from verimv.bounding.guess.relaxation import Relaxation
from verimv.bounding.prove.walk import Walk
from verimv.bounding.situation import Ends, Place, Situation
from verimv.networks.network import Network

#: Sample points: at most so many corners of the cube, and so many points inside.
_CORNERS = 256
_SAMPLES = 1000


class LayerContext:
    """One network in exact numbers and in floats, with sample points and linear relaxations that are computed once."""

    def __init__(self, network: Network, known: Mapping[Place, Ends]) -> None:
        self.network, self.known = network, known
        self.walk = Walk(network, known)
        self.floats = FloatNetwork(network, known)
        self.cube = Situation(network.box, {})
        self._ranges: dict[int, FloatRanges] = {}
        self._samples: dict[int, tuple[Any, Any]] = {}
        sizes = [layer.weights.size for layer in self.floats.layers]
        #: weights below each layer, from 1
        self.weights = [0, *itertools.accumulate(sizes, initial=0)]

    def __reduce__(self) -> tuple[type[LayerContext], tuple[Network, Mapping[Place, Ends]]]:
        """Pickle the inputs, not the caches."""
        return LayerContext, (self.network, self.known)

    def samples(self, layer: int) -> tuple[Any, Any]:
        """Return points of the cube, corners first, and the arguments of a layer at these points."""
        if layer not in self._samples:
            inputs = len(self.network.inputs)
            corners = list(itertools.islice(itertools.product((0.0, 1.0), repeat=inputs), _CORNERS))
            points = np.concatenate([np.array(corners), np.random.default_rng(0).random((_SAMPLES, inputs))])
            self._samples[layer] = points, self.floats.values(points, layer)
        return self._samples[layer]

    def relaxation(self, layer: int) -> Relaxation:
        """Return the relaxation of the layers below on the whole cube.

        It is a new one each time, so that no search depends on those before it.
        """
        low, high = box_arrays([self.cube])
        if layer not in self._ranges:
            self._ranges[layer] = [(a[0], b[0]) for a, b in self.floats.ranges(low, high, layer)]
        return Relaxation(self.floats, low[0], high[0], self._ranges[layer])
