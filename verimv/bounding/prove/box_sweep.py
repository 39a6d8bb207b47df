"""Bounds of all neurons of a network on a box, exactly as a `sweep` of the kernel computes them (proofs/FORMAT.md, §8).

Ranges are integers in units of 2^−32, slopes in units of 2^−20, and what a neuron adds to a bound in units of 2^−40;
each is rounded to the safe side. So numbers do not grow with the depth of the network.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from verimv.bounding.prove.integer_matrix import IntegerMatrix
from verimv.bounding.prove.twin_ranges import activated
from verimv.bounding.prove.walk import ExactLayer, Integers, integers
from verimv.bounding.situation import Ends, Place
from verimv.exact import Algebraic, Number, Rational, ceil, floor
from verimv.networks.network import Activation, Box, Layer

#: Bits after the binary point: of ranges, of default slopes, of slopes, and of what is added to a bound.
RANGE_BITS, _DEFAULT_BITS, _SLOPE_BITS, _SUM_BITS = 32, 16, 20, 40
_ONE = 1 << RANGE_BITS


@dataclass(frozen=True)
class SweptLayer:
    """Ranges of the arguments of a layer, in units of 2^−32; and which of them were found by walks."""

    low: Integers
    high: Integers
    walked: Any

    @property
    def ends(self) -> dict[int, Ends]:
        """The bounds that the sweep gives, by neuron."""
        return {
            int(i): (Rational(int(self.low[i]), _ONE), Rational(int(self.high[i]), _ONE))
            for i in np.flatnonzero(self.walked)
        }


class _Slopes:
    """For each neuron of a layer: shares of a coefficient that become slopes, and where the peaks may be."""

    def __init__(self, activation: Activation, low: Integers, high: Integers) -> None:
        bent = _bent(activation, low, high)
        first, last = activated(activation, low, _ONE), activated(activation, high, _ONE)
        passes = (first == low).astype(bool) & (last == high).astype(bool)
        full = 1 << _DEFAULT_BITS
        chord = ((last - first) << _DEFAULT_BITS) // np.where(high > low, high - low, 1)
        side = np.where((low + high > 0).astype(bool), full, 0).astype(object)
        known = np.where(passes, full, 0).astype(object)
        #: shares for coefficients above 0, and for others, in units of 2^−16
        self.rising = np.where(bent, chord, known)
        self.falling = np.where(bent, side if activation == "relu" else chord, known)
        #: arguments and values there: ends and kinks
        self.points = [(low, first), (high, last)]
        for kink in () if activation == "identity" else (0,) if activation == "relu" else (0, _ONE):
            at = np.minimum(np.maximum(low, kink), high)
            self.points.append((at, activated(activation, at, _ONE)))
        #: neurons that are not 0 everywhere
        self.matters = np.flatnonzero(self.rising.astype(bool) | first.astype(bool) | last.astype(bool))


class BoxSweep:
    """Layers of a network with rational weights on the unit cube, whose arguments are bounded on boxes.

    `known` are bounds that hold on the whole cube.
    """

    def __init__(self, layers: Sequence[Layer], known: Mapping[Place, Ends] | None = None) -> None:
        self.layers = [ExactLayer(layer) for layer in layers]
        self._matrices = [IntegerMatrix(layer.weights) for layer in self.layers]
        self._known: list[list[tuple[int, int, Any]]] = [[] for _ in layers]  # neuron, way, rounded bound
        for (depth, i), ends in (known or {}).items():
            if depth <= len(layers):
                for way, end in zip((-1, 1), ends, strict=True):
                    if end is not None and not isinstance(end, Algebraic):
                        self._known[depth - 1].append((i, way, _coarse(end, way)))

    def ranges(self, box: Box) -> list[SweptLayer] | None:
        """Return the ranges of the arguments of all layers on a box; None if one is empty."""
        low, high = (integers(_coarse(ends[way > 0], way) for ends in box) for way in (-1, 1))
        corners = low, high
        result: list[SweptLayer] = []
        slopes: list[_Slopes] = []
        for depth, layer in enumerate(self.layers):
            found = self._intervals(depth, low, high)
            if found is None:
                return None
            low, high = found
            walked = _bent(layer.activation, low, high)
            at = np.flatnonzero(walked)
            if len(at):
                uppers = self._walk(depth, at, slopes, corners)
                low[at] = np.maximum(low[at], -uppers[len(at) :])
                high[at] = np.minimum(high[at], uppers[: len(at)])
                if (low > high).any():
                    return None
            result.append(SweptLayer(low, high, walked))
            slopes.append(_Slopes(layer.activation, low, high))
            low, high = activated(layer.activation, low, _ONE), activated(layer.activation, high, _ONE)
        return result

    def _intervals(self, depth: int, low: Integers, high: Integers) -> tuple[Integers, Integers] | None:
        """Return the interval ranges of a layer, cut by what is known and rounded outwards; None if one is empty."""
        layer = self.layers[depth]
        least, most = self._matrices[depth].interval(low, high)  # twice as much
        shift = 2 * _ONE * layer.bias
        low, high = (least + shift) // (2 * layer.denominator), -(-(most + shift) // (2 * layer.denominator))
        for i, way, bound in self._known[depth]:
            if way > 0:
                high[i] = min(high[i], bound)
            else:
                low[i] = max(low[i], bound)
        return None if (low > high).any() else (low, high)

    def _walk(
        self, depth: int, at: Any, slopes: Sequence[_Slopes], corners: tuple[Integers, Integers]
    ) -> Integers:  # fmt: skip
        """Return upper bounds of arguments of a layer, then of their negatives, in units of 2^−32."""
        layer = self.layers[depth]
        c, scale = np.concatenate([layer.weights[at], -layer.weights[at]]), layer.denominator  # c / scale: coefficients
        total: Any = np.zeros(len(c), dtype=object)
        for below in range(depth - 1, -1, -1):
            current, line = self.layers[below], slopes[below]
            part, matters = c[:, line.matters], line.matters
            share = np.where((part > 0).astype(bool), line.rising[matters], line.falling[matters])
            slope = ((part * share) << (_SLOPE_BITS - _DEFAULT_BITS)) // scale
            peak: Any = None
            for z, value in line.points:
                height = ((part * value[matters]) << _SLOPE_BITS) - slope * z[matters] * scale
                peak = height if peak is None else np.maximum(peak, height)
            # peak / (scale · 2^52) + slope · bias / (2^20 · denominator)
            one = scale * current.denominator
            added = peak * current.denominator + ((slope * (current.bias[matters] * scale)) << RANGE_BITS)
            bits = RANGE_BITS + _SLOPE_BITS - _SUM_BITS
            total = total - (-added // (one << bits)).sum(axis=1)
            rows: Any = np.zeros(c.shape, dtype=object)
            rows[:, matters] = slope
            c, scale = self._matrices[below].times(rows), current.denominator << _SLOPE_BITS
        largest = np.where((c > 0).astype(bool), c * corners[1], c * corners[0])
        total = total - (-(largest << (_SUM_BITS - RANGE_BITS)) // scale).sum(axis=1)
        constants = np.concatenate([layer.bias[at], -layer.bias[at]])
        exact = (constants << _SUM_BITS) + total * layer.denominator
        return -(-exact // (layer.denominator << (_SUM_BITS - RANGE_BITS)))


def _coarse(end: Number, way: int) -> int:
    """Return an end of a range in units of 2^−32, rounded up (way 1) or down."""
    return int(ceil(end * _ONE) if way > 0 else floor(end * _ONE))


def _bent(activation: Activation, low: Integers, high: Integers) -> Any:
    """Return which neurons have a kink strictly inside their range."""
    result = np.zeros(len(low), dtype=bool)
    for kink in () if activation == "identity" else (0,) if activation == "relu" else (0, _ONE):
        result |= ((low < kink) & (high > kink)).astype(bool)
    return result
