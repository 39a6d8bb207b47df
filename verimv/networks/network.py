"""Exact networks: affine layers with ReLU, clipped ReLU or no activation (Definition B.1 of the paper)."""

from __future__ import annotations

import itertools
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

from verimv.core.above import above
from verimv.core.display import Headed, cut, html_table
from verimv.core.errors import InputError
from verimv.core.suggest import did_you_mean, listed
from verimv.exact import ONE, ZERO, Algebraic, Number, as_number, clip, is_integer, shown
from verimv.formulas.parse import NAME, RESERVED
from verimv.networks.affine import Affine

Activation = Literal["relu", "crelu", "identity"]
ACTIVATIONS: tuple[Activation, ...] = get_args(Activation)

Box = tuple[tuple[Number, Number], ...]

#: The note of a network from a source that says nothing about ranges of inputs.
UNIT_CUBE = "no box is given: every input is assumed to be in [0,1]"


def activate(activation: Activation, value: Number) -> Number:
    """Apply ρ, σ or the identity to a value."""
    if activation == "relu":
        return value if value > 0 else ZERO
    return clip(value) if activation == "crelu" else value


@dataclass(frozen=True)
class Layer:
    """One affine form per neuron over the `width_in` values below, and their activation."""

    rows: tuple[Affine, ...]
    width_in: int
    activation: Activation

    def __post_init__(self) -> None:
        if self.activation not in ACTIVATIONS:
            raise InputError(f"activation: expected one of {', '.join(ACTIVATIONS)}, found {self.activation!r}")

    @staticmethod
    def of(weights: Sequence[Sequence[Any]], bias: Sequence[Any], activation: Activation = "relu") -> Layer:
        """Build a layer from a dense matrix (a row per neuron) and a bias vector; see :func:`as_number` for numbers."""
        if not len(weights) or not len(weights[0]):
            raise InputError("weights: expected at least one neuron with at least one input, found none")
        if len(bias) != len(weights):
            raise InputError(f"bias: expected {len(weights)} numbers, one per neuron, found {len(bias)}")
        width_in = len(weights[0])
        rows = []
        for i, row in enumerate(weights):
            if len(row) != width_in:
                raise InputError(f"weights[{i}]: expected {width_in} numbers as in weights[0], found {len(row)}")
            rows.append(Affine(enumerate(as_number(w) for w in row), as_number(bias[i])))
        return Layer(tuple(rows), width_in, activation)


