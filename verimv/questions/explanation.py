"""Why does a network have this value at this point? Its units there, its linear form, and how far both stay the same.

At a point, every unit is off (its argument is at most 0), rising, or full (a clipped unit whose argument is at least
1). While no unit changes its state, the network is one linear function of its inputs. All numbers are exact.
"""

from __future__ import annotations

import os
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from pathlib import Path
from typing import Any, NamedTuple

from verimv.core.display import Headed, html_table
from verimv.core.errors import InputError
from verimv.core.recorded import Recorded
from verimv.exact import ONE, ZERO, Number, format_number
from verimv.networks.affine import Affine
from verimv.networks.formats.json_format import read_network
from verimv.networks.names import named, recorded
from verimv.networks.network import Activation, Network, activate
from verimv.networks.transforms.outputs import OutputMap, chosen
from verimv.questions.extracted import ExtractedFormula, check_inside, extracted_formula, read_summary
from verimv.questions.subjects import as_subject

OFF, RISING, FULL = "off", "rising", "full"


class UnitAt(NamedTuple):
    """A neuron with an activation (layers from 1, neurons from 0, as in `verimv bounds`) at the point."""

    layer: int
    number: int
    state: str
    argument: Number
    value: Number
    #: what the decision gains for each unit of `value`
    weight: Number = ZERO

    @property
    def name(self) -> str:
        return f"{self.layer}:{self.number}"


class OutputAt(NamedTuple):
    """An output at the point; `form` is what it is around the point, over the inputs."""

    name: str
    value: Number
    form: Affine
    #: the value of the certified formula, and what takes it to the output, if there is one
    formula: Number | None = None
    map: OutputMap = OutputMap()


class Move(NamedTuple):
    """What happens first if one input moves up (+1) or down (−1), within the box."""

    input: int
    way: int
    #: how far the input may move before a unit changes its state, or to the end of the box
    distance: Number
    #: the unit that changes and its new state; None if the box ends first
    unit: UnitAt | None
    becomes: str
    #: how far the input moves until the decision is 0, if it becomes so before a unit changes
    decided: Number | None


@dataclass(frozen=True, repr=False)
class Explanation(Recorded, Headed):
    """A network at a point. `decision` is the only output, or the largest minus the second largest."""

    network: Network
    point: tuple[Number, ...]
    outputs: tuple[OutputAt, ...]
    units: tuple[UnitAt, ...]
    decision: OutputAt
    moves: tuple[Move, ...]
    #: nothing changes while every input moves by less than this share of its range; None: whatever the inputs are
    radius: Number | None
    #: what the directory proves, a line for each output
    statement: tuple[str, ...] = ()
    values: tuple[tuple[Number, ...], ...] = field(default=(), compare=False)

    @cached_property
    def counts(self) -> dict[str, int]:
        found = Counter(unit.state for unit in self.units)
        return {state: found[state] for state in (OFF, RISING, FULL)}

    @property
    def nearest(self) -> Move | None:
        """The change that is nearest if a single input moves, as a share of its range."""
        changes = [move for move in self.moves if move.unit is not None]
        return min(changes, key=self.share, default=None)

    def share(self, move: Move) -> Number:
        """Return the distance of a move as a share of the input's range."""
        low, high = self.network.box[move.input]
        return move.distance / (high - low)

    def _headline(self) -> str:
        return ", ".join(f"{output.name} = {output.value}" for output in self.outputs)

    def __str__(self) -> str:
        return self.text()

    def text(self, numbers: str = "auto") -> str:
        """Return what `verimv explain` prints; `numbers` is "exact", "decimal", "both" or "auto"."""
        from verimv.questions.explained_text import explained

        return "\n".join(explained(self, numbers))

    def _repr_html_(self) -> str:
        heading, *lines = self.text().splitlines()
        return html_table(heading, [(line,) for line in lines if line])

    def to_dict(self) -> dict[str, Any]:
        """Return what `verimv explain --json` prints: exact numbers, as text."""
        nearest = self.nearest
        return {
            "point": self._by_input(self.point),
            "outputs": [self._output_data(output) for output in self.outputs],
            "units": [
                {
                    "layer": unit.layer,
                    "index": unit.number,
                    "state": unit.state,
                    "argument": format_number(unit.argument),
                    "value": format_number(unit.value),
                }
                for unit in self.units
            ],
            "counts": self.counts,
            "decision": self._output_data(self.decision),
            "changes": [self._move_data(move) for move in self.moves],
            "nearest": None if nearest is None else self._move_data(nearest),
            "radius": None if self.radius is None else format_number(self.radius),
            "statement": list(self.statement),
            "names": dict(self.network.labels),
        }

    def _by_input(self, numbers: Sequence[Number]) -> dict[str, str]:
        return dict(zip(self.network.inputs, map(format_number, numbers), strict=True))

    def _output_data(self, output: OutputAt) -> dict[str, Any]:
        linear = output.form
        data: dict[str, Any] = {
            "name": output.name,
            "value": format_number(output.value),
            "constant": format_number(linear.constant),
            "slopes": self._by_input(linear.dense(len(self.point))),
        }
        if output.formula is not None:
            scale, offset = map(format_number, output.map)
            data |= {"formula": format_number(output.formula), "scale": scale, "offset": offset}
        return data

    def _move_data(self, move: Move) -> dict[str, Any]:
        return {
            "input": self.network.inputs[move.input],
            "way": "up" if move.way > 0 else "down",
            "distance": format_number(move.distance),
            "share": format_number(self.share(move)),
            "to": format_number(self.point[move.input] + move.way * move.distance),
            "unit": None if move.unit is None else [move.unit.layer, move.unit.number],
            "becomes": move.becomes or None,
            "zero_after": None if move.decided is None else format_number(move.decided),
        }


