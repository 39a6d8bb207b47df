"""The paper's sentences about its figures, compared with our numbers, which alone decide them."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from fractions import Fraction
from itertools import pairwise
from typing import Any, NamedTuple

from verimv.formulas.measure import format_length
from verimv.paper.experiments.campaign import ExperimentRecord
from verimv.paper.experiments.comparison import METHODS
from verimv.paper.experiments.means import Curve, curve

#: The four methods that the paper compares with deep networks (in one variable).
_RIVALS = ("schauder", "hyperplane", "hyperplane_few", "shallow")
#: Relative difference up to which lengths are "almost identical".
_TOLERANCE = Fraction(1, 10)


#: Simplified formulas are near the shortest if they are at most this many times as long.
_NEAR = Fraction(11, 10)
#: A mean grows consistently if its rank correlation with x is at least this.
_CONSISTENT = 0.8
#: Growth is exponential if its factors have at least this geometric mean.
_EXPONENTIAL = 1.5


class Sentence(NamedTuple):
    holds: bool
    #: the paper's words, or what the project asks for
    text: str
    #: the numbers that decide it
    numbers: str
    #: if it does not hold, the reason as far as it is known
    why: str = ""


def claims(record: ExperimentRecord, runs: int) -> list[Sentence]:
    """Return the claims about one experiment that its record decides."""
    read = _RecordReader(record, runs)
    found = list(_CLAIMS[record.experiment.name](read))
    return [*found, _verified(read)] if read.formulas() else found


def text(record: ExperimentRecord, runs: int) -> str:
    """Return the claims as text: a line for each claim, then its numbers."""
    experiment = record.experiment
    seen = "one run" if experiment.deterministic else f"{runs} runs for each point, seed {record.seed}"
    lines = [f"{experiment.name}: {experiment.title} ({seen})"]
    for claim in claims(record, runs):
        lines += [f"  {'holds' if claim.holds else 'DOES NOT HOLD'}: {claim.text}", f"    {claim.numbers}"]
        if claim.why and not claim.holds:
            lines.append(f"    why: {claim.why}")
    return "\n".join(lines)


class _RecordReader:
    """Curves and means of a record, by column."""

    def __init__(self, record: ExperimentRecord, runs: int) -> None:
        self.record = record
        self.runs = runs
        self.xs = list(record.experiment.xs)

    def curve(self, name: str) -> Curve:
        return curve(self.record, name, self.runs) if name in self.record.experiment.columns else []

    def means(self, name: str) -> dict[int, Fraction]:
        return {point.x: point.mean for point in self.curve(name)}

    def formulas(self) -> int:
        return sum(len(self.record.column(x, name, self.runs)) for x in self.xs for name in METHODS)


def _verified(read: _RecordReader) -> Sentence:
    missing = read.record.unverified(read.runs)
    numbers = f"{read.formulas():,} formulas, {missing} that the solver did not confirm"
    return Sentence(missing == 0, "every formula equals its source: exact breakpoints or regions, and solver", numbers)


def _shortest(read: _RecordReader) -> Sentence:
    """Decide whether the deep network's formulas are the shortest of the paper's methods in every mean."""
    deep = read.means("deep")
    worst = []
    for rival in _RIVALS:
        ratios = [mean / deep[x] for x, mean in read.means(rival).items() if deep[x]]
        if ratios:
            worst.append((min(ratios), METHODS[rival]))
    numbers = ", ".join(f"{name} at least {float(ratio):.3g} times as long" for ratio, name in worst)
    return Sentence(
        all(ratio >= 1 for ratio, _ in worst), "deep networks give the shortest formulas in every mean", numbers
    )


def _compact(read: _RecordReader) -> Sentence:
    deep, compact = read.means("deep"), read.means("compact")
    ratios = [compact[x] / deep[x] for x in compact if deep[x]]
    return Sentence(
        all(ratio <= 1 for ratio in ratios),
        "(ours) compact formulas are as short or shorter in every mean",
        f"{float(min(ratios)):.3f} to {float(max(ratios)):.3f} of the length",
    )


def _simplified(read: _RecordReader) -> Iterable[Sentence]:
    """Compare simplified formulas with compact ones, with the shortest, and count their certificates."""
    compact, simplified = read.means("compact"), read.means("simplified")
    ratios = [simplified[x] / compact[x] for x in simplified if compact[x]]
    yield Sentence(
        all(ratio <= 1 for ratio in ratios),
        "(ours) simplified formulas are as short or shorter in every mean",
        f"{float(min(ratios)):.3f} to {float(max(ratios)):.3f} of the length of the compact ones",
    )
    rows = [row for x in read.xs for row in read.record.rows_at(x, read.runs)]
    known = [(row["simplified"], row["minimum"]) for row in rows if "minimum" in row]
    total, least = (sum(column) for column in zip(*known, strict=True)) if known else (0, 0)
    yield Sentence(
        total <= _NEAR * least,
        "(ours) where the minimum is known, simplified formulas are at most 1.1 times as long on average",
        f"known for {len(known):,} of {len(rows):,} runs; minimum found in {sum(a == b for a, b in known):,}"
        + (f"; {total / least:.3f} times as long on average" if least else ""),
    )
    lacking = sum(row["uncertified"] for row in rows)
    yield Sentence(
        lacking == 0,
        "(ours) every simplified formula has a certificate from the network, which kernel.py accepts",
        f"{len(rows):,} formulas, {lacking} without",
    )


def _almost_identical(read: _RecordReader) -> Sentence:
    source, deep = read.means("source"), read.means("deep")
    shares = [deep[x] / source[x] for x in deep]
    return Sentence(
        all(abs(share - 1) <= _TOLERANCE for share in shares),
        "the deep network's formulas are almost as long as the source terms (within 10 %)",
        f"{float(min(shares)):.3f} to {float(max(shares)):.3f} of the source's length",
    )


def _lengths(read: _RecordReader) -> Iterable[Sentence]:
    deep, shallow = read.means("deep"), read.means("shallow")
    yield Sentence(
        all(mean == 4**s for s, mean in deep.items()),
        "the deep network's formula of g_s has length 4^s",
        _listed(deep.items()),
    )
    yield Sentence(
        _grows([math.log2(mean) for mean in shallow.values()], 1.6),
        "the shallow network's grows doubly exponentially, as 2^(2^(s+1))",
        "log2 of the length / 2^(s+1): " + ", ".join(f"{math.log2(m) / 2 ** (s + 1):.2f}" for s, m in shallow.items()),
    )
    for name, bound, bound_text in (("schauder", 2, "2^(s+1)"), ("hyperplane", 8, "8^s")):
        ratios = [float(mean / (2 * 2**s if bound == 2 else 8**s)) for s, mean in read.means(name).items()]
        yield Sentence(
            ratios == sorted(ratios) and ratios[-1] > 0,
            f"{METHODS[name]}: at least of order {bound_text}",
            f"length / {bound_text}: " + ", ".join(f"{ratio:.3g}" for ratio in ratios),
        )
    yield _shortest(read)
    yield _compact(read)


def _random(read: _RecordReader) -> Iterable[Sentence]:
    yield _shortest(read)
    yield _almost_identical(read)
    yield _compact(read)
    yield from _simplified(read)
    correlations = [
        (name, _correlation(read, name)) for name in ("schauder", "hyperplane", "shallow") if read.curve(name)
    ]
    yield Sentence(
        all(value > 0.5 for _, value in correlations),
        "the lengths of the other methods are governed by the number of breakpoints (rank correlation above 1/2)",
        "over all runs: " + ", ".join(f"{METHODS[name]} {value:.2f}" for name, value in correlations),
        "their denominators count as much: see docs/reproduce.md",
    )


def _correlation(read: _RecordReader, name: str) -> float:
    """Return the rank correlation between breakpoints and lengths of single runs."""
    rows = [row for (_, run), row in read.record.rows.items() if run < read.runs and name in row]
    return _rank_correlation([row["breakpoints"] for row in rows], [row[name] for row in rows])


def _rank_correlation(xs: Sequence[Any], ys: Sequence[Any]) -> float:
    """Return Spearman's rank correlation."""
    first, second = _ranks(xs), _ranks(ys)
    middle = (len(first) + 1) / 2
    product = sum((a - middle) * (b - middle) for a, b in zip(first, second, strict=True))
    spread = math.sqrt(sum((a - middle) ** 2 for a in first) * sum((b - middle) ** 2 for b in second))
    return product / spread if spread else 0.0


