"""Formulas and networks as functions on the unit cube, so that any two of them can be compared."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

from verimv.core.errors import InputError, check_type
from verimv.core.suggest import listed
from verimv.exact import ONE, ZERO, Number, format_number
from verimv.formulas.formula import Formula
from verimv.networks.affine import Affine
from verimv.networks.network import Box, Network
from verimv.networks.program import Program
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.solvers.encode import definitions_smtlib


class Function:
    """A formula, or a network whose box is mapped onto the unit cube. Points are points of the cube.

    `inputs` and `outputs` give the order of coordinates and values, if it is not that of the subject.
    """

    def __init__(
        self, subject: Formula | Network, inputs: Sequence[str] | None = None, outputs: Sequence[str] | None = None
    ) -> None:
        check_type(subject, Formula, Network)
        self.subject = subject
        self.inputs = tuple(subject.inputs if inputs is None else inputs)
        self.outputs = tuple(subject.outputs if outputs is None else outputs)
        own = dict(zip(subject.inputs, subject.box, strict=True)) if isinstance(subject, Network) else {}
        self.box: Box = tuple(own.get(name, (ZERO, ONE)) for name in self.inputs)
        self._positions = [self.inputs.index(name) for name in subject.inputs]
        self._chosen = [subject.outputs.index(name) for name in self.outputs]

    @cached_property
    def unit(self) -> Formula | Network:
        """The subject as a function on the unit cube, with its own order of inputs and outputs."""
        return to_unit_cube(self.subject) if isinstance(self.subject, Network) else self.subject

    def at(self, point: Sequence[Number]) -> list[Number]:
        """Return exact outputs at a point of the unit cube."""
        own = [point[i] for i in self._positions]
        if isinstance(self.unit, Network):
            values = self.unit.at(own)
        else:
            values = self.unit.at(dict(zip(self.unit.inputs, own, strict=True)))
        return [values[i] for i in self._chosen]

    def add_to(self, program: Program) -> list[Affine]:
        """Add the function to a program with the same inputs in the same order; return the outputs as forms."""
        if isinstance(self.unit, Network):
            forms = program.add_network(self.unit, positions=self._positions)
        else:
            forms = program.add_formula(self.unit, self.inputs)
        return [forms[i] for i in self._chosen]

    def named(self, point: Sequence[Number]) -> dict[str, str]:
        """Return a point of the cube in the coordinates of the subject."""
        ends = zip(self.inputs, self.box, point, strict=True)
        return {name: format_number(low + (high - low) * u) for name, (low, high), u in ends}


def aligned(a: Formula | Network, b: Formula | Network) -> tuple[Function, Function]:
    """Return two subjects as functions of the same inputs, with outputs in the same order; see :func:`together`."""
    first, second = together(a, b)
    outputs = _matched("outputs", a.outputs, b.outputs)
    return first, Function(b, second.inputs, outputs)


def together(a: Formula | Network, b: Formula | Network) -> tuple[Function, Function]:
    """Return two subjects as functions of the same inputs, in the same order.

    Inputs are matched by name. Two formulas are functions of the variables of both; a formula that is compared with a
    network need not use all inputs. If no name is shared, inputs are matched by position.
    """
    check_type(a, Formula, Network)
    check_type(b, Formula, Network)
    networks = [subject for subject in (a, b) if isinstance(subject, Network)]
    if not networks:
        inputs = tuple(dict.fromkeys(a.inputs + b.inputs))
        return Function(a, inputs), Function(b, inputs)
    if len(networks) == 2 and networks[0].box != _reordered_box(networks[1], _matched("inputs", a.inputs, b.inputs)):
        raise InputError("cannot compare: the networks have different boxes; give one with --box")
    names = networks[0].inputs
    return _on(a, names), _on(b, names)


def by_position(a: Formula | Network, b: Formula | Network) -> dict[str, str]:
    """Return the inputs that :func:`together` matches although their names differ."""
    if isinstance(a, Formula) and isinstance(b, Formula):
        return {}
    disjoint = not set(a.inputs) & set(b.inputs)
    return dict(zip(a.inputs, b.inputs, strict=True)) if disjoint and a.inputs and b.inputs else {}


def _on(subject: Formula | Network, names: tuple[str, ...]) -> Function:
    """Return the subject as a function of a network's inputs."""
    if set(subject.inputs) <= set(names) and (isinstance(subject, Formula) or len(subject.inputs) == len(names)):
        return Function(subject, names)
    return Function(subject, _matched("inputs", names, subject.inputs))


def _matched(what: str, names: Sequence[str], others: Sequence[str]) -> tuple[str, ...]:
    """Return the other names in the order of `names`."""
    if set(names) == set(others):
        return tuple(names)
    if len(names) == len(others) and not set(names) & set(others):
        return tuple(others)
    need = "the same names" if len(names) == len(others) else f"the same number of {what}"
    raise InputError(
        f"cannot compare: the {what} are {listed(names)} on one side, {listed(others)} on the other; both need {need}"
    )


def _reordered_box(network: Network, names: Sequence[str]) -> Box:
    return tuple(network.box[network.inputs.index(name)] for name in names)


def function_smtlib(subject: Formula | Network) -> str:
    """Return SMT-LIB 2 in which every input and output is a named constant, without check-sat."""
    if isinstance(subject, Network):
        program = Program(subject.box)
        forms = program.add_network(subject)
    else:
        program = Program(((ZERO, ONE),) * len(subject.inputs))
        forms = program.add_formula(subject, subject.inputs)
    return definitions_smtlib(program, dict(zip(subject.outputs, forms, strict=True)), subject.inputs)