def explain(
    subject: Any,
    at: Mapping[str, Any] | Sequence[Any],
    *,
    output: str | int | None = None,
    margin: tuple[str | int, str | int] | None = None,
    names: Sequence[str] = (),
) -> Explanation:
    """Explain a network at a point, given by the names of its inputs or in their order.

    `subject` is a network, anything that :func:`verimv.load` reads, or a directory that verimv certified: then the
    kernels check it first, and the value of its formula is shown, too. `output` and `margin` choose outputs.
    """
    if isinstance(subject, str | os.PathLike) and Path(subject).is_dir():
        certified = CertifiedDirectory(os.fspath(subject))
        if (output, margin) != (None, None):
            raise InputError("a directory is explained as it is certified: leave out the output and the margin")
        network = named(certified.network, names)
        return explained_at(network, network.point(at), certified)
    loaded = as_subject(subject)
    if not isinstance(loaded, Network):
        raise InputError("expected a network, found a formula (verimv convert turns it into one)")
    network = chosen(named(loaded, names), output, margin)
    return explained_at(network, network.point(at))


class CertifiedDirectory:
    """A directory that the kernels have just checked: the network on its own box, and the formula if there is one."""

    def __init__(self, directory: str) -> None:
        from verimv.core.files import read_text
        from verimv.kernels.judge import check_files
        from verimv.kernels.verdicts import CERTIFICATE_FILES

        folder = Path(directory)
        if not any((folder / name).exists() for name in CERTIFICATE_FILES):
            raise InputError("is a directory without a certificate", source=directory)
        self.statement = check_files(directory)
        path = next(filter(Path.exists, (folder / name for name in ("source.json", "network.json"))), None)
        if path is None:
            raise InputError("certifies two formulas: expected a certificate of a network", source=directory)
        summary = read_summary(folder / "summary.json")
        network = read_network(read_text(path), str(path))
        self.network = named(network, *self._full_names(network, recorded(summary or {})))
        has_formula = (folder / "formula.mv").exists() and summary is not None
        self.formula: ExtractedFormula | None = extracted_formula(directory) if has_formula else None

    @staticmethod
    def _full_names(network: Network, labels: Mapping[str, str]) -> tuple[list[str], list[str]]:
        inputs, outputs = ([labels.get(name, name) for name in part] for part in (network.inputs, network.outputs))
        return inputs, outputs

    def values(self, point: Sequence[Number]) -> list[tuple[Number, OutputMap]]:
        """Return the value of the formula at the point, and its map, for each output."""
        if self.formula is None:
            return []
        inner = self.formula.inner(dict(zip(self.formula.inputs, point, strict=True)))
        return list(zip(self.formula.formula.at(inner), self.formula.maps, strict=True))


def explained_at(network: Network, point: Sequence[Number], certified: CertifiedDirectory | None = None) -> Explanation:
    """Return the explanation at a point of the network's box."""
    check_inside(dict(zip(network.inputs, point, strict=True)), network.inputs, network.box)
    arguments = network.trace(point)
    states = [[_state(layer.activation, t) for t in row] for layer, row in zip(network.layers, arguments, strict=True)]
    arguments_forms, forms = _forms(network, states)
    values = tuple(
        tuple(activate(layer.activation, t) for t in row) for layer, row in zip(network.layers, arguments, strict=True)
    )
    formulas = certified.values(point) if certified is not None else []
    outputs = tuple(
        OutputAt(name, values[-1][k], forms[k], *(formulas[k] if formulas else ()))
        for k, name in enumerate(network.outputs)
    )
    decision, last = _decision(network, outputs)
    weights = _weights(network, states, last)
    units, unit_forms = [], []
    for depth, layer in enumerate(network.layers):
        if layer.activation != "identity":
            for i, t in enumerate(arguments[depth]):
                units.append(UnitAt(depth + 1, i, states[depth][i], t, values[depth][i], weights[depth][i]))
                unit_forms.append(arguments_forms[depth][i])
    edges = [_edges(unit, network.layers[unit.layer - 1].activation) for unit in units]
    moves = _moves(network, point, units, unit_forms, edges, decision)
    return Explanation(
        network,
        tuple(point),
        outputs,
        tuple(units),
        decision,
        moves,
        _radius(network, unit_forms, edges),
        tuple(certified.statement) if certified is not None else (),
        values,
    )


