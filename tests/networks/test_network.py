import json
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.oracle import build_network, grid, integers, network_value, rationals, specs
from verimv.core.errors import InputError
from verimv.exact import as_number
from verimv.networks.formats.json_format import read_network, write_network
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.compose import compose, concatenate, stack
from verimv.networks.transforms.normalise import to_unit_cube, without_identity_layers


def written(network: Network) -> str:
    return "".join(write_network(network))


@given(specs(rationals), st.integers(1, 4))
def test_evaluation_and_json_round_trip(spec, denominator):
    network = build_network(spec)
    for point in grid(len(spec[0][0][0]), denominator)[:40]:
        assert network.at([as_number(x) for x in point]) == network_value(spec, point)
    assert read_network(written(network)) == network


def test_json_as_documented():
    text = """{"format": "verimv-network", "version": 1, "inputs": ["x1"], "box": [["0", "1"]], "layers": [
      {"weights": [["2"], ["2"]], "bias": ["0", "-1"], "activation": "relu"},
      {"weights": [["1", "-2"]], "bias": ["0"], "activation": "relu"}], "outputs": ["y1"]}"""
    network = read_network(text)
    assert network("1/3") == Fraction(2, 3)
    assert read_network(written(network)) == network


def test_decimals_in_json_are_read_literally():
    text = '{"format": "verimv-network", "version": 1, "layers": [{"weights": [[0.1, 1e-3]], "bias": [2], "activation": "identity"}]}'
    network = read_network(text)
    assert network(1, 1) == Fraction(2101, 1000)
    assert (network.inputs, network.outputs) == (("x1", "x2"), ("y1",))


def test_sparse_rows():
    text = ('{"format": "verimv-network", "version": 1, "layers": [{"weights": [{"width": 3, "2": "1/2"}, {"width": 3}], '
            '"bias": ["0", "1"], "activation": "relu"}]}')  # fmt: skip
    assert read_network(text)(1, 1, 1) == (Fraction(1, 2), 1)
    rows = tuple(Layer.of([[1]], [0]).rows[0].renumbered({0: j}) for j in range(150))
    wide = Network.of([Layer(rows, 150, "relu")])
    assert '"width": 150' in written(wide)
    assert read_network(written(wide)) == wide


GOOD = {"format": "verimv-network", "version": 1, "inputs": ["a", "b"], "outputs": ["c"], "box": [["0", "1"], ["0", "1"]],
        "layers": [{"weights": [["1", "2"]], "bias": ["0"], "activation": "relu"}]}  # fmt: skip


def changed(**changes):
    return json.dumps(GOOD | changes)


def layer(**changes):
    return changed(layers=[GOOD["layers"][0] | changes])


@pytest.mark.parametrize(("text", "what"), [
    (json.dumps(GOOD)[:-10], "not JSON"), ("", "not JSON"), ("[]", "expected an object"), ("{}", "expected the key"),
    ("[" * 100_000, "nested too deep"), ('{"a": ' * 100_000, "nested too deep"),
    (json.dumps(GOOD).replace('"0"', "NaN"), "found NaN"), (json.dumps(GOOD).replace('"0"', "-Infinity"), "found -Infinity"),
    (json.dumps(GOOD).replace('"version": 1', '"version": 1, "version": 1'), "occurs twice"),
    (changed(format="other"), "format"), (changed(version=2), "version"), (changed(version="1"), "version"),
    (changed(extra=1), "unknown key"), (changed(layers=[]), "at least one layer"), (changed(layers={}), "expected a list"),
    (changed(layers=[3]), r"layers\[0\]: expected an object"), (changed(inputs=["a"]), "expected 2 names"),
    (changed(inputs=["a", "a"]), "named twice"), (changed(inputs=["a", ""]), "expected a name"), (changed(inputs=["a", 1]), "string"),
    (changed(outputs=["a"]), "is an input too"), (changed(outputs=['"']), "expected a name"),
    (changed(box=[["0", "1"]]), "expected 2 pairs"), (changed(box=[["1", "0"], ["0", "1"]]), "above the upper end"),
    (changed(box=[["1"], ["0", "1"]]), r"box\[0\]"), (changed(box=[["0", None], ["0", "1"]]), "expected a number, found null"),
    (layer(activation="tanh"), "expected one of relu, crelu, identity, found 'tanh'"), (layer(activation=None), "activation"),
    (layer(activation=["relu"]), "activation"), (layer(weights=[]), "at least one neuron"), (layer(weights=[[]]), "at least one"),
    (layer(weights=[["1", "2"], ["1"]], bias=["0", "0"]), r"layers\[0\].weights\[1\]: expected 2 numbers"),
    (layer(bias=[]), "expected 1 numbers"), (layer(bias="0"), "expected a list"), (layer(bias=["x"]), r"bias\[0\]: expected a number"),
    (layer(weights=[["1", True]]), "found true"), (layer(weights=[["1", ["2"]]]), "found a list"),
    (layer(weights=[["1", "9" * 5000]]), r"weights\[0\]\[1\]: a number with more than 4300 digits"),
    (json.dumps(GOOD).replace('"2"', "9" * 5000), "more than 4300 digits"),
    (layer(weights=[{"0": "1"}]), "width"), (layer(weights=[{"width": 2, "2": "1"}]), "below 2"),
    (layer(weights=[{"width": 2, "-1": "1"}]), "expected an integer"), (layer(weights=[{"width": 0}]), "positive width"),
    (layer(weights=[{"width": 2, "0": "1", "00": "1"}]), "different indices"), (layer(weights=[{"width": 2}, []], bias=["0", "0"]), "weights"),
    (changed(layers=[GOOD["layers"][0], GOOD["layers"][0]]), r"layers\[1\]: expected rows of 1 weights"),
])  # fmt: skip
def test_malformed_json(text, what):
    with pytest.raises(InputError, match=what) as error:
        read_network(text, "n.json")
    assert str(error.value).startswith("n.json:")
    assert "\n" not in str(error.value)
    assert len(str(error.value)) < 250


