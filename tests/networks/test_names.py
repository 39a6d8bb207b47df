"""Full names: any text for people; identifiers for formulas; one clear line for what is wrong."""

import pickle
import re

import pytest

from verimv.core.errors import InputError
from verimv.formulas.parse import NAME
from verimv.networks.names import identifiers, named, read_names, recorded
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.normalise import to_unit_cube
from verimv.networks.transforms.outputs import margin

NETWORK = Network.of([Layer.of([[1, 2], [3, 4]], [0, 0])], box=[(0, 2), (1, 3)])


@pytest.mark.parametrize(
    ("source", "text", "expected"),
    [
        ("names.txt", "mean radius\nworst area\n", (["mean radius", "worst area"], [])),
        ("names.txt", "a\n\n b  c \nyes\nno\n", (["a", "b c"], ["yes", "no"])),
        ("names.txt", "a,b", (["a", "b"], [])),
        ("data.csv", '"mean, radius",worst area\n1,2\n3,4\n', (["mean, radius", "worst area"], [])),
        ("data.csv", "a;b\n1;2\n", (["a", "b"], [])),
        ("data.tsv", "a b\tc\n1\t2\n", (["a b", "c"], [])),
        ("names.json", '["a", "b"]', (["a", "b"], [])),
        ("names.json", '{"outputs": ["yes", "no"]}', ([], ["yes", "no"])),
        ("names", '{"inputs": ["a", "b"]}', (["a", "b"], [])),
    ],
)
def test_files(source, text, expected):
    assert read_names(text, source, 2, 2) == expected


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("a\n", "names.txt: expected 2 names of inputs, or these and 2 of outputs, found 1"),
        ("a\nb\nc\n", "found 3"),
        ("a\na\n", "the name 'a' occurs twice"),
        ("a\n\x1b[2J\n", "printable"),
        ("a\n\u202eb\n", "printable"),
        ('a\nb"c\n', "without quotes"),
        (f"a\n{'b' * 300}\n", "1 to 200"),
        ("[1, 2]", "expected a list of names"),
        ('{"input": ["a", "b"]}', "expected a list of names"),
        ('{"inputs": ["a"]}', "expected 2 names, found 1"),
        ("[", "is not JSON"),
        ("a,\n", "found ''"),
    ],
)
def test_what_is_wrong_is_one_line(text, told):
    with pytest.raises(InputError, match=re.escape(told)) as caught:
        read_names(text, "names.txt", 2, 2)
    assert "\n" not in str(caught.value)


def test_identifiers_are_names_of_formula_files_and_differ():
    names = ["mean radius", "mean_radius", "mean-radius", "2nd", "größe", "°", "inputs", "x", "Δ[1/2]x"]
    found = identifiers(names, ["x"])
    assert len({*found, "x"}) == len(names) + 1
    assert all(re.fullmatch(NAME, name) and name != "inputs" for name in found)
    assert found[0] == "mean_radius"


def test_a_network_keeps_its_names():
    network = named(NETWORK, ["mean radius", "area"], ["is malign", "is benign"])
    assert network.inputs == ("mean_radius", "area")
    assert network.label("mean_radius") == "mean radius"
    assert network.label("area") == "area"
    assert to_unit_cube(network).labels == network.labels
    difference = margin(network, "is malign", "is_benign")
    assert difference.label(difference.outputs[0]) == "is malign minus is benign"
    assert pickle.loads(pickle.dumps(network)).labels == network.labels
    assert named(network, ["a", "b"]).labels == {"is_malign": "is malign", "is_benign": "is benign"}
    assert network.at([1, 2]) == NETWORK.at([1, 2])


def test_an_output_does_not_take_the_name_of_an_input():
    assert named(NETWORK, ["y1", "y2"]).outputs == ("y1_2", "y2_2")


def test_names_of_a_summary_are_not_trusted():
    assert recorded({"names": {"a": "b c", "d": "\x1b[2J", "e": 5}}) == {"a": "b c"}
    assert recorded({"names": ["a"]}) == recorded({}) == {}


def test_names_of_a_model_that_was_fitted_with_a_data_frame():
    from types import SimpleNamespace

    from verimv.networks.formats.load import load

    model = SimpleNamespace(
        coefs_=[[[1.0], [2.0]]], intercepts_=[[0.0]], activation="relu", out_activation_="identity",
        feature_names_in_=["mean radius", "area"],
    )  # fmt: skip
    assert load(model).labels == {"mean_radius": "mean radius"}
    assert load(model, names=["a b", "c"]).inputs == ("a_b", "c")


def test_a_network_file_may_have_full_names():
    from verimv.networks.formats.json_format import read_network

    layers = '[{"weights": [["1", "2"]], "bias": ["0"], "activation": "relu"}]'
    text = '{"format": "verimv-network", "version": 1, "inputs": ["mean radius", "x"], "outputs": ["y"], "layers": %s}'
    network = read_network(text % layers)
    assert (network.inputs, network.outputs) == (("mean_radius", "x"), ("y",))
    assert network.labels == {"mean_radius": "mean radius"}
    with pytest.raises(InputError, match="occurs twice"):
        read_network((text % layers).replace('"x"]', '"mean radius"]'))
    with pytest.raises(InputError, match="expected 2 names, found 1"):
        read_network((text % layers).replace(', "x"]', "]"))
