"""What FORMAT.md §7 and §8 say of lines about bounds, read a second time: it shares no code with any kernel.

Numbers are those of `verimv.exact`. Only certificates of networks without a formula are read, and the first part of those
in two parts (§9).
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from tests.certificate.fuzz.cases import CONSTANT, DEFAULT_SLOPES, Bounds, Row, combined, system_of
from tests.certificate.fuzz.meaning import ONE, Network
from tests.certificate.fuzz.twins import Compared
from verimv.exact import Number, parse_number


class Refused(Exception):
    """With the verdict."""


class SecondPart(Exception):
    """The first part is complete; what follows is not read."""


def need(is_met: bool, verdict: str = "invalid") -> None:
    if not is_met:
        raise Refused(verdict)


def exact(text: object) -> Number:
    """A number, as it stands in a line."""
    need(isinstance(text, str), "malformed")
    try:
        return parse_number(text)
    except ValueError:
        raise Refused("malformed") from None


def natural(x: object) -> int:
    need(type(x) is int and x >= 0, "malformed")
    return x


#: the types of arguments; whether cases may follow
RULES = {
    "twin": ((natural, natural, natural, exact), False),
    "apart": ((natural, natural, str, exact), True),
    "bound": ((natural, natural, str, exact), True),
    "formula": ((), False),
}


class GivenSlopes:
    """Multipliers as they stand in a leaf or a pair."""

    def __init__(self, texts: list) -> None:
        self.left = [exact(text) for text in texts]
        self.are_given = bool(texts)

    def single(self, name: str, c: Number, low: Number, high: Number) -> Number:
        return self.next() if self.are_given else DEFAULT_SLOPES.single(name, c, low, high)

    def double(self, c: Number, compared: Compared) -> tuple[Number, Number]:
        return (self.next(), self.next()) if self.are_given else DEFAULT_SLOPES.double(c, compared)

    def next(self) -> Number:
        need(bool(self.left), "malformed")
        return self.left.pop(0)


class Reading:
    """Follows the lines of a certificate about one network, or about two."""

    def __init__(self, network: str, other: str | None = None, has_two_parts: bool = False) -> None:
        self.has_two_parts = has_two_parts
        parts = [Network(text) for text in (network, other) if text is not None]
        self.system = system_of(parts[0], parts[1] if other is not None else None)
        self.inputs = len(parts[0].inputs)
        #: the number of the first neuron of each layer, and the activation of the layer
        self.layers: list[tuple[int, int, str]] = []
        first = self.inputs
        names = [(name, len(biases)) for part in parts for name, biases, _ in part.layers]
        for name, width in [*names, *([("identity", len(parts[0].outputs))] if other is not None else [])]:
            self.layers.append((first, width, name))
            first += width
        self.known: Bounds = {}
        self.is_assuming = False

    def follow(self, line: list) -> None:
        name, *given = line
        need(name in RULES, "malformed")
        kinds, has_cases = RULES[name]
        need(len(given) == len(kinds) or (has_cases and len(given) > len(kinds)), "malformed")
        read = [kind(x) for kind, x in zip(kinds, given, strict=False)]
        cases = given[len(kinds) :]
        need(all(isinstance(case, list) and case for case in cases), "malformed")
        getattr(self, name)(*read, *cases)

    def neuron(self, layer: int, i: int) -> tuple[int, int]:
        """The number of the first neuron of a layer, and that of neuron i."""
        need(1 <= layer <= len(self.layers))
        first, width, _ = self.layers[layer - 1]
        need(i < width)
        return first, first + i

    def twin(self, layer: int, i: int, m: int, p: Number) -> None:
        _, k = self.neuron(layer, i)
        name = self.layers[layer - 1][2]
        need(m < k)
        need(m >= self.inputs)
        need(self.system.variables[m][0] == name)
        need(k not in self.system.twins)
        need(p != 0)
        need(p in (1, -1) or name != "crelu")
        self.system.twins[k] = m, p

    def bound(self, layer: int, i: int, side: str, value: Number, *cases: list) -> None:
        need(side in ("low", "high"), "malformed")
        first, k = self.neuron(layer, i)
        self.prove(self.system.variables[k][1], first, side, value, cases)
        self.known[k, side] = value

    def apart(self, layer: int, i: int, side: str, value: Number, *cases: list) -> None:
        need(side in ("low", "high"), "malformed")
        first, k = self.neuron(layer, i)
        need(k in self.system.twins)
        self.prove(self.system.change(k), first, side, value, cases)
        self.system.changes[k, side] = value

    def prove(self, row: Row, count: int, side: str, value: Number, cases: tuple) -> None:
        if not cases:
            self.is_assuming = True
            return
        rest = iter(cases)
        self.close(target(row, side, value), count, self.known, frozenset(), rest)
        need(next(rest, None) is None)

    def close(self, row: Row, count: int, bounds: Bounds, split: frozenset, rest: Iterator[list]) -> None:
        """Read the cases of a situation."""
        case = next(rest, None)
        need(case is not None)
        kind, *given = case
        if kind == "split":
            need(len(given) == 2, "malformed")
            k, point = natural(given[0]), exact(given[1])
            need(k < count)
            for side in ("high", "low"):
                self.close(row, count, {**bounds, (k, side): point}, split | {k}, rest)
        elif kind == "lemma":
            need(len(given) == 3, "malformed")
            k, side, value = natural(given[0]), given[1], exact(given[2])
            need(side in ("low", "high"), "malformed")
            need(k < count)
            need(self.system.variables[k] is not None)
            shown = target(self.system.variables[k][1], side, value)
            self.close(shown, k, bounds, split, rest)
            self.close(row, count, {**bounds, (k, side): value}, split, rest)
        elif kind == "sweep":
            need(not given, "malformed")
            need(self.system.is_rational(count))
            self.close(row, count, self.system.swept(count, bounds), split, rest)
        else:
            need(kind in ("leaf", "pair"), "malformed")
            slopes = GivenSlopes(given)
            ranges = self.system.ranges(count, bounds)
            if ranges is None:
                return
            found = self.system.walk(row, ranges, split, slopes, kind == "pair")
            if found is None:
                return
            need(not slopes.left, "malformed")
            need(found <= 0)

    def formula(self) -> None:
        need(self.has_two_parts)
        self.complete()
        raise SecondPart

    def finish(self) -> None:
        self.complete()
        need(not self.has_two_parts, "incomplete")

    def complete(self) -> None:
        first, width, _ = self.layers[-1]
        ends = [(first + i, side) in self.known for i in range(width) for side in ("low", "high")]
        need(all(ends) and not self.is_assuming, "incomplete")


def target(row: Row, side: str, value: Number) -> Row:
    """What must be ≤ 0."""
    way = ONE if side == "high" else -ONE
    return combined((row, way), ({CONSTANT: ONE}, -way * value))


def verdict(
    lines: list[str], network: str, other: str | None = None, has_two_parts: bool = False
) -> tuple[str, int | None]:
    """The verdict, and the number of the line that it is about; "second part" with the line that begins it."""
    reading = Reading(network, other, has_two_parts)
    for number, line in enumerate(lines, start=2):
        try:
            reading.follow(json.loads(line))
        except SecondPart:
            return "second part", number
        except Refused as refused:
            return str(refused), number
    try:
        reading.finish()
    except Refused as refused:
        return str(refused), None
    return "valid", None
