"""Two networks as one system of variables: shared neurons cancel, and values do not change."""

from fractions import Fraction
from itertools import pairwise

from hypothesis import given, settings
from hypothesis import strategies as st

from tests.oracle import build_network, grid
from verimv.exact import Rational, parse_number
from verimv.networks.affine import Affine
from verimv.networks.network import activate
from verimv.networks.transforms.joint import SharedPair

#: Few numbers, so that neurons are often multiples of others, with factors of either sign.
FEW = ["0", "0", "1", "-1", "2", "-2", "1/2", "3", "sqrt(2)", "-sqrt(2)/2"]


@st.composite
def colliding_pairs(draw, numbers=tuple(FEW)):
    """Draw layers (weights, bias, activation) of two networks with the same inputs and equally many outputs."""
    inputs, outputs = draw(st.integers(1, 2)), draw(st.integers(1, 2))
    specs = []
    for _ in range(2):
        widths = [inputs, *draw(st.lists(st.integers(1, 3), max_size=2)), outputs]
        layers = []
        for below, width in pairwise(widths):
            rows = [[draw(st.sampled_from(numbers)) for _ in range(below + 1)] for _ in range(width)]
            act = draw(st.sampled_from(["relu", "relu", "crelu", "identity"]))
            layers.append(([row[1:] for row in rows], [row[0] for row in rows], act))
        specs.append(layers)
    return specs


def exact_points(inputs: int):
    return [tuple(Rational(x.numerator, x.denominator) for x in point) for point in grid(inputs, 3)]


def arguments(spec, point):
    """Return the arguments of all neurons of a network, and its outputs."""
    found, values = [], list(point)
    for weights, bias, activation in spec:
        sums = [
            parse_number(b) + sum((parse_number(w) * v for w, v in zip(row, values, strict=True)), Rational(0))
            for row, b in zip(weights, bias, strict=True)
        ]
        found += [(t, activate(activation, t)) for t in sums]
        values = [activate(activation, t) for t in sums]
    return found, values


@settings(max_examples=150, deadline=None)
@given(colliding_pairs())
def test_every_argument_and_value_is_what_it_was(pair):
    a, b = map(build_network, pair)
    shared = SharedPair(a, b)
    for point in exact_points(len(a.inputs)):
        (found, outputs), (more, others) = (arguments(spec, point) for spec in pair)
        values = [*point, *(value for _, value in found + more)]
        for neuron, (argument, value) in zip(shared.neurons, found + more, strict=True):
            assert neuron.row(values) == argument
            assert neuron.value(values) == value
        differences = [x - y for x, y in zip(outputs, others, strict=True)]
        assert [row(values) for row in shared.differences] == differences


@settings(max_examples=150, deadline=None)
@given(colliding_pairs())
def test_rows_mention_only_neurons_of_the_layer_below_that_are_no_multiples(pair):
    a, b = map(build_network, pair)
    shared = SharedPair(a, b)
    depths = [0] * shared.inputs + [
        depth for spec in pair for depth, (_, bias, _) in enumerate(spec, start=1) for _ in bias
    ]
    for k, neuron in enumerate(shared.neurons, start=shared.inputs):
        for j, _ in neuron.row.terms:
            assert depths[j] == depths[k] - 1
            assert j < shared.inputs or shared.neurons[j - shared.inputs].value.terms == ((j, 1),)
        assert not neuron.value.terms or depths[neuron.value.terms[0][0]] == depths[k]


def test_constant_neurons_are_numbers():
    spec = [([["0"], ["0"], ["1"]], ["-1", "3", "0"], "crelu"), ([["5", "2", "0"]], ["1/2"], "relu")]
    network = build_network(spec)
    constants = [neuron.value for neuron in SharedPair(network, network).neurons[:4]]
    assert constants == [Affine(()), Affine((), Rational(1)), Affine.variable(3), Affine((), Rational(5, 2))]


def test_scales():
    """The scale is the constant, or the coefficient of the first variable; 1 for σ and irrational numbers."""
    spec = [([["4"], ["2"], ["-2"], ["3"]], ["-2", "-1", "1", "0"], "relu"), ([["1"] * 4], ["0"], "identity")]
    factors = [neuron.value.terms for neuron in SharedPair(*[build_network(spec)] * 2).neurons[:4]]
    assert factors == [((1, 1),), ((1, Fraction(1, 2)),), ((3, 1),), ((4, 1),)]
    for activation, weights in (("crelu", ["2", "1"]), ("relu", ["sqrt(2)", "1"]), ("relu", ["1", "-1"])):
        spec = [([[w] for w in weights], ["0", "0"], activation), ([["1", "1"]], ["0"], "identity")]
        network = build_network(spec)
        assert [n.value.terms[0][0] for n in SharedPair(network, network).neurons] == [1, 2, 3, 1, 2, 3]
