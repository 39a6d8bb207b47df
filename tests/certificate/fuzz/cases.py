"""Trees of cases for `bound` and `equals`, and what they prove (FORMAT §8): so values can be put right at the border."""

from __future__ import annotations

import math
import random
from typing import Protocol

from tests.certificate.fuzz.meaning import ACTIVATIONS, ONE, ZERO, Network
from tests.certificate.fuzz.twins import KINKS, Compared, offset_of, reduced
from verimv.exact import Number, Rational, format_number
from verimv.exact.algebraic import Algebraic

Row = dict[int, Number]
#: The constant of a row.
CONSTANT = -1
Bounds = dict[tuple[int, str], Number]


def combined(*pairs: tuple[Row, Number]) -> Row:
    total: Row = {}
    for row, factor in pairs:
        for key, c in row.items():
            total[key] = total.get(key, ZERO) + factor * c
    return {key: c for key, c in total.items() if c}


def system_of(network: Network, other: Network | None) -> System:
    """Inputs are free, neurons follow; for two networks, with shared neurons."""
    variables: list[tuple[str, Row] | None] = [None] * len(network.inputs)
    ends = []
    for part in filter(None, (network, other)):
        below = [{j: high - low, CONSTANT: low} for j, (low, high) in enumerate(part.box)]
        for name, biases, rows in part.layers:
            first = len(variables)
            for bias, row in zip(biases, rows, strict=True):
                variables.append((name, combined(({CONSTANT: ONE}, bias), *((below[j], w) for j, w in row.items()))))
            below = [{k: ONE} for k in range(first, len(variables))]
        ends.append(below)
    if other:
        variables += [("identity", combined((a, ONE), (b, -ONE))) for a, b in zip(*ends, strict=True)]
        variables = _shared(variables)
    return System(variables)


def _shared(variables: list[tuple[str, Row] | None]) -> list[tuple[str, Row] | None]:
    """Rows without neurons that are numbers, or positive multiples of earlier ones."""
    known: dict[int, Row] = {}
    firsts: dict[tuple, tuple[int, Number]] = {}
    found: list[tuple[str, Row] | None] = []
    for k, unit in enumerate(variables):
        if unit is None:
            found.append(None)
            continue
        name, row = unit
        row = combined(*((known.get(j, {j: ONE}), c) for j, c in row.items()))
        found.append((name, row))
        if not row.keys() - {CONSTANT}:
            known[k] = {CONSTANT: ACTIVATIONS[name](row.get(CONSTANT, ZERO))}
            continue
        leading = row[min(row)]
        scale = abs(leading) if name != "crelu" and not isinstance(leading, Algebraic) else ONE
        key = name, frozenset((j, c / scale) for j, c in row.items())
        first, other = firsts.setdefault(key, (k, scale))
        known[k] = {first: scale / other}
    return found


class Slopes(Protocol):
    """Where multipliers come from, in the order in which a walk needs them."""

    #: whether there are any; without one, all are default slopes
    are_given: bool

    def single(self, name: str, c: Number, low: Number, high: Number) -> Number:
        """μ for a variable with kinks."""

    def double(self, c: Number, compared: Compared) -> tuple[Number, Number]:
        """μ and ν for a variable with a twin."""


