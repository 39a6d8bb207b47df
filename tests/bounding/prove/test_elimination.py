"""Linear equations over the rationals: solved where they determine the unknowns, as guessed elsewhere."""

import random

import pytest

from verimv.bounding.prove.elimination import Equations
from verimv.exact import Rational


@pytest.mark.parametrize("seed", range(20))
def test_solutions_solve_the_equations(seed):
    source = random.Random(seed)
    count = source.randint(1, 5)
    wanted = [Rational(source.randint(-9, 9), source.randint(1, 9)) for _ in range(count)]
    rows = [[Rational(source.randint(-2, 2)) for _ in range(count)] for _ in range(source.randint(0, 7))]
    equations = Equations(count)
    for row in rows:
        equations.add(row, sum((a * u for a, u in zip(row, wanted, strict=True)), Rational(0)))
    found = equations.solution([Rational(7)] * count)
    for row in rows:
        assert sum(a * u for a, u in zip(row, found, strict=True)) == sum(
            a * u for a, u in zip(row, wanted, strict=True)
        )
    if equations.is_full:
        assert found == wanted


def test_contradictions_and_repetitions_are_dropped():
    equations = Equations(2)
    for right in (1, 1, 2):
        equations.add([Rational(1), Rational(1)], Rational(right))
    assert not equations.is_full
    first, second = equations.solution([Rational(5), Rational(5)])
    assert first + second == 1
    assert 5 in (first, second)
