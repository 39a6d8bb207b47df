"""Shared neurons in certificates of two networks: copies are certified at once, and nothing false is."""

import copy
import json
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from tests.certificate.judged import checker_of
from tests.certificate.tamper import Bundle
from tests.networks.transforms.test_joint import FEW, arguments, colliding_pairs, exact_points
from tests.oracle import build_network, grid
from verimv import kernel
from verimv.bounding.search.difference import Difference
from verimv.bounding.search.output_range import searched_ranges
from verimv.certificate.from_ranges import certify_difference
from verimv.exact import Rational
from verimv.networks.affine import Affine
from verimv.networks.formats.json_format import write_network
from verimv.networks.network import Network
from verimv.networks.transforms.joint import SharedPair
from verimv.paper.benchmarks.bench_bounds import disguised
from verimv.paper.experiments.families import random_network

ZERO = Rational(0)
RATIONAL = tuple(x for x in FEW if "sqrt" not in x)
FACTORS = st.builds(Rational, st.integers(1, 5), st.integers(1, 5))


def bundle(certificate) -> Bundle:
    return Bundle({name: data.decode() for name, data in certificate.subjects.items()}, tuple(certificate.body))


def joined(a: Network, b: Network):
    """The layers of the difference, as the kernel has them before anything is shared; and its checker."""
    texts = {"network": "".join(write_network(a)), "other": "".join(write_network(b))}
    work = kernel.Work(10**6)
    first = kernel.read_network(texts["network"], None, work)
    other = kernel.read_network(texts["other"], first.layers[-1].stop, work)
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(kernel, "share", lambda layers, work: layers)
        before = kernel.difference(first, other, work)
    return before, checker_of(**texts)


def terms_of(argument):
    """An argument as a dictionary, its constant as the coefficient of None."""
    denominator, keys, numerators = argument.linear
    terms = {j: n * Fraction(1, denominator) for j, n in zip(keys, numerators, strict=True)}
    return terms | ({None: argument.constant} if argument.constant else {})


@settings(max_examples=150, deadline=None)
@given(colliding_pairs())
def test_arguments_in_the_kernel_are_what_they_were(pair):
    a, b = map(build_network, pair)
    layers, checker = joined(a, b)
    for point in grid(len(a.inputs), 3):
        values = dict(enumerate(point)) | {None: 1}
        for (start, activation, rows), (_, _, shared) in zip(layers, checker.layers, strict=True):
            found = [
                [sum((c * values[j] for j, c in terms_of(row).items()), 0) for row in part] for part in (rows, shared)
            ]
            assert found[0] == found[1]
            values |= {k: kernel.activate(activation, t) for k, t in enumerate(found[0], start=start)}


@settings(max_examples=150, deadline=None)
@given(colliding_pairs(RATIONAL))
def test_the_kernel_and_what_writes_certificates_share_the_same(pair):
    a, b = map(build_network, pair)
    shared = SharedPair(a, b)
    rows = [*(neuron.row for neuron in shared.neurons), *shared.differences]
    expected = [dict(row.terms) | ({None: row.constant} if row.constant else {}) for row in rows]
    assert [terms_of(row) for layer in joined(a, b)[1].layers for row in layer.arguments] == expected


def sharpest(a, b) -> Bundle:
    """Two networks, and for every neuron of their difference the best bounds that a leaf proves in the Python kernel."""
    _, checker = joined(a, b)
    lines = []
    for layer, (_, _, rows) in enumerate(checker.layers, start=1):
        for i, side in ((i, side) for i in range(len(rows)) for side in ("low", "high")):
            value = Fraction(0)
            try:
                checker.follow(["bound", layer, i, side, "0", ["leaf"]])
            except kernel.Rejected as rejected:
                value = Fraction(rejected.got.removeprefix("a gap of ")) * (1 if side == "high" else -1)
            lines.append(["bound", layer, i, side, str(value), ["leaf"]])
            checker.follow(lines[-1])
    subjects = {"network": "".join(write_network(a)), "other": "".join(write_network(b))}
    return Bundle(subjects, tuple(map(json.dumps, lines)))


@settings(max_examples=100, deadline=None)
@given(colliding_pairs(RATIONAL))
def test_bounds_that_are_accepted_hold_at_points(pair):
    """Of all neurons of both networks, and of their differences."""
    made = sharpest(*map(build_network, pair))
    assert made.verdict() == "valid"
    ends = [Fraction(json.loads(line)[4]) for line in made.lines]
    for point in exact_points(len(pair[0][0][0][0])):
        (found, outputs), (more, others) = (arguments(spec, point) for spec in pair)
        values = [argument for argument, _ in found + more] + [x - y for x, y in zip(outputs, others, strict=True)]
        assert all(low <= value <= high for low, value, high in zip(ends[::2], values, ends[1::2], strict=True))


@st.composite
def copies(draw, activations=("relu", "relu", "crelu", "identity")):
    """A network, and one with its neurons in another order and multiplied."""
    (spec, _) = draw(colliding_pairs(RATIONAL))
    assume(len(spec) > 1)
    network = build_network(spec)
    layers, order, factors = [], list(range(len(network.inputs))), [Rational(1)] * len(network.inputs)
    for depth, layer in enumerate(network.layers, start=1):
        below = {j: (i, factors[i]) for i, j in enumerate(order)}
        order = list(range(len(layer.rows)))
        factors = [Rational(1)] * len(order)
        if depth < len(network.layers):
            order = draw(st.permutations(order))
            factors = [Rational(1) if layer.activation == "crelu" else draw(FACTORS) for _ in order]
        moved = [Affine([(below[j][0], w / below[j][1]) for j, w in row.terms], row.constant) for row in layer.rows]
        rows = tuple(moved[i].scaled(factor) for i, factor in zip(order, factors, strict=True))
        layers.append(replace(layer, rows=rows))
    return network, replace(network, layers=tuple(layers))


