"""Subjects of a certificate for its obligations: networks over [0,1], neuron by neuron.

The kernel's readers read the files, so that both agree about what is malformed. Boxes are mapped onto the unit cube
here, and neurons of two networks are shared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

from verimv import kernel
from verimv.exact import ONE, Algebraic, Number, Rational, parse_number
from verimv.networks.affine import Affine
from verimv.networks.network import Activation, activate


def exact(x: kernel.Number) -> Number:
    """Convert a number of the kernel to one of verimv."""
    if isinstance(x, kernel.Surd):
        return parse_number(kernel.written_number(x))
    return Rational(x.numerator, x.denominator)


def affine(found: kernel.Affine) -> Affine:
    """Convert an affine function of the kernel to one of verimv."""
    denominator, keys, numerators = found.linear
    coefficients = [exact(kernel.quotient(numerator, denominator)) for numerator in numerators]
    return Affine(zip(keys, coefficients, strict=True), exact(found.constant))


class CertifiedLayer(NamedTuple):
    """Neurons with an activation: the variable of the first, and their arguments over variables (FORMAT §8)."""

    first: int
    activation: Activation
    arguments: list[Affine]


class Raw(NamedTuple):
    """A network as in its file: a box, and rows over the values below."""

    box: list[tuple[Number, Number]]
    layers: list[tuple[Activation, list[Affine]]]


def read_raw(text: str) -> Raw:
    """Read a network that the kernel can read."""
    data = kernel.decoded(text)
    box = [(exact(low), exact(high)) for low, high in map(kernel.read_interval, data["box"])]
    work = kernel.Work(len(text))
    width, layers = len(box), []
    for found in data["layers"]:
        activation, rows = kernel.read_layer(found, width, work)
        layers.append((_activation(activation), [affine(row) for row in rows]))
        width = len(rows)
    return Raw(box, layers)


def _activation(text: str) -> Activation:
    names: Mapping[str, Activation] = {"relu": "relu", "crelu": "crelu", "identity": "identity"}
    return names[text]


def box_map(raw: Raw) -> list[Affine]:
    """Return the inputs as affine functions of values in [0,1]."""
    return [Affine([(j, high - low)], low) for j, (low, high) in enumerate(raw.box)]


def over_unit_cube(raw: Raw, first: int) -> list[CertifiedLayer]:
    """Return the layers over the unit cube; the first neuron is the variable `first`."""
    layers: list[CertifiedLayer] = []
    for activation, rows in raw.layers:
        if not layers:
            arguments = [row.substitute(box_map(raw)) for row in rows]
        else:
            start = layers[-1].first
            arguments = [Affine([(start + j, w) for j, w in row.terms], row.constant) for row in rows]
        layers.append(CertifiedLayer(first, activation, arguments))
        first += len(rows)
    return layers


def difference(a: Sequence[CertifiedLayer], b: Sequence[CertifiedLayer]) -> list[CertifiedLayer]:
    """Return the layers of both networks, and a last one for the differences of their outputs."""
    one, other = a[-1], b[-1]
    arguments = [Affine([(one.first + k, ONE), (other.first + k, -ONE)]) for k in range(len(one.arguments))]
    return [*a, *b, CertifiedLayer(other.first + len(other.arguments), "identity", arguments)]


class Multiple(NamedTuple):
    """A neuron is `factor` times an earlier one with the same activation, because its argument is."""

    neuron: int
    original: int
    factor: Number
    activation: Activation


def share(layers: Sequence[CertifiedLayer]) -> tuple[list[CertifiedLayer], list[Multiple]]:
    """Return layers whose arguments mention no neuron that is a number or a multiple of an earlier one (FORMAT §3)."""
    known: dict[int, Affine] = {}
    originals: dict[tuple[str, Affine], tuple[int, Number]] = {}
    result, multiples = [], []
    for layer in layers:
        arguments = []
        for k, given in enumerate(layer.arguments, start=layer.first):
            argument = given.substitute({j: known.get(j) or Affine.variable(j) for j, _ in given.terms})
            arguments.append(argument)
            if not argument.terms:
                known[k] = Affine((), activate(layer.activation, argument.constant))
                continue
            scale = _scale(layer.activation, argument)
            original, its_scale = originals.setdefault((layer.activation, argument.scaled(1 / scale)), (k, scale))
            if original != k:
                known[k] = Affine([(original, scale / its_scale)])
                multiples.append(Multiple(k, original, scale / its_scale, layer.activation))
        result.append(CertifiedLayer(layer.first, layer.activation, arguments))
    return result, multiples


def _scale(activation: Activation, argument: Affine) -> Number:
    lead = argument.constant or argument.terms[0][1]
    if isinstance(lead, Algebraic) or activation == "crelu":
        return ONE
    return abs(lead)


class Line(NamedTuple):
    """A line of a certificate: its number, its rule, and the arguments of the rule."""

    number: int
    rule: str
    arguments: list[Any]


def read_lines(lines: Iterator[bytes], start: int = 2) -> Iterator[Line]:
    """Yield the lines after the header. Raises :class:`verimv.kernel.Rejected` for a malformed line."""
    for number, text in enumerate(lines, start=start):
        rule: str | None = None
        try:
            data = kernel.decoded_line(text)
            kernel.well_formed(type(data) is list and bool(data), "a list that begins with the name of a rule", data)
            rule, *given = data
            yield Line(number, rule, list(_arguments(rule, given)))
        except kernel.Rejected as rejected:
            rejected.line, rejected.rule = number, None if rule is None else kernel.shown(rule)
            raise


def _arguments(name: object, given: list[Any]) -> Iterator[Any]:
    rule = kernel.RULES.get(name) if type(name) is str else None
    if rule is None:
        raise kernel.Rejected("malformed", "the name of a rule", name)
    least = len(rule.kinds)
    kernel.well_formed(len(given) >= least, f"at least {least} argument(s)", len(given))
    kernel.well_formed(rule.rest is not None or len(given) == least, f"{least} argument(s)", len(given))
    for kind, value in zip(rule.kinds, given, strict=False):
        read = kind(value)
        yield exact(read) if kind is kernel.number else read
    if rule.rest is not None:
        yield [rule.rest(value) for value in given[len(rule.kinds) :]]