def _ranks(values: Sequence[Any]) -> list[float]:
    """Return the ranks from 1; equal values have their mean rank."""
    order = sorted(range(len(values)), key=values.__getitem__)
    ranks = [0.0] * len(values)
    start = 0
    while start < len(order):
        end = start
        while end < len(order) and values[order[end]] == values[order[start]]:
            end += 1
        for i in order[start:end]:
            ranks[i] = (start + 1 + end) / 2
        start = end
    return ranks


def _breakpoints(read: _RecordReader) -> Iterable[Sentence]:
    for name, terms in (("breakpoints_any", "any terms"), ("breakpoints", "terms in which every operator acts")):
        means = read.means(name)
        correlation = _rank_correlation(list(means), list(means.values()))
        yield Sentence(
            correlation < _CONSISTENT,
            f"the mean number of breakpoints does not grow consistently with the length of {terms}",
            ", ".join(f"{float(mean):.2f}" for mean in means.values())
            + f": rank correlation with the length {correlation:.2f}",
            "each operator that acts can add a bend; the paper does not say how its terms were drawn",
        )


def _compositions(read: _RecordReader) -> Iterable[Sentence]:
    names = [name for name in ("schauder", "hyperplane", "deep") if read.curve(name)]
    factors = {name: _factors(list(read.means(name).values())) for name in names}
    yield Sentence(
        all(math.prod(values) > _EXPONENTIAL ** len(values) for values in factors.values()),
        f"lengths grow exponentially in s for all three methods (by more than {_EXPONENTIAL} for each s, on average)",
        "; ".join(
            f"{METHODS[name]} times " + ", ".join(f"{value:.3g}" for value in values)
            for name, values in factors.items()
        ),
    )
    yield _shortest(read)
    yield _compact(read)
    yield from _simplified(read)


def _multivariate(read: _RecordReader) -> Iterable[Sentence]:
    yield _almost_identical(read)
    yield _compact(read)
    yield from _simplified(read)
    yield _shortest(read)


_CLAIMS: dict[str, Callable[[_RecordReader], Iterable[Sentence]]] = {
    "lengths": _lengths,
    "random": _random,
    "breakpoints": _breakpoints,
    "compositions": _compositions,
    "multivariate": _multivariate,
}


def _factors(means: Sequence[Fraction]) -> list[float]:
    return [float(b / a) for a, b in pairwise(means)]


def _grows(values: Sequence[float], factor: float) -> bool:
    """Whether each value is at least `factor` times the one before."""
    return all(b >= factor * a for a, b in pairwise(values))


def _listed(items: Iterable[tuple[int, Fraction]]) -> str:
    return ", ".join(f"s={s}: {format_length(int(mean))}" for s, mean in items)
