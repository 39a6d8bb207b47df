"""Random networks equal their formulas, in all logics; and every defect that earlier implementations are known for."""

import itertools
import random
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.certified import extract
from tests.effort import examples
from tests.oracle import (
    breakpoints,
    build_network,
    expressions,
    floats32,
    formula_values,
    grid,
    integers,
    network_value,
    rationals,
    specs,
)
from verimv.bounding.interval import interval_bounds
from verimv.bounding.results import NetworkBounds, NeuronBound
from verimv.core.errors import InputError, OutputLeavesUnitInterval, Undecided
from verimv.exact import Rational, as_number, parse_number
from verimv.extraction.step1_clip import clip_network
from verimv.extraction.strategies.paper import group_units, table_nodes
from verimv.formulas.formula import parse
from verimv.networks.affine import Affine
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.from_formula import to_network
from verimv.networks.transforms.normalise import to_unit_cube


def points_for(spec, seed=0):
    """Vertices, small denominators, breakpoints of one-input networks, and random exact points."""
    dimension = len(spec[0][0][0])
    points = grid(dimension, 1) + grid(dimension, {1: 24, 2: 6, 3: 3, 4: 2}[dimension])
    if dimension == 1:
        bends = breakpoints(spec)
        points += [(x,) for x in bends[:200]] + [((a + b) / 2,) for a, b in itertools.pairwise(bends)]
    source = random.Random(seed)
    return points + [tuple(Fraction(source.randint(0, 997), 997) for _ in range(dimension)) for _ in range(60)]


