"""Extraction within an error: the shortest formula that is found and proved to be that close to a network."""

from __future__ import annotations

import contextlib
import math
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, fields, replace
from functools import cached_property
from itertools import islice
from typing import Any

from verimv.approximation.candidates import GOOD, Candidate, Candidates
from verimv.approximation.proving import Closeness, closeness
from verimv.bounding.methods import neuron_bounds
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_extraction import CertifiedExtraction, extract, extract_mapped
from verimv.certificate.within_lines import join
from verimv.core.errors import InputError, InternalError, OutputLeavesUnitInterval, Undecided, check_type
from verimv.core.progress import Progress, no_progress
from verimv.exact import ONE, ZERO, Number, Rational, as_number, ceil, floor, format_number, sign
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.normalise import from_unit_cube, to_unit_cube, without_identity_layers
from verimv.networks.transforms.outputs import OutputMap, affine_end, chosen
from verimv.questions.distance import Distance

#: Candidates for which a proof is tried.
_PROOFS = 8
#: Larger networks are not searched: the programs would be too large.
MOST_WEIGHTS = 6_000


@dataclass(frozen=True, repr=False)
class WithinExtraction(CertifiedExtraction):
    """A formula, and why it is within an error of a network everywhere.

    `source`, and `network` on the unit cube, are the simpler network that the formula computes.
    """

    #: the network that it is close to, with the outputs that were asked for
    original: Network
    #: the largest error that was allowed
    tolerance: Number
    #: how far the two networks are apart
    distance: Distance
    #: that they are so close
    closeness: Certificate

    _claim = "network within an error of formula"

    @cached_property
    def certificate(self) -> Certificate:
        """What the kernel needs: both networks and the formula as files, and both derivations."""
        certificate = join(self.closeness, super().certificate)
        self.summary.update(certificate.hashes)
        return certificate

    @property
    def near(self) -> Network:
        return self.original

    def _headline(self) -> str:
        return f"{self.summary['status']}, within {format_number(self.tolerance)}: {self.formula!r}"


def read_within(within: Any, network: Network) -> Number:
    """Return a tolerance: a number in the units of the outputs, or a share of the proven range, such as "5%"."""
    text = str(within).strip()
    if not text.endswith("%"):
        tolerance = as_number(within)
    else:
        try:
            share = as_number(text[:-1].strip()) / 100
        except (InputError, ValueError):
            raise InputError(f"--within {text}: expected a number, or a percentage such as 5%") from None
        if sign(share) < 0:
            raise InputError(f"--within {text}: an error is not negative")
        smallest = min((high - low for low, high in output_ranges(network) if high > low), default=ZERO)
        tolerance = _short_below(share * smallest)
    if sign(tolerance) < 0:
        raise InputError(f"--within {text}: an error is not negative")
    return tolerance


def output_ranges(network: Network) -> list[tuple[Number, Number]]:
    """Return proven ranges of the outputs."""
    bounds = neuron_bounds(network, "auto")
    last = len(network.layers) - 1
    found = [bounds.get(last, k) for k in range(len(network.outputs))]
    return [(ZERO, ZERO) if bound is None else (bound.lower, bound.upper) for bound in found]


def extract_within(
    network: Network,
    within: Any,
    *,
    minimise: str = "length",
    output: str | int | None = None,
    margin: tuple[str | int, str | int] | None = None,
    progress: Progress = no_progress,
) -> WithinExtraction:
    """Return the shortest formula found with |network − (scale·formula + offset)| ≤ E everywhere, and its proof.

    `within` is E, in the units of the outputs, or a percentage of the smallest range of an output. Raises
    :class:`Undecided` if nothing simpler than the network is proved to be that close.
    """
    check_type(network, Network, hint=" (verimv.load makes one)")
    begin = time.perf_counter()
    source = affine_end(chosen(network, output, margin, False))
    progress("bounding outputs", 0, 1)
    tolerance = read_within(within, source)
    if sign(tolerance) == 0:
        is_share = str(within).strip().endswith("%") and as_number(str(within).strip()[:-1].strip()) != 0
        reason = "the outputs are constant, and a share of their range is 0" if is_share else "the error is 0"
        raise InputError(f"{reason}: extract without --within, which is exact")
    for candidate in _candidates(source, tolerance, minimise, progress):
        other = from_unit_cube(candidate.network, source.box)
        close = closeness(source, other, tolerance, progress)
        if close.certificate is None:
            candidate.refused(close.distance)
            continue
        with contextlib.suppress(OutputLeavesUnitInterval):  # floats saw no such point: the next candidate
            return _extracted(source, other, candidate.maps, tolerance, close, minimise, progress, begin)
    raise Undecided(f"no simpler network was proved to be within {format_number(tolerance)}")


