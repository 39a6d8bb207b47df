"""The paper's worked examples, verbatim, and its claims about length."""

import itertools

import pytest

from tests import certified
from tests.oracle import formula_values, grid
from verimv.exact import Rational, parse_number
from verimv.formulas.formula import parse
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.from_formula import to_network
from verimv.paper.experiments.families import deep_sawtooth, hat, shallow_sawtooth, single_unit


def extract(network, **options):
    """By the paper's own construction."""
    return certified.extract(network, strategy="paper", **options)


def unit(weights, bias) -> str:
    return str(extract(single_unit(weights, bias)).formula)


@pytest.mark.parametrize(("weights", "bias", "text"), [
    ([1, -1, 1], -1, "x1 ⊙ (x3 ⊙ ¬x2)"),  # Section III, eqs. (4)–(8)
    ([2], 0, "x1 ⊕ x1"),  # eq. (13)
    ([2], -1, "x1 ⊙ x1"),  # eq. (14)
    ([1, -1], 0, "x1 ⊙ ¬x2"),  # eq. (15)
    ([1], 0, "x1"), ([-1], 1, "¬x1"), ([1], -1, "0"), ([-1], 2, "1"), ([1], 1, "1"), ([-1], 0, "0"),  # Appendix E, m = 1
    (["1/sqrt(2)", -2], 0, "Δ[sqrt(2)/2]x1 ⊙ ¬(x2 ⊕ x2)"),  # Section VI-B
    (["1/2"], 0, "δ[2]x1"),  # Theorem 6.2 with s = 2: the second summand is 0
])  # fmt: skip
def test_units(weights, bias, text):
    assert unit(weights, bias) == text


def test_the_hat():
    extraction = extract(hat())
    assert str(extraction.formula) == "(x1 ⊕ x1) ⊙ ¬(x1 ⊙ x1)"  # eq. (16)
    assert [[(form.dense(1), form.constant) for form in layer] for layer in extraction.clipped.layers] == [
        [([2], 0), ([2], -1)]  # W_1^*
    ]
    assert [form.dense(2) for form in extraction.clipped.outputs] == [[1, -1]]  # W_2^*, not W_2 = (1, −2)
    assert extraction.summary["logic"] == "mv"


@pytest.mark.parametrize("bounds", ["interval", "auto"])
@pytest.mark.parametrize("s", range(1, 11))
def test_deep_sawtooth_has_length_4_to_the_s(s, bounds):
    formula = extract(deep_sawtooth(s), bounds=bounds).formula
    assert formula.length == 4**s
    assert formula.size == 4 * s + 1


def test_a_very_deep_sawtooth():
    extraction = extract(deep_sawtooth(300))
    assert extraction.summary["length"] == str(4**300)
    assert extraction.measures.size == 1201


def test_shallow_sawtooth_grows_doubly_exponentially():
    """Θ(2^(2^(s+1))) by the paper: the logarithm of the length doubles with s, while 4^s is the deep network's."""
    logs = []
    for s in range(1, 8):
        extraction = extract(shallow_sawtooth(s))
        forms = [form.dense(1)[0] for form in extraction.clipped.layers[0]]
        assert forms == [2**s] * 2**s
        assert extraction.clipped.outputs[0].dense(2**s) == [(-1) ** i for i in range(2**s)]  # w_2^*
        logs.append(extraction.formula.length.bit_length())
        points = [[Rational(i, 3 * 2**s)] for i in range(3 * 2**s + 1)]
        assert extraction.formula.at_points(points) == [deep_sawtooth(s).at(point) for point in points]
    assert all(1.8 < later / earlier < 3.5 for earlier, later in itertools.pairwise(logs[2:]))


@pytest.mark.parametrize("weights", [(w1, w2) for w1 in range(-4, 5) for w2 in range(-4, 5)])
def test_lengths_stay_within_lemma_3_4(weights):
    total = sum(map(abs, weights))
    if not total:
        return
    network = Network.of([Layer.of([list(weights)], [b], "crelu") for b in [0]])
    for bias in range(-total, total + 1):
        network = single_unit(weights, bias)
        formula = extract(network).formula
        assert formula.length <= 2**total - 1
        for point in grid(2, 3):
            expected = min(1, max(0, sum(w * x for w, x in zip(weights, point, strict=True)) + bias))
            assert formula_values(formula, dict(zip(("x1", "x2"), point, strict=True))) == [expected]


@pytest.mark.slow
def test_the_length_of_one_wide_unit_is_exact():
    extraction = extract(single_unit([1000], -333))
    assert extraction.measures.operators["⊕"] + extraction.measures.operators["⊙"] == 444_555
    assert str(extraction.formula.length).startswith("1731110984341556683068")
    assert extraction.formula("0.3335") == Rational(1, 2)


def test_formula_network_formula():
    """τ → Φ^τ → τ': the same function and length, here up to De Morgan's law."""
    formula = parse("(x ⊕ x) ⊙ ¬y")
    again = extract(to_network(formula)).formula
    assert str(again) == "¬(y ⊕ ¬(x ⊕ x))"
    assert again.length == formula.length


def test_the_papers_own_network_for_tau():
    """Φ^τ as printed in eq. (2), with ρ(y) and ρ(−y)."""
    network = Network.of([
        Layer.of([[-2, 0], [0, 1], [0, -1]], [1, 0, 0]),
        Layer.of([[-1, -1, 1]], [1]),
        Layer.of([[1]], [0], "identity"),
    ], ["x", "y"], outputs=["out"])  # fmt: skip
    formula = extract(network).formula
    for x, y in grid(2, 6):
        assert formula_values(formula, {"x": x, "y": y}) == formula_values(parse("(x ⊕ x) ⊙ ¬y"), {"x": x, "y": y})
    assert formula.length == 3


def test_the_real_example_exactly():
    formula = extract(single_unit(["1/sqrt(2)", -2], 0)).formula
    assert formula(1, "1/4") == parse_number("sqrt(2)/2 - 1/2")
    assert formula(1, 0) == parse_number("sqrt(2)/2")
    assert formula.logic == "rmv"
