"""Simple fractions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.approximation.models import random_model
from tests.effort import examples
from verimv.approximation.candidates import DENOMINATORS
from verimv.approximation.fitting import Fitting
from verimv.approximation.float_model import WorstPoints
from verimv.approximation.rounding import Rounding, simplest
from verimv.approximation.votes import votes_of


def by_trial(low: float, high: float, most: int) -> Fraction | None:
    """The fraction with the smallest denominator, and of these the one nearest to 0."""
    for denominator in range(1, most + 1):
        least = math.ceil(Fraction(low) * denominator)
        if least <= Fraction(high) * denominator:
            found = range(least, math.floor(Fraction(high) * denominator) + 1)
            return Fraction(min(found, key=abs), denominator)
    return None


@examples(400)
@given(st.floats(-3, 3), st.floats(0, 0.3), st.integers(1, 64))
def test_the_simplest_fraction_is_that_of_a_search_over_all_denominators(low, width, most):
    high = low + width
    expected = by_trial(low, high, most)
    found = simplest(low, high, most)
    if expected is None:  # none lies in between
        assert found.denominator <= most
        assert abs(found - Fraction((low + high) / 2)) <= Fraction(1, most)
    else:
        assert found.denominator == expected.denominator
        assert low <= found <= high


@pytest.mark.parametrize(
    ("low", "high", "most", "expected"),
    [
        (-0.1, 0.1, 64, Fraction(0)),
        (0.3, 0.34, 64, Fraction(1, 3)),
        (-0.34, -0.3, 64, Fraction(-1, 3)),
        (0.5, 0.5, 64, Fraction(1, 2)),
        (0.0155, 0.0157, 64, Fraction(1, 64)),
        (0.0001, 0.0002, 64, Fraction(0)),  # nothing in between: the nearest
        (0.99, 1.01, 64, Fraction(1)),
        (2.9, 3.2, 64, Fraction(3)),
        (1 / 65, 1 / 64.5, 64, Fraction(1, 64)),
    ],
)
def test_simplest_fractions(low, high, most, expected):
    assert simplest(low, high, most) == expected


def test_every_fraction_with_a_small_denominator_comes_back_from_its_float():
    """So weights that are stored as floats are exactly the fractions that were chosen."""
    most = DENOMINATORS[-1]
    for denominator in range(1, most + 1):
        for numerator in range(-denominator, denominator + 1, 1 + denominator // 64):
            fraction = Fraction(numerator, denominator)
            assert Fraction(float(fraction)).limit_denominator(most) == fraction
            assert simplest(float(fraction), float(fraction), most) == fraction


@pytest.mark.parametrize("fits_again", [False, True])
@pytest.mark.parametrize("seed", range(6))
def test_rounded_weights_are_shares_of_a_vote(seed, fits_again):
    model = random_model(seed, clipped=seed % 3 == 0)
    votes = votes_of(model, [seed % 4] * len(model.layers))
    tolerances = [0.2] * len(model.layers[-1].bias)
    fitting = Fitting(WorstPoints(votes.target(model), tolerances))
    fitting.refresh(votes.model)
    rounded, largest = Rounding(votes, fitting, 16).rounded(0.05, fits_again)
    assert largest == pytest.approx(np.abs(fitting.errors.errors(rounded.model, fitting.points)).max())
    for layer, sizes in zip(rounded.model.layers, votes.sizes, strict=True):
        for row, bias, vote in zip(layer.weights, layer.bias, sizes, strict=True):
            assert np.abs(row).sum() <= vote * (1 + 1e-9)
            threshold = (bias + np.minimum(row, 0).sum()) / vote
            for share in (*(row / vote), threshold):
                near = Fraction(float(share)).limit_denominator(16)
                assert abs(float(near) - share) < 1e-9


@pytest.mark.parametrize("fits_again", [False, True])
@pytest.mark.parametrize("seed", range(12))
def test_rounded_neurons_have_values_up_to_1(seed, fits_again):
    """Otherwise the formula would have other constants than these, and doublings."""
    model = random_model(seed, widths=(2, 4, 3, 1))
    votes = votes_of(model, [seed % 3] * len(model.layers))
    fitting = Fitting(WorstPoints(votes.target(model), [0.1]))
    fitting.refresh(votes.model)
    rounded, _ = Rounding(votes, fitting, 16).rounded(0.3, fits_again)
    for _, high in rounded.model.ranges()[:-1]:
        assert (high <= 1 + 1e-9).all()
