"""Rows over clipped nodes: what the search proves, the kernel accepts; what is false is not proved."""

import random
from fractions import Fraction

import pytest

from verimv import kernel
from verimv.bounding.prove.row import DerivedVariable
from verimv.bounding.search.cone import levels, search_row
from verimv.bounding.search.evidence import prove_row
from verimv.certificate.numbering import case_words
from verimv.core.effort import SECOND, Meter
from verimv.exact import Rational, clip
from verimv.kernels.verdicts import rejection
from verimv.networks.affine import Affine


def random_cone(source: random.Random):
    """Free variables, then clipped rows over earlier ones, numbered layer by layer; and a row over all."""
    variables: list[DerivedVariable | None] = [None] * source.randint(1, 3)
    while len(variables) < 7:
        chosen = source.sample(range(len(variables)), min(len(variables), 3))
        row = Affine(
            ((j, Rational(source.choice((-2, -1, 1, 2)))) for j in sorted(chosen)), Rational(source.randint(-1, 1))
        )
        variables.append(DerivedVariable("crelu", row))
    order = sorted(range(len(variables)), key=lambda k: levels(variables)[k])
    places = {k: place for place, k in enumerate(order)}
    variables = [
        None if (variable := variables[k]) is None else DerivedVariable("crelu", variable.row.renumbered(places))
        for k in order
    ]
    goal = Affine((j, Rational(source.choice((-1, 1)))) for j in range(len(variables) - 3, len(variables)))
    return variables, goal


def values(variables, free):
    found, given = [], iter(free)
    for variable in variables:
        found.append(next(given) if variable is None else clip(variable.row(found)))
    return found


def largest(variables, goal, count: int = 200):
    source = random.Random(7)
    points = [[Rational(source.randint(0, 12), 12) for _ in variables] for _ in range(count)]
    return max(goal(values(variables, point)) for point in points)


def accepted(variables, goal, cases) -> bool:
    """By the kernel."""
    work = kernel.Work(10**9)

    def translated(row):
        terms = kernel.linear_of({j: Fraction(str(w)) for j, w in row.terms}, work)
        return kernel.Affine(terms, Fraction(str(row.constant)))

    known = [kernel.FREE if v is None else kernel.Variable(v.activation, translated(v.row)) for v in variables]
    system = kernel.System(known, work)
    return rejection(lambda: system.prove(len(known), [translated(goal)], case_words(cases), work)) is None


@pytest.mark.parametrize("seed", range(40))
def test_rows_over_clipped_nodes(seed):
    variables, goal = random_cone(random.Random(seed))
    found = search_row(variables, goal, Meter(20 * SECOND))
    assert found is not None
    if not found.complete:
        assert found.attained > 0
        assert prove_row(variables, goal, Meter(20 * SECOND)) is None
    above = goal.shifted(-found.attained)  # the search stops at the first point above 0
    assert largest(variables, goal) <= found.value
    for row in (goal,) if found.complete else (goal.shifted(-found.value), above):
        cases = prove_row(variables, row, Meter(20 * SECOND))
        if cases is not None:
            assert accepted(variables, row, cases)
            assert largest(variables, row) <= 0
            assert not accepted(variables, row.shifted(Rational(10)), cases)


def test_what_the_search_leaves_to_z3():
    half = Affine([(0, Rational(1, 2))])
    assert search_row([None, DerivedVariable("relu", half)], half, Meter(SECOND)) is None
    assert search_row([DerivedVariable("crelu", Affine(())), None], half, Meter(SECOND)) is None  # not layer by layer
    assert (
        prove_row([None, DerivedVariable("relu", half)], Affine([(1, Rational(1))], Rational(-1, 2)), Meter(5 * SECOND))
        is not None
    )
