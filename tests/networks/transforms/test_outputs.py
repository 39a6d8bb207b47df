"""One output, margins, clipping, and scaling with proven bounds: the formula's values mapped back are the network's."""

from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.certified import extract
from tests.oracle import build_network, grid, integers, network_value, rationals, specs
from verimv.core.errors import InputError
from verimv.exact import as_number
from verimv.networks.network import Layer, Network
from verimv.networks.transforms.outputs import OutputMap, chosen, mapped, margin

TWO = Network.of(
    [Layer.of([["2", "-1"], ["1", "1"]], ["-1", "0"]), Layer.of([["3", "1"], ["-1", "2"]], ["-2", "1"], "identity")]
)


@pytest.mark.parametrize("activation", ["identity", "relu", "crelu"])
def test_margins_and_clipping(activation):
    network = replace(TWO, layers=(TWO.layers[0], replace(TWO.layers[1], activation=activation)))
    difference, clip = margin(network, "y1", 1), chosen(network, clip=True)
    assert difference.outputs == ("y1_minus_y2",)
    for point in grid(2, 3):
        a, b = network(*point)
        assert difference(*point) == a - b
        assert clip(*point) == (min(1, max(0, a)), min(1, max(0, b)))
    with pytest.raises(InputError, match="itself"):
        margin(network, 0, "y1")
    with pytest.raises(InputError, match="found both"):
        chosen(network, 0, (0, 1))


def undone(extraction, point):
    """Compute the network's outputs from the formula's values, by the maps in the summary."""
    values = extraction.formula.at(dict(zip(extraction.formula.inputs, map(as_number, point), strict=True)))
    maps = [(as_number(entry["scale"]), as_number(entry["offset"])) for entry in extraction.summary["outputs"]]
    assert all(0 <= value <= 1 for value in values)
    return [scale * value + offset for (scale, offset), value in zip(maps, values, strict=True)]


@given(
    specs(st.one_of(integers, rationals), max_layers=3),
    st.sampled_from(["identity", "relu", "crelu"]),
    st.sampled_from(["paper", "compact"]),
)
def test_scaled_outputs_are_certified_and_mapped_back(spec, activation, strategy):
    spec = [*spec[:-1], (*spec[-1][:2], activation)]
    extraction = extract(build_network(spec), scale_output=True, strategy=strategy, bounds="interval", logic="rmv")
    for point in grid(len(spec[0][0][0]), 2)[:20]:
        assert undone(extraction, point) == network_value(spec, list(point))


def test_scaled_outputs_on_a_box_with_exact_bounds():
    network = replace(TWO, box=((as_number(-3), as_number(5)), (as_number("1/2"), as_number(2))))
    extraction = extract(network, scale_output=True, bounds="exact", strategy="compact")
    assert extraction.certificate.subjects.keys() == {"network", "formula", "source"}
    for u, v in grid(2, 4):
        assert tuple(undone(extraction, (u, v))) == network(-3 + 8 * u, Fraction(1, 2) + Fraction(3, 2) * v)


def test_options_of_extraction():
    with pytest.raises(InputError, match="not both"):
        extract(TWO, scale_output=True, clip_output=True)
    with pytest.raises(InputError, match="rational"):
        extract(TWO, scale_output=True, logic="mv")
    clip = extract(TWO, clip_output=True, margin=("y1", "y2"))
    for point in grid(2, 4):
        a, b = TWO(*point)
        assert clip.formula.at(dict(zip(("x1", "x2"), map(as_number, point), strict=True))) == [min(1, max(0, a - b))]


def test_constant_outputs_are_scaled_too():
    network = Network.of([Layer.of([["0"]], ["7"], "identity")])
    extraction = extract(network, scale_output=True)
    assert extraction.summary["outputs"] == [{"name": "y1", "scale": "1", "offset": "7"}]
    assert undone(extraction, [Fraction(1, 2)]) == [7]


def test_mapped_networks():
    maps = [OutputMap(as_number(4), as_number(-2)), OutputMap()]
    for point in grid(2, 2):
        a, b = TWO(*point)
        assert mapped(TWO, maps)(*point) == ((a + 2) / 4, b)
