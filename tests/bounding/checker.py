"""A second reading of the evidence for bounds, on plain Fractions and plain lists: it shares no code with verimv."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

ACT = {
    "relu": lambda z: max(z, 0),
    "crelu": lambda z: min(max(z, 0), 1),
    "identity": lambda z: z,
}
KINKS = {"relu": (0,), "crelu": (0, 1), "identity": ()}


class Wrong(Exception):
    pass


def plain(network: Any) -> list[tuple[list[list[Fraction]], list[Fraction], str]]:
    """Weights, bias and activation per layer."""
    return [
        (
            [[Fraction(str(w)) for w in row.dense(layer.width_in)] for row in layer.rows],
            [Fraction(str(row.constant)) for row in layer.rows],
            layer.activation,
        )
        for layer in network.layers
    ]


def check_bound(network: Any, layer: int, index: int, way: int, value: Any, cases: Any, known: Any = None) -> int:
    """Raises Wrong unless the cases prove way·argument ≤ way·value; returns the number of leaves."""
    layers = plain(network)
    inputs = len(network.inputs)
    value = Fraction(str(value))
    bounds = {
        place: [None if end is None else Fraction(str(end)) for end in ends] for place, ends in (known or {}).items()
    }
    pending = [([(Fraction(0), Fraction(1))] * inputs, {})]
    leaves = 0
    for case in cases:
        if not pending:
            raise Wrong("a case too many")
        box, phases = pending.pop()
        if hasattr(case, "variable"):
            pending += reversed(_halves(box, phases, case.variable, Fraction(str(case.point)), layer))
        else:
            leaves += 1
            multipliers = [Fraction(str(m)) for m in case.multipliers]
            total = _leaf(layers, layer, index, way, value, box, phases, bounds, multipliers)
            if total > 0:
                raise Wrong(f"a leaf that misses by {float(total)}")
    if pending:
        raise Wrong("a case is open")
    return leaves


def _halves(box, phases, place, point, layer):
    if isinstance(place, int):
        low, high = box[place]
        halves = [(low, min(high, point)), (max(low, point), high)]
        return [([*box[:place], half, *box[place + 1 :]], phases) for half in halves]
    if place[0] >= layer:
        raise Wrong("a split above the target")
    low, high = phases.get(place, (None, None))
    return [(box, {**phases, place: (low, point)}), (box, {**phases, place: (point, high)})]


def _leaf(layers, layer, index, way, value, box, phases, bounds, multipliers):
    if any(low > high for low, high in box):
        return Fraction(-1)
    ranges, below = {}, box
    for depth, (weights, bias, activation) in enumerate(layers[: layer - 1], start=1):
        above = []
        for i, (row, b) in enumerate(zip(weights, bias, strict=True)):
            low = b + sum(min(w * x for x in ends) for w, ends in zip(row, below, strict=True))
            high = b + sum(max(w * x for x in ends) for w, ends in zip(row, below, strict=True))
            for lower, upper in (bounds.get((depth, i), (None, None)), phases.get((depth, i), (None, None))):
                low = low if lower is None else max(low, lower)
                high = high if upper is None else min(high, upper)
            if low > high:
                return Fraction(-1)
            ranges[depth, i] = (low, high)
            above.append((ACT[activation](low), ACT[activation](high)))
        below = above
    weights, bias, _ = layers[layer - 1]
    c = [way * w for w in weights[index]]
    total = way * (bias[index] - value)
    given = list(multipliers)
    for depth in range(layer - 1, 0, -1):
        weights, bias, activation = layers[depth - 1]
        act, slopes = ACT[activation], [Fraction(0)] * len(bias)
        for i in range(len(bias) - 1, -1, -1):
            low, high = ranges[depth, i]
            kinks = [z for z in KINKS[activation] if low < z < high]
            if kinks or (depth, i) in phases:
                if multipliers and not given:
                    raise Wrong("too few multipliers")
                slopes[i] = given.pop(0) if given else c[i] * _default_slope(activation, c[i], low, high)
            else:
                slopes[i] = c[i] if (act(low), act(high)) == (low, high) else Fraction(0)
            total += slopes[i] * bias[i] + max(c[i] * act(z) - slopes[i] * z for z in [low, high, *kinks])
        c = [sum(s * row[j] for s, row in zip(slopes, weights, strict=True)) for j in range(len(weights[0]))]
    if given:
        raise Wrong("too many multipliers")
    return total + sum(max(w * x for x in ends) for w, ends in zip(c, box, strict=True))


def _default_slope(activation, c, low, high):
    if low < high and (activation != "relu" or c > 0):
        return Fraction(math.floor((ACT[activation](high) - ACT[activation](low)) / (high - low) * 65536), 65536)
    return 1 if low + high > 0 else 0
