"""Linear regions and the lattice in two and three dimensions, against polygon cutting and the solver."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests import oracle
from verimv import InputError, Undecided, parse
from verimv.exact import Rational
from verimv.networks.affine import Affine
from verimv.paper.baselines.hyperplane import CHOICES, hyperplane
from verimv.pieces import regions
from verimv.pieces.regions import linear_regions, same_function
from verimv.solvers.decide import equal_by_solver

TWO = {"names": ("x1", "x2"), "max_leaves": 7, "derived": False}


def volume(polytope):
    """By cutting corners off: fans of simplices from the centre would need facets, cuts need only vertices."""
    if polytope.dimension == 1:
        (a,), (b,) = polytope.vertices
        return abs(b - a)
    points = sorted(polytope.vertices, key=lambda p: _turn(p, polytope.centre))
    area = sum(p[0] * q[1] - q[0] * p[1] for p, q in zip(points, points[1:] + points[:1], strict=True))
    return abs(area) / 2


def _turn(point, centre):
    """An exact key that grows with the angle."""
    dx, dy = (Fraction(str(a - b)) for a, b in zip(point, centre, strict=True))
    share = dy / (abs(dx) + abs(dy))
    return share if dx >= 0 else 2 - share


@given(oracle.specs(oracle.integers, max_inputs=2, max_layers=3))
def test_regions_fill_the_cube_and_carry_the_function(spec):
    network = oracle.build_network(spec)
    found = linear_regions(network)
    assert sum(volume(region.polytope) for region in found) == 1
    for polytope, (form,) in found:
        for point in (polytope.centre, *polytope.vertices):
            assert form(point) == network(*point)


@given(oracle.expressions(**TWO), oracle.expressions(**TWO))
def test_same_function_is_the_oracles_equality(left, right):
    a, b = parse(f"({left}) ⊕ (x1 ⊙ 0) ⊕ (x2 ⊙ 0)"), parse(f"({right}) ⊕ (x1 ⊙ 0) ⊕ (x2 ⊙ 0)")
    assert same_function(a, b) == oracle.are_equal(a, b, 2)


@given(st.lists(st.tuples(*[st.integers(-3, 3)] * 4), max_size=4))
def test_cuts_keep_exactly_the_vertices_of_each_side(planes):
    """In three dimensions every vertex satisfies all cuts and has at least three of them tight."""
    polytope = regions.unit_cube(3)
    kept = []
    for *normal, constant in planes:
        form = Affine(enumerate(map(Rational, normal)), Rational(constant, 2))
        part = polytope.cut(form)[1]
        if part is not None:
            polytope, kept = part, [*kept, form]
    bounds = [*(Affine.variable(j) for j in range(3)), *(Affine.variable(j).complement() for j in range(3)), *kept]
    assert len(set(polytope.vertices)) == len(polytope.vertices) >= 4
    for vertex in polytope.vertices:
        values = [form(vertex) for form in bounds]
        assert min(values) >= 0
        assert values.count(0) >= 3
    assert all(form(polytope.centre) > 0 for form in bounds if form.terms)


@settings(max_examples=25, deadline=None)
@given(
    oracle.specs(st.integers(-1, 1).map(Fraction), max_inputs=3, max_layers=3, max_width=3),
    st.sampled_from(CHOICES),
    st.sampled_from(["lemma", "shortest"]),
)
def test_hyperplanes_in_several_dimensions(spec, choice, sigma):
    network = oracle.build_network(spec)
    assert equal_by_solver(network, hyperplane(network, choice=choice, sigma=sigma)).proved


def test_a_region_that_must_be_cut():
    """Pieces of x1 ∨ (x2 ∧ x3): for some regions no set of pieces below reaches the function everywhere."""
    for text in ("x1 ∨ (x2 ∧ x3)", "(x1 ∧ x2) ∨ (¬x1 ∧ x3)", "(x1 ⊙ x2) ⊕ (x2 ⊙ ¬x3)"):
        term = parse(text)
        for choice in CHOICES:
            assert equal_by_solver(term, hyperplane(term, choice=choice)).proved


def test_rational_weights():
    term = parse("δ[2](x1 ⊕ x2) ∨ ¬x1")
    formula = hyperplane(term)
    assert formula.logic == "dmv"
    assert same_function(term, formula)


def test_limits_and_errors(monkeypatch):
    with pytest.raises(InputError, match="unknown choice some"):
        hyperplane(parse("x"), choice="some")
    monkeypatch.setattr(regions, "MAX_REGIONS", 3)
    with pytest.raises(Undecided, match="more than 3 linear regions"):
        linear_regions(parse("(x1 ⊕ x2) ⊙ (x1 ⊕ ¬x2)"))
