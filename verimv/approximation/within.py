"""Extraction within an error: the shortest formula that is found and proved to be that close to a network."""

from __future__ import annotations

import math
import time
from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, fields, replace
from functools import cached_property, lru_cache
from typing import Any

from verimv.approximation.candidates import Candidate, Candidates
from verimv.approximation.proving import MOST_WEIGHTS, Closeness, closeness, power_of_ten, short_above
from verimv.approximation.vote_scaling import Scaling
from verimv.bounding.methods import neuron_bounds
from verimv.bounding.results import NetworkBounds
from verimv.certificate.certificate import Certificate
from verimv.certificate.from_extraction import CertifiedExtraction, extract, extract_mapped
from verimv.certificate.within_lines import join
from verimv.core.choices import MEASURES
from verimv.core.errors import InputError, InternalError, OutputLeavesUnitInterval, Undecided, check_type
from verimv.core.progress import Progress, no_progress
from verimv.exact import ONE, ZERO, Number, Rational, as_number, floor, format_number, sign
from verimv.extraction.pipeline import extract_uncertified
from verimv.networks.affine import Affine
from verimv.networks.network import Network
from verimv.networks.transforms.normalise import from_unit_cube, to_unit_cube, without_identity_layers
from verimv.networks.transforms.outputs import OutputMap, affine_end, chosen
from verimv.questions.distance_ends import Distance, OutputDistance

#: What can be made small.
WITHIN_MEASURES = (*MEASURES, "constants")
#: Stands for the error of a constant.
CONSTANT = "constant"


class NothingSimpler(Undecided):
    """No simpler network was proved to be close enough."""


@dataclass(frozen=True, repr=False)
class WithinExtraction(CertifiedExtraction):
    """A formula, and why it is within an error of a network everywhere.

    `source`, and `network` on the unit cube, are the simpler network that the formula computes.
    """

    #: the network that it is close to, with the outputs that were asked for
    original: Network
    #: the largest errors that were allowed, per output
    tolerances: tuple[Number, ...]
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

    @property
    def tolerance(self) -> Number:
        """The largest error that was allowed."""
        return max(self.tolerances)

    def _headline(self) -> str:
        return f"{self.summary['status']}, within {format_number(self.tolerance)}: {self.formula!r}"


def read_within(within: Any, network: Network) -> list[Number]:
    """Return the tolerance of each output: a number in its units, or a share of its proven range, such as "5%".

    The word "constant" is for tolerances that a constant keeps.
    """
    text = str(within).strip()
    if text == CONSTANT:
        return _constant_tolerances(output_ranges(network))
    try:
        number = as_number(text[:-1].strip()) / 100 if text.endswith("%") else as_number(within)
    except (InputError, ValueError):
        raise InputError(f"within {text}: expected a number, or a percentage such as 5%") from None
    if sign(number) <= 0:
        raise InputError(f"within {text}: expected an error above 0")
    if not text.endswith("%"):
        return [number] * len(network.outputs)
    sizes = [high - low for low, high in output_ranges(network)]
    largest = max(sizes) or ONE  # stands for the range of an output that is constant
    return [_short_below(number * (size or largest)) for size in sizes]


@lru_cache(maxsize=4)
def _bounds(network: Network) -> NetworkBounds:
    """Return proven bounds. They are remembered: several errors may be asked for."""
    return neuron_bounds(network, "auto")


def output_ranges(network: Network) -> tuple[tuple[Number, Number], ...]:
    """Return proven ranges of the outputs."""
    bounds = _bounds(network)
    last = len(network.layers) - 1
    found = [bounds.get(last, k) for k in range(len(network.outputs))]
    return tuple((ZERO, ZERO) if bound is None else (bound.lower, bound.upper) for bound in found)


