"""Curves from records: the mean at every x with a 95 % bootstrap interval, as numbers and as CSV."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from fractions import Fraction
from statistics import median
from typing import NamedTuple

import numpy as np

from verimv.paper.experiments.campaign import ExperimentRecord

_RESAMPLES = 1000


class Point(NamedTuple):
    """An exact mean, and an interval for it in floats."""

    x: int
    mean: Fraction
    low: float
    high: float
    runs: int
    middle: float
    least: int
    most: int


Curve = list[Point]


def curve(record: ExperimentRecord, name: str, runs: int) -> Curve:
    """Return one column of a record, at every x where all runs have a value: a mean of some would mislead."""
    points = []
    for x in record.experiment.xs:
        values = record.column(x, name, runs)
        if values and len(values) == len(record.rows_at(x, runs)):
            low, high = _interval(values)
            mean = Fraction(sum(values), len(values))
            points.append(Point(x, mean, low, high, len(values), float(median(values)), min(values), max(values)))
    return points


def _interval(values: Sequence[int]) -> tuple[float, float]:
    """Return the percentile bootstrap interval of the mean, with a fixed seed."""
    if len(values) < 2:
        return float(values[0]), float(values[0])
    sample = np.array([float(value) for value in values])
    source = np.random.default_rng(0)
    means = sample[source.integers(0, len(sample), (_RESAMPLES, len(sample)))].mean(axis=1)
    low, high = np.percentile(means, [2.5, 97.5])
    return float(low), float(high)


def to_csv(record: ExperimentRecord, runs: int) -> str:
    """Return CSV with a line for every column and x."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(["column", "x", "runs", "mean", "low", "high", "median", "least", "most"])
    for name in record.experiment.columns:
        for point in curve(record, name, runs):
            ends = [f"{value:.6g}" for value in (float(point.mean), point.low, point.high, point.middle)]
            writer.writerow([name, point.x, point.runs, *ends, point.least, point.most])
    return text.getvalue()
