"""Formulas and networks as functions on the unit cube, so that any two of them can be compared."""

from __future__ import annotations

from collections.abc import Sequence

from verimv.errors import InputError
from verimv.exact import ONE, ZERO, Number, format_number
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Network
from verimv.networks.normalise import to_unit_cube
from verimv.networks.program import Program
from verimv.smt.encode import definitions_smtlib
from verimv.terms.formula import Formula


class Function:
    """A formula, or a network whose box is mapped onto the unit cube. Points are points of the cube."""

    def __init__(self, subject: Formula | Network) -> None:
        self.subject = subject
        self.inputs = subject.inputs
        self.outputs = subject.outputs
        self.box: Box = subject.box if isinstance(subject, Network) else ((ZERO, ONE),) * len(subject.inputs)
        self._unit = to_unit_cube(subject) if isinstance(subject, Network) else subject

    def at(self, point: Sequence[Number]) -> list[Number]:
        """Exact outputs at a point of the unit cube."""
        if isinstance(self._unit, Network):
            return self._unit.at(point)
        return self._unit.at(dict(zip(self.inputs, point, strict=True)))

    def add_to(self, program: Program) -> list[Affine]:
        """The outputs as forms over the values of a program whose inputs are this function's, in order."""
        if isinstance(self._unit, Network):
            return program.add_network(self._unit)
        return program.add_formula(self._unit, self.inputs)

    def add_on_box(self, program: Program) -> list[Affine]:
        """As `add_to`, for a program on the user's own box."""
        if isinstance(self.subject, Network):
            return program.add_network(self.subject)
        return program.add_formula(self.subject, self.inputs)

    def named(self, point: Sequence[Number]) -> dict[str, str]:
        """A point of the cube in the user's own coordinates."""
        ends = zip(self.inputs, self.box, point, strict=True)
        return {name: format_number(low + (high - low) * u) for name, (low, high), u in ends}


def aligned(a: Function, b: Function) -> Function:
    """b with its inputs in a's order: by name where the names are the same, by position otherwise."""
    if len(a.inputs) != len(b.inputs) or len(a.outputs) != len(b.outputs):
        raise InputError(
            f"cannot compare: {len(a.inputs)} inputs and {len(a.outputs)} outputs on one side, "
            f"{len(b.inputs)} and {len(b.outputs)} on the other"
        )
    both_networks = isinstance(a.subject, Network) and isinstance(b.subject, Network)
    if set(a.inputs) == set(b.inputs) and a.inputs != b.inputs:
        b = _Reordered(b, a.inputs)
    if both_networks and a.box != b.box:
        raise InputError("cannot compare: the networks have different boxes; give one with --box")
    return b


def function_smtlib(subject: Formula | Network) -> str:
    """SMT-LIB 2 in which every input and output is a named constant; check-sat is left to the user."""
    function = Function(subject)
    program = Program(function.box)
    forms = function.add_on_box(program)
    return definitions_smtlib(program, dict(zip(function.outputs, forms, strict=True)), function.inputs)


class _Reordered(Function):
    def __init__(self, function: Function, inputs: tuple[str, ...]) -> None:
        super().__init__(function.subject)
        self._order = [inputs.index(name) for name in function.inputs]
        self._inner = function
        self.inputs = inputs
        self.box = tuple(function.box[function.inputs.index(name)] for name in inputs)

    def at(self, point: Sequence[Number]) -> list[Number]:
        return self._inner.at([point[i] for i in self._order])

    def add_to(self, program: Program) -> list[Affine]:
        if isinstance(self._unit, Formula):
            return program.add_formula(self._unit, self.inputs)
        first = self._unit.layers[0]
        numbers = dict(enumerate(self._order))
        rows = tuple(row.renumbered(numbers) for row in first.rows)
        layers = (type(first)(rows, first.width_in, first.activation), *self._unit.layers[1:])
        return program.add_network(Network(layers, self.inputs, self._unit.box, self.outputs))