def are_in_unit_interval(network: Network) -> bool:
    """Return whether all outputs are proved to stay in [0,1], where a formula needs no maps of them."""
    return all(low >= 0 and high <= 1 for low, high in output_ranges(network))


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

    `within` is E, in the units of the outputs, or a percentage of the range of each output. `minimise` is "length",
    "size" or "constants", which prefers few constants with small denominators to a short formula. Raises
    :class:`NothingSimpler` if nothing simpler than the network is proved to be that close.
    """
    check_type(network, Network, hint=" (verimv.load makes one)")
    if minimise not in WITHIN_MEASURES:
        raise InputError(f"unknown measure {minimise}: choose one of {', '.join(WITHIN_MEASURES)}")
    begin = time.perf_counter()
    source = affine_end(chosen(network, output, margin, False))
    progress("bounding outputs", 0, 1)
    tolerances = read_within(within, source)
    for candidate in _candidates(source, tolerances, minimise, progress):
        other = from_unit_cube(candidate.network, source.box)
        close = closeness(source, other, tolerances, progress, candidate.factors)
        if close.certificate is None:
            candidate.refused(close)
            continue
        with suppress(OutputLeavesUnitInterval):  # floats saw no such point: the next candidate
            found = _extracted(source, other, candidate.maps, tolerances, close, minimise, progress, begin)
            if not found.is_incomplete(progress) and not (candidate.factors and _is_no_shorter(found)):
                return found
    told = ", ".join(sorted({format_number(tolerance) for tolerance in tolerances}))
    raise NothingSimpler(f"no simpler network was proved to be within {told}")


def _extracted(
    source: Network,
    other: Network,
    maps: Sequence[OutputMap] | None,
    tolerances: Sequence[Number],
    close: Closeness,
    minimise: str,
    progress: Progress,
    begin: float,
) -> WithinExtraction:
    """Return the formula of the other network, with all that proves it."""
    options: dict[str, Any] = {"minimise": "length" if minimise == "constants" else minimise, "progress": progress}
    found = extract(other, **options) if maps is None else extract_mapped(other, maps, **options)
    parts = {field.name: getattr(found, field.name) for field in fields(found)}
    parts["summary"] = {
        **found.summary,
        "within": [
            {"name": o.output, "tolerance": format_number(tolerance), **_ends(o)}
            for o, tolerance in zip(close.distance.outputs, tolerances, strict=True)
        ],
        "proved_error": format_number(close.distance.proved),
        "attained_error": format_number(close.distance.attained),
        "neurons": source.neurons,
        **_exact_sizes(source),
    }
    parts["summary"]["seconds"]["search"] = round(time.perf_counter() - begin, 3)
    certificate = close.certificate
    if certificate is None:
        raise InternalError("no certificate of closeness")
    return WithinExtraction(
        **parts, original=source, tolerances=tuple(tolerances), distance=close.distance, closeness=certificate
    )


def _ends(found: OutputDistance) -> dict[str, str]:
    return {"proved": format_number(found.proved), "attained": format_number(found.attained)}


@lru_cache(maxsize=4)
def _exact_sizes(network: Network) -> dict[str, Any]:
    """Return the length and the size of the exact formula, which is not certified here; nothing if there is none."""
    with suppress(Undecided, OutputLeavesUnitInterval):
        formula = extract_uncertified(network, bounds=_bounds(network), scale_output=True).formula
        return {"exact_length": str(formula.length), "exact_size": formula.size}
    return {}


def _is_no_shorter(found: WithinExtraction) -> bool:
    """Return whether the exact formula is as short: if all that was changed are doublings, it is better."""
    return found.formula.length >= int(found.summary.get("exact_length", found.formula.length + 1))


class _Attempt:
    """A candidate for a proof. A proof that fails tells the search how to do better."""

    def __init__(
        self, candidate: Candidate, tolerances: Sequence[Number], search: Candidates | Scaling | None = None
    ) -> None:
        self.network, self.maps, self.factors = candidate.network, candidate.maps, candidate.factors
        self._tolerances, self._search = tolerances, search

    def refused(self, found: Closeness) -> None:
        pairs = [*zip(found.distance.outputs, self._tolerances, strict=True)]
        if isinstance(self._search, Scaling):
            self._search.exceeded(max(float(output.proved / tolerance) for output, tolerance in pairs))
        elif self._search is None:
            return
        elif any(output.attained > tolerance for output, tolerance in pairs):  # floats were too optimistic
            self._search.learn([[float(x) for x in point] for point in found.points])
        else:
            self._search.lower(found.slack)


def _candidates(
    network: Network, tolerances: Sequence[Number], minimise: str, progress: Progress
) -> Iterator[_Attempt]:
    """Yield what may be close enough: a constant, then integer weights and simple fractions, shorter ones first."""
    normalised = without_identity_layers(to_unit_cube(network))
    constant = _constant(normalised, output_ranges(network), tolerances)
    if constant is not None:
        yield _Attempt(constant, tolerances)
    if normalised.number_kind == "algebraic":
        raise NothingSimpler("simpler networks are searched for networks with rational weights only")
    weights = sum(len(row.terms) for layer in normalised.layers for row in layer.rows)
    floats = [float(tolerance) for tolerance in tolerances]
    scaling = Scaling(normalised, floats)
    if weights > MOST_WEIGHTS:  # linear programs would be too large
        if scaling.is_possible:
            yield from (_Attempt(candidate, tolerances, scaling) for candidate in scaling.cut())
        return
    search = Candidates(normalised, floats, minimise, progress)
    whole = [candidate for candidate in search.whole() if are_in_unit_interval(candidate.network)]
    # their formulas have no constants to read: that is worth three times the length
    counted = [(0 if minimise == "constants" else _length(candidate) / 3, candidate) for candidate in whole]
    for candidate in search.search(counted):
        yield _Attempt(candidate, tolerances, search)
    if scaling.is_possible:
        yield from (_Attempt(candidate, tolerances, scaling) for candidate in scaling.rounded())


def _length(candidate: Candidate) -> float:
    """Return the length of the formula of integer weights."""
    try:
        return extract_uncertified(candidate.network).formula.length
    except (OutputLeavesUnitInterval, Undecided):
        return math.inf


#: The range of an output.
_Range = tuple[Number, Number]
_HALF = Rational(1, 2)


def _middle_maps(ranges: Sequence[_Range]) -> list[OutputMap]:
    """Return maps that have about the middle of each range as the value for 1/2."""
    maps = []
    for low, high in ranges:
        scale = short_above(high - low) if high > low else ONE
        unit, offset = scale / 100, (low + high - scale) / 2
        maps.append(OutputMap(scale, unit * floor(offset / unit + _HALF) if high > low else offset))
    return maps


def _errors(ranges: Sequence[_Range], maps: Sequence[OutputMap]) -> list[Number]:
    """Return how far the value for 1/2 is from the ends of each range at most."""
    middles = [map_.undone(_HALF) for map_ in maps]
    return [max(high - m, m - low) for (low, high), m in zip(ranges, middles, strict=True)]


def _constant_tolerances(ranges: Sequence[_Range]) -> list[Number]:
    """Return short numbers that are no smaller than the errors of a constant."""
    errors = _errors(ranges, _middle_maps(ranges))
    largest = max(errors) or ONE  # stands for the error of an output that is constant
    return [short_above(error or largest) for error in errors]


def _constant(network: Network, ranges: Sequence[_Range], tolerances: Sequence[Number]) -> Candidate | None:
    """Return a network that is constant, if that is close enough: its formula is 1/2."""
    maps = _middle_maps(ranges)
    if any(error > tolerance for error, tolerance in zip(_errors(ranges, maps), tolerances, strict=True)):
        return None
    middle = [map_.undone(_HALF) for map_ in maps]
    # of the same shape, as the proof needs it
    empty = [replace(layer, rows=tuple(Affine((), ZERO) for _ in layer.rows)) for layer in network.layers[:-1]]
    last = replace(network.layers[-1], rows=tuple(Affine((), m) for m in middle), activation="identity")
    return Candidate(replace(network, layers=(*empty, last)), maps)


def _short_below(x: Number) -> Number:
    """Return a number of three decimal digits at or below x ≥ 0."""
    if sign(x) <= 0:
        return x
    power = power_of_ten(x, 3)
    return Rational(floor(x * power)) / power