def _state(activation: Activation, argument: Number) -> str:
    if activation == "identity":
        return RISING
    if argument <= 0:
        return OFF
    return FULL if activation == "crelu" and argument >= 1 else RISING


def _forms(network: Network, states: list[list[str]]) -> tuple[list[list[Affine]], list[Affine]]:
    """Return the arguments of all neurons as forms over the inputs, and the outputs."""
    constant = {OFF: Affine(()), FULL: Affine((), ONE)}
    below = [Affine.variable(j) for j in range(len(network.inputs))]
    arguments: list[list[Affine]] = []
    for depth, (layer, row_states) in enumerate(zip(network.layers, states, strict=True)):
        arguments.append([row.substitute(below) if depth else row for row in layer.rows])
        below = [constant.get(state, form) for state, form in zip(row_states, arguments[-1], strict=True)]
    return arguments, below


def _decision(network: Network, outputs: Sequence[OutputAt]) -> tuple[OutputAt, dict[int, Number]]:
    """Return what decides, and its coefficients over the outputs."""
    if len(outputs) == 1:
        return outputs[0], {0: ONE}
    first, second = sorted(range(len(outputs)), key=lambda k: -outputs[k].value)[:2]
    a, b = outputs[first], outputs[second]
    name = f"{network.label(a.name)} minus {network.label(b.name)}"
    return OutputAt(name, a.value - b.value, a.form + -b.form), {first: ONE, second: -ONE}


def _weights(network: Network, states: list[list[str]], last: Mapping[int, Number]) -> list[list[Number]]:
    """Return what the decision gains for each unit that the value of a neuron grows by, from the outputs down."""
    weights = [[last.get(k, ZERO) for k in range(len(network.outputs))]]
    for layer, row_states in zip(reversed(network.layers[1:]), reversed(states[1:]), strict=True):
        below: list[Number] = [ZERO] * layer.width_in
        for weight, state, row in zip(weights[-1], row_states, layer.rows, strict=True):
            if weight and state == RISING:
                for j, w in row.terms:
                    below[j] = below[j] + weight * w
        weights.append(below)
    return weights[::-1]


def _edges(unit: UnitAt, activation: Activation) -> list[tuple[int, Number, str]]:
    """Return the edges of a unit's state: up or down, how far its argument is from there, and the state beyond."""
    t = unit.argument
    if unit.state == OFF:
        return [(1, -t, RISING)]
    if unit.state == FULL:
        return [(-1, t - 1, RISING)]
    return [(-1, t, OFF), *([(1, 1 - t, FULL)] if activation == "crelu" else [])]


def _moves(
    network: Network,
    point: Sequence[Number],
    units: Sequence[UnitAt],
    forms: Sequence[Affine],
    edges: Sequence[list[tuple[int, Number, str]]],
    decision: OutputAt,
) -> tuple[Move, ...]:
    first: dict[tuple[int, int], tuple[Number, UnitAt, str]] = {}
    for unit, form, found in zip(units, forms, edges, strict=True):
        for j, slope in form.terms:
            for side, gap, beyond in found:
                way = side if slope > 0 else -side
                distance = gap / abs(slope)
                known = first.get((j, way))
                # of two at the same distance, the one that has changed there already, not only beyond
                if known is None or (distance, beyond == RISING) < (known[0], known[2] == RISING):
                    first[j, way] = (distance, unit, beyond)
    slopes = dict(decision.form.terms)
    moves = []
    for j, (low, high) in enumerate(network.box):
        if low == high:
            continue
        for way, room in ((-1, point[j] - low), (1, high - point[j])):
            move = Move(j, way, room, None, "", None)
            if (change := first.get((j, way))) is not None:
                distance, _, beyond = change
                # at the end of the box itself a rising unit has left its state, another one has not
                if distance < room or (distance == room and beyond != RISING):
                    move = Move(j, way, *change, None)
            slope = slopes.get(j, ZERO) * way
            zero = -decision.value / slope if slope else None
            moves.append(move._replace(decided=zero) if zero is not None and 0 <= zero <= move.distance else move)
    return tuple(moves)


def _radius(network: Network, forms: Sequence[Affine], edges: Sequence[list[tuple[int, Number, str]]]) -> Number | None:
    widths = [high - low for low, high in network.box]
    least: Number | None = None
    for form, found in zip(forms, edges, strict=True):
        reach = sum((abs(w) * widths[j] for j, w in form.terms), ZERO)
        if reach:
            share = min(gap for _, gap, _ in found) / reach
            least = share if least is None or share < least else least
    return least