@given(
    specs(integers, max_layers=3),
    specs(integers, max_inputs=1, max_layers=3),
    st.sampled_from(["relu", "crelu", "identity"]),
)
def test_composition_keeps_function_and_integrality(inner_spec, outer_spec, end):
    inner_spec = [*inner_spec[:-1], (*inner_spec[-1][:2], end)]
    inner, outer = build_network(inner_spec), build_network(outer_spec)
    lemma, short = concatenate(outer, inner), compose(outer, inner)
    assert len(lemma.layers) == len(inner.layers) + len(outer.layers), "Lemma B.2: the numbers of layers add"
    assert lemma.number_kind == short.number_kind == "integer"
    for point in grid(len(inner.inputs), 2):
        expected = network_value(outer_spec, network_value(inner_spec, point))
        exact = [as_number(x) for x in point]
        assert lemma.at(exact) == short.at(exact) == without_identity_layers(lemma).at(exact) == expected


@given(st.lists(specs(integers, max_inputs=1, max_layers=3), min_size=1, max_size=3), st.lists(st.sampled_from(["relu", "crelu", "identity"]), min_size=3, max_size=3), st.booleans())  # fmt: skip
def test_stacking_side_by_side(spec_list, ends, negative_box):
    spec_list = [[*spec[:-1], (*spec[-1][:2], end)] for spec, end in zip(spec_list, ends, strict=False)]
    box = [["-2", "1"]] if negative_box else None
    networks = [Network.of(build_network(spec).layers, None, box) for spec in spec_list]
    stacked = stack(networks)
    assert stacked.number_kind == "integer"
    for x in [Fraction(i, 4) for i in range(-8 if negative_box else 0, 5)]:
        assert stacked.at([as_number(x)]) == [value for spec in spec_list for value in network_value(spec, [x])]


def test_composition_and_stacking_refuse_what_does_not_fit():
    one, two = build_network([([[1]], [0], "relu")]), build_network([([[1, 1]], [0], "relu")])
    for operation in (compose, concatenate):
        with pytest.raises(InputError, match="cannot compose"):
            operation(two, one)
    with pytest.raises(InputError, match="same inputs"):
        stack([one, two])
    with pytest.raises(InputError, match="at least one"):
        stack([])


@given(
    specs(rationals, max_inputs=2, max_layers=2),
    st.fractions(-3, 0, max_denominator=4),
    st.fractions(0, 3, max_denominator=4),
)
def test_the_unit_cube_stands_for_the_box(spec, low, high):
    network = Network.of(build_network(spec).layers, None, [[low, high]] * len(spec[0][0][0]))
    unit = to_unit_cube(network)
    assert unit.is_on_unit_cube()
    for point in grid(len(network.inputs), 3):
        inside = [as_number(low + (high - low) * u) for u in point]
        assert unit.at([as_number(u) for u in point]) == network.at(inside)


def test_selecting_outputs():
    network = Network.of([Layer.of([[1], [2]], [0, 0], "identity")], outputs=["a", "b"])
    assert network.select("b")(1) == network.select(1)(1) == network.select("1")(1) == 2
    for wrong in ("c", 2, "-1", "²"):
        with pytest.raises(InputError, match="no output"):
            network.select(wrong)


def test_unknown_activations_are_refused_in_python_too():
    with pytest.raises(InputError, match="expected one of relu, crelu, identity, found 'ReLU'"):
        Layer.of([[1]], [0], "ReLU")


def test_wide_networks_are_read_in_linear_time():
    names = [f"a{i}" for i in range(20_000)]
    text = json.dumps(
        GOOD
        | {
            "inputs": names,
            "box": None,
            "layers": [{"weights": [{"width": 20_000, "7": "1"}], "bias": ["0"], "activation": "relu"}],
        }
    )
    assert len(read_network(text).inputs) == 20_000
    with pytest.raises(InputError, match="at most 1,000,000"):
        read_network(text.replace("20000", "999999999"))


def test_wrong_number_of_inputs():
    with pytest.raises(InputError, match="expected 2 values"):
        build_network([([[1, 1]], [0], "relu")])(1)


def test_number_kinds():
    assert build_network([([[1]], [0], "relu")]).number_kind == "integer"
    assert build_network([([[1]], ["1/2"], "relu")]).number_kind == "rational"
    assert build_network([([["sqrt(2)"]], ["1/2"], "relu")]).number_kind == "algebraic"
