"""What networks, formulas and lines of a certificate mean at points: proofs/FORMAT.md, read a second time.

Numbers are those of `verimv.exact`, which the kernels do not use. A *vector* has one number for each point.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from itertools import chain

from verimv.exact import Number, Rational, parse_number

Vector = list[Number]
ZERO, ONE = Rational(0), Rational(1)


def sigma(t: Number) -> Number:
    return ZERO if t < 0 else ONE if t > 1 else t


ACTIVATIONS = {"relu": lambda t: max(t, ZERO), "crelu": sigma, "identity": lambda t: t}


def oplus(a: Vector, b: Vector) -> Vector:
    return [min(ONE, x + y) for x, y in zip(a, b, strict=True)]


def odot(a: Vector, b: Vector) -> Vector:
    return [max(ZERO, x + y - 1) for x, y in zip(a, b, strict=True)]


def negated(a: Vector) -> Vector:
    return [1 - x for x in a]


def factor(text: str) -> Number:
    """Of an operator d[i] or D[r], with Latin or Greek letters."""
    inner = parse_number(text[2:-1])
    return 1 / inner if text[0] in "dδ" else inner


class Network:
    """A network as it stands in its file; its points are given in the unit cube."""

    def __init__(self, text: str) -> None:
        data = json.loads(text)
        self.inputs, self.outputs = data["inputs"], data["outputs"]
        self.box = [tuple(map(parse_number, ends)) for ends in data["box"]]
        self.layers = []
        for layer in data["layers"]:
            rows = [dict(enumerate(row)) if isinstance(row, list) else row for row in layer["weights"]]
            weights = [{int(j): parse_number(w) for j, w in row.items() if j != "width"} for row in rows]
            self.layers.append((layer["activation"], list(map(parse_number, layer["bias"])), weights))

    def run(self, point: Vector) -> list[tuple[Number, Number]]:
        """The argument and the value of each neuron at a point, layer by layer."""
        values = [low + (high - low) * u for (low, high), u in zip(self.box, point, strict=True)]
        found = []
        for name, biases, rows in self.layers:
            arguments = [
                bias + sum(w * values[j] for j, w in row.items()) for bias, row in zip(biases, rows, strict=True)
            ]
            values = list(map(ACTIVATIONS[name], arguments))
            found += zip(arguments, values, strict=True)
        return found


def run_all(network: Network, other: Network | None, point: Vector) -> list[tuple[Number, Number]]:
    """The same for a network, or for the difference of two (FORMAT §3)."""
    found = network.run(point)
    if other is not None:
        count, found2 = len(network.outputs), other.run(point)
        gaps = [a - b for (_, a), (_, b) in zip(found[-count:], found2[-count:], strict=True)]
        found += [*found2, *zip(gaps, gaps, strict=True)]
    return found


_OPERAND = re.compile(r"¬|[δΔ]\[[^]]*\]|[^¬δΔ\s]+")


def formula_outputs(text: str, points: list[Vector]) -> list[Vector]:
    """The vectors of a formula's outputs."""
    lines = [line.strip() for line in text.split("\n")]
    _, inputs, *body, outputs = [line.split(maxsplit=1) for line in lines if line and line[0] != "#"]
    known = {"0": [ZERO] * len(points), "1": [ONE] * len(points)}
    names = inputs[1].split() if len(inputs) > 1 else []
    known |= {name: [point[j] for point in points] for j, name in enumerate(names)}
    for name, _, expression in (" ".join(words).partition("=") for words in body):
        is_sum, total = "⊕" in expression, None
        for operand in expression.split("⊕" if is_sum else "⊙"):
            *prefixes, last = _OPERAND.findall(operand)
            vector = known[last]
            for prefix in reversed(prefixes):
                vector = negated(vector) if prefix == "¬" else [factor(prefix) * x for x in vector]
            total = vector if total is None else (oplus if is_sum else odot)(total, vector)
        known[name.strip()] = total
    return [known[name] for name in outputs[1].split()]


def merge(a: list, b: list, plus, times) -> list:
    """Batcher's merge (FORMAT §6) of vectors, or of whatever `plus` and `times` combine."""
    if not a or not b:
        return a or b
    if len(a) == len(b) == 1:
        return [plus(a[0], b[0]), times(a[0], b[0])]
    odd, even = merge(a[::2], b[::2], plus, times), merge(a[1::2], b[1::2], plus, times)
    pairs = min(len(even), len(odd) - 1)
    both = ((plus(even[k], odd[k + 1]), times(even[k], odd[k + 1])) for k in range(pairs))
    return [odd[0], *chain(*both), *even[pairs:], *odd[pairs + 1 :]]


def new_nodes(line: list, claim: Callable, leaves: list[Vector], arguments: list[Vector]) -> list[Vector]:
    """The vectors of the nodes that the new claims of a line are about.

    `claim` gives that of an earlier claim, `leaves` are 0, 1 and the inputs, `arguments` those of the layer of a `unit`.
    """
    name, *given = line
    if name == "node":
        return [leaves[given[0]]]
    if name == "scale":
        share = factor(given[0])
        return [[share * x for x in claim(given[1])]]
    if name == "unit":
        _, i, share, shift = given
        share = parse_number(share)
        return [[sigma(share * t - shift) for t in arguments[i]]]
    if name == "sort":
        vectors = [claim(c) for c in given[1:]]
        return merge(vectors[: given[0]], vectors[given[0] :], oplus, odot)
    if name in ("same", "equals", "average"):
        return [claim(given[2 if name == "average" else 1])]
    if name in ("plus", "times"):
        vector, *others = map(claim, given)
        for other in others:
            vector = (oplus if name == "plus" else odot)(vector, other)
        return [vector]
    return [_SIMPLE[name](*map(claim, given[:3]))] if name in _SIMPLE else []


_SIMPLE = {
    "atom": lambda a: a,
    "not": negated,
    "lemma": lambda g, h, c: odot(oplus(g, h), c),
    "cut": lambda f, g, c: oplus(odot(f, c), g),
}