def _extracted(
    source: Network,
    other: Network,
    maps: Sequence[OutputMap] | None,
    tolerance: Number,
    close: Closeness,
    minimise: str,
    progress: Progress,
    begin: float,
) -> WithinExtraction:
    """Return the formula of the other network, with all that proves it."""
    options: dict[str, Any] = {"minimise": minimise, "progress": progress}
    found = extract(other, **options) if maps is None else extract_mapped(other, maps, **options)
    parts = {field.name: getattr(found, field.name) for field in fields(found)}
    ends = {"proved": close.distance.proved, "attained": close.distance.attained}
    parts["summary"] = {
        **found.summary,
        "within": {"tolerance": format_number(tolerance), **{name: format_number(x) for name, x in ends.items()}},
        "neurons": source.neurons,
    }
    parts["summary"]["seconds"]["search"] = round(time.perf_counter() - begin, 3)
    certificate = close.certificate
    if certificate is None:
        raise InternalError("no certificate of closeness")
    return WithinExtraction(
        **parts, original=source, tolerance=tolerance, distance=close.distance, closeness=certificate
    )


class _Attempt:
    """A candidate for a proof. A proof that fails tells how small errors must be for the next one to succeed."""

    def __init__(self, candidate: Candidate, goals: _Goals) -> None:
        self.network, self.maps = candidate.network, candidate.maps
        self._goals = goals

    def refused(self, found: Distance) -> None:
        self._goals.lower(found)


class _Goals:
    """The error, in tolerances, that a candidate may have as floats estimate it."""

    def __init__(self, tolerance: Number) -> None:
        self.tolerance, self.now = tolerance, GOOD

    def lower(self, found: Distance) -> None:
        if found.attained > self.tolerance:  # floats were too optimistic
            self.now *= 0.95
        elif found.attained > 0:
            self.now = min(self.now * 0.9, GOOD * float(found.attained / found.proved))


def _candidates(network: Network, tolerance: Number, minimise: str, progress: Progress) -> Iterator[_Attempt]:
    """Yield what may be close enough: a constant, whole weights, then some simple fractions."""
    normalised = without_identity_layers(to_unit_cube(network))
    goals = _Goals(tolerance)
    constant = _constant(normalised, tolerance)
    if constant is not None:
        yield _Attempt(constant, goals)
    weights = sum(len(row.terms) for layer in normalised.layers for row in layer.rows)
    if weights > MOST_WEIGHTS:
        raise Undecided(f"the network has {weights:,} weights; simpler ones are searched for up to {MOST_WEIGHTS:,}")
    search = Candidates(normalised, [float(tolerance)] * len(network.outputs), minimise, progress)
    for candidate in search.whole():
        yield _Attempt(candidate, goals)
    for candidate in islice(search.search(lambda: goals.now), _PROOFS):
        yield _Attempt(candidate, goals)


def _constant(network: Network, tolerance: Number) -> Candidate | None:
    """Return a network that is constant, if that is close enough: its formula is 1/2."""
    ranges = output_ranges(network)
    if any(high - low > 2 * tolerance for low, high in ranges):
        return None
    maps = []
    for low, high in ranges:
        scale = _short_above(high - low) if high > low else ONE
        unit = scale / 100
        maps.append(OutputMap(scale, unit * floor((low + high - scale) / (2 * unit) + Rational(1, 2))))
    middle = [map_.undone(Rational(1, 2)) for map_ in maps]
    if any(max(high - m, m - low) > tolerance for (low, high), m in zip(ranges, middle, strict=True)):
        return None
    layer = Layer(tuple(Affine((), m) for m in middle), len(network.inputs), "identity")
    return Candidate(replace(network, layers=(layer,)), maps, 1.0, GOOD)


def _power(x: Number, digits: int) -> Number:
    """Return the power of ten that makes x > 0 a number with so many digits before its point."""
    return Rational(10) ** (digits - 1 - math.floor(math.log10(float(x))))


def _short_above(x: Number) -> Number:
    """Return a number of two decimal digits at or above x > 0."""
    power = _power(x, 2)
    return Rational(ceil(x * power)) / power


def _short_below(x: Number) -> Number:
    """Return a number of three decimal digits at or below x ≥ 0."""
    if sign(x) <= 0:
        return x
    power = _power(x, 3)
    return Rational(floor(x * power)) / power