def check(spec, logic, bounds="auto"):
    network = build_network(spec)
    try:
        extraction = extract(network, logic=logic, bounds=bounds)
    except Undecided:
        assume(False)  # too many units or nodes: that is allowed, being wrong is not
    formula = extraction.formula
    order = {"mv": 0, "dmv": 1, "rmv": 2}
    assert logic == "auto" or order[formula.logic] <= order[logic]
    points = points_for(spec)
    points = points[:: 1 + len(points) * extraction.measures.size // 500_000]
    rows = [[as_number(x) for x in point] for point in points]
    values = [row[0] for row in formula.at_points(rows)]
    assert values == [network_value(spec, point)[0] for point in points]
    return extraction


@settings(max_examples=120)
@given(specs(integers))
def test_integer_networks(spec):
    assert check(spec, "auto").formula.logic == "mv"


@settings(max_examples=40)
@given(specs(integers, max_inputs=2, max_layers=3), st.sampled_from(["dmv", "rmv"]))
def test_integer_networks_in_larger_logics(spec, logic):
    assert check(spec, logic).formula.logic == "mv", "no δ or Δ where none is needed"


@settings(max_examples=60)
@given(specs(rationals, max_layers=2, max_width=2))
def test_rational_networks_in_dmv(spec):
    network = build_network(spec)
    assume(table_nodes(clip_network(network, interval_bounds(network)), "dmv") < 20_000)
    check(spec, "dmv", "interval")


@settings(max_examples=60)
@given(specs(rationals, max_layers=3, max_width=2))
def test_rational_networks_in_rmv(spec):
    check(spec, "rmv")


@examples(25)
@given(specs(floats32, max_layers=3, max_width=2))
def test_float32_networks(spec):
    check(spec, "auto")


@pytest.mark.parametrize("seed", range(60))
def test_dense_random_networks(seed):
    """Every weight nonzero, 1–4 inputs, 1–4 layers; thousands of points in all."""
    source = random.Random(seed)
    kind = ("integer", "rational", "float32")[seed % 3]

    def number():
        sign = source.choice([-1, 1])
        if kind == "integer":
            return Fraction(sign * source.randint(1, 2))
        if kind == "rational":
            return sign * Fraction(source.randint(1, 3), source.choice([1, 2, 3]))
        return Fraction(float(np.float32(source.uniform(-1.5, 1.5))))

    widths = [source.randint(1, 4), *(source.randint(1, 2) for _ in range(source.randint(0, 3))), 1]
    spec = [
        ([[number() for _ in range(below)] for _ in range(width)], [number() for _ in range(width)], "relu")
        for below, width in itertools.pairwise(widths)
    ]
    spec[-1] = (*spec[-1][:2], "crelu")
    network = build_network(spec)
    expected_logic = {"integer": {"mv"}, "rational": {"mv", "dmv", "rmv"}, "float32": {"mv", "dmv", "rmv"}}[kind]
    extraction = extract(network)
    assert extraction.formula.logic in expected_logic
    points = points_for(spec, seed)
    points = points[:: 1 + len(points) * extraction.measures.size // 2_000_000]
    values = extraction.formula.at_points([[as_number(x) for x in point] for point in points])
    assert [row[0] for row in values] == [network_value(spec, point)[0] for point in points]


square_root_two = st.builds(
    lambda a, b: (a, b), st.fractions(-2, 2, max_denominator=2), st.fractions(-1, 1, max_denominator=2)
)


@settings(max_examples=40)
@given(st.integers(1, 3).flatmap(lambda n: st.tuples(
    st.lists(st.lists(square_root_two, min_size=n, max_size=n), min_size=1, max_size=2),
    st.lists(square_root_two, min_size=2, max_size=2),
    st.lists(square_root_two, min_size=2, max_size=2),
)))  # fmt: skip
def test_networks_with_the_square_root_of_two(parts):
    """The oracle evaluates a + b√2 as a pair of Fractions and orders it by squaring."""
    hidden, biases, output = parts
    rows = len(hidden)
    number = "({})+({})*sqrt(2)".format
    first = Layer.of([[number(*w) for w in row] for row in hidden], [number(*b) for b in biases[:rows]])
    second = Layer.of([[number(*w) for w in output[:rows]]], ["1/3"], "crelu")
    network = Network.of([first, second])
    extraction = extract(network)
    dimension = len(hidden[0])
    for point in grid(dimension, {1: 12, 2: 4, 3: 2}[dimension]):
        sums = [_add(b, *(_times(w, (x, Fraction(0))) for w, x in zip(row, point, strict=True)))
                for row, b in zip(hidden, biases, strict=False)]  # fmt: skip
        rectified = [s if _positive(s) else (Fraction(0), Fraction(0)) for s in sums]
        total = _add((Fraction(1, 3), Fraction(0)), *(_times(w, r) for w, r in zip(output, rectified, strict=False)))
        expected = total if _positive(total) else (Fraction(0), Fraction(0))
        expected = (Fraction(1), Fraction(0)) if _positive(_add(expected, (Fraction(-1), Fraction(0)))) else expected
        assert extraction.formula(*point) == parse_number(number(*expected))
    irrational = parse_number("sqrt(2)/2")
    inside = [irrational] * dimension
    assert extraction.formula(*inside) == network.at(inside)[0]


def _add(*terms):
    return sum(t[0] for t in terms), sum(t[1] for t in terms)


def _times(x, y):
    return x[0] * y[0] + 2 * x[1] * y[1], x[0] * y[1] + x[1] * y[0]


def _positive(x):
    a, b = x
    if a >= 0 and b >= 0:
        return a > 0 or b > 0
    if a <= 0 and b <= 0:
        return False
    return (a > 0) == (a * a > 2 * b * b)


@settings(max_examples=80)
@given(st.sampled_from(["mv", "dmv", "rmv"]).flatmap(lambda logic: expressions(("x", "y"), 8, logic)))
def test_formula_network_formula_keeps_the_function(text):
    formula = parse(text)
    assume(formula.inputs)
    network = to_network(formula)
    try:
        again = extract(
            replace(network, layers=(*network.layers[:-1], replace(network.layers[-1], activation="crelu")))
        ).formula
    except Undecided:
        assume(False)
    for point in grid(len(formula.inputs), 4):
        at = dict(zip(formula.inputs, point, strict=True))
        assert again(**at) == formula_values(formula, at)[0]


# -- several outputs, boxes, constant and dead neurons ----------------------------------------------------------------


def test_several_outputs_share_one_formula():
    network = Network.of(
        [Layer.of([[2, -1], [1, 1]], [0, -1]), Layer.of([[1, 0], [0, 1]], [0, 0], "crelu")], outputs=["a", "b"]
    )
    formula = extract(network).formula
    assert formula.outputs == ("a", "b")
    for x, y in grid(2, 5):
        assert tuple(formula(x, y).values()) == network(x, y)
    only = extract(network, output="b").formula
    assert only.outputs == ("b",)
    assert all(only(x, y) == network(x, y)[1] for x, y in grid(2, 5))
    assert extract(network, output=1).formula == only


def test_other_boxes_are_mapped_exactly():
    network = Network.of([Layer.of([[1], [-1]], [0, 0]), Layer.of([["1/2", "1/3"]], [0])], box=[["-3", "2"]])
    extraction = extract(network)
    assert extraction.network == to_unit_cube(network)
    for i in range(26):
        u = Rational(i, 25)
        assert extraction.formula(u) == network(-3 + 5 * u)
    assert extraction.summary["box"] == [["-3", "2"]]


def test_dead_and_constant_neurons_vanish():
    network = build_network(
        [([[1, 1], [-1, -1], [0, 0], [1, 0]], [-2, 0, 3, 0], "relu"), ([[5, 7, "1/9", "1/3"]], [0], "identity")]
    )
    extraction = extract(network, bounds="interval")
    assert extraction.clipped.units == 2, "only ρ(x1) = σ(x1) and the output are left"
    assert all(extraction.formula(x, y) == network(x, y) for x, y in grid(2, 4))


def test_units_below_a_positive_lower_bound_are_folded():
    network = build_network([([[1]], [5], "relu"), ([["1/6"]], [0], "crelu")])
    clipped = clip_network(network, NetworkBounds())
    assert [len(layer) for layer in clipped.layers] == [1], "σ(t) … σ(t−4) are 1, σ(t−5) is a unit"
    assert clipped.outputs[0].constant == Rational(5, 6)


def test_integer_upper_bounds_add_no_zero_unit():
    """The paper's ⌊B⌋ form has a unit that is constantly 0 when B > 2 is an integer."""
    network = build_network([([[3]], [0], "relu"), ([["1/3"]], [0], "identity")])
    assert [len(layer) for layer in clip_network(network, NetworkBounds()).layers] == [3]


def test_equal_and_complementary_units_are_merged():
    network = build_network([([[2], [2], [-2], [-2]], [0, 0, 1, 2], "crelu"), ([[1, 1, -1, -1]], [0], "crelu")])
    clipped = clip_network(network, NetworkBounds())
    # σ(1−2x) = ¬σ(2x) and σ(2−2x) = ¬σ(2x−1): four neurons, two units
    assert [len(layer) for layer in clipped.layers] == [2]


def test_any_proven_bounds_are_taken():
    """|x1 − x2| = ρ(x1−x2) + ρ(x2−x1) ≤ 1, where intervals see 2."""
    network = build_network([([[1, -1], [-1, 1]], [0, 0], "relu"), ([[1, 1]], [0], "relu"), ([[1]], [0], "crelu")])
    number = as_number
    difference = NeuronBound(number(-1), number(1), "mine")
    bounds = NetworkBounds([[difference] * 2, [NeuronBound(number(0), number(1), "mine")]])
    loose, tight = extract(network, bounds="interval"), extract(network, bounds=bounds)
    assert (tight.clipped.units, loose.clipped.units) == (4, 5)
    assert tight.formula.length < loose.formula.length
    assert tight.summary["bounds"] == "mine"
    assert all(tight.formula(x, y) == loose.formula(x, y) == abs(x - y) for x, y in grid(2, 6))


def test_units_with_the_same_weights_share_one_table():
    forms = [Affine([(0, Rational(5))], Rational(-k)) for k in range(5)]
    assert [len(group.members) for group in group_units(forms, "mv")] == [5]
    assert [group.split for group in group_units([Affine([(0, Rational(1, 2))], Rational(1, 3))], "dmv")] == [6]


def test_proven_bounds_follow_the_selected_output():
    network = build_network([([[1], [2]], [0, 0], "identity")])
    with pytest.raises(OutputLeavesUnitInterval):
        extract(network, bounds=interval_bounds(network), output="y2")
    assert str(extract(network, bounds=interval_bounds(network), output="y1").formula) == "x1"
    with pytest.raises(InputError, match="do not fit"):
        extract(network.select("y1"), bounds=interval_bounds(network))


def test_logic_is_judged_by_the_selected_output():
    network = build_network([([["1"], ["1/2"]], [0, 0], "identity")])
    assert extract(network, logic="mv", output=0).formula.logic == "mv"


@pytest.mark.parametrize(
    ("weight", "bias"), [("1e-12", "0"), ("0", "0.123456789012"), ("1e-12", "1/3"), ("-1e-9", "1")]
)
def test_huge_denominators_do_not_cost_their_size(weight, bias):
    network = build_network([([[weight]], [bias], "identity")])
    formula = extract(network, logic="dmv").formula
    assert formula.size < 200
    assert all(formula(x) == network(x) for x in (0, 1, "1/3"))


# -- the output must stay in [0,1] ------------------------------------------------------------------------------------


@pytest.mark.parametrize(("layers", "value"), [
    ([([[2]], [0], "relu")], "2"), ([([[2]], [0], "identity")], "2"), ([([[-1]], ["1/2"], "identity")], "-1/2"),
    ([([[4], [4], [4]], [-1, -2, -3], "relu"), ([["3/2", -3, "3/2"]], [0], "relu")], "3/2"),
    ([([[1, 1]], [0], "relu")], "2"),
])  # fmt: skip
def test_leaving_the_unit_interval_is_shown_at_an_exact_point(layers, value):
    network = build_network(layers)
    with pytest.raises(OutputLeavesUnitInterval) as error:
        extract(network)
    point = [parse_number(x) for x in error.value.point.values()]
    assert network.at(point)[0] == parse_number(error.value.value) == parse_number(value)


def test_points_outside_are_given_in_the_users_coordinates():
    network = Network.of([Layer.of([[1]], [0], "identity")], box=[["-5", "1"]])
    with pytest.raises(OutputLeavesUnitInterval, match="at x1=-5 it is -5"):
        extract(network)


def test_bounds_that_cannot_tell_are_undecided():
    """x − ρ(x−y) − y·0 = min(x, y) stays in [0,1], but intervals see [−1, 1]."""
    network = build_network([([[1, -1], [1, 0]], [0, 0], "relu"), ([[-1, 1]], [0], "identity")])
    with pytest.raises(Undecided, match="cannot tell"):
        extract(network, bounds="interval")
    assert str(extract(network).formula) == "x1 ⊙ ¬(x1 ⊙ ¬x2)", "the solver can tell"
    relu_at_the_end = build_network([([[1, -1], [1, 0]], [0, 0], "relu"), ([[-1, 1]], [0], "relu")])
    assert all(extract(relu_at_the_end).formula(x, y) == min(x, y) for x, y in grid(2, 5))


# -- what does not fit is refused --------------------------------------------------------------------------------------


def test_logic_must_fit_the_weights():
    rational, real = build_network([([["1/2"]], [0], "relu")]), build_network([([["sqrt(2)/2"]], [0], "relu")])
    for network, logic in ((rational, "mv"), (real, "mv"), (real, "dmv")):
        with pytest.raises(InputError, match="cannot express"):
            extract(network, logic=logic)
    for wrong in ({"logic": "fuzzy"}, {"strategy": "best"}, {"bounds": "guess"}):
        with pytest.raises(InputError, match="unknown"):
            extract(rational, **wrong)
    assert extract(rational, strategy="paper").formula.logic == "dmv"
    assert extract(rational).formula.logic == "rmv"
    assert extract(real).formula.logic == "rmv"


def test_auto_leaves_dmv_where_its_splitting_explodes():
    network = build_network([([[float(1 / 3), -0.7]], [0.1], "crelu")])
    assert extract(network, strategy="paper").formula.logic == "rmv"
    with pytest.raises(Undecided, match="--logic rmv"):
        extract(network, strategy="paper", logic="dmv")
    assert extract(network, logic="dmv").formula.logic == "dmv", "compact needs no common denominator"


def test_impossible_sizes_are_undecided_at_once():
    for weight in (10**6, 10**40):
        with pytest.raises(Undecided):
            extract(build_network([([[weight]], [-weight // 2], "crelu")]), strategy="paper")
        assert extract(build_network([([[weight]], [-weight // 2], "crelu")])).measures.size < 2000
        with pytest.raises(Undecided, match="clipped units"):
            extract(build_network([([[weight * 100]], [0], "relu"), ([[1]], [0], "crelu")]), bounds="interval")


# -- defects of earlier implementations (theory.md §6), one test each --------------------------------------------------


def test_coefficients_below_one_are_not_dropped():
    formula = extract(build_network([([["1/3", "2/3"]], [0], "crelu")])).formula
    assert formula(1, 0) == Fraction(1, 3)
    assert formula(0, 1) == Fraction(2, 3)
    assert extract(build_network([([["1/3", "2/3"]], [0], "crelu")]), logic="rmv").formula(1, 1) == 1


def test_a_rational_bias_is_added():
    for logic in ("dmv", "rmv"):
        formula = extract(build_network([([[1]], ["1/4"], "crelu")]), logic=logic).formula
        assert formula(0) == Fraction(1, 4)
        assert formula("1/2") == Fraction(3, 4)


def test_ten_inputs_do_not_clobber_each_other():
    weights = [[1 if j in (0, 9) else 0 for j in range(10)], [1 if j == 1 else 0 for j in range(10)]]
    network = build_network([(weights, [-1, 0], "relu"), ([[1, 1]], [0], "crelu")])
    formula = extract(network).formula
    assert str(formula) == "x2 ⊕ x1 ⊙ x10"


def test_close_weights_are_not_confused():
    """Deduplication keyed on rounded text took these two neurons for one."""
    tiny = Fraction(1, 10**12)
    spec = [
        ([[Fraction(1, 2)], [Fraction(1, 2) + tiny]], [Fraction(0), Fraction(0)], "crelu"),
        ([[Fraction(1), Fraction(-1)]], [Fraction(1)], "crelu"),
    ]
    formula = extract(build_network(spec), logic="rmv").formula
    assert formula(1) == 1 - tiny


def test_weights_are_not_rounded():
    for weight in (Fraction(1, 7), Fraction(1, 10**7), Fraction(0.1)):
        assert extract(build_network([([[weight]], [0], "crelu")]), logic="rmv").formula(1) == weight


def test_single_layer_networks():
    assert str(extract(build_network([([[1]], [0], "relu")])).formula) == "x1"
    assert str(extract(build_network([([[-1]], [1], "identity")])).formula) == "¬x1"
    assert str(extract(build_network([([[0]], [1], "relu")])).formula) == "1"
    assert extract(build_network([([[0]], ["1/3"], "relu")])).formula(0) == Fraction(1, 3)
