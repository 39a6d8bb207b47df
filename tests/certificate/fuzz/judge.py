"""Judges every line that a kernel accepts: is what it says true at the points?"""

from __future__ import annotations

import random
from dataclasses import dataclass

from tests.certificate.fuzz.kernel_view import KernelView
from tests.certificate.fuzz.meaning import (
    ONE,
    ZERO,
    Network,
    Vector,
    formula_outputs,
    new_nodes,
    run_all,
    sigma,
)
from tests.certificate.fuzz.twins import offset_of
from verimv.exact import Algebraic, Number, Rational, format_number, parse_number


class FalseLine(Exception):
    """The kernel accepts something that is not so."""

    #: of the certificate, from 1; None if it is about the whole
    line: int | None = None


@dataclass
class World:
    """Points of the unit cube, and what the networks of a certificate do there."""

    network: Network | None
    other: Network | None
    points: list[Vector]

    def __post_init__(self) -> None:
        #: of the inputs, and of the arguments and values of all neurons, counted through
        self.inputs = [list(column) for column in zip(*self.points, strict=True)]
        self.arguments: list[Vector] = []
        self.values: list[Vector] = []
        #: of each layer: its first neuron, its activation
        self.layers: list[tuple[int, int, str]] = []
        if self.network is not None:
            runs = [run_all(self.network, self.other, point) for point in self.points]
            self.arguments = [[run[k][0] for run in runs] for k in range(len(runs[0]))]
            self.values = [[run[k][1] for run in runs] for k in range(len(runs[0]))]
            layers = [*self.network.layers, *(self.other.layers if self.other else [])]
            sizes = [(len(biases), name) for name, biases, _ in layers]
            first = 0
            for width, name in [*sizes, *([(len(self.network.outputs), "identity")] if self.other else [])]:
                self.layers.append((first, width, name))
                first += width

    @staticmethod
    def of(texts: dict[str, str], count: int, source: random.Random) -> World:
        network = Network(texts["network"]) if "network" in texts else None
        other = Network(texts["other"]) if "other" in texts else None
        width = len(network.inputs) if network else len(texts["formula"].split("\n")[1].split()) - 1
        points = [[Rational(k >> j & 1) for j in range(width)] for k in range(1 << width)]
        points.append([Rational(1, 2)] * width)
        points += [[Rational(source.randint(0, 12), 12) for _ in range(width)] for _ in range(2)]
        if network:
            points += _near_kinks(network, other, points, source)
        return World(network, other, points[:count])

    def outputs(self) -> list[Vector]:
        return self.values[self.layers[-1][0] :]


def _near_kinks(network: Network, other: Network | None, points: list[Vector], source: random.Random) -> list[Vector]:
    """Where arguments are 0 or 1, or about that: on segments at whose ends they lie on different sides."""
    runs, found = [run_all(network, other, point) for point in points], []
    for _ in range(24):
        k, kink = source.randrange(len(runs[0])), source.choice([0, 1])
        a, b = source.sample(range(len(points)), 2)
        low, high = runs[a][k][0] - kink, runs[b][k][0] - kink
        if (low < 0 < high) or (high < 0 < low):
            share = low / (low - high)
            if isinstance(share, Algebraic):
                share = Rational(round(840 * float(share)), 840)
            point = [x + share * (y - x) for x, y in zip(points[a], points[b], strict=True)]
            if point not in found:
                found.append(point)
    return found