@settings(max_examples=80, deadline=None)
@given(copies())
def test_copies_are_certified_without_a_search(pair):
    made = bundle(certify_difference(*pair, ZERO, 0.0))
    assert made.verdict() == "valid"
    assert all(json.loads(line)[4:] == ["0", ["leaf"]] for line in made.lines)
    assert len(made.lines) == 2 * len(pair[0].outputs)


@settings(max_examples=60, deadline=None)
@given(copies(), st.data())
def test_copies_with_another_weight_are_not_certified_if_they_differ(pair, data):
    network, other = pair
    depth = data.draw(st.integers(0, len(other.layers) - 1))
    layer = other.layers[depth]
    i, j = data.draw(st.integers(0, len(layer.rows) - 1)), data.draw(st.integers(0, layer.width_in - 1))
    rows = list(layer.rows)
    rows[i] = rows[i] + Affine([(j, Rational(1, 2**20))])
    layers = [*other.layers[:depth], replace(layer, rows=tuple(rows)), *other.layers[depth + 1 :]]
    changed = replace(other, layers=tuple(layers))
    certificate = certify_difference(network, changed, ZERO, 5.0)
    differ = any(network.at(x) != changed.at(x) for x in exact_points(len(network.inputs)))
    assert certificate is None or (not differ and bundle(certificate).is_true())
    verdict = Difference(network, changed, ZERO).by_search()
    assert verdict is None or not differ or verdict.refuted
    if verdict is not None and verdict.refuted:
        assert certificate is None
        assert verdict.counterexample


@settings(max_examples=40, deadline=None)
@given(colliding_pairs(RATIONAL))
def test_evidence_fits_where_only_some_neurons_are_shared(pair):
    """The largest difference is certified, and nothing less is."""
    spec, other = pair[0], copy.deepcopy(pair[0])
    assume(len(spec) > 1)
    other[-1][1][0] = "1/7"
    other[-2][1][0] = "1/5"
    a, b = build_network(spec), build_network(other)
    network = Difference(a, b, ZERO).network
    ranges = searched_ranges(network)
    assume(all(found.exact for found in ranges))
    largest = max(abs(end) for found in ranges for end in (found.lower.value, found.upper.value))
    made = bundle(certify_difference(a, b, largest, 30.0))
    assert made.verdict() == "valid"
    assert made.is_true()
    assert not largest or certify_difference(a, b, largest * (1 - Rational(1, 2**20)), 30.0) is None


@pytest.mark.parametrize("widths", [(1, 16, 16, 16, 1), (3, 20, 20, 1), (2, 10, 10, 1)])
def test_copies_too_large_for_a_search(widths):
    network = random_network(widths, 3)
    made = bundle(certify_difference(network, disguised(network, 1), ZERO, 0.0))
    assert made.verdict() == "valid"
    planted = disguised(network, 1, Rational(1, 2**20))
    other = {**made.subjects, "other": "".join(write_network(planted))}
    assert Bundle(other, made.lines).verdict() == "invalid"
    assert certify_difference(network, planted, ZERO, 1.0) is None


def test_shapes_may_differ_where_all_cancels():
    """One neuron in two parts; and one more that is not used."""
    one = build_network([([[2, -1]], [1], "relu"), ([[3]], [0], "identity")])
    two = build_network([([[4, -2], [1, 1], [2, -1]], [2, 0, 1], "relu"), ([[1, 0, 1]], [0], "identity")])
    made = bundle(certify_difference(one, two, ZERO, 0.0))
    assert made.verdict() == "valid"
    assert made.is_true()


def test_copies_with_square_roots():
    """No search takes these; but they cancel, if factors are rational."""
    spec = [([["sqrt(2)", 1], [-1, "sqrt(3)/2"]], [-1, "sqrt(2)"], "relu"), ([["sqrt(2)", 1]], [0], "identity")]
    other = [([[-1, "sqrt(3)/2"], ["3*sqrt(2)", 3]], ["sqrt(2)", -3], "relu"), ([[1, "sqrt(2)/3"]], [0], "identity")]
    made = bundle(certify_difference(build_network(spec), build_network(other), ZERO, 0.0))
    assert made.verdict() == "valid"
    other[1][0][0][1] = "sqrt(2)/2"
    assert certify_difference(build_network(spec), build_network(other), ZERO, 5.0) is None
    other[1][0][0][1] = "sqrt(2)/3"
    other[0][0][0] = ["-sqrt(2)", "sqrt(6)/2"]  # multiplied by √2
    other[0][1][0] = "2"
    other[1][0][0][0] = "sqrt(2)/2"
    assert certify_difference(build_network(spec), build_network(other), ZERO, 5.0) is None


def test_shared_bounds_are_written_once():
    """The first layers are the same: the second network has no lines for them."""
    network = random_network((2, 4, 4, 1), 5)
    below, middle, last = network.layers
    other = replace(network, layers=(below, middle, replace(last, rows=(last.rows[0].shifted(Rational(1, 8)),))))
    made = bundle(certify_difference(network, other, Rational(1, 8), 30.0))
    assert made.verdict() == "valid"
    assert {json.loads(line)[1] for line in made.lines} <= {1, 2, 3, 7}
