"""Linear regions of formulas and networks in any dimension, enumerated exactly.

A region is a polytope, given by its vertices. Every ρ or σ of the program, in order, cuts the regions along the
hyperplane on which its argument changes sign. So its argument is affine on every region.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from itertools import product
from typing import NamedTuple

from verimv.core.errors import Undecided
from verimv.exact import ONE, ZERO, Number
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.network import Network
from verimv.networks.program import Program
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.solvers.limited import Deadline

#: More regions than this are not enumerated.
MAX_REGIONS = 50_000

Point = tuple[Number, ...]


class Polytope(NamedTuple):
    """A full-dimensional polytope: its vertices, and for each a bit set of the constraints that are tight there."""

    vertices: tuple[Point, ...]
    tight: tuple[int, ...]
    constraints: int

    @property
    def dimension(self) -> int:
        return len(self.vertices[0])

    @property
    def centre(self) -> Point:
        """An inner point."""
        count = len(self.vertices)
        return tuple(sum(coordinates, ZERO) / count for coordinates in zip(*self.vertices, strict=True))

    def at_most(self, low: Affine, high: Affine) -> bool:
        """Whether low ≤ high on the whole polytope."""
        difference = high + (-low)
        return all(difference(vertex) >= 0 for vertex in self.vertices)

    def cut(self, form: Affine) -> tuple[Polytope | None, Polytope | None]:
        """Return the parts with form ≤ 0 and form ≥ 0, each None if it has no inner point."""
        values = [form(vertex) for vertex in self.vertices]
        if all(value >= 0 for value in values):
            return None, self
        if all(value <= 0 for value in values):
            return self, None
        new = 1 << self.constraints
        crossings = [
            (_crossing(self.vertices[i], values[i], self.vertices[j], values[j]), self.tight[i] & self.tight[j] | new)
            for i, value in enumerate(values)
            if value < 0
            for j, other in enumerate(values)
            if other > 0 and self._is_edge(i, j)
        ]
        return self._part(values, crossings, -1), self._part(values, crossings, 1)

    def _part(self, values: Sequence[Number], crossings: Sequence[tuple[Point, int]], side: int) -> Polytope:
        new = 1 << self.constraints
        kept = [
            (vertex, tight if value else tight | new)
            for vertex, tight, value in zip(self.vertices, self.tight, values, strict=True)
            if value * side >= 0
        ]
        vertices, tight = zip(*kept, *crossings, strict=True)
        return Polytope(vertices, tight, self.constraints + 1)

    def _is_edge(self, i: int, j: int) -> bool:
        """Whether enough constraints are tight at both vertices, and no third vertex has all of these."""
        common = self.tight[i] & self.tight[j]
        if common.bit_count() < self.dimension - 1:
            return False
        return all(k in (i, j) or other & common != common for k, other in enumerate(self.tight))


def _crossing(p: Point, a: Number, q: Point, b: Number) -> Point:
    share = a / (a - b)
    return tuple(x + share * (y - x) for x, y in zip(p, q, strict=True))


def unit_cube(dimension: int) -> Polytope:
    corners = list(product((ZERO, ONE), repeat=dimension))
    tight = [sum(1 << (2 * i + int(x == 1)) for i, x in enumerate(corner)) for corner in corners]
    return Polytope(tuple(corners), tuple(tight), 2 * dimension)


class Region(NamedTuple):
    """A polytope on which every output is affine."""

    polytope: Polytope
    outputs: tuple[Affine, ...]


def linear_regions(*subjects: Formula | Network, limit: int | None = None, seconds: float = math.inf) -> list[Region]:
    """Return cells of the unit cube on which all outputs of all subjects are affine.

    Subjects share inputs of the same name; the inputs of the first come first. A network's box is mapped onto the cube.
    Neighbouring cells may have the same forms. Raise :class:`Undecided` if there are more cells than the limit
    (MAX_REGIONS), or if it takes too long.
    """
    inputs = list(dict.fromkeys(name for subject in subjects for name in subject.inputs)) or ["x"]
    program = Program(((ZERO, ONE),) * len(inputs))
    outputs: list[Affine] = []
    for subject in subjects:
        if isinstance(subject, Formula):
            outputs += program.add_formula(subject, inputs)
        else:
            positions = [inputs.index(name) for name in subject.inputs]
            outputs += program.add_network(to_unit_cube(subject), positions=positions)
    return _enumerated(program, outputs, MAX_REGIONS if limit is None else limit, Deadline(seconds))


class _Cell(NamedTuple):
    polytope: Polytope
    #: each value of the program so far, as a form over the inputs
    forms: tuple[Affine, ...]


def _enumerated(program: Program, outputs: Sequence[Affine], limit: int, deadline: Deadline) -> list[Region]:
    cells = [_Cell(unit_cube(program.inputs), tuple(Affine.variable(j) for j in range(program.inputs)))]
    for case in program.cases.values():
        top = ONE if case.kind == "clip" else None
        parts: list[_Cell] = []
        for cell in cells:
            parts += _split(cell, case.argument.substitute(cell.forms), top)
            deadline.check()
        cells = parts
        if len(cells) > limit:
            raise Undecided(f"the function has more than {limit:,} linear regions")
    return [Region(cell.polytope, tuple(form.substitute(cell.forms) for form in outputs)) for cell in cells]


def _split(cell: _Cell, argument: Affine, top: Number | None) -> list[_Cell]:
    """Cut a cell where ρ(argument) bends; σ(argument) if there is a top."""
    below, above = cell.polytope.cut(argument)
    parts = [] if below is None else [(below, Affine(()))]
    if above is not None and top is not None:
        above, saturated = above.cut(argument.shifted(-top))
        if saturated is not None:
            parts.append((saturated, Affine((), top)))
    if above is not None:
        parts.append((above, argument))
    return [_Cell(polytope, (*cell.forms, form)) for polytope, form in parts]


def same_function(a: Formula | Network, b: Formula | Network) -> bool:
    """Decide equality everywhere on the common linear regions: affine forms that agree on a region are equal."""
    for region in linear_regions(a, b):
        half = len(region.outputs) // 2
        if region.outputs[:half] != region.outputs[half:]:
            return False
    return True
