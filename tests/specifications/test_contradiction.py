"""Contradictions are found exactly, with multipliers that show them; z3 is asked the same."""

import random

import pytest
import z3

from tests.effort import scaled
from verimv.exact import ONE, ZERO, Rational
from verimv.exact.simplex import minimised
from verimv.networks.affine import Affine, combination
from verimv.networks.network import Layer, Network
from verimv.specifications.conditions import LinearConstraint
from verimv.specifications.contradiction import contradiction
from verimv.specifications.read_specification import read_specification
from verimv.specifications.specification import UnsafeCase


def is_possible(case, count):
    """Whether some inputs of the box and some outputs satisfy the constraints, by z3."""
    values = z3.Reals([f"v{j}" for j in range(count)])
    solver = z3.Solver()
    for value, (low, high) in zip(values, case.box, strict=False):
        solver.add(value >= str(low), value <= str(high))
    for one in (*case.constraints, *case.open_ends):
        total = sum((values[j] * z3.RealVal(str(w)) for j, w in one.form.terms), z3.RealVal(str(one.form.constant)))
        solver.add(total < 0 if one.strict else total <= 0)
    return solver.check() == z3.sat


@pytest.mark.parametrize("seed", range(scaled(80)))
def test_contradictions_are_those_of_z3_and_the_multipliers_show_them(seed):
    rng = random.Random(seed)
    inputs, outputs = rng.randint(1, 2), rng.randint(1, 3)
    box = tuple((Rational(0), Rational(rng.randint(0, 2))) for _ in range(inputs))
    constraints = [
        LinearConstraint(
            Affine(
                [(j, Rational(rng.randint(-2, 2))) for j in range(inputs + outputs)], Rational(rng.randint(-2, 2), 2)
            ),
            rng.random() < 0.4,
        )
        for _ in range(rng.randint(1, 6))
    ]
    case = UnsafeCase(box, tuple(constraints), (), tuple(range(inputs)))
    found = contradiction(case)
    assert (found is None) == is_possible(case, inputs + outputs)
    if found is not None:
        total = combination(zip(found, (one.form for one in constraints), strict=True))
        assert all(x >= 0 for x in found)
        assert all(j < inputs for j, _ in total.terms), "outputs cancel"
        least = total.range_over(box)[0]
        assert least > 0 or (least == 0 and any(x and one.strict for x, one in zip(found, constraints, strict=True)))


def test_the_published_contradiction():
    """A file of a benchmark asks for g > f + 0.05 and g < f − 0.05 at once."""
    line = Network.of([Layer.of([[1], [1]], [0, 0], "identity")])
    text = "(assert (<= 0 X_0 1)) (assert (and (> Y_1 (+ Y_0 0.05)) (< Y_1 (- Y_0 0.05))))"
    [case] = read_specification(text, line).cases
    assert contradiction(case) == (Rational(1, 2), Rational(1, 2))
    [case] = read_specification(text.replace("and", "or"), line).cases[:1]
    assert contradiction(case) is None


def test_simplex():
    assert minimised([-ONE, -ONE], [[ONE, ONE]], [ONE]) == (-1, [1, 0])
    assert minimised([ONE], [[ONE], [ONE]], [ONE, ONE + 1]) is None
    assert minimised([ONE, ZERO], [[ONE, ONE], [ONE + 1, ONE + 1]], [ONE, ONE + 1]) == (0, [0, 1])
    with pytest.raises(ValueError, match="no least"):
        minimised([-ONE, ZERO], [[ONE, -ONE]], [ZERO])
