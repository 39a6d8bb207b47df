"""The bound on the error of float32 execution: never below what onnxruntime, or sums in any order, come to."""

import os
import tempfile
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from verimv.bounding.float_error import LARGEST, SMALLEST, TINY, float32_gaps, float32_gaps_at, is_float32
from verimv.bounding.methods import neuron_bounds
from verimv.core.errors import InputError, Undecided
from verimv.exact import Rational, as_number
from verimv.networks.formats.load import load
from verimv.networks.formats.onnx_format.chain import executed_network
from verimv.networks.formats.onnx_format.model_writer import export_onnx
from verimv.networks.formats.onnx_format.runtime import RuntimeModel
from verimv.networks.network import Layer, Network
from verimv.paper.experiments.families import random_network

finite = st.floats(width=32, min_value=-100, max_value=100)
#: Also numbers that make products underflow.
wide = st.one_of(finite, st.floats(width=32, min_value=-(2.0**-60), max_value=2.0**-60))


@st.composite
def networks(draw, numbers=finite):
    widths = draw(st.lists(st.integers(1, 6), min_size=2, max_size=4))
    layers = []
    for below, width in pairwise(widths):
        rows = draw(st.lists(st.lists(numbers, min_size=below, max_size=below), min_size=width, max_size=width))
        bias = draw(st.lists(numbers, min_size=width, max_size=width))
        layers.append(Layer.of(rows, bias, draw(st.sampled_from(["relu", "crelu", "identity"]))))
    low = draw(st.lists(finite, min_size=widths[0], max_size=widths[0]))
    spans = draw(st.lists(st.sampled_from([0, 1, 7]), min_size=widths[0], max_size=widths[0]))
    return Network.of(layers, box=[[a, Fraction(a) + b] for a, b in zip(low, spans, strict=True)])


def points(draw, network):
    """Points of the box, floats or not."""
    shares = draw(
        st.lists(st.sampled_from([0, Fraction(1, 3), Fraction(1, 2), 1]), min_size=len(network.box), max_size=len(network.box))
    )  # fmt: skip
    return [low + (high - low) * as_number(share) for share, (low, high) in zip(shares, network.box, strict=True)]


def check(network, point, values):
    """Pointwise bounds are the smaller ones; both hold."""
    at, everywhere = float32_gaps_at(network, point), float32_gaps(network)
    for value, exact, gap, largest in zip(values, network.at(point), at, everywhere, strict=True):
        assert abs(as_number(float(value)) - exact) <= gap
        assert gap <= largest * (1 + Rational(1, 2**20)) + TINY  # both are rounded up


@settings(max_examples=120, deadline=None)
@given(st.data(), networks(wide))
def test_onnxruntime_is_within_the_bound(data, network):
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "net.onnx")
        Path(path).write_bytes(export_onnx(network).data)
        floats = RuntimeModel(path)
        assert executed_network(path) == network
        for _ in range(3):
            point = points(data.draw, network)
            check(network, point, floats.at([float(x) for x in point]))


def added(numbers, source):
    """A float32 sum in a random order, with random brackets."""
    pending = list(numbers)
    while len(pending) > 1:
        a, b = (pending.pop(source.randrange(len(pending))) for _ in range(2))
        pending.append(np.float32(a + b))
    return pending[0] if pending else np.float32(0)


def flushed(number):
    return np.float32(0) if abs(float(number)) < 2.0**-126 else number


@pytest.mark.parametrize("flushes", [False, True])
@settings(max_examples=100, deadline=None)
@given(st.data(), networks(wide), st.randoms(use_true_random=False))
def test_sums_in_any_order_are_within_the_bound(flushes, data, network, source):
    tidy = flushed if flushes else lambda number: number
    point = points(data.draw, network)
    values = [tidy(np.float32(float(x))) for x in point]
    with np.errstate(under="ignore"):
        for layer in network.layers:
            results = []
            for row in layer.rows:
                products = [tidy(np.float32(tidy(np.float32(float(w))) * values[j])) for j, w in row.terms]
                total = tidy(added([*products, np.float32(float(row.constant))], source))
                results.append(_activated(layer.activation, total))
            values = results
    check(network, point, values)


def _activated(activation, value):
    if activation == "identity":
        return value
    return np.maximum(value, np.float32(0)) if activation == "relu" else np.clip(value, np.float32(0), np.float32(1))


def test_one_product_and_one_sum():
    """By hand: N = 2 terms, at most 3 roundings of numbers of size at most 3/4 + 1/4."""
    network = Network.of([Layer.of([["0.75"]], ["0.25"], "identity")], box=[[0, 1]])
    (gap,) = float32_gaps_at(network, [Rational(1)])
    three = 3 * Rational(1, 2**24)
    assert three / (1 - three) <= gap < three * (1 + Rational(1, 2**20))


