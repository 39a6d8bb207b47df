"""A certificate for a network and a formula, or for two formulas, that extraction did not make.

Every node of a formula gets claims from the bottom up: its value, a form over nodes that really clip something, and the
sum that it clips. The network's neurons are then looked up among those sums. This finds a derivation where the network
has the formula's structure, as :func:`verimv.networks.to_network` builds it, chains flattened or not. Outputs of two
formulas whose forms differ are compared by cases, with so much work. Where no derivation is found, that says nothing
about equality.
"""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from typing import Any

from verimv.certificate.certificate import Certificate
from verimv.certificate.claims import Claims, NotMatched
from verimv.certificate.lines import Derivation
from verimv.certificate.writer import EVIDENCE_WORK, CertificateWriter
from verimv.core.effort import Deadline, Meter
from verimv.core.errors import Refuted, Undecided, check_type
from verimv.exact import ceil
from verimv.extraction.pipeline import extract_uncertified
from verimv.formulas.dag import Dag, reachable
from verimv.formulas.formula import Formula, copy
from verimv.formulas.mvfile import write_mv
from verimv.networks.affine import Affine
from verimv.networks.formats.json_format import write_network
from verimv.networks.formats.load import as_network
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import to_unit_cube


def certify(network: Any, formula: Formula, seconds: float = math.inf) -> Certificate | None:
    """A certificate that a network on its box equals a formula, outputs in order, if one is found in time."""
    network = as_network(network)
    check_type(formula, Formula)
    normalised = to_unit_cube(network)
    if len(formula.roots) != len(network.outputs) or not set(formula.inputs) <= set(network.inputs):
        return None
    meter = Meter(EVIDENCE_WORK, Deadline(seconds))
    renamed = Formula(formula.dag, network.inputs, formula.roots, network.outputs)
    try:
        derivation = _by_structure(normalised, renamed) or _by_extraction(normalised, renamed, meter)
    except (NotMatched, Refuted, Undecided):
        return None
    return checked(network_and_formula_texts(network, formula), derivation)


def network_and_formula_texts(network: Network, formula: Formula) -> dict[str, str]:
    """Return the subjects of a certificate about a network and a formula, which has the names of the network."""
    renamed = Formula(formula.dag, network.inputs, formula.roots, network.outputs)
    texts = {"network": write_network(to_unit_cube(network)), "formula": write_mv(renamed)}
    if not network.is_on_unit_cube():
        texts["source"] = write_network(network)
    return {name: "".join(pieces) for name, pieces in texts.items()}


def _by_structure(network: Network, formula: Formula) -> Derivation | None:
    claims = _claims(formula.dag, formula.inputs, formula.roots, Derivation())
    try:
        _follow(claims, network, formula)
    except NotMatched:
        return None
    return claims.derivation


def _claims(dag: Dag, inputs: Sequence[str], roots: Sequence[int], derivation: Derivation) -> Claims:
    """Return claims for all nodes under some roots."""
    claims = Claims(dag, derivation)
    for i, name in enumerate(inputs):
        claims.assume(dag.variable(name), derivation.input(i))
    claims.derive(reachable(dag, roots)[0])
    return claims


def _by_extraction(network: Network, formula: Formula, meter: Meter) -> Derivation:
    """The network equals its own formula, and that one equals the other by cases."""
    writer = CertificateWriter()
    extracted = extract_uncertified(network, listener=writer).formula
    count = len(network.outputs)
    proved = [json.loads(line)[2] for line in writer.derivation.lines[-count:]]
    derivation = writer.derivation.without_last(count)
    dag = Dag()
    left, right = copy(dag, extracted.roots, extracted.dag), copy(dag, formula.roots, formula.dag)
    claims = _claims(dag, formula.inputs, [*left, *right], derivation)
    for k, (claim, a, b) in enumerate(zip(proved, left, right, strict=True)):
        derivation.line("output", k, claim if a == b else claims.by_cases(a, b, claim, meter), "1", "0")
    return derivation


def certify_formulas(original: Formula, formula: Formula, seconds: float = math.inf) -> Certificate | None:
    """A certificate that two formulas with the same inputs and outputs are equal, if one is found in time."""
    check_type(original, Formula)
    check_type(formula, Formula)
    if (original.inputs, original.outputs) != (formula.inputs, formula.outputs):
        return None
    dag = Dag()
    left, right = copy(dag, original.roots, original.dag), copy(dag, formula.roots, formula.dag)
    claims = _claims(dag, formula.inputs, [*left, *right], Derivation())
    meter = Meter(EVIDENCE_WORK, Deadline(seconds))
    try:
        for k, (a, b) in enumerate(zip(left, right, strict=True)):
            value = claims.values[a]
            other = claims.values[b].number if claims.values[b].form == value.form else None
            if other is None:
                other = claims.by_cases(a, b, value.number, meter)
            claims.derivation.line("equal", k, value.number, other)
    except (NotMatched, Undecided):
        return None
    texts = {"original": "".join(write_mv(original)), "formula": "".join(write_mv(formula))}
    return checked(texts, claims.derivation)


def checked(texts: dict[str, str], derivation: Derivation, effort: int | None = None) -> Certificate | None:
    """Return the certificate if the kernels accept it, else None: it may have numbers that they do not read.

    `effort` is about how many seconds of work are allowed in any case, for a part of a larger certificate.
    kernel.py must accept it, with or without the verified kernel: the result is the same on every machine.
    """
    certificate = Certificate({name: text.encode() for name, text in texts.items()}, derivation.lines)
    by_python, *_ = certificate.judge(effort=effort).answers
    return certificate if by_python.status == "valid" else None


def _follow(claims: Claims, network: Network, formula: Formula) -> None:
    """Write lines for the network, neuron by neuron, with its values as forms over nodes."""
    values = [Affine.variable(formula.dag.variable(name)) for name in formula.inputs]
    for depth, layer in enumerate(network.layers, start=1):
        arguments = [row.substitute(values) for row in layer.rows]
        if layer.activation == "identity":
            values = arguments
        else:
            is_relu = layer.activation == "relu"
            values = [_neuron(claims, depth, i, argument, is_relu) for i, argument in enumerate(arguments)]
    for k, (root, value) in enumerate(zip(formula.roots, values, strict=True)):
        if claims.values[root].form != value:
            raise NotMatched
        claims.derivation.line("output", k, claims.values[root].number, "1", "0")


def _neuron(claims: Claims, depth: int, index: int, argument: Affine, is_relu: bool) -> Affine:
    """Step 1 with units that are nodes; or the argument itself, where the activation changes nothing."""
    low, high = argument.range_over_unit_cube()
    shifts = range(max(0, ceil(high)) if is_relu else 1)
    units = [_unit(claims, argument.shifted(-i)) for i in shifts]
    found = [unit for unit in units if unit is not None]
    if len(found) == len(units):
        claims.derivation.line("clip", depth, index, "1", 0, *(number for number, _ in found))
        return sum((form for _, form in found), Affine(()))
    if low >= 0 and (is_relu or high <= 1):
        claims.derivation.line("affine", depth, index)
        return argument
    raise NotMatched


def _unit(claims: Claims, form: Affine) -> tuple[int, Affine] | None:
    """A reference to a node that is σ(form), or one minus that, and its value."""
    if (claim := claims.known.get(form)) is not None:
        return claim.number, Affine.variable(claim.node)
    if (claim := claims.known.get(form.complement())) is not None:
        return -claim.number, Affine.variable(claim.node).complement()
    return None