class Judge:
    """Follows a check, and raises FalseLine when it goes wrong."""

    def __init__(self, world: World, texts: dict[str, str], view: KernelView) -> None:
        self.world, self.texts, self.view = world, texts, view
        count = len(world.points)
        self.leaves = [[ZERO] * count, [ONE] * count, *world.inputs]
        self.nodes = dict(enumerate(self.leaves))
        #: the values of nodes as the kernel has made them; None for a unit that no claim is about yet
        self.made: list[Vector | None] = []
        self.claims: list[Vector] = [[]]
        self.formulas = {s: formula_outputs(texts[s], world.points) for s in ("original", "formula") if s in texts}
        self.outputs = 0
        self.is_assuming = False
        #: what the lines say: {(neuron of the last layer, side): bound}
        self.last_bounds: dict[tuple[int, str], Number] = {}
        #: of neurons that have a twin: how much their arguments differ
        self.changes: dict[int, Vector] = {}
        self.values = 0
        self.checked = 0
        self.line = 1  # the header
        self.judge_values()

    def claim(self, c: int) -> Vector:
        if not 0 < c < len(self.claims):
            raise FalseLine(f"there is no claim {c}")
        return self.claims[c]

    def follow(self, line: list) -> None:
        """To be called when the kernel has accepted a line."""
        self.line += 1
        try:
            self.judge_line(line)
        except FalseLine as fault:
            fault.line = self.line
            raise

    def judge_line(self, line: list) -> None:
        self.judge_claims(line)
        if self.is_assuming:  # what follows holds under an assumption, which may be false
            return
        self.judge_values()
        if line[0] == "twin":
            self.judge_twin(line)
        elif line[0] in ("bound", "apart"):
            self.judge_bound(line)
        elif line[0] == "output":
            _, k, _, scale, offset = line
            scale, offset = parse_number(scale), parse_number(offset)
            self.compare(
                f"output {k}", self.world.outputs()[k], [scale * x + offset for x in self.formulas["formula"][k]]
            )
            self.outputs += 1
        elif line[0] == "equal":
            self.compare(f"output {line[1]}", *(self.formulas[s][line[1]] for s in ("original", "formula")))
            self.outputs += 1

    def judge_claims(self, line: list) -> None:
        try:
            layer = self.world.layers[line[1] - 1] if line[0] == "unit" else (0, 0, "")
            arguments = self.world.arguments[layer[0] : layer[0] + layer[1]]
            vectors = new_nodes(line, self.claim, self.leaves, arguments)
        except (IndexError, KeyError) as error:
            raise FalseLine(f"{line[0]} speaks of nothing: {error}") from None
        first, count = len(self.claims), self.view.count()
        if count - first != len(vectors):
            raise FalseLine(f"{count - first} claims instead of {len(vectors)}")
        for c, vector in enumerate(vectors, start=first):
            node, form = self.view.claim(c)
            self.claims.append(vector)
            self.compare(f"node {node}, in claim {c}", vector, self.nodes.setdefault(node, vector))
            self.compare(f"node {node}, as it is made", vector, self.made_value(node, vector))
            if not self.is_assuming:
                self.compare(f"claim {c}", vector, list(map(sigma, self.evaluated(form))))

    def made_value(self, node: int, unit: Vector) -> Vector:
        """The value of a node by the kernel's own operations; that of a unit is given."""
        for operator, *operands in self.view.operations(len(self.made)):
            self.made.append(self.operated(operator, operands))
        if self.made[node] is None:
            self.made[node] = unit
        return self.made[node]

    def operated(self, operator: str, operands: list[int]) -> Vector | None:
        if operator in ("constant", "input"):
            return self.leaves[operands[0] + (2 if operator == "input" else 0)]
        vectors = [self.made[operand] for operand in operands]
        if operator == "unit" or None in vectors:
            return None
        if operator == "¬":
            return [ONE - x for x in vectors[0]]
        if operator in ("⊕", "⊙"):
            less = ZERO if operator == "⊕" else ONE
            return [sigma(x + y - less) for x, y in zip(*vectors, strict=True)]
        share = parse_number(operator[2:-1])
        return [x / share if operator[0] == "d" else x * share for x in vectors[0]]

    def evaluated(self, form: dict[int, Number]) -> Vector:
        if not form.keys() <= self.nodes.keys():
            raise FalseLine(f"nodes that no claim is about: {form.keys() - self.nodes.keys()}")
        total = [ZERO] * len(self.world.points)
        for node, c in form.items():
            total = [t + c * x for t, x in zip(total, self.nodes[node], strict=True)]
        return total

    def judge_values(self) -> None:
        """Of variables that have a value now: inputs, then neurons."""
        real = [*self.world.inputs, *self.world.values]
        for k in range(self.values, self.view.value_count()):
            self.compare(f"the value of variable {k}", real[k], self.evaluated(self.view.value(k)))
        self.values = self.view.value_count()

    def neuron(self, layer: int, i: int) -> int:
        first, width, _ = self.world.layers[layer - 1] if 0 < layer <= len(self.world.layers) else (0, 0, "")
        if i >= width:
            raise FalseLine("a bound, or a twin, of no neuron")
        return first + i

    def judge_twin(self, line: list) -> None:
        """It claims nothing; but what is said of the change must be about the neuron that is named."""
        _, layer, i, m, p = line
        k, twin = self.neuron(layer, i), m - len(self.world.inputs)
        if not 0 <= twin < len(self.world.arguments):
            raise FalseLine("a twin that is no neuron")
        p = parse_number(p)
        shift = offset_of(self.world.layers[layer - 1][2], p)
        pairs = zip(self.world.arguments[k], self.world.arguments[twin], strict=True)
        self.changes[k] = [y - (p * z + shift) for y, z in pairs]

    def judge_bound(self, line: list) -> None:
        rule, layer, i, side, value, *cases = line
        k = self.neuron(layer, i)
        if rule == "apart" and k not in self.changes:
            raise FalseLine("a change without a twin")
        if rule == "bound" and layer == len(self.world.layers):
            self.last_bounds[i, side] = parse_number(value)
        self.is_assuming |= not cases
        found, real = (self.view.bound, self.world.arguments) if rule == "bound" else (self.view.change, self.changes)
        for bound in (parse_number(value), found(k, side)) if cases else ():
            way = 1 if side == "high" else -1
            for point, t in enumerate(real[k]):
                if bound is None or way * t > way * bound:
                    self.say(f"{line[:4]}: what it is, and its bound", point, t, bound)
            self.checked += 1

    def finish(self, numbers: list[tuple[Number, Number]]) -> None:
        """The kernel says that the certificate is valid: is its statement true, with the numbers that it prints?"""
        if self.is_assuming:
            raise FalseLine("valid, although a bound is assumed")
        if "formula" in self.texts:
            if self.outputs != len(self.formulas["formula"]):
                raise FalseLine(f"valid with {self.outputs} outputs")
            if "network" in self.texts:
                self.judge_maps(numbers)
        else:
            self.judge_bounds(numbers)
        if "source" in self.texts:
            network, unit = Network(self.texts["source"]), self.world.network
            if (network.inputs, network.outputs) != (unit.inputs, unit.outputs):
                raise FalseLine("a source with other names")
            runs = [network.run(point) for point in self.world.points]
            for k, values in enumerate(self.world.values):
                self.compare(f"neuron {k} of the source", values, [run[k][1] for run in runs])
        if "other" in self.texts:
            network, other = self.world.network, self.world.other
            if (network.inputs, network.outputs, network.box) != (other.inputs, other.outputs, other.box):
                raise FalseLine("another network with other names, or another box")

    def judge_maps(self, numbers: list[tuple[Number, Number]]) -> None:
        rows = zip(self.world.outputs(), self.formulas["formula"], numbers, strict=True)
        for i, (values, found, (scale, offset)) in enumerate(rows):
            self.compare(f"output {i} as it is stated", values, [scale * y + offset for y in found])

    def judge_bounds(self, numbers: list[tuple[Number, Number]]) -> None:
        for i, (values, (low, high)) in enumerate(zip(self.world.outputs(), numbers, strict=True)):
            for point, y in enumerate(values):
                if not low <= y <= high:
                    self.say(f"output {i}, and its bounds as they are stated", point, y, low, high)
            self.checked += 1

    def compare(self, what: str, expected: Vector, found: Vector) -> None:
        self.checked += 1
        if expected != found:
            point = next(p for p, (a, b) in enumerate(zip(expected, found, strict=True)) if a != b)
            self.say(f"{what}: what it is, and what the kernel makes of it", point, expected[point], found[point])

    def say(self, what: str, point: int, *numbers: Number | None) -> None:
        texts = ["none" if x is None else format_number(x) for x in numbers]
        place = ", ".join(map(format_number, self.world.points[point]))
        raise FalseLine(f"{what}: {', '.join(texts)}, at the point ({place}) of the unit cube")
