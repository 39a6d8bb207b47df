"""Certificates without a formula: ranges of a network's outputs, or of the difference of two; and conflicts."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from verimv.bounding.prove.box_walk import BoxWalk
from verimv.bounding.results import NetworkBounds
from verimv.bounding.search.box_conflict import Conflict
from verimv.bounding.search.output_range import RangeEvidence, prove_ranges
from verimv.bounding.search.pair import DifferenceEvidence, Facts, Subnetwork, prove_difference, reordered
from verimv.bounding.search.twin_cases import TwinEvidence
from verimv.bounding.situation import LeafCase, Target, lemma
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_pair import checked
from verimv.certificate.lines import Derivation
from verimv.certificate.numbering import Numbering, PairNumbering, Translation, write_bound
from verimv.certificate.twin_lines import twin_lines
from verimv.certificate.writer import EVIDENCE_WORK
from verimv.core.effort import Deadline
from verimv.core.errors import InputError, Undecided
from verimv.exact import ONE, Number, as_number
from verimv.networks.formats.json_format import write_network
from verimv.networks.formats.load import as_network
from verimv.networks.network import Network
from verimv.networks.transforms.joint import SharedPair
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.networks.transforms.truth_value import with_truth_value
from verimv.solvers.functions import aligned


def certify_range(network: Any, ranges: Sequence[tuple[Any, Any]], seconds: float = math.inf) -> Certificate | None:
    """Return a certificate that every output of a network stays within its range; None if no evidence is found in time.

    `ranges` has a pair of exact numbers for each output.
    """
    network = as_network(network)
    if len(ranges) != len(network.outputs):
        raise InputError(f"expected a range for each of {len(network.outputs)} outputs, found {len(ranges)}")
    unit = to_unit_cube(network)
    ends = [(as_number(low), as_number(high)) for low, high in ranges]
    try:
        evidence = prove_ranges(unit, ends, EVIDENCE_WORK, Deadline(seconds))
    except Undecided:
        return None
    if evidence is None:
        return None
    return checked({"network": "".join(write_network(network))}, _range_lines(unit, evidence))


def certify_margin(network: Network, evidence: RangeEvidence) -> Certificate | None:
    """Return the certificate of evidence about the range of a network's output; None if the kernel does not accept
    it."""
    return checked({"network": "".join(write_network(network))}, _range_lines(to_unit_cube(network), evidence))


def _range_lines(network: Network, evidence: RangeEvidence) -> Derivation:
    """Return a line for each bound of a hidden neuron, then one for each end of an output."""
    derivation, numbering = Derivation(), Numbering(network)
    for target, cases in (*evidence.hidden.lemmas(len(network.layers)), *evidence.proofs):
        write_bound(derivation, (target.layer, target.index), target, numbering.numbered(cases))
    return derivation


def certify_conflict(network: Network, conflict: Conflict) -> Certificate:
    """Return the certificate that some output of a network is above 0 everywhere: that its truth value is 1.

    `conflict` is what was found about the network, mapped onto the unit cube. The kernels are not asked yet.
    """
    with_value = with_truth_value(network, conflict.threshold)
    unit = to_unit_cube(with_value)
    place = (len(unit.layers), 0)
    derivation, numbering = Derivation(), Numbering(unit)
    ascent = BoxWalk(unit).start(unit.box)
    for _ in unit.layers[:-1]:
        ascent.go_on(ascent.known_ranges())
    (most,) = ascent.bounds([(0, 1)])  # any upper bound will do
    write_bound(derivation, place, Target(*place, 1, lemma(most, 1)), [LeafCase()])
    write_bound(derivation, place, Target(*place, -1, ONE), numbering.numbered(conflict.cases))
    return Certificate({"network": "".join(write_network(with_value)).encode()}, derivation.lines)


def certify_difference(a: Any, b: Any, tolerance: Any = 0, seconds: float = math.inf) -> Certificate | None:
    """Return a certificate that two networks never differ by more than a tolerance; None if no evidence is found.

    They must have the same inputs and box; the second is written with the names of the first. If both have the same
    neurons, up to their order and positive factors, no search is needed. Otherwise they must have the same shape and
    rational weights, and evidence must be found in time.
    """
    a, tolerance = as_network(a), as_number(tolerance)
    b = _as_other(a, as_network(b))
    first, other = to_unit_cube(a), to_unit_cube(b)
    derivation = _by_sharing(first, other, tolerance)
    if derivation is None:
        try:
            evidence = prove_difference(first, other, tolerance, EVIDENCE_WORK, Deadline(seconds))
        except Undecided:
            return None
        if evidence is None:
            return None
        derivation = _difference_lines(evidence)
    return checked(pair_texts(a, b), derivation)


def certify_sharing(a: Network, b: Network, tolerance: Number) -> Certificate | None:
    """Return a certificate that two networks never differ by more than a tolerance if all their neurons cancel."""
    b = _as_other(a, b)
    derivation = _by_sharing(to_unit_cube(a), to_unit_cube(b), tolerance)
    return None if derivation is None else checked(pair_texts(a, b), derivation)


def certify_evidence(
    a: Network, b: Network, evidence: DifferenceEvidence | TwinEvidence, effort: int | None = None
) -> Certificate | None:
    """Return the certificate of evidence that was found about two networks; None if the kernel does not accept it, with
    about `effort` seconds of work if that is more than the files may cost."""
    lines = twin_lines(evidence) if isinstance(evidence, TwinEvidence) else _difference_lines(evidence)
    return checked(pair_texts(a, b), lines, effort)


def _as_other(a: Network, b: Network) -> Network:
    """Return the second network with inputs and outputs in the order of the first, and with its names."""
    second = aligned(a, b)[1]
    return replace(reordered(b, second.inputs, second.outputs), inputs=a.inputs, outputs=a.outputs)


def pair_texts(a: Network, b: Network) -> dict[str, str]:
    """Return the subjects of a certificate about two networks; the second has the names of the first."""
    return {"network": "".join(write_network(a)), "other": "".join(write_network(_as_other(a, b)))}


def _by_sharing(a: Network, b: Network, tolerance: Number) -> Derivation | None:
    """Return the lines for two networks all of whose neurons cancel, or None: no search is needed for these."""
    differences = SharedPair(a, b).differences
    if any(row.terms or abs(row.constant) > tolerance for row in differences):
        return None
    derivation = Derivation()
    for k in range(len(differences)):
        for way in (1, -1):
            place = (len(a.layers) + len(b.layers) + 1, k)
            write_bound(derivation, place, Target(*place, way, way * tolerance), [LeafCase()])
    return derivation


def _difference_lines(evidence: DifferenceEvidence) -> Derivation:
    """Return lines for the bounds of both networks' hidden neurons, then for their differences."""
    pair, derivation = evidence.pair, Derivation()
    numbering = PairNumbering(pair)
    of_first, of_both = evidence.facts()
    _write_lemmas(derivation, numbering, pair.first, evidence.first, {}, of_first)
    _write_lemmas(derivation, numbering, pair.second, evidence.second, of_first, of_both)
    translated = Translation(numbering, pair.difference, of_both)
    for target, cases in evidence.proofs:
        write_bound(derivation, (2 * pair.depth + 1, target.index), target, translated(cases, None))
    return derivation


def _write_lemmas(
    derivation: Derivation,
    numbering: PairNumbering,
    part: Subnetwork,
    bounds: NetworkBounds,
    before: Facts,
    after: Facts,
) -> None:
    """Write lines for the neurons of a subnetwork that have none yet; `before` and `after` are what is known."""
    translated = Translation(numbering, part, after)
    for target, cases in bounds.lemmas(numbering.pair.depth):
        variable = part.variable((target.layer, target.index))
        if variable not in before:
            write_bound(derivation, numbering.place(variable), target, translated(cases, variable))