def test_numbers_that_are_no_floats_count():
    third = Network.of([Layer.of([["1/3"]], [0], "identity")], box=[[0, 1]])
    exact = Network.of([Layer.of([["0.25"]], [0], "identity")], box=[[0, 1]])
    assert float32_gaps(third)[0] > Rational(1, 3) * Rational(1, 2**24) * 3
    assert float32_gaps_at(exact, [Rational(1, 3)])[0] > float32_gaps_at(exact, [Rational(1, 2)])[0]
    assert [is_float32(as_number(x)) for x in ("0.5", "1/3", "16777217", "16777216", SMALLEST, SMALLEST / 2, LARGEST, LARGEST * 2)] == [
        True, False, False, True, True, False, True, False
    ]  # fmt: skip


def test_rounded_weights_and_biases_count():
    """float32(1/3) is 1/3 + 2⁻²⁵/3 …: what is executed is another network."""
    third, near = "1/3", np.float32(1 / 3)
    for rational, rounded in (([[third]], [0]), ([[near]], [0])), (([[0]], [third]), ([[0]], [near])):
        gaps = [
            float32_gaps_at(Network.of([Layer.of(*numbers, "identity")]), [Rational(1)])[0]
            for numbers in (rational, rounded)
        ]
        assert gaps[0] - gaps[1] > Rational(1, 3) * Rational(1, 2**24) * Rational(99, 100)


def test_underflow_counts(tmp_path):
    """2⁻¹⁰⁰·2⁻¹⁰⁰ is 0 in floats: no multiple of u·2⁻²⁰⁰ bounds that error."""
    network = Network.of([Layer.of([[2.0**-100]], [0], "identity")])
    path = tmp_path / "net.onnx"
    path.write_bytes(export_onnx(network).data)
    point = [as_number(2.0**-100)]
    assert RuntimeModel(path).at([2.0**-100]) == [0]
    check(network, point, [0])
    tiny = Network.of([Layer.of([[2.0**-140]], [0], "identity")])  # may itself be read as 0
    assert float32_gaps_at(tiny, [Rational(2) ** 100])[0] >= Rational(1, 2**40)


def test_neurons_that_are_surely_off_have_no_error():
    network = Network.of([Layer.of([[1], [1]], [-2, 3], "crelu")], box=[[0, "0.5"]])
    assert float32_gaps(network) == [0, 0]
    edge = Network.of([Layer.of([[1]], [-1], "relu")], box=[[0, 1]])
    assert float32_gaps(edge)[0] > 0


def test_overflow_is_not_overlooked():
    large = Network.of([Layer.of([["1e30"]], [0]), Layer.of([["1e8"]], [0], "identity")], box=[[0, 1]])
    assert float32_gaps(large)
    for box, weight in (([0, 10], "1e8"), ([0, 1], "1e9"), (["0", "1e39"], "1")):
        with pytest.raises(Undecided, match="float32 may overflow"):
            float32_gaps(replace(large, layers=(large.layers[0], Layer.of([[weight]], [0], "identity")), box=((as_number(box[0]), as_number(box[1])),)))  # fmt: skip


def test_better_ranges_give_better_bounds():
    network = random_network((4, 12, 12, 1), 3)
    loose, tight = float32_gaps(network), float32_gaps(network, neuron_bounds(network, "exact"))
    assert tight[0] < loose[0]
    with pytest.raises(InputError, match="do not fit"):
        float32_gaps(network, neuron_bounds(random_network((4, 3, 1), 3), "interval"))


def test_irrational_weights():
    with pytest.raises(InputError, match="rational"):
        float32_gaps(Network.of([Layer.of([["sqrt(2)"]], [0])]))


FOLDER = Path(os.environ.get("VERIMV_NETS", Path(__file__).parents[2].parent / "shared" / "nets"))


@pytest.mark.parametrize("name", ["acasxu/ACASXU_run2a_1_1_batch_2000", "rl_benchmarks/cartpole", "vnncomp_test/test_small", "ncb_poly_approx/polynomial_16_16_16", "tllverify/tllBench_n=2_N=M=8_m=1_instance_0_0"])  # fmt: skip
def test_networks_that_others_trained(name):
    path = FOLDER / f"{name}.onnx"
    if not path.exists():
        pytest.skip("no networks at ../shared/nets (or VERIMV_NETS)")
    network, floats = executed_network(path), RuntimeModel(path)
    source = np.random.default_rng(2)
    for _ in range(3):
        point = source.uniform(-1, 1, len(network.inputs)).astype(np.float32)
        exact = [as_number(x) for x in point]
        assert network.at(exact) == load(path).at(exact)
        for value, y, gap in zip(floats.at(point), network.at(exact), float32_gaps_at(network, exact), strict=True):
            assert abs(as_number(value) - y) <= gap