@dataclass(frozen=True, repr=False)
class Network(Headed):
    """Layers applied in order to inputs from a box. Immutable; every number exact."""

    layers: tuple[Layer, ...]
    inputs: tuple[str, ...]
    box: Box
    outputs: tuple[str, ...]
    #: full names of inputs and outputs that have other names than their identifiers (:mod:`verimv.networks.names`)
    labels: Mapping[str, str] = field(default_factory=dict, compare=False)
    #: what a reader of the network should know: how its outputs are meant, and what was assumed
    notes: tuple[str, ...] = field(default=(), compare=False)

    @staticmethod
    def of(
        layers: Iterable[Layer],
        inputs: Sequence[str] | None = None,
        box: Sequence[Sequence[Any]] | None = None,
        outputs: Sequence[str] | None = None,
    ) -> Network:
        """Build and check a network; names default to x1…, y1…, the box to the unit cube."""
        layers = tuple(layers)
        if not layers:
            raise InputError("layers: expected at least one layer, found none")
        for index, (below, layer) in enumerate(itertools.pairwise(layers)):
            if layer.width_in != len(below.rows):
                raise InputError(
                    f"layers[{index + 1}]: expected rows of {len(below.rows)} weights, one per neuron of "
                    f"the layer below, found {layer.width_in}"
                )
        width_in, width_out = layers[0].width_in, len(layers[-1].rows)
        network = Network(
            layers,
            _names("inputs", inputs, "x", width_in),
            checked_box(box, width_in),
            _names("outputs", outputs, "y", width_out),
        )
        clash = set(network.inputs) & set(network.outputs)
        if clash:
            raise InputError(f"outputs: {shown(min(clash))} is an input too")
        return network

    def label(self, name: str) -> str:
        """Return the full name of an input or output."""
        return self.labels.get(name, name)

    def __call__(self, *point: Any) -> Any:
        """Return the exact value at a point: a number, or a tuple of them for several outputs."""
        values = self.at(point)
        return values[0] if len(values) == 1 else tuple(values)

    def at(self, point: Mapping[str, Any] | Sequence[Any]) -> list[Number]:
        """Return exact outputs at one point, given by the names of the inputs or in their order."""
        values = self.point(point)
        for layer in self.layers:
            values = [activate(layer.activation, row(values)) for row in layer.rows]
        return values

    def point(self, at: Mapping[str, Any] | Sequence[Any]) -> list[Number]:
        """Return exact numbers in the order of the inputs, for a point given so or by names."""
        if isinstance(at, Mapping):
            meant = {**{self.label(name): name for name in self.inputs}, **{name: name for name in self.inputs}}
            found = {meant.get(name, name): value for name, value in at.items()}
            if len(found) != len(at) or found.keys() != set(self.inputs):
                told = ", ".join(map(self.label, self.inputs))
                raise InputError(f"expected a value for each of {told}; found {', '.join(map(str, at)) or 'none'}")
            return [as_number(found[name]) for name in self.inputs]
        if isinstance(at, str) or len(at) != len(self.inputs):
            raise InputError(f"expected {len(self.inputs)} values, found {len(at)}")
        return [as_number(x) for x in at]

    def trace(self, point: Mapping[str, Any] | Sequence[Any]) -> list[list[Number]]:
        """Return the pre-activation values of every layer at one point."""
        values, traced = self.point(point), []
        for layer in self.layers:
            traced.append([row(values) for row in layer.rows])
            values = [activate(layer.activation, t) for t in traced[-1]]
        return traced

    def _headline(self) -> str:
        names = f"{', '.join(self.inputs)} → {', '.join(self.outputs)}"
        return f"{cut(names, 80)}: {self.neurons:,} neurons"

    def _repr_html_(self) -> str:
        """Return a table for notebooks, with a row per layer."""
        title = f"network {self._headline()}, {self.number_kind} weights"
        box = ", ".join(f"{name} ∈ [{low}, {high}]" for name, (low, high) in zip(self.inputs, self.box, strict=True))
        rows = [
            (f"layer {depth}", f"{len(layer.rows):,} × {layer.activation}", f"{weights:,} weights")
            for depth, layer in enumerate(self.layers, start=1)
            for weights in [sum(len(row.terms) for row in layer.rows)]
        ]
        return html_table(title, [("box", "the unit cube" if self.is_on_unit_cube() else box), *rows])

    @property
    def neurons(self) -> int:
        """Number of hidden and output neurons that have an activation."""
        return sum(len(layer.rows) for layer in self.layers if layer.activation != "identity")

    @property
    def number_kind(self) -> Literal["integer", "rational", "algebraic"]:
        """Kind of the weights, which determines the logic of the formula."""
        kind: Literal["integer", "rational"] = "integer"
        for layer in self.layers:
            for row in layer.rows:
                for number in (row.constant, *(w for _, w in row.terms)):
                    if isinstance(number, Algebraic):
                        return "algebraic"
                    if not is_integer(number):
                        kind = "rational"
        return kind

    def on_box(self, box: Sequence[Sequence[Any]]) -> Network:
        """Return the same network on another box, a pair of numbers for each input."""
        notes = tuple(note for note in self.notes if note != UNIT_CUBE)
        return replace(self, box=checked_box(box, len(self.inputs)), notes=notes)

    def is_on_unit_cube(self) -> bool:
        return all(low == 0 and high == 1 for low, high in self.box)

    def output_index(self, output: str | int) -> int:
        """Return the index of an output given by name or index (from 0)."""
        for names in (self.outputs, [self.label(name) for name in self.outputs]):
            if isinstance(output, str) and output in names:
                return names.index(output)
        if str(output).isascii() and str(output).isdigit() and int(output) < len(self.outputs):
            return int(output)
        known = [self.label(name) for name in self.outputs]
        raise InputError(
            f"no output {shown(str(output))}: there are {listed(known)} (or an index below {len(known)})"
            f"{did_you_mean(str(output), known)}"
        )

    def to_json(self) -> str:
        """Return network JSON, exactly and with full names."""
        from verimv.networks.formats.json_format import write_network

        return "".join(write_network(self, full_names=True))

    def to_onnx(self) -> bytes:
        """Return an ONNX file; numbers that are no floats are rounded."""
        from verimv.networks.formats.onnx_format.model_writer import export_onnx

        return export_onnx(self).data

    def to_nnet(self) -> str:
        """Return an NNet file; numbers that are no decimals are rounded."""
        from verimv.networks.formats.nnet_format import export_nnet

        return export_nnet(self).data.decode()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write the network to a file: .json (exactly), .onnx or .nnet."""
        above("show.saving", "save_network", self, path)

    def select(self, output: str | int) -> Network:
        """Return the network of one output."""
        index = self.output_index(output)
        last = self.layers[-1]
        layers = (*self.layers[:-1], replace(last, rows=(last.rows[index],)))
        return replace(self, layers=layers, outputs=(self.outputs[index],))


def assuming_unit_cube(network: Network) -> Network:
    """Return a network with the note that its box is an assumption."""
    return replace(network, notes=(*network.notes, UNIT_CUBE))


def _names(what: str, names: Sequence[str] | None, letter: str, count: int) -> tuple[str, ...]:
    if names is None:
        return tuple(f"{letter}{i + 1}" for i in range(count))
    if len(names) != count:
        raise InputError(f"{what}: expected {count} names, found {len(names)}")
    seen: set[str] = set()
    for i, name in enumerate(names):
        if not isinstance(name, str) or not re.fullmatch(NAME, name) or name in RESERVED:
            raise InputError(f"{what}[{i}]: expected a name (letters, digits, _ . '), found {shown(str(name))}")
        if name in seen:
            raise InputError(f"{what}[{i}]: {name} is named twice")
        seen.add(name)
    return tuple(names)


def checked_box(box: Sequence[Sequence[Any]] | None, count: int) -> Box:
    """Return a checked box, one pair low ≤ high per input; the unit cube by default."""
    if box is None:
        return ((ZERO, ONE),) * count
    if len(box) != count:
        raise InputError(f"box: expected {count} pairs, one per input, found {len(box)}")
    result = []
    for i, pair in enumerate(box):
        if len(pair) != 2:
            raise InputError(f"box[{i}]: expected a lower and an upper end, found {len(pair)} numbers")
        low, high = as_number(pair[0]), as_number(pair[1])
        if low > high:
            raise InputError(f"box[{i}]: the lower end {low} is above the upper end {high}")
        result.append((low, high))
    return tuple(result)
