"""Decisions of a network and of a formula at points of a table: do they agree, and are they right?

With one output (or the margin of two) the decision is whether its value is above a threshold; with several it is the
first of the largest. All values are exact, so that a decision at a tie is what this rule says, not what a rounding made
of it.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from verimv.core.errors import InputError
from verimv.core.progress import Progress, no_progress
from verimv.exact import ZERO, Number, Rational, as_number, format_number, is_integer, shown
from verimv.extraction.pipeline import Extraction
from verimv.networks.network import Network

#: Points that are evaluated at a time.
_PORTION = 64
#: Labels of a decision about one output.
_SIDES = {"true": 1, "false": 0}


@dataclass(frozen=True)
class Decider:
    """What is decided by the outputs, and by how much."""

    outputs: int
    threshold: Number = ZERO

    def decision(self, values: Sequence[Number]) -> int:
        """Return the number of the largest output; for one output, whether it is above the threshold."""
        if self.outputs == 1:
            return int(values[0] > self.threshold)
        return values.index(max(values))

    def clearance(self, values: Sequence[Number]) -> Number:
        """Return how far one output is from the threshold, or the largest from the second largest."""
        if self.outputs == 1:
            return abs(values[0] - self.threshold)
        second, first = sorted(values)[-2:]
        return first - second

    def safe_beyond(self, error: Number) -> Number:
        """Return the clearance above which no function within the error decides otherwise."""
        return error if self.outputs == 1 else 2 * error


@dataclass(frozen=True)
class Agreement:
    """How often a formula decides as the network, of so many `rows`."""

    rows: int
    agree: int
    #: rows whose decision is the same by the proved error alone
    safe: int
    #: rows with a label, and how many of them the formula decides as labelled
    labelled: int
    correct: int
    #: the largest error at a row
    largest: Number

    def data(self) -> dict[str, Any]:
        known = {"agree": self.agree, "safe": self.safe, "largest_error": format_number(self.largest)}
        return known | ({"correct": self.correct} if self.labelled else {})


class Sample:
    """Points of the box with the network's values there, and perhaps what is right."""

    def __init__(
        self,
        network: Network,
        data: Sequence[Sequence[Any]],
        expected: Sequence[int | None] | None,
        threshold: Number,
        progress: Progress = no_progress,
    ) -> None:
        if expected is not None and len(expected) != len(data):
            raise InputError(f"expected a label for each of {len(data):,} rows, found {len(expected):,}")
        self.network, self.decider = network, Decider(len(network.outputs), threshold)
        self.points: list[list[Number]] = []
        self.expected: list[int | None] = []
        #: rows that lie outside the box
        self.outside = 0
        for number, row in enumerate(data):
            if len(row) != len(network.inputs):
                raise InputError(f"data: expected {len(network.inputs)} numbers in row {number + 1}, found {len(row)}")
            point = [as_number(x) for x in row]
            if all(low <= x <= high for x, (low, high) in zip(point, network.box, strict=True)):
                self.points.append(point)
                self.expected.append(None if expected is None else expected[number])
            else:
                self.outside += 1
        if not self.points:
            raise InputError(f"data: no row lies in the box of the network ({self.outside:,} outside)")
        self.values = []
        for number, point in enumerate(self.points):
            progress("evaluating the network", number, len(self.points))
            self.values.append(network.at(point))
        self.decisions = [self.decider.decision(values) for values in self.values]

    @property
    def labelled(self) -> int:
        return sum(label is not None for label in self.expected)

    @property
    def correct(self) -> int:
        """Rows that the network decides as labelled."""
        return self._correct(self.decisions)

    def _correct(self, decisions: Sequence[int]) -> int:
        return sum(a == b for a, b in zip(decisions, self.expected, strict=True))

    def of_equal(self) -> Agreement:
        """Return the agreement of a formula that is proved to be equal."""
        rows = len(self.points)
        return Agreement(rows, rows, rows, self.labelled, self.correct, ZERO)

    def of_formula(self, extraction: Extraction, proved: Number, progress: Progress = no_progress) -> Agreement:
        """Return the agreement of a formula that is proved to be within an error."""
        values = list(self._values(extraction, progress))
        decisions = [self.decider.decision(row) for row in values]
        beyond = self.decider.safe_beyond(proved)
        return Agreement(
            len(values),
            sum(a == b for a, b in zip(decisions, self.decisions, strict=True)),
            sum(self.decider.clearance(row) > beyond for row in self.values),
            self.labelled,
            self._correct(decisions),
            max(abs(x - y) for a, b in zip(values, self.values, strict=True) for x, y in zip(a, b, strict=True)),
        )

    def _values(self, extraction: Extraction, progress: Progress) -> Iterator[list[Number]]:
        """Yield the formula's values in the units of the network."""
        maps = extraction.clipped.maps
        for start in range(0, len(self.points), _PORTION):
            progress("evaluating the formula", start, len(self.points))
            inner = [
                [
                    (x - low) / (high - low) if high > low else ZERO
                    for x, (low, high) in zip(point, self.network.box, strict=True)
                ]
                for point in self.points[start : start + _PORTION]
            ]
            for values in extraction.formula.at_points(inner):
                yield [map_.undone(value) for map_, value in zip(maps, values, strict=True)]

    def data(self) -> dict[str, Any]:
        known = {"rows": len(self.points), "outside": self.outside, "threshold": format_number(self.decider.threshold)}
        return known | ({"labelled": self.labelled, "network_correct": self.correct} if self.labelled else {})


class Labels:
    """What labels of rows mean: outputs by name or number; for one output 1 or 0 (or -1), or true and false."""

    def __init__(self, network: Network, output: str | int | None, margin: tuple[str | int, str | int] | None) -> None:
        self.network, self.pair = network, None
        self.is_one = output is not None or len(network.outputs) == 1
        if margin is not None:
            self.pair = (network.output_index(margin[0]), network.output_index(margin[1]))

    def expected(self, label: Any) -> int | None:
        """Return the decision that a label asks for; None if it is a class that a margin is not about."""
        text = str(label).strip()
        if self.is_one and self.pair is None:
            side = _SIDES.get(text.lower(), _whole(text))
            if side not in (-1, 0, 1):
                raise InputError(
                    f"label {shown(text)}: expected 1 or 0, true or false: is the output above the threshold?"
                )
            return int(side > 0)
        number = _whole(text)
        index = self.network.output_index(text if number is None or text in self._names else number)
        if self.pair is None:
            return index
        return {self.pair[0]: 1, self.pair[1]: 0}.get(index)

    @property
    def _names(self) -> set[str]:
        return {*self.network.outputs, *map(self.network.label, self.network.outputs)}


def _whole(text: str) -> int | None:
    """Return the integer that a text such as 1 or 1.0 stands for."""
    try:
        number = as_number(text)
    except InputError:
        return None
    return int(number) if isinstance(number, Rational) and is_integer(number) else None
