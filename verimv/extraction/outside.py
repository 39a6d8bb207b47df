"""Search for a point at which an output leaves [0,1]. Finding none proves nothing."""

from __future__ import annotations

import itertools
import random
from collections.abc import Iterator, Sequence

from verimv.bounding.results import Point
from verimv.exact import Number, Rational
from verimv.networks.network import Network

_MAX_CORNERS = 1 << 10
_RANDOM_POINTS = 200
_CLIMBS = 20
#: Multiplications that a search may take, a few seconds' worth.
_MAX_WORK = 3_000_000


def point_outside_unit_interval(network: Network, output: int) -> tuple[Point, Number] | None:
    """Return a point of the box, with the exact value there, at which the output is below 0 or above 1."""
    work = 1 + sum(len(row.terms) for layer in network.layers for row in layer.rows)
    for point in itertools.islice(_candidates(network, output), max(10, _MAX_WORK // work)):
        value = network.at(point)[output]
        if value < 0 or value > 1:
            return tuple(point), value
    return None


def _candidates(network: Network, output: int) -> Iterator[Sequence[Number]]:
    """Two corners and the centre first (they make the simplest answers), then climbing, corners, random points."""
    box = network.box
    yield [low for low, _ in box]
    yield [high for _, high in box]
    yield [(low + high) / 2 for low, high in box]
    random_points = random.Random(0)  # the same search every time
    for _ in range(_CLIMBS):
        start = _random_point(network, random_points, 4)
        for direction in (1, -1):
            yield from _climb(network, output, start, direction)
    yield from itertools.islice(itertools.product(*box), _MAX_CORNERS)
    for _ in range(_RANDOM_POINTS):
        yield _random_point(network, random_points, 60)


def _random_point(network: Network, source: random.Random, denominator: int) -> list[Number]:
    return [low + (high - low) * Rational(source.randint(0, denominator), denominator) for low, high in network.box]


def _climb(network: Network, output: int, start: Sequence[Number], direction: int) -> Iterator[Sequence[Number]]:
    """Jump to the best corner of the current linear piece, as long as that improves the output."""
    point, best = start, None
    while True:
        value = network.at(point)[output] * direction
        if best is not None and value <= best:
            return
        best = value
        slopes = _slopes(network, output, point)
        point = [high if slope * direction > 0 else low for slope, (low, high) in zip(slopes, network.box, strict=True)]
        yield point


def _slopes(network: Network, output: int, point: Sequence[Number]) -> list[Number]:
    """The gradient of one output on the linear piece that holds the point (one of them, at a bend)."""
    traced = network.trace(point)
    gradient: dict[int, Number] = {output: Rational(1)}
    for layer, values in zip(reversed(network.layers), reversed(traced), strict=True):
        below: dict[int, Number] = {}
        for i, slope in gradient.items():
            active = layer.activation == "identity" or (values[i] > 0 and (layer.activation == "relu" or values[i] < 1))
            if active:
                for j, w in layer.rows[i].terms:
                    below[j] = below[j] + slope * w if j in below else slope * w
        gradient = below
    return [gradient.get(j, Rational(0)) for j in range(len(network.inputs))]