class System:
    """Variables in order: free ones (None), or an activation of a row over earlier ones."""

    def __init__(self, variables: list[tuple[str, Row] | None]) -> None:
        self.variables = variables
        #: of neurons: another one, and a factor
        self.twins: dict[int, tuple[int, Number]] = {}
        #: known bounds of changes
        self.changes: Bounds = {}
        #: how often a tree has a sweep
        self.sweeping = 0.0

    def change(self, k: int) -> Row:
        """The argument of a neuron less what comes from that of its twin."""
        return combined((self.variables[k][1], ONE), (self.image(k), -ONE))

    def image(self, k: int) -> Row:
        """x in FORMAT §7: what the argument of a neuron is compared with."""
        twin, factor = self.twins[k]
        return combined(
            (self.variables[twin][1], factor), ({CONSTANT: ONE}, ONE * offset_of(self.variables[k][0], factor))
        )

    def ranges(self, count: int, bounds: Bounds) -> list[tuple[Number, Number]] | None:
        """Of arguments and free variables; None if one is empty."""
        found: list[tuple[Number, Number]] = []
        values: list[tuple[Number, Number]] = []
        for k, unit in enumerate(self.variables[:count]):
            name, row = unit or ("identity", {})
            low, high = (ZERO, ONE) if unit is None else _interval(row, values)
            low, high = max(low, bounds.get((k, "low"), low)), min(high, bounds.get((k, "high"), high))
            if low > high:
                return None
            found.append((low, high))
            values.append((ACTIVATIONS[name](low), ACTIVATIONS[name](high)))
        return found

    def walk(self, target: Row, ranges: list, split: frozenset, slopes: Slopes, is_pair: bool = False) -> Number | None:
        """An upper bound of the target; None if there is no cell."""
        total = dict(target)
        for k in range(len(ranges) - 1, -1, -1):
            if self.variables[k] is None:
                continue
            (name, row), (low, high), c = self.variables[k], ranges[k], total.pop(k, ZERO)
            act = ACTIVATIONS[name]
            kinks = [z for z in KINKS[name] if low < z < high]
            is_bent = bool(kinks) or k in split
            if is_bent and is_pair and k in self.twins:
                compared = self.compared(k, ranges)
                if not compared.cells:
                    return None
                if len(compared.cells) == 1 and not (k in split and slopes.are_given):
                    mu, nu = compared.exact_slopes(c)
                else:
                    mu, nu = slopes.double(c, compared)
                twin, factor = self.twins[k]
                of_value, of_argument = reduced(name, factor)
                value = combined(
                    ({twin: ONE}, of_value),
                    (self.variables[twin][1], of_argument),
                    ({CONSTANT: ONE}, ONE * offset_of(name, factor)),
                )
                values = (value, c), (self.change(k), mu), (self.image(k), nu)
                total = combined((total, ONE), *values, ({CONSTANT: ONE}, compared.peak(c, mu, nu)))
                continue
            slope = c if act(low) == low and act(high) == high else ZERO
            if is_bent:
                slope = slopes.single(name, c, low, high)
            peak = max(c * act(z) - slope * z for z in (low, high, *kinks))
            total = combined((total, ONE), (row, slope), ({CONSTANT: ONE}, peak))
        bound = total.pop(CONSTANT, ZERO)
        return bound + sum(max(c * ranges[k][0], c * ranges[k][1]) for k, c in total.items())

    def is_rational(self, count: int) -> bool:
        """Whether all weights and constants of the first variables are rational: only then may they be swept."""
        rows = (unit[1].values() for unit in self.variables[:count] if unit is not None)
        return not any(isinstance(c, Algebraic) for row in rows for c in row)

    def swept(self, count: int, bounds: Bounds) -> Bounds:
        """The bounds after a sweep, as FORMAT §8 says it."""
        found = dict(bounds)
        ranges: list[tuple[Number, Number]] = []
        values: list[tuple[Number, Number]] = []
        for k, unit in enumerate(self.variables[:count]):
            name, row = unit or ("identity", {})
            low, high = (ZERO, ONE) if unit is None else _interval(row, values)
            given = bounds.get((k, "low")), bounds.get((k, "high"))
            if given[0] is not None and not isinstance(given[0], Algebraic):
                low = max(low, given[0])
            if given[1] is not None and not isinstance(given[1], Algebraic):
                high = min(high, given[1])
            low, high = _down(low, 32), _up(high, 32)
            if low > high:
                break
            if any(low < z < high for z in KINKS[name]):
                high, low = (
                    min(high, _up(self.coarse_walk(row, ranges), 32)),
                    max(low, -_up(self.coarse_walk(combined((row, -ONE)), ranges), 32)),
                )
                found |= {(k, "low"): low, (k, "high"): high}
                if low > high:
                    break
            ranges.append((low, high))
            values.append((ACTIVATIONS[name](low), ACTIVATIONS[name](high)))
        return found

    def coarse_walk(self, row: Row, ranges: list) -> Number:
        """An upper bound of a row, with slopes and sums that are rounded."""
        rest = dict(row)
        total = rest.pop(CONSTANT, ZERO)
        for k in range(len(ranges) - 1, -1, -1):
            c, (low, high) = rest.pop(k, ZERO), ranges[k]
            if self.variables[k] is None:
                total += _up(max(c * low, c * high), 40)
                continue
            name, argument = self.variables[k]
            act, kinks = ACTIVATIONS[name], [z for z in KINKS[name] if low < z < high]
            slope = c if act(low) == low and act(high) == high else ZERO
            if kinks:
                slope = DEFAULT_SLOPES.single(name, c, low, high)
            mu = _down(slope, 20)
            peak = max(c * act(z) - mu * z for z in (low, high, *kinks))
            total += _up(peak + mu * argument.get(CONSTANT, ZERO), 40)
            for j, weight in argument.items():
                if j != CONSTANT:
                    rest[j] = rest.get(j, ZERO) + mu * weight
        return total

    def compared(self, k: int, ranges: list) -> Compared:
        """A neuron and its twin, by the ranges of their arguments."""
        twin, factor = self.twins[k]
        name = self.variables[k][0]
        ends = [factor * end + offset_of(name, factor) for end in ranges[twin]]
        known = self.changes.get((k, "low")), self.changes.get((k, "high"))
        return Compared(name, ranges[k], (min(ends), max(ends)), known)

    def grown(self, target: Row, count: int, known: Bounds, depth: int, source: random.Random) -> tuple[list, list]:
        """A random tree in preorder, and the bounds of the target that its leaves prove."""
        return self._grown(target, count, known, frozenset(), depth, source)

    def _grown(self, target: Row, count: int, known: Bounds, split: frozenset, depth: int, source: random.Random):
        """`known` are all bounds, and `split` the variables that have one from a split."""
        ranges = self.ranges(count, known)
        if ranges is None:
            return [["leaf", *(["1/2"] if source.random() < 0.1 else [])]], []
        neurons = [k for k in range(count) if self.variables[k] is not None]
        if depth and neurons and source.random() < 0.25:
            k, side = source.choice(neurons), source.choice(["low", "high"])
            way = ONE if side == "high" else -ONE
            argument = combined((self.variables[k][1], way))
            first, proved = self._grown(argument, k, known, split, depth - 1, source)
            value = way * max(proved, default=ZERO)
            if source.random() < 0.1:  # as if it were proved for the other side
                side = "low" if side == "high" else "high"
            then, bounds = self._grown(target, count, {**known, (k, side): value}, split, depth - 1, source)
            return [["lemma", k, side, format_number(value)], *first, *then], bounds
        if self.sweeping and source.random() < self.sweeping and self.is_rational(count):
            then, bounds = self._grown(target, count, self.swept(count, known), split, depth, source)
            return [["sweep"], *then], bounds
        if depth and count:
            k, point = self._split(ranges, source)
            cases, bounds = [["split", k, format_number(point)]], []
            for side in ("high", "low"):
                more = self._grown(target, count, {**known, (k, side): point}, split | {k}, depth - 1, source)
                cases, bounds = cases + more[0], bounds + more[1]
            return cases, bounds
        slopes = RandomSlopes(source) if source.random() < 0.6 else DEFAULT_SLOPES
        is_pair = source.random() < (0.85 if self.twins else 0.05)
        bound = self.walk(target, ranges, split, slopes, is_pair)
        return [["pair" if is_pair else "leaf", *slopes.texts]], [] if bound is None else [bound]

    def _split(self, ranges: list, source: random.Random) -> tuple[int, Number]:
        """A variable and a point: a kink, if there is one; sometimes anything."""
        crossing = [
            (k, Rational(z))
            for k, (low, high) in enumerate(ranges)
            for z in (KINKS[self.variables[k][0]] if self.variables[k] else ())
            if low < z < high
        ]
        if crossing and source.random() < 0.8:
            return source.choice(crossing)
        k = source.randrange(len(ranges))
        points = [Rational(1, 2), (ranges[k][0] + ranges[k][1]) / 2, ranges[k][0], Rational(source.randint(-3, 6), 3)]
        return k, source.choice(points)


