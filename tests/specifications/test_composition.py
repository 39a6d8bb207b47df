"""Composed networks: a case is impossible exactly where its margin says so; weights and multipliers are sound."""

import itertools
import random

import pytest

from tests.effort import scaled
from tests.networks.transforms.test_margins import random_network
from tests.oracle import build_network
from verimv.core.errors import InputError
from verimv.exact import ONE, Rational
from verimv.networks.network import Layer, Network
from verimv.specifications.composition import MarginForm, margin_of, read_form
from verimv.specifications.read_specification import read_specification

STEPS = [Rational(k, 4) for k in range(5)]


def random_statement(rng, names):
    def term():
        parts = [f"{rng.randint(1, 3)}*{rng.choice(names)}" for _ in range(rng.randint(1, 2))]
        return f" {rng.choice('+-')} ".join(parts)

    def atom():
        return f"{term()} {rng.choice(['<=', '<', '>=', '>'])} {rng.randint(-3, 3)}/2"

    return f"{atom()} {rng.choice(['and', 'or', '->'])} {atom()} {rng.choice(['and', 'or'])} {atom()}"


@pytest.mark.parametrize("seed", range(scaled(40)))
def test_points_of_cases_have_margins_that_do_not_exclude_them(seed):
    """…for every way to make the margin; and points with margins ≤ 0, or < 0, that are exact are in the case."""
    rng = random.Random(seed)
    network = build_network(random_network(rng, 2, 2))
    found = read_specification(random_statement(rng, (*network.inputs, *network.outputs)), network)
    for case in found.cases:
        for form in (MarginForm(), MarginForm(closed=False), MarginForm(closed=False, weight=Rational(7))):
            constraints = form.constraints(case)
            if not constraints:
                continue
            margin = margin_of(found.system, case, form)
            kinds = {one.strict for one in constraints}
            for point in itertools.product(STEPS, repeat=2):
                if not all(low <= x <= high for x, (low, high) in zip(point, case.box, strict=True)):
                    continue
                [value] = margin.at(point)
                inside = case.contains(found.system.values(point))
                assert not (inside and form.excludes(case, value))
                if len(kinds) == 1 and not form.closed:
                    assert inside != form.excludes(case, value), (point, value)


def test_strict_and_other_constraints_at_the_border():
    """Where the larger one of both is 0, the case is possible for x ≤ 0, x < 1 and impossible for x ≤ 0, 2x > 0."""
    line = Network.of([Layer.of([[1]], [0], "identity")])
    possible = read_specification("not (y1 <= 0 and y1 < 1)", line)
    impossible = read_specification("not (y1 <= 0 and x1 + y1 > 0)", line)
    for weight in (2, 3, 5):
        form = MarginForm(weight=Rational(weight))
        [case] = possible.cases
        assert min(margin_of(possible.system, case, form).at([x])[0] for x in STEPS) == -1
        [case] = impossible.cases
        assert form.excludes(case, min(margin_of(impossible.system, case, form).at([x])[0] for x in STEPS))


def test_multipliers_of_constraints_that_contradict_each_other():
    line = Network.of([Layer.of([[1]], [0], "relu")])
    found = read_specification("(assert (<= 0 X_0 1)) (assert (> Y_0 0.5)) (assert (<= Y_0 0.25))", line)
    [case] = found.cases
    form = MarginForm(multipliers=(ONE, ONE))
    assert {margin_of(found.system, case, form).at([x])[0] for x in STEPS} == {Rational(1, 4)}
    assert form.allows_zero(case)
    assert not MarginForm(multipliers=(Rational(0), ONE)).allows_zero(case)
    for wrong in ((ONE,), (ONE, -ONE)):
        with pytest.raises(InputError, match="multipliers"):
            margin_of(found.system, case, MarginForm(multipliers=wrong))


@pytest.mark.parametrize("seed", range(scaled(15)))
def test_pairs_with_equal_and_with_other_inputs(seed):
    rng = random.Random(seed)
    f, g = (build_network(random_network(rng, 2, 1)) for _ in range(2))
    text = """(vnnlib-version <2.0>)
    (declare-network f (declare-input A real [2]) (declare-output B real [1]))
    (declare-network g (declare-input C real [2]) (declare-output D real [1]))
    (assert (and (<= 0 A[0]) (<= A[0] 1) (<= 0 A[1]) (<= A[1] 1) (<= 0 C[1]) (<= C[1] 1) (== A[0] C[0])))
    (assert (<= (+ A[1] B[0]) (- D[0] C[1])))"""
    found = read_specification(text, f, {"g": g})
    [case] = found.cases
    margin = margin_of(found.system, case, MarginForm())
    assert margin.inputs == ("f.x1", "f.x2", "g.x2")
    for a, b, c in itertools.product(STEPS, repeat=3):
        assert margin.at([a, b, c]) == [b + f.at([a, b])[0] - g.at([a, c])[0] + c]


@pytest.mark.parametrize("text", ["x1 -> y1", "y1 ⊕ ¬(x1 ⊙ y2)", "y1 \\/ ~y1", "x2"])
def test_formulas(text):
    """Outputs count as the nearest end of [0,1] if they leave it."""
    rng = random.Random(text)
    network = build_network(random_network(rng, 2, 2))
    found = read_specification(text, network)
    [case] = found.cases
    margin = margin_of(found.system, case, MarginForm())
    for point in itertools.product(STEPS, repeat=2):
        values = found.system.values(point)
        assert margin.at(point) == [values[-1] - 1]
        assert case.contains(values) == (values[-1] < 1)
    assert "< 1" in found.words(case)[-1]


def test_forms_as_json():
    for form in (MarginForm(), MarginForm(False, Rational(3, 2)), MarginForm(multipliers=(ONE, Rational(1, 3)))):
        assert read_form(form.data()) == form
    for data in (
        None,
        {},
        {"closed": 1, "weight": "1"},
        {"closed": True, "weight": "0"},
        {"closed": True, "multipliers": [1]},
    ):
        with pytest.raises(InputError):
            read_form(data)
