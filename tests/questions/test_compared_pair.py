"""The two subjects of a comparison: boxes, outputs, directories with certificates."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path

import pytest

import verimv
from verimv.core.errors import InputError, InvalidCertificate
from verimv.exact import Rational
from verimv.networks.formats.json_format import read_network
from verimv.networks.network import Layer, Network
from verimv.questions.compared_pair import comparable
from verimv.questions.subjects import read_subject
from verimv.testing import assert_certified, assert_equivalent

BOX = [["-1", "2"], ["0", "1/2"]]


def network(slope: int = 1, box: list[list[str]] | None = None) -> Network:
    """Two outputs: x1 − 2·x2 and a multiple of x2."""
    layers = [
        {"weights": [["1", "0"], ["0", "1"]], "bias": ["1", "0"], "activation": "relu"},
        {"weights": [["1", "-2"], ["0", str(slope)]], "bias": ["-1", "0"], "activation": "identity"},
    ]
    data = {"format": "verimv-network", "version": 1, "layers": layers}
    return read_network(json.dumps(data | ({"box": box} if box else {})), "network.json")


@pytest.fixture(scope="module")
def certified(tmp_path_factory: pytest.TempPathFactory) -> Path:
    directory = tmp_path_factory.mktemp("certified")
    for name, chunks in verimv.extract(network(box=BOX), output="y1", scale_output=True).certificate.files().items():
        (directory / name).write_bytes(b"".join(chunks))
    return directory


def test_a_directory_is_the_network_that_was_extracted(certified: Path) -> None:
    found = read_subject(str(certified))
    assert isinstance(found, Network)
    assert found == network(box=BOX).select("y1")


def test_the_other_network_takes_the_box_of_the_certificate(certified: Path) -> None:
    for pair in ((network(), certified), (certified, network())):
        a, b = comparable(*pair, output="y1")
        assert isinstance(a, Network)
        assert isinstance(b, Network)
        assert a.box == b.box == network(box=BOX).box
        assert verimv.equivalent(a, b).proved


def test_a_given_box_replaces_both(certified: Path, tmp_path: Path) -> None:
    path = tmp_path / "box.json"
    path.write_text(json.dumps([["0", "1"], ["0", "1"]]))
    for box in (str(path), path, [(0, 1), (0, 1)]):
        a, b = comparable(network(), certified, box=box, output=0)
        assert isinstance(a, Network)
        assert isinstance(b, Network)
        assert a.box == b.box == network().box


def test_outputs_are_chosen_in_networks_that_have_several(certified: Path) -> None:
    a, b = comparable(network(), certified, output="y1")
    assert a.outputs == b.outputs == ("y1",)
    margins = comparable(network(), network(slope=3), margin=("y1", "y2"))
    assert [side.outputs for side in margins] == [("y1_minus_y2",)] * 2
    assert verimv.equivalent(*margins).refuted
    with pytest.raises(InputError, match="no output 'y3'"):
        comparable(network(), network(), output="y3")
    with pytest.raises(InputError, match="no output 'y2'"):  # both have one output, and it is another one
        comparable(certified, certified, output="y2")


def test_names_of_both_networks(tmp_path: Path, certified: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text("mean radius\nb\nfirst class\nsecond class\n")
    a, b = comparable(network(), network(slope=3), names=str(file), output="first class")
    assert a.labels["mean_radius"] == b.labels["mean_radius"] == "mean radius"
    assert a.outputs == b.outputs == ("first_class",)
    assert verimv.equivalent(a, b).proved
    _, extracted = comparable(network(), certified, names=str(file))  # it has one of the two outputs
    assert (extracted.inputs, extracted.outputs) == (("mean_radius", "b"), ("first_class",))
    named, _ = comparable(network(), '"mean radius" ⊕ b', names=str(file))
    assert named.inputs == ("mean_radius", "b")


def test_names_do_not_change_what_is_compared(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text("a\nb\nfirst\nsecond\n")
    swapped = replace(network(), outputs=("y2", "y1"))
    assert verimv.equivalent(network(), swapped).refuted
    a, b = comparable(network(), swapped, names=str(file))
    assert (a.outputs, b.outputs) == (("first", "second"), ("second", "first"))
    assert verimv.equivalent(a, b).refuted
    other = replace(network(), outputs=("y1", "y3"))  # it cannot be matched, with or without names
    with pytest.raises(InputError, match="y3"):
        verimv.equivalent(*comparable(network(), other, names=str(file)))


def test_wrong_names(tmp_path: Path) -> None:
    file = tmp_path / "names.txt"
    file.write_text("a\nb\nc\n")
    with pytest.raises(InputError, match=r"expected 2 names of inputs, or these and 2 of outputs, found 3"):
        comparable(network(), network(), names=str(file))
    with pytest.raises(InputError, match="--names need a network"):
        comparable("x", "y", names=str(file))


def test_options_need_a_network() -> None:
    for options in ({"box": [(0, 1)]}, {"output": 0}, {"margin": (0, 1)}):
        with pytest.raises(InputError, match="need a network"):
            comparable("x", "y", **options)
    assert [str(side) for side in comparable("x", "¬x")] == ["x", "¬x"]


def test_a_directory_must_be_certified(certified: Path, tmp_path: Path) -> None:
    for path in certified.iterdir():
        (tmp_path / path.name).write_bytes(path.read_bytes())
    changed = (tmp_path / "formula.mv").read_text().replace("⊕", "⊙", 1)
    (tmp_path / "formula.mv").write_text(changed)
    with pytest.raises(InvalidCertificate):
        read_subject(str(tmp_path))


def test_assertions_take_boxes_outputs_and_directories(certified: Path) -> None:
    assert_equivalent(network(), certified, output="y1")
    assert_equivalent(network(), network(slope=3), output="y1", box=BOX)
    assert_certified(certified, network=network(slope=3), output="y1")
    with pytest.raises(AssertionError, match="not equal"):
        assert_certified(certified, network=network(slope=3), output="y2")
    with pytest.raises(AssertionError, match="not equal"):
        assert_equivalent(network(), network(slope=3), margin=("y1", "y2"))
    assert_equivalent(network(), network(slope=3), output="y2", tolerance=1, box=BOX)


def test_outputs_in_units_of_the_range_of_the_first_network() -> None:
    first = Network.of([Layer.of([[3], [0], [-8]], [1, 5, 2], "identity")], outputs=["a", "b", "c"])
    second = Network.of([Layer.of([[-8], [3], [0]], [2, 2, 5], "identity")], outputs=["c", "a", "b"])
    scaled, other = comparable(first, second, scale_output=True)
    ends = [(scaled.at([x]), other.at([x])) for x in (0, 1)]
    assert ends == [([0, 0, 1], [1, Rational(1, 3), 0]), ([1, 0, 0], [0, Rational(4, 3), 0])]
    with pytest.raises(InputError, match="needs two networks"):
        comparable("x ⊕ y", "y ⊕ x", scale_output=True)
    with pytest.raises(InputError, match="one network has 3 outputs, the other 1"):
        comparable(first, second.select("a"), scale_output=True)