class DefaultSlopes:
    """No multipliers."""

    are_given = False
    texts = ()

    def single(self, name: str, c: Number, low: Number, high: Number) -> Number:
        is_rational = not isinstance(low, Algebraic) and not isinstance(high, Algebraic)
        if low < high and is_rational and (c > 0 or name != "relu"):
            return c * Rational(math.floor(_chord(name, low, high) * 2**16), 2**16)
        return c if low + high > 0 else ZERO

    def double(self, c: Number, compared: Compared) -> tuple[Number, Number]:
        return compared.default_slopes(c)


DEFAULT_SLOPES = DefaultSlopes()


class RandomSlopes:
    """Multipliers, which are written down as they are needed."""

    are_given = True

    def __init__(self, source: random.Random) -> None:
        self.source = source
        self.texts: list[str] = []

    def single(self, name: str, c: Number, low: Number, high: Number) -> Number:
        chord = _chord(name, low, high)
        quarters, whole = Rational(self.source.randint(-1, 5), 4), Rational(self.source.randint(-2, 2))
        return self.written(self.source.choice([c * chord, c * chord, c * chord, c, ZERO, c * quarters, whole]))

    def double(self, c: Number, compared: Compared) -> tuple[Number, Number]:
        low, high = compared.change
        chord = high / (high - low) if low < high else ONE
        quarters, whole = Rational(self.source.randint(-1, 5), 4), Rational(self.source.randint(-2, 2))
        mu = self.source.choice([c * chord, c * (1 - chord), c, c, ZERO, ZERO, c * quarters, whole])
        nu = self.source.choice([ZERO, ZERO, ZERO, c, -c, c * quarters, c / 8, -c / 8, whole])
        return self.written(mu), self.written(nu)

    def written(self, slope: Number) -> Number:
        self.texts.append(format_number(slope))
        return slope


def _chord(name: str, low: Number, high: Number) -> Number:
    """The slope of an activation between two points."""
    act = ACTIVATIONS[name]
    return (act(high) - act(low)) / (high - low) if low < high else ONE


def _interval(row: Row, values: list[tuple[Number, Number]]) -> tuple[Number, Number]:
    """The interval range of a row."""
    low = high = row.get(CONSTANT, ZERO)
    for j, c in row.items():
        if j != CONSTANT:
            ends = c * values[j][0], c * values[j][1]
            low, high = low + min(ends), high + max(ends)
    return low, high


def _down(x: Number, bits: int) -> Number:
    """x rounded down to so many bits."""
    return Rational(math.floor(x * 2**bits), 2**bits)


def _up(x: Number, bits: int) -> Number:
    return -_down(-x, bits)
