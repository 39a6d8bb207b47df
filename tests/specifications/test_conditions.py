"""Conditions become cases with the same meaning; what would explode is refused."""

import itertools
import random

import pytest

from tests.effort import scaled
from verimv.core.errors import InputError
from verimv.exact import Rational
from verimv.networks.affine import Affine
from verimv.specifications.conditions import (
    FALSE,
    TRUE,
    all_of,
    any_of,
    cases_of,
    chained,
    compared,
    equivalence,
    implication,
    negation,
)

INPUTS, VALUES = 2, 3


def random_condition(rng, depth):
    """A condition, and a function that tells whether it holds at a point; parts may be shared."""
    if depth == 0 or rng.random() < 0.15:
        operator = rng.choice(["<=", "<", ">=", ">", "=", "!="])
        forms = [
            Affine([(j, Rational(rng.randint(-1, 1))) for j in range(VALUES)], Rational(rng.randint(-1, 1)))
            for _ in range(rng.choice([2, 2, 3]))
        ]
        compare = {"<=": lambda a, b: a <= b, "<": lambda a, b: a < b, ">=": lambda a, b: a >= b,
                   ">": lambda a, b: a > b, "=": lambda a, b: a == b, "!=": lambda a, b: a != b}[operator]  # fmt: skip
        pairs = itertools.combinations if operator == "!=" else lambda values, _: itertools.pairwise(values)
        return chained(operator, forms), lambda p: all(compare(a, b) for a, b in pairs([f(p) for f in forms], 2))
    (a, holds_a), (b, holds_b) = (random_condition(rng, depth - 1) for _ in range(2))
    return rng.choice([
        (all_of((a, b)), lambda p: holds_a(p) and holds_b(p)), (any_of((a, b, a)), lambda p: holds_a(p) or holds_b(p)),
        (negation(a), lambda p: not holds_a(p)), (implication(a, b), lambda p: not holds_a(p) or holds_b(p)),
        (equivalence(a, b), lambda p: holds_a(p) == holds_b(p)), (all_of((TRUE, a)), holds_a), (any_of((FALSE, b)), holds_b),
    ])  # fmt: skip


def is_in(case, point):
    """Whether a point is in a case; intervals are of inputs only."""
    for j, (low, high, low_open, high_open) in case.intervals.items():
        assert j < INPUTS
        if low is not None and (point[j] < low or (low_open and point[j] == low)):
            return False
        if high is not None and (point[j] > high or (high_open and point[j] == high)):
            return False
    return all(one.is_met(point) for one in case.constraints)


@pytest.mark.parametrize("seed", range(scaled(60)))
def test_cases_have_the_meaning_of_the_condition(seed):
    rng = random.Random(seed)
    condition, holds = random_condition(rng, 3)
    cases, _ = cases_of(condition, range(INPUTS))
    assert all(not case.is_empty for case in cases)
    for point in itertools.product(*[[Rational(k, 2) for k in range(-3, 4)]] * VALUES):
        assert any(is_in(case, point) for case in cases) == holds(point), point


def test_shared_parts_are_done_once():
    """Written out, this condition has 2^200 parts."""
    condition = compared("<=", Affine.variable(2), Affine(()))
    for _ in range(200):
        condition = all_of((condition, any_of((condition, FALSE))))
    [case], left_out = cases_of(condition, range(INPUTS))
    assert (len(case.constraints), left_out) == (1, 0)


def test_too_many_cases_are_refused():
    pairs = [
        any_of(compared("<=", Affine.variable(j), Affine((), Rational(k))) for k in range(2)) for j in range(5, 30)
    ]
    with pytest.raises(InputError, match="20,000 cases"):
        cases_of(all_of(pairs), range(INPUTS))


def test_empty_cases_are_left_out_and_counted():
    low, high = (compared(">=", Affine.variable(0), Affine((), Rational(k))) for k in (0, 1))
    below = compared("<", Affine.variable(0), Affine((), Rational(1)))
    [case], left_out = cases_of(all_of((any_of((low, high)), below)), range(INPUTS))
    assert case.intervals[0] == (0, 1, False, True)
    assert left_out == 1
